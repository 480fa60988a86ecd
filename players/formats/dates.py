"""Dates in tables: the order of day and month is decided for a whole column."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date, timedelta

from players.formats.errors import InputRefused

MONTH_FIRST, DAY_FIRST = "month_first", "day_first"
ORDERS = (MONTH_FIRST, DAY_FIRST)
# The kind of dates in a column, to interpret two-digit years.
BIRTH, PAST, TO_COME = "birth", "past", "to_come"

_ISO = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ][\d:.Z+-]*)?", re.ASCII)
_SERIAL = re.compile(r"\d{5}(?:\.0*)?", re.ASCII)
_SERIAL_ZERO = date(1899, 12, 30)
_TIME = r"(?:,? \d{1,2}:\d{2}(?::\d{2}(?:\.\d*)?)?(?: ?[AaPp]\.?[Mm]\.?)?)?"
_NUMBERS = re.compile(
    rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_TIME}", re.ASCII
)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_MONTH = rf"(?P<month>(?:{_MONTHS})[a-z]{{0,6}})\.?"
_IN_WORDS = tuple(
    re.compile(shape + _TIME, re.ASCII | re.IGNORECASE)
    for shape in (
        rf"(?P<day>\d{{1,2}})[- ]{_MONTH}[- ,]{{1,2}}(?P<year>\d{{4}}|\d{{2}})",
        rf"{_MONTH} (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})",
    )
)
# Ages at which a two-digit birth year is unambiguous.
_AGES = range(4, 100)
_MAX_YEARS_AWAY = 25

Sighting = tuple[int, str]


def parse_date(text: str, what: str) -> date:
    """Return the date in *text*; *what* names the column in the error.

    Accepts 2001-02-13, 20010213 or a spreadsheet's serial number. A date such as
    2/13/2001 is accepted only if one order is possible: otherwise the table decides the
    order for the whole column and passes the first form.

    >>> parse_date("2/13/2001", "starts") == parse_date("36935", "starts")
    True
    >>> parse_date("36935", "starts")
    datetime.date(2001, 2, 13)
    """
    try:
        if found := _ISO.fullmatch(text):
            return date(int(found[1]), int(found[2]), int(found[3]))
        if _SERIAL.fullmatch(text):
            return _SERIAL_ZERO + timedelta(days=int(text[:5]))
    except ValueError:
        raise InputRefused("no_day", column=what, cell=text[:40]) from None
    found = _NUMBERS.fullmatch(text)
    days = _readings(found, int(found[4])) if found and len(found[4]) == 4 else {}
    if len(set(days.values())) > 1:
        raise InputRefused("day_has_two_readings", column=what, cell=text[:40])
    if not days:
        raise InputRefused("no_day", column=what, cell=text[:40])
    return next(iter(days.values()))


def _readings(found: re.Match[str], year: int) -> dict[str, date]:
    """Return the possible dates of three numbers, by their order.

    With dots between them the day comes first.
    """
    first, second = int(found[1]), int(found[3])
    days = {}
    for order, month, day in ((MONTH_FIRST, first, second), (DAY_FIRST, second, first)):
        if order == MONTH_FIRST and found[2] == ".":
            continue
        try:
            days[order] = date(year, month, day)
        except ValueError:
            continue
    return days


class DateColumns:
    """The date columns of a table that is read twice.

    The first time *scan_row* checks every row; *decide* then refuses the table or knows
    the order of each column, and *to_iso* returns the dates of the second reading as
    2001-02-13. *kinds* are the columns and their kinds of dates; *answers* are orders
    that a person has chosen for ambiguous columns, "" for all columns.
    """

    def __init__(
        self,
        kinds: Mapping[str, str],
        today: date,
        answers: Mapping[str, str] | None = None,
    ) -> None:
        self.kinds, self.today = kinds, today
        self.decided = False
        self._answers = answers or {}
        self._orders: dict[str, str] = {}
        # The first value of each column that fits one order only, or both.
        self._only: dict[tuple[str, str], Sighting] = {}
        self._open: dict[str, Sighting] = {}

    def needs_scan(self, columns: Collection[str]) -> bool:
        """Return whether a table with these columns has to be read twice."""
        return any(name in columns for name in self.kinds)

    def scan_row(self, line: int, values: Mapping[str, str]) -> None:
        for name in self.kinds:
            if name in values and (found := _NUMBERS.fullmatch(values[name])):
                self._scan_numbers(name, line, found)

    def _scan_numbers(self, name: str, line: int, found: re.Match[str]) -> None:
        year = int(found[4]) if len(found[4]) == 4 else 2000 + int(found[4])
        days = _readings(found, year)
        if len(days) == 1 and found[2] != ".":
            self._only.setdefault((name, next(iter(days))), (line, found[0]))
        elif len(set(days.values())) > 1:
            self._open.setdefault(name, (line, found[0]))

    def decide(self) -> None:
        """Decide the order of each column; raise InputRefused if it is ambiguous."""
        for name in self.kinds:
            self._refuse_contradiction(name)
        unclear = {}
        for name, seen in self._open.items():
            only = [order for order in ORDERS if (name, order) in self._only]
            answer = self._answers.get(name) or self._answers.get("")
            if order := (only[0] if only else answer):
                self._orders[name] = order
            else:
                unclear[name] = seen
        if unclear:
            raise InputRefused(
                "day_order_unclear",
                columns=", ".join(unclear),
                lines=", ".join(str(line) for line, _ in unclear.values()),
                examples=", ".join(text for _, text in unclear.values()),
            )
        self.decided = True

    def _refuse_contradiction(self, name: str) -> None:
        seen = [self._only.get((name, order)) for order in ORDERS]
        if seen[0] and seen[1]:
            raise InputRefused(
                "day_orders_contradict",
                column=name,
                month_line=seen[0][0],
                month_cell=seen[0][1],
                day_line=seen[1][0],
                day_cell=seen[1][1],
            )

    def to_iso(self, name: str, text: str) -> str:
        """Return the date in *text* as 2001-02-13, or *text* if it is no date.

        Raise InputRefused if its two-digit year is ambiguous.
        """
        if name not in self.kinds or text[:4].isdecimal():
            return text
        if found := _NUMBERS.fullmatch(text):
            days = _readings(found, self._year(name, found[4], text))
            day = days.get(self._orders.get(name, "")) or next(
                iter(days.values()), None
            )
            return day.isoformat() if day else text
        for shape in _IN_WORDS:
            if found := shape.fullmatch(text):
                year = self._year(name, found["year"], text)
                month = _MONTHS.index(found["month"][:3].lower()) // 4 + 1
                try:
                    return date(year, month, int(found["day"])).isoformat()
                except ValueError:
                    break
        return text

    def _year(self, name: str, digits: str, text: str) -> int:
        if len(digits) == 4:
            return int(digits)
        now, kind = self.today.year, self.kinds[name]
        years = [1900 + int(digits), 2000 + int(digits)]
        if kind == BIRTH:
            years = [year for year in years if now - year in _AGES]
        elif kind == PAST:
            years = [max(year for year in years if year <= now + 1)]
        else:
            years = [year for year in years if abs(now - year) <= _MAX_YEARS_AWAY]
        if len(years) != 1:
            raise InputRefused("year_of_two_digits", column=name, cell=text[:40])
        return years[0]
