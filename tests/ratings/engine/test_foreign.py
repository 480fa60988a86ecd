"""Foreign FIDE events (2025 paper, section 6)."""

import math
from datetime import date

import pytest

from ratings.engine.foreign import opponents_conversion, rate_foreign_event
from ratings.engine.inputs import Competitor, Record
from ratings.engine.results import Formula
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import rules_in_force

RULES = rules_in_force(date(2024, 5, 4))


def effective(rating):
    return 50 / math.sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2)


@pytest.mark.parametrize(
    ("day", "youth", "expected"),
    [
        (date(2024, 2, 29), False, [180 + 0.94 * 1500, 20 + 1.02 * 2100]),
        (date(2024, 3, 1), False, [-1073 + 1.5667 * 1500, 20 + 1.02 * 2100]),
        (date(2024, 2, 29), True, [560 + 0.76 * 1500, 2180.0]),
        (date(2024, 3, 1), True, [-453 + 1.2667 * 1500, 2180.0]),
    ],
)
def test_opponents_are_converted_by_the_rules_of_the_start(day, youth, expected):
    rules = rules_in_force(day)
    conversion = opponents_conversion(rules, youth=youth)
    assert [conversion.us_rating(rating) for rating in (1500.0, 2100.0)] == expected


def test_opponents_of_long_ago_cannot_be_converted():
    with pytest.raises(NoRuleInForce):
        opponents_conversion(rules_in_force(date(2019, 1, 1)), youth=False)


def test_the_standard_formula_is_applied_once_with_bonus():
    """4 of 4 against equals: 2 points above expectation, threshold 12√4 = 24."""
    rated = rate_foreign_event(Competitor(1, 1700.0, 30), [(1700.0, 2)] * 4, RULES)
    k = 800 / (effective(1700) + 4)
    assert rated.k == pytest.approx(k)
    assert rated.expected == 2.0
    assert rated.bonus == pytest.approx(2 * k - 24)
    assert rated.post == pytest.approx(1700 + 2 * k + (2 * k - 24))
    assert (rated.intermediate, rated.first_estimate) == (None, None)
    assert (rated.score, rated.games, rated.post_games) == (8, 4, 34)


def test_k_is_the_full_one_above_2200():
    rated = rate_foreign_event(Competitor(1, 2400.0, 500), [(2400.0, 1)], RULES)
    assert rated.k == 800 / 51


@pytest.mark.parametrize(("meetings", "has_bonus"), [(2, True), (3, False)])
def test_one_opponent_met_three_times_leaves_no_bonus(meetings, has_bonus):
    rated = rate_foreign_event(
        Competitor(1, 1700.0, 30), [(1700.0, 2)] * 4, RULES, meetings
    )
    assert (rated.bonus > 0) is has_bonus


def test_the_standard_formula_is_used_whatever_the_record():
    competitor = Competitor(1, 1700.0, 5, Record.ALL_WINS)
    rated = rate_foreign_event(competitor, [(1700.0, 2)], RULES)
    assert rated.formula is Formula.STANDARD


def test_floor_and_ceiling_apply():
    player = Competitor(1, 1505.0, 30, floor=1500.0, ceiling=1520.0)
    lost = rate_foreign_event(player, [(1500.0, 0)] * 4, RULES)
    won = rate_foreign_event(player, [(1500.0, 2)] * 4, RULES)
    assert (lost.post, lost.floor, lost.ceiling) == (1500.0, 1500.0, None)
    assert (won.post, won.floor, won.ceiling) == (1520.0, None, 1520.0)
    assert not lost.floor_request


def test_an_unrated_player_is_refused():
    with pytest.raises(ValueError, match="players with a rating only"):
        rate_foreign_event(Competitor(1, None), [(1500.0, 2)], RULES)


def test_an_event_without_rated_opponents_is_refused():
    with pytest.raises(ValueError, match="nothing is rated"):
        rate_foreign_event(Competitor(1, 1500.0, 30), [], RULES)
