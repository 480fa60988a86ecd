"""Clarke's grades: forty points, thirty games, twelve months, and both fillers."""

import math
from dataclasses import replace
from datetime import date, timedelta

import pytest

from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems.clarke import (
    SYSTEMS,
    ClarkeParameters,
    expected_by_grade,
    game_points,
    grade,
)
from tests.ratings.laboratory.batches import games, moment, numbers_of, table_of

(SYSTEM,) = SYSTEMS
SEASON_2010 = date(2011, 5, 31)
SEASON_2011 = date(2011, 6, 1)


def play(table, *results, on):
    table.update(games(*results, on=on), moment(on=on))


@pytest.mark.parametrize(
    ("own", "opponent", "score", "points"),
    [
        (160, 140, 1, 190),
        (140, 160, 0, 110),
        (160, 100, 1, 170),
        (100, 160, 0, 90),
        (160, 120, 1, 170),
        (160, 119, 1, 170),
        (160, 121, 1, 171),
        (150, 200, 0.5, 190),
    ],
)
def test_points_of_a_game(own, opponent, score, points):
    assert game_points(own, opponent, score) == points


def test_a_season_is_the_mean_of_its_games():
    assert grade([200, 170, 170, 140, 155]) == 167
    table = table_of(SYSTEM, 150.0, 150.0, 170.0, 120.0, 190.0, 155.0)
    play(
        table,
        *((0, 1, 1.0), (2, 0, 0.5), (0, 3, 1.0), (4, 0, 1.0), (0, 5, 0.5)),
        on=date(2019, 5, 31),
    )
    assert numbers_of(table, 1) == [167]


@pytest.mark.parametrize(
    ("filler", "last_day", "number"),
    [
        ("by date", SEASON_2010, (3 * 200 + 27 * 150) / 30),
        ("by date", SEASON_2011, 200),
        ("old grade", SEASON_2011, (3 * 200 + 27 * 150) / 30),
        ("earlier games", SEASON_2010, 200),
    ],
)
def test_a_short_season_is_filled_up_with_the_old_grade_until_2011(
    filler, last_day, number
):
    parameters = ClarkeParameters(filler=filler)
    table = table_of(SYSTEM, 150.0, 150.0, parameters=parameters)
    play(table, (0, 1, 1.0), (0, 1, 1.0), (0, 1, 1.0), on=last_day)
    assert numbers_of(table, 1) == [number]


def test_the_games_of_a_seed_fill_up_too():
    table = table_of(SYSTEM, 150.0, 150.0, played=20)
    play(table, (0, 1, 1.0), (0, 1, 1.0), on=SEASON_2011)
    assert numbers_of(table, 1) == [pytest.approx((2 * 200 + 20 * 150) / 22)]
    assert table.standing(0).games == 22


def test_earlier_games_are_the_latest_of_them():
    table = table_of(SYSTEM, 150.0, 150.0, 150.0)
    long_ago, last_year = date(2013, 5, 31), date(2014, 5, 31)
    play(table, *[(1, 0, 1.0)] * 20, on=long_ago)
    table.seed(2, Standing(numbers_of(table, 1)[0]))
    own = numbers_of(table, 1)[0]
    play(table, *[(0, 2, 0.5)] * 20, on=last_year)
    # Twenty draws with an equal, and the ten latest losses of 100 points each.
    assert numbers_of(table, 1) == [pytest.approx((20 * own + 10 * 100) / 30)]


def test_a_full_year_needs_no_filler():
    table = table_of(SYSTEM, 150.0, 150.0, played=30)
    play(table, *[(0, 1, 0.5)] * 29, (0, 1, 1.0), on=SEASON_2010)
    assert numbers_of(table, 1) == [pytest.approx(150 + 50 / 30)]


def test_games_of_more_than_a_year_ago_do_not_count_beside_thirty():
    table = table_of(SYSTEM, 150.0, 150.0)
    play(table, *[(0, 1, 1.0)] * 30, on=date(2013, 5, 31))
    assert numbers_of(table, 1) == [200]
    table.seed(1, Standing(200.0))
    play(table, *[(0, 1, 0.5)] * 30, on=date(2014, 5, 31))
    assert numbers_of(table, 1) == [200]
    table = table_of(SYSTEM, 150.0, 150.0)
    play(table, *[(0, 1, 1.0)] * 30, on=date(2013, 6, 1))
    table.seed(1, Standing(200.0))
    play(table, *[(1, 0, 1.0)] * 30, on=date(2014, 5, 31))
    assert numbers_of(table, 1) == [175]


BY_SEASON = ClarkeParameters(lists="season", filler="earlier games")


def test_with_lists_by_season_the_grades_of_june_to_may_hold_for_a_year():
    table = table_of(SYSTEM, 150.0, 150.0, 150.0, parameters=BY_SEASON)
    play(table, (0, 1, 1.0), on=date(2019, 6, 1))
    play(table, (2, 0, 1.0), on=date(2020, 4, 30))
    assert numbers_of(table, 3) == [150, 150, 150]
    play(table, (0, 1, 1.0), on=date(2020, 5, 31))
    listed = [pytest.approx((200 + 100 + 200) / 3), 100, 200]
    assert numbers_of(table, 3) == listed
    play(table, (1, 0, 1.0), on=date(2021, 4, 30))
    assert numbers_of(table, 3) == listed


def test_a_full_season_is_from_june_1_to_may_31_in_a_leap_year_too():
    table = table_of(SYSTEM, 150.0, 150.0, parameters=BY_SEASON)
    play(table, *[(1, 0, 1.0)] * 30, on=date(2019, 5, 31))
    assert numbers_of(table, 1) == [100]
    table.seed(1, Standing(120.0))
    play(table, (0, 1, 1.0), on=date(2019, 6, 1))
    play(table, *[(0, 1, 0.5)] * 30, on=date(2020, 5, 31))
    assert numbers_of(table, 1) == [pytest.approx((170 + 30 * 120) / 31)]


def test_a_period_across_the_end_of_a_season_counts_the_games_until_may_31():
    table = table_of(SYSTEM, 150.0, 150.0, parameters=BY_SEASON)
    days = [date(2020, 5, 31).toordinal(), date(2020, 6, 1).toordinal()]
    end = date(2020, 6, 30)
    both = games((0, 1, 1.0), (0, 1, 0.0), on=end)
    table.update(replace(both, days=days), moment(on=end))
    assert numbers_of(table, 2) == [200, 100]
    table.update(games(), moment(on=date(2021, 5, 31)))
    assert numbers_of(table, 2) == [150, 150]


def test_the_games_of_a_long_event_count_by_their_own_days():
    """A league of two years is rated after the short event played in its last month."""
    table = table_of(SYSTEM, 150.0, 150.0)
    short, league = [(0, 1, 0.5)] * 30, [(0, 1, 1.0)] * 30
    end = date(2014, 5, 31)
    days = [end.toordinal() - 20] * 30 + [end.toordinal() - 500] * 30
    table.update(replace(games(*short, *league, on=end), days=days), moment(on=end))
    assert numbers_of(table, 1) == [150]


def test_a_first_grade_takes_ten_games():
    table = table_of(SYSTEM, None, 120.0, 120.0)
    play(table, *[(0, 1, 1.0)] * 5, *[(0, 2, 0.5)] * 4, on=date(2019, 5, 31))
    assert table.standing(0) is None
    assert math.isnan(table.predict(games((0, 1, 1.0)), moment())[0])
    table.seed(1, Standing(120.0))
    play(table, (0, 1, 1.0), on=date(2019, 11, 30))
    standing = table.standing(0)
    assert standing.rating == pytest.approx((6 * 170 + 4 * 120) / 10)
    assert standing.games == 10


def test_the_ten_games_have_to_lie_within_three_years():
    last_day = date(2019, 5, 31)
    for earlier, graded in ((3 * 365 - 1, True), (3 * 365, False)):
        table = table_of(SYSTEM, None, 120.0)
        play(table, *[(0, 1, 0.5)] * 9, on=last_day - timedelta(days=earlier))
        table.seed(1, Standing(120.0))
        play(table, (0, 1, 0.5), on=last_day)
        assert (table.standing(0) is not None) == graded


def test_an_ungraded_opponent_counts_as_what_its_games_are_worth():
    table = table_of(SYSTEM, None, 120.0, 160.0)
    play(table, (0, 1, 0.5), (0, 2, 0.5), on=date(2019, 5, 31))
    # The newcomer counts as 140; both draws are worth that.
    assert numbers_of(table, 3) == [None, 140, 140]


def test_the_estimate_remembers_the_games_of_earlier_periods():
    table = table_of(SYSTEM, None, 100.0, 100.0)
    play(table, *[(0, 1, 0.5)] * 3, on=date(2018, 11, 30))
    play(table, (0, 2, 0.0), on=date(2019, 5, 31))
    # Three games of 100 and one of 50: 87.5, so that the win is worth 137.5.
    assert numbers_of(table, 3)[2] == 137.5


def test_newcomers_among_themselves_count_as_the_grade_chosen():
    table = SYSTEM.begin(Pool(2), ClarkeParameters(start=100.0, fewest_games=1))
    play(table, (0, 1, 0.5), on=date(2019, 5, 31))
    assert numbers_of(table, 2) == [100, 100]


@pytest.mark.parametrize(
    ("own", "opponent", "expected"),
    [(160, 140, 0.7), (160, 120, 0.9), (160, 60, 0.9), (100, 160, 0.1)],
)
def test_forecasts_end_at_a_tenth_and_nine_tenths(own, opponent, expected):
    assert expected_by_grade(own, opponent) == pytest.approx(expected)
    table = table_of(SYSTEM, float(own), float(opponent))
    assert table.predict(games((0, 1, 1.0)), moment()) == [pytest.approx(expected)]


def test_display_and_scale():
    assert SYSTEM.display(-4.0) == "0"
    assert SYSTEM.display(166.5) == "167"
    assert SYSTEM.on_elo_scale(200) == 2200
    assert SYSTEM.from_elo_scale(1450) == 100
