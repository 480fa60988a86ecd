"""Whom somebody met in sections, and what these were rated before and after them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
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


class Met(NamedTuple):
    """A game as one side of it played it.

    *opponent* is the number that the other's was merged into, if it was. The other's
    ratings before and after the section are published numbers.
    """

    opponent: int
    before: float | None
    after: float | None
    half_points: int


def games_met(
    numbers: Sequence[int], sections: Collection[RatedIn]
) -> dict[int, list[Met]]:
    """Return a person's games in sections by calculation, in no order (two queries).

    They are those with all member *numbers* of the person, from both sides of the
    board.
    """
    calculations: defaultdict[int, list[int]] = defaultdict(list)
    for one in sections:
        calculations[one.section].append(one.calculation)
    games = [
        ((calculation, number, kept), HALF_POINTS[outcome])
        for section, number, kept, outcome in _games_in(numbers, list(calculations))
        for calculation in calculations[section]
    ]
    around = ratings_around(side for side, _ in games)
    met: defaultdict[int, list[Met]] = defaultdict(list)
    for side, half_points in games:
        calculation, number, kept = side
        before, after = around[side]
        opponent = number if kept is None else kept
        met[calculation].append(
            Met(opponent, before.published, after.published, half_points)
        )
    return dict(met)


def _games_in(
    numbers: Sequence[int], sections: list[int]
) -> Iterable[tuple[int, int, int | None, str]]:
    """Return section, opponent, whom that was merged into, and how the game ended."""
    if not sections:
        return []
    # The person's entries are few; a section has many games.
    first, second = (
        Game.objects.filter(
            **{
                f"{mine}__player__in": numbers,
                f"{mine}__section__among": sections,
            }
        )
        .order_by()
        .values_list("section", *numbers_of_side(theirs), f"{mine}_outcome")
        for mine, theirs in SIDES
    )
    return first.union(second, all=True)
