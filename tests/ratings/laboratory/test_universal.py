"""The reconstruction of the Universal Rating System: its invariants."""

import math
import random
from datetime import date, timedelta

import pytest

from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.universal import (
    Parameters,
    Universal,
    age_weight,
    expected_score,
    speed_weight,
)

DAY = date(2020, 6, 30)


def batch(rows, day=DAY, minutes=0):
    white, black, points = zip(*rows, strict=True) if rows else ((), (), ())
    zeros = [0] * len(rows)
    days = [day.toordinal()] * len(rows)
    times = [minutes] * len(rows)
    return Games(list(white), list(black), list(points), days, zeros, times)


def table_of(players, *batches, seeds=(), **changed):
    table = Universal().begin(Pool(players), Parameters(**changed))
    for player, rating in seeds:
        table.seed(player, Standing(rating))
    for games in batches:
        table.update(games, Moment(max(games.days), 0))
    return table


def random_rows(players, games, seed=1, first=0):
    randomness = random.Random(seed)
    names = range(first, first + players)
    return [
        (*randomness.sample(names, 2), randomness.choice((0.0, 0.5, 1.0)))
        for _ in range(games)
    ]


def near(found, expected):
    assert found == pytest.approx(expected, abs=0.05, nan_ok=True)


def test_no_rating_can_be_moved_to_make_the_results_likelier():
    rows = random_rows(15, 150)
    table = table_of(15, batch(rows))
    tau, q = 350.0, math.log(10) / 400
    for player in range(15):
        slope = -(table.ratings[player] - 1500) / tau**2
        for white, black, points in rows:
            lead = table.ratings[white] - table.ratings[black] + 30
            surprise = q * (points - expected_score(lead))
            slope += surprise * ((player == white) - (player == black))
        assert slope == pytest.approx(0, abs=1e-6)


def test_old_lists_leave_no_trace():
    rows = random_rows(15, 150)
    old = batch(random_rows(15, 150, 2), DAY - timedelta(days=72 * 31))
    near(table_of(15, old, batch(rows)).ratings, table_of(15, batch(rows)).ratings)


def test_ratings_do_not_depend_on_how_the_games_were_delivered():
    rows = random_rows(15, 150)
    at_once = table_of(15, batch(rows))
    near(table_of(15, batch(rows[:40]), batch(rows[40:])).ratings, at_once.ratings)


def test_players_who_never_met_them_change_nothing():
    ours, others = random_rows(10, 80), random_rows(8, 60, 2, first=10)
    alone, together = (
        table_of(18, batch(ours)),
        table_of(18, batch(ours + others)),
    )
    near(together.ratings[:10], alone.ratings[:10])
    assert [len(group) for group in together.components] == [10, 8]
    assert [len(group) for group in alone.components] == [10]


def test_a_game_of_double_weight_is_two_games():
    # A game of today weighs twice as much as one that is a half-life old.
    rows = random_rows(8, 60)
    day = DAY.toordinal()
    older = [day - round(24 * 30.4375)] * 60

    def rated(rows, days, **changed):
        games = batch(rows)
        games = Games(
            games.white, games.black, games.points, days, *[[0] * len(rows)] * 2
        )
        table = Universal().begin(Pool(8), Parameters(least_games=0.1, **changed))
        table.update(games, Moment(day, 0))
        return table.ratings

    double = rated(rows, [day] * 60)
    twice = rated(rows * 2, older * 2)
    assert double == pytest.approx(twice, abs=0.1)


def test_who_only_wins_stays_finite_and_a_wider_pool_lets_him_rise():
    rows = [(0, n % 5 + 1, 1.0) for n in range(10)] + [
        (w, b, 0.5) for w in range(1, 6) for b in range(1, w)
    ]
    narrow, wide = (table_of(6, batch(rows), spread=s).ratings[0] for s in (150, 600))
    assert 1500 < narrow < wide < 4000


class TestWeights:
    def test_halve_with_the_half_life_and_end_after_six_years(self):
        assert age_weight(12, 12) == 0.5
        assert age_weight(71.9, 24) > 0.12
        assert age_weight(72, 24) == 0

    def test_rise_with_the_time_for_the_game(self):
        times = (1, 5, 10, 30, 60, 119, 120, 240)
        weights = [speed_weight(minutes, 0.3) for minutes in times]
        assert weights == sorted(weights)
        assert (weights[0], weights[1], weights[-2], weights[-1]) == (0.3, 0.3, 1, 1)

    def test_make_blitz_matter_less(self):
        draws = [(w, b, 0.5) for w in range(6) for b in range(w)] * 2
        wins = [(0, n, 1.0) for n in range(1, 6)]
        slow, fast = (
            table_of(6, batch(draws), batch(wins, minutes=minutes)).ratings[0]
            for minutes in (120, 5)
        )
        assert slow > fast > 1500


def test_who_has_too_few_games_is_not_rated():
    rows = [(w, b, 0.5) for w in range(6) for b in range(w)] + [(6, 0, 1.0)]
    table = table_of(7, batch(rows))
    assert [table.standing(n) is not None for n in range(7)] == [True] * 6 + [False]
    assert math.isnan(table.predict(batch([(6, 0, 1.0)]), Moment(0, 0))[0])


def test_a_given_rating_stands_until_the_player_can_be_solved_for():
    seeds = [(n, 1900.0) for n in range(1, 7)]
    rows = [(0, n, 0.5) for n in range(1, 7)]
    table = table_of(7, batch(rows), seeds=seeds, white_advantage=0)
    assert table.ratings[1:] == [1900.0] * 6
    assert 1800 < table.ratings[0] < 1900


def test_white_is_expected_to_score_more():
    table = table_of(2, seeds=[(0, 1500.0), (1, 1500.0)])
    assert table.predict(batch([(0, 1, 1.0)]), Moment(0, 0))[0] > 0.54
