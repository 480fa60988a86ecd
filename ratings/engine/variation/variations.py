"""Variations of our own rules for experiments: any dated value, for any days.

The catalog (`variables`) lists the variables. A `Variation` turns the rules of a day
into those of an experiment; the replay of the rerates accepts it directly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Final

from ratings.engine.i18n import _
from ratings.engine.rules import PARAMETERS, Rules, rules_in_force

from .parameter import Changes, Parameter
from .reconstructions import reconstructed
from .variables import (
    BASIS,
    CATALOG,
    EDITION,
    END,
    EXCLUDED_PARAMETERS,
    RECONSTRUCTED,
    START,
)


class BadVariation(ValueError):
    """A variation is invalid; the message says why.

    *about* is the name of its variable. A translation needs the *sentence* with its
    *values*, among which is the *name*.
    """

    def __init__(self, about: str, sentence: str, /, **values: Any) -> None:
        self.about = about
        self.sentence = sentence
        self.values = {"name": about, **values}
        super().__init__(sentence.format(**self.values))


@dataclass(frozen=True, slots=True)
class Change:
    """One variable changed, for rules from *first* to *last* (None: open).

    Raises BadVariation if there is no such variable, or the value is invalid.
    """

    name: str
    value: Any
    first: date | None = None
    last: date | None = None

    def __post_init__(self) -> None:
        _validate_value(self.name, self.value)
        if self.first and self.last and self.first > self.last:
            raise BadVariation(
                self.name,
                _("{name}: the last day, {last}, is before the first, {first}."),
                first=self.first.isoformat(),
                last=self.last.isoformat(),
            )

    def applies_on(self, day: date) -> bool:
        return (self.first is None or self.first <= day) and (
            self.last is None or day <= self.last
        )

    def __str__(self) -> str:
        """Return the change in the syntax of the command.

        >>> str(Change("bonus", 12.0, date(2015, 1, 1)))
        'bonus=12@2015-01-01..'
        >>> str(Change("lower_k", False))
        'lower_k=off'
        """
        if isinstance(self.value, bool):
            value = "on" if self.value else "off"
        elif isinstance(self.value, str):
            value = self.value
        else:
            value = f"{self.value:.10g}"
        if self.first is None and self.last is None:
            return f"{self.name}={value}"
        first, last = (
            day.isoformat() if day else "" for day in (self.first, self.last)
        )
        return f"{self.name}={value}@{first}..{last}"


@dataclass(frozen=True, slots=True)
class Variation:
    """Varied rules: changes for days, in the order they are made.

    >>> b10 = Variation((Change("bonus", 10.0, date(2015, 1, 1), date(2024, 12, 31)),))
    >>> b10.rules_on(date(2018, 5, 1), "2025-07-26").bonus_multiplier
    10.0
    >>> b10.rules_on(date(2025, 5, 1), "2025-02-10").bonus_multiplier
    12.0
    """

    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def is_reconstructed(self) -> bool:
        """Return whether rules may be from a text without an edition."""
        return any(one.name == RECONSTRUCTED and one.value for one in self.changes)

    def __str__(self) -> str:
        return ", ".join(map(str, self.changes))

    def day_of_rules(self, starts: date, ends: date) -> date:
        """Return the day that decides which rules apply to a section."""
        basis = START
        for change in self.changes:
            if change.name == BASIS and change.applies_on(starts):
                basis = change.value
        return ends if basis == END else starts

    def rules_on(self, day: date, edition: str) -> Rules:
        """Return the rules of *day*; any day has rules, as in `rules_in_force`."""
        return _varied(self, day, edition) if self else rules_in_force(day, edition)


NO_VARIATION: Final = Variation()


@lru_cache(maxsize=8192)
def _varied(variation: Variation, day: date, edition: str) -> Rules:
    holding = [one for one in variation.changes if one.applies_on(day)]
    for one in holding:
        if one.name == EDITION:
            edition = one.value
    rules = rules_in_force(day, edition)
    if any(one.name == RECONSTRUCTED and one.value for one in holding):
        rules = reconstructed(rules)
    for one in holding:
        changes = CATALOG[one.name].changes
        if changes is not None:
            rules = _changed(rules, changes, one.value)
    return rules


def _changed(rules: Rules, changes: Changes, value: Any) -> Rules:
    made = changes(rules, value)
    return rules.vary(**made) if made else rules


def read_change(
    text: str, *, first: date | None = None, last: date | None = None
) -> Change:
    """Parse a change of the command: a name, a value, and optionally days.

    Without days of its own it applies from *first* to *last*.

    >>> read_change("bonus=12@2015-01-01..2024-12-31").last
    datetime.date(2024, 12, 31)
    >>> read_change("bonus=0")
    Traceback (most recent call last):
    ...
    ratings.engine.variation.variations.BadVariation: bonus: 0 must be more than 0.
    """
    said, at, days = text.partition("@")
    name, sign, value = (part.strip() for part in said.partition("="))
    if not sign or not value:
        raise BadVariation(
            name or text,
            _("“{said}” is not a change. Write a name and a value: bonus=12."),
            said=text,
        )
    if at:
        first, last = _days(name, days)
    return Change(name, value_of(name, value), first, last)


def _days(name: str, text: str) -> tuple[date | None, date | None]:
    first, dots, last = (part.strip() for part in text.partition(".."))
    try:
        if not dots:
            raise ValueError
        return (
            date.fromisoformat(first) if first else None,
            date.fromisoformat(last) if last else None,
        )
    except ValueError as error:
        raise BadVariation(
            name,
            _(
                "{name}: “{said}” is not a range of dates. Write "
                "2015-01-01..2024-12-31."
            ),
            said=text,
        ) from error


_ON_OR_OFF: Final = {
    **dict.fromkeys(("on", "yes", "true", "1"), True),
    **dict.fromkeys(("off", "no", "false", "0"), False),
}


def value_of(name: str, text: str) -> Any:
    """Parse *text* as the value of variable *name*. Raises BadVariation."""
    about = variable(name)
    if about.choices:
        return text
    if isinstance(about.default, bool):
        if text.lower() not in _ON_OR_OFF:
            raise BadVariation(name, _("{name}: “{said}” is not on or off."), said=text)
        return _ON_OR_OFF[text.lower()]
    try:
        number = float(text)
    except ValueError as error:
        raise BadVariation(
            name, _("{name}: “{said}” is not a number."), said=text
        ) from error
    if isinstance(about.default, int) and number == number // 1:
        return int(number)
    return number


def variable(name: str) -> Parameter:
    """Return the variable of this name. Raises BadVariation if there is none."""
    if name in CATALOG:
        return CATALOG[name]
    if name in EXCLUDED_PARAMETERS:
        raise BadVariation(
            name,
            _("{name} can’t be changed here. {why}"),
            why=EXCLUDED_PARAMETERS[name],
        )
    if name in PARAMETERS:
        raise BadVariation(
            name,
            _("{name} has another name here. See the list of rules."),
        )
    raise BadVariation(name, _("No rule is named “{name}”."))


def _validate_value(name: str, value: Any) -> None:
    about = variable(name)
    if about.choices:
        if value not in about.choices:
            raise BadVariation(
                name,
                _("{name}: “{given}” is not one of {choices}."),
                given=value,
                choices=", ".join(about.choices),
            )
        return
    if isinstance(about.default, bool):
        return
    sentence = ""
    if not math.isfinite(value):
        sentence = _("{name}: {given} is not a number.")
    elif isinstance(about.default, int) and value != int(value):
        sentence = _("{name}: {given} is not a whole number.")
    elif about.is_exclusive and value <= (about.low or 0):
        sentence = _("{name}: {given} must be more than {above}.")
    elif about.low is not None and value < about.low:
        sentence = _("{name}: {given} is less than {low}.")
    elif about.high is not None and value > about.high:
        sentence = _("{name}: {given} is more than {high}.")
    if sentence:
        limits = {"above": about.low, "low": about.low, "high": about.high}
        raise BadVariation(name, sentence, given=f"{value:.10g}", **limits)


def catalog_lines() -> Iterable[str]:
    """Yield a line for each variable, for a command to print."""
    for name, label, bounds in _catalog():
        yield f"{name:<24} {label} ({bounds})"


def catalog_table() -> Iterable[str]:
    """Yield the same as the rows of a table of `docs/laboratory.md`."""
    for name, label, bounds in _catalog():
        yield f"| `{name}` | {label} | {bounds} |"


def _catalog() -> Iterable[tuple[str, str, str]]:
    """Yield name, label and bounds with their unit."""
    for name, about in CATALOG.items():
        if about.choices:
            bounds = ", ".join(about.choices)
        elif isinstance(about.default, bool):
            bounds = "on, off"
        elif about.is_exclusive:
            bounds = f"more than {about.low:g}, up to {about.high:g}"
        else:
            bounds = f"{about.low:g} to {about.high:g}"
        yield name, about.label, ", ".join(filter(None, (bounds, about.unit)))
