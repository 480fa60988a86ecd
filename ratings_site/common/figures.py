"""How figures are written for people: one place, used by pages, charts and files.

Nothing here needs Django, so queries that join rows by hand can use it too.
"""

from __future__ import annotations

import math
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

MINUS = "−"
PLUS_MINUS = "±"
COLOUR_MARKS = {"white": ("w", "○", "White"), "black": ("b", "●", "Black")}


def whole(rating: float) -> int:
    """Return *rating* as a whole number; halves go up.

    >>> whole(1644.5), whole(1644.49), whole(-0.5)
    (1645, 1644, 0)
    """
    return math.floor(rating + 0.5)


def decimal_rating(rating: float) -> str:
    """Return *rating* with two decimals; halves go up.

    >>> decimal_rating(1654.125), decimal_rating(-3.5)
    ('1654.13', '−3.50')
    """
    rounded = Decimal(rating).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return str(rounded).replace("-", MINUS)


def signed(points: float) -> str:
    """Return *points* as a whole number that always carries its sign.

    >>> signed(12), signed(-12.4), signed(0.2)
    ('+12', '−12', '±0')
    """
    number = whole(points)
    if number == 0:
        return f"{PLUS_MINUS}0"
    return f"+{number}" if number > 0 else f"{MINUS}{-number}"


def half_points(score: int) -> str:
    """Return a score counted in half points as players write it.

    >>> half_points(7), half_points(1), half_points(0), half_points(10)
    ('3½', '½', '0', '5')
    """
    points, half = divmod(score, 2)
    if not half:
        return str(points)
    return f"{points or ''}½"


def day(value: date) -> str:
    """Return a date as "4 May 2024".

    >>> day(date(2024, 5, 4))
    '4 May 2024'
    """
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
