"""What the training years of an experiment give: the one advantage of White.

Games of the training are learned from by every system and judge none. On them the
advantage is fitted to what Glicko expects of the players without knowing the colors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, NamedTuple

from .comparing import units_of
from .experiment import Plan, first_counted, run
from .history import History
from .ranges import Clusters
from .systems.glicko import Glicko
from .white_advantage import parameters_with

MOST: Final = 400.0
"""Rating points; where White seems to be worth more, the games tell nothing."""

FEWEST_GAMES: Final = 250
"""Fewer games of known color tell the advantage no better than to some 25 points."""

_STEP: Final = 100.0
_MOST_STEPS: Final = 50
_SETTLED: Final = 1e-8


class Advantage(NamedTuple):
    """What White is worth in rating points, its standard error, on so many games.

    *error* is None where games of a single event or pair tell none.
    """

    points: float
    error: float | None
    games: int


class White(StrEnum):
    """Which advantage of White all systems are given.

    OWN leaves each system what its makers took; experiments did so once.
    """

    FITTED = "fitted"
    NONE = "none"
    OWN = "own"


def trained_advantage(history: History, plan: Plan) -> Advantage | None:
    """Return White's advantage in the games that *plan* trains on.

    None if they do not tell it: a number that is mostly chance would spoil all systems.
    """
    stop = first_counted(history, plan)
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
        (_lead(more) - _lead(expected)) / _STEP
        for expected, more in zip(even.predictions, ahead.predictions, strict=True)
    ]
    found = most_likely_advantage(training, even.predictions, worth)
    if found is None or found.error is None or found.games < FEWEST_GAMES:
        return None
    return found


def _lead(expected: float) -> float:
    """Return a score on the logit scale, nan for what is certain or not known."""
    return math.log(expected / (1.0 - expected)) if 0.0 < expected < 1.0 else math.nan


def with_advantage(plan: Plan, white: White, fitted: Advantage | None) -> Plan:
    """Return *plan* with the advantage of all; none where none could be fitted."""
    if white is White.OWN:
        return plan
    points = fitted.points if white is White.FITTED and fitted else 0.0
    return replace(plan, white_advantage=points)


def most_likely_advantage(
    history: History, expected: Sequence[float], worth: Sequence[float]
) -> Advantage | None:
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
        if colored and _lead(value) == _lead(value)
    ]
    points = [games.points[number] for number in known]
    leads = [_lead(expected[number]) for number in known]
    worths = [worth[number] for number in known]
    advantage = 0.0
    for _step in range(_MOST_STEPS):
        slopes, curvature = _slopes(points, leads, worths, advantage)
        if not curvature or abs(advantage) > MOST:
            return None
        step = math.fsum(slopes) / curvature
        advantage += min(_STEP, max(-_STEP, step))
        if abs(step) < _SETTLED:
            break
    slopes, curvature = _slopes(points, leads, worths, advantage)
    units = units_of(games.events, games.days)
    clusters = Clusters.of_games(
        [units[number] for number in known],
        [games.white[number] for number in known],
        [games.black[number] for number in known],
    )
    error = clusters.error([(clusters.column(slopes), 1.0 / curvature)])
    return Advantage(advantage, error, len(known))


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
