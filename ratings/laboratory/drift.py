"""A pool of ratings over time: its level, its spread, and the points that enter it.

A `DriftObserver` watches an experiment and takes a snapshot after a period. All ratings
are in rating points of today's scale, so systems can be compared.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from .calibration import AGE_BANDS, RATING_BANDS, members_by_band
from .confidence_intervals import Estimate, estimate, t_critical_value
from .history import History
from .protocol import Moment, System, Table

ACTIVE_DAYS: Final = 365
"""A player is active if an event of theirs ended at most so many days ago."""


class Group(NamedTuple):
    """Active rated players of one band: *low* up to, not with, *high*.

    An open end is None, both are None for players of unknown age. *mean* and *spread*
    (standard deviation) are in rating points, None in an empty group. *at_floor*
    counts those whose rating may not fall further.
    """

    low: int | None
    high: int | None
    players: int
    mean: float | None
    spread: float | None
    at_floor: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The pool on one ordinal *day*, the last of a period.

    *classes* are by the rating of that day, *ages* by year less year of birth, the
    unknown last; bands without players are left out. *bonus_points* is what entered
    beyond the formula since the beginning.
    """

    day: int
    period: int
    all_players: Group
    classes: tuple[Group, ...]
    ages: tuple[Group, ...]
    bonus_points: float


class DriftObserver:
    """Takes snapshots of active players while *system* runs over *history*.

    It is an observer of `ratings.laboratory.experiment.run`. *every* is the number of
    periods between two *snapshots*.
    """

    def __init__(
        self,
        history: History,
        system: System,
        *,
        active_days: int = ACTIVE_DAYS,
        every: int = 1,
    ) -> None:
        self.snapshots: list[Snapshot] = []
        self._history = history
        self._system = system
        self._active_days = active_days
        self._every = every
        self._last_played = array("i", [0]) * len(history.ids)
        self._seen_games = 0

    def __call__(self, moment: Moment, table: Table) -> None:
        self._count_games(moment.day)
        if (moment.period + 1) % self._every == 0:
            self.snapshots.append(self._snapshot(moment, table))

    def _count_games(self, day: int) -> None:
        history, last = self._history, self._last_played
        stop = bisect_right(history.rated_days, day, self._seen_games)
        for column in (history.games.white, history.games.black):
            for game in range(self._seen_games, stop):
                last[column[game]] = history.rated_days[game]
        self._seen_games = stop

    def _snapshot(self, moment: Moment, table: Table) -> Snapshot:
        on_elo_scale, standing = self._system.on_elo_scale, table.standing
        oldest = moment.day - self._active_days
        members = []
        for player, played in enumerate(self._last_played):
            if played > 0 and played >= oldest:
                known = standing(player)
                if known is not None:
                    rating = on_elo_scale(known.rating)
                    members.append((player, rating, table.at_floor(player)))
        pool = [(rating, is_low) for _, rating, is_low in members]
        year = date.fromordinal(moment.day).year
        return Snapshot(
            day=moment.day,
            period=moment.period,
            all_players=_group(None, None, pool),
            classes=_groups([rating for rating, _ in pool], pool, RATING_BANDS),
            ages=_groups(
                [self._age(player, year) for player, _, _ in members], pool, AGE_BANDS
            ),
            bonus_points=table.bonus_points,
        )

    def _age(self, player: int, year: int) -> int | None:
        born = self._history.pool.birth_year(player)
        return None if born is None or born > year else year - born


Member = tuple[float, bool]
"""A rating, and whether it is at its floor."""


def _groups(
    values: Sequence[float | None], pool: Sequence[Member], edges: Sequence[int]
) -> tuple[Group, ...]:
    """Return a group for each band of *values* that has players."""
    return tuple(
        _group(low, high, members)
        for low, high, members in members_by_band(values, pool, edges)
    )


def _group(low: int | None, high: int | None, members: Sequence[Member]) -> Group:
    ratings = [rating for rating, _ in members]
    mean, spread = mean_and_spread(ratings)
    at_floor = sum(is_low for _, is_low in members)
    return Group(low, high, len(ratings), mean, spread, at_floor)


def level_range(
    players: int, mean: float | None, spread: float | None
) -> Estimate | None:
    """Return a group's *mean* with the range in which it would lie with others.

    Players are taken one by one, as they come from the many of their kind: where points
    only pass from one to another, the level moves less than that.

    >>> level = level_range(101, 1500.0, 200.0)
    >>> level.error, round(level.low), round(level.high)
    (20.0, 1460, 1540)
    """
    if mean is None or spread is None:
        return None
    error = spread / math.sqrt(players - 1) if players > 1 else None
    return estimate(mean, error, t_critical_value(players - 1))


def mean_and_spread(
    values: Sequence[float],
) -> tuple[float, float] | tuple[None, None]:
    """Return mean and standard deviation of the values, None without any.

    >>> mean_and_spread([1400.0, 1600.0])
    (1500.0, 100.0)
    """
    if not values:
        return None, None
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(squares / len(values))
