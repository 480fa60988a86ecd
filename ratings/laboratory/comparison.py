"""Several systems compared on the same games, with confidence intervals."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, Self

from .confidence_intervals import (
    Clusters,
    Column,
    Estimate,
    Terms,
    estimate,
    ratio_terms,
    scale_terms,
    simultaneous_factor,
)
from .experiment import Outcome
from .history import NO_EVENT, History
from .measures import (
    COIN_FLIP,
    MEASURES,
    ROOT,
    Measure,
    NoGames,
    PlayerMonths,
    months_of,
    player_month_squares,
)
from .words import _

PRIMARY_MEASURE: Final = "scaled_deviance"
"""The measure by which systems are put in order and improvements are told."""

CHUNK_SIZE: Final = 200_000
"""Games whose losses are Python's own numbers at a time."""

Losses = Callable[..., list[float]]

Columns = Mapping[str, Sequence[float]]
"""Predictions for every game of a history by the names of systems, nan where none."""


class HistoryMismatch(ValueError):
    """Raised if outcomes of different games are compared."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the games that count a system predicted."""

    predicted: int
    games: int

    @property
    def share(self) -> float:
        return self.predicted / self.games if self.games else 0.0


@dataclass(frozen=True)
class ComparedSystem:
    """One system in a comparison.

    *measures* are by the keys of `MEASURES`. *player_month_rmse* is in points of a
    player and month. *against_reference* is the scaled deviance less the reference's,
    below 0 where this system is better; *among_all* is the same difference with a
    range that holds together with those of all other systems; *improvement* is the
    share of the reference's distance from a coin that it gains (see `improvement`).
    The three are None for the reference itself.
    """

    name: str
    coverage: Coverage
    measures: Mapping[str, Estimate]
    player_month_rmse: Estimate
    against_reference: Estimate | None
    among_all: Estimate | None
    improvement: Estimate | None


@dataclass(frozen=True)
class Comparison:
    """Systems measured on the *games* that all of them predict, the best one first.

    *events* and *players* are those of these games. A range is *factor* standard
    errors to each side, one that holds for all differences at once *factor_of_all*.
    """

    reference: str
    games: int
    events: int
    players: int
    systems: Sequence[ComparedSystem]
    factor: float
    factor_of_all: float


def predicted_by_all(columns: Columns) -> array[int]:
    """Return the numbers of the games that every system predicts.

    >>> list(predicted_by_all({"a": [0.5, math.nan, 1.0], "b": [math.nan, 0.5, 0.0]}))
    [2]
    """
    return _predicted(columns, all)


def predicted_by_any(columns: Columns) -> array[int]:
    """Return the numbers of the games that at least one system predicts.

    >>> unknown = math.nan
    >>> list(predicted_by_any({"a": [0.5, unknown, unknown], "b": [0.5, 0.5, unknown]}))
    [0, 1]
    """
    return _predicted(columns, any)


def _predicted(
    columns: Columns, quantifier: Callable[[Iterable[bool]], bool]
) -> array[int]:
    rows = enumerate(zip(*columns.values(), strict=True))
    return array("i", (n for n, row in rows if quantifier(one == one for one in row)))


def coverage(predictions: Sequence[float], counting: Sequence[int]) -> Coverage:
    """Return how many of the games numbered *counting* have a prediction.

    >>> coverage([0.5, math.nan, 0.75], [0, 1])
    Coverage(predicted=1, games=2)
    """
    known = [game for game in counting if predictions[game] == predictions[game]]
    return Coverage(len(known), len(counting))


def event_or_day_keys(events: Sequence[int], days: Sequence[int]) -> array[int]:
    """Return the event of each game, or its day if it has none.

    >>> list(event_or_day_keys([NO_EVENT, 4], [9, 9]))
    [-10, 4]
    """
    return array(
        "i",
        (
            -1 - day if event == NO_EVENT else event
            for event, day in zip(events, days, strict=True)
        ),
    )


def improvement(deviance: float, reference: float) -> float:
    """Return (B − A)/(100 − B): what share of B's distance from a coin A gains.

    *deviance* (A) and *reference* (B) are scaled deviances. Not a number where the
    reference is no better than a coin, because it then has no distance to gain on.

    >>> improvement(70.0, 80.0), improvement(90.0, 80.0)
    (0.5, -0.5)
    """
    distance = COIN_FLIP - reference
    return (reference - deviance) / distance if distance > 0 else math.nan


def compare(
    history: History,
    outcomes: Mapping[str, Outcome],
    reference: str,
    *,
    counting: Sequence[int] | None = None,
) -> Comparison:
    """Measure *outcomes*, by name, on the games that all of them predict.

    Raises HistoryMismatch if an outcome is of other games than *history*; all else
    is as `compare_columns` has it.
    """
    columns = prediction_columns(history, outcomes)
    return compare_columns(history, columns, reference, counting=counting)


def prediction_columns(history: History, outcomes: Mapping[str, Outcome]) -> Columns:
    """Return the predictions of *outcomes*, all of the games of *history*."""
    digest = history.digest()
    for name, outcome in outcomes.items():
        if outcome.history_digest != digest:
            raise HistoryMismatch(
                f"{name} was run over other games than these. Run it again."
            )
    return {name: outcome.predictions for name, outcome in outcomes.items()}


def compare_columns(
    history: History,
    columns: Columns,
    reference: str,
    *,
    counting: Sequence[int] | None = None,
) -> Comparison:
    """Measure predictions for *history*, by name, on the games that all of them have.

    Improvements are relative to the column named *reference*, coverage of the games
    numbered *counting*, by default those that any of them predicts. Raises NoGames if
    there is no game that all predict, and KeyError for an unknown reference.
    """
    measured = MeasuredGames(history, predicted_by_all(columns))
    counted = predicted_by_any(columns) if counting is None else counting
    covered = {name: coverage(column, counted) for name, column in columns.items()}
    return comparison_of(measured, columns, covered, reference)


def comparison_of(
    measured: MeasuredGames,
    columns: Columns,
    covered: Mapping[str, Coverage],
    reference: str,
) -> Comparison:
    """Return the comparison of *columns* on the games that are *measured*.

    Raises NoGames if there is none.
    """
    if not len(measured.games):
        raise NoGames(
            _(
                "No game is predicted by all of these systems. Use more games, "
                "less training, a lower minimum of games, or fewer systems."
            )
        )
    # First, while there are no sums of other groups beside those of players' months.
    by_month = {name: measured.player_months(one) for name, one in columns.items()}
    measures: dict[str, dict[str, Estimate]] = {}
    chosen: dict[str, Value] = {}
    for name, column in columns.items():
        measures[name] = {}
        for key, value in measured.all_measures(column):
            measures[name][key] = measured.estimate(value)
            if key == PRIMARY_MEASURE:
                chosen[name] = value
            measured.prune_cache([*chosen.values(), value])
    theirs = chosen[reference]
    factor_of_all = measured.factor_of_all(chosen, reference)
    systems = []
    for name, ours in chosen.items():
        against = None if name == reference else ours.minus(theirs)
        gained = None if name == reference else improvement_value(theirs, ours)
        systems.append(
            ComparedSystem(
                name=name,
                coverage=covered[name],
                measures=measures[name],
                player_month_rmse=by_month[name],
                against_reference=measured.estimate_of(against),
                among_all=measured.estimate_of(against, factor_of_all),
                improvement=measured.estimate_of(gained),
            )
        )
    events, players = measured.clusters.counts
    return Comparison(
        reference=reference,
        games=len(measured.games),
        events=events,
        players=players,
        systems=sorted(systems, key=lambda one: one.measures[PRIMARY_MEASURE].value),
        factor=measured.factor,
        factor_of_all=factor_of_all,
    )


@dataclass(frozen=True, slots=True)
class Value:
    """A measure of all games, and how it moves with the sums it is made of."""

    value: float
    terms: Terms

    def minus(self, other: Value) -> Value:
        return Value(
            self.value - other.value, [*self.terms, *scale_terms(other.terms, -1.0)]
        )


def improvement_value(theirs: Value, ours: Value) -> Value:
    """Return the share of *theirs* to a coin that *ours* gains (see `improvement`)."""
    distance = COIN_FLIP - theirs.value
    value = improvement(ours.value, theirs.value)
    if value != value:
        return Value(value, [])
    by_theirs = (COIN_FLIP - ours.value) / distance**2
    return Value(
        value,
        [
            *scale_terms(ours.terms, -1 / distance),
            *scale_terms(theirs.terms, by_theirs),
        ],
    )


class MeasuredGames:
    """The games that are measured, as columns, and what systems share of the sums."""

    def __init__(self, history: History, games: Sequence[int]) -> None:
        """Measure on the *games* of these numbers."""
        played = history.games
        self.history = history
        self.games = games
        self.points = self.select("d", played.points)
        self.white = self.select("i", played.white)
        self.black = self.select("i", played.black)
        self.days = self.select("i", history.rated_days)
        self._baselines: dict[Callable[[Sequence[float]], list[float]], Column] = {}

    def part(self, start: int, stop: int) -> Self:
        """Measure on the games from place *start* up to, not with, *stop*."""
        return type(self)(self.history, self.games[start:stop])

    def select(self, typecode: str, column: Sequence[float]) -> array[Any]:
        """Return a *column* of all games for those that are measured."""
        return array(typecode, map(column.__getitem__, self.games))

    @cached_property
    def clusters(self) -> Clusters:
        """The groups of games that depend on each other."""
        played = self.history.games
        return self._clusters_of(
            self.select("i", played.events), self.select("i", played.days)
        )

    def _clusters_of(self, events: array[int], days: array[int]) -> Clusters:
        return Clusters.from_games(
            event_or_day_keys(events, days), self.white, self.black
        )

    @cached_property
    def factor(self) -> float:
        """How many standard errors a range has to each side."""
        return self.clusters.factor()

    def all_measures(self, predictions: Sequence[float]) -> Iterator[tuple[str, Value]]:
        """Yield every measure by its key; those of the same losses share their sums.

        These come one after the other, so no other sums are needed meanwhile.
        """
        predicted = self.select("d", predictions)
        for losses, measures in groupby(MEASURES.values(), attrgetter("losses")):
            lost = self._column(losses, predicted)
            for measure in measures:
                yield measure.key, self._value(measure, lost)

    def of(self, key: str, predictions: Sequence[float]) -> Value:
        """Return the measure named *key* alone."""
        measure = MEASURES[key]
        lost = self.clusters.column(self.losses(key, predictions))
        return self._value(measure, lost)

    def losses(self, key: str, predictions: Sequence[float]) -> array[float]:
        """Return what each game loses by the measure named *key*."""
        return self._loss_sums(MEASURES[key].losses, self.select("d", predictions))

    def _loss_sums(
        self, losses: Callable[..., list[float]], *predicted: Any
    ) -> array[float]:
        """Return a loss of each game, computed a stretch of games at a time."""
        found = array("d")
        for begin in range(0, len(self.games), CHUNK_SIZE):
            stretch = slice(begin, begin + CHUNK_SIZE)
            columns = (self.points, *predicted)
            found.extend(losses(*(one[stretch] for one in columns)))
        return found

    def _column(self, losses: Losses, *predicted: Any) -> Column:
        return self.clusters.column(self._loss_sums(losses, *predicted))

    def _value(self, measure: Measure, lost: Column) -> Value:
        if measure.baseline not in self._baselines:
            self._baselines[measure.baseline] = self._column(measure.baseline)
        return self.value_from_sums(measure, lost, self._baselines[measure.baseline])

    @staticmethod
    def value_from_sums(measure: Measure, lost: Column, baseline: Column) -> Value:
        """Return a measure from the sums of its losses and of its yardstick."""
        value = measure.of(lost.total, baseline.total)
        if value != value:
            return Value(value, [])
        slope = measure.transform.slope(lost.total / baseline.total)
        return Value(value, ratio_terms(lost, baseline, slope))

    def prune_cache(self, values: Iterable[Value]) -> None:
        """Forget the sums that no yardstick and none of these *values* is made of."""
        used = [column for value in values for column, _weight in value.terms]
        self.clusters.prune_cache([*self._baselines.values(), *used])

    def estimate(self, value: Value, factor: float | None = None) -> Estimate:
        """Return a value with its range, *factor* standard errors to each side."""
        error = self.clusters.error(value.terms)
        return estimate(value.value, error, self.factor if factor is None else factor)

    def estimate_of(
        self, value: Value | None, factor: float | None = None
    ) -> Estimate | None:
        return None if value is None else self.estimate(value, factor)

    def factor_of_all(self, values: Mapping[str, Value], reference: str) -> float:
        """Return the factor of ranges that hold all differences at once."""
        theirs = values[reference]
        several = [
            value.minus(theirs).terms
            for name, value in values.items()
            if name != reference
        ]
        return simultaneous_factor(self.clusters, several)

    def player_months(self, predictions: Sequence[float]) -> Estimate:
        """Return the error of a player and month, clustered by both."""
        found = self._player_months(self.select("d", predictions))
        clusters = self._player_month_clusters(found)
        squares = clusters.column(found.squares)
        ones = clusters.column(array("d", [1.0]) * len(found.squares))
        ratio = squares.total / ones.total
        terms = ratio_terms(squares, ones, ROOT.slope(ratio))
        return estimate(ROOT.value(ratio), clusters.error(terms), clusters.factor())

    def _player_months(self, predicted: Sequence[float]) -> PlayerMonths:
        months = months_of(self.days)
        return player_month_squares(
            months, self.white, self.black, self.points, predicted
        )

    def _player_month_clusters(self, found: PlayerMonths) -> Clusters:
        return Clusters.from_pairs(found.players, found.months)
