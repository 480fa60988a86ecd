"""Comparisons of millions of games by numpy, where the extra is installed.

Games are put into groups by sorting numbers instead of looking up keys, and columns are
picked and added up without a Python number for each game, so that ten million games fit
into memory. Everything has the bits that the laboratory gives it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import ge
from typing import Any, NamedTuple, Self

from ratings.laboratory.comparison import (
    PRIMARY_MEASURE,
    Columns,
    Comparison,
    Coverage,
    MeasuredGames,
    comparison_of,
    coverage,
    improvement_value,
    predicted_by_all,
    predicted_by_any,
)
from ratings.laboratory.confidence_intervals import Clusters, Estimate, Grouping
from ratings.laboratory.history import NO_EVENT, History
from ratings.laboratory.measures import PlayerMonths
from ratings.laboratory.protocol import UNKNOWN
from ratings_site.common.db.binary_copy import numpy

KEY_BATCH_SIZE = 1_000_000


class VariantPair(NamedTuple):
    """One variant compared with another that is not the reference.

    *against* is its scaled deviance less the other's, *gain* its gain relative to the
    other's distance from a coin.
    """

    against: Estimate
    gain: Estimate


class Measurement(NamedTuple):
    """Columns of predictions, the games that they are measured on, and their coverage.

    *measured* has the games that count and that all columns predict.
    """

    columns: Columns
    measured: MeasuredGames
    covered: Mapping[str, Coverage]

    def compared(self, reference: str) -> Comparison:
        """Compare the columns; raises NoGames if there is no game that all predict."""
        return comparison_of(self.measured, self.columns, self.covered, reference)

    def between(self) -> VariantPair | None:
        """Return the last of three columns compared with the second, else None."""
        if len(self.columns) != 3:
            return None
        one, other = (
            self.measured.of(PRIMARY_MEASURE, column)
            for column in list(self.columns.values())[1:]
        )
        return VariantPair(
            self.measured.estimate(other.minus(one)),
            self.measured.estimate(improvement_value(one, other)),
        )


def measurement(
    history: History, columns: Columns, counts: Sequence[bool] | None = None
) -> Measurement:
    """Measure *columns*, by name, on the games of *history* that count; None is all."""
    if numpy is None:
        return _measure_without_numpy(history, columns, counts)
    known = numpy.stack([~numpy.isnan(column) for column in columns.values()])
    if counts is not None:
        known &= numpy.asarray(counts, bool)
    shared: Any = numpy.flatnonzero(known.all(axis=0)).astype(numpy.int32)
    anybody = int(known.any(axis=0).sum())
    covered = {
        name: Coverage(int(one.sum()), anybody)
        for name, one in zip(columns, known, strict=True)
    }
    return Measurement(columns, _Measured(history, shared), covered)


def _measure_without_numpy(
    history: History, columns: Columns, counts: Sequence[bool] | None
) -> Measurement:
    counted = columns
    if counts is not None:
        counted = {
            name: [
                one if does else UNKNOWN
                for one, does in zip(column, counts, strict=True)
            ]
            for name, column in columns.items()
        }
    anybody = predicted_by_any(counted)
    covered = {name: coverage(column, anybody) for name, column in counted.items()}
    measured = MeasuredGames(history, predicted_by_all(counted))
    return Measurement(columns, measured, covered)


def ended_between(
    history: History, first_day: int | None, last_day: int | None
) -> Sequence[bool]:
    """Return for each game whether its event ended on these days; None is open."""
    days = history.rated_days
    low = first_day if first_day is not None else min(days, default=0)
    high = last_day if last_day is not None else max(days, default=0)
    if numpy is None:
        return array("b", (low <= day <= high for day in days))
    found: Any = numpy.asarray(days)
    return (found >= low) & (found <= high)  # type: ignore[no-any-return]


def at_least(*asked: tuple[Sequence[int], int]) -> Sequence[bool]:
    """Return for each game whether every column reaches its minimum.

    >>> list(map(bool, at_least(([1, 5, 5], 2), ([9, 9, 3], 4))))
    [False, True, False]
    """
    columns, least = zip(*asked, strict=True)
    if numpy is None:
        rows = zip(*columns, strict=True)
        return array("b", (all(map(ge, row, least)) for row in rows))
    found = (numpy.asarray(one) >= low for one, low in asked)
    return numpy.logical_and.reduce(list(found))  # type: ignore[no-any-return]


class _Clusters(Clusters):
    """The laboratory's groups of games, made and added up by numpy."""

    @classmethod
    def from_games(
        cls, events: Sequence[int], white: Sequence[int], black: Sequence[int]
    ) -> Self:
        one, other = numpy.asarray(white), numpy.asarray(black)
        event, _count = _factorize(numpy.asarray(events))
        players = int(max(one.max(), other.max())) + 1
        low, high = numpy.minimum(one, other), numpy.maximum(one, other)
        pair, pairs = _factorize(low.astype(numpy.int64) * players + high)
        del low, high
        met, _meetings = _factorize(event.astype(numpy.int64) * pairs + pair)
        again = _repeat_pairs(pair, pairs, met)
        return cls(
            (
                _grouped(1, event),
                _grouped(1, numpy.concatenate((one, other)), sides=2),
                _grouped_of(again, -1, pair),
                _grouped(-1, _entries(players, event, one, other), sides=2),
                _grouped_of(again, 1, met),
            )
        )

    @classmethod
    def from_pairs(cls, one: Sequence[int], other: Sequence[int]) -> Self:
        first, second = numpy.asarray(one), numpy.asarray(other)
        both = first.astype(numpy.int64) * (int(second.max()) + 1) + second
        return cls((_grouped(1, first), _grouped(1, second), _grouped(-1, both)))

    def sum_by_group(self, values: Sequence[float], grouping: Grouping) -> Any:
        totals = numpy.zeros(grouping.count + 1)
        for places in grouping.places:
            numpy.add.at(totals, places, numpy.asarray(values))  # in the order of games
        return totals[:-1]

    def sum_products(self, one: Any, other: Any) -> float:
        return math.fsum(memoryview(one * other))


def _factorize(keys: Any) -> tuple[Any, int]:
    """Return the place of each key, numbered in their order, and how many there are.

    There is one key at least. It is `numpy.unique` in a third of its memory.
    """
    order = numpy.argsort(keys)
    is_next = numpy.empty(len(keys) - 1, bool)
    for start in range(0, len(is_next), KEY_BATCH_SIZE):
        ordered = keys[order[start : start + KEY_BATCH_SIZE + 1]]
        is_next[start : start + KEY_BATCH_SIZE] = ordered[1:] != ordered[:-1]
    places = numpy.zeros(len(keys), numpy.int32)
    places[order[1:]] = numpy.cumsum(is_next, dtype=numpy.int32)
    return places, int(is_next.sum()) + 1


def _entries(players: int, event: Any, one: Any, other: Any) -> Any:
    """Return a key of event and player for each side: all of *one*, then *other*.

    *players* is one more than the highest number of a player.
    """
    keys = numpy.concatenate((event, event), dtype=numpy.int64)
    keys *= players
    keys[: len(one)] += one
    keys[len(one) :] += other
    return keys


def _grouped(sign: int, keys: Any, *, sides: int = 1) -> Grouping:
    """Group the games by *keys*, all of one side before all of the other."""
    places, count = _factorize(keys)
    split: Any = numpy.split(places, sides)
    return Grouping(sign, count, tuple(split))


def _grouped_of(chosen: Any, sign: int, keys: Any) -> Grouping:
    """Group the *chosen* games; the others go after the last place."""
    found, count = _factorize(keys[chosen]) if chosen.any() else (0, 0)
    places: Any = numpy.full(len(keys), count, numpy.int32)
    places[chosen] = found
    return Grouping(sign, count, (places,))


def _repeat_pairs(pair: Any, pairs: int, met: Any) -> Any:
    """Return for each game whether its two players met in several events."""
    lowest = numpy.full(pairs, len(met), met.dtype)
    highest = numpy.full(pairs, -1, met.dtype)
    numpy.minimum.at(lowest, pair, met)
    numpy.maximum.at(highest, pair, met)
    return (lowest != highest)[pair]


class _Measured(MeasuredGames):
    """The games that are measured, selected and grouped by numpy."""

    def select(self, typecode: str, column: Sequence[float]) -> array[Any]:
        chosen = array(typecode, [0]) * len(self.games)
        numpy.asarray(chosen)[:] = numpy.asarray(column)[self.games]
        return chosen

    def _clusters_of(self, events: array[int], days: array[int]) -> Clusters:
        units: Any = numpy.asarray(events)
        units = numpy.where(units == NO_EVENT, -1 - numpy.asarray(days), units)
        return _Clusters.from_games(units, self.white, self.black)

    def _player_months(self, predicted: Sequence[float]) -> PlayerMonths:
        error = numpy.asarray(self.points) - numpy.asarray(predicted)
        months = _months(self.days)
        span = int(months.max()) + 1
        keys = numpy.empty(2 * len(error), numpy.int64)
        for side, players in enumerate((self.white, self.black)):
            keys[side::2] = numpy.asarray(players, numpy.int64) * span + months
        places, count = _factorize(keys)
        off = numpy.zeros(count)
        numpy.add.at(off, places, numpy.column_stack((error, -error)).ravel())
        came = _first_positions(places, count)
        found, off = keys[came], off[places[came]]
        return PlayerMonths(found // span, found % span, off * off)

    def _player_month_clusters(self, found: PlayerMonths) -> Clusters:
        return _Clusters.from_pairs(found.players, found.months)


def _first_positions(places: Any, count: int) -> Any:
    """Return the first index of each place, ascending."""
    first = numpy.empty(count, numpy.int64)
    # Where a place is set several times, the last one stays: from the end, the first.
    first[places[::-1]] = numpy.arange(len(places))[::-1]
    first.sort()
    return first


def dates_of(days: Iterable[int]) -> Any:
    """Return ordinal *days* as dates of numpy."""
    # It counts days from 1970; 719163 is the ordinal of its first.
    return (numpy.asarray(days, numpy.int64) - 719_163).astype("datetime64[D]")


def _months(days: Iterable[int]) -> Any:
    """Return the month of each ordinal, counted from the first of them."""
    months = dates_of(days).astype("datetime64[M]").astype(numpy.int64)
    return months - months.min()
