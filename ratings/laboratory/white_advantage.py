"""What having White is worth: one number for every system, or for none.

Systems that know an advantage of White differ in what they take for it, and most know
none; then a comparison is in part one of that number. So it is fitted once, on games
that are not judged, and given to all: as their own parameter to those that have one,
to the others as a shift of the expected score on the logit scale, by which A rating
points turn the odds of a game by 10^(A/400). Games of unknown color have none.
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


def takes_advantage(system: System) -> bool:
    """Tell whether the advantage is a parameter of *system*."""
    return any(one.name == NAME for one in parameters_of(system.parameters))


def parameters_to_vary(system: System) -> tuple[Parameter, ...]:
    """Return the parameters of *system*; its advantage of White has no usual value.

    The experiment gives that, so what a system's makers take is used where asked for.
    """
    return tuple(
        one._replace(default=None) if one.name == NAME else one
        for one in parameters_of(system.parameters)
    )


def parameters_with(
    system: System, changes: Mapping[str, Any], points: float | None
) -> Any:
    """Return the parameters of *system* with *changes*, and the advantage of all.

    One that is among the changes stands. None leaves each system its own.
    """
    common = {} if points is None or not takes_advantage(system) else {NAME: points}
    return system.parameters(**{**common, **changes})


def shifted(expected: Sequence[float], games: Games, points: float) -> list[float]:
    """Return White's *expected* scores with an advantage of so many rating points.

    What is certain, or not known, stays as it is.

    >>> one = Games([0], [1], [1.0], [9], [0], [0])
    >>> round(shifted([0.5], one, 400.0)[0], 4), shifted([1.0], one, 400.0)
    (0.9091, [1.0])
    """
    odds = [math.exp(Q * worth) for worth in games.advantages(points)]
    return [
        value * turn / (1.0 - value + value * turn)
        for value, turn in zip(expected, odds, strict=True)
    ]
