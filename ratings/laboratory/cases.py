"""Helpers for published cases: inputs, expected outputs and tolerances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Case = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Takes the inputs of a case and returns everything that may be expected of it."""


def each(function: Callable[[Any], Any], values: Any) -> Any:
    """Return *function* of each value of a list, or of a single value.

    >>> each(abs, [-1, 2]), each(abs, -1)
    ([1, 2], 1)
    """
    if isinstance(values, list | tuple):
        return [function(value) for value in values]
    return function(values)


def score_of(inputs: Mapping[str, Any]) -> float:
    """Return the points of a case: its `score`, or its `scores` added up.

    >>> score_of({"score": 2}), score_of({"scores": [1, 0.5]})
    (2.0, 1.5)
    """
    return float(inputs["score"] if "score" in inputs else math.fsum(inputs["scores"]))


def event_totals(inputs: Mapping[str, Any]) -> tuple[float, float, int]:
    """Return the opponents' average, the points and the number of games of a case.

    The average and the number are given, or the ratings of the `opponents`. Raises
    ZeroDivisionError for an empty list of opponents.

    >>> event_totals({"opponents": [1800, 1900], "scores": [1, 0.5]})
    (1850.0, 1.5, 2)
    """
    if "opponents" in inputs:
        opponents = inputs["opponents"]
        average = math.fsum(opponents) / len(opponents)
        return average, score_of(inputs), len(opponents)
    return inputs["avg_opponents"], score_of(inputs), inputs["games"]
