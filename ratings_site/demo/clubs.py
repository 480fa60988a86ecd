"""The clubs of the demo federation and their TDs."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypedDict

from django.utils import timezone

from events.models import Affiliate, Official
from players.models import Player
from ratings_site.common.models import User
from ratings_site.demo.accounts import open_account
from ratings_site.demo.members import AFFILIATE_ID, LAST_MEMBER


class Address(TypedDict):
    city: str
    state: str
    zip_code: str


@dataclass(frozen=True, slots=True)
class Club:
    """An affiliate. *director* is the username of its TD."""

    affiliate_id: str
    name: str
    place: str
    city: str
    state: str
    zip_code: str
    director: str = ""

    @property
    def address(self) -> Address:
        return {"city": self.city, "state": self.state, "zip_code": self.zip_code}


CASTLE = Club(
    AFFILIATE_ID, "Castle Chess Club", "Castle", "Springfield", "IL", "62701", "td"
)
HARBOR = Club(
    "A6000002", "Harbor Knights", "Harbor", "Duluth", "MN", "55802", "td-harbor"
)
RIVERSIDE = Club(
    "A6000003", "Riverside Rooks", "Riverside", "Riverside", "CA", "92501",
    "td-riverside",
)  # fmt: skip
SUMMIT = Club(
    "A6000004", "Summit Chess Society", "Summit", "Boulder", "CO", "80302", "td-summit"
)
PRAIRIE = Club(
    "A6000005", "Prairie Online League", "Prairie", "Lincoln", "NE", "68508",
    "td-prairie",
)  # fmt: skip
CEDAR = Club(
    "A6000006", "Cedar School Chess League", "Cedar", "Cedar Rapids", "IA", "52401",
    "td-cedar",
)  # fmt: skip
UNION = Club(
    "A6000007", "Union Street Chess Café", "Union Street", "Columbus", "OH", "43215",
    "td-union",
)  # fmt: skip
# The clubs of the circuit; the Castle Club has its own module.
OTHERS = (HARBOR, RIVERSIDE, SUMMIT, PRAIRIE, CEDAR, UNION)


def make_club(director: Player, club: Club = CASTLE) -> None:
    """Create the affiliate and certify its TD."""
    affiliate = Affiliate.objects.create(
        affiliate_id=club.affiliate_id,
        name=club.name,
        state=club.state,
        expires=LAST_MEMBER,
    )
    certified_until = date(timezone.localdate().year + 3, 12, 31)
    official = Official.objects.create(
        player=director,
        level=Official.Level.SENIOR,
        certified_until=certified_until,
        safe_play_until=timezone.localdate() + timedelta(days=200),
    )
    official.affiliates.add(affiliate)


def open_club(director: Player, club: Club) -> User:
    """Create a club of the circuit and the account of its TD."""
    make_club(director, club)
    account = open_account(club.director)
    director.account = account
    director.save(update_fields=["account"])
    return account
