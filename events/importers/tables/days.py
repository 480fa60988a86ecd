"""Days as people and programs write them, and results that became days."""

from __future__ import annotations

import re
from datetime import date, timedelta

from events.importers.dbf.layout_2c import parse_date
from events.importers.years import full_year

_SPREADSHEETS_COUNT_FROM = date(1899, 12, 30)
_DAY_NUMBER = re.compile(r"([2-7][0-9]{4})(?:\.0*)?", re.ASCII)
# The first letters of the months in English, Spanish and German.
_MONTHS = {
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
_MONTH = rf"({'|'.join(_MONTHS)})[a-zä]{{0,9}}\.?"
_MONTH_FIRST = re.compile(rf"{_MONTH} ([0-9]{{1,2}})(?:st|nd|rd|th)?,? ([0-9]{{4}})")
_DAY_FIRST = re.compile(
    rf"([0-9]{{1,2}})(?:st|nd|rd|th|\.)?[ -]?(?:de )?{_MONTH}(?:,| de|-)? ?([0-9]{{4}})"
)
_DOTTED = re.compile(r"([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4}|[0-9]{2})")
_SLASHED = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})[/-]([0-9]{4}|[0-9]{2})")
_YEAR_FIRST = re.compile(r"([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})")
_WEEKDAY = re.compile(r"^[a-záéü]{3,10}day,? |^(?:sat|sun|mon|tue|wed|thu|fri)\.?,? ")
# What spreadsheets make of 1/2, 1-0 or 0.5: 2-Jan, Jan-00, 1/2/2024, 2024-01-02.
_MADE_DAY = re.compile(
    rf"[0-9]{{1,2}}[-. ]{_MONTH}(?:[-. ](?:[0-9]{{4}}|[0-9]{{2}}))?"
    rf"|{_MONTH}[-. ][0-9]{{1,4}}"
    r"|[0-9]{1,2}([/.])[0-9]{1,2}\3(?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ]00:00(?::00)?)?"
    r"|[34][0-9]{4}"
)
_IN_ONE_MONTH = re.compile(
    r"([^\W\d_]{3,12}) ([0-9]{1,2}) ?[-–] ?([0-9]{1,2}), ?([0-9]{4})"
)
_BETWEEN = re.compile(r"\s(?:thru|through|to|until|al|bis|-|–)\s", re.IGNORECASE)


def read_day(text: str) -> date | None:
    """Return the day that *text* spells, None for a blank; raises ValueError.

    With slashes the month comes first, with dots the day.

    >>> read_day("May 29, 2020"), read_day("28. 07. 2005"), read_day("10.09.13")
    (datetime.date(2020, 5, 29), datetime.date(2005, 7, 28), datetime.date(2013, 9, 10))
    >>> read_day("2024-05-04"), read_day("45416"), read_day("4 de mayo de 2024")
    (datetime.date(2024, 5, 4), datetime.date(2024, 5, 4), datetime.date(2024, 5, 4))
    """
    if match := _DAY_NUMBER.fullmatch(text):
        return _SPREADSHEETS_COUNT_FROM + timedelta(days=int(match[1]))
    words = _WEEKDAY.sub("", " ".join(text.casefold().split()))
    if match := _MONTH_FIRST.fullmatch(words):
        return date(int(match[3]), _MONTHS[match[1]], int(match[2]))
    if match := _DAY_FIRST.fullmatch(words):
        return date(int(match[3]), _MONTHS[match[2]], int(match[1]))
    if match := _DOTTED.fullmatch(words):
        return date(full_year(match[3]), int(match[2]), int(match[1]))
    if match := _SLASHED.fullmatch(words):
        return date(full_year(match[3]), int(match[1]), int(match[2]))
    if match := _YEAR_FIRST.fullmatch(words):
        return date(int(match[1]), int(match[2]), int(match[3]))
    return parse_date(text)


def first_and_last(text: str) -> tuple[str, str]:
    """Return the texts of the two days between which an event lasts.

    >>> first_and_last("2020-05-29 thru 2020-05-31")
    ('2020-05-29', '2020-05-31')
    >>> first_and_last("May 29-31, 2020"), first_and_last("May 29, 2020")
    (('May 29, 2020', 'May 31, 2020'), ('May 29, 2020', 'May 29, 2020'))
    """
    if match := _IN_ONE_MONTH.fullmatch(text):
        month, begins, ends, year = match.groups()
        return f"{month} {begins}, {year}", f"{month} {ends}, {year}"
    first, *more = _BETWEEN.split(text, maxsplit=1)
    return first, more[0] if more else first


def became_day(text: str) -> bool:
    """Tell whether a result is a day now, because a spreadsheet took it for one.

    >>> [became_day(text) for text in ("2-Jan", "Jan-00", "1/2/2024", "W12", "1/2")]
    [True, True, True, False, False]
    """
    return _MADE_DAY.fullmatch(text.strip().casefold()) is not None
