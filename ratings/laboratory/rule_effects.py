"""What varied rules would have done to ratings, and the answer in words.

Of two replays of the same books: who would stand higher or lower, by class, age, state
and activity; which classes and floors would have been reached and lost; how high all
would stand over time. The words on top say which rules predicted better, by how much,
how sure that is, and whether a member would notice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any, Final, NamedTuple

from ratings.engine.classes import CLASSES
from ratings.engine.numbers import official

from .calibration import AGE_BANDS, RATING_BANDS
from .comparing import Compared
from .our_rules import Answer, Control, Ended, Level, Replay
from .ranges import Estimate
from .rule_change import Effect, Mover, effect_of, effects_of
from .words import _

ACTIVE_DAYS: Final = 365
NOTICED: Final = 25
"""Whole points from which on a member is said to notice a difference."""
MANY: Final = 0.10
FEW: Final = 0.01

Words = tuple[str, Mapping[str, Any]]
"""A sentence to be translated, and what is put in."""


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


# --- In words ---


def control_words(control: Control) -> list[Words]:
    """Say whether the unchanged rules give the books; it stands before all else."""
    counts = {"equal": control.equal, "lines": control.lines}
    if control.holds:
        return [
            (
                _(
                    "The unchanged rules give the books: {equal:,} of {lines:,} lines "
                    "are equal to the last bit."
                ),
                counts,
            )
        ]
    words: list[Words] = [
        (
            _(
                "The unchanged rules do not give the books: only {equal:,} of "
                "{lines:,} lines are equal. So there is no verdict."
            ),
            counts,
        )
    ]
    if control.is_waiting:
        words.append(
            (
                _(
                    "Changes in the books wait for a rerate, which explains it. "
                    "Publish the rerate first, and run the experiment again."
                ),
                {},
            )
        )
    return words


def verdict_words(label: str, compared: Compared, effects: RuleEffects) -> list[Words]:
    """Say which rules predicted better, how sure that is, and what members see.

    *compared* is the variant beside the control, *label* its name.
    """
    return [
        _prediction_words(label, compared),
        *_effect_words(effects),
        _notice_words(effects),
    ]


def between_words(one: str, other: str, difference: Estimate) -> Words:
    """Say which of two variants predicted better.

    *difference* is the scaled deviance of the second less that of the first.
    """
    if difference.low is None or difference.high is None or not difference.is_certain:
        return (
            _("It cannot be told which of {first} and {second} predicted better."),
            {"first": one, "second": other},
        )
    better, worse = (one, other) if difference.value > 0 else (other, one)
    return (
        _(
            "{better} would have predicted better than {worse}: its scaled deviance is "
            "{by:.3f} less, in 95 of 100 such cases between {low:.3f} and {high:.3f}."
        ),
        {
            "better": better,
            "worse": worse,
            "by": abs(difference.value),
            "low": min(abs(difference.low), abs(difference.high)),
            "high": max(abs(difference.low), abs(difference.high)),
        },
    )


def _prediction_words(label: str, compared: Compared) -> Words:
    against = compared.against_reference
    if against is None or against.low is None or against.high is None:
        return _("Nothing tells which rules predicted better: too few games."), {}
    facts = {
        "label": label,
        "by": abs(against.value),
        "low": min(abs(against.low), abs(against.high)),
        "high": max(abs(against.low), abs(against.high)),
    }
    if not against.is_certain:
        return (
            _(
                "It cannot be told whether {label} would have predicted better than "
                "the rules as they were: the difference of the scaled deviance is "
                "{difference:+.3f}, with a range from {least:+.3f} to {most:+.3f}."
            ),
            {
                "label": label,
                "difference": against.value,
                "least": against.low,
                "most": against.high,
            },
        )
    if against.value < 0:
        return (
            _(
                "{label} would have predicted better than the rules as they were: its "
                "scaled deviance is {by:.3f} less, in 95 of 100 such cases between "
                "{low:.3f} and {high:.3f}."
            ),
            facts,
        )
    return (
        _(
            "{label} would have predicted worse than the rules as they were: its "
            "scaled deviance is {by:.3f} more, in 95 of 100 such cases between "
            "{low:.3f} and {high:.3f}."
        ),
        facts,
    )


def _effect_words(effects: RuleEffects) -> list[Words]:
    if effects.everybody is None:
        return []
    words: list[Words] = [
        (
            _(
                "Of {players:,} rated members {gained:,} would stand higher and "
                "{lost:,} lower in whole points; the mean difference is {mean:+.1f}."
            ),
            {
                "players": effects.everybody.players,
                "gained": effects.everybody.gained,
                "lost": effects.everybody.lost,
                "mean": effects.everybody.mean,
            },
        )
    ]
    if effects.levels:
        before, after = effects.levels[-1]
        words.append(
            (
                _(
                    "Members who played in the last year would stand at {after:.0f} on "
                    "average instead of {before:.0f}."
                ),
                {"before": before.mean, "after": after.mean},
            )
        )
    return words


def _notice_words(effects: RuleEffects) -> Words:
    band = effects.activity.get(ACTIVE)
    active = band.players if band else 0
    share = effects.noticed / active if active else 0.0
    facts = {
        "share": 100 * share,
        "points": NOTICED,
        "median": effects.median_move,
    }
    if share >= MANY:
        return (
            _(
                "Members would notice: {share:.0f} in 100 of those who played in the "
                "last year would stand {points} points or more away; half of all by "
                "{median} or more."
            ),
            facts,
        )
    if share >= FEW:
        return (
            _(
                "Some members would notice: {share:.0f} in 100 of those who played in "
                "the last year would stand {points} points or more away; half of all "
                "by {median} or less."
            ),
            facts,
        )
    return (
        _(
            "Hardly a member would notice: fewer than one in 100 of those who played "
            "in the last year would stand {points} points or more away."
        ),
        facts,
    )
