"""The effects of varied rules on ratings.

From two replays of the same ledger: whose rating would be higher or lower, by class,
age, state and activity; which classes and floors would have been reached and lost; the
level of all ratings over time. `verdict` puts it in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Final, NamedTuple

from ratings.engine.classes import CLASSES
from ratings.engine.numbers import official

from .calibration import AGE_BANDS, RATING_BANDS
from .our_rules import FinalStandings, Level, Replay, RulesResult
from .rule_change import (
    AverageMoves,
    Effect,
    Mover,
    average_moves,
    effect_of,
    effects_by_band,
)
from .verdict import NOTICEABLE_POINTS
from .words import _

ACTIVE_DAYS: Final = 365


class ClassChange(NamedTuple):
    """How many members would have reached or lost a class under the variant.

    *name* is that of `CLASSES`; *reached* and *lost* are by highest established rating.
    """

    name: str
    before: int
    after: int
    reached: int
    lost: int


class Floors(NamedTuple):
    """How many members' floors would be higher and lower, in the end."""

    higher: int
    lower: int
    same: int


@dataclass(frozen=True)
class RuleEffects:
    """The effects of one variant, compared with the actual rules.

    Empty bands are left out. *states* and *activity* have a name for each band.
    *gainers* and *losers* are numbers of members, for the committee only.
    """

    all_players: Effect | None
    moves: AverageMoves
    classes: Sequence[Effect]
    ages: Sequence[Effect]
    states: Mapping[str, Effect]
    activity: Mapping[str, Effect]
    reached: Sequence[ClassChange]
    floors: Floors
    levels: Sequence[tuple[Level, Level]]
    movers: int
    median_move: int
    noticed: int
    largest: Sequence[Mover]


ACTIVE: Final = _("played in the last year")
NOT_ACTIVE: Final = _("not played in the last year")
MAX_MOVERS: Final = 20


def rule_effects(answer: RulesResult, number: int) -> RuleEffects:
    """Return the effects of the variant of this number, compared with the control."""
    before, after = answer.replays[0], answer.replays[number]
    last_day = max(before.ended.rated_on, default=0)
    movers = [
        Mover(player, one, other)
        for player, (one, other) in enumerate(
            zip(before.ended.rating, after.ended.rating, strict=True)
        )
        if one == one and other == other
    ]
    activity = _activity(movers, before, last_day)
    shown = [
        abs(one.shown_difference)
        for one, name in zip(movers, activity, strict=True)
        if name == ACTIVE
    ]
    year = date.fromordinal(max(last_day, 1)).year
    born = answer.members.birth_years
    ages = [year - born[one.player] if born[one.player] else None for one in movers]
    return RuleEffects(
        all_players=effect_of(None, None, movers) if movers else None,
        moves=average_moves(movers),
        classes=effects_by_band(movers, [one.before for one in movers], RATING_BANDS),
        ages=effects_by_band(movers, ages, AGE_BANDS),
        states=_named(movers, [answer.members.states[one.player] for one in movers]),
        activity=_named(movers, activity),
        reached=list(_classes(before.ended, after.ended)),
        floors=_floors(before.ended, after.ended),
        levels=list(zip(before.levels, after.levels, strict=False)),
        movers=sum(one > 0 for one in shown),
        median_move=int(median(shown)) if shown else 0,
        noticed=sum(one >= NOTICEABLE_POINTS for one in shown),
        largest=sorted(movers, key=lambda one: (-abs(one.difference), one.player))[
            :MAX_MOVERS
        ],
    )


def _activity(movers: Sequence[Mover], before: Replay, last_day: int) -> list[str]:
    on = before.ended.rated_on
    return [
        ACTIVE if on[one.player] > last_day - ACTIVE_DAYS else NOT_ACTIVE
        for one in movers
    ]


def _named(movers: Sequence[Mover], names: Sequence[str]) -> dict[str, Effect]:
    bands: dict[str, list[Mover]] = {}
    for mover, name in zip(movers, names, strict=True):
        bands.setdefault(name, []).append(mover)
    return {name: effect_of(None, None, bands[name]) for name in sorted(bands)}


def _class(rating: float) -> int:
    """Return the place of a rating's class, the highest 0; after the last for none."""
    if rating != rating:
        return len(CLASSES)
    whole = official(rating)
    for place, one in enumerate(CLASSES):
        if whole >= one.lowest:
            return place
    return len(CLASSES)


def _classes(before: FinalStandings, after: FinalStandings) -> Iterable[ClassChange]:
    stand = [Counter(map(_class, ended.rating)) for ended in (before, after)]
    reached: Counter[int] = Counter()
    lost: Counter[int] = Counter()
    for one, other in zip(before.peak, after.peak, strict=True):
        was, would_be = _class(one), _class(other)
        # A smaller place is a higher class; all between were passed.
        reached.update(range(would_be, was))
        lost.update(range(was, would_be))
    for place, one_class in enumerate(CLASSES):
        yield ClassChange(
            one_class.name,
            stand[0][place],
            stand[1][place],
            reached[place],
            lost[place],
        )


def _floors(before: FinalStandings, after: FinalStandings) -> Floors:
    higher = lower = same = 0
    for one, other in zip(before.floor, after.floor, strict=True):
        higher += other > one
        lower += other < one
        same += other == one
    return Floors(higher, lower, same)
