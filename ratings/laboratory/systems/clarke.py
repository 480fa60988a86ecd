"""Clarke's grades of the British, later English Chess Federation, 1958 to 2020.

Each game is worth the opponent's grade, 50 more for a win and 50 less for a loss; a
grade is the mean of a year's games.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case
from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    About,
    Example,
    Games,
    Moment,
    Pool,
    Shape,
    Source,
    Standing,
    Status,
    System,
    Table,
)
from ratings.laboratory.scales import elo_to_grade, grade_to_elo
from ratings.laboratory.words import _

from .elo import WIKIPEDIA
from .opposition import Result, entry_numbers, mean, results_of

SPREAD: Final = 100.0
LIMIT: Final = 40.0
"""An opponent's grade counts as at most this far from the own one."""

FULL: Final = 30
"""Games of a full grade: all of the last twelve months, or else this many."""

NEW_FILLER: Final = date(2011, 6, 1)
"""From the season that begins on this day, earlier games fill up a short season."""

EVERY_PERIOD: Final = _("every period")
SEASON: Final = _("season")

YEAR: Final = 365
THREE_YEARS: Final = 3 * 365

ENGLISH_WIKIPEDIA: Final = Source(
    "Wikipedia, ECF grading system",
    "https://en.wikipedia.org/wiki/ECF_grading_system",
)
NULCC: Final = Source(
    "NULCC, Grading",
    "https://mjh.orpheusweb.co.uk/nulcc/grading.htm",
)
BRONOWSKI: Final = Source(
    "Bronowski Trophy, Grading developments",
    "https://bronowskitrophy.wordpress.com/2011/08/08/grading-developments/",
)


def counted_grade(own: float, opponent: float) -> float:
    """Return the grade that an opponent counts with: within 40 of the own one.

    >>> counted_grade(150, 100), counted_grade(100, 150), counted_grade(160, 140)
    (110.0, 140.0, 140.0)
    """
    return float(min(max(opponent, own - LIMIT), own + LIMIT))


def game_points(own: float, opponent: float, score: float) -> float:
    """Return the grading points of one game.

    A win against an opponent 40 or more below is still worth 10 more than the own
    grade.

    >>> game_points(160, 140, 1), game_points(140, 160, 0)
    (190.0, 110.0)
    >>> game_points(160, 100, 1), game_points(100, 160, 0)
    (170.0, 90.0)
    """
    return counted_grade(own, opponent) + SPREAD * (score - 0.5)


def grade(points: Sequence[float]) -> float:
    """Return the grade from the points of each game. Raises ZeroDivisionError.

    >>> grade([200, 170, 170, 140, 155])
    167.0
    """
    return mean(points)


def expected_by_grade(own: float, opponent: float) -> float:
    """Return the score at which a grade stays as it is: 10 to 90 percent.

    >>> expected_by_grade(160, 150), expected_by_grade(160, 100)
    (0.6, 0.9)
    """
    return 0.5 + min(max(own - opponent, -LIMIT), LIMIT) / SPREAD


def last_season(day: int) -> tuple[int, int]:
    """Return the days on which the last two seasons up to *day* ended.

    A season is from June 1 to May 31.

    >>> ends = last_season(date(2020, 5, 31).toordinal())
    >>> [date.fromordinal(one).isoformat() for one in ends]
    ['2019-05-31', '2020-05-31']
    """
    tomorrow = date.fromordinal(day + 1)
    year = tomorrow.year - (tomorrow.month < 6)
    return date(year - 1, 5, 31).toordinal(), date(year, 5, 31).toordinal()


@dataclass(frozen=True)
class ClarkeParameters:
    """Parameters of the grades."""

    lists: str = parameter(
        EVERY_PERIOD,
        _("New grades after"),
        _(
            "Every period of the experiment, or each season (June 1 to May 31), as in "
            "England until 2011."
        ),
        choices=(EVERY_PERIOD, SEASON),
    )
    filler: str = parameter(
        "by date",
        _("Under 30 games in a year"),
        _(
            "Filled in with the old grade through the 2011 season, and with earlier "
            "games after that."
        ),
        choices=(_("by date"), _("old grade"), _("earlier games")),
    )
    fewest_games: int = parameter(
        10,
        _("Minimum games for a first grade"),
        _("In three years. Until then, a player has an estimated grade."),
        low=1,
        high=30,
    )
    start: float = parameter(
        106.7,
        _("Grade when all opponents are new"),
        _("The grade used for new players who meet only ungraded opponents."),
        low=0,
        high=300,
    )


class ClarkeTable(Table):
    """Grades of one pool; the games of a period take the grades from before it."""

    parameters: ClarkeParameters

    def __init__(self, pool: Pool, parameters: ClarkeParameters) -> None:
        super().__init__(pool, parameters)
        # Each player's graded games: the day and the value of each.
        self._days: list[list[int]] = [[] for _ in range(pool.size)]
        self._points: list[list[float]] = [[] for _ in range(pool.size)]
        # Who has games that no list includes yet; a dict keeps the order.
        self._waiting: dict[int, None] = {}
        self._listed = 0

    def predict(self, games: Games, moment: Moment) -> list[float]:
        grades = self.ratings
        pairs = zip(games.white, games.black, strict=True)
        differences = [grades[white] - grades[black] for white, black in pairs]
        return [
            0.5 + (-40.0 if d < -40.0 else 40.0 if d > 40.0 else d) / 100
            for d in differences
        ]

    def update(self, games: Games, moment: Moment) -> None:
        results = results_of(games)
        entry = self._entries(results)
        columns = zip(games.white, games.black, games.points, games.days, strict=True)
        for white, black, points, day in columns:
            self._note(white, entry[white], entry[black], points, day)
            self._note(black, entry[black], entry[white], 1.0 - points, day)
        self._waiting |= dict.fromkeys(results)
        self._publish(moment.day)

    def _publish(self, today: int) -> None:
        """Grade those who have played since the last list, if a new one is due."""
        since = today - YEAR
        if self.parameters.lists == SEASON:
            since, today = last_season(today)
            if today == self._listed:
                return
        self._listed = today
        for player in self._waiting:
            self._regrade(player, since, today)
        self._waiting = {
            one: None for one in self._waiting if self._days[one][-1] > today
        }

    def _entries(self, results: Mapping[int, list[Result]]) -> Mapping[int, float]:
        """Return all grades; for ungraded players an estimate from all games."""
        entry = dict(
            entry_numbers(self.ratings, results, self.parameters.start, SPREAD)
        )
        for player, met in results.items():
            earlier = self._points[player]
            if earlier and math.isnan(self.ratings[player]):
                entry[player] = mean([*earlier, *[entry[player]] * len(met)])
        return entry

    def _note(
        self, player: int, own: float, opponent: float, score: float, day: int
    ) -> None:
        # The estimate of a newcomer is made of these very games, so that it is no
        # grade yet to which an opponent's could be too far away.
        if math.isnan(self.ratings[player]):
            own = opponent
        # Games of a long event may be older than those of a short one before it.
        place = bisect_right(self._days[player], day)
        self._days[player].insert(place, day)
        self._points[player].insert(place, game_points(own, opponent, score))

    def _regrade(self, player: int, since: int, today: int) -> None:
        """Grade the games after the day *since* and up to *today*."""
        known = bisect_right(self._days[player], today)
        days, points = self._days[player][:known], self._points[player][:known]
        if not known:
            return
        recent = points[bisect_right(days, since) :]
        self.counts[player] = max(len(recent), min(len(points), FULL))
        in_three_years = len(days) - bisect_right(days, today - THREE_YEARS)
        ungraded = math.isnan(self.ratings[player])
        if ungraded and in_three_years < self.parameters.fewest_games:
            return
        if len(recent) < FULL:
            recent = self._filled(self.ratings[player], points, recent, today)
        self.ratings[player] = grade(recent)
        self.evaluations[player] += 1
        self._drop_old_games(player, known - max(len(recent), FULL))

    def _drop_old_games(self, player: int, needless: int) -> None:
        """Drop the games that no later grade can need."""
        if needless > 0:
            del self._days[player][:needless]
            del self._points[player][:needless]

    def _filled(
        self, old: float, points: list[float], recent: list[float], today: int
    ) -> list[float]:
        """Return *recent* made up to thirty games, as far as there is anything."""
        if self._fills_with_grade(today) and not math.isnan(old):
            return [*recent, *[old] * (FULL - len(recent))]
        return points[-FULL:]

    def _fills_with_grade(self, today: int) -> bool:
        if self.parameters.filler == "by date":
            return date.fromordinal(today) < NEW_FILLER
        return self.parameters.filler == "old grade"

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        # The games that a seed is based on are long ago, and each worth the grade.
        games = min(standing.games, FULL)
        self._days[player] = [0] * games
        self._points[player] = [standing.rating] * games


class Clarke(System):
    about = About(
        "clarke",
        _("Clarke: BCF and ECF grade"),
        _("1958–2020, Great Britain, then England"),
        _("The average of a year’s games: each opponent’s grade, plus or minus 50."),
        Shape.PER_PERIOD,
        Status.HISTORICAL,
        (WIKIPEDIA, ENGLISH_WIKIPEDIA, NULCC, BRONOWSKI),
    )
    parameters = ClarkeParameters
    table = ClarkeTable
    # A season of five games and nothing before it.
    example = Example(
        Standing(150.0),
        (
            (Standing(150.0), 1.0),
            (Standing(170.0), 0.5),
            (Standing(120.0), 1.0),
            (Standing(190.0), 0.0),
            (Standing(155.0), 0.5),
        ),
        "167",
        Source(_("NULCC, Grading (its rule; our calculation)"), NULCC.address),
        parameters={"filler": "earlier games"},
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_grade(player.rating, opponent.rating)

    def display(self, rating: float) -> str:
        """Return a grade as it is published: whole, and never below 0.

        >>> Clarke().display(-3.2), Clarke().display(166.5)
        ('0', '167')
        """
        return str(max(0, official(rating)))

    def on_elo_scale(self, rating: float) -> float:
        return grade_to_elo(rating)

    def from_elo_scale(self, rating: float) -> float:
        return elo_to_grade(rating)


SYSTEMS: tuple[System, ...] = (Clarke(),)


def _case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    own = inputs["own"]
    if "games" in inputs:
        points = [game_points(own, other, score) for other, score in inputs["games"]]
        return {"points": points, "grade": grade(points)}
    opponent = inputs["opponent"]
    found = {
        "opponent_grade_used": counted_grade(own, opponent),
        "own_grade_used_by_opponent": counted_grade(opponent, own),
    }
    if "result" in inputs:
        found["points"] = game_points(own, opponent, inputs["result"])
        found["opponent_points"] = game_points(opponent, own, 1 - inputs["result"])
    return found


CASES: Mapping[str, Case] = {"ecf.clarke": _case}
