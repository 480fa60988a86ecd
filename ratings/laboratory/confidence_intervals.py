"""Confidence intervals of measures, over other events and other players.

Games depend on each other in two ways. Games of one event are alike, and all games of
one player lean on the same strength and the same rating; each game has two players. So
the variance of a measure is counted over all pairs of games that share an event or a
player (Cameron, Gelbach and Miller 2011; with two players a game as in Aronow, Samii
and Assenova 2015):

    V = V(event) + V(player) − V(pair) − V(event and player) + V(event and pair)

where each term adds the squares of what a group of games contributes together. A pair
is taken off because two games of the same two players share both of them; the last two
terms take off what event and player count twice. Of two who met in one event only, pair
and event-and-pair are the same, and neither is kept. Nothing is drawn by lot: a range
costs the same passes over the games every time, and is the same on every machine.

What a game contributes to a ratio of sums, ΣL/ΣY, is (L − ratio · Y)/ΣY, the first term
of its expansion; `docs/laboratory.md` says how the ranges were checked.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import mul
from random import Random
from statistics import NormalDist
from typing import Final, NamedTuple

LEVEL: Final = 0.95
DRAWS: Final = 4000
"""So many draws find the factor of simultaneous ranges to about 0.02."""
SEED: Final = 1
POWER: Final = 0.8
"""A difference counts as one that can be seen if it shows so often."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and the range in which the true one lies in 95 of 100 such cases.

    *error* is the standard error, in the units of *value*. All three but the value are
    None where they are unknown: for a single event, or for NaN.
    """

    value: float
    low: float | None = None
    high: float | None = None
    error: float | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the whole range lies on one side of 0."""
        if self.low is None or self.high is None:
            return False
        return self.low > 0 or self.high < 0


def estimate(value: float, error: float | None, factor: float) -> Estimate:
    """Return *value* with *factor* standard errors to both sides of it.

    >>> estimate(5.0, 0.5, 2.0)
    Estimate(value=5.0, low=4.0, high=6.0, error=0.5)
    """
    if error is None or not math.isfinite(value) or not math.isfinite(error):
        return Estimate(value)
    return Estimate(value, value - factor * error, value + factor * error, error)


class Column(NamedTuple):
    """One number a game, added up: over all games, and over each group of them."""

    total: float
    sums: tuple[Sequence[float], ...]


Terms = Sequence[tuple[Column, float]]
"""How a value moves with the totals of columns: its derivative by each of them."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """A way to put games together; a game is in a group for each of its *places*.

    One whose place is *count* is in none.
    """

    sign: int
    count: int
    places: tuple[array[int], ...]


class Clusters:
    """Groups of dependent things; made with `from_games` or `from_pairs`.

    Columns of the same things are made with `column`; `error` is the standard error
    of a value that depends on them.
    """

    def __init__(self, groupings: Sequence[Grouping]) -> None:
        self._groupings = groupings
        self._products: dict[tuple[int, int], tuple[float, ...]] = {}
        self._kept: list[Column] = []

    @classmethod
    def from_games(
        cls, events: Sequence[int], white: Sequence[int], black: Sequence[int]
    ) -> Clusters:
        """Return the groups of games that share an event or a player, one place each.

        >>> games = Clusters.from_games([7, 7, 8, 8], [0, 1, 0, 2], [1, 2, 2, 1])
        >>> scores = games.column([1.0, 0.0, 1.0, 0.5])
        >>> scores.total, list(scores.sums[0])
        (2.5, [1.0, 1.5])
        """
        event, number_of_events = _factorize(events)
        players, number_of_players = _factorize([*white, *black])
        one, other = players[: len(event)], players[len(event) :]
        pair, pairs = _factorize(
            a * number_of_players + b if a < b else b * number_of_players + a
            for a, b in zip(one, other, strict=True)
        )
        entries, entered = _factorize(
            place * number_of_players + player
            for column in (one, other)
            for place, player in zip(event, column, strict=True)
        )
        met, meetings = _factorize(
            place * pairs + two for place, two in zip(event, pair, strict=True)
        )
        pair, pairs, met, meetings = _repeat_pairs(pair, pairs, met)
        return cls(
            (
                Grouping(1, number_of_events, (event,)),
                Grouping(1, number_of_players, (one, other)),
                Grouping(-1, pairs, (pair,)),
                Grouping(-1, entered, (entries[: len(event)], entries[len(event) :])),
                Grouping(1, meetings, (met,)),
            )
        )

    @classmethod
    def from_pairs(cls, one: Sequence[int], other: Sequence[int]) -> Clusters:
        """Return the groups of things that share either of two labels."""
        first, firsts = _factorize(one)
        second, seconds = _factorize(other)
        both, boths = _factorize(
            a * seconds + b for a, b in zip(first, second, strict=True)
        )
        return cls(
            (
                Grouping(1, firsts, (first,)),
                Grouping(1, seconds, (second,)),
                Grouping(-1, boths, (both,)),
            )
        )

    def sum_by_group(
        self, values: Sequence[float], grouping: Grouping
    ) -> Sequence[float]:
        """Return the sum of *values* in each group, added in the order of games."""
        totals = [0.0] * (grouping.count + 1)
        for places in grouping.places:
            for place, value in zip(places, values, strict=True):
                totals[place] += value
        return array("d", totals[:-1])

    def sum_products(self, one: Sequence[float], other: Sequence[float]) -> float:
        """Return the sum of the products of two columns, place by place."""
        return math.fsum(map(mul, one, other))

    @property
    def counts(self) -> tuple[int, int]:
        """The number of groups of either kind, such as events and players."""
        return self._groupings[0].count, self._groupings[1].count

    def column(self, values: Sequence[float]) -> Column:
        """Return the sums of *values*, one a game, over all groups."""
        sums = tuple(self.sum_by_group(values, one) for one in self._groupings)
        column = Column(math.fsum(values), sums)
        self._kept.append(column)  # products are cached by identity
        return column

    def prune_cache(self, columns: Iterable[Column]) -> None:
        """Forget all columns but these, whose sums may be as many as games."""
        kept = {id(column): column for column in columns}
        self._kept = list(kept.values())
        self._products = {
            key: product
            for key, product in self._products.items()
            if kept.keys() >= set(key)
        }

    def factor(self, level: float = LEVEL) -> float:
        """Return how many standard errors a range has to each side.

        Student's, for as many groups of equal size as events or players are worth,
        whichever are fewer: one that played half of all games is not one of a hundred.
        """
        return t_critical_value(
            min(self._effective_count(0), self._effective_count(1)) - 1, level
        )

    def _effective_count(self, grouping: int) -> float:
        chosen = self._groupings[grouping]
        ones = self.sum_by_group(array("d", [1.0]) * len(chosen.places[0]), chosen)
        squares = self.sum_products(ones, ones)
        return math.fsum(ones) ** 2 / squares if squares else 0.0

    def error(self, terms: Terms) -> float | None:
        """Return the standard error of a value; None of a single event or pair.

        With few groups the result can be below the events' part alone; then that part
        counts.
        """
        if min(self.counts) < 2:
            return None
        parts = self.parts(terms, terms)
        signed = (
            one.sign * part for one, part in zip(self._groupings, parts, strict=True)
        )
        return math.sqrt(max(math.fsum(signed), parts[0], 0.0))

    def covariance(self, one: Terms, other: Terms) -> float:
        """Return how two values vary together, by events and players.

        The parts that are taken off again are left out, so a matrix of these can
        always be drawn from; it is for correlations only.
        """
        return math.fsum(self.parts(one, other)[:2])

    def parts(self, one: Terms, other: Terms) -> list[float]:
        """Return how two values vary together by each way to group, without signs."""
        products = [
            (weight * factor, self._product(column, partner))
            for column, weight in one
            for partner, factor in other
        ]
        return [
            math.fsum(weight * parts[place] for weight, parts in products)
            for place in range(len(self._groupings))
        ]

    def _product(self, one: Column, other: Column) -> tuple[float, ...]:
        key = (id(one), id(other)) if id(one) <= id(other) else (id(other), id(one))
        if key not in self._products:
            self._products[key] = tuple(
                self.sum_products(ours, theirs)
                for ours, theirs in zip(one.sums, other.sums, strict=True)
            )
        return self._products[key]


def _factorize(keys: Iterable[int]) -> tuple[array[int], int]:
    """Return the place of each key, numbered as they first come, and their count."""
    places: dict[int, int] = {}
    found = array("i", [places.setdefault(key, len(places)) for key in keys])
    return found, len(places)


def _repeat_pairs(
    pair: Sequence[int], pairs: int, met: Sequence[int]
) -> tuple[array[int], int, array[int], int]:
    """Return pairs and meetings of those who met in several events, the rest nowhere.

    Where two met in one event only, pair and meeting are the same games, and what the
    one takes off the other gives back. Most pairs are such.
    """
    first = array("i", [-1]) * pairs
    again = bytearray(pairs)
    for two, meeting in zip(pair, met, strict=True):
        if first[two] < 0:
            first[two] = meeting
        elif first[two] != meeting:
            again[two] = True
    chosen = [again[two] for two in pair]
    return (*_renumber_selected(pair, chosen), *_renumber_selected(met, chosen))


def _renumber_selected(
    keys: Sequence[int], chosen: Sequence[int]
) -> tuple[array[int], int]:
    """Number the keys of what is *chosen*; the rest goes after the last place."""
    places: dict[int, int] = {}
    found = [
        places.setdefault(key, len(places)) if is_chosen else -1
        for key, is_chosen in zip(keys, chosen, strict=True)
    ]
    count = len(places)
    return array("i", [count if place < 0 else place for place in found]), count


def t_critical_value(freedom: float, level: float = LEVEL) -> float:
    """Return Student's factor for a range to both sides, for 3 degrees or more.

    By the expansion of Abramowitz and Stegun (26.7.5); fewer degrees count as 3.

    >>> round(t_critical_value(10), 2), round(t_critical_value(1e9), 2)
    (2.23, 1.96)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    n = max(3.0, freedom)
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z)
        / (92160 * n**4)
    )


def ratio_terms(losses: Column, baseline: Column, slope: float) -> Terms:
    """Return how ΣL/ΣY moves with both sums, times *slope* of what is made of it."""
    share = slope / baseline.total
    return ((losses, share), (baseline, -share * losses.total / baseline.total))


def scale_terms(terms: Terms, factor: float) -> Terms:
    return [(column, weight * factor) for column, weight in terms]


def simultaneous_factor(
    clusters: Clusters, several: Sequence[Terms], level: float = LEVEL
) -> float:
    """Return how many standard errors hold *several* values at once.

    In 95 of 100 cases all ranges hold their true values, not each in 95: the largest of
    as many normal values that vary together as these do. This is needed when the
    largest of many differences is picked. One value has the factor of a single range.
    """
    matrix = [[clusters.covariance(one, other) for other in several] for one in several]
    varying = [place for place in range(len(several)) if matrix[place][place] > 0]
    single = clusters.factor(level)
    if len(varying) < 2:
        return single
    scale = [math.sqrt(matrix[place][place]) for place in range(len(several))]
    correlations = [
        [matrix[i][j] / (scale[i] * scale[j]) for j in varying] for i in varying
    ]
    largest = max_normal_quantile(correlations, level)
    # The draws are normal; few groups widen a range further.
    return max(single, largest * single / NormalDist().inv_cdf((1 + level) / 2))


def max_normal_quantile(
    correlations: Sequence[Sequence[float]], level: float = LEVEL
) -> float:
    """Return the upper quantile of the largest of correlated normal values, by draws.

    >>> round(max_normal_quantile([[1.0, 0.0], [0.0, 1.0]]), 1)
    2.2
    """
    rows = _lower(correlations)
    randomness = Random(SEED)  # noqa: S311 - random draws, nothing secret
    largest = []
    for _ in range(DRAWS):
        normal = [randomness.gauss(0.0, 1.0) for _ in rows]
        largest.append(max(abs(math.fsum(map(mul, row, normal))) for row in rows))
    return percentile(sorted(largest), level)


def _lower(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return Cholesky's factor, with 0 where values say nothing of their own."""
    rows: list[list[float]] = []
    for i, given in enumerate(matrix):
        row: list[float] = []
        for j, above in enumerate(rows):
            left = given[j] - math.fsum(map(mul, row, above))
            row.append(left / above[j] if above[j] else 0.0)
        left = given[i] - math.fsum(value * value for value in row)
        row.append(math.sqrt(left) if left > 1e-9 else 0.0)
        rows.append(row)
    return rows


def detectable_difference(error: float, factor: float) -> float:
    """Return the least difference that would have shown in 80 of 100 cases.

    *factor* is that of the range in which 0 must not lie.

    >>> round(detectable_difference(1.0, 1.96), 2)
    2.8
    """
    return (factor + NormalDist().inv_cdf(POWER)) * error


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return what *share* (0 to 1) of the values lie below, between two if need be.

    Raises ValueError without values.

    >>> percentile([1.0, 2.0, 4.0], 0.5), percentile([1.0, 2.0], 0.25)
    (2.0, 1.25)
    """
    if not ascending:
        raise ValueError("Without values there is no percentile.")
    place = share * (len(ascending) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ascending) - 1)
    part = place - below
    return ascending[below] + part * (ascending[above] - ascending[below])
