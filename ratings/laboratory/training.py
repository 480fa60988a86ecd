"""White's advantage, fitted on the training years of an experiment.

Games of the training are learned from by every system and judge none. On them the
advantage is fitted to what Glicko expects of the players without knowing the colors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, NamedTuple

from .comparison import event_or_day_keys
from .confidence_intervals import Clusters
from .experiment import Plan, first_test_game, run
from .history import History
from .systems.glicko import Glicko
from .white_advantage import parameters_with

MAX_ADVANTAGE: Final = 400.0
"""Rating points; where White seems to be worth more, the games tell nothing."""

MIN_GAMES: Final = 250
"""Fewer games of known color tell the advantage no better than to some 25 points."""

_STEP: Final = 100.0
_MAX_ITERATIONS: Final = 50
_TOLERANCE: Final = 1e-8


class FittedAdvantage(NamedTuple):
    """White's advantage in rating points, its standard error, and the number of games.

    *error* is None for games of a single event or pair.
    """

    points: float
    error: float | None
    games: int


class WhiteAdvantageMode(StrEnum):
    """The advantage of White that all systems are given.

    OWN leaves each system what its makers took; experiments did so once.
    """

    FITTED = "fitted"
    NONE = "none"
    OWN = "own"


def trained_advantage(history: History, plan: Plan) -> FittedAdvantage | None:
    """Return White's advantage in the games that *plan* trains on.

    None if they are too few: a number that is mostly chance would spoil all systems.
    """
    stop = first_test_game(history, plan)
    training = replace(
        history,
        games=history.games.part(0, stop),
        rated_days=history.rated_days[:stop],
    )
    everything = replace(
        plan, training=0.0, warm_up_days=0, first_test_day=None, least_games=0
    )
    even, ahead = (
        run(Glicko(), parameters_with(Glicko(), {}, points), training, everything)
        for points in (0.0, _STEP)
    )
    worth = [
        (_logit(more) - _logit(expected)) / _STEP
        for expected, more in zip(even.predictions, ahead.predictions, strict=True)
    ]
    found = most_likely_advantage(training, even.predictions, worth)
    if found is None or found.error is None or found.games < MIN_GAMES:
        return None
    return found


def _logit(expected: float) -> float:
    """Return a score on the logit scale, nan for what is certain or not known."""
    return math.log(expected / (1.0 - expected)) if 0.0 < expected < 1.0 else math.nan


def with_advantage(
    plan: Plan, white: WhiteAdvantageMode, fitted: FittedAdvantage | None
) -> Plan:
    """Return *plan* with the advantage of all; none where none could be fitted."""
    if white is WhiteAdvantageMode.OWN:
        return plan
    points = fitted.points if white is WhiteAdvantageMode.FITTED and fitted else 0.0
    return replace(plan, white_advantage=points)


def most_likely_advantage(
    history: History, expected: Sequence[float], worth: Sequence[float]
) -> FittedAdvantage | None:
    """Return the advantage under which the results are most likely (Newton's method).

    *expected* are the scores of a system that knows nothing of colors, one for each
    game of *history*, nan where it does not predict; *worth* is what a point of rating
    adds to them on the logit scale: less where it doubts the players. A draw counts as
    half a win. The standard error is by events and players, as in all ranges. None if
    no game of known color is predicted, or White always scored the same.
    """
    games = history.games
    known = [
        number
        for number, (value, colored) in enumerate(
            zip(expected, games.advantages(1.0), strict=True)
        )
        if colored and _logit(value) == _logit(value)
    ]
    points = [games.points[number] for number in known]
    leads = [_logit(expected[number]) for number in known]
    worths = [worth[number] for number in known]
    advantage = 0.0
    for _step in range(_MAX_ITERATIONS):
        slopes, curvature = _slopes(points, leads, worths, advantage)
        if not curvature or abs(advantage) > MAX_ADVANTAGE:
            return None
        step = math.fsum(slopes) / curvature
        advantage += min(_STEP, max(-_STEP, step))
        if abs(step) < _TOLERANCE:
            break
    slopes, curvature = _slopes(points, leads, worths, advantage)
    units = event_or_day_keys(games.events, games.days)
    clusters = Clusters.from_games(
        [units[number] for number in known],
        [games.white[number] for number in known],
        [games.black[number] for number in known],
    )
    error = clusters.error([(clusters.column(slopes), 1.0 / curvature)])
    return FittedAdvantage(advantage, error, len(known))


def _slopes(
    points: Sequence[float],
    leads: Sequence[float],
    worths: Sequence[float],
    advantage: float,
) -> tuple[list[float], float]:
    """Return the slope of each game's log-likelihood, and minus their curvature."""
    slopes, curvatures = [], []
    for score, lead, worth in zip(points, leads, worths, strict=True):
        expected = 0.5 + 0.5 * math.tanh(0.5 * (lead + worth * advantage))
        slopes.append(worth * (score - expected))
        curvatures.append(worth * worth * expected * (1.0 - expected))
    return slopes, math.fsum(curvatures)
