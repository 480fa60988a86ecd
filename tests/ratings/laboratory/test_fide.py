"""FIDE's lists: dates of editions on both sides, K, first ratings, and the table."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.history import NO_EVENT
from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.fide import SYSTEMS, FideTable, Parameters
from ratings.laboratory.systems.fide_first import (
    counts_as_first_event,
    first_rating,
    is_published,
)
from ratings.laboratory.systems.fide_formulas import (
    apply_2024_raise,
    approved_minutes,
    capped_coefficient,
    coefficient,
    counted_difference,
    fewest_minutes,
    game_change,
    is_rated,
    matches_time_control,
    period_change,
    rating_list_for,
    round_half_away,
    tournament_change,
)
from ratings.laboratory.systems.fide_rules import (
    EDITIONS,
    Differences,
    RatingList,
    Rules,
    UnevenGameRule,
    rules_in_force,
)
from tests.hypothesis_settings import example_count

STANDARD, RAPID, BLITZ = SYSTEMS


def rules(kind: RatingList, *day: int) -> Rules:
    return rules_in_force(kind, date(*day))


def games(*results: tuple[int, int, float], event: int = 0, minutes: int = 0) -> Games:
    count = len(results)
    return Games(
        [white for white, _, _ in results],
        [black for _, black, _ in results],
        [points for _, _, points in results],
        [0] * count,
        [event] * count,
        [minutes] * count,
    )


def moment(year: int, month: int, day: int = 28) -> Moment:
    return Moment(date(year, month, day).toordinal(), 12 * year + month)


def table(
    *seeds: Standing | None, system: Any = STANDARD, years: Any = (), **changes: Any
) -> FideTable:
    begun = system.begin(Pool(len(seeds), years), Parameters(**changes))
    for player, standing in enumerate(seeds):
        if standing is not None:
            begun.seed(player, standing)
    return begun


def rate(of: FideTable, played: Games, at: Moment) -> None:
    """Rate games as played on the last day of their period."""
    of.update(replace(played, days=[at.day] * len(played)), at)


def ratings(of: FideTable, players: int) -> list[float | None]:
    standings = [of.standing(player) for player in range(players)]
    return [None if one is None else one.rating for one in standings]


OLD = Standing(2000.0, 100)


# --- Rules by date ---


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ((2009, 6, 30), Differences(350)),
        ((2009, 7, 1), Differences(400)),
        ((2021, 12, 31), Differences(400)),
        ((2022, 1, 1), Differences(400, one_upgrade=True)),
        ((2024, 2, 29), Differences(400, one_upgrade=True)),
        ((2024, 3, 1), Differences(400)),
        ((2025, 9, 30), Differences(400)),
        ((2025, 10, 1), Differences(400, exempt_from=2650)),
    ],
)
def test_large_differences_in_standard_by_date(day, expected):
    assert rules(RatingList.STANDARD, *day).differences == expected


@pytest.mark.parametrize("kind", [RatingList.RAPID, RatingList.BLITZ])
@pytest.mark.parametrize(
    ("day", "limit"), [((2024, 2, 29), 735), ((2024, 3, 1), 400), ((2026, 1, 1), 400)]
)
def test_fast_lists_have_no_exemption(kind, day, limit):
    assert rules(kind, *day).differences == Differences(limit)


@pytest.mark.parametrize("kind", [RatingList.RAPID, RatingList.BLITZ])
def test_uneven_fast_games_are_not_rated_from_december_2024(kind):
    assert rules(kind, 2024, 11, 30).uneven is None
    assert rules(kind, 2024, 12, 1).uneven == UnevenGameRule(600, 2600)
    assert rules(RatingList.STANDARD, 2024, 12, 1).uneven is None


@pytest.mark.parametrize(
    ("day", "values"),
    [
        ((2011, 6, 30), (25, 15, 10, None)),
        ((2011, 7, 1), (30, 15, 10, None)),
        ((2014, 6, 30), (30, 15, 10, None)),
        ((2014, 7, 1), (40, 20, 10, 40)),
    ],
)
def test_k_in_standard_by_date(day, values):
    k = rules(RatingList.STANDARD, *day).coefficients
    assert (k.newcomers, k.others, k.top, k.juniors) == values


def test_k_in_rapid_was_20_for_all_until_october_2022():
    before = rules(RatingList.RAPID, 2022, 9, 30).coefficients
    after = rules(RatingList.RAPID, 2022, 10, 1).coefficients
    assert [coefficient(before, *who) for who in ((5, 1500, 12), (99, 2700, 30))] == [
        20,
        20,
    ]
    assert [coefficient(after, *who) for who in ((5, 1500, 12), (99, 2700, 30))] == [
        40,
        10,
    ]


@pytest.mark.parametrize(
    ("kind", "day", "floor"),
    [
        (RatingList.STANDARD, (2009, 6, 30), 1801),
        (RatingList.STANDARD, (2009, 7, 1), 1200),
        (RatingList.STANDARD, (2012, 6, 30), 1200),
        (RatingList.STANDARD, (2012, 7, 1), 1000),
        (RatingList.STANDARD, (2024, 2, 29), 1000),
        (RatingList.STANDARD, (2024, 3, 1), 1400),
        (RatingList.RAPID, (2024, 2, 29), 1000),
        (RatingList.RAPID, (2024, 3, 1), 1400),
    ],
)
def test_floors_by_date(kind, day, floor):
    assert rules(kind, *day).floor == floor


def test_each_edition_is_a_first_day_of_some_rule():
    for day in EDITIONS[2:]:
        first = date.fromisoformat(day)
        before = date.fromordinal(first.toordinal() - 1)
        assert any(
            rules_in_force(kind, first) != rules_in_force(kind, before)
            for kind in RatingList
        ), day


# --- One game and one period ---


def test_exemption_goes_by_the_player_who_is_computed():
    # FIDE's published calculations of one game: 2813 saw 413, the opponent 2800.
    rule = rules(RatingList.STANDARD, 2025, 10, 1).differences
    assert counted_difference(2813, 2400, rule) == 413
    assert counted_difference(2400, 2813, rule) == -400
    assert counted_difference(2650, 2150, rule) == 500
    assert counted_difference(2649, 2150, rule) == 400


def test_only_the_widest_game_of_a_tournament_was_upgraded_in_2022():
    rule = rules(RatingList.STANDARD, 2022, 1, 1).differences
    # Printed for a player of 2000 in an event of November 2022 (a forum's table): only
    # the opponent of 1063 was lifted to 1600, and the sum was -0.61.
    field = [
        (1063, 1),
        (1299, 1),
        (1413, 1),
        (1872, 0.5),
        (1851, 0),
        (1427, 1),
        (1682, 1),
    ]
    assert tournament_change(2000, field, rule) == -61


def test_a_weaker_players_difference_is_always_limited():
    rule = Differences(400, one_upgrade=True)
    assert tournament_change(1500, [(2000, 1), (2100, 1)], rule) == 92 + 92


def test_the_period_is_rounded_once_and_both_are_told():
    # FIDE's published sums; its list shows the rounding after each event here.
    tournaments = [
        (2395, 10, [(1995, 1), (2205, 0.5), (2325, 0), (1995, 1), (1995, 1)]),
        (2400, 10, [(2000, 1), (2000, 1), (2121, 1), (2800, 0), (2084, 1)]),
        (2400, 10, [(2000, 1), (2000, 1), (2230, 1), (2505, 1), (2155, 0.5)]),
    ]
    rule = rules(RatingList.STANDARD, 2025, 10, 1).differences
    assert period_change(tournaments, rule) == ((-61, 37, 78), 540, 5, 6)


@given(st.integers(-100_000, 100_000))
def test_rounding_is_the_same_for_gains_and_losses(hundredths):
    assert round_half_away(-hundredths) == -round_half_away(hundredths)
    assert abs(100 * round_half_away(hundredths) - hundredths) <= 50


@given(st.integers(1000, 2900), st.integers(1000, 2900))
def test_without_exemption_what_one_wins_the_other_loses(own, other):
    rule = Differences(400)
    assert game_change(own, other, 1, rule) == -game_change(other, own, 0, rule)


# --- K ---


def test_old_k_of_10_needed_30_games():
    old = rules(RatingList.STANDARD, 2014, 6, 30).coefficients
    now = rules(RatingList.STANDARD, 2014, 7, 1).coefficients
    assert coefficient(old, 12, 2450, None) == 30
    assert coefficient(old, 30, 2450, None) == 10
    assert coefficient(now, 12, 2450, None) == 10


def test_no_limit_of_700_before_2014():
    old = rules(RatingList.STANDARD, 2014, 6, 30).coefficients
    assert capped_coefficient(30, 40, old.most) == 30
    assert capped_coefficient(40, 40, 700) == 17


@given(st.sampled_from([10, 20, 40]), st.integers(1, 200))
def test_k_times_games_never_exceeds_700(k, count):
    used = capped_coefficient(k, count, 700)
    assert used * count <= 700 or used == 0
    assert used == k or (used + 1) * count > 700


# --- First ratings ---


def test_first_rating_of_today_is_at_most_2200():
    rule = rules(RatingList.STANDARD, 2024, 3, 1).first
    assert first_rating([2100] * 5, 10, rule).rating == 2200
    assert first_rating([1000] * 5, 10, rule).rating == 1538


@pytest.mark.parametrize(
    ("day", "rating"),
    [((2009, 7, 1), 1513), ((2011, 7, 1), 1515), ((2014, 7, 1), 1520)],
)
def test_half_a_point_over_even_was_worth_half_the_highest_k(day, rating):
    rule = rules(RatingList.STANDARD, *day).first
    assert first_rating([1500] * 5, 6, rule).rating == rating


def test_below_an_even_score_the_old_rule_reads_the_table():
    rule = rules(RatingList.STANDARD, 2024, 2, 29).first
    assert first_rating([1500] * 5, 4, rule).rating == 1500 - 72
    assert first_rating([1500] * 5, 5, rule).rating == 1500


def test_first_rating_without_a_game_is_refused():
    with pytest.raises(ValueError, match="rated opponent"):
        first_rating([], 0, rules(RatingList.STANDARD, 2025, 1, 1).first)


def test_publication_needs_games_and_the_floor():
    rule = rules(RatingList.STANDARD, 2025, 1, 1).first
    assert is_published(1400, 5, rule, 1400)
    assert not is_published(1399, 5, rule, 1400)
    assert not is_published(1800, 4, rule, 1400)
    assert not is_published(1800, 8, rules(RatingList.STANDARD, 2014, 6, 30).first, 0)


def test_first_event_needed_a_full_point_against_three_until_2014():
    old = rules(RatingList.STANDARD, 2014, 6, 30).first
    now = rules(RatingList.STANDARD, 2014, 7, 1).first
    assert [counts_as_first_event(1, 3, rule) for rule in (old, now)] == [False, True]
    assert [counts_as_first_event(2, 2, rule) for rule in (old, now)] == [False, True]
    assert not counts_as_first_event(0, 9, now)


# --- Time controls ---


def test_limits_of_the_lists_by_time_for_60_moves():
    assert [rating_list_for(minutes) for minutes in (3, 3.1, 10, 10.1, 59, 60)] == [
        None,
        RatingList.BLITZ,
        RatingList.BLITZ,
        RatingList.RAPID,
        RatingList.RAPID,
        RatingList.STANDARD,
    ]
    assert rating_list_for(3, 2) is RatingList.BLITZ


def test_slow_games_need_more_time_at_higher_ratings():
    assert [fewest_minutes(rating) for rating in (0, 1799, 1800, 2399, 2400)] == [
        60,
        60,
        90,
        90,
        120,
    ]
    assert matches_time_control(RatingList.STANDARD, 0, 2700)
    assert not matches_time_control(RatingList.STANDARD, 90, 2400)
    assert not matches_time_control(RatingList.BLITZ, 15, 1500)


def test_games_of_another_list_are_left_out_when_asked():
    for checked, expected in ((True, 2000.0), (False, 2010.0)):
        pool = table(OLD, OLD, time_controls=checked)
        rate(pool, games((0, 1, 1.0), minutes=15), moment(2026, 1))
        assert ratings(pool, 1) == [expected]


# --- The table ---


def test_a_period_uses_the_list_before_it_for_all_its_games():
    pool = table(OLD, OLD, OLD)
    rate(pool, games((0, 1, 1.0), (0, 2, 1.0), (1, 2, 0.5)), moment(2026, 1))
    assert ratings(pool, 3) == [2020.0, 1990.0, 1990.0]


def test_prediction_is_the_tables_and_unknown_for_unrated():
    pool = table(OLD, Standing(1900.0, 50), None, Standing(2813.0, 900))
    predicted = pool.predict(
        games((0, 1, 1.0), (1, 0, 1.0), (0, 2, 1.0), (3, 0, 1.0)), moment(2026, 1)
    )
    assert predicted[:2] == [0.64, 0.36]
    assert math.isnan(predicted[2])
    assert predicted[3] == 1.0


def test_both_predictions_of_a_game_make_one_point():
    pool = table(Standing(2700.0, 99), Standing(2200.0, 99))
    for day in (moment(2025, 9), moment(2025, 10)):
        first, second = pool.predict(games((0, 1, 1.0), (1, 0, 1.0)), day)
        assert first + second == 1.0


def test_exemption_begins_with_october_2025():
    outcomes = []
    for month in (9, 10):
        # Five wins: +4.0 with the limit of 400, +2.0 without.
        pool = table(Standing(2700.0, 99), Standing(2200.0, 99))
        rate(pool, games(*[(0, 1, 1.0)] * 5), moment(2025, month))
        outcomes.append(ratings(pool, 1))
    assert outcomes == [[2704.0], [2702.0]]


def test_uneven_rapid_games_stop_counting_in_december_2024():
    outcomes = []
    for month in (11, 12):
        pool = table(Standing(2601.0, 99), Standing(2001.0, 99), system=RAPID)
        rate(pool, games(*[(0, 1, 0.0)] * 2), moment(2024, month))
        outcomes.append(pool.standing(0))
    assert outcomes == [Standing(2583.0, 101), Standing(2601.0, 99)]


def test_a_fixed_edition_ignores_the_calendar():
    pool = table(Standing(2700.0, 99), Standing(2200.0, 99), edition="2024-03-01")
    rate(pool, games(*[(0, 1, 1.0)] * 5), moment(2026, 5))
    assert ratings(pool, 1) == [2704.0]


def test_juniors_need_a_year_of_birth():
    years = [2008, None]
    for player, expected in ((0, 2020.0), (1, 2010.0)):
        pool = table(OLD, OLD, OLD, years=[*years, None])
        rate(pool, games((player, 2, 1.0)), moment(2026, 1))
        assert ratings(pool, 3)[player] == expected


def test_a_junior_who_reached_2300_once_keeps_20():
    pool = table(Standing(2295.0, 99), Standing(2295.0, 99), years=[2012, 1990])
    rate(pool, games((0, 1, 1.0)), moment(2026, 1))
    assert ratings(pool, 1) == [2315.0]
    rate(pool, games(*[(0, 1, 0.0)] * 4), moment(2026, 2))
    before_last = ratings(pool, 1)[0]
    assert before_last is not None
    assert before_last < 2300
    rating, other = ratings(pool, 2)
    assert rating is not None
    assert other is not None
    rate(pool, games((0, 1, 1.0)), moment(2026, 3))
    gain = round_half_away(
        20 * game_change(int(rating), int(other), 1, Differences(400))
    )
    assert ratings(pool, 1) == [rating + gain]


def test_player_below_the_floor_becomes_unrated_and_keeps_games():
    pool = table(Standing(1405.0, 99), Standing(1405.0, 99))
    rate(pool, games((0, 1, 1.0)), moment(2026, 1))
    assert ratings(pool, 2) == [1415.0, None]
    assert math.isnan(pool.predict(games((0, 1, 1.0)), moment(2026, 2))[0])


def test_games_with_an_unrated_player_leave_the_rated_one_alone():
    pool = table(OLD, None)
    rate(pool, games((0, 1, 0.0)), moment(2026, 1))
    assert pool.standing(0) == OLD


NEWCOMER = [
    Standing(rating, 100) for rating in (1902.0, 1877.0, 1884.0, 2012.0, 1832.0)
]
RESULTS = [(0, 0.5), (1, 0.5), (2, 1.0), (3, 0.0), (4, 1.0)]


def test_a_published_newcomer_enters_with_1922():
    pool = table(*NEWCOMER, None)
    played = games(*[(5, opponent, points) for opponent, points in RESULTS])
    rate(pool, played, moment(2025, 11))
    assert pool.standing(5) == Standing(1922.0, 5)


def test_a_newcomers_results_are_pooled_over_periods():
    pool = table(*NEWCOMER, None)
    rate(pool, games(*[(5, n, points) for n, points in RESULTS[:3]]), moment(2025, 9))
    assert pool.standing(5) is None
    # White and Black do not matter to a newcomer.
    rest = games(*[(n, 5, 1.0 - points) for n, points in RESULTS[3:]], event=1)
    rate(pool, rest, moment(2025, 11))
    assert pool.standing(5) == Standing(1922.0, 5)


def test_results_older_than_26_lists_are_dropped():
    for month, expected in ((10, Standing(1922.0, 5)), (11, None)):
        pool = table(*NEWCOMER, None, edition="2025-10-01")
        rate(
            pool, games(*[(5, n, points) for n, points in RESULTS[:3]]), moment(2023, 9)
        )
        rest = games(*[(5, n, points) for n, points in RESULTS[3:]], event=1)
        rate(pool, rest, moment(2025, month))
        assert pool.standing(5) == expected


def test_a_first_event_without_a_half_point_is_struck():
    pool = table(*NEWCOMER, None)
    rate(pool, games((5, 0, 0.0), (5, 1, 0.0)), moment(2025, 8))
    played = [(5, opponent, points) for opponent, points in RESULTS]
    rate(pool, games(*played, event=1), moment(2025, 9))
    assert pool.standing(5) == Standing(1922.0, 5)


def test_raise_of_march_2024_happens_once_between_the_lists():
    low = Standing(1600.0, 99)
    pool = table(low, low, Standing(1000.0, 99), OLD)
    rate(pool, games((0, 1, 0.5)), moment(2024, 1))
    assert ratings(pool, 4) == [1600.0, 1600.0, 1000.0, 2000.0]
    rate(pool, games((0, 1, 0.5)), moment(2024, 2, 29))
    assert ratings(pool, 4) == [1760.0, 1760.0, 1400.0, 2000.0]
    assert pool.bonus_points == 160 + 160 + 400
    rate(pool, games((0, 1, 0.5)), moment(2024, 3))
    assert ratings(pool, 4) == [1760.0, 1760.0, 1400.0, 2000.0]


@pytest.mark.parametrize(
    "changes", [{"one_time_raise": False}, {"edition": EDITIONS[-1]}]
)
def test_raise_can_be_left_out(changes):
    pool = table(Standing(1600.0, 99), Standing(1600.0, 99), **changes)
    rate(pool, games((0, 1, 0.5)), moment(2024, 2))
    rate(pool, games((0, 1, 0.5)), moment(2024, 3))
    assert ratings(pool, 2) == [1600.0, 1600.0]


def test_a_history_that_begins_later_is_not_raised():
    pool = table(Standing(1600.0, 99), Standing(1600.0, 99))
    rate(pool, games((0, 1, 0.5)), moment(2024, 3))
    rate(pool, games((0, 1, 0.5)), moment(2024, 4))
    assert ratings(pool, 2) == [1600.0, 1600.0]


@given(st.integers(1000, 1999))
def test_the_raise_never_passes_2000_nor_changes_the_order(rating):
    assert rating <= apply_2024_raise(rating) <= 2000
    assert apply_2024_raise(rating) <= apply_2024_raise(rating + 1)


def test_a_pool_without_any_rating_opens_in_its_second_period():
    pool = table(None, None, None)
    rate(pool, games((0, 1, 1.0)), moment(2026, 1))
    assert ratings(pool, 3) == [None, None, None]
    rate(pool, games((0, 1, 1.0)), moment(2026, 2))
    assert ratings(pool, 3) == [1820.0, 1780.0, None]


def test_opening_can_be_turned_off():
    pool = table(None, None, opening=0)
    for month in (1, 2, 3):
        rate(pool, games((0, 1, 1.0)), moment(2026, month))
    assert ratings(pool, 2) == [None, None]


def test_k_and_floor_can_be_fixed():
    pool = table(Standing(1200.0, 5), Standing(1200.0, 99), k=30, floor=100)
    rate(pool, games((0, 1, 1.0)), moment(2026, 1))
    assert ratings(pool, 2) == [1215.0, 1185.0]


def test_seeds_are_rounded_to_whole_numbers():
    assert ratings(table(Standing(1654.5, 3)), 1) == [1655.0]


def test_is_rated_without_a_rule():
    assert is_rated(2800, 1000, None)


@pytest.mark.parametrize(
    ("begun", "event", "expected"),
    [
        (date(2025, 9, 30), 0, 2701.0),
        (date(2025, 10, 1), 0, 2700.0),
        (date(2025, 9, 30), NO_EVENT, 2700.0),
    ],
)
def test_large_differences_count_by_the_day_on_which_the_event_began(
    begun, event, expected
):
    """+0.8 under the 400-point rule, +0.4 without it; a game of no event counts alone.

    The first game of the event is that of two others.
    """
    pool = table(Standing(2700.0, 100), Standing(2200.0, 100), OLD, OLD)
    end = date(2025, 10, 4).toordinal()
    played = games((2, 3, 0.5), (0, 1, 1.0), event=event)
    pool.update(replace(played, days=[begun.toordinal(), end]), Moment(end, 0))
    assert ratings(pool, 1) == [expected]


@pytest.mark.parametrize(
    ("begun", "expected"), [(date(2024, 11, 30), 2703.0), (date(2024, 12, 1), 2700.0)]
)
def test_uneven_games_are_left_out_by_the_day_on_which_the_event_began(begun, expected):
    pool = table(Standing(2700.0, 100), Standing(2100.0, 100), system=RAPID)
    end = date(2024, 12, 2).toordinal()
    played = replace(games(*[(0, 1, 1.0)] * 4), days=[begun.toordinal(), *[end] * 3])
    pool.update(played, Moment(end, 0))
    # Four times +0.8, or nothing at all.
    assert ratings(pool, 1) == [expected]


PAIRS = st.tuples(
    st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])
).filter(lambda pair: pair[0] != pair[1])


@settings(max_examples=example_count(60), deadline=None)
@given(
    st.lists(st.integers(1500, 2800), min_size=6, max_size=6),
    st.lists(st.tuples(PAIRS, st.integers(0, 2)), max_size=25),
    st.sampled_from(EDITIONS[2:]),
)
def test_the_table_does_what_the_formulas_say(before, played, edition):
    pool = table(
        *[Standing(float(one), 100) for one in before], edition=edition, floor=1
    )
    batch = Games(
        [pair[0] for pair, _event in played],
        [pair[1] for pair, _event in played],
        [pair[2] for pair, _event in played],
        [0] * len(played),
        [event for _pair, event in played],
        [0] * len(played),
    )
    rate(pool, batch, moment(2026, 1))
    rule = rules_in_force(RatingList.STANDARD, date.fromisoformat(edition))
    for player, rating in enumerate(before):
        own: dict[int, list[tuple[int, float]]] = {}
        for (white, black, points), event in played:
            if player == white:
                own.setdefault(event, []).append((before[black], points))
            elif player == black:
                own.setdefault(event, []).append((before[white], 1 - points))
        count = sum(len(results) for results in own.values())
        k = coefficient(rule.coefficients, 100, rating, None)
        k = capped_coefficient(k, count, rule.coefficients.most)
        change = period_change(
            [(rating, k, results) for results in own.values()], rule.differences
        )
        assert ratings(pool, 6)[player] == rating + change.rounded


@pytest.mark.parametrize(
    ("main", "increment", "starts", "rounds", "minutes"),
    [
        (45, 30, date(2026, 1, 1), 2, 120),
        (45, 30, date(2025, 12, 31), 2, 75),
        (60, 30, date(2026, 1, 1), 1, 120),
        (45, 29, date(2026, 1, 1), 2, 74),
        (90, 0, date(2026, 1, 1), 2, 90),
        (45, 30, date(2026, 1, 1), 2.5, 75),
        (120, 30, date(2026, 1, 1), 2, 150),
    ],
)
def test_approved_events_are_standard_from_45_and_30_on(
    main, increment, starts, rounds, minutes
):
    counted = approved_minutes(main, increment, starts=starts, rounds_a_day=rounds)
    assert counted == minutes
    assert matches_time_control(RatingList.STANDARD, counted, 2700) is (minutes >= 120)
