"""Whom somebody met in sections, and what these were rated before and after them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from events.importers.played import HALF_POINTS
from events.models import Game
from ratings.ledger.queries.books import (
    RatingsThen,
    RatingThen,
    Side,
    numbers_of_side,
)
from ratings.ledger.queries.privacy import MOST, Starts, step

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


@dataclass(frozen=True, slots=True)
class GamesMet:
    """A person's games by calculation. What the others' ratings tell is not asked yet.

    That takes longer than to read them, so it is asked only of those that are `seen`.
    """

    games: Mapping[int, Sequence[tuple[Side, int]]]
    ratings: RatingsThen
    systems: Mapping[int, str]

    def seen(
        self, calculations: Iterable[int] | None = None, starts: Starts | None = None
    ) -> dict[int, list[Met]]:
        """Return the games of some calculations, or of all (up to two queries).

        *starts* are those of others that are needed, too: asked for at once.
        """
        wanted = self.games.keys() if calculations is None else set(calculations)
        games = {one: self.games[one] for one in wanted if one in self.games}
        sides = (side for played in games.values() for side, _ in played)
        around = self.ratings.seen(sides, self.systems, starts)
        return {
            calculation: [_met(side, around[side], points) for side, points in played]
            for calculation, played in games.items()
        }

    def weakest(self, calculation: int) -> list[Met]:
        """Return the games with no rating higher than it is seen."""
        return self._moved(calculation, -step(MOST) / 2)

    def strongest(self, calculation: int) -> list[Met]:
        """Return the games with no rating lower than it is seen."""
        return self._moved(calculation, step(MOST) / 2)

    def _moved(self, calculation: int, points: float) -> list[Met]:
        return [
            _met(side, self.ratings.moved(side, points), half_points)
            for side, half_points in self.games.get(calculation, ())
        ]


def games_met(numbers: Sequence[int], sections: Collection[RatedIn]) -> GamesMet:
    """Read a person's games in sections, in no order (up to two queries).

    They are those with all member *numbers* of the person, from both sides of the
    board.
    """
    systems = {one.calculation: one.system for one in sections}
    calculations: defaultdict[int, list[int]] = defaultdict(list)
    for one in sections:
        calculations[one.section].append(one.calculation)
    games: defaultdict[int, list[tuple[Side, int]]] = defaultdict(list)
    for section, number, kept, outcome in _games_in(numbers, list(calculations)):
        for calculation in calculations[section]:
            side = calculation, number, kept
            games[calculation].append((side, HALF_POINTS[outcome]))
    sides = {side for played in games.values() for side, _ in played}
    return GamesMet(games, RatingsThen.of(sides), systems)


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


def _met(side: Side, around: Sequence[RatingThen], half_points: int) -> Met:
    _, number, kept = side
    before, after = around
    other = number if kept is None else kept
    return Met(other, before.rating, after.rating, half_points)
