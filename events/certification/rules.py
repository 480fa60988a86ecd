"""What US Chess asks of tournament directors: dated values with their sources.

The current text of the rules (chapter 7 of the rulebook) was not at hand. The values
are from the sources named here, mostly statements of US Chess staff and of the chairs
of its certification committee; docs/certification.md says what is not known. A value
without a first day applies to every day: the source gives none.
"""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import MINYEAR, date
from typing import Generic, TypeVar

T = TypeVar("T")

CLUB, LOCAL, SENIOR, ANTD, NATIONAL = "club", "local", "senior", "antd", "national"
LEVELS = (CLUB, LOCAL, SENIOR, ANTD, NATIONAL)


@dataclass(frozen=True, slots=True)
class Dated(Generic[T]):
    """A value, the first day it applies to, and its source."""

    day: date | None
    value: T
    source: str


@dataclass(frozen=True, slots=True)
class Limit:
    """The most players that an event may be expected to draw."""

    players: int
    # With pairing software and an assistant TD.
    with_assistant: int | None = None


@dataclass(frozen=True, slots=True)
class Requirement:
    """The experience for a level: credits, at most one a day.

    *chief* of the credits are as chief TD of the event or section, the others as chief
    or assistant chief. Each has *entrants* and *rounds* or more. All credits have
    *together* players or more.
    """

    credits: int
    chief: int
    entrants: int
    rounds: int
    together: int = 0


# The category of an event or section, by its entrants: the largest first.
CATEGORIES = (
    Dated(
        None,
        (("A", 300), ("B", 100), ("C", 50), ("D", 0)),
        "C and D: US Chess forum, t/559 and t/118 (rule 19). B and A: from the limits "
        "of Local and Senior TDs, t/21034; A also has a prize fund, t/9642.",
    ),
)
LIMITS: Mapping[str, Sequence[Dated[Limit]]] = {
    CLUB: (Dated(None, Limit(50, 60), "US Chess forum, t/115 (rule 24)"),),
    LOCAL: (Dated(None, Limit(100, 120), "US Chess forum, t/21034 and t/56042"),),
    SENIOR: (Dated(None, Limit(300), "US Chess forum, t/21034"),),
}
# Levels without a term do not expire.
TERM_YEARS: Mapping[str, Sequence[Dated[int]]] = {
    CLUB: (Dated(None, 3, "US Chess forum, t/7428 and t/21034"),),
    LOCAL: (Dated(None, 4, "US Chess forum, t/11377; t/7428 of 2008 says 3"),),
    SENIOR: (Dated(None, 5, "US Chess forum, t/11377"),),
    ANTD: (Dated(None, 6, "US Chess forum, t/11377"),),
}
# As chief or assistant chief of an event or section, on average, for a renewal.
EVENTS_A_YEAR = (Dated(None, 1, "US Chess forum, t/22992"),)
REQUIREMENTS: Mapping[str, Sequence[Dated[Requirement]]] = {
    LOCAL: (
        Dated(
            None,
            Requirement(credits=3, chief=1, entrants=0, rounds=3, together=50),
            "US Chess forum, t/118 (rule 26a), t/93 and t/18895",
        ),
    ),
    SENIOR: (
        Dated(
            None,
            Requirement(credits=10, chief=5, entrants=50, rounds=4),
            "US Chess forum, t/23885 (rule 18) and t/24819",
        ),
    ),
}
# After the end of the membership, until the certification becomes inactive.
MONTHS_AFTER_MEMBERSHIP = (Dated(None, 6, "US Chess forum, t/22992"),)


def in_force(history: Sequence[Dated[T]], day: date) -> T | None:
    """Return the value of a day, or None before the first one.

    >>> in_force(TERM_YEARS[SENIOR], date(2026, 1, 1))
    5
    """
    known = [one.value for one in history if one.day is None or one.day <= day]
    return known[-1] if known else None


def category_of(entrants: int, day: date) -> str:
    """Return the letter of an event or section; N and others are not by size.

    >>> [category_of(players, date(2026, 1, 1)) for players in (49, 50, 99, 100, 300)]
    ['D', 'C', 'C', 'B', 'A']
    """
    bounds = in_force(CATEGORIES, day) or ()
    return next((letter for letter, least in bounds if entrants >= least), "")


def add_months(day: date, months: int) -> date:
    """Return the same day of another month, or that month's last day.

    In the first year, if the month would be before it.

    >>> add_months(date(2024, 8, 31), 6), add_months(date(2024, 2, 29), -12)
    (datetime.date(2025, 2, 28), datetime.date(2023, 2, 28))
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = monthrange(year, month + 1)[1]
    return date(max(year, MINYEAR), month + 1, min(day.day, last))
