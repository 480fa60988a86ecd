"""White's advantage: one number for every system, or for none.

Systems that have an advantage of White differ in its size, and most have none; so a
comparison would in part be one of that number. It is fitted once, on games that are not
judged, and given to all: as their own parameter to those that have one, to the others
as a shift of the expected score on the logit scale, by which A rating points turn the
odds of a game by 10^(A/400). Games of unknown color have none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .parameters import Parameter, parameters_of
from .protocol import Games, System

NAME: Final = "white_advantage"
"""The parameter of systems that know an advantage of White, in rating points."""
Q: Final = math.log(10.0) / 400.0


def has_white_advantage(system: System) -> bool:
    """Return whether the advantage is a parameter of *system*."""
    return any(one.name == NAME for one in parameters_of(system.parameters))


def parameters_to_vary(system: System) -> tuple[Parameter, ...]:
    """Return the parameters of *system*; its advantage of White has no usual value.

    The experiment sets that; the system's published value is used only on request.
    """
    return tuple(
        one._replace(default=None) if one.name == NAME else one
        for one in parameters_of(system.parameters)
    )


def parameters_with(
    system: System, changes: Mapping[str, Any], points: float | None
) -> Any:
    """Return the parameters of *system* with *changes*, and the advantage of all.

    An advantage among the changes is kept. None leaves each system its own.
    """
    common = {} if points is None or not has_white_advantage(system) else {NAME: points}
    return system.parameters(**{**common, **changes})


def apply_white_advantage(
    expected: Sequence[float], games: Games, points: float
) -> list[float]:
    """Return White's *expected* scores with an advantage of so many rating points.

    Certain and unknown scores do not change.

    >>> one = Games([0], [1], [1.0], [9], [0], [0])
    >>> round(apply_white_advantage([0.5], one, 400.0)[0], 4)
    0.9091
    >>> apply_white_advantage([1.0], one, 400.0)
    [1.0]
    """
    odds = [math.exp(Q * worth) for worth in games.advantages(points)]
    return [
        value * turn / (1.0 - value + value * turn)
        for value, turn in zip(expected, odds, strict=True)
    ]
