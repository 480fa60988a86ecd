import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.calibration import (
    AGE_BANDS,
    GAME_BANDS,
    RATING_BANDS,
    ages,
    band_limits,
    band_of,
    by_band,
    by_expectancy,
    by_gap,
    score_interval,
)
from ratings.laboratory.protocol import UNKNOWN

scores = st.sampled_from((0.0, 0.5, 1.0))
expectations = st.floats(0, 1) | st.just(UNKNOWN)
values = st.none() | st.integers(-10, 3000) | st.floats(0, 3000)
ratings = st.floats(0, 3000) | st.just(UNKNOWN)


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
    rows = by_expectancy(*games)
    assert sum(row.games for row in rows) == predicted(games[1])


@given(of_columns(scores, expectations, ratings, ratings))
def test_bands_of_the_gap_hold_every_predicted_game_once(games):
    assert sum(row.games for row in by_gap(*games)) == predicted(games[1])


@pytest.mark.parametrize("edges", [RATING_BANDS, AGE_BANDS, GAME_BANDS])
@given(games=of_columns(scores, expectations, values, values))
def test_bands_of_players_hold_every_predicted_game_twice(edges, games):
    rows = by_band(*games, edges)
    assert sum(row.games for row in rows) == 2 * predicted(games[1])
    # Seen from both sides, what is gained by one is lost by the other.
    assert math.fsum(row.games * row.difference for row in rows) == pytest.approx(
        0, abs=1e-9
    )


@given(of_columns(scores, st.floats(0, 1)))
def test_bands_keep_the_sums(games):
    rows = by_expectancy(*games)
    points, predictions = games
    assert math.fsum(row.actual * row.games for row in rows) == pytest.approx(
        math.fsum(points)
    )
    assert math.fsum(row.expected * row.games for row in rows) == pytest.approx(
        math.fsum(predictions)
    )


@given(of_columns(scores, st.floats(0, 1)))
def test_the_mean_expectation_lies_in_its_band(games):
    for row in by_expectancy(*games):
        assert row.low - 1e-9 <= row.expected <= row.high + 1e-9


@given(of_columns(scores, st.floats(0, 1), st.floats(0, 3000), st.floats(0, 3000)))
def test_bands_of_the_gap_do_not_depend_on_who_has_white(games):
    points, predictions, white, black = games
    # With equal ratings the side is White's, so those may differ.
    if all(one != other for one, other in zip(white, black, strict=True)):
        turned = by_gap(
            [1 - one for one in points], [1 - one for one in predictions], black, white
        )
        straight = by_gap(*games)
        assert [(row.low, row.games) for row in turned] == [
            (row.low, row.games) for row in straight
        ]
        for one, other in zip(turned, straight, strict=True):
            assert one.actual == pytest.approx(other.actual)
            assert one.expected == pytest.approx(other.expected)


def test_a_favorite_who_scores_less_than_expected_shows():
    """1800 against 1600, .76 expected by the table, and 60 of 100 scored."""
    points = [1.0] * 60 + [0.0] * 40
    [row] = by_gap(points, [0.76] * 100, [1800] * 100, [1600] * 100)
    assert (row.low, row.high, row.games) == (200, 250, 100)
    assert row.difference == pytest.approx(-0.16)
    assert row.is_off


def test_a_gap_of_800_and_more_is_one_band():
    rows = by_gap([1, 1], [0.99, 0.99], [2000, 2900], [1200, 100])
    assert [(row.low, row.high, row.games) for row in rows] == [(800, None, 2)]


def test_unrated_players_have_a_row_of_their_own():
    [row] = by_gap([1], [0.5], [UNKNOWN], [1500])
    assert (row.low, row.high) == (None, None)
    rows = by_band([1], [0.5], [UNKNOWN], [1500], RATING_BANDS)
    assert [(row.low, row.high, row.actual) for row in rows] == [
        (1400, 1600, 0.0),
        (None, None, 1.0),
    ]


@pytest.mark.parametrize(
    ("value", "band"),
    [(1399.99, (1200, 1400)), (1400, (1400, 1600)), (2400, (2400, None))],
)
def test_a_class_begins_at_its_lowest_rating(value, band):
    assert band_limits(RATING_BANDS)[band_of(value, RATING_BANDS)] == band


def test_certain_predictions_are_in_the_last_band():
    rows = by_expectancy([1, 0], [1.0, 0.0])
    assert [(row.low, row.high) for row in rows] == [(0.0, 0.1), (0.9, 1.0)]


def test_age_is_year_less_year_of_birth():
    days = [date(2024, 12, 31).toordinal(), date(2025, 1, 1).toordinal()]
    assert ages(days, [0, 0], [2010]) == [14, 15]
    assert ages(days, [0, 1], [None, 2030]) == [None, None]
    assert ages(days, [0, 1], ()) == [None, None]


# --- Intervals ---


@pytest.mark.parametrize(
    ("mean", "games", "low", "high"),
    [
        # Wilson's interval as in Newcombe (1998), table I, method 3.
        (81 / 263, 263, 0.2553, 0.3662),
        (15 / 148, 148, 0.0624, 0.1605),
        (0 / 20, 20, 0.0, 0.1611),
        (1 / 29, 29, 0.0061, 0.1718),
    ],
)
def test_intervals_are_those_of_newcombes_table(mean, games, low, high):
    interval = score_interval(mean, games)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


@given(st.integers(0, 40), st.integers(20, 1000))
def test_an_interval_holds_its_mean_and_stays_between_0_and_1(half_points, games):
    mean = half_points / (2 * games)
    low, high = score_interval(mean, games)
    assert 0 <= low <= mean <= high <= 1


@given(st.floats(0, 1), st.integers(1, 1000))
def test_more_games_make_an_interval_narrower(mean, games):
    few, many = score_interval(mean, games), score_interval(mean, 4 * games)
    assert many.high - many.low < few.high - few.low


def test_without_games_there_is_no_interval():
    with pytest.raises(ValueError, match="no mean"):
        score_interval(0.5, 0)
