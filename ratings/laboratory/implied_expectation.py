"""Expected scores of systems that define no probabilities.

A rating does not change when the result is the one the system expects. So each formula
implies a score for each difference, and by that score all systems can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .cases import Case
from .protocol import Direction, Standing, System

_LEVEL: Final = 1500.0
_KEYS: Final = {
    "ingo": "ingo.basic",
    "clarke": "clarke",
    "ccla": "ccla.hotchkiss_wilcock",
    "uscf_cc": "uscf.correspondence",
    "elo_logistic": "elo.logistic",
    "elo_linear": "elo.linear",
    "elo_normal": "elo.normal",
    "elo_table": "elo.table",
    "fide": "fide.standard",
    "foa": "foa.rapid",
    "ics": "ics.pbem",
}
"""Short names in published cases; others are keys of systems."""


def implied_expectation(system: System, advantage: float) -> float:
    """Return the expected score of a player who is better by *advantage*.

    *advantage* is in the system's own units, at least 0 for the better player also
    where lower numbers are better. Levels are those of a rating of 1500 today.

    >>> from ratings.laboratory.systems.ingo import SYSTEMS
    >>> implied_expectation(SYSTEMS[0], 25)
    0.75
    """
    level = system.from_elo_scale(_LEVEL)
    lower_is_better = system.about.direction is Direction.LOWER_IS_BETTER
    own = level - advantage if lower_is_better else level + advantage
    return system.expected(Standing(own), Standing(level))


def _case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    from .registry import SYSTEMS  # the registry holds this case, too

    return {
        name: implied_expectation(SYSTEMS[_KEYS.get(name, name)], advantage)
        for name, advantage in inputs["advantage_in_own_units"].items()
    }


CASES: Mapping[str, Case] = {"laboratory.expectation": _case}
