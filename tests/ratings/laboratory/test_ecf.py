"""The ECF's monthly rating: the K update, juniors, and partial ratings."""

import math

import pytest

from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems.ecf import (
    SYSTEMS,
    EcfParameters,
    expected_score,
    partial_rating,
)
from tests.ratings.laboratory.batches import games, moment, numbers_of, table_of

(SYSTEM,) = SYSTEMS


def test_the_federations_formula():
    assert expected_score(1700, [1750, 1650, 1900]) == pytest.approx(1.24)
    table = table_of(SYSTEM, 1700.0, 1750.0, 1650.0, 1900.0, played=30)
    table.update(games((0, 1, 1.0), (2, 0, 0.5), (0, 3, 0.0)), moment())
    assert numbers_of(table, 1) == [pytest.approx(1705.2)]


@pytest.mark.parametrize(
    ("born", "changed", "gain"),
    [
        (2007, {}, 20),
        (2006, {}, 10),
        (None, {}, 10),
        (2007, {"junior_below": 0}, 10),
        (2007, {"junior_k": 30.0}, 15),
        (2006, {"k": 25.0}, 12.5),
    ],
)
def test_k_is_larger_for_juniors(born, changed, gain):
    # The games are of 2024, so a player born in 2007 is 17.
    table = table_of(
        SYSTEM,
        1500.0,
        1500.0,
        parameters=EcfParameters(**changed),
        birth_years=(born, None),
        played=30,
    )
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 1) == [1500 + gain]


@pytest.mark.parametrize(
    ("opponents", "score", "rating"),
    [
        ([1500], 1, 1500 + 193),
        ([1500], 0, 1500 - 193),
        ([1500, 1700], 1, 1600),
        ([1500] * 9, 9, 1500 + 470),
        # 3½ of 4 are .875, which counts as .88.
        ([1500] * 3, 3, 1500 + 336),
    ],
)
def test_a_partial_rating_includes_one_drawn_game(opponents, score, rating):
    assert partial_rating(opponents, score) == rating


def test_a_newcomer_is_partial_until_ten_games():
    table = table_of(SYSTEM, None, 1600.0, played=30)
    assert table.standing(0) is None
    for count in range(1, 11):
        table.seed(1, Standing(1600.0, 30))
        table.update(games((0, 1, 0.5)), moment())
        assert table.standing(0) == Standing(1600.0, count, evaluations=count)
    table.seed(1, Standing(1600.0, 30))
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 1) == [1610]


def test_a_partial_rating_is_made_of_all_games_so_far():
    table = table_of(SYSTEM, None, 1600.0, 1800.0, played=30)
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 1) == [1600 + 193]
    table.update(games((2, 0, 1.0)), moment())
    assert numbers_of(table, 1) == [1700]


def test_newcomers_are_rated_twice_and_then_the_others():
    table = table_of(SYSTEM, None, None, 1600.0, played=30)
    table.update(games((0, 2, 0.5), (1, 0, 1.0)), moment())
    # First pass: 1600 from the draw alone, and 1500 + 193 against a newcomer, since no
    # rated player was met. Second pass: each with the other's rating of the first.
    first = partial_rating([1600, 1693], 0.5)
    second = partial_rating([1600], 1)
    # The rated player drew with a player who counts by the second pass.
    third = 1600 + 20 * (0.5 - expected_score(1600, [first]))
    assert numbers_of(table, 3) == pytest.approx([first, second, third])


def test_newcomers_among_themselves_count_as_the_rating_chosen():
    table = SYSTEM.begin(Pool(2), EcfParameters(start=1000.0))
    table.update(games((0, 1, 0.5)), moment())
    assert numbers_of(table, 2) == [1000, 1000]


def test_a_seed_is_full_from_the_first_game():
    table = table_of(SYSTEM, 1500.0, 1500.0)
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 2) == [1510, 1490]


def test_forecasts_come_from_the_table_and_displayed_ratings():
    table = table_of(SYSTEM, 1500.5, 1497.4, None)
    batch = games((0, 1, 1.0), (1, 0, 1.0), (0, 2, 1.0))
    predicted = table.predict(batch, moment())
    # 1501 and 1497: four points apart.
    assert predicted[:2] == [0.51, 0.49]
    assert math.isnan(predicted[2])
