"""Do ranges cover? Many made-up federations, and in how many of them the range holds.

Each federation has people, events and results of its own, and the same truth behind
them: the mean over all federations is what a range of any one of them should hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Final

from ratings.laboratory.comparing import CHOOSE_BY, Measured, predicted_by_all
from ratings.laboratory.experiment import Newcomers, Plan, run
from ratings.laboratory.ranges import Estimate
from ratings.laboratory.registry import SYSTEMS
from tests.ratings.laboratory.synthetic import Federation, made_up

ELO: Final = SYSTEMS["elo.logistic"]
VARIANTS: Final = {
    "K = 32": (ELO, ELO.parameters(k=32.0)),
    "K = 24": (ELO, ELO.parameters(k=24.0)),
    "Glicko": (SYSTEMS["glicko"], None),
}


@dataclass(frozen=True)
class Covered:
    """How ranges of one value did: their mean error, and how many of them held.

    *spread* is what the errors should be: the standard deviation over federations.
    """

    spread: float
    error: float
    held: float


def study(federation: Federation, federations: int) -> Mapping[str, Covered]:
    """Return by the names of values how often their ranges held the truth."""
    found: dict[str, list[Estimate]] = {}
    for seed in range(federations):
        for name, value in _values(federation, seed):
            found.setdefault(name, []).append(value)
    return {name: _covered(values) for name, values in found.items()}


def _values(federation: Federation, seed: int) -> Iterator[tuple[str, Estimate]]:
    """Yield two differences and a level, as one made-up federation shows them."""
    history = made_up(replace(federation, seed=seed)).history
    plan = Plan(
        newcomers=Newcomers.OURS,
        seeds=dict.fromkeys(range(len(history.ids)), 1500.0),
        warm_up_days=120,
    )
    columns = {
        name: run(system, parameters, history, plan).predictions
        for name, (system, parameters) in VARIANTS.items()
    }
    measured = Measured(history, predicted_by_all(columns))
    values = {name: measured.of(CHOOSE_BY, one) for name, one in columns.items()}
    usual = values["K = 24"]
    yield "K = 32 less K = 24", measured.estimate(values["K = 32"].less(usual))
    yield "Glicko less K = 24", measured.estimate(values["Glicko"].less(usual))
    yield "level of K = 24", measured.estimate(usual)


def _covered(values: Sequence[Estimate]) -> Covered:
    truth = fmean(one.value for one in values)
    return Covered(
        spread=stdev(one.value for one in values),
        error=fmean(one.error for one in values),
        held=fmean(one.low <= truth <= one.high for one in values),
    )
