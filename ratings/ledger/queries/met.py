"""Whom somebody met in sections, and what these were rated before and after them."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from events.importers.played import HALF_POINTS
from events.models import Game
from ratings.ledger.queries.books import numbers_of_side, ratings_around

# The two sides of a game: the member's own, and the other.
SIDES = (("first", "second"), ("second", "first"))


class RatedIn(NamedTuple):
    """A section, and a calculation that rated it in a system."""

    section: int
    calculation: int
    system: str


class Met(NamedTuple):
    """A game as one side of it played it.

    *opponent* is the number that the other's was merged into, if it was. The other's
    ratings before and after the section are as everybody sees them.
    """

    opponent: int
    before: float | None
    after: float | None
    half_points: int


def met_in(
    numbers: Sequence[int], sections: Collection[RatedIn]
) -> dict[int, list[Met]]:
    """Return a person's games by calculation, in no order (up to four queries).

    They are those with all member *numbers* of the person, from both sides of the
    board.
    """
    if not sections:
        return {}
    calculations: defaultdict[int, list[int]] = defaultdict(list)
    for one in sections:
        calculations[one.section].append(one.calculation)
    # The person's entries are few; a section has many games.
    first, second = (
        Game.objects.filter(
            **{
                f"{mine}__player__in": numbers,
                f"{mine}__section__among": list(calculations),
            }
        )
        .order_by()
        .values_list("section", *numbers_of_side(theirs), f"{mine}_outcome")
        for mine, theirs in SIDES
    )
    games = [
        (calculation, number, kept, outcome)
        for section, number, kept, outcome in first.union(second, all=True)
        for calculation in calculations[section]
    ]
    around = ratings_around(
        (game[:3] for game in games), {one.calculation: one.system for one in sections}
    )
    met: defaultdict[int, list[Met]] = defaultdict(list)
    for calculation, number, kept, outcome in games:
        before, after = around[calculation, number, kept]
        other = number if kept is None else kept
        met[calculation].append(
            Met(other, before.rating, after.rating, HALF_POINTS[outcome])
        )
    return dict(met)
