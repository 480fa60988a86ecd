"""A logistic regression on facts about two players: a yardstick, not a system.

How much better could games be predicted from the past by any means? A regression may
use facts that a rating must not: age, activity, and the time since the last game. It is
fitted again after each period on all games so far, each period's fit being where the
next begins. A rating system that comes near it has little left to gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    UNKNOWN,
    About,
    Games,
    Moment,
    Pool,
    Shape,
    Source,
    Standing,
    Status,
    System,
)
from ratings.laboratory.words import _

from . import glicko
from .glicko import SPREAD, Glicko, GlickoTable, Q, predicted_score

COVARIATES: Final = (
    "color",
    "difference",
    "flattened",
    "young",
    "old",
    "experience",
    "pause",
)
"""What is known of a game: of White's color, and White less Black of everything else.

*color* is 1, and 0 where it is not known or White has no advantage at all; *difference*
is that of the ratings on the natural scale, *flattened* the same by Glicko's doubt
about both; *young* are years under 20 and *old* those above 50, in tens, 0 where no
year of birth is known; *experience* is the logarithm of the games played, *pause* the
share of the first year without games that is over.
"""

_YOUNG, _OLD = 20, 50
_MAX_ITERATIONS: Final = 20
_TOLERANCE: Final = 1e-8


# --- The formulas ---


def expected_score(weights: Sequence[float], facts: Sequence[float]) -> float:
    """Return the expected score by the logistic curve of the weighted facts.

    >>> expected_score([0.2, 1.0], [1.0, -0.2])
    0.5
    """
    total = sum(weight * fact for weight, fact in zip(weights, facts, strict=True))
    return 0.5 + 0.5 * math.tanh(0.5 * total)


def solve_symmetric(
    matrix: Sequence[Sequence[float]], known: Sequence[float]
) -> list[float]:
    """Solve a positive definite system of few equations (Cholesky).

    >>> solve_symmetric([[4.0, 2.0], [2.0, 5.0]], [8.0, 12.0])
    [1.0, 2.0]
    """
    size = len(known)
    lower = [[0.0] * size for _ in range(size)]
    for row in range(size):
        for column in range(row + 1):
            rest = matrix[row][column] - sum(
                lower[row][k] * lower[column][k] for k in range(column)
            )
            if row == column:
                lower[row][row] = math.sqrt(rest)
            else:
                lower[row][column] = rest / lower[column][column]
    found = list(known)
    for row in range(size):
        found[row] -= sum(lower[row][k] * found[k] for k in range(row))
        found[row] /= lower[row][row]
    for row in reversed(range(size)):
        found[row] -= sum(lower[k][row] * found[k] for k in range(row + 1, size))
        found[row] /= lower[row][row]
    return found


class Fit:
    """An incremental logistic regression: weights and precision from all games so far.

    They are a normal curve, *weights* with the *precision*: each batch of games moves
    the peak to where the old curve and the new games together are likeliest, and adds
    its curvature there. So no game is read twice.
    """

    def __init__(self, weights: Sequence[float], ridge: float) -> None:
        self.weights = list(weights)
        size = len(self.weights)
        self.precision = [
            [ridge if row == column else 0.0 for column in range(size)]
            for row in range(size)
        ]

    def learn(self, rows: Sequence[Sequence[float]], scores: Sequence[float]) -> None:
        before, weights = self.weights, self.weights
        curvature = self.precision
        for _step in range(_MAX_ITERATIONS):
            gradient, curvature = self._slopes(before, weights, rows, scores)
            step = solve_symmetric(curvature, gradient)
            weights = [one + change for one, change in zip(weights, step, strict=True)]
            if max(map(abs, step)) < _TOLERANCE:
                break
        self.weights, self.precision = weights, curvature

    def _slopes(
        self,
        before: Sequence[float],
        weights: Sequence[float],
        rows: Sequence[Sequence[float]],
        scores: Sequence[float],
    ) -> tuple[list[float], list[list[float]]]:
        """Return gradient and curvature of old curve and games at *weights*."""
        size = range(len(weights))
        moved = [old - new for old, new in zip(before, weights, strict=True)]
        gradient = [sum(self.precision[i][j] * moved[j] for j in size) for i in size]
        curvature = [list(row) for row in self.precision]
        for facts, score in zip(rows, scores, strict=True):
            expected = expected_score(weights, facts)
            surprise, steepness = score - expected, expected * (1.0 - expected)
            for i in size:
                fact = facts[i]
                if fact:
                    gradient[i] += surprise * fact
                    row, weighted = curvature[i], steepness * fact
                    for j in range(i + 1):
                        row[j] += weighted * facts[j]
        for i in size:
            for j in range(i):
                curvature[j][i] = curvature[i][j]
        return gradient, curvature


# --- The yardstick ---


@dataclass(frozen=True)
class Parameters(glicko.Parameters):
    white_advantage: float = parameter(
        0.0,
        _("White’s starting advantage"),
        _("In rating points. The model learns the rest from games. 0 ignores colors."),
        low=0,
        high=100,
    )
    ridge: float = parameter(
        1.0,
        _("Weight of the starting values"),
        _("How strongly, in games, the weights start from Glicko’s own prediction."),
        low=0.001,
        high=100_000,
    )


class RegressionTable(GlickoTable):
    """Glicko's ratings and deviations, and weights for all other facts."""

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        start = {"flattened": 1.0, "color": Q * parameters.white_advantage}
        weights = [start.get(name, 0.0) for name in COVARIATES]
        self._color = 1.0 if parameters.white_advantage else 0.0
        self.fit = Fit(weights, parameters.ridge)

    def predict(self, games: Games, moment: Moment) -> list[float]:
        weights, ratings = self.fit.weights, self.ratings
        pairs = zip(games.white, games.black, strict=True)
        rows = self._rows(games, moment)
        return [
            UNKNOWN
            if ratings[white] != ratings[white] or ratings[black] != ratings[black]
            else expected_score(weights, facts)
            for (white, black), facts in zip(pairs, rows, strict=True)
        ]

    def update(self, games: Games, moment: Moment) -> None:
        ratings = self.ratings
        known, scores = [], []
        for white, black, points, facts in zip(
            games.white,
            games.black,
            games.points,
            self._rows(games, moment),
            strict=True,
        ):
            if ratings[white] == ratings[white] and ratings[black] == ratings[black]:
                known.append(facts)
                scores.append(points)
        if known:
            self.fit.learn(known, scores)
        super().update(games, moment)

    def _rows(self, games: Games, moment: Moment) -> Iterator[tuple[float, ...]]:
        """Yield the facts about each game from before its period."""
        year = date.fromordinal(moment.day).year
        players = {*games.white, *games.black}
        known = {player: self._facts(player, year, moment) for player in players}
        for white, black, color in zip(
            games.white, games.black, games.advantages(self._color), strict=True
        ):
            rating, variance, *own = known[white]
            other_rating, other_variance, *other = known[black]
            lead = Q * (rating - other_rating)
            doubt = 1.0 + SPREAD * (variance + other_variance)
            differences = [one - two for one, two in zip(own, other, strict=True)]
            yield (color, lead, lead / math.sqrt(doubt), *differences)

    def _facts(self, player: int, year: int, moment: Moment) -> tuple[float, ...]:
        """Return rating and RD² as they are, then the covariates of a player alone."""
        rating, idle = self.ratings[player], moment.period - self.rated_in[player]
        rules = self.parameters
        variance = glicko.inflated(
            self.variances[player], max(idle, 0), rules.c, rules.first_deviation
        )
        born = self.pool.birth_year(player)
        age = None if born is None or born > year else year - born
        return (
            rating,
            variance,
            0.0 if age is None else max(0, _YOUNG - age) / 10.0,
            0.0 if age is None else max(0, age - _OLD) / 10.0,
            math.log1p(self.counts[player]),
            min(max(idle, 0), 12) / 12.0,
        )


class Regression(System):
    about = About(
        key="regression",
        label=_("Logistic regression on all data"),
        years=_("benchmark, not a rating system"),
        summary=_(
            "How well past data can predict by any method: Glicko’s rating and "
            "deviation, color, age, experience, and breaks, fitted period by "
            "period."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.YARDSTICK,
        sources=(
            Source(
                _("Our own; it uses Glicko’s rating"),
                Glicko.about.sources[0].address,
            ),
        ),
    )
    parameters = Parameters
    table = RegressionTable
    uses_birth_years = True

    def expected(self, player: Standing, opponent: Standing) -> float:
        return predicted_score(player, opponent)


SYSTEMS: tuple[System, ...] = (Regression(),)
