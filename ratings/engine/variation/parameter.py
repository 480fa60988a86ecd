"""One thing that a form may change, with its words and bounds."""

from __future__ import annotations

from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """One thing about a system that an experiment may change.

    *default* is a number, a truth value or one of *choices*; *low* and *high* are the
    least and greatest sensible value of a number.
    """

    name: str
    label: str
    help: str
    default: Any
    low: float | None
    high: float | None
    choices: tuple[str, ...]
