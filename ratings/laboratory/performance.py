"""Performance ratings: what one event's result is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence


class NoPerformance(ValueError):
    """There is no performance rating: no games."""


def average(opponents: Sequence[float]) -> float:
    """Return the mean of the opponents' ratings. Raises NoPerformance without any."""
    if not opponents:
        raise NoPerformance("Without games there is no performance.")
    return math.fsum(opponents) / len(opponents)


def linear_performance(opponents: Sequence[float], score: float) -> float:
    """Return the performance by the straight line: 8 points for each per cent.

    The same as 400 points for each win more than losses, divided by the games.
    Raises NoPerformance without games.

    >>> round(linear_performance([2400, 2500, 2600], 2.5), 1)
    2766.7
    """
    return average(opponents) + 800 * (score / len(opponents) - 0.5)
