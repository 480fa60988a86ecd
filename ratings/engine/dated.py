"""Values with a first day: what a rule was on a day, in one edition of the text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

T = TypeVar("T")


class NoRuleInForce(LookupError):
    """A calculation needs a rule that is not known for its day.

    The message is made of the *rule* and the *day*; a translation needs both.
    """

    def __init__(self, rule: str, day: date) -> None:
        super().__init__(
            f"The {rule} is not known for sections that start on "
            f"{day.day} {day:%B %Y}, so nothing that needs it can be calculated."
        )
        self.rule = rule
        self.day = day


@dataclass(frozen=True)
class Since(Generic[T]):
    """A value, the first day it applies to, and where that is written.

    A section takes the value if it starts on `day` or later. No day means as far
    back as the rating system goes. `edition` is the first edition of the text that
    knows the value, `last_edition` the last one that prints this day; without them,
    every edition does.
    """

    day: date | None
    value: T
    source: str
    edition: str | None = None
    last_edition: str | None = None

    def is_known_to(self, edition: str) -> bool:
        """Tell whether *edition* (its date, as in "2025-02-10") has this value."""
        return (self.edition is None or self.edition <= edition) and (
            self.last_edition is None or edition <= self.last_edition
        )


@dataclass(frozen=True)
class Dated(Generic[T]):
    """One rule and every value it has had, oldest first."""

    name: str
    history: tuple[Since[T], ...]

    def entry(self, day: date, edition: str) -> Since[T]:
        """Return the entry in force on *day* as *edition* of the text has it.

        Raises NoRuleInForce if the day is before the first known value.
        """
        known = [
            since
            for since in self.history
            if since.is_known_to(edition) and (since.day is None or since.day <= day)
        ]
        if not known:
            raise NoRuleInForce(self.name, day)
        return max(known, key=_newness)

    def on(self, day: date, edition: str) -> T:
        """Return the value in force on *day* as *edition* of the text has it.

        >>> floor = Dated("lowest peak floor", (
        ...     Since(None, 1400, "2020 paper, section 8"),
        ...     Since(date(2010, 4, 1), 1200, "2020 paper, section 8"),
        ... ))
        >>> floor.on(date(2010, 3, 31), "2025-07-26")
        1400
        >>> floor.on(date(2010, 4, 1), "2025-07-26")
        1200
        """
        return self.entry(day, edition).value


def _newness(since: Since[T]) -> tuple[date, str]:
    return since.day or date.min, since.edition or ""
