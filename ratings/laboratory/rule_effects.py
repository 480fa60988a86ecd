"""What varied rules would have done to ratings.

Of two replays of the same books: who would stand higher or lower, by class, age, state
and activity; which classes and floors would have been reached and lost; how high all
would stand over time. `verdict` says it in words.
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
from .our_rules import Answer, Ended, Level, Replay
from .rule_change import Effect, Mover, effect_of, effects_of
from .verdict import NOTICED
from .words import _

ACTIVE_DAYS: Final = 365


class ClassMove(NamedTuple):
    """How many members would have reached a class (or stand in it) only under one side.

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
    """What one variant would have done, beside the rules as they were.

    Bands in which there is nobody are left out. *states* and *activity* have a name for
    each band. *gainers* and *losers* are numbers of members: for who may know them.
    """

    everybody: Effect | None
    classes: Sequence[Effect]
    ages: Sequence[Effect]
    states: Mapping[str, Effect]
    activity: Mapping[str, Effect]
    reached: Sequence[ClassMove]
    floors: Floors
    levels: Sequence[tuple[Level, Level]]
    movers: int
    median_move: int
    noticed: int
    largest: Sequence[Mover]


ACTIVE: Final = _("played in the last year")
NOT_ACTIVE: Final = _("not played in the last year")
LARGEST: Final = 20


def rule_effects(answer: Answer, number: int) -> RuleEffects:
    """Return what the variant of this number would have done, beside the control."""
    before, after = answer.replays[0], answer.replays[number]
    last_day = max(before.ended.rated_on, default=0)
    movers = [
        Mover(player, one, other)
        for player, (one, other) in enumerate(
            zip(before.ended.rating, after.ended.rating, strict=True)
        )
        if one == one and other == other
    ]
    active = [
        one
        for one in movers
        if before.ended.rated_on[one.player] > last_day - ACTIVE_DAYS
    ]
    shown = [abs(one.shown_difference) for one in active]
    year = _year(last_day)
    born = answer.members.birth_years
    ages = [year - born[one.player] if born[one.player] else None for one in movers]
    return RuleEffects(
        everybody=effect_of(None, None, movers) if movers else None,
        classes=effects_of(movers, [one.before for one in movers], RATING_BANDS),
        ages=effects_of(movers, ages, AGE_BANDS),
        states=_named(movers, [answer.members.states[one.player] for one in movers]),
        activity=_named(movers, _activity(movers, before, last_day)),
        reached=list(_classes(before.ended, after.ended)),
        floors=_floors(before.ended, after.ended),
        levels=list(zip(before.levels, after.levels, strict=False)),
        movers=sum(one > 0 for one in shown),
        median_move=int(median(shown)) if shown else 0,
        noticed=sum(one >= NOTICED for one in shown),
        largest=sorted(movers, key=lambda one: (-abs(one.difference), one.player))[
            :LARGEST
        ],
    )


def _year(day: int) -> int:
    return date.fromordinal(max(day, 1)).year


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


def _classes(before: Ended, after: Ended) -> Iterable[ClassMove]:
    stand = [Counter(map(_class, ended.rating)) for ended in (before, after)]
    reached: Counter[int] = Counter()
    lost: Counter[int] = Counter()
    for one, other in zip(before.peak, after.peak, strict=True):
        was, would_be = _class(one), _class(other)
        # A smaller place is a higher class; all between were passed.
        reached.update(range(would_be, was))
        lost.update(range(was, would_be))
    for place, one_class in enumerate(CLASSES):
        yield ClassMove(
            one_class.name,
            stand[0][place],
            stand[1][place],
            reached[place],
            lost[place],
        )


def _floors(before: Ended, after: Ended) -> Floors:
    higher = lower = same = 0
    for one, other in zip(before.floor, after.floor, strict=True):
        higher += other > one
        lower += other < one
        same += other == one
    return Floors(higher, lower, same)
