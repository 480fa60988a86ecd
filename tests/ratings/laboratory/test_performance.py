"""Performance ratings: printed numbers, the convention at the ends, and the curves."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.performance import (
    CASES,
    NoPerformance,
    fide_performance,
    linear_performance,
    true_performance,
)
from ratings.laboratory.systems.elo import expected_by_logistic, expected_by_normal
from tests.hypothesis_settings import example_count

EVENT = [2400, 2500, 2600]


def test_the_three_ways_of_the_published_event():
    assert fide_performance(EVENT, 2.5) == 2773
    assert linear_performance(EVENT, 2.5) == pytest.approx(2767, abs=0.5)
    assert true_performance(EVENT, 2.5, expected_by_normal) == pytest.approx(
        2785, abs=0.5
    )
    assert true_performance(EVENT, 2.5, expected_by_logistic) == pytest.approx(
        2792.225, abs=0.0005
    )


def test_all_points_are_worth_800_by_convention():
    assert fide_performance([1600] * 5, 5) == 2400
    assert fide_performance([1600] * 5, 0) == 800
    assert linear_performance([1600] * 5, 5) == 2000


@pytest.mark.parametrize(
    ("games", "score", "difference"),
    [(8, 5, 95), (8, 3, -87), (3, 2, 125), (3, 1, -125)],
)
def test_shares_are_rounded_to_hundredths_halves_up(games, score, difference):
    # 5/8 is .625, which counts as .63; 3/8 is .375, which counts as .38.
    assert fide_performance([2000] * games, score) == 2000 + difference


@pytest.mark.parametrize("score", [0, 3])
def test_only_wins_or_only_losses_have_no_true_performance(score):
    with pytest.raises(NoPerformance, match="Only wins or only losses"):
        true_performance(EVENT, score, expected_by_logistic)
    found = CASES["performance"]({"opponents": EVENT, "score": score})
    assert found["true_logistic"] is None
    assert found["true_normal_200rt2"] is None


@pytest.mark.parametrize("function", [fide_performance, linear_performance])
def test_without_games_there_is_none(function):
    with pytest.raises(NoPerformance, match="Without games"):
        function([], 0)
    with pytest.raises(NoPerformance, match="Without games"):
        true_performance([], 0, expected_by_normal)


@given(
    st.lists(st.integers(100, 2900), min_size=1, max_size=12),
    st.data(),
)
@settings(max_examples=example_count(40))
def test_at_the_true_performance_the_curve_expects_the_score(opponents, data):
    score = data.draw(st.integers(1, 2 * len(opponents) - 1)) / 2
    for curve in (expected_by_logistic, expected_by_normal):
        rating = true_performance(opponents, score, curve)
        expected = math.fsum(curve(rating, opponent) for opponent in opponents)
        assert expected == pytest.approx(score, abs=1e-6)


@given(st.lists(st.integers(100, 2900), min_size=2, max_size=12), st.data())
@settings(max_examples=example_count(40))
def test_another_half_point_never_lowers_a_performance(opponents, data):
    half_points = data.draw(st.integers(1, 2 * len(opponents) - 2))
    less, more = half_points / 2, (half_points + 1) / 2
    assert fide_performance(opponents, less) <= fide_performance(opponents, more)
    assert linear_performance(opponents, less) < linear_performance(opponents, more)
    if more < len(opponents):
        assert true_performance(
            opponents, less, expected_by_logistic
        ) < true_performance(opponents, more, expected_by_logistic)
