"""The clubs of the demo federation: where they are, and who directs for them."""

from dataclasses import dataclass

from events.models import Affiliate, Official
from players.models import Player
from ratings_site.common.models import User
from ratings_site.demo.accounts import open_account
from ratings_site.demo.people import AFFILIATE_ID, LAST_MEMBER


@dataclass(frozen=True, slots=True)
class Club:
    """An affiliate. Its director's account has the name *director*."""

    affiliate_id: str
    name: str
    place: str
    city: str
    state: str
    zip_code: str
    director: str = ""

    @property
    def address(self) -> dict[str, str]:
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
# Those that have members of their own in the demo; the Castle Club has its own module.
OTHERS = (HARBOR, RIVERSIDE, SUMMIT, PRAIRIE, CEDAR, UNION)


def make_club(director: Player, club: Club = CASTLE) -> None:
    """The affiliate, and the TD under whose name its events are reported."""
    affiliate = Affiliate.objects.create(
        affiliate_id=club.affiliate_id,
        name=club.name,
        state=club.state,
        expires=LAST_MEMBER,
    )
    official = Official.objects.create(
        player=director, level=Official.Level.SENIOR, certified_until=LAST_MEMBER
    )
    official.affiliates.add(affiliate)


def open_club(director: Player, club: Club) -> User:
    """A club besides the first one, with an account for its director."""
    make_club(director, club)
    account = open_account(club.director)
    director.account = account
    director.save(update_fields=["account"])
    return account
