"""Performance ratings: the rating that one event's result is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ratings.engine.performance import NoPerformance, average, linear_performance

from .cases import Case, score_of
from .systems.elo import expected_by_logistic, expected_by_normal
from .tables import difference_for

Curve = Callable[[float, float], float]
"""Takes two ratings; returns the score that the first expects against the second."""


def fide_performance(opponents: Sequence[float], score: float) -> float:
    """Return FIDE's performance rating: the average and a difference from the table.

    *score* is in points. The share of points counts in whole hundredths, halves up;
    100 percent is worth 800 points by convention. Raises NoPerformance without games.

    >>> fide_performance([2400, 2500, 2600], 2.5), fide_performance([1600] * 5, 3.5)
    (2773.0, 1749.0)
    """
    level = average(opponents)
    # Half points are whole numbers, so that the hundredths are rounded exactly.
    half_points, games = int(2 * score), len(opponents)
    percent = (100 * half_points + games) // (2 * games)
    return level + difference_for(percent)


_WIDEST: Final = 1e6
_HALVINGS: Final = 60


def true_performance(opponents: Sequence[float], score: float, curve: Curve) -> float:
    """Return the rating at which *curve* expects exactly *score*.

    Found by halving, as near as floats come. Raises NoPerformance without games and,
    because only an endless rating would do, for 0 or 100 percent.

    >>> round(true_performance([2400, 2500, 2600], 2.5, expected_by_normal), 1)
    2785.0
    >>> round(true_performance([2400, 2500, 2600], 2.5, expected_by_logistic), 3)
    2792.225
    """
    level = average(opponents)
    if not 0 < score < len(opponents):
        raise NoPerformance("Only wins or only losses: no rating expects as much.")

    def is_too_low(rating: float) -> bool:
        expected = [curve(rating, opponent) for opponent in opponents]
        return math.fsum(expected) < score

    reach = 400.0
    while reach < _WIDEST and (
        is_too_low(level + reach) or not is_too_low(level - reach)
    ):
        reach *= 2
    low, high = level - reach, level + reach
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if is_too_low(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _true_or_none(
    opponents: Sequence[float], score: float, curve: Curve
) -> float | None:
    try:
        return true_performance(opponents, score, curve)
    except NoPerformance:
        return None


def _performances(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    opponents, score = inputs["opponents"], score_of(inputs)
    return {
        "fide_table": fide_performance(opponents, score),
        "linear_800": linear_performance(opponents, score),
        "true_normal_200rt2": _true_or_none(opponents, score, expected_by_normal),
        "true_logistic": _true_or_none(opponents, score, expected_by_logistic),
    }


CASES: Mapping[str, Case] = {"performance": _performances}
