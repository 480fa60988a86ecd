"""The ICS system: provisional averages, established K, the 719 rule and activity."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.ics import (
    FIXED,
    SYSTEMS,
    FicsParameters,
    IcsTable,
    Parameters,
    established_change,
    extra_points,
    points_at_stake,
    stays_active,
    value_against_provisional,
    whole,
)

PBEM, FICS = SYSTEMS
NOW = Moment(740_000, 0)


def games(*results: tuple[int, int, float]) -> Games:
    count = len(results)
    return Games(
        [white for white, _, _ in results],
        [black for _, black, _ in results],
        [points for _, _, points in results],
        *[[0] * count] * 3,
    )


def table(*seeds: Standing | None, **changes: Any) -> IcsTable:
    begun = IcsTable(len_pool(seeds), Parameters(**changes))
    for player, standing in enumerate(seeds):
        if standing is not None:
            begun.seed(player, standing)
    return begun


def len_pool(seeds: tuple[Standing | None, ...]) -> Pool:
    return Pool(len(seeds))


def plain(*seeds: Standing | None, **changes: Any) -> IcsTable:
    return table(*seeds, inflation_control=False, **changes)


# --- Formulas ---


def test_719_points_still_move_and_720_do_not():
    assert whole(established_change(2219, 1500, 1, 32)) == 1
    assert whole(established_change(2220, 1500, 1, 32)) == 0
    assert whole(established_change(1500, 2220, 0, 32)) == 0


@pytest.mark.parametrize(
    ("count", "k"), [(0, 0.0), (1, 1.6), (10, 16.0), (20, 32.0), (500, 32.0)]
)
def test_k_grows_with_the_opponents_games(count, k):
    assert points_at_stake(count) == pytest.approx(k)


def test_1600_stands_for_who_has_never_played():
    values = [value_against_provisional(None, None, o) for o in (1, 0, -1)]
    assert values == [1800.0, 1600.0, 1400.0]
    assert value_against_provisional(None, 1500, 1) == 1750.0


def test_no_extra_points_without_an_average():
    assert extra_points(None) == 0.0
    assert extra_points(1800) == -16.0


def test_refusing_while_playing_another_game_keeps_a_player_active():
    assert stays_active(refused=True, is_playing=True)
    assert stays_active(refused=False, is_playing=False)
    assert not stays_active(refused=True, is_playing=False)


@given(st.integers(500, 2800), st.integers(500, 2800), st.sampled_from([0, 0.5, 1]))
def test_changes_of_two_established_players_cancel(own, other, score):
    change = whole(established_change(own, other, score, 32))
    assert change == -whole(established_change(other, own, 1 - score, 32))


# --- Provisional players ---


def test_two_newcomers_begin_from_1600():
    pool = plain(None, None)
    pool.update(games((0, 1, 1.0)), NOW)
    assert [pool.standing(0), pool.standing(1)] == [
        Standing(1800.0, 1),
        Standing(1400.0, 1),
    ]


def test_a_newcomer_takes_400_from_an_established_player_who_keeps_his():
    pool = plain(None, Standing(1650.0, 40))
    pool.update(games((0, 1, 1.0)), NOW)
    assert [pool.standing(0), pool.standing(1)] == [
        Standing(2050.0, 1),
        Standing(1650.0, 41),
    ]


def test_beating_a_much_weaker_player_lowers_a_provisional_rating():
    pool = plain(Standing(2000.0, 4), Standing(1500.0, 40))
    pool.update(games((0, 1, 1.0)), NOW)
    assert pool.standing(0) == Standing(1980.0, 5)


@pytest.mark.parametrize("count", [7, 40])
def test_a_player_without_games_changes_no_rating(count):
    pool = plain(Standing(1650.0, count), None)
    pool.update(games((0, 1, 0.0)), NOW)
    assert pool.standing(0) == Standing(1650.0, count + 1)
    other = pool.standing(1)
    assert other is not None
    assert other.games == 1


def test_both_sides_are_rated_from_before_the_game():
    pool = plain(Standing(1700.0, 1), Standing(1500.0, 1))
    pool.update(games((0, 1, 0.0)), NOW)
    # Values 1600 - 200 and 1600 + 200, each averaged with the rating before.
    assert [pool.standing(0), pool.standing(1)] == [
        Standing(1550.0, 2),
        Standing(1650.0, 2),
    ]


def test_established_at_20_games_and_not_before():
    pool = plain(Standing(1700.0, 18), Standing(1700.0, 40))
    pool.update(games((0, 1, 0.5)), NOW)
    assert pool.mean_of_established() == 1700.0
    pool.update(games((0, 1, 1.0)), NOW)
    # The twentieth value is the last: (19 × 1700 + 2100) ÷ 20; after it K counts.
    assert pool.standing(0) == Standing(1720.0, 20)
    shown = pool.standing(1)
    assert shown is not None
    before = shown.rating
    pool.update(games((0, 1, 1.0)), NOW)
    gain = whole(established_change(1720, before, 1, 32))
    assert pool.standing(0) == Standing(1720.0 + gain, 21)


def test_fics_takes_400_points_from_provisional_opponents_too():
    pools = [
        plain(Standing(1700.0, 1), Standing(1500.0, 1)),
        plain(Standing(1700.0, 1), Standing(1500.0, 1), provisional_opponents=FIXED),
    ]
    for pool in pools:
        pool.update(games((0, 1, 1.0)), NOW)
    assert [pool.standing(0) for pool in pools] == [
        Standing(1750.0, 2),
        Standing(1800.0, 2),
    ]
    assert FicsParameters().provisional_opponents == FIXED
    assert not FicsParameters().inflation_control
    assert Parameters().inflation_control


# --- Established players ---


def test_established_players_win_what_the_other_loses():
    pool = plain(Standing(1720.0, 40), Standing(1720.0, 40))
    pool.update(games((0, 1, 1.0)), NOW)
    assert [pool.standing(0), pool.standing(1)] == [
        Standing(1736.0, 41),
        Standing(1704.0, 41),
    ]


@pytest.mark.parametrize(("rounded", "rating"), [(True, 1795.0), (False, 1794.88)])
def test_k_is_scaled_against_a_provisional_opponent(rounded, rating):
    pool = plain(Standing(1800.0, 40), Standing(1700.0, 5), whole_numbers=rounded)
    pool.update(games((0, 1, 0.0)), NOW)
    after = pool.standing(0)
    assert after is not None
    assert after.rating == pytest.approx(rating, abs=0.005)


# --- The average of 1720 ---


def test_extra_points_are_shown_and_never_averaged_again():
    pool = table(None, Standing(1700.0, 40))
    pool.update(games((0, 1, 0.5)), NOW)
    # A value of 1700 and a fifth of 1720 - 1700, as often as it is asked.
    assert pool.standing(0) == Standing(1704.0, 1)
    pool.update(games(*[(0, 1, 0.5)] * 3), NOW)
    after, other = pool.standing(0), pool.standing(1)
    assert after is not None
    assert other is not None
    mean = pool.mean_of_established()
    assert mean == other.rating
    assert after.rating == round(1700 + (1720 - mean) / 5)


def test_extra_points_become_part_of_an_established_rating():
    pool = table(Standing(1700.0, 19), Standing(1700.0, 40))
    pool.update(games((0, 1, 0.5)), NOW)
    assert pool.standing(0) == Standing(1704.0, 20)
    assert pool.bonus_points == 4.0
    assert pool.mean_of_established() == 1702.0


def test_inactive_players_leave_the_average_until_they_complete_a_game():
    pool = table(Standing(1800.0, 40), Standing(1600.0, 40), Standing(1700.0, 40))
    assert pool.mean_of_established() == 1700.0
    pool.refuse(0, is_playing=True)
    assert pool.is_active(0)
    pool.refuse(0)
    pool.refuse(0)
    assert not pool.is_active(0)
    assert pool.mean_of_established() == 1650.0
    assert pool.standing(0) == Standing(1800.0, 40)
    pool.update(games((0, 2, 0.5)), NOW)
    assert pool.is_active(0)
    assert pool.mean_of_established() == 1700.0


def test_average_follows_the_ratings():
    pool = table(*[Standing(1500.0 + 40 * n, 15 + n) for n in range(10)])
    played = [
        (n % 10, (3 * n + 1) % 10, (n % 3) / 2)
        for n in range(200)
        if n % 10 != (3 * n + 1) % 10
    ]
    pool.refuse(7)
    pool.update(games(*played), NOW)
    shown = [pool.standing(n) for n in range(10)]
    known = [one.rating for one in shown if one is not None and one.games >= 20]
    assert len(known) > 2
    mean = pool.mean_of_established()
    assert mean == pytest.approx(sum(known) / len(known), abs=1e-9)


# --- Predictions ---


def test_prediction_is_the_logistic_curve_and_unknown_for_new_players():
    pool = plain(Standing(1800.0, 40), Standing(1600.0, 40), None, Standing(1600.0, 3))
    predicted = pool.predict(
        games((0, 1, 1.0), (1, 0, 1.0), (0, 2, 1.0), (0, 3, 1.0)), NOW
    )
    assert predicted[0] == pytest.approx(0.7597, abs=1e-4)
    assert predicted[0] + predicted[1] == pytest.approx(1)
    assert math.isnan(predicted[2])
    assert predicted[3] == predicted[0]


def test_prediction_changes_nothing():
    pool = table(Standing(1800.0, 40), None, Standing(1600.0, 3))
    before = [pool.standing(n) for n in range(3)]
    pool.predict(games((0, 1, 1.0), (2, 0, 0.5)), NOW)
    assert [pool.standing(n) for n in range(3)] == before


def test_a_seed_without_games_counts_as_one_game():
    assert plain(Standing(1500.0)).standing(0) == Standing(1500.0, 1)
    assert PBEM.begin(Pool(1)).standing(0) is None
    assert FICS.begin(Pool(1)).standing(0) is None
