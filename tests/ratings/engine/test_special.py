import math
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ratings.engine.inputs import Record
from ratings.engine.rules import rules_in_force
from ratings.engine.special import (
    Prior,
    Zeros,
    objective,
    prior,
    provisional_expectancy,
    special_rating,
    zeros,
)
from tests.hypothesis_settings import example_count
from tests.ratings.engine import naive, strategies

RULES = rules_in_force(date(2025, 2, 10))
RECORDS = [Record.MIXED, Record.ALL_WINS, Record.ALL_LOSSES, Record.NONE]


def rating_of(rating, games, score, opponents, record=Record.MIXED):
    return special_rating(prior(rating, games, record), score, opponents, RULES)


@st.composite
def cases(draw):
    opponents = draw(strategies.opponents)
    score = draw(st.integers(0, 2 * len(opponents))) / 2
    return (
        draw(strategies.ratings),
        draw(strategies.prior_games),
        score,
        opponents,
        draw(st.sampled_from(RECORDS)),
    )


class TestTraps:
    def test_counting_opponents_at_a_knot_in_floats_misses_some(self):
        # (R + 400) − R is more than 400 here by one ulp; a literal count finds none
        # within 400 points and moves the rating back to 1027.85.
        opponents = [713.65, 1812.56]
        result = rating_of(1027.85, 7.0, 1, opponents, Record.ALL_WINS)
        assert result == pytest.approx(1113.65, abs=1e-9)

    def test_a_knot_hit_from_the_middle(self):
        result = rating_of(284.98, 2.0, 2, [1827.17, 699.09])
        assert result == pytest.approx(1099.09, abs=1e-9)

    def test_a_flat_zero_gives_the_zero_nearest_the_prior(self):
        # A search from the linear estimate ends at 1100, one from R′₀ = 300 at 800.
        opponents = [1700.0, 2600.0, 1500.0, 400.0, 2400.0]
        assert rating_of(700.0, 2.0, 1, opponents, Record.ALL_WINS) == 800.0

    def test_a_perfect_score_without_a_past_has_no_highest_zero(self):
        assert zeros(Prior(750.0, 0.0, 0.0), 3, [800.0] * 3) == Zeros(1200.0, math.inf)

    def test_a_zero_score_without_a_past_has_no_lowest_zero(self):
        assert zeros(Prior(750.0, 0.0, 0.0), 0, [800.0] * 3) == Zeros(-math.inf, 400.0)

    def test_equal_opponents_with_decimals_do_not_hide_the_flat_zero(self):
        # Their mean plus 400 is an ulp below the knot; 1700 is a zero all the same.
        opponents = [1133.1, 1133.1, 1133.1]
        assert rating_of(1700.0, 0.0, 3, opponents) == 1700.0

    def test_no_games_is_refused(self):
        with pytest.raises(ValueError, match="at least one game"):
            zeros(Prior(750.0, 0.0, 0.0), 0, [])


class TestRecord:
    def test_only_wins_never_lose_points_by_winning(self):
        assert rating_of(1500.0, 4.0, 2, [300.0, 400.0], Record.ALL_WINS) == 1500.0

    def test_only_losses_never_gain_points_by_losing(self):
        assert rating_of(600.0, 4.0, 0, [2300.0, 2400.0], Record.ALL_LOSSES) == 600.0

    def test_a_mixed_player_gains_by_beating_the_weak(self):
        assert rating_of(1500.0, 4.0, 2, [300.0, 400.0]) == 1500.0

    @pytest.mark.parametrize(
        ("record", "expected"),
        [
            (Record.ALL_WINS, Prior(1100.0, 4.0, 4.0)),
            (Record.ALL_LOSSES, Prior(1900.0, 4.0, 0.0)),
            (Record.MIXED, Prior(1500.0, 4.0, 2.0)),
            (Record.NONE, Prior(1500.0, 4.0, 2.0)),
        ],
    )
    def test_prior_and_credit(self, record, expected):
        assert prior(1500.0, 4.0, record) == expected


def test_result_is_at_most_2700():
    assert rating_of(2650.0, 4.0, 4, [2800.0] * 4) == 2700.0


@given(cases())
@settings(max_examples=example_count(250), deadline=None)
@example((1027.85, 7.0, 1, [713.65, 1812.56], Record.ALL_WINS))
@example((284.98, 2.0, 2, [1827.17, 699.09], Record.MIXED))
def test_agrees_with_the_texts_search_in_fractions(case):
    rating, games, score, opponents, record = case
    expected = naive.special(rating, games, score, opponents, record.value)
    assert rating_of(*case) == pytest.approx(expected, abs=1e-6)


@given(cases())
@settings(max_examples=example_count(200), deadline=None)
def test_zeros_balance_f_and_nothing_nearer_the_prior_does(case):
    rating, games, score, opponents, record = case
    start = prior(rating, games, record)
    low, high = zeros(start, score, opponents)
    assert low <= high
    for zero in (low, high):
        if math.isfinite(zero):
            assert exact_objective(zero, start, score, opponents) == pytest.approx(
                0, abs=1e-9
            )
    for outside in (low - 0.5, high + 0.5):
        if math.isfinite(outside):
            assert abs(exact_objective(outside, start, score, opponents)) > 1e-5


def exact_objective(rating, start, score, opponents):
    def share(opponent):
        middle = Fraction(1, 2) + (Fraction(rating) - Fraction(opponent)) / 800
        return min(Fraction(1), max(Fraction(0), middle))

    total = sum(share(opponent) for opponent in opponents)
    total += Fraction(start.games) * share(start.rating)
    return float(total - Fraction(score) - Fraction(start.credit))


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=example_count(150), deadline=None)
def test_order_of_opponents_changes_no_bit(case, randomness):
    rating, games, score, opponents, record = case
    shuffled = list(opponents)
    randomness.shuffle(shuffled)
    assert rating_of(rating, games, score, shuffled, record) == rating_of(*case)


@given(cases())
@settings(max_examples=example_count(200), deadline=None)
def test_half_a_point_more_never_lowers_the_rating(case):
    rating, games, score, opponents, record = case
    if score < len(opponents):
        more = rating_of(rating, games, score + 0.5, opponents, record)
        assert more >= rating_of(*case)


@given(strategies.ratings, strategies.ratings)
@settings(max_examples=example_count(100), deadline=None)
def test_both_provisional_expectancies_add_up_to_one(rating, opponent):
    total = provisional_expectancy(rating, opponent) + provisional_expectancy(
        opponent, rating
    )
    assert total == pytest.approx(1.0, abs=1e-12)


@given(cases(), st.floats(100, 2700), st.floats(0, 500))
@settings(max_examples=example_count(100), deadline=None)
def test_objective_never_falls(case, at, further):
    rating, games, score, opponents, record = case
    start = prior(rating, games, record)
    here = objective(at, start, score, opponents)
    assert objective(at + further, start, score, opponents) >= here - 1e-9
