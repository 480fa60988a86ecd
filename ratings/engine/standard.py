"""The standard rating formula (2025 paper, section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from .numbers import exact_sum
from .parameters import REPEAT_CLAUSE_GAMES
from .rules import Rules


class NoBonus(StrEnum):
    """Why a player's result cannot earn a bonus."""

    MATCH = "match"
    TOO_FEW_GAMES = "too_few_games"
    REPEATED_OPPONENT = "repeated_opponent"
    REPEATED_OPPONENT_IN_THREE_GAMES = "repeated_opponent_in_three_games"


class StandardResult(NamedTuple):
    """One use of the standard formula, in rating points but for *expected*.

    *change* is K(S − E), without the bonus.
    """

    rating: float
    expected: float
    change: float
    bonus: float


def winning_expectancy(rating: float, opponent: float, scale: float = 400.0) -> float:
    """Return the expected score of one game (We), in points.

    >>> winning_expectancy(1500, 1500)
    0.5
    >>> round(winning_expectancy(1300, 1250), 6)
    0.571463
    """
    odds: float = 10.0 ** ((opponent - rating) / scale)
    return 1.0 / (1.0 + odds)


def k_factor(
    rating: float, effective_games: float, games: int, rules: Rules, *, dual: bool
) -> float:
    """Return K for a player with *games* games in the section.

    *dual* says that the Regular rating of a dual-rated section is being computed;
    then K is lower for a *rating* (before the event) above 2200.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> round(k_factor(1500, 6, 6, rules, dual=True), 2)
    66.67
    >>> round(k_factor(2300, 50, 10, rules, dual=True), 2)
    10.0
    """
    numerator = rules.k_numerator
    if dual and has_lower_k(rating, rules):
        lower = rules.lower_k
        if rating >= lower.flat_from:
            numerator = lower.flat
        else:
            numerator *= lower.intercept - lower.slope * rating
    return numerator / (effective_games + games)


def has_lower_k(rating: float, rules: Rules) -> bool:
    """Return whether a rating is high enough for the lower K of dual-rated sections."""
    return rules.lower_k_when_dual and rating > rules.lower_k.above


def no_bonus_reason(
    games: int, meetings: int, rules: Rules, *, is_match: bool
) -> NoBonus | None:
    """Return why a bonus is impossible, or None if the result may earn one.

    *meetings* is the most games against one person.
    """
    if is_match:
        return NoBonus.MATCH
    if games < rules.bonus_from_games:
        return NoBonus.TOO_FEW_GAMES
    if meetings > rules.bonus_meetings:
        return NoBonus.REPEATED_OPPONENT
    is_repeated = games == REPEAT_CLAUSE_GAMES and meetings > 1
    if is_repeated and rules.three_game_repeat_clause:
        return NoBonus.REPEATED_OPPONENT_IN_THREE_GAMES
    return None


def bonus_threshold(games: int, rules: Rules) -> float:
    """Return the points a result must gain before a bonus begins (B√m′).

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> bonus_threshold(3, rules_in_force(date(2024, 5, 4)))
    24.0
    """
    counted = max(games, rules.bonus_counts_at_least)
    return rules.bonus_multiplier * math.sqrt(counted)


def standard_result(
    rating: float,
    k: float,
    score: float,
    opponents: Sequence[float],
    threshold: float | None,
    scale: float = 400.0,
) -> StandardResult:
    """Rate a score (in points) against opponents' ratings, in any order.

    *threshold* is the threshold of the bonus, None if there can be no bonus.

    >>> standard_result(1500.0, 40.0, 1.5, [1500.0, 1500.0], None).rating
    1520.0
    >>> standard_result(1500.0, 40.0, 4.0, [1500.0] * 4, 20.0).bonus
    60.0
    """
    expected = exact_sum(
        [1.0 / (1.0 + 10.0 ** ((opponent - rating) / scale)) for opponent in opponents]
    )
    change = k * (score - expected)
    bonus = 0.0
    if threshold is not None and change > threshold:
        bonus = change - threshold
    return StandardResult(rating + change + bonus, expected, change, bonus)
