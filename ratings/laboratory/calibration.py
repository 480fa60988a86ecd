"""Calibration: whether players score as a system expects, band by band.

Bands of expectancy and of the rating gap show the favorite's, the higher rated player's
side of each game: who had which color plays no part, and a game counts once. Where
neither is ahead, half of both sides counts. Bands of rating, age and number of games
show each player's own side, so there a game counts twice: once in White's band, once in
Black's. Players with an unknown value have a separate row, and games that the system
does not predict are in no row.

The effect of chance is computed as if the system were right: a game expected to give P
varies by P(1 − P), less a quarter where it may be drawn, because a draw is never far
from what was expected. With d the share of draws that is P(1 − P) − d/4. A game whose
two sides are in one band has no effect there: one gains the other's loss. The ranges of
a table hold for all of its bands at once (Šidák 1967), so of the tables of a system
that is right 95 in 100 show nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import Final, NamedTuple, TypeVar

from ratings.engine.classes import CLASSES

Member = TypeVar("Member")

RATING_BANDS: Final = tuple(sorted(one.lowest for one in CLASSES))
"""Where the classes of rating begin, in rating points."""
AGE_BANDS: Final = (0, 10, 13, 16, 19, 26, 40, 50, 65)
"""First years of age, counted as year of the game less year of birth."""
GAME_BANDS: Final = (0, 5, 10, 15, 25, 50, 100, 250, 500)
"""Games played before; below 15 the R package PlayerRatings leaves games out."""
GAP: Final = 50
"""Rating points that a band of the rating gap holds."""
LAST_GAP: Final = 800
"""From this gap on, games are in one band."""

EXPECTANCY_EDGES: Final = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))
"""Where the bands of the favorite's expected score begin, and where the last ends."""

_LEVEL: Final = 0.95
_MIN_VARIANCE: Final = 10.0
"""With less in a band, P(1 − P) added up, no law of large numbers holds yet."""


class Interval(NamedTuple):
    """The range of the score if the system is right, for all bands at once."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CalibrationBand:
    """One band: *low* up to, not with, *high*, each None where the band is open.

    Both are None for what is not known. *expected* and *actual* are mean scores of a
    game, *interval* goes with *actual*; it is None where there are too few games.
    """

    low: float | None
    high: float | None
    games: int
    expected: float
    actual: float
    interval: Interval | None

    @property
    def difference(self) -> float:
        """Actual less expected: above 0 where the system expects too little."""
        return self.actual - self.expected

    @property
    def is_off(self) -> bool:
        """Whether the difference is more than chance explains in all of the table."""
        if self.interval is None:
            return False
        return not self.interval.low <= self.expected <= self.interval.high


def critical_value(bands: int, level: float = _LEVEL) -> float:
    """Return how many standard errors hold so many bands at once.

    >>> round(critical_value(1), 2), round(critical_value(10), 2)
    (1.96, 2.8)
    """
    return NormalDist().inv_cdf((1 + level ** (1 / bands)) / 2)


def expectancy_bands(
    points: Sequence[float], predictions: Sequence[float]
) -> list[CalibrationBand]:
    """Return a row for each twentieth of the favorite's expected score that occurs.

    >>> for row in expectancy_bands([1, 0.5, 0], [0.52, 0.48, 0.01]):
    ...     print(row.low, row.high, row.games, row.actual)
    0.5 0.55 2 0.75
    0.95 1.0 1 1.0
    """
    edges = EXPECTANCY_EDGES
    bands = BandSums(len(edges) - 1)
    for score, prediction in zip(points, predictions, strict=True):
        if prediction == prediction:
            score, prediction = _favorite_side(score, prediction, prediction - 0.5)
            place = min(bisect_right(edges, prediction), len(edges) - 1) - 1
            bands.add(place, score, prediction)
    return calibration_bands(bands, list(pairwise(edges)))


def _favorite_side(score: float, prediction: float, lead: float) -> tuple[float, float]:
    """Return both for the side that is ahead; without a *lead*, half of both sides."""
    if lead > 0:
        return score, prediction
    if lead < 0:
        return 1.0 - score, 1.0 - prediction
    return 0.5, 0.5


def gap_bands(
    points: Sequence[float],
    predictions: Sequence[float],
    white_ratings: Sequence[float],
    black_ratings: Sequence[float],
) -> list[CalibrationBand]:
    """Return a row for each 50 points by which one player was rated higher.

    Scores are those of the higher rated player; half of both if the ratings are equal.
    Ratings are in rating points before the game, nan while unrated.

    >>> rows = gap_bands([1, 0, 0.5], [0.5, 0.4, 0.7], [1500, 1480, 1700], [1490] * 3)
    >>> [(row.low, row.games, row.actual) for row in rows]
    [(0, 2, 1.0), (200, 1, 0.5)]
    """
    last = LAST_GAP // GAP
    bands = BandSums(last + 2)
    for score, prediction, white, black in zip(
        points, predictions, white_ratings, black_ratings, strict=True
    ):
        if prediction != prediction:
            continue
        gap = white - black
        if gap == gap:
            place = min(int(abs(gap) // GAP), last)
            score, prediction = _favorite_side(score, prediction, gap)
        else:
            place = last + 1
            score, prediction = _favorite_side(score, prediction, prediction - 0.5)
        bands.add(place, score, prediction)
    return calibration_bands(bands, gap_limits())


def gap_limits() -> list[tuple[int | None, int | None]]:
    """Return the limits of each band of the gap, the unknown last."""
    _below_0, *limits = band_limits([-GAP, *range(0, LAST_GAP + 1, GAP)])
    return limits


def value_bands(
    points: Sequence[float],
    predictions: Sequence[float],
    white_values: Sequence[float | None],
    black_values: Sequence[float | None],
    edges: Sequence[int],
) -> list[CalibrationBand]:
    """Return a row for each band of something about the players, from both sides.

    The values are ratings, ages or numbers of games before each game, None or nan
    where unknown. *edges* are where bands begin, upward: `RATING_BANDS`, `AGE_BANDS`,
    `GAME_BANDS`. The first band holds all that is less than the second edge, so none
    is lost.

    >>> rows = value_bands([1, 0], [0.75, 0.5], [9, 30], [30, None], AGE_BANDS)
    >>> [(row.low, row.high, row.games, row.difference) for row in rows]
    [(None, 10, 1, 0.25), (26, 40, 2, -0.375), (None, None, 1, 0.5)]
    """
    bands = BandSums(len(edges) + 1)
    places = _BandIndex(edges)
    for score, prediction, white, black in zip(
        points, predictions, white_values, black_values, strict=True
    ):
        if prediction == prediction:
            one, other = places[white], places[black]
            if one == other:
                bands.add_both_sides(one)
            else:
                bands.add(one, score, prediction)
                bands.add(other, 1.0 - score, 1.0 - prediction)
    return calibration_bands(bands, band_limits(edges))


def ages(
    days: Sequence[int],
    players: Sequence[int],
    birth_years: Sequence[int | None],
) -> list[int | None]:
    """Return the age of each game's player: its year less the year of birth.

    *days* are ordinals. Where there are no birth years, or one would make a player
    younger than 0, the age is None.

    >>> ages([date(2024, 1, 1).toordinal()] * 2, [0, 1], [2010, None])
    [14, None]
    """
    if not birth_years:
        return [None] * len(days)
    found: list[int | None] = []
    for day, player in zip(days, players, strict=True):
        born = birth_years[player]
        age = None if born is None else _year_of(day) - born
        found.append(None if age is None or age < 0 else age)
    return found


def band_index(value: float | None, edges: Sequence[int]) -> int:
    """Return the number of the band that *value* is in; the last one if unknown.

    The first band holds all that is less than the second edge.

    >>> [band_index(value, (0, 10, 13)) for value in (-5, 9, 10, 99, None, math.nan)]
    [0, 0, 1, 2, 3, 3]
    """
    if value is None or value != value:
        return len(edges)
    return max(0, bisect_right(edges, value) - 1)


def band_limits(edges: Sequence[int]) -> list[tuple[int | None, int | None]]:
    """Return the limits of each band, and (None, None) for the unknown.

    >>> band_limits((0, 10, 13))
    [(None, 10), (10, 13), (13, None), (None, None)]
    """
    lows, highs = (None, *edges[1:]), (*edges[1:], None)
    return [*zip(lows, highs, strict=True), (None, None)]


def members_by_band(
    values: Sequence[float | None], members: Sequence[Member], edges: Sequence[int]
) -> Iterator[tuple[int | None, int | None, list[Member]]]:
    """Yield the limits of each band of *values* that has members, and the members.

    >>> list(members_by_band([5, 11, None], "abc", (0, 10, 13)))
    [(None, 10, ['a']), (10, 13, ['b']), (None, None, ['c'])]
    """
    bands: list[list[Member]] = [[] for _ in range(len(edges) + 1)]
    for value, member in zip(values, members, strict=True):
        bands[band_index(value, edges)].append(member)
    for (low, high), found in zip(band_limits(edges), bands, strict=True):
        if found:
            yield low, high, found


class BandSums:
    """Expected and actual scores and their variance, added up band by band."""

    def __init__(self, count: int) -> None:
        self.games = [0] * count
        self.expected = [0.0] * count
        self.actual = [0.0] * count
        self.variance = [0.0] * count
        self.draws = [0] * count

    def add(self, band: int, score: float, prediction: float) -> None:
        self.games[band] += 1
        self.expected[band] += prediction
        self.actual[band] += score
        self.variance[band] += prediction * (1.0 - prediction)
        self.draws[band] += score == 0.5

    def add_both_sides(self, band: int) -> None:
        """Add both sides of a game: together they make the expected score."""
        self.games[band] += 2
        self.expected[band] += 1.0
        self.actual[band] += 1.0

    def error(self, band: int) -> float | None:
        """Return the standard error of the sum of scores, None of too few games."""
        most = self.variance[band]
        if most < _MIN_VARIANCE:
            return None
        # More draws than a right system could have must not make it look sure.
        return math.sqrt(max(most - self.draws[band] / 4, most / 4))


class _BandIndex(dict[float | None, int]):
    """The band of each value, cached because the same values come often."""

    def __init__(self, edges: Sequence[int]) -> None:
        super().__init__()
        self.edges = edges

    def __missing__(self, value: float | None) -> int:
        place = band_index(value, self.edges)
        if isinstance(value, int):  # ages and games; ratings hardly come twice
            self[value] = place
        return place


@lru_cache(maxsize=65536)
def _year_of(day: int) -> int:
    return date.fromordinal(day).year


def calibration_bands(
    bands: BandSums, limits: Sequence[tuple[float | None, float | None]]
) -> list[CalibrationBand]:
    """Return a row for each band in which there are games."""
    errors = [bands.error(place) for place in range(len(limits))]
    factor = critical_value(max(1, sum(error is not None for error in errors)))
    return [
        _row(low, high, bands, place, None if error is None else factor * error)
        for place, ((low, high), error) in enumerate(zip(limits, errors, strict=True))
        if bands.games[place]
    ]


def _row(
    low: float | None,
    high: float | None,
    bands: BandSums,
    place: int,
    reach: float | None,
) -> CalibrationBand:
    """Return a row; its sum of scores may be off by *reach*."""
    games, actual = bands.games[place], bands.actual[place]
    return CalibrationBand(
        low,
        high,
        games,
        bands.expected[place] / games,
        actual / games,
        None
        if reach is None
        else Interval((actual - reach) / games, (actual + reach) / games),
    )
