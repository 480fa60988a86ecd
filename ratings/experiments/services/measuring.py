"""Comparisons of millions of games by numpy, where the extra is installed.

Games are put into groups by sorting numbers instead of looking up keys, and losses are
computed a stretch of games at a time, so that ten million games fit into memory. Values
have the bits that the laboratory gives them; ranges agree to twelve figures.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ratings.laboratory.comparing import (
    CHOOSE_BY,
    Columns,
    Comparison,
    Coverage,
    Measured,
    compare_columns,
    comparison_of,
    improvement_over,
    predicted_by_all,
)
from ratings.laboratory.measures import ROOT, NoGames
from ratings.laboratory.our_rules import CONTROL, Answer
from ratings.laboratory.ranges import (
    Clusters,
    Column,
    Estimate,
    Grouping,
    estimate,
    ratio_terms,
)
from ratings.laboratory.words import _
from ratings_site.common.database.binary_copy import numpy

# Games whose losses are Python's own numbers at a time.
STRETCH = 200_000


class Between(NamedTuple):
    """One variant beside another that is not the reference.

    *against* is its scaled deviance less the other's, *gain* what it gains of what the
    other foresees beyond a coin.
    """

    against: Estimate
    gain: Estimate


def compare_answer(answer: Answer, first_day: int = 0) -> Comparison:
    """Compare the replays of an experiment, by number, with the control."""
    return compare_all(answer, first_day)[0]


def compare_all(
    answer: Answer, first_day: int = 0
) -> tuple[Comparison, Between | None]:
    """Compare the replays, by number, with the control; two variants also together.

    The second is the second variant beside the first, None unless there are two. Games
    of sections that end on *first_day* or later count. Raises NoGames if there is none
    that all replays predict.
    """
    columns = answer.columns()
    if numpy is None:
        counted = {
            name: array(
                "d",
                [
                    prediction if day >= first_day else float("nan")
                    for prediction, day in zip(column, answer.played.day, strict=True)
                ],
            )
            for name, column in columns.items()
        }
        history = answer.history()
        comparison = compare_columns(history, counted, CONTROL)
        measured = Measured(history, predicted_by_all(counted))
        return comparison, _between(measured, counted)
    known = numpy.stack([~numpy.isnan(column) for column in columns.values()])
    known &= numpy.asarray(answer.played.day) >= first_day
    shared = numpy.flatnonzero(known.all(axis=0))
    if not len(shared):
        raise NoGames(
            _(
                "There is no game that all these systems predict. Take a longer "
                "history, less training, less evidence of players or fewer systems."
            )
        )
    anybody = int(known.any(axis=0).sum())
    covered = {
        name: Coverage(int(known[place].sum()), anybody)
        for place, name in enumerate(columns)
    }
    quick = _Measured(answer, shared)
    comparison = comparison_of(quick, columns, covered, CONTROL)
    return comparison, _between(quick, columns)


def _between(measured: Measured, columns: Columns) -> Between | None:
    if len(columns) != 3:
        return None
    one, other = (measured.of(CHOOSE_BY, two) for two in list(columns.values())[1:])
    return Between(
        measured.estimate(other.less(one)),
        measured.estimate(improvement_over(one, other)),
    )


class _Clusters(Clusters):
    """Groups of games as the laboratory has them, made and added up by numpy."""

    def added(self, values: Sequence[float], grouping: Grouping) -> Any:
        groups = grouping.count + 1
        return sum(numpy.bincount(one, values, groups) for one in grouping.places)[:-1]

    def multiplied(self, one: Any, other: Any) -> float:
        return float(numpy.dot(one, other))


def _numbered(keys: Any) -> tuple[Any, int]:
    """Return the place of each key, numbered in their order, and their count.

    It is `numpy.unique` in half of its memory.
    """
    order = numpy.argsort(keys)
    ordered = keys[order]
    is_next = ordered[1:] != ordered[:-1]
    del ordered
    places = numpy.zeros(len(keys), numpy.int32)
    places[order[1:]] = numpy.cumsum(is_next, dtype=numpy.int32)
    return places, int(is_next.sum()) + 1


def _grouped(sign: int, *keys: Any) -> Grouping:
    places, count = _numbered(numpy.concatenate(keys))
    return Grouping(sign, count, tuple(numpy.split(places, len(keys))))


def _grouped_of(chosen: Any, sign: int, keys: Any) -> Grouping:
    """Put the *chosen* games together; the others stand behind the last place."""
    found, count = _numbered(keys[chosen])
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


def _of_games(section: Any, one: Any, other: Any) -> _Clusters:
    """Mirror `Clusters.of_games`."""
    players = int(max(one.max(), other.max())) + 1
    section = section.astype(numpy.int64)
    low, high = numpy.minimum(one, other), numpy.maximum(one, other)
    pair, pairs = _numbered(low.astype(numpy.int64) * players + high)
    met, _meetings = _numbered(section * pairs + pair)
    again = _met_again(pair, pairs, met)
    return _Clusters(
        (
            _grouped(1, section),
            _grouped(1, one, other),
            _grouped_of(again, -1, pair),
            _grouped(-1, section * players + one, section * players + other),
            _grouped_of(again, 1, met),
        )
    )


class _Measured(Measured):
    """The games of the books that all replays predict, and their sums."""

    def __init__(self, answer: Answer, games: Any) -> None:
        played = answer.played
        self.games = games
        self._half_points = numpy.asarray(played.half_points)[games]
        self._players = [numpy.asarray(one)[games] for one in played[:2]]
        self._days = numpy.asarray(played.day)[games]
        section = numpy.asarray(played.section)[games]
        self.clusters = _of_games(section, *self._players)
        self.factor = self.clusters.factor()
        self._yardsticks: dict[Callable[..., list[float]], Column] = {}

    def _predicted(self, predictions: Sequence[float]) -> Any:
        return numpy.asarray(predictions)[self.games]

    def _column(self, losses: Callable[..., list[float]], *predicted: Any) -> Column:
        """Return the sums of a loss, computed a stretch at a time by the laboratory."""
        found = array("d")
        for begin in range(0, len(self.games), STRETCH):
            stretch = slice(begin, begin + STRETCH)
            points = (self._half_points[stretch] / 2).tolist()
            found.extend(losses(points, *(one[stretch].tolist() for one in predicted)))
        return self.clusters.column(found)

    def player_months(self, predictions: Sequence[float]) -> Estimate:
        error = self._half_points / 2 - self._predicted(predictions)
        months = _months(self._days)
        span = int(months.max()) + 1
        keys = numpy.concatenate(self._players).astype(numpy.int64) * span
        keys += numpy.tile(months, 2)
        places, count = _numbered(keys)
        found = numpy.empty(count, numpy.int64)
        found[places] = keys
        one, other = numpy.split(places, 2)
        off = numpy.bincount(one, error, count) - numpy.bincount(other, error, count)
        del keys, places, one, other, months, error
        clusters = _Clusters(
            (
                _grouped(1, found // span),
                _grouped(1, found % span),
                _grouped(-1, found),
            )
        )
        squares = clusters.column(array("d", (off * off).tobytes()))
        ones = clusters.column(array("d", numpy.ones(len(off)).tobytes()))
        ratio = squares.total / ones.total
        terms = ratio_terms(squares, ones, ROOT.slope(ratio))
        return estimate(ROOT.value(ratio), clusters.error(terms), clusters.factor())


def _months(days: Any) -> Any:
    """Return the month of each ordinal, counted from the first of them."""
    # numpy counts days from 1970; 719163 is the ordinal of its first.
    dates = (days.astype(numpy.int64) - 719_163).astype("datetime64[D]")
    months = dates.astype("datetime64[M]").astype(numpy.int64)
    return months - months.min()
