"""The calendar of the official lists: months and cutoffs.

A list is in force from the first of its month. It has the ratings as of a weekday of
the month before, such as the third Wednesday, 23:45 Central time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

WEEKDAYS = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
_WRITTEN = re.compile(
    r"(?P<nth>[1-4]) (?P<weekday>[a-z]+) (?P<hour>\d\d):(?P<minute>\d\d) (?P<zone>\S+)"
)


@dataclass(frozen=True, slots=True)
class CutOffRule:
    """The *nth* weekday (0 is Monday) of a month, at a local time."""

    nth: int
    weekday: int
    at: time
    zone: ZoneInfo

    @classmethod
    def parse(cls, text: str) -> CutOffRule:
        """Read a rule such as "3 wednesday 23:45 America/Chicago".

        Raises ValueError if *text* is not valid.
        """
        written = _WRITTEN.fullmatch(text.strip())
        if written is None or written["weekday"] not in WEEKDAYS:
            raise ValueError(
                f"A cut-off is written like '3 wednesday 23:45 America/Chicago', "
                f"not {text!r}."
            )
        return cls(
            nth=int(written["nth"]),
            weekday=WEEKDAYS.index(written["weekday"]),
            at=time(int(written["hour"]), int(written["minute"])),
            zone=ZoneInfo(written["zone"]),
        )

    def for_list_of(self, month: date) -> datetime:
        """Return the cutoff of the list of *month*.

        >>> rule = CutOffRule.parse("3 wednesday 23:45 America/Chicago")
        >>> rule.for_list_of(date(2026, 1, 1)).isoformat()
        '2025-12-17T23:45:00-06:00'
        """
        first = months_before(month, 1)
        days_to_weekday = (self.weekday - first.weekday()) % 7
        day = first + timedelta(days=days_to_weekday + 7 * (self.nth - 1))
        return datetime.combine(day, self.at, tzinfo=self.zone)


def months_before(month: date, number: int) -> date:
    """Return the first day of the month *number* months before.

    >>> months_before(date(2014, 1, 1), 3), months_before(date(2014, 1, 1), -1)
    (datetime.date(2013, 10, 1), datetime.date(2014, 2, 1))
    """
    months = month.year * 12 + month.month - 1 - number
    return date(months // 12, months % 12 + 1, 1)
