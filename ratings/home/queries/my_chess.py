"""My Chess: an account's linked members and its pending work."""

from dataclasses import dataclass

from events.access import AccountSummary, account_summary, is_office
from players.guardians.queries import children_of
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import current_published
from ratings_site.common.models import User

SYSTEMS = (System.OTBR, System.OTBQ, System.OTBB)


@dataclass(frozen=True, slots=True)
class MyChess:
    """An account's members, each with the ratings on the card, and its work."""

    members: list[tuple[Player, list[tuple[str, float | None]]]]
    facts: AccountSummary
    is_office: bool


def my_chess(user: User) -> MyChess:
    """Return the account's part of the home page (two queries more than the menu)."""
    facts = account_summary(user)
    own = [facts.player.canonical] if facts.player is not None else []
    players = [*own, *(one for one in children_of(user) if one not in own)]
    ratings = current_published([player.pk for player in players])
    members = [
        (player, [(one.label, ratings[player.pk].get(one)) for one in SYSTEMS])
        for player in players
    ]
    return MyChess(members, facts, is_office(user))
