"""Comparisons of millions of games by numpy, where the extra is installed.

Games are put into groups by sorting numbers instead of looking up keys, and columns are
picked and added up without a Python number for each game, so that ten million games fit
into memory. Everything has the bits that the laboratory gives it.
"""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import ge
from typing import Any, NamedTuple, Self

from ratings.laboratory.comparing import (
    CHOOSE_BY,
    Columns,
    Comparison,
    Coverage,
    Measured,
    comparison_of,
    coverage,
    improvement_over,
    predicted_by_all,
    predicted_by_any,
)
from ratings.laboratory.history import NO_EVENT, History
from ratings.laboratory.measures import PlayerMonths
from ratings.laboratory.protocol import UNKNOWN
from ratings.laboratory.ranges import Clusters, Estimate, Grouping
from ratings_site.common.database.binary_copy import numpy

KEYS_AT_A_TIME = 1_000_000


class Between(NamedTuple):
    """One variant beside another that is not the reference.

    *against* is its scaled deviance less the other's, *gain* what it gains of what the
    other foresees beyond a coin.
    """

    against: Estimate
    gain: Estimate


class Measurement(NamedTuple):
    """Columns of predictions, the games that they are measured on, and their coverage.

    Of the games that count *measured* has those that all columns predict.
    """

    columns: Columns
    measured: Measured
    covered: Mapping[str, Coverage]

    def compared(self, reference: str) -> Comparison:
        """Compare the columns; raises NoGames if there is no game that all predict."""
        return comparison_of(self.measured, self.columns, self.covered, reference)

    def between(self) -> Between | None:
        """Return the last of three columns beside the second, else None."""
        if len(self.columns) != 3:
            return None
        one, other = (
            self.measured.of(CHOOSE_BY, column)
            for column in list(self.columns.values())[1:]
        )
        return Between(
            self.measured.estimate(other.less(one)),
            self.measured.estimate(improvement_over(one, other)),
        )


def measurement(
    history: History, columns: Columns, counts: Sequence[bool] | None = None
) -> Measurement:
    """Measure *columns*, by name, on the games of *history* that count; None is all."""
    if numpy is None:
        return _plainly(history, columns, counts)
    known = numpy.stack([~numpy.isnan(column) for column in columns.values()])
    if counts is not None:
        known &= numpy.asarray(counts, bool)
    shared = numpy.flatnonzero(known.all(axis=0)).astype(numpy.int32)
    anybody = int(known.any(axis=0).sum())
    covered = {
        name: Coverage(int(one.sum()), anybody)
        for name, one in zip(columns, known, strict=True)
    }
    return Measurement(columns, _Measured(history, shared), covered)


def _plainly(
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
    measured = Measured(history, predicted_by_all(counted))
    return Measurement(columns, measured, covered)


def ended_between(
    history: History, first_day: int | None, last_day: int | None
) -> Sequence[bool]:
    """Tell of each game whether its event ended on these days; None leaves it open."""
    days = history.rated_days
    low = first_day if first_day is not None else min(days, default=0)
    high = last_day if last_day is not None else max(days, default=0)
    if numpy is None:
        return array("b", (low <= day <= high for day in days))
    found = numpy.asarray(days)
    return (low <= found) & (found <= high)  # type: ignore[no-any-return]


def at_least(*asked: tuple[Sequence[int], int]) -> Sequence[bool]:
    """Tell of each game whether every column has the least that is asked of it.

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
    """Groups of games as the laboratory has them, made and added up by numpy."""

    @classmethod
    def of_games(
        cls, events: Sequence[int], white: Sequence[int], black: Sequence[int]
    ) -> Self:
        one, other = numpy.asarray(white), numpy.asarray(black)
        event, _count = _numbered(numpy.asarray(events))
        players = int(max(one.max(), other.max())) + 1
        low, high = numpy.minimum(one, other), numpy.maximum(one, other)
        pair, pairs = _numbered(low.astype(numpy.int64) * players + high)
        del low, high
        met, _meetings = _numbered(event.astype(numpy.int64) * pairs + pair)
        again = _met_again(pair, pairs, met)
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
    def of_two(cls, one: Sequence[int], other: Sequence[int]) -> Self:
        first, second = numpy.asarray(one), numpy.asarray(other)
        both = first.astype(numpy.int64) * (int(second.max()) + 1) + second
        return cls((_grouped(1, first), _grouped(1, second), _grouped(-1, both)))

    def added(self, values: Sequence[float], grouping: Grouping) -> Any:
        totals = numpy.zeros(grouping.count + 1)
        for places in grouping.places:
            numpy.add.at(totals, places, numpy.asarray(values))  # in the order of games
        return totals[:-1]

    def multiplied(self, one: Any, other: Any) -> float:
        return math.fsum(memoryview(one * other))


def _numbered(keys: Any) -> tuple[Any, int]:
    """Return the place of each key, numbered in their order, and how many there are.

    There is one key at least. It is `numpy.unique` in a third of its memory.
    """
    order = numpy.argsort(keys)
    is_next = numpy.empty(len(keys) - 1, bool)
    for start in range(0, len(is_next), KEYS_AT_A_TIME):
        ordered = keys[order[start : start + KEYS_AT_A_TIME + 1]]
        is_next[start : start + KEYS_AT_A_TIME] = ordered[1:] != ordered[:-1]
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
    """Group the games by *keys*, those of one side of all games behind the other's."""
    places, count = _numbered(keys)
    return Grouping(sign, count, tuple(numpy.split(places, sides)))


def _grouped_of(chosen: Any, sign: int, keys: Any) -> Grouping:
    """Put the *chosen* games together; the others stand behind the last place."""
    found, count = _numbered(keys[chosen]) if chosen.any() else (0, 0)
    places = numpy.full(len(keys), count, numpy.int32)
    places[chosen] = found
    return Grouping(sign, count, (places,))


def _met_again(pair: Any, pairs: int, met: Any) -> Any:
    """Tell of each game whether its two players met in several events."""
    lowest = numpy.full(pairs, len(met), met.dtype)
    highest = numpy.full(pairs, -1, met.dtype)
    numpy.minimum.at(lowest, pair, met)
    numpy.maximum.at(highest, pair, met)
    return (lowest != highest)[pair]


class _Measured(Measured):
    """The games that are measured, picked and put together by numpy."""

    def picked(self, typecode: str, column: Sequence[float]) -> array:
        chosen = array(typecode, [0]) * len(self.games)
        numpy.asarray(chosen)[:] = numpy.asarray(column)[self.games]
        return chosen

    def _clusters_of(self, events: array, days: array) -> Clusters:
        units = numpy.asarray(events)
        units = numpy.where(units == NO_EVENT, -1 - numpy.asarray(days), units)
        return _Clusters.of_games(units, self.white, self.black)

    def _player_months(self, predicted: Sequence[float]) -> PlayerMonths:
        error = numpy.asarray(self.points) - numpy.asarray(predicted)
        months = _months(self.days)
        span = int(months.max()) + 1
        keys = numpy.empty(2 * len(error), numpy.int64)
        for side, players in enumerate((self.white, self.black)):
            keys[side::2] = numpy.asarray(players, numpy.int64) * span + months
        places, count = _numbered(keys)
        off = numpy.zeros(count)
        numpy.add.at(off, places, numpy.column_stack((error, -error)).ravel())
        came = _as_they_came(places, count)
        found, off = keys[came], off[places[came]]
        return PlayerMonths(found // span, found % span, off * off)

    def _by_both(self, found: PlayerMonths) -> Clusters:
        return _Clusters.of_two(found.players, found.months)


def _as_they_came(places: Any, count: int) -> Any:
    """Return where each of the places stands first, upward."""
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
