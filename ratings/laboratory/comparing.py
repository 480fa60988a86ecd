"""Several systems beside each other: the same games for all, the same draws for all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .bootstrap import (
    RESAMPLES,
    Estimate,
    Sums,
    estimate,
    paired_difference,
    resampled,
    sums_by_unit,
)
from .experiment import Outcome
from .history import NO_EVENT, History
from .measures import COIN, MEASURES, Losses, NoGames, months_of, player_month_squares
from .protocol import Games
from .words import _

CHOOSE_BY: Final = "scaled_deviance"
"""The measure by which systems are put in order and improvements are told."""

Columns = Mapping[str, Sequence[float]]
"""Predictions for every game of a history by the names of systems, nan where none."""


class DifferentHistories(ValueError):
    """Outcomes of different games stand beside each other; the message says so."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of how many games that count a system predicted how many."""

    predicted: int
    games: int

    @property
    def share(self) -> float:
        return self.predicted / self.games if self.games else 0.0


@dataclass(frozen=True)
class Compared:
    """One system in a comparison.

    *measures* are by the keys of `MEASURES`. *player_month_rmse* is in points of a
    player and month. *against_reference* is the scaled deviance less the reference's,
    below 0 where this system is better; *improvement* is the share of the reference's
    distance from a coin that it gains (see `improvement`). Both are None for the
    reference itself.
    """

    name: str
    coverage: Coverage
    measures: Mapping[str, Estimate]
    player_month_rmse: Estimate
    against_reference: Estimate | None
    improvement: Estimate | None


@dataclass(frozen=True)
class Comparison:
    """Systems measured on the *games* that all of them predict, the best one first.

    *events* is the number of what was drawn as a whole for the ranges; *seed* and
    *resamples* repeat them.
    """

    reference: str
    games: int
    events: int
    systems: Sequence[Compared]
    seed: int
    resamples: int


def predicted_by_all(columns: Columns) -> list[int]:
    """Return the numbers of the games that every system predicts.

    >>> predicted_by_all({"a": [0.5, math.nan, 1.0], "b": [math.nan, 0.5, 0.0]})
    [2]
    """
    return [
        game
        for game, predictions in enumerate(zip(*columns.values(), strict=True))
        if all(one == one for one in predictions)
    ]


def predicted_by_any(columns: Columns) -> list[int]:
    """Return the numbers of the games that at least one system predicts.

    >>> predicted_by_any({"a": [0.5, math.nan, math.nan], "b": [0.5, 0.5, math.nan]})
    [0, 1]
    """
    return [
        game
        for game, predictions in enumerate(zip(*columns.values(), strict=True))
        if any(one == one for one in predictions)
    ]


def coverage(predictions: Sequence[float], counting: Sequence[int]) -> Coverage:
    """Return how many of the games numbered *counting* have a prediction.

    >>> coverage([0.5, math.nan, 0.75], [0, 1])
    Coverage(predicted=1, games=2)
    """
    known = [game for game in counting if predictions[game] == predictions[game]]
    return Coverage(len(known), len(counting))


def units_of(games: Games) -> list[int]:
    """Return for each game what is drawn as a whole: its event, else its day.

    >>> units_of(Games([0, 0], [1, 1], [1, 0], [9, 9], [NO_EVENT, 4], [0, 0]))
    [-10, 4]
    """
    return [
        -1 - day if event == NO_EVENT else event
        for event, day in zip(games.events, games.days, strict=True)
    ]


def improvement(deviance: float, reference: float) -> float:
    """Return (B − A)/(100 − B): what share of B's distance from a coin A gains.

    *deviance* (A) and *reference* (B) are scaled deviances. Not a number where the
    reference is no better than a coin, because it then has no distance to gain on.

    >>> improvement(70.0, 80.0), improvement(90.0, 80.0)
    (0.5, -0.5)
    """
    distance = COIN - reference
    return (reference - deviance) / distance if distance > 0 else math.nan


def compare(
    history: History,
    outcomes: Mapping[str, Outcome],
    reference: str,
    *,
    counting: Sequence[int] | None = None,
    seed: int,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Measure *outcomes*, by name, on the games that all of them predict.

    Raises DifferentHistories if an outcome is of other games than *history*; all else
    is as `compare_columns` has it.
    """
    return compare_columns(
        history,
        _columns(history, outcomes),
        reference,
        counting=counting,
        seed=seed,
        resamples=resamples,
    )


def _columns(history: History, outcomes: Mapping[str, Outcome]) -> Columns:
    digest = history.digest()
    for name, outcome in outcomes.items():
        if outcome.history_digest != digest:
            raise DifferentHistories(
                f"{name} was run over other games than these. Run it again."
            )
    return {name: outcome.predictions for name, outcome in outcomes.items()}


def compare_columns(
    history: History,
    columns: Columns,
    reference: str,
    *,
    counting: Sequence[int] | None = None,
    seed: int,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Measure predictions for *history*, by name, on the games that all of them have.

    Improvements are told against the column named *reference*, coverage of the games
    numbered *counting*, by default those that anybody predicts. Raises NoGames if
    there is no game that all predict, and KeyError for an unknown reference.
    """
    shared = predicted_by_all(columns)
    if not shared:
        raise NoGames(
            _(
                "There is no game that all these systems predict. Take a longer "
                "history, a shorter warm-up or fewer systems."
            )
        )
    counted = predicted_by_any(columns) if counting is None else counting
    measured = _Measured(history, shared, seed, resamples)
    estimates = measured.everything(columns)
    theirs = estimates[reference][CHOOSE_BY]
    months = measured.months(columns)
    systems = [
        Compared(
            name=name,
            coverage=coverage(predictions, counted),
            measures={key: one.estimate() for key, one in estimates[name].items()},
            player_month_rmse=months[name],
            against_reference=_less(estimates[name][CHOOSE_BY], theirs),
            improvement=_improvement(estimates[name][CHOOSE_BY], theirs),
        )
        for name, predictions in columns.items()
    ]
    return Comparison(
        reference=reference,
        games=len(shared),
        events=len(set(measured.units)),
        systems=sorted(systems, key=lambda one: one.measures[CHOOSE_BY].value),
        seed=seed,
        resamples=resamples,
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A measure of all games, and what it was on each draw."""

    value: float
    values: Sequence[float]

    def estimate(self) -> Estimate:
        return estimate(self.value, self.values)


def _less(ours: _Drawn, theirs: _Drawn) -> Estimate | None:
    if ours is theirs:
        return None
    return paired_difference(ours.value, ours.values, theirs.value, theirs.values)


def _improvement(ours: _Drawn, theirs: _Drawn) -> Estimate | None:
    if ours is theirs:
        return None
    return estimate(
        improvement(ours.value, theirs.value),
        [
            improvement(one, other)
            for one, other in zip(ours.values, theirs.values, strict=True)
        ],
    )


class _Measured:
    """The games that are measured, and what all systems share of the sums."""

    def __init__(
        self, history: History, shared: Sequence[int], seed: int, resamples: int
    ) -> None:
        games = history.games
        units = units_of(games)
        self.shared = shared
        self.seed = seed
        self.resamples = resamples
        self.points = [games.points[game] for game in shared]
        self.white = [games.white[game] for game in shared]
        self.black = [games.black[game] for game in shared]
        self.units = [units[game] for game in shared]
        self.of_month = months_of([history.rated_days[game] for game in shared])
        self.yardsticks = {
            yardstick: sums_by_unit(yardstick(self.points), self.units)
            for yardstick in {measure.yardstick for measure in MEASURES.values()}
        }

    def everything(self, columns: Columns) -> dict[str, dict[str, _Drawn]]:
        """Return every measure of every system, all on the same draws."""
        sums = {name: self._sums(column) for name, column in columns.items()}
        drawn = self._drawn([one for system in sums.values() for one in system])
        return {name: {key: next(drawn) for key in MEASURES} for name in columns}

    def _sums(self, predictions: Sequence[float]) -> list[Sums]:
        """Return the sums of every measure; those with the same losses share them."""
        predicted = [predictions[game] for game in self.shared]
        losses: dict[Losses, list[float]] = {}
        for measure in MEASURES.values():
            if measure.losses not in losses:
                one_by_one = measure.losses(self.points, predicted)
                losses[measure.losses] = sums_by_unit(one_by_one, self.units)
        return [
            Sums(losses[measure.losses], self.yardsticks[measure.yardstick], measure.of)
            for measure in MEASURES.values()
        ]

    def months(self, columns: Columns) -> dict[str, Estimate]:
        """Return the player-month errors, with whole months drawn instead of events."""
        sums = [self._month_sums(column) for column in columns.values()]
        drawn = self._drawn(sums)
        return {name: one.estimate() for name, one in zip(columns, drawn, strict=True)}

    def _month_sums(self, predictions: Sequence[float]) -> Sums:
        predicted = [predictions[game] for game in self.shared]
        months, squares = player_month_squares(
            self.of_month, self.white, self.black, self.points, predicted
        )
        ones = [1.0] * len(squares)
        return Sums(
            sums_by_unit(squares, months),
            sums_by_unit(ones, months),
            lambda sum_of_squares, count: math.sqrt(sum_of_squares / count),
        )

    def _drawn(self, several: Sequence[Sums]) -> Iterator[_Drawn]:
        draws = resampled(several, seed=self.seed, resamples=self.resamples)
        for sums, values in zip(several, draws, strict=True):
            yield _Drawn(sums.of_all(), values)
