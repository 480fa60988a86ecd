"""FIDE Online Arena: two decimals, K, the floor and first ratings."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.online_arena import (
    SYSTEMS,
    ArenaTable,
    Parameters,
    after_floor,
    displayed,
    expected_hundredths,
    first_rating_by_play,
    new_rating,
)

RAPID, BLITZ, BULLET = SYSTEMS
NOW = Moment(740_000, 0)


def games(*results: tuple[int, int, float]) -> Games:
    count = len(results)
    return Games(
        [white for white, _, _ in results],
        [black for _, black, _ in results],
        [points for _, _, points in results],
        *[[0] * count] * 3,
    )


def table(*seeds: float | Standing | None, system: Any = RAPID) -> ArenaTable:
    begun = system.begin(Pool(len(seeds)))
    for player, seed in enumerate(seeds):
        if seed is not None:
            standing = seed if isinstance(seed, Standing) else Standing(seed)
            begun.seed(player, standing)
    return begun


def rating(of: ArenaTable, player: int) -> float | None:
    standing = of.standing(player)
    return None if standing is None else standing.rating


# --- Numbers ---


def test_two_decimals_are_kept_and_halves_shown_upward():
    # The text's own examples, 3.13 and 3.14.
    assert displayed(221550) == 2216
    assert displayed(221549) == 2215
    assert [displayed(179960), displayed(179960 + 60)] == [1800, 1800]


def test_the_difference_is_that_of_the_ratings_shown():
    # 1800.4 and 1796.6 are 3.8 apart, but are shown as 1800 and 1797.
    assert expected_hundredths(180040, 179660) == 50
    assert expected_hundredths(180050, 179660) == 51


def test_there_is_no_400_point_rule():
    assert expected_hundredths(230000, 150000) == 100
    assert expected_hundredths(223500, 150000) == 99
    assert new_rating(150000, 230000, 1, 20) == 152000


@given(st.integers(10_000, 290_000), st.integers(10_000, 290_000))
def test_expected_scores_of_both_make_one_point(own, other):
    assert expected_hundredths(own, other) + expected_hundredths(other, own) == 100


@given(
    st.integers(10_000, 290_000),
    st.integers(10_000, 290_000),
    st.sampled_from([10, 20, 40]),
)
def test_a_better_result_never_lowers_the_rating(own, other, k):
    after = [new_rating(own, other, score, k) for score in (0, 0.5, 1)]
    assert after == sorted(after)


# --- First ratings ---


def test_half_a_point_of_five_is_the_lowest_first_score():
    field = [150000, 155000, 160000, 165000, 170000]
    assert first_rating_by_play(field, 1) == 123400


def test_the_first_counted_game_is_a_draw_or_win():
    pool = table(None, 1500.0, 1550.0, 1600.0, 1650.0, 1700.0, 2400.0)
    pool.update(games((0, 6, 0.0), (6, 0, 1.0)), NOW)
    played = [(1, 1.0), (2, 1.0), (3, 1.0), (4, 0.5)]
    pool.update(games(*[(0, other, points) for other, points in played]), NOW)
    assert pool.standing(0) is None
    pool.update(games((5, 0, 1.0)), NOW)
    assert pool.standing(0) == Standing(1640.0, 5)


def test_rated_opponents_are_not_affected_by_first_games():
    pool = table(None, 1500.0)
    pool.update(games(*[(0, 1, 1.0)] * 5), NOW)
    assert rating(pool, 0) == 1600.0
    assert pool.standing(1) == Standing(1500.0, 0)


def test_games_between_unrated_players_do_not_count():
    pool = table(None, None, 1500.0)
    pool.update(games(*[(0, 1, 1.0)] * 9), NOW)
    assert pool.standing(0) is None


def test_a_first_rating_below_the_floor_stays_unrated():
    pool = table(None, 120.0)
    pool.update(games((0, 1, 0.5), *[(0, 1, 0.0)] * 4), NOW)
    assert pool.standing(0) is None


# --- The table ---


def test_each_game_is_rated_from_the_ratings_before_it():
    pool = table(1500.0, 1500.0)
    pool.update(games((0, 1, 1.0)), NOW)
    assert [rating(pool, 0), rating(pool, 1)] == [1510.0, 1490.0]
    # Shown 20 apart: .53 expected.
    pool.update(games((0, 1, 1.0)), NOW)
    assert [rating(pool, 0), rating(pool, 1)] == [1519.4, 1480.6]


@pytest.mark.parametrize(
    ("system", "gain"), [(RAPID, 10.0), (BLITZ, 10.0), (BULLET, 5.0)]
)
def test_k_is_20_and_in_bullet_10(system, gain):
    pool = table(1500.0, 1500.0, system=system)
    pool.update(games((0, 1, 1.0)), NOW)
    assert rating(pool, 0) == 1500 + gain


@pytest.mark.parametrize(
    ("count", "gain"), [(0, 10.0), (1, 20.0), (29, 20.0), (30, 10.0)]
)
def test_k_is_40_until_30_games_of_an_earned_rating(count, gain):
    pool = table(Standing(1500.0, count), 1500.0)
    pool.update(games((0, 1, 1.0)), NOW)
    assert rating(pool, 0) == 1500 + gain


def test_first_five_games_count_towards_the_30():
    pool = table(None, 1500.0)
    pool.update(games(*[(0, 1, 0.5)] * 5), NOW)
    pool.update(games(*[(0, 1, 0.5)] * 25), NOW)
    before = rating(pool, 0)
    assert before == 1500.0
    pool.update(games((0, 1, 1.0)), NOW)
    assert rating(pool, 0) == 1510.0


def test_a_rating_below_100_is_lost_and_begins_again():
    pool = table(104.0, 100.0, 1500.0)
    pool.update(games((0, 1, 0.0)), NOW)
    assert pool.standing(0) is None
    assert rating(pool, 1) == 110.2
    pool.update(games(*[(0, 2, 0.5)] * 5), NOW)
    assert pool.standing(0) == Standing(1500.0, 5)


def test_floor_is_100_itself():
    assert [after_floor(10000), after_floor(9999)] == [10000, 0]


def test_predictions_are_the_tables_and_unknown_for_unrated():
    pool = table(1799.6, 1250.0, None, 600.0)
    predicted = pool.predict(games((0, 1, 1.0), (0, 2, 1.0), (3, 0, 1.0)), NOW)
    assert predicted[0] == 0.97
    assert math.isnan(predicted[1])
    assert predicted[2] == 0.0


def test_a_pool_without_any_rating_opens_in_its_second_period():
    pool = table(None, None)
    pool.update(games((0, 1, 1.0)), Moment(740_000, 0))
    assert [pool.standing(0), pool.standing(1)] == [None, None]
    pool.update(games((0, 1, 1.0)), Moment(740_030, 1))
    assert [rating(pool, 0), rating(pool, 1)] == [1610.0, 1590.0]


def test_own_k_and_floor():
    pool = RAPID.begin(Pool(2), Parameters(k=32, floor=1490))
    for player in range(2):
        pool.seed(player, Standing(1500.0))
    pool.update(games((0, 1, 1.0)), NOW)
    assert [pool.standing(0), pool.standing(1)] == [Standing(1516.0, 1), None]


results = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])
    ).filter(lambda game: game[0] != game[1]),
    max_size=40,
)


@given(results, st.integers(0, 40))
def test_batches_do_not_matter_to_a_system_that_rates_game_by_game(played, cut):
    whole, parts = (
        table(1500.0, 1600.0, None, 105.0),
        table(1500.0, 1600.0, None, 105.0),
    )
    whole.update(games(*played), NOW)
    parts.update(games(*played[:cut]), NOW)
    parts.update(games(*played[cut:]), NOW)
    assert [whole.standing(n) for n in range(4)] == [
        parts.standing(n) for n in range(4)
    ]
