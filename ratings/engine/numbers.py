"""Adding and rounding: the same bits on every machine, halves up for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, MutableSequence
from typing import Final

TOLERANCE: Final = 1e-7
"""Two ratings or scores closer than this are the same (2025 paper, section 4.1)."""


def official(rating: float) -> int:
    """Round a rating to the published whole number, halves up.

    >>> official(1643.759), official(1644.5), official(1999.51)
    (1644, 1645, 2000)
    """
    whole = math.floor(rating)
    return whole + 1 if rating - whole >= 0.5 else whole


def round_change(value: float) -> int:
    """Round a change to a whole number, halves away from zero.

    >>> [round_change(value) for value in (2.5, -2.5, -2.4)]
    [3, -3, -2]
    """
    return official(value) if value >= 0 else -official(-value)


def exact_sum(values: Iterable[float]) -> float:
    """Add floats as if with unlimited digits, and round once at the end.

    The order of the values does not matter. Raises OverflowError if the sum is too
    large for a float.

    >>> sum([0.1] * 10), exact_sum([0.1] * 10)
    (0.9999999999999999, 1.0)
    """
    return math.fsum(values)


def sum_in_place(terms: MutableSequence[float], count: int) -> float:
    """Add the first *count* terms, overwriting them, with the bits of `exact_sum`.

    It is for compiled loops, which cannot call `math.fsum`. The method is Shewchuk's:
    keep the running sum as partial sums that do not overlap, smallest first.

    >>> sum_in_place([0.1] * 10, 10)
    1.0
    """
    partials = 0
    for place in range(count):
        value = terms[place]
        kept = 0
        for earlier in range(partials):
            partial = terms[earlier]
            high = value + partial
            back = high - value
            low = (value - (high - back)) + (partial - back)
            if low != 0.0:
                terms[kept] = low
                kept += 1
            value = high
        if value != 0.0:
            terms[kept] = value
            kept += 1
        partials = kept
    return _rounded_once(terms, partials)


def _rounded_once(partials: MutableSequence[float], count: int) -> float:
    """Add partial sums from the largest down; stop at the first that is rounded."""
    if count == 0:
        return 0.0
    count -= 1
    total = partials[count]
    low = 0.0
    while count > 0 and low == 0.0:
        count -= 1
        before = total
        total = before + partials[count]
        low = partials[count] - (total - before)
    if total - total != 0.0:
        raise OverflowError("The sum is too large for a floating-point number.")
    # A tie was rounded to even; a smaller partial on the same side breaks the tie.
    if count > 0 and (low > 0.0) == (partials[count - 1] > 0.0):
        doubled = low * 2.0
        away = total + doubled
        if away - total == doubled:
            total = away
    return total
