"""Days as report files spell them: FIDE's way, and the ways of programs and people."""

from __future__ import annotations

import re
from datetime import date

from events.importers.years import full_year

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHAPES = tuple(
    re.compile(shape, re.ASCII | re.IGNORECASE)
    for shape in (
        r"(?P<y>\d{4})[-/.] ?(?P<m>\d{1,2})[-/.] ?(?P<d>\d{1,2})\.?",
        r"(?P<d>\d{1,2})[-/.] ?(?P<m>\d{1,2})[-/.] ?(?P<y>\d{4})",
        # Of two digits each: the rounds' days begin with the year, and have strokes.
        r"(?P<y>\d{2})/(?P<m>\d{2})/(?P<d>\d{2})",
        r"(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{2})",
        r"(?P<m>[a-z]{3,9})\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})",
        r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.)?[- ](?P<m>[a-z]{3,9})\.?,?[- ](?P<y>\d{4})",
    )
)
_TO = re.compile(r" ?(?:-|–|—|/|\bto\b|\buntil\b) ?", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"[a-z]{3,9}\.? ", re.IGNORECASE)
# Who reads a single day may ask which of both stands first; of two days it is a guess.
_EITHER_FIRST = re.compile(r"\b\d{1,2}/\d{1,2}/\d{4}", re.ASCII)
_LONGEST = 60

Days = tuple[date, date]
_Span = tuple[date | None, date | None]


def day_in(text: str) -> date | None:
    """Return the day in one of the ways that files write it, None if in no way.

    >>> day_in("2024/05/04") == day_in("04.05.2024") == day_in("24/05/04")
    True
    >>> day_in("May 4, 2024") == day_in("4. 5. 2024") == day_in("04.05.24")
    True
    >>> day_in("4 May") is None
    True
    """
    for shape in _SHAPES:
        if found := shape.fullmatch(text.strip()):
            return _day(found["y"], found["m"], found["d"])
    return None


def days_in(text: str) -> Days | None:
    """Return the first and the last day that *text* names, None if it names none.

    >>> days_in("28.-31.07.2005") == days_in("2005/07/28 - 2005/07/31")
    True
    >>> days_in("May 29 - Jun 2, 2020")
    (datetime.date(2020, 5, 29), datetime.date(2020, 6, 2))
    """
    text = " ".join(text.split())[:_LONGEST]
    if day := day_in(text):
        return day, day
    if _EITHER_FIRST.search(text):
        return None
    for between in _TO.finditer(text):
        first, last = text[: between.start()], text[between.end() :]
        if (days := _both(first, last)) and days[0] <= days[1]:
            return days
    return None


def first_and_last(starts: Days | None, ends: Days | None) -> _Span:
    """Return the first and the last day of what the lines of both say.

    One line may have both days, and then the other may be missing.

    >>> first_and_last(days_in("28.-31.07.2005"), None)
    (datetime.date(2005, 7, 28), datetime.date(2005, 7, 31))
    >>> first_and_last(days_in("28.07.2005"), None)
    (datetime.date(2005, 7, 28), None)
    """
    one = starts or ends
    first, last = one if one and one[0] != one[1] else (None, None)
    return starts[0] if starts else first, ends[1] if ends else last


def _both(first: str, last: str) -> Days | None:
    """Return two days of which the first may leave year and month to the other."""
    month = _MONTH_FIRST.match(first)
    ends = day_in(last) or (day_in(f"{month[0]}{last}") if month else None)
    if ends is None:
        return None
    shared = f"{ends.year:04}-{ends.month:02}-{first.strip(' .')}"
    spelled = (first, f"{first}, {ends.year}", f"{first} {ends.year}", shared)
    starts = next((day for said in spelled if (day := day_in(said))), None)
    return (starts, ends) if starts else None


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(full_year(year), _month(month), int(day))
    except ValueError:
        return None


def _month(month: str) -> int:
    """Return the number of a month in figures or words, 0 if there is none such."""
    if month.isdecimal():
        return int(month)
    named = (name.startswith(month.lower()) for name in _MONTHS)
    return next((number for number, is_it in enumerate(named, 1) if is_it), 0)
