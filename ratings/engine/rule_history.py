"""Dated values: a rule on a given day, in one edition of the text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

T = TypeVar("T")


class NoRuleInForce(LookupError):
    """A calculation needs a rule that is not known for its day.

    The message is built from the *rule* and the *day*; a translation needs both.
    """

    def __init__(self, rule: str, day: date) -> None:
        super().__init__(
            f"The {rule} is not known for sections that start on "
            f"{day:%B} {day.day}, {day.year}, so nothing that needs it can be "
            "calculated."
        )
        self.rule = rule
        self.day = day


@dataclass(frozen=True)
class DatedValue(Generic[T]):
    """A value, the first day it applies to, and its source.

    A section takes the value if it starts on `day` or later. No day means since the
    beginning of the rating system. `edition` is the first edition of the text with the
    value, `last_edition` the last one that prints this day; without them, every edition
    does.
    """

    day: date | None
    value: T
    source: str
    edition: str | None = None
    last_edition: str | None = None

    def applies_in(self, edition: str) -> bool:
        """Return whether *edition* (its date, as in "2025-02-10") has this value."""
        return (self.edition is None or self.edition <= edition) and (
            self.last_edition is None or edition <= self.last_edition
        )


@dataclass(frozen=True)
class RuleHistory(Generic[T]):
    """One rule and every value it has had, oldest first."""

    name: str
    history: tuple[DatedValue[T], ...]

    def entry(self, day: date, edition: str) -> DatedValue[T]:
        """Return the entry in force on *day* as *edition* of the text has it.

        Raises NoRuleInForce if the day is before the first known value.
        """
        known = [
            since
            for since in self.history
            if since.applies_in(edition) and (since.day is None or since.day <= day)
        ]
        if not known:
            raise NoRuleInForce(self.name, day)
        return max(known, key=_newness)

    def on(self, day: date, edition: str) -> T:
        """Return the value in force on *day* as *edition* of the text has it.

        >>> floor = RuleHistory("lowest peak floor", (
        ...     DatedValue(None, 1400, "2020 paper, section 8"),
        ...     DatedValue(date(2010, 4, 1), 1200, "2020 paper, section 8"),
        ... ))
        >>> floor.on(date(2010, 3, 31), "2025-07-26")
        1400
        >>> floor.on(date(2010, 4, 1), "2025-07-26")
        1200
        """
        return self.entry(day, edition).value


def _newness(since: DatedValue[T]) -> tuple[date, str]:
    return since.day or date.min, since.edition or ""
