"""Dates as people and programs write them, and results that became dates."""

from __future__ import annotations

import re

from events.formats.dates import MONTH

# What spreadsheets make of 1/2, 1-0 or 0.5: 2-Jan, Jan-00, 1/2/2024, 2024-01-02.
_SPREADSHEET_DATE = re.compile(
    rf"[0-9]{{1,2}}[-. ]{MONTH}\.?(?:[-. ](?:[0-9]{{4}}|[0-9]{{2}}))?"
    rf"|{MONTH}\.?[-. ][0-9]{{1,4}}"
    r"|[0-9]{1,2}(?P<between>[/.])[0-9]{1,2}(?P=between)(?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ]00:00(?::00)?)?"
    r"|[34][0-9]{4}"
)
_IN_ONE_MONTH = re.compile(
    r"([^\W\d_]{3,12}) ([0-9]{1,2}) ?[-–] ?([0-9]{1,2}), ?([0-9]{4})"
)
_BETWEEN = re.compile(r"\s(?:thru|through|to|until|al|bis|-|–)\s", re.IGNORECASE)


def split_date_range(text: str) -> tuple[str, str]:
    """Return the texts of the first and the last day of an event.

    >>> split_date_range("2020-05-29 thru 2020-05-31")
    ('2020-05-29', '2020-05-31')
    >>> split_date_range("May 29-31, 2020"), split_date_range("May 29, 2020")
    (('May 29, 2020', 'May 31, 2020'), ('May 29, 2020', 'May 29, 2020'))
    """
    if match := _IN_ONE_MONTH.fullmatch(text):
        month, begins, ends, year = match.groups()
        return f"{month} {begins}, {year}", f"{month} {ends}, {year}"
    first, *more = _BETWEEN.split(text, maxsplit=1)
    return first, more[0] if more else first


def is_spreadsheet_date(text: str) -> bool:
    """Return whether a spreadsheet turned a result into a date.

    >>> [is_spreadsheet_date(text) for text in ("2-Jan", "1/2/2024", "W12", "1/2")]
    [True, True, False, False]
    """
    return _SPREADSHEET_DATE.fullmatch(text.strip().casefold()) is not None
