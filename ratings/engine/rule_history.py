"""Dated values: a rule on a given day, in one edition of the text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, Self, TypeVar, overload

from .variation.parameter import Parameter

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


class RuleHistory(Generic[T]):
    """One rule and every value it has had, oldest first.

    As an attribute of `Rules` it is the value of their day, looked up when it is first
    read. *varied* is what experiments may change about it; *excluded* says why they may
    not.
    """

    varied: tuple[Parameter, ...] = ()

    def __init__(self, name: str, *history: DatedValue[T], excluded: str = "") -> None:
        self.name = name
        self.history = history
        self.excluded = excluded

    def vary(self, *varied: Parameter) -> Self:
        """Return the same rule, with what experiments may change about it."""
        self.varied = varied
        return self

    def __set_name__(self, owner: type[Any], attribute: str) -> None:
        self._attribute = attribute

    @overload
    def __get__(self, rules: None, owner: type[Any]) -> RuleHistory[T]: ...
    @overload
    def __get__(self, rules: Any, owner: type[Any]) -> T: ...
    def __get__(self, rules: Any, owner: type[Any]) -> T | RuleHistory[T]:
        if rules is None:
            return self
        value = self.on(rules.day, rules.edition)
        # The next read finds the value in the instance and does not call this.
        vars(rules)[self._attribute] = value
        return value

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

        >>> floor = RuleHistory(
        ...     "lowest peak floor",
        ...     DatedValue(None, 1400, "2020 paper, section 8"),
        ...     DatedValue(date(2010, 4, 1), 1200, "2020 paper, section 8"),
        ... )
        >>> floor.on(date(2010, 3, 31), "2025-07-26")
        1400
        >>> floor.on(date(2010, 4, 1), "2025-07-26")
        1200
        """
        return self.entry(day, edition).value


def _newness(since: DatedValue[T]) -> tuple[date, str]:
    return since.day or date.min, since.edition or ""
