"""Performance ratings by the straight line, the traditional US Chess method."""

from __future__ import annotations

from collections.abc import Sequence

from .numbers import exact_sum


class NoPerformance(ValueError):
    """There is no performance rating: no games, or only wins or losses for a curve."""


def average(opponents: Sequence[float]) -> float:
    """Return the mean of the opponents' ratings. Raises NoPerformance without any."""
    if not opponents:
        raise NoPerformance("Without games there is no performance.")
    return exact_sum(opponents) / len(opponents)


def linear_performance(opponents: Sequence[float], score: float) -> float:
    """Return the performance by the straight line: 8 points for each percent.

    The same as 400 points for each win more than losses, divided by the games.
    Raises NoPerformance without games.

    >>> round(linear_performance([2400, 2500, 2600], 2.5), 1)
    2766.7
    """
    return average(opponents) + 800 * (score / len(opponents) - 0.5)
