"""Glicko: rating periods, growing deviations and predictions."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.glicko import (
    ChessCom,
    Glicko,
    Parameters,
    inflated,
    interval,
    predicted_score,
    uncertainty_constant,
    update,
)
from tests.hypothesis_settings import example_count

THREE_GAMES = [(1400, 30, 1.0), (1550, 100, 0.0), (1700, 300, 0.0)]


def batch(*rows):
    """Return the games (White, Black, White's points) of one period."""
    zeros = [0] * len(rows)
    white, black, points = zip(*rows, strict=True) if rows else ((), (), ())
    return Games(list(white), list(black), list(points), zeros, zeros, zeros)


def table_of(*standings, **changed):
    table = Glicko().begin(Pool(len(standings)), Parameters(**changed))
    for player, standing in enumerate(standings):
        if standing is not None:
            table.seed(player, Standing(standing[0], deviation=standing[1]))
    return table


def in_period(number):
    return Moment(700000 + number, number)


class TestThePapersExample:
    def test_rating_and_deviation_as_printed(self):
        table = table_of((1500, 200), *((r, rd) for r, rd, _ in THREE_GAMES))
        table.update(batch((0, 1, 1.0), (0, 2, 0.0), (0, 3, 0.0)), in_period(0))
        new = table.standing(0)
        assert Glicko().display(new.rating) == "1464"
        assert round(new.deviation, 1) == 151.4
        assert (new.games, new.evaluations) == (3, 1)

    def test_the_table_and_the_formula_agree_from_blacks_side_too(self):
        table = table_of((1500, 200), *((r, rd) for r, rd, _ in THREE_GAMES))
        table.update(batch((1, 0, 0.0), (2, 0, 1.0), (0, 3, 0.0)), in_period(0))
        new = update(1500, 200.0**2, THREE_GAMES)
        assert table.ratings[0] == pytest.approx(new.rating, abs=1e-9)
        assert table.variances[0] == pytest.approx(new.variance, abs=1e-9)

    def test_95_percent_is_1_96_deviations_either_way(self):
        assert interval(1500, 30) == pytest.approx((1441.2, 1558.8))

    def test_c_takes_a_deviation_from_50_to_350_in_thirty_periods(self):
        c = uncertainty_constant(50, 350, 30)
        assert inflated(50.0**2, 30, c, 1000) == pytest.approx(350.0**2)
        assert round(c, 1) == 63.2


class TestDeviations:
    def test_grow_with_every_period_without_games(self):
        table = table_of((1500, 60), (1500, 60), c=20)
        first = batch((0, 1, 0.5))
        table.update(first, in_period(0))
        settled = table.variances[0]
        fresh = table_of(
            (1500, math.sqrt(settled + 5 * 400)), (1500, math.sqrt(settled + 5 * 400))
        )
        fresh.update(first, in_period(0))
        table.update(first, in_period(5))
        assert table.variances == pytest.approx(fresh.variances)

    def test_never_grow_beyond_that_of_a_newcomer(self):
        table = table_of((1500, 100), (1500, 100), c=100)
        table.update(batch((0, 1, 1.0)), in_period(0))
        longest = table.predict(batch((0, 1, 1.0)), in_period(1000))
        new = (
            Standing(table.ratings[0], deviation=350),
            Standing(table.ratings[1], deviation=350),
        )
        assert longest == pytest.approx([predicted_score(*new)])

    def test_stay_at_the_lowest_that_is_allowed(self):
        table = table_of((1500, 31), (1500, 31), c=0)
        for period in range(50):
            table.update(batch((0, 1, 0.5)), in_period(period))
        assert table.standing(0).deviation == pytest.approx(30)
        free = table_of((1500, 31), (1500, 31), c=0, lowest_deviation=0)
        for period in range(50):
            free.update(batch((0, 1, 0.5)), in_period(period))
        assert free.standing(0).deviation < 30

    def test_a_rating_given_by_hand_has_not_aged(self):
        late = table_of((1500, 50), (1600, 80))
        early = table_of((1500, 50), (1600, 80))
        game = batch((0, 1, 1.0))
        assert late.predict(game, in_period(40)) == early.predict(game, in_period(0))


class TestPredictions:
    def test_need_both_players_rated(self):
        table = table_of((1500, 50), None)
        assert math.isnan(table.predict(batch((0, 1, 1.0)), in_period(0))[0])
        table.update(batch((0, 1, 1.0)), in_period(0))
        assert 0.5 < table.predict(batch((0, 1, 1.0)), in_period(1))[0] < 1

    def test_use_both_deviations(self):
        table = table_of((1400, 80), (1500, 150))
        assert table.predict(batch((0, 1, 0.0)), in_period(0)) == pytest.approx(
            [0.376], abs=0.0005
        )

    def test_know_the_advantage_of_white_if_told(self):
        table = table_of((1500, 50), (1500, 50), white_advantage=30)
        as_white, as_black = table.predict(batch((0, 1, 1), (1, 0, 1)), in_period(0))
        assert as_white == as_black > 0.53

    def test_change_nothing(self):
        table = table_of((1500, 50), (1600, 80))
        before = table.standing(0)
        table.predict(batch((0, 1, 1.0)), in_period(9))
        assert table.standing(0) == before


def test_newcomers_begin_at_1500_and_350():
    table = table_of(None, (1500, 30))
    table.update(batch((0, 1, 1.0)), in_period(0))
    assert table.ratings[0] == update(1500, 350.0**2, [(1500, 30, 1.0)]).rating


def test_all_games_of_a_period_start_from_the_ratings_before_it():
    rows = [(0, 1, 1.0), (1, 2, 0.5), (2, 0, 1.0), (1, 0, 0.5)]
    forth, back = (table_of((1500, 200), (1600, 100), (1700, 60)) for _ in range(2))
    forth.update(batch(*rows), in_period(0))
    back.update(batch(*reversed(rows)), in_period(0))
    assert forth.ratings == pytest.approx(back.ratings, abs=1e-9)


def test_two_periods_are_not_one():
    once = table_of((1500, 200), (1500, 200))
    once.update(batch((0, 1, 1.0), (0, 1, 1.0)), in_period(0))
    twice = table_of((1500, 200), (1500, 200))
    for period in (0, 1):
        twice.update(batch((0, 1, 1.0)), in_period(period))
    assert abs(once.ratings[0] - twice.ratings[0]) > 1


def test_same_games_same_bits():
    randomness = random.Random(4)
    rows = [
        (*randomness.sample(range(30), 2), randomness.choice((0.0, 0.5, 1.0)))
        for _ in range(400)
    ]
    runs = []
    for _ in range(2):
        table = table_of(*[None] * 30)
        for period in range(8):
            table.update(
                batch(*rows[period * 50 : period * 50 + 50]), in_period(period)
            )
        runs.append((table.ratings, table.variances))
    assert runs[0] == runs[1]


@settings(max_examples=example_count(50), deadline=None)
@given(
    rating=st.floats(800, 2500),
    deviation=st.floats(30, 350),
    opponents=st.lists(
        st.tuples(
            st.floats(800, 2500), st.floats(30, 350), st.sampled_from([0.0, 0.5])
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_one_more_half_point_never_lowers_a_rating(rating, deviation, opponents):
    before = update(rating, deviation**2, opponents)
    other, doubt, score = opponents[0]
    better = [(other, doubt, score + 0.5), *opponents[1:]]
    after = update(rating, deviation**2, better)
    assert after.rating > before.rating
    assert after.variance == before.variance < deviation**2


def test_chess_com_starts_at_1200_and_rates_game_by_game():
    # g(350) = 0.66907; 1/RD² = 8.1633e-6 + q²g²/4 = 1.18718e-5, so RD is 290.2 and the
    # winner gains q · 84233 · g/2 = 162.2.
    table = ChessCom().begin(Pool(3))
    table.update(batch((0, 1, 1.0), (0, 2, 0.5)), in_period(0))
    assert table.standing(1).rating == pytest.approx(1200 - 162.2, abs=0.05)
    assert table.standing(1).deviation == pytest.approx(290.2, abs=0.05)
    # The second game meets the winner's new rating, so the draw is a gain.
    assert table.standing(2).rating > 1200
