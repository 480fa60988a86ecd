"""Whether players score what a system expects of them, band by band.

Bands of expectancy show White's side of each game, bands of the rating gap that of the
higher rated player; both count a game once. Bands of rating, age and number of games
show each player's own side, so there a game counts twice: once in White's band, once
in Black's. What is not known of a player goes into a row of its own, and games that
the system does not predict are in no row.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import Final, NamedTuple

from ratings.engine.classes import CLASSES

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

_DECILES: Final = 10
_LEVEL: Final = 0.95


class Interval(NamedTuple):
    """Between *low* and *high* the true value can be expected in 95 of 100 cases."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CalibrationBand:
    """One band: *low* up to, not with, *high*, each None where the band is open.

    Both are None for what is not known. *expected* and *actual* are mean scores of a
    game, *interval* goes with *actual*.
    """

    low: float | None
    high: float | None
    games: int
    expected: float
    actual: float
    interval: Interval

    @property
    def difference(self) -> float:
        """Actual less expected: above 0 where the system expects too little."""
        return self.actual - self.expected

    @property
    def is_off(self) -> bool:
        """Whether the difference is more than chance explains."""
        return not self.interval.low <= self.expected <= self.interval.high


def score_interval(mean_score: float, games: int, level: float = _LEVEL) -> Interval:
    """Return Wilson's interval for the mean score of so many games.

    It is made for wins and losses. Draws only make scores steadier, so with them it is
    wider than it need be, never narrower. Raises ValueError without games.

    >>> low, high = score_interval(1.0, 10)
    >>> round(low, 4), high
    (0.7225, 1.0)
    """
    if games < 1:
        raise ValueError("Without games there is no mean score.")
    z = NormalDist().inv_cdf((1 + level) / 2)
    weight = 1 + z * z / games
    middle = (mean_score + z * z / (2 * games)) / weight
    variance = mean_score * (1 - mean_score) / games + z * z / (4 * games * games)
    half = z * math.sqrt(max(0.0, variance)) / weight
    # Rounding must not put a score of 0 or 1 outside of its own interval.
    return Interval(
        min(mean_score, max(0.0, middle - half)),
        max(mean_score, min(1.0, middle + half)),
    )


def by_expectancy(
    points: Sequence[float], predictions: Sequence[float]
) -> list[CalibrationBand]:
    """Return a row for each tenth of White's expected score that occurs.

    >>> for row in by_expectancy([1, 0.5, 1], [0.52, 0.58, 1.0]):
    ...     print(row.low, row.high, row.games, row.actual)
    0.5 0.6 2 0.75
    0.9 1.0 1 1.0
    """
    bands = _Bands(_DECILES)
    for score, prediction in zip(points, predictions, strict=True):
        if prediction == prediction:
            band = max(0, min(int(prediction * _DECILES), _DECILES - 1))
            bands.expected[band].append(prediction)
            bands.actual[band].append(score)
    tenths = [band / _DECILES for band in range(_DECILES + 1)]
    return _rows(bands, list(pairwise(tenths)))


def by_gap(
    points: Sequence[float],
    predictions: Sequence[float],
    white_ratings: Sequence[float],
    black_ratings: Sequence[float],
) -> list[CalibrationBand]:
    """Return a row for each 50 points by which one player was rated higher.

    Scores are those of the higher rated player, White's if both ratings are equal.
    Ratings are in rating points before the game, nan while unrated.

    >>> rows = by_gap([1, 0, 0.5], [0.5, 0.4, 0.7], [1500, 1480, 1700], [1490] * 3)
    >>> [(row.low, row.games, row.actual) for row in rows]
    [(0, 2, 1.0), (200, 1, 0.5)]
    """
    last = LAST_GAP // GAP
    bands = _Bands(last + 2)
    for score, prediction, white, black in zip(
        points, predictions, white_ratings, black_ratings, strict=True
    ):
        if prediction != prediction:
            continue
        gap = white - black
        if gap != gap:
            band = last + 1
        else:
            band = min(int(abs(gap) // GAP), last)
            if gap < 0:
                score, prediction = 1.0 - score, 1.0 - prediction
        bands.expected[band].append(prediction)
        bands.actual[band].append(score)
    _below_0, *limits = band_limits([-GAP, *range(0, LAST_GAP + 1, GAP)])
    return _rows(bands, limits)


def by_band(
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

    >>> rows = by_band([1, 0], [0.75, 0.5], [9, 30], [30, None], AGE_BANDS)
    >>> [(row.low, row.high, row.games, row.difference) for row in rows]
    [(None, 10, 1, 0.25), (26, 40, 2, -0.375), (None, None, 1, 0.5)]
    """
    bands = _Bands(len(edges) + 1)
    places = _Places(edges)
    for score, prediction, white, black in zip(
        points, predictions, white_values, black_values, strict=True
    ):
        if prediction == prediction:
            place = places[white]
            bands.expected[place].append(prediction)
            bands.actual[place].append(score)
            place = places[black]
            bands.expected[place].append(1.0 - prediction)
            bands.actual[place].append(1.0 - score)
    return _rows(bands, band_limits(edges))


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


def band_of(value: float | None, edges: Sequence[int]) -> int:
    """Return the number of the band that *value* is in; the last one if unknown.

    The first band holds all that is less than the second edge.

    >>> [band_of(value, (0, 10, 13)) for value in (-5, 9, 10, 99, None, math.nan)]
    [0, 0, 1, 2, 3, 3]
    """
    if value is None or value != value:
        return len(edges)
    return max(0, bisect_right(edges, value) - 1)


def band_limits(edges: Sequence[int]) -> list[tuple[int | None, int | None]]:
    """Return from where to where each band goes, and (None, None) for the unknown.

    >>> band_limits((0, 10, 13))
    [(None, 10), (10, 13), (13, None), (None, None)]
    """
    lows, highs = (None, *edges[1:]), (*edges[1:], None)
    return [*zip(lows, highs, strict=True), (None, None)]


class _Bands:
    """Expected and actual scores, band by band."""

    def __init__(self, count: int) -> None:
        self.expected: list[list[float]] = [[] for _ in range(count)]
        self.actual: list[list[float]] = [[] for _ in range(count)]


class _Places(dict[float | None, int]):
    """In which band each value is; remembers, because the same values come often."""

    def __init__(self, edges: Sequence[int]) -> None:
        super().__init__()
        self.edges = edges

    def __missing__(self, value: float | None) -> int:
        place = band_of(value, self.edges)
        if isinstance(value, int):  # ages and games; ratings hardly come twice
            self[value] = place
        return place


@lru_cache(maxsize=65536)
def _year_of(day: int) -> int:
    return date.fromordinal(day).year


def _rows(
    bands: _Bands, limits: Sequence[tuple[float | None, float | None]]
) -> list[CalibrationBand]:
    """Return a row for each band in which there are games."""
    return [
        _row(low, high, expected, actual)
        for (low, high), expected, actual in zip(
            limits, bands.expected, bands.actual, strict=True
        )
        if expected
    ]


def _row(
    low: float | None,
    high: float | None,
    expected: Sequence[float],
    actual: Sequence[float],
) -> CalibrationBand:
    games = len(expected)
    scored = math.fsum(actual) / games
    return CalibrationBand(
        low,
        high,
        games,
        math.fsum(expected) / games,
        scored,
        score_interval(scored, games),
    )
