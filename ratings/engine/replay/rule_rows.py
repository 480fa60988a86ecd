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

# Places in a row. Numbers of games and yes or no (1 or 0) are floats here, too.
LOWEST: Final = 0
SCALE: Final = 1
REACH: Final = 2
SPECIAL_UP_TO: Final = 3
SPECIAL_CAP: Final = 4
SPECIAL_SHIFT: Final = 5
FIRST_ESTIMATE_GAMES: Final = 6
ESTABLISHED_AFTER: Final = 7

BONUS_MULTIPLIER: Final = 8
BONUS_FROM_GAMES: Final = 9
BONUS_COUNTS_AT_LEAST: Final = 10
BONUS_MEETINGS: Final = 11
THREE_GAME_CLAUSE: Final = 12

EFFECTIVE_LIMIT: Final = 13
EFFECTIVE_FULL_ABOVE: Final = 14
EFFECTIVE_BASE: Final = 15
EFFECTIVE_SLOPE: Final = 16
EFFECTIVE_PIVOT: Final = 17

K_NUMERATOR: Final = 18
LOWER_K_ABOVE: Final = 19
LOWER_K_FLAT_FROM: Final = 20
LOWER_K_INTERCEPT: Final = 21
LOWER_K_SLOPE: Final = 22
LOWER_K_FLAT: Final = 23

AGE_LOWEST: Final = 24
AGE_LOWEST_BELOW: Final = 25
AGE_POINTS: Final = 26
AGE_HIGHEST_ABOVE: Final = 27
AGE_HIGHEST: Final = 28
AGE_MISTAKEN_BELOW: Final = 29
AGE_ADULT: Final = 30
AGE_CHILD: Final = 31
AGE_DAYS_PER_YEAR: Final = 32

BLEND_MOST_GAMES: Final = 33
BLEND_STRENGTH_SCALE: Final = 34
BLEND_STRENGTH_LIMIT: Final = 35
BLEND_DECAY: Final = 36
BLEND_DAYS_PER_YEAR: Final = 37
FIDE_FACTOR_ABOVE: Final = 38
FIDE_FACTOR_HIGHER: Final = 39
FIDE_FACTOR_LOWER: Final = 40
CFC_FACTOR: Final = 41

PERSONAL_FLOOR: Final = 42
FLOOR_BASE: Final = 43
FLOOR_PER_WIN: Final = 44
FLOOR_PER_DRAW: Final = 45
FLOOR_PER_EVENT: Final = 46
FLOOR_HIGHEST: Final = 47
PEAK_FLOOR_DROP: Final = 48
PEAK_FLOOR_LOWEST: Final = 49
PEAK_FLOOR_HIGHEST: Final = 50
PEAK_FLOOR_STEP: Final = 51

MATCH_LIMIT: Final = 52
MATCH_LIMIT_180_DAYS: Final = 53
MATCH_LIMIT_3_YEARS: Final = 54

FLOOR_EVENT_GAMES: Final = 55

FIDE_PIECES: Final = 56
CFC_PIECES: Final = 80
GAME_FACTORS: Final = 104
"""One per source and target system: source * 6 + target."""

WIDTH: Final = 140


def _conversion(conversion: Conversion) -> list[float]:
    """Return intercept, slope, end and "includes its end" of each piece."""
    if len(conversion.lines) > PIECES:
        raise ValueError(f"A conversion has more than {PIECES} pieces.")
    numbers: list[float] = []
    for line in conversion.lines:
        end = math.inf if line.up_to is None else line.up_to
        numbers += [line.intercept, line.slope, end, float(line.includes_end)]
    return numbers


def _effective_games(rules: Rules) -> list[float]:
    formula = rules.effective_games
    return [
        formula.limit,
        formula.full_above,
        formula.base,
        formula.slope,
        formula.pivot,
    ]


def _lower_k(rules: Rules) -> list[float]:
    if not rules.lower_k_when_dual:
        return [math.inf]
    lower = rules.lower_k
    return [lower.above, lower.flat_from, lower.intercept, lower.slope, lower.flat]


def _age_start(rules: Rules) -> list[float]:
    start = rules.age_start
    return [
        start.lowest,
        start.lowest_below,
        start.points_per_year,
        start.highest_above,
        start.highest,
        start.mistaken_below,
        start.adult_age,
        start.child_age,
        start.days_per_year,
    ]


def _blend(rules: Rules) -> list[float]:
    blend = rules.blend
    return [
        blend.most_games,
        blend.strength_scale,
        blend.strength_limit,
        blend.decay,
        blend.days_per_year,
    ]


def _fide_factor(rules: Rules) -> list[float]:
    factor = rules.fide_game_factor
    return [factor.above, factor.higher, factor.lower]


def _absolute_floor(rules: Rules) -> list[float]:
    formula = rules.absolute_floor
    return [
        formula.base,
        formula.per_win,
        formula.per_draw,
        formula.per_event,
        formula.highest,
    ]


def _game_factors(rules: Rules) -> list[float]:
    factor = rules.blend.game_factor
    return [factor(source, target) for source in System for target in System]


# The first place of each group of numbers, and their source.
_GROUPS: Final[dict[int, Callable[[Rules], Sequence[float]]]] = {
    LOWEST: lambda rules: [rules.lowest_rating],
    SCALE: lambda rules: [rules.expectancy_scale],
    REACH: lambda rules: [rules.provisional_reach],
    SPECIAL_UP_TO: lambda rules: [rules.special_up_to],
    SPECIAL_CAP: lambda rules: [rules.special_cap],
    SPECIAL_SHIFT: lambda rules: [rules.special_shift],
    FIRST_ESTIMATE_GAMES: lambda rules: [rules.first_estimate_games],
    ESTABLISHED_AFTER: lambda rules: [rules.established_after],
    BONUS_MULTIPLIER: lambda rules: [rules.bonus_multiplier],
    BONUS_FROM_GAMES: lambda rules: [rules.bonus_from_games],
    BONUS_COUNTS_AT_LEAST: lambda rules: [rules.bonus_counts_at_least],
    BONUS_MEETINGS: lambda rules: [rules.bonus_meetings],
    THREE_GAME_CLAUSE: lambda rules: [rules.three_game_repeat_clause],
    EFFECTIVE_LIMIT: _effective_games,
    K_NUMERATOR: lambda rules: [rules.k_numerator],
    LOWER_K_ABOVE: _lower_k,
    AGE_LOWEST: _age_start,
    BLEND_MOST_GAMES: _blend,
    FIDE_FACTOR_ABOVE: _fide_factor,
    CFC_FACTOR: lambda rules: [rules.cfc_game_factor],
    PERSONAL_FLOOR: lambda rules: [rules.personal_absolute_floor],
    FLOOR_BASE: _absolute_floor,
    PEAK_FLOOR_DROP: lambda rules: [rules.peak_floor_drop],
    PEAK_FLOOR_LOWEST: lambda rules: [rules.lowest_peak_floor],
    PEAK_FLOOR_HIGHEST: lambda rules: [rules.highest_peak_floor],
    PEAK_FLOOR_STEP: lambda rules: [rules.peak_floor_step],
    MATCH_LIMIT: lambda rules: [rules.match_limit],
    MATCH_LIMIT_180_DAYS: lambda rules: [rules.match_limit_180_days],
    MATCH_LIMIT_3_YEARS: lambda rules: [rules.match_limit_3_years],
    FLOOR_EVENT_GAMES: lambda rules: [rules.floor_event_games],
    FIDE_PIECES: lambda rules: _conversion(rules.fide_conversion),
    CFC_PIECES: lambda rules: _conversion(rules.cfc_conversion),
    GAME_FACTORS: _game_factors,
}


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
