"""The parameters of a system, with the labels and bounds that a form needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from typing import Any

from ratings.engine.variation.parameter import Parameter as Parameter

from .words import _


def parameter(
    default: Any,
    label: str,
    help: str = "",
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """Return the field of a frozen dataclass of parameters.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Parameters:
    ...     k: float = parameter(32.0, "K", "points at stake", low=1, high=200)
    >>> Parameters().k, parameters_of(Parameters)[0].high
    (32.0, 200)
    """
    about = {
        "label": label,
        "help": help,
        "low": low,
        "high": high,
        "choices": tuple(choices),
    }
    return field(default=default, metadata=about)


def parameters_of(kind: type[Any]) -> tuple[Parameter, ...]:
    """Return the parameters of *kind*, a dataclass of `parameter` fields."""
    return tuple(
        Parameter(name=one.name, default=one.default, **one.metadata)
        for one in fields(kind)
    )


def again(kind: type[Any], name: str, default: Any = None) -> Any:
    """Return the parameter *name* of *kind* again, perhaps with another default.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Parameters:
    ...     k: float = parameter(32.0, "K", low=1, high=200)
    >>> @dataclass(frozen=True)
    ... class JuniorParameters(Parameters):
    ...     k: float = again(Parameters, "k", 40.0)
    >>> JuniorParameters().k, parameters_of(JuniorParameters)[0].high
    (40.0, 200)
    """
    [one] = [one for one in fields(kind) if one.name == name]
    usual = one.default if default is None else default
    return field(default=usual, metadata=one.metadata)


def white_advantage(
    points: float = 0.0, label: str = _("White’s advantage in predictions")
) -> Any:
    """Return White's advantage in rating points, by default none."""
    help = (
        _("In rating points. Use 0 when colors are unknown.")
        if points
        else _("In rating points. 30 fits chess when colors are known.")
    )
    return parameter(points, label, help, low=0, high=100)


def list_start(rating: int) -> Any:
    """Return the rating of those who begin a list without rated players."""
    return parameter(
        rating,
        _("Starting rating of a new list"),
        _(
            "First ratings come from games against rated players. If no player "
            "is rated after the first period, players of the next period start "
            "with this rating. 0 leaves them unrated."
        ),
        low=0,
        high=2800,
    )
