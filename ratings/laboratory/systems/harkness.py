"""The Harkness system: 10 points above the opposition for each percent above half."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ratings.laboratory.cases import Case, event_totals
from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    About,
    Example,
    Shape,
    Source,
    Standing,
    Status,
    System,
)
from ratings.laboratory.words import _

from .elo import WIKIPEDIA
from .opposition import OppositionTable, Result, performance

SPREAD: Final = 1000.0

HANDBOOK: Final = Source(
    "Kenneth Harkness, The Official Chess Handbook, McKay, 1967, pages 185–188"
)
SLOAN: Final = Source("Sam Sloan on the rating system", "http://anusha.com/ratings.htm")
WEEKS: Final = Source(
    "Mark Weeks, The First USCF Rating System",
    "https://chessforallages.blogspot.com/2017/07/the-first-uscf-rating-system.html",
)


def harkness(average: float, score: float, games: int) -> float:
    """Return the new rating after an event, not rounded (Harkness 1967, page 187).

    *average* is that of the opponents' ratings. The old rating does not count.
    Raises ZeroDivisionError without games.

    >>> round(harkness(1850, 2.5, 11), 2)
    1577.27
    >>> harkness(2000, 6, 6), harkness(1800, 0, 5)
    (2500.0, 1300.0)
    """
    return performance(average, score, games, SPREAD)


def expected_by_harkness(rating: float, opponent: float) -> float:
    """Return the score at which the formula gives the same rating again, 0 to 1.

    >>> expected_by_harkness(2100, 2000), expected_by_harkness(2600, 2000)
    (0.6, 1.0)
    """
    return min(max(0.5 + (rating - opponent) / SPREAD, 0.0), 1.0)


@dataclass(frozen=True)
class HarknessParameters:
    """Parameters of the Harkness system."""

    start: float = parameter(
        1500.0,
        _("Rating when all opponents are new"),
        _("The rating used for new players who meet only unrated opponents."),
        low=0,
        high=3000,
    )
    fewest_games: int = parameter(
        1,
        _("Minimum games"),
        _("With fewer games in an event, a rated player’s rating doesn’t change."),
        low=1,
        high=20,
    )


class HarknessTable(OppositionTable):
    """Ratings of one pool; each event replaces the rating, in order of date."""

    parameters: HarknessParameters
    _spread = SPREAD

    def _new_number(
        self, player: int, entry: Mapping[int, float], results: list[Result], day: int
    ) -> float:
        if len(results) < self.parameters.fewest_games:
            return entry[player]
        return self._performance(player, entry, results)


class Harkness(System):
    about = About(
        "harkness",
        _("Harkness"),
        _("1950–1960, United States"),
        _("The opponents’ average, plus 10 points for each percent above 50."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (HANDBOOK, WIKIPEDIA, SLOAN, WEEKS),
    )
    parameters = HarknessParameters
    table = HarknessTable
    example = Example(
        Standing(1600.0),
        tuple((Standing(1850.0), score) for score in [1.0] * 2 + [0.5] + [0.0] * 8),
        "1577",
        HANDBOOK,
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_harkness(player.rating, opponent.rating)


SYSTEMS: tuple[System, ...] = (Harkness(),)


def _event(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"new": harkness(*event_totals(inputs))}


CASES: Mapping[str, Case] = {"harkness": _event}
