"""The effect of a rule change: the same history under both, player by player.

All ratings are in rating points of today's scale. Gains and losses are in whole points,
as people see ratings; means and percentiles are of the exact difference.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ratings.engine.numbers import official

from .calibration import AGE_BANDS, RATING_BANDS, ages, members_by_band
from .confidence_intervals import percentile
from .experiment import Outcome
from .history import History
from .protocol import UNKNOWN, System
from .words import _

MAX_MOVERS: Final = 100
"""So many of those who moved most are named, up and down."""


class Mover(NamedTuple):
    """One player's number in the pool, and the last rating under both rules."""

    player: int
    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before

    @property
    def shown_difference(self) -> int:
        """By how many whole points, as people see ratings."""
        return official(self.after) - official(self.before)


class Effect(NamedTuple):
    """The effect on the players of one band: *low* up to, not with, *high*.

    An open end is None; both are None for all players, or for players of unknown age.
    *percentiles* of the difference are the 5th, 25th, 75th and 95th.
    """

    low: int | None
    high: int | None
    players: int
    gained: int
    lost: int
    mean: float
    median: float
    percentiles: tuple[float, float, float, float]


class AverageMoves(NamedTuple):
    """By how many points the ratings that change do so on average.

    *higher* and *lower* are both above 0, None where no rating goes that way. Like the
    counts of an `Effect`, they are about ratings that change by a whole point.
    """

    higher: float | None
    lower: float | None


@dataclass(frozen=True)
class Changes:
    """Who gained and who lost.

    *all_players* is None if no player is rated under both rules. *classes* are by the
    rating before the change, *ages* by year less year of birth at the end of the
    history, the unknown last. *only_before* and *only_after* count players rated under
    one only.
    """

    all_players: Effect | None
    moves: AverageMoves
    classes: Sequence[Effect]
    ages: Sequence[Effect]
    only_before: int
    only_after: int
    gainers: Sequence[Mover]
    losers: Sequence[Mover]


@dataclass(frozen=True)
class Variant:
    """One of the two: a system's key and the parameters that differ from its own."""

    system: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RuleChange:
    """A change of our rules that can be evaluated afterward.

    Both variants are the same before *day*; *first_day* is the first of the history
    for which that holds.
    """

    key: str
    label: str
    help: str
    day: date
    first_day: date
    before: Variant
    after: Variant


def _unchangeable(**parameters: Any) -> Mapping[str, Any]:
    return MappingProxyType(parameters)


EXAMPLES: Final = (
    RuleChange(
        "bonus_2023",
        _("B = 12 instead of 14, from February 2023"),
        _(
            "The US Chess bonus multiplier (B) went from 14 to 12, so bonus "
            "points start earlier. This compares the change with keeping B at "
            "14."
        ),
        day=date(2023, 2, 1),
        first_day=date(2017, 6, 1),  # when 14 came into force
        before=Variant("uschess.2025_02", _unchangeable(bonus_multiplier=14.0)),
        after=Variant("uschess.2025_02"),
    ),
    RuleChange(
        "bonus_2025",
        _("B = 10 instead of 12, from 2025"),
        _(
            "The US Chess bonus multiplier (B) went from 12 to 10, so bonus "
            "points start earlier. This compares the change with keeping B at "
            "12."
        ),
        day=date(2025, 1, 1),
        first_day=date(2001, 1, 1),
        before=Variant("uschess.2025_02"),
        after=Variant("uschess.2025_07"),
    ),
)
"""Changes of our own rules that come with the laboratory."""


def final_ratings(outcome: Outcome, system: System) -> list[float]:
    """Return each player's last rating in points of today's scale, nan if unrated."""
    return [
        UNKNOWN if standing is None else system.on_elo_scale(standing.rating)
        for standing in outcome.standings()
    ]


def changes_between(
    history: History,
    before: Sequence[float],
    after: Sequence[float],
    *,
    since: int | None = None,
) -> Changes:
    """Return who gained and lost between two columns of final ratings, nan if unrated.

    With *since*, an ordinal, only players with an event that ended on that day or later
    are included: the others cannot differ.
    """
    movers, only_before, only_after = [], 0, 0
    for player in _players(history, since):
        mover = Mover(player, before[player], after[player])
        if mover.difference == mover.difference:
            movers.append(mover)
        else:
            only_before += mover.before == mover.before
            only_after += mover.after == mover.after
    by_difference = sorted(movers, key=lambda one: (one.difference, one.player))
    return Changes(
        all_players=effect_of(None, None, movers) if movers else None,
        moves=average_moves(movers),
        classes=effects_by_band(movers, [one.before for one in movers], RATING_BANDS),
        ages=effects_by_band(movers, _ages(history, movers), AGE_BANDS),
        only_before=only_before,
        only_after=only_after,
        gainers=[
            one for one in by_difference[: -MAX_MOVERS - 1 : -1] if one.difference > 0
        ],
        losers=[one for one in by_difference[:MAX_MOVERS] if one.difference < 0],
    )


def _players(history: History, since: int | None) -> Iterable[int]:
    if since is None:
        return range(len(history.ids))
    first = bisect_left(history.rated_days, since)
    games = history.games
    return sorted({*games.white[first:], *games.black[first:]})


def _ages(history: History, movers: Sequence[Mover]) -> list[int | None]:
    days = [history.last_day or 1] * len(movers)
    return ages(days, [one.player for one in movers], history.birth_years)


def average_moves(movers: Sequence[Mover]) -> AverageMoves:
    """Return the average of all gains, and of all losses, of a whole point.

    >>> average_moves([Mover(0, 1500.0, 1510.0), Mover(1, 1500.0, 1496.0)])
    AverageMoves(higher=10.0, lower=4.0)
    """
    higher = [one.difference for one in movers if one.shown_difference > 0]
    lower = [-one.difference for one in movers if one.shown_difference < 0]
    return AverageMoves(_average(higher), _average(lower))


def _average(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def effects_by_band(
    movers: Sequence[Mover], values: Sequence[float | None], edges: Sequence[int]
) -> list[Effect]:
    """Return the effect on each band of *values* that has players."""
    return [
        effect_of(low, high, members)
        for low, high, members in members_by_band(values, movers, edges)
    ]


def effect_of(low: int | None, high: int | None, movers: Sequence[Mover]) -> Effect:
    """Return the effect on these players, of whom there is at least one."""
    differences = sorted(mover.difference for mover in movers)
    shown = [mover.shown_difference for mover in movers]
    fifth, quarter, median, three_quarters, last = (
        percentile(differences, share) for share in (0.05, 0.25, 0.5, 0.75, 0.95)
    )
    return Effect(
        low=low,
        high=high,
        players=len(movers),
        gained=sum(one > 0 for one in shown),
        lost=sum(one < 0 for one in shown),
        mean=math.fsum(differences) / len(differences),
        median=median,
        percentiles=(fifth, quarter, three_quarters, last),
    )
