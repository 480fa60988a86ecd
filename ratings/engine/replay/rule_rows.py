"""The rules of a day as a row of numbers, for loops without objects.

Every parameter that the replay reads has a fixed place in the row. A parameter that is
not known for the day is NaN: the replay stops where it needs one.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Final

from ratings.engine.conversions import Conversion
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules
from ratings.engine.systems import System

from .arrays import NAN

PIECES: Final = 6
"""Most pieces of a conversion, each of four numbers."""

# The first place of each group of numbers, and their source.
_GROUPS: Final[dict[int, Callable[[Rules], Sequence[float]]]] = {}


def _place(path: str) -> int:
    """Return the next place, which takes a number such as `age_start.highest`."""
    place = len(_GROUPS)
    _GROUPS[place] = lambda rules: [_number(rules, path)]
    return place


def _number(rules: Rules, path: str) -> float:
    name, _dot, part = path.partition(".")
    if name == "lower_k" and not rules.lower_k_when_dual:
        return math.inf
    value = getattr(rules, name)
    return float(getattr(value, part) if part else value)


# Places in a row. Numbers of games and yes or no (1 or 0) are floats here, too.
LOWEST: Final = _place("lowest_rating")
SCALE: Final = _place("expectancy_scale")
REACH: Final = _place("provisional_reach")
SPECIAL_UP_TO: Final = _place("special_up_to")
SPECIAL_CAP: Final = _place("special_cap")
SPECIAL_SHIFT: Final = _place("special_shift")
FIRST_ESTIMATE_GAMES: Final = _place("first_estimate_games")
ESTABLISHED_AFTER: Final = _place("established_after")

BONUS_MULTIPLIER: Final = _place("bonus_multiplier")
BONUS_FROM_GAMES: Final = _place("bonus_from_games")
BONUS_COUNTS_AT_LEAST: Final = _place("bonus_counts_at_least")
BONUS_MEETINGS: Final = _place("bonus_meetings")
THREE_GAME_CLAUSE: Final = _place("three_game_repeat_clause")

EFFECTIVE_LIMIT: Final = _place("effective_games.limit")
EFFECTIVE_FULL_ABOVE: Final = _place("effective_games.full_above")
EFFECTIVE_BASE: Final = _place("effective_games.base")
EFFECTIVE_SLOPE: Final = _place("effective_games.slope")
EFFECTIVE_PIVOT: Final = _place("effective_games.pivot")

K_NUMERATOR: Final = _place("k_numerator")
LOWER_K_ABOVE: Final = _place("lower_k.above")
LOWER_K_FLAT_FROM: Final = _place("lower_k.flat_from")
LOWER_K_INTERCEPT: Final = _place("lower_k.intercept")
LOWER_K_SLOPE: Final = _place("lower_k.slope")
LOWER_K_FLAT: Final = _place("lower_k.flat")

AGE_LOWEST: Final = _place("age_start.lowest")
AGE_LOWEST_BELOW: Final = _place("age_start.lowest_below")
AGE_POINTS: Final = _place("age_start.points_per_year")
AGE_HIGHEST_ABOVE: Final = _place("age_start.highest_above")
AGE_HIGHEST: Final = _place("age_start.highest")
AGE_MISTAKEN_BELOW: Final = _place("age_start.mistaken_below")
AGE_ADULT: Final = _place("age_start.adult_age")
AGE_CHILD: Final = _place("age_start.child_age")
AGE_DAYS_PER_YEAR: Final = _place("age_start.days_per_year")

BLEND_MOST_GAMES: Final = _place("blend.most_games")
BLEND_STRENGTH_SCALE: Final = _place("blend.strength_scale")
BLEND_STRENGTH_LIMIT: Final = _place("blend.strength_limit")
BLEND_DECAY: Final = _place("blend.decay")
BLEND_DAYS_PER_YEAR: Final = _place("blend.days_per_year")
FIDE_FACTOR_ABOVE: Final = _place("fide_game_factor.above")
FIDE_FACTOR_HIGHER: Final = _place("fide_game_factor.higher")
FIDE_FACTOR_LOWER: Final = _place("fide_game_factor.lower")
CFC_FACTOR: Final = _place("cfc_game_factor")

PERSONAL_FLOOR: Final = _place("personal_absolute_floor")
FLOOR_BASE: Final = _place("absolute_floor.base")
FLOOR_PER_WIN: Final = _place("absolute_floor.per_win")
FLOOR_PER_DRAW: Final = _place("absolute_floor.per_draw")
FLOOR_PER_EVENT: Final = _place("absolute_floor.per_event")
FLOOR_HIGHEST: Final = _place("absolute_floor.highest")
PEAK_FLOOR_DROP: Final = _place("peak_floor_drop")
PEAK_FLOOR_LOWEST: Final = _place("lowest_peak_floor")
PEAK_FLOOR_HIGHEST: Final = _place("highest_peak_floor")
PEAK_FLOOR_STEP: Final = _place("peak_floor_step")

MATCH_LIMIT: Final = _place("match_limit")
MATCH_LIMIT_180_DAYS: Final = _place("match_limit_180_days")
MATCH_LIMIT_3_YEARS: Final = _place("match_limit_3_years")

FLOOR_EVENT_GAMES: Final = _place("floor_event_games")

FIDE_PIECES: Final = len(_GROUPS)
CFC_PIECES: Final = FIDE_PIECES + 4 * PIECES
GAME_FACTORS: Final = CFC_PIECES + 4 * PIECES
"""One per source and target system: source * 6 + target."""

WIDTH: Final = GAME_FACTORS + 36


def _conversion(conversion: Conversion) -> list[float]:
    """Return intercept, slope, end and "includes its end" of each piece."""
    if len(conversion.lines) > PIECES:
        raise ValueError(f"A conversion has more than {PIECES} pieces.")
    numbers: list[float] = []
    for line in conversion.lines:
        end = math.inf if line.up_to is None else line.up_to
        numbers += [line.intercept, line.slope, end, float(line.includes_end)]
    return numbers


def _game_factors(rules: Rules) -> list[float]:
    factor = rules.blend.game_factor
    return [factor(source, target) for source in System for target in System]


_GROUPS.update(
    {
        FIDE_PIECES: lambda rules: _conversion(rules.fide_conversion),
        CFC_PIECES: lambda rules: _conversion(rules.cfc_conversion),
        GAME_FACTORS: _game_factors,
    }
)


def rule_row(rules: Rules) -> list[float]:
    """Return the rules as numbers, NaN for those that are not known for their day."""
    row = [NAN] * WIDTH
    for first, numbers_of in _GROUPS.items():
        try:
            numbers = numbers_of(rules)
        except NoRuleInForce:
            continue
        row[first : first + len(numbers)] = map(float, numbers)
    return row


def unknown_rules(rules: Rules) -> list[str]:
    """Name the rules that are not known for their day, in the order of a row.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> unknown_rules(rules_in_force(date(2024, 5, 4)))
    []
    """
    names: dict[str, None] = {}
    for numbers_of in _GROUPS.values():
        try:
            numbers_of(rules)
        except NoRuleInForce as missing:
            names[missing.rule] = None
    return list(names)


class RuleTable:
    """The rows of all days of a history, each different row once.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> table = RuleTable()
    >>> [table.place(rules_in_force(date(2024, 5, day))) for day in (4, 5)]
    [0, 0]
    >>> table.place(rules_in_force(date(2025, 5, 4)))
    1
    """

    def __init__(self) -> None:
        self.rows = array("d")
        self._place_of_rules: dict[Rules, int] = {}
        self._place_of_row: dict[tuple[float, ...], int] = {}

    def place(self, rules: Rules) -> int:
        """Return the place of these rules in the table, where `Items.rules` points."""
        place = self._place_of_rules.get(rules)
        if place is None:
            row = tuple(rule_row(rules))
            place = self._place_of_row.setdefault(row, len(self._place_of_row))
            if place * WIDTH == len(self.rows):
                self.rows.extend(row)
            self._place_of_rules[rules] = place
        return place
