"""The invented members of the demo federation."""

from datetime import date
from typing import Any

from players.models import Membership, MembershipType, Player
from ratings.models import OpeningEntry
from ratings_site.demo.names import STATES, name_of

FIRST_MEMBER = date(2010, 1, 1)
LAST_MEMBER = date(2099, 12, 31)
AFFILIATE_ID = "A6000001"
TD_MEMBER_ID = "12000001"
# The counts of opening ratings.
RECORD: dict[str, Any] = {"wins": 20, "draws": 8, "losses": 20, "three_game_events": 12}


def opening(
    player: Player, rating: float, games: int, *, system: str = "OTBR", **facts: Any
) -> OpeningEntry:
    """Return an opening rating; *facts* are its date, counts, peak and source."""
    return OpeningEntry(
        player=player,
        system=system,
        rating=float(rating),
        games=games,
        record="mixed",
        **facts,
    )


class Register:
    """Creates members and saves them in bulk."""

    def __init__(self) -> None:
        self.players: list[Player] = []
        # Expirations by member ID; other memberships do not end.
        self.expires: dict[str, date] = {}

    def new(
        self, *, birth_date: date | None = None, state: str = "", **fields: Any
    ) -> Player:
        number = len(self.players)
        given, family = name_of(number)
        player = Player(
            member_id=str(12_000_001 + number),
            given_name=given,
            family_name=family,
            birth_date=birth_date,
            state=state or STATES[number % len(STATES)],
            **fields,
        )
        player.set_search_names()
        self.players.append(player)
        return player

    def twin(self, player: Player) -> Player:
        """Return a second record of a member, with another ID."""
        twin = self.new(birth_date=player.birth_date, state=player.state)
        twin.given_name, twin.family_name = player.given_name, player.family_name
        twin.set_search_names()
        return twin

    def save(self) -> None:
        Player.objects.bulk_create(self.players, batch_size=500)
        kind, _ = MembershipType.objects.get_or_create(name="Regular")
        MembershipType.objects.get_or_create(name="Adult", defaults={"is_adult": True})
        Membership.objects.bulk_create(
            [
                Membership(
                    player=player,
                    type=kind,
                    starts=FIRST_MEMBER,
                    expires=self.expires.get(player.member_id, LAST_MEMBER),
                )
                for player in self.players
            ],
            batch_size=500,
        )
