"""Ingo: three stages, lower is better, ages, limits, and what an average is of."""

import math
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.protocol import Direction, Pool, Standing
from ratings.laboratory.systems.ingo import (
    SYSTEMS,
    DevelopmentParameters,
    IngoParameters,
    QuarterParameters,
    blended,
    development,
    expected_by_ingo,
    ingo_performance,
    quarter,
)
from tests.hypothesis_settings import example_count
from tests.ratings.laboratory.batches import games, moment, numbers_of, table_of

BASIC, QUARTER, DEVELOPMENT = SYSTEMS
every_stage = pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.about.key)


def test_published_numbers():
    assert ingo_performance(110, 5, 10) == 110
    assert ingo_performance(120, 7, 11) == pytest.approx(106.4, abs=0.05)
    assert quarter(110, ingo_performance(120, 7, 11)) == pytest.approx(109, abs=0.1)
    assert blended(130, ingo_performance(116.25, 2.5, 4), 4, 20) == 125.625


def test_the_ends_of_the_scale():
    assert ingo_performance(100, 6, 6) == 50
    assert ingo_performance(100, 0, 6) == 150
    assert ingo_performance(20, 6, 6) == -30


@every_stage
def test_winning_lowers_the_number(system):
    assert system.about.direction is Direction.LOWER_IS_BETTER
    table = table_of(system, 130.0, 130.0)
    table.update(games((0, 1, 1.0)), moment())
    winner, loser = numbers_of(table, 2)
    assert winner < 130 < loser
    assert table.predict(games((0, 1, 1.0)), moment())[0] > 0.5


@every_stage
@given(number=st.floats(0, 300), other=st.floats(0, 300))
@settings(max_examples=example_count(30))
def test_two_players_expect_one_point_together(system, number, other):
    one, two = Standing(number), Standing(other)
    assert system.expected(one, two) + system.expected(two, one) == pytest.approx(1)


def test_twenty_five_points_are_three_quarters():
    assert expected_by_ingo(100, 125) == 0.75
    assert expected_by_ingo(110, 100) == pytest.approx(0.4)
    assert expected_by_ingo(50, 200) == 1
    assert table_of(BASIC, 100.0, 125.0).predict(games((0, 1, 1.0)), moment()) == [0.75]


def test_the_basic_stage_forgets_the_old_number():
    table = table_of(BASIC, 300.0, 110.0, 90.0)
    table.update(games((0, 1, 1.0), (0, 2, 0.0)), moment())
    assert numbers_of(table, 3) == [100, 350, 250]


def test_round_robin_average_uses_all_players_and_swiss_the_opponents():
    round_robin = games((0, 1, 1.0), (1, 2, 0.5), (2, 0, 0.0))
    swiss = games((0, 1, 1.0), (1, 2, 0.5))
    # 90 scores 2/2 where all three average 120: worth 70, a quarter of the way.
    table = table_of(QUARTER, 90.0, 120.0, 150.0)
    table.update(round_robin, moment())
    assert numbers_of(table, 1) == [85]
    # Against 120 alone a win is worth 70 too; the draw of 120 counts as against 150.
    table = table_of(QUARTER, 90.0, 120.0, 150.0)
    table.update(swiss, moment())
    assert numbers_of(table, 3) == pytest.approx([85, 126.25, 142.5])


@pytest.mark.parametrize(
    ("average", "number"), [("participants", 85), ("opponents", 88.75)]
)
def test_the_average_can_be_chosen(average, number):
    parameters = QuarterParameters(average=average)
    table = table_of(QUARTER, 90.0, 120.0, 150.0, parameters=parameters)
    table.update(games((0, 1, 1.0), (1, 2, 0.5), (2, 0, 0.0)), moment())
    assert numbers_of(table, 1) == [number]


@pytest.mark.parametrize(
    ("age", "later", "earlier"),
    [
        (19, 10, 10),
        (20, 10, 15),
        (21, 15, 15),
        (24, 15, 15),
        (25, 15, 20),
        (26, 20, 20),
    ],
)
def test_development_by_age_in_both_readings(age, later, earlier):
    assert development(age) == later
    assert development(age, "19 and 24") == earlier


@pytest.mark.parametrize(
    ("born", "brackets", "worth"),
    [
        (2004, "20 and 25", 10),
        (2003, "20 and 25", 15),
        (2004, "19 and 24", 15),
        (1999, "20 and 25", 15),
        (1998, "20 and 25", 20),
        (None, "20 and 25", 20),
    ],
)
def test_age_is_the_year_of_the_event_less_the_year_of_birth(born, brackets, worth):
    table = table_of(
        DEVELOPMENT,
        130.0,
        160.0,
        parameters=DevelopmentParameters(brackets=brackets),
        birth_years=(born, None),
    )
    for day in (date(2024, 1, 1), date(2024, 12, 31)):
        table.seed(0, Standing(130.0))
        table.seed(1, Standing(160.0))
        table.update(games((0, 1, 1.0), on=day), moment(on=day))
        assert numbers_of(table, 1) == [
            pytest.approx((110 + worth * 130) / (1 + worth))
        ]


def test_both_players_of_the_published_game():
    table = table_of(DEVELOPMENT, 130.0, 160.0)
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 2) == pytest.approx([129.047619, 160.952381])


@pytest.mark.parametrize(("limit", "number"), [("none", 200), ("50", 100), ("40", 90)])
def test_a_limit_replaces_larger_differences(limit, number):
    parameters = IngoParameters(limit=limit)
    table = table_of(BASIC, 100.0, 250.0, parameters=parameters)
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 1) == [number]


def test_a_limit_holds_for_forecasts_too():
    table = table_of(BASIC, 100.0, 250.0, parameters=IngoParameters(limit="40"))
    assert table.predict(games((0, 1, 1.0)), moment()) == [0.9]


@every_stage
def test_a_newcomer_gets_what_the_result_is_worth(system):
    table = table_of(system, None, 100.0, 140.0)
    table.update(games((0, 1, 0.5), (2, 0, 0.0)), moment())
    assert numbers_of(table, 1) == [pytest.approx(120 - 25)]
    assert table.standing(0).evaluations == 1


@every_stage
def test_newcomers_among_themselves_begin_where_1500_is(system):
    table = system.begin(Pool(3))
    assert math.isnan(table.predict(games((0, 1, 1.0)), moment())[0])
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 3) == [117.5, 217.5, None]


@every_stage
@pytest.mark.parametrize(
    ("number", "rating"), [(0, 2840), (80, 2200), (105, 2000), (230, 1000)]
)
def test_the_scale_beside_elo(system, number, rating):
    assert system.on_elo_scale(number) == rating
    assert system.from_elo_scale(rating) == number
