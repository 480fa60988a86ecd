"""Norms: the curve of the expected score, and which sections make one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.engine.norms import (
    Norm,
    NormGame,
    expected_score,
    find_norm,
    is_possible,
)


def games(*against: tuple[float, float]) -> list[NormGame]:
    return [
        NormGame(number, rating, score)
        for number, (rating, score) in enumerate(against)
    ]


@pytest.mark.parametrize(
    ("stronger_by", "expected"),
    [
        # The printed averages for bands of 200 points: their middles.
        (-100, 0.75),
        (100, 0.375),
        (300, 0.125),
        # Where the lines meet.
        (-200, 1.0),
        (0, 0.5),
        (200, 0.25),
        (400, 0.0),
        # Beyond the ends.
        (-900, 1.0),
        (900, 0.0),
    ],
)
def test_expectation_is_made_of_straight_lines(stronger_by, expected):
    assert expected_score(1800, 1800 + stronger_by) == expected


def test_a_norm_is_more_than_one_point_above_the_expectation():
    # Level 1600 expects four times 0.5 of opponents rated 1600.
    assert find_norm(games((1600, 1), (1600, 1), (1600, 0.5), (1600, 0.5))) == Norm(
        1400, 3.0, 1.0
    )
    assert find_norm(games((1600, 1), (1600, 1), (1600, 1), (1600, 0.5))) == Norm(
        1600, 3.5, 2.0
    )


def test_exactly_one_point_above_earns_no_norm():
    # Level 1200 expects four times 0.5, and three points are scored.
    assert find_norm(games((1200, 1), (1200, 1), (1200, 1), (1200, 0))) is None


def test_the_highest_level_counts():
    strong = games((2500, 1), (2450, 1), (2480, 1), (2520, 0.5), (2490, 0.5))
    norm = find_norm(strong)
    # Level 2400: 0.375, 0.4375, 0.4, 0.35 and 0.3875.
    assert norm == Norm(2400, 4.0, pytest.approx(1.95))


def test_it_takes_four_games():
    three = games((2000, 1), (2000, 1), (2000, 1))
    assert find_norm(three) is None
    assert find_norm([*three, NormGame("x", 2000.0, 0.0)]) == Norm(1800, 3.0, 1.0)


@pytest.mark.parametrize(("times", "makes_one"), [(2, True), (3, False)])
def test_an_opponent_counts_twice_at_most(times, makes_one):
    same = [NormGame("rival", 2000.0, 1.0)] * times
    norm = find_norm([*same, *games((2000, 1), (2000, 1))])
    assert (norm is not None) is makes_one


def test_losing_everything_or_nothing_played_makes_none():
    assert find_norm([]) is None
    assert find_norm(games((100, 0), (100, 0), (100, 0), (100, 0))) is None


@given(st.lists(st.tuples(st.floats(100, 3000), st.sampled_from([0, 0.5, 1.0]))))
def test_no_norm_is_made_where_none_is_possible(against):
    if find_norm(games(*against)) is not None:
        assert is_possible(len(against), sum(score for _, score in against))


def test_a_point_and_a_half_of_four_games_make_a_norm_against_who_is_out_of_reach():
    against = games((2700, 1.0), (2700, 0.5), (2700, 0.0), (2700, 0.0))
    assert find_norm(against) == Norm(2200, 1.5, 0.0)
    assert is_possible(4, 1.5)
