"""One thing that a form may change, with its words and bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Changes = Callable[[Any, Any], Mapping[str, Any]]
"""Takes rules and a value; returns the constants that differ, by name."""


class Parameter(NamedTuple):
    """One thing about a system that an experiment may change.

    *default* is a number, a truth value or one of *choices*; *low* and *high* are the
    least and greatest sensible value of a number, *low* itself not if *is_exclusive*.
    For a constant of our own rules, *at* is the path to the number in a value with
    several, and *changes* its effect, if it does more than set that number.
    """

    name: str
    label: str
    help: str
    default: Any
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    is_exclusive: bool = False
    at: str = ""
    changes: Changes | None = None


def number(
    label: str,
    unit: str,
    low: float,
    high: float,
    help: str = "",
    *,
    name: str = "",
    at: str = "",
    changes: Changes | None = None,
) -> Parameter:
    """Return a number of a constant; without *name* it has that of the constant."""
    return Parameter(
        name, label, help, 0.0, low, high, unit=unit, at=at, changes=changes
    )


def positive(
    label: str, unit: str, high: float, help: str = "", **more: Any
) -> Parameter:
    """Return a number of a constant that is more than 0."""
    return number(label, unit, 0, high, help, **more)._replace(is_exclusive=True)


def switch(
    label: str, help: str = "", *, name: str = "", changes: Changes | None = None
) -> Parameter:
    """Return a constant, or several, to be turned off."""
    return Parameter(name, label, help, True, changes=changes)
