"""USCF correspondence: the printed arithmetic, the limit, and game after game."""

import math

import pytest

from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems.correspondence import (
    SYSTEMS,
    CorrespondenceParameters,
    change,
)
from tests.ratings.laboratory.batches import games, moment, numbers_of, table_of

(SYSTEM,) = SYSTEMS


@pytest.mark.parametrize(
    ("own", "opponent", "score", "points"),
    [
        (1500, 1500, 1, 16),
        (1500, 1600, 1, 20),
        (1600, 1500, 0, -20),
        (1500, 1650, 0.5, 6),
        (1550, 1100, 1, -2),
        (1500, 1100, 1, 0),
    ],
)
def test_sixteen_points_and_four_hundredths_of_the_difference(
    own, opponent, score, points
):
    assert change(own, opponent, score) == pytest.approx(points)
    table = table_of(SYSTEM, float(own), float(opponent))
    table.update(games((0, 1, float(score))), moment())
    assert numbers_of(table, 2) == pytest.approx([own + points, opponent - points])


@pytest.mark.parametrize(("limit", "points"), [("none", -2), ("400", 0), ("350", 2)])
def test_a_limit_keeps_the_favorite_from_losing_by_winning(limit, points):
    parameters = CorrespondenceParameters(max_difference=limit)
    cap = math.inf if limit == "none" else float(limit)
    assert change(1550, 1100, 1, cap=cap) == pytest.approx(points)
    assert change(1100, 1550, 0, cap=cap) == pytest.approx(-points)
    table = table_of(SYSTEM, 1550.0, 1100.0, parameters=parameters)
    table.update(games((0, 1, 1.0)), moment())
    assert numbers_of(table, 2) == pytest.approx([1550 + points, 1100 - points])


def test_each_game_takes_the_ratings_of_the_game_before():
    table = table_of(SYSTEM, 1500.0, 1500.0)
    table.update(games((0, 1, 1.0), (0, 1, 1.0)), moment())
    # 1516 beats 1484: 16 points less 4 % of 32.
    assert numbers_of(table, 2) == pytest.approx([1530.72, 1469.28])


def test_the_order_of_the_games_counts():
    first, second = (0, 1, 1.0), (0, 2, 1.0)
    numbers = []
    for order in ((first, second), (second, first)):
        table = table_of(SYSTEM, 1500.0, 1900.0, 1300.0)
        table.update(games(*order), moment())
        numbers.append(numbers_of(table, 3))
    assert numbers[0] != numbers[1]


@pytest.mark.parametrize(
    ("own", "opponent", "expected"),
    [(1700, 1500, 0.75), (1500, 1600, 0.375), (2000, 1500, 1), (1500, 2000, 0)],
)
def test_forecasts_follow_the_line_and_end_at_0_and_1(own, opponent, expected):
    table = table_of(SYSTEM, float(own), float(opponent))
    assert table.predict(games((0, 1, 1.0)), moment()) == [expected]
    assert SYSTEM.expected(Standing(own), Standing(opponent)) == expected


def test_a_limit_holds_for_forecasts_too():
    parameters = CorrespondenceParameters(max_difference="350")
    table = table_of(SYSTEM, 2000.0, 1500.0, parameters=parameters)
    assert table.predict(games((0, 1, 1.0)), moment()) == [0.9375]


def test_newcomers_are_unknown_until_their_first_game():
    table = SYSTEM.begin(Pool(2))
    assert math.isnan(table.predict(games((0, 1, 0.5)), moment())[0])
    assert table.standing(0) is None
    table.update(games((0, 1, 1.0)), moment())
    assert table.standing(0) == Standing(1516.0, 1)


def test_a_seed_is_kept_with_its_games():
    table = table_of(SYSTEM, 1820.5, None, played=7)
    assert table.standing(0) == Standing(1820.5, 7)
    assert table.standing(1) is None
