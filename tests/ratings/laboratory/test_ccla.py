"""The CCLA's chart: its edges, whole points, and the reconstructed parts."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.protocol import Pool, Standing, Status
from ratings.laboratory.systems.ccla import (
    SYSTEMS,
    CclaParameters,
    expected_by_chart,
    points_won,
)
from tests.hypothesis_settings import example_count
from tests.ratings.laboratory.batches import games, moment, numbers_of, table_of

HOTCHKISS_WILCOCK, WILLIAMS = SYSTEMS
both = pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.about.key)
whole = st.integers(800, 2600)


@pytest.mark.parametrize(
    ("apart", "favorite", "underdog", "draw"),
    [
        (0, 16, 16, 0),
        (19, 16, 16, 0),
        (20, 15, 17, 1),
        (100, 11, 21, 5),
        (279, 3, 29, 13),
        (280, 2, 30, 14),
        (900, 2, 30, 14),
    ],
)
def test_the_chart(apart, favorite, underdog, draw):
    high, low = 1500 + apart, 1500
    assert points_won(high, low, 1.0) == favorite
    assert points_won(low, high, 1.0) == underdog
    assert points_won(low, high, 0.5) == draw
    for score, points in ((1.0, favorite), (0.0, -underdog), (0.5, -draw)):
        table = table_of(HOTCHKISS_WILCOCK, float(high), float(low))
        table.update(games((0, 1, score)), moment())
        assert numbers_of(table, 2) == [high + points, low - points]


@given(whole, whole, st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=example_count(100))
def test_what_one_wins_the_other_loses(one, two, score):
    assert points_won(one, two, score) == -points_won(two, one, 1 - score)


@given(whole, whole)
@settings(max_examples=example_count(100))
def test_the_forecast_is_the_score_that_changes_no_rating(one, two):
    expected = expected_by_chart(one, two)
    win, loss = points_won(one, two, 1.0), points_won(one, two, 0.0)
    assert expected * win + (1 - expected) * loss == pytest.approx(0)
    table = table_of(HOTCHKISS_WILCOCK, float(one), float(two))
    assert table.predict(games((0, 1, 1.0)), moment()) == [expected]


@both
def test_games_are_rated_in_the_order_they_end(system):
    table = table_of(system, 1500.0, 1520.0)
    table.update(games((0, 1, 1.0), (0, 1, 1.0)), moment())
    # 1500 takes 17 from 1520; then 1517 is ahead of 1503 by less than a step.
    assert numbers_of(table, 2) == [1533, 1487]


@both
def test_ratings_are_whole_whatever_they_begin_with(system):
    table = table_of(system, 1499.5, 1480.4)
    assert numbers_of(table, 2) == [1500, 1480]


@both
def test_newcomers_are_unknown_until_their_first_game(system):
    table = system.begin(Pool(2), CclaParameters(start=1300))
    assert math.isnan(table.predict(games((0, 1, 1.0)), moment())[0])
    assert table.standing(1) is None
    table.update(games((0, 1, 1.0)), moment())
    assert table.standing(0) == Standing(1316.0, 1)
    assert table.standing(1) == Standing(1284.0, 1)


def test_only_williams_is_a_reconstruction():
    assert HOTCHKISS_WILCOCK.about.status is Status.HISTORICAL
    assert WILLIAMS.about.status is Status.RECONSTRUCTION
