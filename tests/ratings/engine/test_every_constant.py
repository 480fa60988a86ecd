"""The engine reads each constant of `parameters`: change one, and results change.

The kernel, the readable engine and the decisions outside both get rules in which one
number differs. A constant that is repeated in the program, as a literal, would leave
results unchanged.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from ratings.decisions.floors.queries import life_masters, titles
from ratings.decisions.floors.services import money
from ratings.decisions.floors.services.validation import FloorRefused
from ratings.engine import time_controls
from ratings.engine.conversions import Conversion, LinearConversion
from ratings.engine.floors import lowered_floor, money_floor, personal_floor
from ratings.engine.foreign import opponents_conversion
from ratings.engine.matches import MatchPlayer, match_faults
from ratings.engine.replay import replay
from ratings.engine.replay.arrays import Results
from ratings.engine.replay.rule_rows import WIDTH, rule_row
from ratings.engine.rules import PARAMETERS, Rules, rules_in_force
from ratings.engine.systems import System
from ratings.engine.time_controls import NotRatable, parse_time_control
from ratings.engine.variation.variables import EXCLUDED_PARAMETERS
from ratings.foreign.queries import Evidence, assess
from tests.ratings.engine.replay.random_histories import SmallHistory
from tests.ratings.engine.replay.reference import Reference
from tests.tools.bench_replay import restarted

DAY = date(2025, 5, 3)
RULES = rules_in_force(DAY)
# Histories to search for a difference; most constants show one in the first.
SEEDS = range(30)
# Used outside a replay, or when a foreign event is converted.
OUTSIDE = {*EXCLUDED_PARAMETERS, "youth_conversion"}
# Where the pieces of the conversions meet, and other edges.
EDGES = [1150.0, 1500.0, 1610.0, 2000.0, 2001.0, 2355.0, 2500.0]


class OnEdges(SmallHistory):
    """A small history with more ratings on the edges of the rules."""

    def rating(self) -> float:
        if self.random.random() < 0.3:
            return self.random.choice(EDGES)
        return super().rating()


@dataclass(frozen=True)
class Constant:
    """One number of a parameter, *path* to it, and the parameter's whole value."""

    name: str
    entry: int
    path: tuple[str | int, ...]
    value: Any

    def __str__(self) -> str:
        return "-".join(map(str, (self.name, self.entry, *self.path)))

    @property
    def rules(self) -> Rules:
        value = self.value
        if self.path == ("lowest",) and self.name == "age_start":
            # An age under 3 counts as a mistake.
            value = replace(value, lowest_below=15.0)
        return RULES.vary(**{self.name: value})

    def changed(self) -> Iterator[Rules]:
        """Yield rules in which this number is another, in several ways."""
        whole = getattr(self.rules, self.name)
        for other in others(number_at(whole, self.path)):
            yield RULES.vary(**{self.name: with_number(whole, self.path, other)})


def numbers(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple]:
    """Yield the path to each number, switch or system that a value is made of."""
    if isinstance(value, Conversion):
        for place, (line, after) in enumerate(pairwise((*value.lines, None))):
            names = ["intercept", "slope"]
            if line.up_to is not None:
                names += ["up_to"] + ["includes_end"] * (not ratings_cross(line, after))
            yield from ((*path, place, name) for name in names)
    elif isinstance(value, tuple) and value and is_dataclass(value[0]):
        for place, one in enumerate(value):
            yield from numbers(one, (*path, place))
    elif is_dataclass(value):
        for field in fields(value):
            if getattr(value, field.name) is not None:
                yield from numbers(getattr(value, field.name), (*path, field.name))
    else:
        yield path


def ratings_cross(line: LinearConversion, after: LinearConversion) -> bool:
    ends = [one.intercept + one.slope * line.up_to for one in (line, after)]
    return ends[0] == pytest.approx(ends[1], abs=1e-9)


def number_at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        parts = value.lines if isinstance(value, Conversion) else value
        value = parts[step] if isinstance(step, int) else getattr(value, step)
    return value


def with_number(value: Any, path: tuple[str | int, ...], number: Any) -> Any:
    if not path:
        return number
    step, *rest = path
    if isinstance(value, Conversion):
        return Conversion(with_number(value.lines, path, number))
    if isinstance(step, int):
        parts = list(value)
        parts[step] = with_number(parts[step], tuple(rest), number)
        return tuple(parts)
    return replace(
        value, **{step: with_number(getattr(value, step), tuple(rest), number)}
    )


def others(number: Any) -> list[Any]:
    if isinstance(number, bool):
        return [not number]
    if isinstance(number, System):
        return [System.OTBB, System.OLR]
    if isinstance(number, tuple):
        return [number[:1], (System.OLB,)] if len(number) > 1 else [(System.OLB,), ()]
    if isinstance(number, str):
        return ["from_before", "from_after"]
    kind = type(number)
    return [kind(number * factor + plus) for factor, plus in MOVES]


MOVES = [(1.25, 1), (0.75, 0), (10, 10), (0.1, 0), (1, 1), (1, -1)]

CONSTANTS = [
    Constant(name, entry, path, since.value)
    for name, dated in PARAMETERS.items()
    for entry, since in enumerate(dated.history)
    for path in numbers(since.value)
]


@cache
def history(seed: int):
    return OnEdges(seed).world()


def replayed(seed: int, rules: Rules) -> bytes:
    """Replay a history with the same rules on all days, by the kernel."""
    world = restarted(history(seed))
    rows = array("d", rule_row(rules)) * (len(world.rules) // WIDTH)
    results = Results.empty(9000)
    replay(world._replace(rules=rows), 0, len(world.program), results)
    columns = (results.rows.post_rating, results.rows.post_games, results.rows.peak)
    counted = results.rows.three_game_events
    return b"".join(column.tobytes() for column in (*columns, counted))


def rated(seed: int, rules: Rules) -> list[tuple]:
    """Rate the same history with the readable engine."""
    rows = Reference(restarted(history(seed)), lambda day: rules).replay()
    names = ("post_rating", "post_games", "peak", "three_game_events")
    return [tuple(row[name] for name in names) for row in rows]


def decided(rules: Rules) -> list[Any]:
    """Compute the decisions outside a replay, on both sides of each limit."""
    player = MatchPlayer("Ann", 1900, 60)
    youth = opponents_conversion(rules, youth=True)
    return [
        [youth.us_rating(rating) for rating in (*EDGES, 900.0, 2700.0)],
        [
            len(match_faults(player, MatchPlayer("Bob", rating, 60), rules))
            for rating in (1400, 1499, 1500, 1501, 1600)
        ],
        [lowered_floor(level, rules) for level in (150, 200, 1600)],
        [money_floor(limit, rules) for limit in (1750, 1950, 2000)],
        personal_floor(rules, System.OTBR, absolute=150, original_life_master=True),
        [
            assess(Evidence(DAY, games=60, fide=fide), rules).because
            for fide in (300, 2199, 2200, 2201, 2500)
        ],
        [refuses_prize(prize, rules) for prize in (1000, 1999, 2000, 2001, 3999, 4000)],
        [earns_title(games, rules) for games in (100, 299, 300, 301, 400)],
        [money.makes_floor(games, rules) for games in (25, 26)],
        life_masters.qualifying_lookups(rules),
        titles.counts_toward_norms(rules, "G/60;d5"),
        [systems(control, online, rules) for control in CONTROLS for online in (0, 1)],
    ]


CONTROLS = [f"G/{minutes};d0" for minutes in (*range(1, 15), *range(20, 90))]
# With a short first control, and with an increment that makes up for it.
CONTROLS += [f"G/{first};+{more}" for first in range(1, 7) for more in (2, 7, 25, 60)]


def refuses_prize(prize: int, rules: Rules) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(money, "rules_in_force", lambda *_: rules)
        patch.setattr(money, "_systems_of", lambda *_: ((), ()))
        section = SimpleNamespace(starts=DAY, event=SimpleNamespace(ends=DAY))
        try:
            money.money_proposal(player=None, section=section, prize=prize, limit=1800)
        except FloorRefused as refusal:
            return str(refusal)
    return ""


def earns_title(games: int, rules: Rules) -> bool:
    event = SimpleNamespace(ends=DAY, name="Open", event_id="202505030001")
    section = SimpleNamespace(
        event=event, ends=DAY, name="A", number=1, get_absolute_url=lambda: "/"
    )
    line = SimpleNamespace(
        calculation=SimpleNamespace(section=section), games=games, pre_rating=2300.0
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(life_masters, "title_rules", lambda: rules)
        return life_masters._candidate(None, [line]) is not None


def systems(text: str, online: int, rules: Rules) -> tuple[System, ...] | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time_controls, "rules_in_force", lambda *_: rules)
        try:
            control = parse_time_control(text)
            return time_controls.systems_for(control, online=bool(online), day=DAY)
        except NotRatable as refusal:
            return str(refusal)


@pytest.mark.gate
@pytest.mark.parametrize(
    "constant", [one for one in CONSTANTS if one.name not in OUTSIDE], ids=str
)
@pytest.mark.parametrize("rate", [replayed, rated], ids=["kernel", "readable"])
def test_another_value_gives_other_ratings(constant, rate):
    assert any(
        rate(seed, changed) != rate(seed, constant.rules)
        for seed in SEEDS
        for changed in constant.changed()
    )


@pytest.mark.parametrize(
    "constant", [one for one in CONSTANTS if one.name in OUTSIDE], ids=str
)
def test_another_value_gives_other_decisions(constant):
    before = decided(constant.rules)
    assert any(decided(changed) != before for changed in constant.changed())
