import math
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.engine.rules import rules_in_force
from ratings.engine.standard import (
    NoBonus,
    bonus_threshold,
    has_lower_k,
    k_factor,
    no_bonus_reason,
    standard_result,
    winning_expectancy,
)
from tests.hypothesis_settings import example_count
from tests.ratings.engine import naive, strategies

RULES = rules_in_force(date(2025, 3, 1))


class TestK:
    @pytest.mark.parametrize(
        ("effective", "games", "k"),
        [
            (6, 4, 80),
            (6, 6, 66.67),
            (6, 10, 50),
            (20, 4, 33.33),
            (20, 6, 30.77),
            (20, 10, 26.67),
            (50, 4, 14.81),
            (50, 6, 14.29),
            (50, 10, 13.33),
        ],
    )
    def test_papers_table(self, effective, games, k):
        assert round(k_factor(1500, effective, games, RULES, dual=False), 2) == k

    @pytest.mark.parametrize(
        ("rating", "numerator"),
        [
            (2200, 800),
            (2200.5, 800 * (6.5 - 0.0025 * 2200.5)),
            (2300, 600),
            (2499.5, 800 * (6.5 - 0.0025 * 2499.5)),
            (2500, 200),
            (2700, 200),
        ],
    )
    def test_dual_rated_regular_k_falls_above_2200(self, rating, numerator):
        k = k_factor(rating, 40.0, 10, RULES, dual=True)
        assert k == pytest.approx(numerator / 50, abs=1e-12)
        assert k_factor(rating, 40.0, 10, RULES, dual=False) == 16.0

    def test_lower_k_begins_above_2200(self):
        assert not has_lower_k(2200, RULES)
        assert has_lower_k(math.nextafter(2200, 3000), RULES)


class TestBonus:
    @pytest.mark.parametrize(
        ("games", "meetings", "reason"),
        [
            (2, 1, NoBonus.TOO_FEW_GAMES),
            (3, 1, None),
            (3, 2, NoBonus.REPEATED_OPPONENT_IN_THREE_GAMES),
            (4, 2, None),
            (4, 3, NoBonus.REPEATED_OPPONENT),
        ],
    )
    def test_who_may_earn_one(self, games, meetings, reason):
        assert no_bonus_reason(games, meetings, RULES, is_match=False) is reason

    def test_never_in_a_match(self):
        assert no_bonus_reason(6, 1, RULES, is_match=True) is NoBonus.MATCH

    @pytest.mark.parametrize(
        ("day", "edition", "reason"),
        [
            (date(2025, 2, 9), "2025-07-26", None),
            (date(2025, 2, 10), "2025-07-26", NoBonus.REPEATED_OPPONENT_IN_THREE_GAMES),
            (date(2025, 2, 10), "2025-02-10", NoBonus.REPEATED_OPPONENT_IN_THREE_GAMES),
            (date(2025, 2, 10), "2020-09-02", None),
        ],
    )
    def test_three_game_clause_begins_on_10_february_2025(self, day, edition, reason):
        rules = rules_in_force(day, edition)
        assert no_bonus_reason(3, 2, rules, is_match=False) is reason

    @pytest.mark.parametrize(
        ("day", "multiplier"),
        [(date(2023, 1, 31), 14), (date(2023, 2, 1), 12), (date(2025, 1, 1), 10)],
    )
    def test_threshold_counts_three_games_as_four(self, day, multiplier):
        rules = rules_in_force(day)
        assert bonus_threshold(3, rules) == multiplier * 2
        assert bonus_threshold(9, rules) == multiplier * 3

    def test_bonus_is_what_the_change_exceeds_the_threshold_by(self):
        result = standard_result(1500.0, 40.0, 4.0, [1500.0] * 4, 20.0)
        assert result == (1640.0, 2.0, 80.0, 60.0)

    def test_no_bonus_at_the_threshold_or_without_one(self):
        at_threshold = standard_result(1500.0, 40.0, 4.0, [1500.0] * 4, 80.0)
        assert at_threshold == (1580.0, 2.0, 80.0, 0.0)
        assert standard_result(1500.0, 40.0, 4.0, [1500.0] * 4, None).bonus == 0.0


@st.composite
def cases(draw):
    opponents = draw(strategies.opponents)
    score = draw(st.integers(0, 2 * len(opponents))) / 2
    threshold = draw(st.none() | st.floats(12, 60))
    return (
        draw(strategies.ratings),
        draw(st.floats(4, 200)),
        score,
        opponents,
        threshold,
    )


@given(cases())
@settings(max_examples=example_count(150), deadline=None)
def test_half_a_point_more_never_lowers_the_rating(case):
    rating, k, score, opponents, threshold = case
    if score < len(opponents):
        more = standard_result(rating, k, score + 0.5, opponents, threshold)
        assert more.rating > standard_result(*case).rating


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=example_count(150), deadline=None)
def test_order_of_opponents_changes_no_bit(case, randomness):
    rating, k, score, opponents, threshold = case
    shuffled = list(opponents)
    randomness.shuffle(shuffled)
    other = standard_result(rating, k, score, shuffled, threshold)
    assert other == standard_result(*case)


@given(strategies.ratings, strategies.ratings)
@settings(max_examples=example_count(150), deadline=None)
def test_both_expectancies_add_up_to_one(rating, opponent):
    total = winning_expectancy(rating, opponent) + winning_expectancy(opponent, rating)
    assert total == pytest.approx(1.0, abs=1e-12)


@given(
    st.floats(100, 2700),
    st.floats(1, 50),
    strategies.opponents,
    st.data(),
    st.sampled_from(["OTBR", "OTBQ"]),
    st.sampled_from([28, 65, 120]),
    st.integers(1, 4),
)
@settings(max_examples=example_count(150), deadline=None)
def test_agrees_with_the_formula_written_out(
    rating, effective, opponents, data, system, minutes, meetings
):
    score = data.draw(st.integers(0, 2 * len(opponents))) / 2
    games = len(opponents)
    dual = system == "OTBR" and 30 <= minutes <= 65
    may_earn = no_bonus_reason(games, meetings, RULES, is_match=False) is None
    result = standard_result(
        rating,
        k_factor(rating, effective, games, RULES, dual=dual),
        score,
        opponents,
        bonus_threshold(games, RULES) if may_earn else None,
    )
    document = {
        "system": system,
        "total_minutes": minutes,
        "start_date": "2025-03-01",
        "edition": "2025-07-26",
    }
    expected = naive.standard(rating, effective, score, opponents, meetings, document)
    assert result.rating == pytest.approx(expected, abs=1e-9)
