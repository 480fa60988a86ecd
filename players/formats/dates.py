"""Dates in tables: the order of day and month is decided for a whole column."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta

from players.formats.errors import InputRefused

MONTH_FIRST, DAY_FIRST, YEAR_FIRST = "month_first", "day_first", "year_first"
ORDERS = (MONTH_FIRST, DAY_FIRST, YEAR_FIRST)
_SEPARATED_ORDERS = (MONTH_FIRST, DAY_FIRST)
# The kind of dates in a column, to interpret two-digit years.
BIRTH, PAST, TO_COME = "birth", "past", "to_come"

_ISO = re.compile(
    r"(\d{4})(?:-?(\d{2})-?(\d{2})|([/.-])(\d{1,2})\4(\d{1,2}))"
    r"(?:[T ][\d:.Z+ -]*(?: ?[AP]M)?(?:UTC|GMT)?)?",
    re.ASCII,
)
_SERIAL = re.compile(r"\d{5}(?:\.\d*)?", re.ASCII)
_SERIAL_ZERO = date(1899, 12, 30)
_TIME = r"(?:,? \d{1,2}:\d{2}(?::\d{2}(?:\.\d*)?)?(?: ?[AaPp]\.?[Mm]\.?)?)?"
_NUMBERS = re.compile(
    rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(?P<year>\d{{4}}|\d{{2}}){_TIME}", re.ASCII
)
# Months by the first three letters of their names, in English, Spanish and German.
_MONTHS = {
    **{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7},
    **{"aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12},
    **{"ene": 1, "abr": 4, "ago": 8, "set": 9, "dic": 12},
    **{"mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12},
}
_MONTH = rf"(?P<month>(?:{'|'.join(_MONTHS)})[a-zä]{{0,7}})\.?"
_WEEKDAY = r"(?:[a-zé]{2,10}\.?,? )?"
_IN_WORDS = tuple(
    re.compile(_WEEKDAY + shape + _TIME, re.IGNORECASE)
    for shape in (
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?:[-/ ]| de ){_MONTH}"
        r"(?:[-/ ,]{1,2}| de | del )(?P<year>\d{4}|\d{2})",
        rf"{_MONTH}[- ](?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:, ?|[- ])(?P<year>\d{{4}})",
    )
)
# 070503, and 70503 where a program dropped the zero. In a column of five digits only,
# they are serial numbers.
_SIX_DIGITS = re.compile(r"(\d{5,6})(?:\.0*)?", re.ASCII)
_MAX_YEARS_AWAY = 25

Sighting = tuple[int, str]


def latest_birth_date(day: date | None, year: int | None) -> date | None:
    """Return the birth date, or the last day of the birth year.

    Until then the person may be a child.
    """
    return day or (date(year, 12, 31) if year else None)


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
            month, day = found[2] or found[5], found[3] or found[6]
            return date(int(found[1]), int(month), int(day))
        if _SERIAL.fullmatch(text):
            return _SERIAL_ZERO + timedelta(days=int(text[:5]))
    except ValueError:
        raise InputRefused("no_day", column=what, cell=text[:40]) from None
    if any(
        (found := shape.fullmatch(text)) and len(found["year"]) == 2
        for shape in (_NUMBERS, *_IN_WORDS)
    ):
        raise InputRefused("year_of_two_digits", column=what, cell=text[:40])
    found = _NUMBERS.fullmatch(text)
    days = _readings(found, int(found["year"])) if found else {}
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


def split_six_digits(text: str, order: str) -> tuple[str, str, str]:
    """Return year, month and day of a date without separators.

    >>> split_six_digits("070503", YEAR_FIRST), split_six_digits("70503", MONTH_FIRST)
    (('07', '05', '03'), ('03', '07', '05'))
    """
    first, second, third = re.findall("..", text.partition(".")[0].zfill(6))
    if order == YEAR_FIRST:
        return first, second, third
    return (third, first, second) if order == MONTH_FIRST else (third, second, first)


def _six_digit_orders(text: str) -> set[str]:
    """Return the orders in which six digits are a date."""
    orders = set()
    for order in ORDERS:
        year, month, day = map(int, split_six_digits(text, order))
        try:
            date(2000 + year, month, day)
        except ValueError:
            continue
        orders.add(order)
    return orders


class DateColumns:
    """The date columns of a table that is read twice.

    The first time *scan_row* checks every row; *decide* then refuses the table or knows
    the orders of each column, and *to_iso* returns the dates of the second reading as
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
        self._six_orders: dict[str, str] = {}
        # The first value of each column that fits one order only, or both.
        self._only: dict[tuple[str, str], Sighting] = {}
        self._open: dict[str, Sighting] = {}
        # The orders that fit all dates of five or six digits in a column, and the first
        # of six digits.
        self._six: dict[str, set[str]] = {}
        self._six_seen: dict[str, Sighting] = {}
        # Columns with other dates than 052019 and 122020: these may be months of years.
        self._six_days: set[str] = set()
        # Columns with two-digit years: the first and the last year that they stand for.
        self.pivots: dict[str, tuple[int, int]] = {}

    def needs_scan(self, columns: Collection[str]) -> bool:
        """Return whether a table with these columns has to be read twice."""
        return any(name in columns for name in self.kinds)

    def scan_row(self, line: int, values: Mapping[str, str]) -> None:
        for name in self.kinds:
            if name not in values:
                continue
            if found := _NUMBERS.fullmatch(values[name]):
                self._scan_numbers(name, line, found)
            elif found := _SIX_DIGITS.fullmatch(values[name]):
                self._scan_digits(name, line, found[1])

    def _scan_digits(self, name: str, line: int, digits: str) -> None:
        orders = _six_digit_orders(digits)
        # Six digits that are no date, such as 000000, say nothing about the others.
        if orders or len(digits) == 5:
            self._six[name] = self._six.get(name, {*ORDERS}) & orders
        if orders and len(digits) == 6:
            self._six_seen.setdefault(name, (line, digits))
        if orders and digits.zfill(6)[2:4] not in ("19", "20"):
            self._six_days.add(name)

    def _scan_numbers(self, name: str, line: int, found: re.Match[str]) -> None:
        year = int(found["year"])
        year += 2000 if len(found["year"]) == 2 else 0
        days = _readings(found, year)
        if len(days) == 1 and found[2] != ".":
            self._only.setdefault((name, next(iter(days))), (line, found[0]))
        elif len(set(days.values())) > 1:
            self._open.setdefault(name, (line, found[0]))

    def decide(self) -> None:
        """Decide the order of each column; raise InputRefused if it is ambiguous."""
        for name in self.kinds:
            self._refuse_contradiction(name)
        unclear: dict[str, tuple[int, str, Sequence[str]]] = {}
        for name, seen in self._open.items():
            only = [order for order in _SEPARATED_ORDERS if (name, order) in self._only]
            if not self._decide_order(name, self._orders, only or _SEPARATED_ORDERS):
                unclear[name] = (*seen, _SEPARATED_ORDERS)
        for name, seen in self._six_seen.items():
            if name not in self._six_days:
                continue
            fit = [order for order in ORDERS if order in self._six[name]]
            if len(fit) > 1 and name in self._open:
                continue  # an answer is about 3/5/2007, so these are no dates
            if fit and not self._decide_order(name, self._six_orders, fit):
                unclear[name] = (*seen, fit)
        if unclear:
            raise InputRefused(
                "day_order_unclear",
                columns=", ".join(unclear),
                lines=", ".join(str(line) for line, _, _ in unclear.values()),
                examples=", ".join(text for _, text, _ in unclear.values()),
                orders=", ".join(" ".join(orders) for _, _, orders in unclear.values()),
            )
        self.decided = True

    def _decide_order(
        self, name: str, decided: dict[str, str], possible: Sequence[str]
    ) -> bool:
        """Store the order of a column if one is possible, or one was chosen."""
        answer = self._answers.get(name) or self._answers.get("", "")
        if len(possible) == 1 or answer in possible:
            decided[name] = answer if answer in possible else possible[0]
        return name in decided

    def _refuse_contradiction(self, name: str) -> None:
        seen = [self._only.get((name, order)) for order in _SEPARATED_ORDERS]
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
        """Return the date in *text* as 2001-02-13, or *text* if it isn't certain."""
        if name not in self.kinds:
            return text
        day = None
        if name in self._six_orders and (found := _SIX_DIGITS.fullmatch(text)):
            digits, month, of_month = split_six_digits(found[1], self._six_orders[name])
            day = self._day(name, digits, int(month), int(of_month))
        elif text[:4].isdecimal():
            return text
        elif found := _NUMBERS.fullmatch(text):
            year = self._year(name, found["year"])
            days = _readings(found, year) if year else {}
            day = days.get(self._orders.get(name, ""), next(iter(days.values()), None))
        else:
            for shape in _IN_WORDS:
                if found := shape.fullmatch(text):
                    number = _MONTHS[found["month"][:3].lower()]
                    day = self._day(name, found["year"], number, int(found["day"]))
                    break
        return day.isoformat() if day else text

    def _day(self, name: str, digits: str, month: int, day: int) -> date | None:
        year = self._year(name, digits)
        try:
            return date(year, month, day) if year else None
        except ValueError:
            return None

    def _year(self, name: str, digits: str) -> int | None:
        """Return the year, None if it may be of two centuries."""
        if len(digits) == 4:
            return int(digits)
        now = self.today.year
        if self.kinds[name] == TO_COME:
            first, last = now - _MAX_YEARS_AWAY, now + _MAX_YEARS_AWAY
        else:
            # A birth or first day is past: 26 is this century's until its year comes.
            last = now + (self.kinds[name] == PAST)
            first = last - 99
        years = [
            year
            for year in (1900 + int(digits), 2000 + int(digits))
            if first <= year <= last
        ]
        if not years:
            return None
        self.pivots[name] = (first, last)
        return years[0]
