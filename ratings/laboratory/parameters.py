"""The parameters of a system, with the labels and bounds that a form needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from typing import Any

from ratings.engine.variation.parameter import Parameter as Parameter


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
