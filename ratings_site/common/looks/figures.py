"""How figures are written for people: one place, used by pages, charts and files.

Dates are in the reader's language. Numbers are the same in all of them: the federation
writes its ratings with a point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from django.utils import timezone
from django.utils.dates import MONTHS
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext

MINUS = "−"
PLUS_MINUS = "±"
COLOR_MARKS = {
    "white": ("w", "○", gettext_lazy("White")),
    "black": ("b", "●", gettext_lazy("Black")),
}


class About(float):
    """A rating that is shown rounded, because more of it would tell a birth date."""

    __slots__ = ()


def in_words(rating: float) -> str:
    """Return a rating as a whole number, or as "about 500" if it is only that.

    >>> in_words(1644.5), in_words(About(500))
    ('1645', 'about 500')
    """
    if isinstance(rating, About):
        return gettext("about {rating}").format(rating=whole(rating))
    return str(whole(rating))


def as_printed(rating: float, decimals: int) -> str:
    """Return *rating* with the decimals it was printed with, or as "about 500".

    >>> as_printed(1644.0, 0), as_printed(1644.5, 2), as_printed(About(500), 0)
    ('1644', '1644.50', 'about 500')
    """
    if isinstance(rating, About):
        return in_words(rating)
    return f"{rating:.{decimals}f}"


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

    What is shown rounded stays so: "about 500".
    """
    if isinstance(rating, About):
        return in_words(rating)
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


def day_in_words(value: date) -> str:
    """Return a date as "4 May 2024"; of a moment, the day it was at the office.

    >>> day_in_words(date(2024, 5, 4))
    '4 May 2024'
    """
    if isinstance(value, datetime):
        value = timezone.localdate(value)
    return _in_language(value, get_language())


# A long history has a thousand of them, and the same ones again and again.
@lru_cache(maxsize=4096)
def _in_language(day: date, _language: str | None) -> str:
    # Translators: a date, such as 4 May 2024.
    pattern = pgettext("date", "{day} {month} {year}")
    return pattern.format(day=day.day, month=MONTHS[day.month], year=day.year)


def days(first: date, last: date) -> str:
    """Return a span of days, or the one day it is.

    >>> days(date(2024, 5, 4), date(2024, 5, 5))
    '4 May 2024 to 5 May 2024'
    >>> days(date(2024, 5, 4), date(2024, 5, 4))
    '4 May 2024'
    """
    if first == last:
        return day_in_words(first)
    return gettext("{first} to {last}").format(
        first=day_in_words(first), last=day_in_words(last)
    )


def listed(names: Iterable[str]) -> str:
    """Return names as people list them; nothing for none.

    >>> listed(["Regular"]), listed(["Regular", "Quick"]), listed("ABC")
    ('Regular', 'Regular and Quick', 'A, B and C')
    """
    *others, last = list(names) or [""]
    if not others:
        return last
    # Translators: a list such as "Regular and Quick".
    pattern = pgettext("list", "{others} and {last}")
    return pattern.format(others=", ".join(others), last=last)


def month_of_year(value: date) -> str:
    """Return the month of a date as "May 2024".

    >>> month_of_year(date(2024, 5, 4))
    'May 2024'
    """
    # Translators: a month, such as May 2024.
    pattern = pgettext("month", "{month} {year}")
    return pattern.format(month=MONTHS[value.month], year=value.year)


def short_day(value: date) -> str:
    """Return a date as "4 Sep 2024".

    >>> short_day(date(2024, 9, 4))
    '4 Sep 2024'
    """
    return f"{value.day} {str(MONTHS[value.month])[:3]} {value.year}"


def plain(value: float, places: int = 2) -> str:
    """Write a number with a fixed count of decimals and a true minus."""
    return f"{value:.{places}f}".replace("-", MINUS)


def constant(value: float) -> str:
    """Write a constant of the rules as the text prints it: no needless zeros."""
    digits = f"{value:.10f}".rstrip("0").rstrip(".")
    return digits.replace("-", MINUS)
