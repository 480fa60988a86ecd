"""How sure a measure is: what it would be if other events had been held.

Games of one event are alike, so whole events are drawn by lot, with replacement, never
single games. (Players cannot be drawn like that: a game belongs to two of them, and
drawing each alone shows a spread that is too small by nearly a third.) Several
systems are measured on the same draws: their difference is much surer than each of
them is. A seed fixes the draws.

Only sums over events are drawn, so an interval costs the same for a thousand games as
for a million.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

RESAMPLES: Final = 1000
MOST_UNITS: Final = 2000
"""More events than this are first put together into so many groups."""
LEVEL: Final = 0.95

Value = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Sums:
    """A measure of one system as sums over each event.

    *value* makes the measure of a sum of losses and a sum of yardsticks.
    """

    losses: Sequence[float]
    yardstick: Sequence[float]
    value: Value

    def of_all(self) -> float:
        """Return the measure of all games."""
        return self.value(math.fsum(self.losses), math.fsum(self.yardstick))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure, and the range it would lie in for 95 of 100 other sets of events.

    Both ends are None where the value is not a number.
    """

    value: float
    low: float | None
    high: float | None


def sums_by_unit(values: Sequence[float], units: Sequence[int]) -> list[float]:
    """Return the sum of *values* for each unit, in the order units first appear.

    *units* are numbers, one a game: of its event, its day or its month.

    >>> sums_by_unit([1.0, 2.0, 4.0], [7, 3, 7])
    [5.0, 2.0]
    """
    groups: dict[int, list[float]] = {}
    for value, unit in zip(values, units, strict=True):
        group = groups.get(unit)
        if group is None:
            groups[unit] = [value]
        else:
            group.append(value)
    return [math.fsum(group) for group in groups.values()]


def resampled(
    several: Sequence[Sums], *, seed: int, resamples: int = RESAMPLES
) -> list[list[float]]:
    """Return what each of *several* measures would be, on the same draws for all.

    All must be sums over the same units in the same order; the lists go with
    *several*, one value a draw. A single unit tells nothing of others, so there are no
    draws from it. Raises ValueError if the measures differ in the number of units.

    >>> alike = Sums([0.5, 0.5], [1.0, 1.0], lambda losses, games: losses / games)
    >>> resampled([alike], seed=1, resamples=3)
    [[0.5, 0.5, 0.5]]
    """
    units = {len(sums.losses) for sums in several}
    if len(units) > 1:
        raise ValueError("Measures of different events cannot be drawn together.")
    if not units or units <= {0, 1}:
        return [[] for _ in several]
    randomness = Random(seed)  # noqa: S311 - drawing by lot, nothing secret
    columns = _grouped(_columns(several), units.pop(), randomness)
    places = range(len(next(iter(columns.values()))))
    values: list[list[float]] = [[] for _ in several]
    for _ in range(resamples):
        drawn = randomness.choices(places, k=len(places))
        totals = {
            name: math.fsum(map(column.__getitem__, drawn))
            for name, column in columns.items()
        }
        for sums, found in zip(several, values, strict=True):
            found.append(
                sums.value(totals[id(sums.losses)], totals[id(sums.yardstick)])
            )
    return values


def estimate(value: float, values: Sequence[float], level: float = LEVEL) -> Estimate:
    """Return *value* with the middle part of what the draws gave.

    Draws in which the measure is not a number are left out. The range is widened to
    *value* where it just misses it, as it can with very few events.

    >>> estimate(50.0, [float(one) for one in range(101)], level=0.5)
    Estimate(value=50.0, low=25.0, high=75.0)
    """
    known = sorted(one for one in values if one == one)
    if value != value or not known:
        return Estimate(value, None, None)
    low = percentile(known, (1 - level) / 2)
    high = percentile(known, (1 + level) / 2)
    return Estimate(value, min(value, low), max(value, high))


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


def paired_difference(
    first: float,
    firsts: Sequence[float],
    second: float,
    seconds: Sequence[float],
    level: float = LEVEL,
) -> Estimate:
    """Return *first* less *second*, with the range of what each draw made of it.

    *firsts* and *seconds* are the two measures on the same draws.
    """
    differences = [one - other for one, other in zip(firsts, seconds, strict=True)]
    return estimate(first - second, differences, level)


def _columns(several: Sequence[Sums]) -> dict[int, Sequence[float]]:
    """Return every column once, by identity: measures share losses and yardsticks."""
    return {
        id(column): column
        for sums in several
        for column in (sums.losses, sums.yardstick)
    }


def _grouped(
    columns: Mapping[int, Sequence[float]], units: int, randomness: Random
) -> Mapping[int, Sequence[float]]:
    """Put units together by lot where there are very many.

    A group of events varies less than an event, and there are as much fewer of them,
    so the spread of the draws stays what it was.
    """
    if units <= MOST_UNITS:
        return columns
    group_of = [unit % MOST_UNITS for unit in range(units)]
    randomness.shuffle(group_of)
    return {name: sums_by_unit(column, group_of) for name, column in columns.items()}
