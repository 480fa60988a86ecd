"""Ratings that still are the start that came from a player's age.

An unrated player without other ratings starts from 50 points for each year of age (2025
text, section 2.3), so a rating that still is this start reveals a birth date. Such a
rating is published to the nearest 50 points, every other one as its whole number
(docs/privacy.md).
"""

from __future__ import annotations

from collections.abc import Iterable

AGE_START_TOLERANCE = 1.0
"""A rating within so many points of a starting value still is that value."""


def remaining_age_start(post: float, starts: Iterable[float]) -> float | None:
    """Return the starting value from *starts* that a rating after an event still is.

    *starts* are values that reveal an age, in rating points: for a player rated before,
    the one that the rating before still was; for an unrated player, the age-based
    start, or the other ratings in the blend that still are such a start. None if the
    event moved the rating away from all of them.

    >>> remaining_age_start(583.03, [583.0296])
    583.0296
    >>> remaining_age_start(584.1, [583.0296]) is None
    True
    """
    for start in starts:
        if abs(post - start) <= AGE_START_TOLERANCE:
            return start
    return None
