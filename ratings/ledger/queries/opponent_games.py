"""A person's opponents in sections, with their ratings before and after them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from events.formats.played_games import HALF_POINTS
from events.models import Game
from ratings.ledger.queries.point_in_time import ratings_before_after, side_columns

# The two sides of a game: the member's own, and the other.
SIDES = (("first", "second"), ("second", "first"))


class SectionCalculation(NamedTuple):
    """A section, and a calculation that rated it in a system."""

    section: int
    calculation: int


class OpponentGame(NamedTuple):
    """A game from one side.

    *opponent* is the number that the opponent's was merged into, if it was. The
    opponent's ratings before and after the section are published numbers.
    """

    opponent: int
    before: float | None
    after: float | None
    half_points: int


def opponent_games(
    numbers: Sequence[int], sections: Collection[SectionCalculation]
) -> dict[int, list[OpponentGame]]:
    """Return a person's games in sections by calculation, in no order (two queries).

    *numbers* are all member numbers of the person; both sides of the board are
    searched.
    """
    calculations: defaultdict[int, list[int]] = defaultdict(list)
    for one in sections:
        calculations[one.section].append(one.calculation)
    games = [
        ((calculation, number, kept), HALF_POINTS[outcome])
        for section, number, kept, outcome in _games_in(numbers, list(calculations))
        for calculation in calculations[section]
    ]
    around = ratings_before_after(side for side, _ in games)
    met: defaultdict[int, list[OpponentGame]] = defaultdict(list)
    for side, half_points in games:
        calculation, number, kept = side
        before, after = around[side]
        opponent = number if kept is None else kept
        met[calculation].append(
            OpponentGame(opponent, before.published, after.published, half_points)
        )
    return dict(met)


def _games_in(
    numbers: Sequence[int], sections: list[int]
) -> Iterable[tuple[int, int, int | None, str]]:
    """Return section, opponent, the opponent's owner if merged, and the outcome."""
    if not sections:
        return []
    # The person's entries are few; a section has many games.
    first, second = (
        Game.objects.filter(
            **{
                f"{mine}__player__in": numbers,
                f"{mine}__section__in_array": sections,
            }
        )
        .order_by()
        .values_list("section", *side_columns(theirs), f"{mine}_outcome")
        for mine, theirs in SIDES
    )
    return first.union(second, all=True)
