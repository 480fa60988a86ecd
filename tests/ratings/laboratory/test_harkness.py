"""Harkness: the handbook's example, the ends of the scale, and newcomers."""

import math

import pytest

from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems.harkness import (
    SYSTEMS,
    HarknessParameters,
    expected_by_harkness,
    harkness,
)
from tests.ratings.laboratory.batches import games, moment, numbers_of, table_of

(SYSTEM,) = SYSTEMS


@pytest.mark.parametrize(
    ("average", "score", "count", "rating"),
    [
        (1850, 2.5, 11, 1577.27),
        (2000, 6, 6, 2500),
        (1800, 0, 5, 1300),
        (1700, 3, 4, 1950),
        (1700, 2, 4, 1700),
    ],
)
def test_ten_points_for_each_percent(average, score, count, rating):
    assert harkness(average, score, count) == pytest.approx(rating, abs=0.005)


def test_the_old_rating_does_not_count():
    for old in (900.0, 1600.0, 2400.0):
        table = table_of(SYSTEM, old, 1850.0, 1950.0)
        table.update(games((0, 1, 1.0), (2, 0, 1.0)), moment())
        assert numbers_of(table, 1) == [1900]


def test_all_players_count_as_before_the_event():
    table = table_of(SYSTEM, 2000.0, 1800.0, 1600.0)
    table.update(games((0, 1, 1.0), (1, 2, 1.0), (2, 0, 0.5)), moment())
    assert numbers_of(table, 3) == pytest.approx([1950, 1800, 1650])


def test_a_newcomer_gets_the_performance_against_the_rated():
    table = table_of(SYSTEM, None, 1800.0, 2000.0, None)
    table.update(games((0, 1, 1.0), (2, 0, 0.5), (0, 3, 0.0)), moment())
    newcomer, first, second, other = numbers_of(table, 4)
    assert newcomer == pytest.approx(1900 + 250)
    assert first == pytest.approx(2150 - 500)
    assert second == pytest.approx(2150)
    # The other newcomer met no rated opponent, so that opponent counts as 1500.
    assert other == 2000


def test_newcomers_among_themselves_begin_with_the_rating_chosen():
    table = SYSTEM.begin(Pool(2), HarknessParameters(start=1000.0))
    table.update(games((0, 1, 0.5), (0, 1, 1.0)), moment())
    assert numbers_of(table, 2) == [1250, 750]


def test_a_short_event_can_be_left_out_but_its_games_count():
    table = table_of(
        SYSTEM, 2000.0, 1800.0, parameters=HarknessParameters(fewest_games=2)
    )
    table.update(games((0, 1, 0.0)), moment())
    assert table.standing(0) == Standing(2000.0, 1, evaluations=1)
    table.update(games((0, 1, 0.0), (0, 1, 0.5)), moment())
    assert numbers_of(table, 1) == [1550]


@pytest.mark.parametrize(
    ("own", "opponent", "expected"),
    [(2100, 2000, 0.6), (2000, 2100, 0.4), (2500, 2000, 1), (2000, 2800, 0)],
)
def test_the_forecast_is_the_score_that_gives_the_same_rating(own, opponent, expected):
    assert expected_by_harkness(own, opponent) == pytest.approx(expected)
    table = table_of(SYSTEM, float(own), float(opponent))
    assert table.predict(games((0, 1, 1.0)), moment()) == [pytest.approx(expected)]
    if 0 < expected < 1:
        assert harkness(opponent, 10 * expected, 10) == pytest.approx(own)


def test_no_forecast_for_the_unrated():
    table = table_of(SYSTEM, 1500.0, None)
    assert math.isnan(table.predict(games((0, 1, 1.0)), moment())[0])
    assert table.standing(1) is None


def test_whole_numbers_are_shown_halves_up():
    assert SYSTEM.display(1577.27) == "1577"
    assert SYSTEM.display(1577.5) == "1578"
