"""Days as report files spell them: FIDE's way, and the ways of programs and people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain

from events.importers.years import full_year

_SPREADSHEETS_COUNT_FROM = date(1899, 12, 30)
_DAY_NUMBER = re.compile(r"([2-7][0-9]{4})(?:\.0*)?", re.ASCII)
# The first letters of the months in English, Spanish and German.
MONTHS = {
    letters: number
    for number, spellings in enumerate(
        (
            ("jan", "ene", "jän"),
            ("feb",),
            ("mar", "mär"),
            ("apr", "abr"),
            ("may", "mai"),
            ("jun",),
            ("jul",),
            ("aug", "ago"),
            ("sep",),
            ("oct", "okt"),
            ("nov",),
            ("dec", "dic", "dez"),
        ),
        start=1,
    )
    for letters in spellings
}
MONTH = rf"(?:{'|'.join(MONTHS)})[a-zä]{{0,9}}"
_YEAR_FIRST = re.compile(
    r"(\d{4})([-/.]) ?(\d{1,2})\2 ?(\d{1,2})\.?|(\d{4})(\d{2})(\d{2})", re.ASCII
)
_NUMBERS = re.compile(r"(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4}|\d{2})(?!\d)", re.ASCII)
_IN_WORDS = tuple(
    re.compile(shape)
    for shape in (
        rf"(?P<m>{MONTH})\.? (?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?,? (?P<y>[0-9]{{4}})",
        rf"(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?[ -]?(?:de )?(?P<m>{MONTH})\.?"
        r"(?:,| de|-)? ?(?P<y>[0-9]{4}|[0-9]{2})",
    )
)
_WEEKDAY = re.compile(r"^[a-záéü]{3,10}day,? |^(?:sat|sun|mon|tue|wed|thu|fri)\.?,? ")
_TIME_OF_DAY = re.compile(r"[t ]+[0-9]{1,2}:[0-9]{2}.*", re.DOTALL)
# Longer events are asked about anyway.
_LONGEST_EVENT = timedelta(days=42)
_LATEST_REPORT = timedelta(days=3 * 365)
_TO = re.compile(r" ?(?:-|–|—|/|\bto\b|\buntil\b) ?", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"[a-z]{3,9}\.? ", re.IGNORECASE)
# Who reads a single day may ask which of both stands first; of two days it is a guess.
_EITHER_FIRST = re.compile(r"\b\d{1,2}/\d{1,2}/\d{4}", re.ASCII)
_LONGEST = 60

Days = tuple[date, date]
_Span = tuple[date | None, date | None]


def readings(text: str, *, year_first: bool = False) -> dict[str, date]:
    """Return all days that *text* may mean, by the order of its parts, likeliest first.

    With dots the day comes before the month; otherwise either may. Of three numbers
    with two digits the first may be the year, and mostly is with *year_first*.

    >>> [day.isoformat() for day in readings("5/4/2024").values()]
    ['2024-05-04', '2024-04-05']
    >>> readings("25.05.03")
    {'dmy': datetime.date(2003, 5, 25), 'ymd': datetime.date(2025, 5, 3)}
    >>> readings("May 4, 2024") == readings("20240504") == readings("2024/5/4")
    True
    """
    words = _TIME_OF_DAY.sub("", " ".join(text.casefold().split()))
    if match := _DAY_NUMBER.fullmatch(words):
        return {"": _SPREADSHEETS_COUNT_FROM + timedelta(days=int(match[1]))}
    if match := _YEAR_FIRST.fullmatch(words):
        year, month, day = match.group(1, 3, 4) if match[1] else match.group(5, 6, 7)
        return _existing({"": (year, month, day)})
    words = _WEEKDAY.sub("", words)
    for shape in _IN_WORDS:
        if match := shape.fullmatch(words):
            month = str(MONTHS[match["m"][:3]])
            return _existing({"": (match["y"], month, match["d"])})
    match = _NUMBERS.fullmatch(words)
    if match is None:
        return {}
    a, separator, b, c = match.groups()
    orders = {"mdy": (c, a, b), "dmy": (c, b, a), "ymd": (a, b, c)}
    names = ["dmy"] if separator == "." else ["mdy", "dmy"]
    if len(c) == 2 and len(a) == 2:
        names.insert(0 if year_first and separator != "." else len(names), "ymd")
    return _existing({name: orders[name] for name in names})


def _existing(parts: dict[str, tuple[str, str, str]]) -> dict[str, date]:
    found = {}
    for order, (year, month, day) in parts.items():
        try:
            found[order] = date(full_year(year), int(month), int(day))
        except ValueError:
            continue
    return found


def parse_day(text: str, *, year_first: bool = False) -> date | None:
    """Return the likeliest day, None for a blank or zeros; raises ValueError.

    >>> parse_day("May 29, 2020"), parse_day("28. 07. 2005"), parse_day("10.09.13")
    (datetime.date(2020, 5, 29), datetime.date(2005, 7, 28), datetime.date(2013, 9, 10))
    >>> parse_day("2024-05-04"), parse_day("45416"), parse_day("4 de mayo de 2024")
    (datetime.date(2024, 5, 4), datetime.date(2024, 5, 4), datetime.date(2024, 5, 4))
    """
    if not text.strip("0 /-."):
        return None
    days = list(readings(text, year_first=year_first).values())
    if not days:
        raise ValueError(f"{text!r} is not a date")
    return days[0]


def day_in(text: str) -> date | None:
    """Return the day in one of the ways that report files write it, or None.

    >>> day_in("2024/05/04") == day_in("04.05.2024") == day_in("24/05/04")
    True
    >>> day_in("4 May") is None
    True
    """
    return next(iter(readings(text, year_first=True).values()), None)


@dataclass(frozen=True, slots=True)
class ChosenDays:
    """The days that fit best, and those of another order that fit as well."""

    days: tuple[date | None, ...]
    others: tuple[date | None, ...] | None = None


def choose_days(
    texts: Sequence[str],
    rounds: Sequence[str] = (),
    *,
    today: date | None = None,
    year_first: bool = False,
) -> ChosenDays:
    """Read an event's days in the one order in which they fit together.

    Each order is held against the rounds' days, the length of an event and the day of
    the upload.

    >>> choose_days(["25.05.03", "25.05.04"]).days
    (datetime.date(2025, 5, 3), datetime.date(2025, 5, 4))
    """
    days = [readings(text, year_first=year_first) for text in texts]
    of_rounds = [found for text in rounds if (found := readings(text, year_first=True))]
    orders = dict.fromkeys(chain.from_iterable(days)) or {"": None}
    ranked: dict[tuple[date | None, ...], int] = {}
    for order in orders:
        chosen = tuple(found.get(order, _first(found)) for found in days)
        ranked.setdefault(chosen, _faults(chosen, of_rounds, order, today))
    best = min(ranked.values())
    fitting = [chosen for chosen, faults in ranked.items() if faults == best]
    return ChosenDays(fitting[0], fitting[1] if len(fitting) > 1 else None)


def _first(found: dict[str, date]) -> date | None:
    return next(iter(found.values()), None)


def _faults(
    chosen: Sequence[date | None],
    rounds: Sequence[dict[str, date]],
    order: str,
    today: date | None,
) -> int:
    """Count what is wrong with an event on these days."""
    days = [day for day in chosen if day]
    if not days:
        return 0
    first, last = min(days), max(days)
    played = [found.get(order, _first(found)) for found in rounds]
    any_reading = [
        any(first <= day <= last for day in found.values()) for found in rounds
    ]
    faults = 2 * (days != sorted(days)) + (last - first > _LONGEST_EVENT)
    if len(days) > 1 and rounds:
        faults += not all(any_reading)
    elif rounds:
        faults += all(day and abs(day - first) > _LONGEST_EVENT for day in played)
    if today:
        faults += last > today + timedelta(days=1)
        faults += last < today - _LATEST_REPORT
    return faults


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
