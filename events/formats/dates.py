"""Days as report files spell them: FIDE's way, and the ways of programs and people."""

from __future__ import annotations

import re
from datetime import date, timedelta

_SPREADSHEETS_COUNT_FROM = date(1899, 12, 30)
_DAY_NUMBER = re.compile(r"([2-7][0-9]{4})(?:\.0*)?", re.ASCII)
# The first letters of the months in English, Spanish and German.
_MONTHS = (
    *("jan ene jän", "feb", "mar mär", "apr abr", "may mai", "jun"),
    *("jul", "aug ago", "sep", "oct okt", "nov", "dec dic dez"),
)
MONTHS = {
    letters: number
    for number, spellings in enumerate(_MONTHS, start=1)
    for letters in spellings.split()
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
_RANGE_SEPARATOR = re.compile(r" ?(?:-|–|—|/|\bto\b|\buntil\b) ?", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"[a-z]{3,9}\.? ", re.IGNORECASE)
# For a single date the reader can ask for the order; for two it would be a guess.
_AMBIGUOUS = re.compile(r"\b\d{1,2}/\d{1,2}/\d{4}", re.ASCII)
_MAX_LENGTH = 60

_CENTURY_TURNS_AT = 70

DateRange = tuple[date, date]
DateFormat = tuple[str, int]
_Span = tuple[date | None, date | None]


def full_year(text: str) -> int:
    """Return a year of four digits, or of two from 1970 to 2069.

    >>> full_year("2024"), full_year("69"), full_year("70")
    (2024, 2069, 1970)
    """
    year = int(text)
    if len(text) > 2:
        return year
    return year + (2000 if year < _CENTURY_TURNS_AT else 1900)


def possible_dates(text: str, *, year_first: bool = False) -> dict[str, date]:
    """Return all days that *text* may mean, by the order of its parts, likeliest first.

    With dots the day comes before the month; otherwise either may. Of three numbers
    with two digits the first may be the year, and mostly is with *year_first*.

    >>> [day.isoformat() for day in possible_dates("5/4/2024").values()]
    ['2024-05-04', '2024-04-05']
    >>> possible_dates("25.05.03")
    {'dmy': datetime.date(2003, 5, 25), 'ymd': datetime.date(2025, 5, 3)}
    >>> texts = ("May 4, 2024", "20240504", "2024/5/4")
    >>> {day for text in texts for day in possible_dates(text).values()}
    {datetime.date(2024, 5, 4)}
    """
    words = _without_time(text)
    if match := _DAY_NUMBER.fullmatch(words):
        return {"": _SPREADSHEETS_COUNT_FROM + timedelta(days=int(match[1]))}
    if match := _YEAR_FIRST.fullmatch(words):
        year, month, day = match.group(1, 3, 4) if match[1] else match.group(5, 6, 7)
        return _valid_dates({"": (year, month, day)})
    words = _WEEKDAY.sub("", words)
    for shape in _IN_WORDS:
        if match := shape.fullmatch(words):
            month = str(MONTHS[match["m"][:3]])
            return _valid_dates({"": (match["y"], month, match["d"])})
    match = _NUMBERS.fullmatch(words)
    if match is None:
        return {}
    a, separator, b, c = match.groups()
    orders = {"mdy": (c, a, b), "dmy": (c, b, a), "ymd": (a, b, c)}
    names = ["dmy"] if separator == "." else ["mdy", "dmy"]
    if len(c) == 2 and len(a) == 2:
        names.insert(0 if year_first and separator != "." else len(names), "ymd")
    return _valid_dates({name: orders[name] for name in names})


def _without_time(text: str) -> str:
    return _TIME_OF_DAY.sub("", " ".join(text.casefold().split()))


def date_format_of(text: str) -> DateFormat | None:
    """Return the separator of a day in numbers and how many digits its year has.

    None where the order of the parts is certain.

    >>> date_format_of("5/4/2024"), date_format_of("2024-05-04")
    (('/', 4), None)
    """
    match = _NUMBERS.fullmatch(_WEEKDAY.sub("", _without_time(text)))
    return (match[2], len(match[4])) if match else None


def _valid_dates(parts: dict[str, tuple[str, str, str]]) -> dict[str, date]:
    dates = {}
    for order, (year, month, day) in parts.items():
        try:
            dates[order] = date(full_year(year), int(month), int(day))
        except ValueError:
            continue
    return dates


def parse_date(text: str) -> date | None:
    """Return the likeliest day, None for a blank or zeros; raises ValueError.

    >>> parse_date("May 29, 2020"), parse_date("28. 07. 2005"), parse_date("10.09.13")
    (datetime.date(2020, 5, 29), datetime.date(2005, 7, 28), datetime.date(2013, 9, 10))
    >>> parse_date("2024-05-04"), parse_date("45416"), parse_date("4 de mayo de 2024")
    (datetime.date(2024, 5, 4), datetime.date(2024, 5, 4), datetime.date(2024, 5, 4))
    """
    if not text.strip("0 /-."):
        return None
    days = list(possible_dates(text).values())
    if not days:
        raise ValueError(f"{text!r} is not a date")
    return days[0]


def find_date(text: str) -> date | None:
    """Return the day in one of the ways that report files write it, or None.

    >>> find_date("2024/05/04") == find_date("04.05.2024") == find_date("24/05/04")
    True
    >>> find_date("4 May") is None
    True
    """
    return next(iter(possible_dates(text, year_first=True).values()), None)


def find_date_range(text: str) -> DateRange | None:
    """Return the first and the last day in *text*, None if there are none.

    >>> find_date_range("28.-31.07.2005") == find_date_range("2005/07/28 - 2005/07/31")
    True
    >>> find_date_range("May 29 - Jun 2, 2020")
    (datetime.date(2020, 5, 29), datetime.date(2020, 6, 2))
    """
    text = " ".join(text.split())[:_MAX_LENGTH]
    if day := find_date(text):
        return day, day
    if _AMBIGUOUS.search(text):
        return None
    for between in _RANGE_SEPARATOR.finditer(text):
        first, last = text[: between.start()], text[between.end() :]
        if (days := _parse_range(first, last)) and days[0] <= days[1]:
            return days
    return None


def event_dates(starts: DateRange | None, ends: DateRange | None) -> _Span:
    """Return the first and the last day from the lines for both.

    One line may have both days, and then the other may be missing.

    >>> event_dates(find_date_range("28.-31.07.2005"), None)
    (datetime.date(2005, 7, 28), datetime.date(2005, 7, 31))
    >>> event_dates(find_date_range("28.07.2005"), None)
    (datetime.date(2005, 7, 28), None)
    """
    one = starts or ends
    first, last = one if one and one[0] != one[1] else (None, None)
    return starts[0] if starts else first, ends[1] if ends else last


def _parse_range(first: str, last: str) -> DateRange | None:
    """Return two days of which the first may leave year and month to the other."""
    month = _MONTH_FIRST.match(first)
    ends = find_date(last) or (find_date(f"{month[0]}{last}") if month else None)
    if ends is None:
        return None
    shared = f"{ends.year:04}-{ends.month:02}-{first.strip(' .')}"
    spellings = (first, f"{first}, {ends.year}", f"{first} {ends.year}", shared)
    starts = next((day for spelling in spellings if (day := find_date(spelling))), None)
    return (starts, ends) if starts else None
