import math
from datetime import date
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.calibration import (
    AGE_BANDS,
    GAME_BANDS,
    RATING_BANDS,
    ages,
    band_index,
    band_limits,
    expectancy_bands,
    gap_bands,
    value_bands,
)
from ratings.laboratory.protocol import UNKNOWN
from tests.ratings.laboratory.coverage_study import is_off, world

scores = st.sampled_from((0.0, 0.5, 1.0))
expectations = st.floats(0, 1) | st.just(UNKNOWN)
values = st.none() | st.integers(-10, 3000) | st.floats(0, 3000)
ratings = st.floats(0, 3000) | st.just(UNKNOWN)


def favorite_residuals(points, predictions):
    """Return what the favorite of each game scored beyond the expected score."""
    return [
        (score - prediction) * ((prediction > 0.5) - (prediction < 0.5))
        for score, prediction in zip(points, predictions, strict=True)
    ]


def of_columns(*columns):
    return st.lists(st.tuples(*columns), max_size=25).map(
        lambda rows: (
            tuple([list(one) for one in zip(*rows, strict=True)])
            or tuple([] for _ in columns)
        )
    )


def predicted(predictions):
    return sum(one == one for one in predictions)


@given(of_columns(scores, expectations))
def test_bands_of_expectancy_hold_every_predicted_game_once(games):
    rows = expectancy_bands(*games)
    assert sum(row.games for row in rows) == predicted(games[1])


@given(of_columns(scores, expectations, ratings, ratings))
def test_bands_of_the_gap_hold_every_predicted_game_once(games):
    assert sum(row.games for row in gap_bands(*games)) == predicted(games[1])


@pytest.mark.parametrize("edges", [RATING_BANDS, AGE_BANDS, GAME_BANDS])
@given(games=of_columns(scores, expectations, values, values))
def test_bands_of_players_hold_every_predicted_game_twice(edges, games):
    rows = value_bands(*games, edges)
    assert sum(row.games for row in rows) == 2 * predicted(games[1])
    # Seen from both sides, one side's gain is the other's loss.
    assert math.fsum(row.games * row.difference for row in rows) == pytest.approx(
        0, abs=1e-9
    )


@given(of_columns(scores, st.floats(0, 1)))
def test_bands_keep_the_sums_of_favorites(games):
    points, predictions = games
    rows = expectancy_bands(points, predictions)
    gained = math.fsum(row.difference * row.games for row in rows)
    assert gained == pytest.approx(
        math.fsum(favorite_residuals(points, predictions)), abs=1e-9
    )


@given(of_columns(scores, st.floats(0, 1)))
def test_the_mean_expectation_lies_in_its_band(games):
    for row in expectancy_bands(*games):
        assert row.low - 1e-9 <= row.expected <= row.high + 1e-9


@given(of_columns(scores, st.floats(0, 1), st.floats(0, 3000), st.floats(0, 3000)))
def test_bands_of_the_gap_do_not_depend_on_who_has_white(games):
    points, predictions, white, black = games
    # With equal ratings the side is White's, so those may differ.
    if all(one != other for one, other in zip(white, black, strict=True)):
        turned = gap_bands(
            [1 - one for one in points], [1 - one for one in predictions], black, white
        )
        straight = gap_bands(*games)
        assert [(row.low, row.games) for row in turned] == [
            (row.low, row.games) for row in straight
        ]
        for one, other in zip(turned, straight, strict=True):
            assert one.actual == pytest.approx(other.actual)
            assert one.expected == pytest.approx(other.expected)


def test_a_favorite_who_scores_less_than_expected_shows():
    """1800 against 1600, .76 expected by the table, and 60 of 100 scored."""
    points = [1.0] * 60 + [0.0] * 40
    [row] = gap_bands(points, [0.76] * 100, [1800] * 100, [1600] * 100)
    assert (row.low, row.high, row.games) == (200, 250, 100)
    assert row.difference == pytest.approx(-0.16)
    assert row.is_off


def test_a_gap_of_800_and_more_is_one_band():
    rows = gap_bands([1, 1], [0.99, 0.99], [2000, 2900], [1200, 100])
    assert [(row.low, row.high, row.games) for row in rows] == [(800, None, 2)]


def test_unrated_players_have_a_row_of_their_own():
    [row] = gap_bands([1], [0.5], [UNKNOWN], [1500])
    assert (row.low, row.high) == (None, None)
    rows = value_bands([1], [0.5], [UNKNOWN], [1500], RATING_BANDS)
    assert [(row.low, row.high, row.actual) for row in rows] == [
        (1400, 1600, 0.0),
        (None, None, 1.0),
    ]


@pytest.mark.parametrize(
    ("value", "band"),
    [(1399.99, (1200, 1400)), (1400, (1400, 1600)), (2400, (2400, None))],
)
def test_a_class_begins_at_its_lowest_rating(value, band):
    assert band_limits(RATING_BANDS)[band_index(value, RATING_BANDS)] == band


def test_certain_predictions_are_in_the_last_band():
    [row] = expectancy_bands([1, 0], [1.0, 0.0])
    assert (row.low, row.high, row.games, row.expected) == (0.95, 1.0, 2, 1.0)


def test_without_a_favorite_half_of_both_sides_counts():
    """There is no favorite's side, so the result says nothing."""
    for rows in (
        expectancy_bands([1, 1, 0], [0.5] * 3),
        gap_bands([1, 1, 0], [0.5] * 3, [1500] * 3, [1500] * 3),
    ):
        assert [(row.games, row.expected, row.actual) for row in rows] == [
            (3, 0.5, 0.5)
        ]


def test_age_is_year_less_year_of_birth():
    days = [date(2024, 12, 31).toordinal(), date(2025, 1, 1).toordinal()]
    assert ages(days, [0, 0], [2010]) == [14, 15]
    assert ages(days, [0, 1], [None, 2030]) == [None, None]
    assert ages(days, [0, 1], ()) == [None, None]


# --- What chance explains ---


def bands_of(points, predictions, seed):
    """Bands of something that has to do with neither side's luck: 5 of the players."""
    randomness = Random(f"groups {seed}")
    groups = (0, 1, 2, 3, 4)
    white, black = (randomness.choices(groups, k=len(points)) for _ in range(2))
    return value_bands(points, predictions, white, black, groups)


def test_tables_of_a_right_system_are_silent_in_95_of_100():
    """A few may speak; that none ever does would be wrong as well."""
    spoken = []
    for seed in range(120):
        points, predictions = world(600, seed=seed)
        spoken.append(is_off(expectancy_bands(points, predictions)))
        spoken.append(is_off(bands_of(points, predictions, seed)))
    assert 0.02 <= fmean(spoken) <= 0.075


def test_three_points_in_100_show_in_10_000_games():
    tables = [expectancy_bands(*world(10_000, seed=n, fault=0.03)) for n in range(12)]
    assert all(map(is_off, tables))
    assert all(row.difference < 0 for rows in tables for row in rows if row.is_off)


def test_three_points_in_100_show_in_one_band_of_players():
    """Juniors of band 0 score 0.03 more than expected against all others."""
    randomness = Random(3)
    points, predictions = world(10_000, seed=3)
    white = [0] * 10_000
    black = [randomness.choice((1, 2)) for _ in white]
    lower = [max(0.0, one - 0.03) for one in predictions]
    rows = value_bands(points, lower, white, black, (0, 1, 2))
    assert [row.is_off for row in rows] == [True, True, True]
    assert rows[0].difference == pytest.approx(0.03, abs=0.01)
    assert not is_off(value_bands(points, predictions, white, black, (0, 1, 2)))


def test_favorites_lose_what_a_system_is_too_sure_of():
    gains = favorite_residuals(*world(10_000, seed=5, fault=0.03))
    assert fmean(gains) == pytest.approx(-0.03, abs=0.01)
    assert favorite_residuals([1, 0, 1], [0.5, 0.2, 0.2]) == [0.0, 0.2, -0.8]


def test_draws_make_scores_steadier():
    """100 games expected to give one half: all drawn, or half won and half lost."""
    lively = [1.0, 0.0] * 50
    [drawn] = gap_bands([0.5] * 100, [0.51] * 100, [1600] * 100, [1500] * 100)
    [decided] = gap_bands(lively, [0.51] * 100, [1600] * 100, [1500] * 100)
    width = decided.interval.high - decided.interval.low
    # √(0.51 · 0.49 / 100), 1.96 of it to each side.
    assert width == pytest.approx(2 * 1.96 * 0.05, rel=0.001)
    # Nothing is surer than a half of that, however many draws there are.
    assert drawn.interval.high - drawn.interval.low == pytest.approx(width / 2)


def test_both_sides_of_a_game_in_one_band_say_nothing():
    points, predictions = world(500, seed=6)
    [row] = value_bands(points, predictions, [0] * 500, [0] * 500, (0, 1))
    assert (row.games, row.expected, row.actual) == (1000, 0.5, 0.5)
    assert row.interval is None


def test_few_or_nearly_certain_games_have_no_range():
    """One upset in 100 games at an expected score of 0.99 is no surprise."""
    [row] = expectancy_bands([1.0] * 99 + [0.0], [0.99] * 100)
    assert (row.interval, row.is_off) == (None, False)


@pytest.mark.fuzz
@pytest.mark.parametrize("games", [2000, 10_000])
def test_size_and_power_of_calibration(games):
    right = [is_off(expectancy_bands(*world(games, seed=n))) for n in range(1000)]
    assert 0.03 <= fmean(right) <= 0.07
    wrong = [
        is_off(expectancy_bands(*world(10_000, seed=n, fault=0.03))) for n in range(100)
    ]
    assert fmean(wrong) >= 0.95
