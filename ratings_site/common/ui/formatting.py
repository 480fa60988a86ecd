"""Numbers, dates and times as text, for pages, charts and files.

Dates are in the active language (formats: ratings_site/formats). Numbers are the same
in all languages, with a decimal point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, pgettext
from django.utils.translation import gettext_lazy as _

# Central is CST in winter and CDT in summer; people write CT.
_AMERICAN_ZONE = re.compile(r"(?:AK|[ECMP])[SD]T")
MINUS = "−"
PLUS_MINUS = "±"
COLOR_MARKS = {"white": ("w", "○", _("White")), "black": ("b", "●", _("Black"))}


class ApproximateRating(float):
    """A rating shown rounded, because its exact value would reveal a birth date."""

    __slots__ = ()


def format_rating(rating: float) -> str:
    """Return a rating as a whole number, or as "about 500" if approximate.

    >>> format_rating(1644.5), format_rating(ApproximateRating(500))
    ('1645', 'about 500')
    """
    if isinstance(rating, ApproximateRating):
        return gettext("about {rating}").format(rating=whole(rating))
    return str(whole(rating))


def format_with_decimals(rating: float, decimals: int) -> str:
    """Return *rating* with the decimals it was printed with, or as "about 500".

    >>> format_with_decimals(1644.0, 0), format_with_decimals(1644.5, 2)
    ('1644', '1644.50')
    >>> format_with_decimals(ApproximateRating(500), 0)
    'about 500'
    """
    if isinstance(rating, ApproximateRating):
        return format_rating(rating)
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

    An approximate rating stays so: "about 500".
    """
    if isinstance(rating, ApproximateRating):
        return format_rating(rating)
    rounded = Decimal(rating).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return str(rounded).replace("-", MINUS)


def money(amount: Decimal) -> str:
    """Return $1,234.50 or −$0.35; other currencies with their code: EUR 3.00."""
    currency = settings.RATING_FEE_CURRENCY
    sign = MINUS if amount < 0 else ""
    return f"{sign}{'$' if currency == 'USD' else f'{currency} '}{abs(amount):,.2f}"


def signed(points: float) -> str:
    """Return *points* as a whole number with its sign.

    >>> signed(12), signed(-12.4), signed(0.2)
    ('+12', '−12', '±0')
    """
    number = whole(points)
    if number == 0:
        return f"{PLUS_MINUS}0"
    return f"+{number}" if number > 0 else f"{MINUS}{-number}"


def half_points(score: int) -> str:
    """Return a score, given in half points, as players write it.

    >>> half_points(7), half_points(1), half_points(0), half_points(10)
    ('3½', '½', '0', '5')
    """
    points, half = divmod(score, 2)
    if not half:
        return str(points)
    return f"{points or ''}½"


def quarter_points(score: int) -> str:
    """Return a number of quarter points.

    >>> quarter_points(11), quarter_points(3), quarter_points(0), quarter_points(8)
    ('2¾', '¾', '0', '2')
    """
    points, quarters = divmod(score, 4)
    if not quarters:
        return str(points)
    return f"{points or ''}{'¼½¾'[quarters - 1]}"


def format_day(value: date) -> str:
    """Return a date for tables, "May 4, 2024", in the office's time zone.

    >>> format_day(date(2024, 9, 4))
    'Sep 4, 2024'
    """
    return _in_language(_local_day(value), "SHORT_DATE_FORMAT", get_language())


def long_day(value: date) -> str:
    """Return a date for prose, with the full name of its month.

    >>> long_day(date(2024, 9, 4))
    'September 4, 2024'
    """
    return _in_language(_local_day(value), "DATE_FORMAT", get_language())


def format_month(value: date) -> str:
    """Return the month of a date.

    >>> format_month(date(2024, 9, 4))
    'September 2024'
    """
    return _in_language(_local_day(value), "YEAR_MONTH_FORMAT", get_language())


def short_month(value: date) -> str:
    """Return the month of a date for narrow columns and axes.

    >>> short_month(date(2024, 9, 4))
    'Sep 2024'
    """
    return _in_language(_local_day(value), "SHORT_MONTH_FORMAT", get_language())


def _local_day(value: date) -> date:
    return timezone.localdate(value) if isinstance(value, datetime) else value


# A long history has a thousand dates, many of them equal.
@lru_cache(maxsize=4096)
def _in_language(day: date, format_name: str, _language: str | None) -> str:
    return date_format(day, format_name)


def clock(value: datetime) -> str:
    """Return the time in the office's time zone, with the zone's name.

    >>> from zoneinfo import ZoneInfo
    >>> clock(datetime(2026, 11, 28, 3, 10, tzinfo=ZoneInfo("UTC")))
    '3:10 AM UTC'
    """
    local = timezone.localtime(value)
    return f"{date_format(local, 'TIME_FORMAT')} {zone_name(local)}"


def moment(value: datetime) -> str:
    """Return date and time in the office's time zone.

    >>> from zoneinfo import ZoneInfo
    >>> moment(datetime(2026, 11, 28, 15, 10, tzinfo=ZoneInfo("UTC")))
    'Nov 28, 2026, 3:10 PM UTC'
    """
    return f"{format_day(value)}, {clock(value)}"


def zone_name(local: datetime) -> str:
    """Return the short name of a time zone, the same in summer and winter.

    >>> from zoneinfo import ZoneInfo
    >>> zone_name(datetime(2026, 7, 4, tzinfo=ZoneInfo("America/Chicago")))
    'CT'
    >>> zone_name(datetime(2026, 7, 4, tzinfo=ZoneInfo("America/Sao_Paulo")))
    'UTC-03:00'
    """
    name = local.tzname() or ""
    if _AMERICAN_ZONE.fullmatch(name):
        return name[:-2] + "T"
    return name if name.isalpha() else "UTC" + local.isoformat()[-6:]


def days(first: date, last: date) -> str:
    """Return a range of dates, or one date if both are equal.

    >>> days(date(2024, 5, 4), date(2024, 5, 5))
    'May 4 to 5, 2024'
    >>> days(date(2024, 4, 30), date(2024, 5, 1))
    'Apr 30 to May 1, 2024'
    >>> days(date(2024, 5, 4), date(2024, 5, 4))
    'May 4, 2024'
    """
    if first == last:
        return format_day(first)
    start, end = "SHORT_DATE_FORMAT", "SHORT_DATE_FORMAT"
    if first.year == last.year:
        start = "SHORT_MONTH_DAY_FORMAT"
        if first.month == last.month:
            start, end = "FIRST_DAY_OF_SPAN_FORMAT", "LAST_DAY_OF_SPAN_FORMAT"
    language = get_language()
    return gettext("{first} to {last}").format(
        first=_in_language(first, start, language),
        last=_in_language(last, end, language),
    )


def join_names(names: Iterable[str]) -> str:
    """Return names joined with commas and “and”.

    >>> join_names(["Regular"]), join_names(["Regular", "Quick"]), join_names("ABC")
    ('Regular', 'Regular and Quick', 'A, B and C')
    """
    *others, last = list(names) or [""]
    if not others:
        return last
    # Translators: a list such as "Regular and Quick".
    pattern = pgettext("list", "{others} and {last}")
    return pattern.format(others=", ".join(others), last=last)


def format_decimal(value: float, places: int = 2) -> str:
    """Return a number with fixed decimals and a true minus sign."""
    return f"{value:.{places}f}".replace("-", MINUS)


def format_constant(value: float) -> str:
    """Return a constant of the rules without trailing zeros."""
    digits = f"{value:.10f}".rstrip("0").rstrip(".")
    return digits.replace("-", MINUS)


# Names of events

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\w+")
# Words of event names that are capitals or small letters in a title.
_ACRONYM = re.compile(
    r"CC|CCA|CFC|FIDE|GM|IM|JV|LLC|MCA|NSCF|NYC|OTB|PS|RBO|TD|UK|USA?|USATE|USCF|W[GI]M"
    # States whose letters are no other word.
    r"|A[KRZ]|C[AT]|DC|FL|GA|I[AL]|K[SY]|M[DNT]|N[CDEHJMVY]|RI|S[CD]|T[NX]|UT|V[AT]"
    r"|W[AIVY]"
    r"|II|III|IV|VI|VII|VIII|IX|X?XI{0,3}|XIV|XV|XVI|K"
)
_SMALL_WORD = re.compile(r"a|an|and|at|by|for|from|in|of|on|or|the|to|vs|with")


def in_title_case(name: str) -> str:
    """Return an event's name typed in one case in title case, any other as it is.

    >>> in_title_case("15TH ANNUAL KING'S OPEN OF THE WEST II (U1200, K-3)")
    "15th Annual King's Open of the West II (U1200, K-3)"
    >>> in_title_case("tuesday night fide rapid"), in_title_case("Castle G/60 Open")
    ('Tuesday Night FIDE Rapid', 'Castle G/60 Open')
    >>> in_title_case("NJ STATE OPEN"), in_title_case("MCKINLEY OTB QUAD")
    ('NJ State Open', 'McKinley OTB Quad')
    """
    if not (name.isupper() or name.islower()):
        return name
    return _WORD.sub(lambda found: _title_word(found[0], found.start() == 0), name)


def _title_word(word: str, is_first: bool) -> str:
    if word[0].isdigit():  # 15th
        return word.lower()
    if _ACRONYM.fullmatch(word.upper()):
        return word.upper()
    if _SMALL_WORD.fullmatch(word.lower()) and not is_first:
        return word.lower()
    if word.lower().startswith("mc") and len(word) > 4:
        return f"Mc{word[2:].capitalize()}"
    return word.capitalize()
