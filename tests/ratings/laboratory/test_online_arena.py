"""FIDE Online Arena: two decimals, K, the floor and first ratings."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.history import HistoryBuilder
from ratings.laboratory.protocol import Games, Moment, OnlineFacts, Pool, Standing
from ratings.laboratory.systems.online_arena import (
    SYSTEMS,
    TIME_CONTROLS,
    ArenaTable,
    Category,
    Parameters,
    after_floor,
    after_list,
    displayed,
    expected_hundredths,
    first_rating_by_play,
    first_rating_from_lists,
    is_rated_control,
    new_rating,
    points_after_disconnection,
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


# --- What a server knows besides results: examples of our own, by hand ---


def known_game(points: float = 1.0, **facts: Any) -> Games:
    """Return a game of White, player 0, against player 1, with *facts* about it."""
    return replace(games((0, 1, points)), online=[OnlineFacts(**facts)])


@pytest.mark.parametrize(
    ("category", "lists", "first"),
    [
        # 3.4.1: rapid, then standard; a blitz rating is of a shorter time control.
        (Category.RAPID, (2000, 1900, 1800), 1900),
        (Category.RAPID, (2000, None, 1800), 2000),
        (Category.RAPID, (None, None, 1800), None),
        # 3.4.2 and 3.4.3: blitz, rapid, then standard.
        (Category.BLITZ, (2000, 1900, 1800), 1800),
        (Category.BLITZ, (2000, 1900, None), 1900),
        (Category.BULLET, (2000, None, None), 2000),
        (Category.BULLET, (None, None, None), None),
    ],
)
def test_first_ratings_from_fide_lists(category, lists, first):
    assert first_rating_from_lists(category, lists) == first


def test_a_first_rating_from_a_list_has_the_usual_k():
    # 3.10.3 gives K 40 to those who were unrated; 1900 from a list plays 1900.
    # ΔR = 1 − .50, so 20 × .50 = 10.
    begun = table(None, 1900)
    begun.update(known_game(white_lists=(None, 1900.0, None)), NOW)
    assert rating(begun, 0) == 1910.0
    assert rating(begun, 1) == 1890.0


def test_a_list_gives_a_rating_to_new_members_only():
    # 3.3: after a fall below 100 the rating is earned by play, not from a list.
    begun = table(100.0, 100.0)
    lost = known_game(0.0, white_lists=(None, 1900.0, None))
    begun.update(lost, NOW)  # 100 − 20 × .50 = 90
    assert rating(begun, 0) is None
    begun.update(lost, NOW)
    assert rating(begun, 0) is None


def test_monthly_changes_are_added_before_the_next_game():
    # 1500 + 12.4 = 1512.40, shown as 1512: D = 12 gives .52, so 20 × .48 = 9.60.
    begun = table(1500, 1500)
    begun.update(known_game(white_change=12.4), NOW)
    assert rating(begun, 0) == 1522.0
    assert rating(begun, 1) == 1490.4


def test_a_monthly_change_can_cost_the_rating():
    assert after_list(10500, -5.01) == 0
    begun = table(105.0, 1500)
    begun.update(known_game(white_change=-6.0), NOW)
    assert rating(begun, 0) is None
    assert rating(begun, 1) == 1500  # 3.8: a game against an unrated player


@pytest.mark.parametrize("category", Category)
def test_time_controls_belong_to_one_category(category):
    others = [one for one in Category if one is not category]
    for control in TIME_CONTROLS[category]:
        assert is_rated_control(category, control)
        assert not any(is_rated_control(one, control) for one in others)


def test_only_listed_time_controls_are_rated():
    assert [len(TIME_CONTROLS[one]) for one in Category] == [7, 6, 4]
    for control, after in (((15, 10), 1510.0), ((15, 5), 1500.0), ((5, 3), 1500.0)):
        begun = table(1500, 1500)
        begun.update(known_game(control=control), NOW)
        assert rating(begun, 0) == after


@pytest.mark.parametrize(
    ("away", "points"),
    [((61, 0), 0.0), ((60, 0), 1.0), ((0, 61), 1.0), ((61, 61), 1.0)],
)
def test_who_is_disconnected_for_more_than_a_minute_loses(away, points):
    white, black = away
    assert points_after_disconnection(1.0, white, black) == points
    begun = table(1500, 1500)
    begun.update(known_game(white_away=white, black_away=black), NOW)
    assert rating(begun, 0) == 1500 + 20 * (points - 0.5)


def test_facts_are_part_of_a_history_only_where_there_are_any():
    plain, told = HistoryBuilder(), HistoryBuilder()
    for builder, facts in ((plain, None), (told, OnlineFacts((5, 3)))):
        one, other = builder.player("1"), builder.player("2")
        builder.game(one, other, 1.0, 740_001)
        builder.game(one, other, 0.5, 740_000, online=facts)
    assert plain.build().games.online == ()
    assert told.build().games.online == (OnlineFacts((5, 3)), None)
    assert plain.build().digest() != told.build().digest()
