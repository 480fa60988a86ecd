"""Calibration of millions of games by numpy, where the extra is installed.

The tables are those of `ratings.laboratory.calibration`, to the last bit: every band is
added up in the order of the games.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ratings.laboratory import calibration as plain
from ratings.laboratory import experiment
from ratings.laboratory.calibration import (
    AGE_BANDS,
    EXPECTANCY_EDGES,
    GAP,
    LAST_GAP,
    BandSums,
    CalibrationBand,
    band_limits,
    calibration_bands,
    gap_limits,
)
from ratings.laboratory.experiment import Plan
from ratings.laboratory.history import History
from ratings.research.experiments.services.numpy_measures import dates_of
from ratings_site.common.db.binary_copy import numpy

# Games whose places and scores are in memory at a time.
CHUNK_SIZE = 1_000_000


def expectancy_bands(
    points: Sequence[float], predictions: Sequence[float]
) -> list[CalibrationBand]:
    if numpy is None:
        return plain.expectancy_bands(points, predictions)
    bands = _BandSums(len(EXPECTANCY_EDGES) - 1)
    for score, prediction in _stretches(points, predictions):
        score, prediction = _favorite_side(score, prediction, prediction - 0.5)
        places = numpy.searchsorted(EXPECTANCY_EDGES, prediction, "right")
        bands.add(numpy.minimum(places, bands.count) - 1, score, prediction)
    return calibration_bands(bands.added(), list(pairwise(EXPECTANCY_EDGES)))


def gap_bands(
    points: Sequence[float],
    predictions: Sequence[float],
    white_ratings: Sequence[float],
    black_ratings: Sequence[float],
) -> list[CalibrationBand]:
    if numpy is None:
        return plain.gap_bands(points, predictions, white_ratings, black_ratings)
    last = LAST_GAP // GAP
    bands = _BandSums(last + 2)
    columns = (points, predictions, white_ratings, black_ratings)
    for score, prediction, white, black in _stretches(*columns):
        gap = white - black
        is_known = ~numpy.isnan(gap)
        steps = numpy.minimum(numpy.abs(gap) // GAP, last)
        places = numpy.where(is_known, steps, last + 1).astype(int)
        lead = numpy.where(is_known, gap, prediction - 0.5)
        bands.add(places, *_favorite_side(score, prediction, lead))
    return calibration_bands(bands.added(), gap_limits())


def value_bands(
    points: Sequence[float],
    predictions: Sequence[float],
    white_values: Sequence[float | None],
    black_values: Sequence[float | None],
    edges: Sequence[int],
) -> list[CalibrationBand]:
    if numpy is None:
        return plain.value_bands(points, predictions, white_values, black_values, edges)
    bands = _BandSums(len(edges) + 1)
    columns = (points, predictions, white_values, black_values)
    for score, prediction, white, black in _stretches(*columns):
        one, other = _places(white, edges), _places(black, edges)
        bands.add_sides(one, other, score, prediction)
    return calibration_bands(bands.added(), band_limits(edges))


def ages(
    days: Sequence[int], players: Sequence[int], birth_years: Sequence[int | None]
) -> Sequence[float | None]:
    if numpy is None:
        return plain.ages(days, players, birth_years)
    born = numpy.array(birth_years or [None] * (max(players, default=0) + 1), "f4")
    years = dates_of(days).astype("datetime64[Y]").astype("f4") + 1970
    found: Any = years - born[players]
    found[found < 0] = numpy.nan
    return found  # type: ignore[no-any-return]


def people_by_age(
    players: Sequence[Sequence[int]], ages: Sequence[Sequence[float | None]]
) -> dict[tuple[float | None, float | None], int]:
    """Return the number of people in each age band, by its limits.

    White's and Black's columns stand one after the other.
    """
    who: list[set[int]] = [set() for _band in range(len(AGE_BANDS) + 1)]
    for column, old in zip(players, ages, strict=True):
        for place, people in _people(column, old):
            who[place].update(people)
    counts = map(len, who)
    return dict(zip(band_limits(AGE_BANDS), counts, strict=True))


def _people(
    players: Sequence[int], ages: Sequence[float | None]
) -> Iterator[tuple[int, Sequence[int]]]:
    if numpy is None:
        for player, age in zip(players, ages, strict=True):
            yield plain.band_index(age, AGE_BANDS), (player,)
        return
    places = _places(ages, AGE_BANDS)
    for place in range(len(AGE_BANDS) + 1):
        yield place, numpy.unique(numpy.asarray(players)[places == place]).tolist()


def games_before(history: History, plan: Plan) -> Sequence[Sequence[int]]:
    """Return how many games White and Black had before the period of each game."""
    if numpy is None:
        return experiment.games_before(history, plan)
    sides = [numpy.asarray(one) for one in (history.games.white, history.games.black)]
    found: list[Any] = [numpy.zeros(len(history), numpy.int32) for _side in sides]
    played = numpy.zeros(len(history.ids), numpy.int32)
    for period in history.periods(plan.months, plan.first_day, plan.last_day):
        span = slice(period.start, period.stop)
        for side, before in zip(sides, found, strict=True):
            before[span] = played[side[span]]
        for side in sides:
            numpy.add.at(played, side[span], 1)
    return found


class _BandSums:
    """Expected and actual scores and their variance, added up band by band."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._games, self._draws = numpy.zeros((2, count), int)
        self._expected, self._actual, self._variance = numpy.zeros((3, count))

    def add(self, places: Any, scores: Any, predictions: Any) -> None:
        variance = predictions * (1.0 - predictions)
        self._add(places, 1, scores, predictions, variance, scores == 0.5)

    def add_sides(self, one: Any, other: Any, scores: Any, predictions: Any) -> None:
        """Add both sides of each game, one after the other.

        Where both are in one band, they are added as one with the expected score.
        """
        together = numpy.repeat(one == other, 2)
        is_kept = ~together
        is_kept[::2] = True
        places, scores, predictions = (
            numpy.column_stack(pair).ravel()[is_kept]
            for pair in (
                (one, other),
                (scores, 1.0 - scores),
                (predictions, 1.0 - predictions),
            )
        )
        together = together[is_kept]
        self._add(
            places,
            1 + together,
            numpy.where(together, 1.0, scores),
            numpy.where(together, 1.0, predictions),
            numpy.where(together, 0.0, predictions * (1.0 - predictions)),
            ~together & (scores == 0.5),
        )

    def _add(
        self,
        places: Any,
        games: Any,
        scores: Any,
        predictions: Any,
        variance: Any,
        draws: Any,
    ) -> None:
        numpy.add.at(self._games, places, games)
        numpy.add.at(self._actual, places, scores)
        numpy.add.at(self._expected, places, predictions)
        numpy.add.at(self._variance, places, variance)
        numpy.add.at(self._draws, places, draws)

    def added(self) -> BandSums:
        bands = BandSums(self.count)
        bands.games = self._games.tolist()
        bands.expected = self._expected.tolist()
        bands.actual = self._actual.tolist()
        bands.variance = self._variance.tolist()
        bands.draws = self._draws.tolist()
        return bands


def _stretches(
    points: Sequence[float], predictions: Sequence[float], *more: Sequence[Any]
) -> Iterator[list[Any]]:
    """Yield the columns in chunks, of games that are predicted."""
    for begin in range(0, len(points), CHUNK_SIZE):
        stretch = slice(begin, begin + CHUNK_SIZE)
        columns = [
            numpy.asarray(one[stretch], float) for one in (points, predictions, *more)
        ]
        is_predicted = ~numpy.isnan(columns[1])
        yield [one[is_predicted] for one in columns]


def _favorite_side(scores: Any, predictions: Any, lead: Any) -> tuple[Any, Any]:
    """Return both for the side that is ahead; without a *lead*, half of both sides."""
    ahead, behind = lead > 0, lead < 0
    return (
        numpy.where(ahead, scores, numpy.where(behind, 1.0 - scores, 0.5)),
        numpy.where(ahead, predictions, numpy.where(behind, 1.0 - predictions, 0.5)),
    )


def _places(values: Any, edges: Sequence[int]) -> Any:
    """Return the band that each value is in; the last one if unknown."""
    values = numpy.asarray(values, float)
    places = numpy.maximum(numpy.searchsorted(edges, values, "right") - 1, 0)
    return numpy.where(numpy.isnan(values), len(edges), places)
