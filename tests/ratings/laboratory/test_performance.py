"""Performance ratings: a printed number, and the convention at the ends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.performance import NoPerformance, linear_performance

EVENT = [2400, 2500, 2600]


def test_the_published_event():
    assert linear_performance(EVENT, 2.5) == pytest.approx(2767, abs=0.5)


def test_all_points_are_worth_400_points_more():
    assert linear_performance([1600] * 5, 5) == 2000
    assert linear_performance([1600] * 5, 0) == 1200


def test_without_games_there_is_none():
    with pytest.raises(NoPerformance, match="Without games"):
        linear_performance([], 0)


@given(st.lists(st.integers(100, 2900), min_size=2, max_size=12), st.data())
@settings(max_examples=40)
def test_another_half_point_never_lowers_a_performance(opponents, data):
    half_points = data.draw(st.integers(1, 2 * len(opponents) - 2))
    less, more = half_points / 2, (half_points + 1) / 2
    assert linear_performance(opponents, less) < linear_performance(opponents, more)
