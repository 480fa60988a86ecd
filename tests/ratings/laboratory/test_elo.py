"""Elo's system by its four curves: printed numbers, limits, order and newcomers."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.calculator import calculate
from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems.elo import (
    SYSTEMS,
    EloParameters,
    expected_by_line,
    expected_by_logistic,
    expected_by_normal,
    expected_by_table,
    linear_rating,
    new_rating,
)
from tests.hypothesis_settings import example_count
from tests.ratings.laboratory.batches import MAY, games, moment, numbers_of, table_of

TABLE, LINE, LOGISTIC, NORMAL = SYSTEMS
CURVES = (expected_by_table, expected_by_line, expected_by_logistic, expected_by_normal)
every_curve = pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.about.key)
ratings = st.floats(100, 3000)


def test_portisch_by_table_and_by_line():
    assert new_rating(2635, 10, 10.5, 9.66) == pytest.approx(2643.4)
    assert linear_rating(2635, 10, 10.5, 4.5, -1620) == 2644.75


def test_the_line_needs_no_more_than_the_sum_of_the_differences():
    # Whatever fifteen opponents they were: 1620 points less, taken together.
    opponents = [2635 - 54] * 10 + [2635 - 216] * 5
    scores = [1.0] * 8 + [0.5] * 5 + [0.0] * 2
    worked = calculate(
        LINE,
        Standing(2635.0),
        [(Standing(float(o)), s) for o, s in zip(opponents, scores, strict=True)],
        parameters=EloParameters(k=10.0),
        day=MAY.toordinal(),
    )
    assert worked.after.rating == pytest.approx(2644.75)


@pytest.mark.parametrize(
    ("own", "opponent", "expected"),
    [
        (2635, 2600, 0.55),
        (2600, 2635, 0.45),
        (1799.6, 1250, 0.97),
        (1500.4, 1496.5, 0.5),  # displayed 1500 and 1497
        (1500.5, 1496.5, 0.51),  # displayed 1501 and 1497
        (2000, 1264, 1.0),
        (2000, 1265, 0.99),
        (2000, 1200, 1.0),
        (1200, 2000, 0.0),
    ],
)
def test_the_table_is_read_with_displayed_ratings(own, opponent, expected):
    assert expected_by_table(own, opponent) == expected
    table = table_of(TABLE, own, opponent)
    assert table.predict(games((0, 1, 1.0)), moment()) == [expected]


@given(ratings, ratings)
@settings(max_examples=example_count(60))
def test_two_players_expect_one_point_together(own, opponent):
    for curve in CURVES:
        assert curve(own, opponent) + curve(opponent, own) == pytest.approx(1)


@given(ratings, ratings, ratings)
@settings(max_examples=example_count(60))
def test_more_rating_never_expects_less(one, two, opponent):
    low, high = sorted((one, two))
    for curve in CURVES:
        assert curve(low, opponent) <= curve(high, opponent)


@pytest.mark.parametrize("difference", range(0, 401, 25))
def test_the_curves_stay_within_two_hundredths_of_the_table(difference):
    by_table = expected_by_table(1500 + difference, 1500)
    assert expected_by_logistic(1500 + difference, 1500) == pytest.approx(
        by_table, abs=0.02
    )
    assert expected_by_normal(1500 + difference, 1500) == pytest.approx(
        by_table, abs=0.01
    )


@every_curve
def test_an_event_is_rated_from_the_ratings_before_it(system):
    expected = system.expected(Standing(1600.0), Standing(1500.0))
    table = table_of(system, 1600.0, 1500.0, 1500.0)
    table.update(games((0, 1, 1.0), (2, 0, 0.5)), moment())
    gain = 32 * (1.5 - 2 * expected)
    first, second, third = numbers_of(table, 3)
    assert first == pytest.approx(1600 + gain)
    assert second == pytest.approx(1500 - 32 * (1 - expected))
    assert third == pytest.approx(1500 + 32 * (expected - 0.5))
    assert table.standing(0).games == 2
    assert table.standing(0).evaluations == 1


@every_curve
def test_two_events_are_not_one(system):
    one, two = table_of(system, 1600.0, 1500.0), table_of(system, 1600.0, 1500.0)
    one.update(games((0, 1, 1.0), (0, 1, 1.0)), moment())
    two.update(games((0, 1, 1.0)), moment())
    two.update(games((0, 1, 1.0), event=1), moment())
    assert numbers_of(two, 1)[0] < numbers_of(one, 1)[0]


@every_curve
def test_points_go_from_one_player_to_the_other(system):
    table = table_of(system, 1911.0, 1502.0, 1707.5, 1340.25)
    before = math.fsum(numbers_of(table, 4))
    table.update(games((0, 1, 0.5), (2, 3, 0.0), (3, 0, 0.5), (1, 2, 1.0)), moment())
    assert math.fsum(numbers_of(table, 4)) == pytest.approx(before)


@every_curve
def test_newcomers_are_unknown_and_then_begin_with_the_rating_chosen(system):
    table = system.begin(Pool(2), EloParameters(start=1200.0))
    assert table.standing(0) is None
    assert math.isnan(table.predict(games((0, 1, 1.0)), moment())[0])
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 2) == [1216.0, 1184.0]
    assert table.predict(games((0, 1, 1.0)), moment())[0] > 0.5


@every_curve
def test_a_seed_takes_the_place_of_the_newcomer_rule(system):
    table = table_of(system, 1800.0, None, played=12)
    assert table.standing(0) == Standing(1800.0, 12)
    assert math.isnan(table.predict(games((0, 1, 1.0)), moment())[0])


@every_curve
@pytest.mark.parametrize("cap", ["350", "400"])
def test_a_limit_counts_players_further_apart_as_that_far(system, cap):
    parameters = EloParameters(cap=cap)
    far = table_of(system, 2200.0, 1500.0, parameters=parameters)
    near = table_of(system, 1500.0 + int(cap), 1500.0)
    game = games((0, 1, 1.0))
    assert far.predict(game, moment()) == near.predict(game, moment())
    assert math.isnan(
        table_of(system, 2200.0, None, parameters=parameters).predict(game, moment())[0]
    )


def test_by_the_line_a_favorite_loses_points_by_winning_unless_limited():
    for cap, rating in (("none", 1998.0), ("400", 2000.0), ("350", 2002.0)):
        table = table_of(LINE, 2000.0, 1550.0, parameters=EloParameters(cap=cap))
        assert table.predict(games((0, 1, 1.0)), moment())[0] <= 1
        table.update(games((0, 1, 1.0)), moment())
        assert numbers_of(table, 1) == [pytest.approx(rating)]


@every_curve
def test_k_multiplies_the_change(system):
    small = table_of(system, 1700.0, 1500.0, parameters=EloParameters(k=10.0))
    large = table_of(system, 1700.0, 1500.0, parameters=EloParameters(k=40.0))
    for table in (small, large):
        table.update(games((0, 1, 0.5)), moment())
    lost = [1700 - numbers_of(table, 1)[0] for table in (small, large)]
    assert lost[1] == pytest.approx(4 * lost[0])


@every_curve
def test_the_same_games_give_the_same_bits(system):
    batch = games((0, 1, 0.5), (2, 0, 1.0), (1, 2, 0.0), (0, 2, 0.5))
    results = []
    for _ in range(2):
        table = table_of(system, 1533.3, 1611.1, None)
        table.update(batch, moment())
        results.append((numbers_of(table, 3), table.predict(batch, moment())))
    assert results[0] == results[1]
