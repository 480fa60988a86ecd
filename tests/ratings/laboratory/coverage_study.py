"""Do ranges cover? Many made-up federations, and in how many of them the range holds.

Each federation has people, events and results of its own, and the same truth behind
them: the mean over all federations is what a range of any one of them should hold.
`python -m tests.tools.ranges` is the long form of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import fmean, stdev
from typing import Final

from ratings.laboratory.calibration import CalibrationBand
from ratings.laboratory.comparison import (
    PRIMARY_MEASURE,
    MeasuredGames,
    Value,
    predicted_by_all,
)
from ratings.laboratory.confidence_intervals import Estimate, estimate
from ratings.laboratory.experiment import Newcomers, Plan, run
from ratings.laboratory.history import History
from ratings.laboratory.protocol import System
from ratings.laboratory.registry import SYSTEMS
from tests.ratings.laboratory.synthetic import Federation, generate_history

ELO: Final = SYSTEMS["elo.logistic"]
Variants = Mapping[str, tuple[System, object]]


def elo(*factors: float) -> Variants:
    return {f"K = {k:g}": (ELO, ELO.parameters(k=k)) for k in factors}


REFERENCE: Final = "K = 24"
VARIANTS: Final[Variants] = {**elo(32.0, 24.0), "Glicko": (SYSTEMS["glicko"], None)}
MORE: Final[Variants] = {**VARIANTS, **elo(8.0, 12.0, 16.0, 20.0, 28.0, 40.0, 48.0)}

OURS: Final = "events and players"
WAYS: Final = ("single games", "events alone", "doubly counted pairs left in", OURS)
"""How games may be taken to hang together; the last is how the laboratory does it."""


@dataclass(frozen=True)
class Coverage:
    """How ranges of one value did: their mean error, and how many of them held.

    *spread* is what the errors should be: the standard deviation over federations.
    """

    spread: float
    error: float
    coverage: float


@dataclass(frozen=True)
class Study:
    """How often ranges held, by the way that games hang together and by the value.

    *at_once* is how often the ranges for all differences held all of them.
    """

    ways: Mapping[str, Mapping[str, Coverage]]
    at_once: float

    def __getitem__(self, value: str) -> Coverage:
        return self.ways[OURS][value]


def study(
    federation: Federation,
    federations: int,
    *,
    variants: Variants = VARIANTS,
    ways: Sequence[str] = (OURS,),
) -> Study:
    """Return how often the ranges of many federations held the truth."""
    found: dict[str, dict[str, list[Estimate]]] = {way: {} for way in ways}
    together: list[list[Estimate]] = []
    for seed in range(federations):
        history = generate_history(replace(federation, seed=seed)).history
        columns = dict(_predictions(history, variants))
        shared = predicted_by_all(columns)
        measured = MeasuredGames(history, shared)
        for way in ways:
            on = MeasuredGames(_apart(history), shared) if way == WAYS[0] else measured
            for name, value in _values(on, columns):
                error = _error(on, value, way)
                one = estimate(value.value, error, measured.factor)
                found[way].setdefault(name, []).append(one)
        together.append(list(_at_once(measured, columns)))
    return Study(
        {
            way: {name: _covered(values) for name, values in by_name.items()}
            for way, by_name in found.items()
        },
        _joint_coverage(together),
    )


def _predictions(
    history: History, variants: Variants
) -> Iterator[tuple[str, Sequence[float]]]:
    plan = Plan(newcomers=Newcomers.COMMON, warm_up_days=120)
    for name, (system, parameters) in variants.items():
        yield name, run(system, parameters, history, plan).predictions


def _apart(history: History) -> History:
    """Return the games as if each had an event and two players of its own."""
    every = range(len(history))
    games = replace(
        history.games,
        events=every,
        white=[2 * game for game in every],
        black=[2 * game + 1 for game in every],
    )
    return replace(history, games=games)


def _values(
    measured: MeasuredGames, columns: Mapping[str, Sequence[float]]
) -> Iterator[tuple[str, Value]]:
    """Yield two differences and a level, as one made-up federation shows them."""
    usual, faster, other = (
        measured.of(PRIMARY_MEASURE, columns[name])
        for name in (REFERENCE, "K = 32", "Glicko")
    )
    yield "K = 32 less K = 24", faster.minus(usual)
    yield "Glicko less K = 24", other.minus(usual)
    yield "level of K = 24", usual


def _error(measured: MeasuredGames, value: Value, way: str) -> float | None:
    """Return the standard error where games hang together this *way*."""
    clusters = measured.clusters
    if way in (WAYS[0], OURS):
        return clusters.error(value.terms)
    kept = clusters.parts(value.terms, value.terms)[: 1 if way == WAYS[1] else 2]
    return math.sqrt(math.fsum(kept))


def _at_once(
    measured: MeasuredGames, columns: Mapping[str, Sequence[float]]
) -> Iterator[Estimate]:
    """Yield all differences, with ranges that are to hold all of them at once."""
    values = {name: measured.of(PRIMARY_MEASURE, one) for name, one in columns.items()}
    factor = measured.factor_of_all(values, REFERENCE)
    for name, value in values.items():
        if name != REFERENCE:
            yield measured.estimate(value.minus(values[REFERENCE]), factor)


def _covered(values: Sequence[Estimate]) -> Coverage:
    truth = fmean(one.value for one in values)
    return Coverage(
        spread=stdev(one.value for one in values),
        error=fmean(one.error for one in values),
        coverage=fmean(one.low <= truth <= one.high for one in values),
    )


def _joint_coverage(together: Sequence[Sequence[Estimate]]) -> float:
    truths = [
        fmean(one.value for one in values) for values in zip(*together, strict=True)
    ]
    return fmean(
        all(
            one.low <= truth <= one.high
            for one, truth in zip(values, truths, strict=True)
        )
        for values in together
    )


# --- Calibration ---


def world(
    games: int, *, seed: int, fault: float = 0.0, draws: float = 0.4
) -> tuple[list[float], list[float]]:
    """Points, and predictions that are right but for *fault* of the favorites'.

    The favorite is expected to score so much more than is true.
    """
    randomness = Random(seed)
    points, predictions = [], []
    for _ in range(games):
        true = 1 / (1 + 10 ** (randomness.gauss(0, 250) / 400))
        drawn = draws * 4 * true * (1 - true)
        luck, won = randomness.random(), true - drawn / 2
        points.append(1.0 if luck < won else 0.5 if luck < won + drawn else 0.0)
        said = true + fault if true > 0.5 else true - fault
        predictions.append(min(1.0, max(0.0, said)))
    return points, predictions


def is_off(rows: Iterable[CalibrationBand]) -> bool:
    """Return whether a table flags a band."""
    return any(row.is_off for row in rows)
