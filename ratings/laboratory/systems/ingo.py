"""The Ingo system in its three stages. The lower the number, the stronger the player.

A performance is the opposition's average less one point for each percent above half.
First it replaced the old number; then a quarter of it was mixed in; at last the mixture
went by the number of games and the player's age.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ratings.laboratory.cases import Case, event_totals, score_of
from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    About,
    Direction,
    Example,
    Games,
    Moment,
    Pool,
    Shape,
    Source,
    Standing,
    Status,
    System,
)
from ratings.laboratory.scales import elo_to_ingo, ingo_to_elo
from ratings.laboratory.words import _

from .elo import WIKIPEDIA, cap_of
from .opposition import OppositionTable, Result, mean, performance, results_of

SPREAD: Final = -100.0

SCHACHECKE: Final = Source(
    "Schachecke, Ingo-System",
    "http://www.schachecke.de/systeme/ingo-system/ingo-system.html",
)
KUPPENHEIM: Final = Source(
    "SC Rochade Kuppenheim, Schach-Express",
    "http://scrkuppenheim.de/artikel/express/express1/express4a.htm",
)
REMOTE: Final = Source(
    "RemoteSchach, Ingo-Zahl",
    "https://wiki.remoteschach.de/index.php/Ingo-Zahl",
)
GERMAN_WIKIPEDIA: Final = Source(
    "Wikipedia (German), Ingo-Zahl", "https://de.zxc.wiki/wiki/Ingo-Zahl"
)
QUESTION: Final = Source(
    "Chess Stack Exchange, question 39643",
    "https://chess.stackexchange.com/questions/39643",
)
BROCHURES: Final = Source(
    "Anton Hösslinger’s brochures at the Deutscher Schachbund",
    "https://www.schachbund.de/ingo-zahl.html",
)
CHINASCHACH: Final = Source(
    "Chinaschach.de on its rating", "http://www.chinaschach.de/dxbratr2.html"
)


def ingo_performance(average: float, score: float, games: int) -> float:
    """Return the performance of a result as an Ingo number (H), not rounded.

    100 percent is worth 50 less than the opposition's average, 0 percent 50 more.
    Raises ZeroDivisionError without games.

    >>> ingo_performance(110, 5, 10), round(ingo_performance(120, 7, 11), 2)
    (110.0, 106.36)
    """
    return performance(average, score, games, SPREAD)


def expected_by_ingo(number: float, opponent: float) -> float:
    """Return the score at which the number does not change, 0 to 1.

    25 points are 75 percent for the lower number.

    >>> expected_by_ingo(100, 125), expected_by_ingo(110, 100)
    (0.75, 0.4)
    """
    return min(max(0.5 + (opponent - number) / 100, 0.0), 1.0)


def quarter(old: float, performance: float) -> float:
    """Return the new number by the quarter rule, not rounded.

    >>> round(quarter(110, ingo_performance(120, 7, 11)), 2)
    109.09
    """
    return 0.75 * old + 0.25 * performance


def blended(old: float, performance: float, games: int, development: float) -> float:
    """Return the new number by the development formula, not rounded.

    *development* (E) is the number of games that the old number is worth.

    >>> blended(130, 103.75, 4, 20)
    125.625
    """
    return (games * performance + development * old) / (games + development)


BRACKETS: Final = {_("20 and 25"): (20, 25), _("19 and 24"): (19, 24)}
"""The last years of age with development 10 and 15; the sources disagree."""


def development(age: int | None, brackets: str = "20 and 25") -> int:
    """Return the development coefficient (E) at *age* in years; unknown is adult.

    >>> [development(age) for age in (20, 21, 25, 26, None)]
    [10, 15, 15, 20, 20]
    >>> development(20, "19 and 24")
    15
    """
    youth, young = BRACKETS[brackets]
    if age is None or age > young:
        return 20
    return 10 if age <= youth else 15


LIMITS: Final = (_("none"), "40", "50")


_START_LABEL = _("Number when all opponents are new")
_START_HELP = _("The rating used for new players who meet only unrated opponents.")
_LIMIT_LABEL = _("Maximum rating difference")
_LIMIT_HELP = _("Larger differences are treated as this many points.")


@dataclass(frozen=True)
class IngoParameters:
    """Parameters of every stage; 167.5 is 1500 on Elo's scale."""

    start: float = parameter(167.5, _START_LABEL, _START_HELP, low=-50, high=350)
    limit: str = parameter("none", _LIMIT_LABEL, _LIMIT_HELP, choices=LIMITS)


@dataclass(frozen=True)
class QuarterParameters(IngoParameters):
    """Parameters of the quarter rule."""

    average: str = parameter(
        "by event",
        _("Average of"),
        _(
            "All participants including the player, the opponents only, or depending "
            "on the event."
        ),
        choices=(_("by event"), _("participants"), _("opponents")),
    )


@dataclass(frozen=True)
class DevelopmentParameters(IngoParameters):
    """Parameters of the development formula."""

    brackets: str = parameter(
        "20 and 25",
        _("Ages"),
        _("The last age with development 10, and the last age with 15."),
        choices=tuple(BRACKETS),
    )


class BasicTable(OppositionTable):
    """Numbers of one pool; each event's performance replaces the number."""

    _spread = SPREAD

    def __init__(self, pool: Pool, parameters: IngoParameters) -> None:
        super().__init__(pool, parameters)
        self._limit = cap_of(parameters.limit)

    def _new_number(
        self, player: int, entry: Mapping[int, float], results: list[Result], day: int
    ) -> float:
        return self._performance(player, entry, results)


def is_round_robin(results: Mapping[int, list[Result]]) -> bool:
    """Return whether all players of an event met each other."""
    others = len(results) - 1
    return all(
        len({opponent for opponent, _ in met}) == others for met in results.values()
    )


class QuarterTable(BasicTable):
    """Numbers of one pool; each event moves a number by a quarter of the way."""

    _takes_everybody = False

    def update(self, games: Games, moment: Moment) -> None:
        average = self.parameters.average
        self._takes_everybody = average == "participants" or (
            average == "by event" and is_round_robin(results_of(games))
        )
        super().update(games, moment)

    def _new_number(
        self, player: int, entry: Mapping[int, float], results: list[Result], day: int
    ) -> float:
        return quarter(entry[player], self._performance(player, entry, results))

    def _performance(
        self, player: int, entry: Mapping[int, float], results: list[Result]
    ) -> float:
        if not self._takes_everybody:
            return super()._performance(player, entry, results)
        own = entry[player]
        level = mean([self._limited(number, own) for number in entry.values()])
        score = math.fsum(points for _, points in results)
        return ingo_performance(level, score, len(results))


class DevelopmentTable(BasicTable):
    """Numbers of one pool, by games and age."""

    def _new_number(
        self, player: int, entry: Mapping[int, float], results: list[Result], day: int
    ) -> float:
        age = self.pool.age(player, day)
        return blended(
            entry[player],
            self._performance(player, entry, results),
            len(results),
            development(age, self.parameters.brackets),
        )


class _Ingo(System):
    """The scale that all stages share."""

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_ingo(player.rating, opponent.rating)

    def on_elo_scale(self, rating: float) -> float:
        return ingo_to_elo(rating)

    def from_elo_scale(self, rating: float) -> float:
        return elo_to_ingo(rating)


class IngoBasic(_Ingo):
    about = About(
        "ingo.basic",
        _("Ingo, basic"),
        _("from 1948, West Germany"),
        _("The opponents’ average, minus one point for each percent above 50."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (
            Source(
                "Kenneth Harkness, The Official Chess Handbook, 1967, pages 205–206"
            ),
            WIKIPEDIA,
            BROCHURES,
            CHINASCHACH,
        ),
        Direction.LOWER_IS_BETTER,
    )
    parameters = IngoParameters
    table = BasicTable
    example = Example(
        Standing(110.0),
        tuple((Standing(110.0), score) for score in [1.0] * 4 + [0.5] * 2 + [0.0] * 4),
        "110",
        CHINASCHACH,
    )


class IngoQuarter(_Ingo):
    about = About(
        "ingo.quarter",
        _("Ingo, quarter rule"),
        _("after 1948, West Germany"),
        _("Three quarters of the old number, one quarter of the performance."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (SCHACHECKE, REMOTE, KUPPENHEIM, BROCHURES),
        Direction.LOWER_IS_BETTER,
    )
    parameters = QuarterParameters
    table = QuarterTable
    # The source gives the average of all twelve, 120 with the player's own 110.
    example = Example(
        Standing(110.0),
        tuple((Standing(120.0), score) for score in [1.0] * 5 + [0.5] * 4 + [0.0] * 2),
        "109",
        SCHACHECKE,
        parameters={"average": "opponents"},
    )


class IngoDevelopment(_Ingo):
    about = About(
        "ingo.development",
        _("Ingo, with development"),
        _("until 1992, West Germany"),
        _("Old number and performance, weighted by games and age."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (GERMAN_WIKIPEDIA, QUESTION, BROCHURES),
        Direction.LOWER_IS_BETTER,
    )
    parameters = DevelopmentParameters
    table = DevelopmentTable
    uses_birth_years = True
    example = Example(
        Standing(130.0),
        (
            (Standing(160.0), 1.0),
            (Standing(160.0), 0.5),
            (Standing(55.0), 1.0),
            (Standing(90.0), 0.0),
        ),
        "126",
        Source(
            "skillratings, Ingo",
            "https://github.com/atomflunder/skillratings/blob/main/src/ingo.rs",
        ),
    )


SYSTEMS: tuple[System, ...] = (IngoBasic(), IngoQuarter(), IngoDevelopment())


def _basic(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    found = {}
    if "score" in inputs or "scores" in inputs:
        found["performance"] = ingo_performance(*event_totals(inputs))
    if "own" in inputs and "avg_opponents" in inputs:
        share = expected_by_ingo(inputs["own"], inputs["avg_opponents"])
        found["expected_pct"] = 100 * share
    return found


def _quarter(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    if "avg_all_participants" in inputs:
        level, games = inputs["avg_all_participants"], inputs["games"]
        worth = ingo_performance(level, score_of(inputs), games)
    else:
        worth = ingo_performance(*event_totals(inputs))
    return {"performance": worth, "new": quarter(inputs["old"], worth)}


def _blended(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    average, score, games = event_totals(inputs)
    worth = ingo_performance(average, score, games)
    coefficient = inputs.get("E", development(inputs.get("age")))
    new = blended(inputs["old"], worth, games, coefficient)
    return {"avg": average, "performance": worth, "new": new}


CASES: Mapping[str, Case] = {
    "ingo.basic": _basic,
    "ingo.quarter": _quarter,
    "ingo.blended": _blended,
}
