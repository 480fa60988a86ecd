"""Chessmetrics: weights, one consistent list, calibration and its players."""

import math
import random
from datetime import date
from statistics import median

import pytest

from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.chessmetrics import (
    Chessmetrics,
    Parameters,
    padded,
    performance,
    weight,
)


def batch(rows, day=date(2005, 3, 10)):
    white, black, points = zip(*rows, strict=True) if rows else ((), (), ())
    zeros = [0] * len(rows)
    days = [day.toordinal()] * len(rows)
    return Games(list(white), list(black), list(points), days, zeros, zeros)


def moment(day=date(2005, 3, 31)):
    return Moment(day.toordinal(), 0)


def rated(rows, players, *, day=date(2005, 3, 31), seeds=(), **changed):
    table = Chessmetrics().begin(Pool(players), Parameters(**changed))
    for player, rating in seeds:
        table.seed(player, Standing(rating))
    table.update(batch(rows, day), moment(day))
    return table


def random_rows(players, games, seed=1):
    randomness = random.Random(seed)
    return [
        (*randomness.sample(range(players), 2), randomness.choice((0.0, 0.5, 1.0)))
        for _ in range(games)
    ]


def test_kasparov_at_linares_2005():
    opponents = [(player, 2733.0) for player in range(1, 13)]
    scores = [1.0] * 5 + [0.5] * 6 + [0.0]
    rows = [(0, player, score) for player, score in enumerate(scores, start=1)]
    table = rated(rows, 13, seeds=opponents, padding="level")
    assert Chessmetrics().display(table.standing(0).rating) == "2797"


def test_every_rating_agrees_with_those_of_the_opponents():
    """The padded performance against the list itself gives the list again."""
    rows = random_rows(25, 300)
    table = rated(rows, 25, padding="level", level=2000.0)
    for player in range(25):
        met = [(b, s) for w, b, s in rows if w == player]
        met += [(w, 1 - s) for w, b, s in rows if b == player]
        average = sum(table.ratings[other] for other, _ in met) / len(met)
        performed = performance(average, sum(score for _, score in met), len(met))
        expected = padded(performed, len(met), average, 2000.0)
        assert table.ratings[player] == pytest.approx(expected, abs=0.01)


class TestWeights:
    def test_a_game_of_two_years_ago_counts_half(self):
        assert [weight(months) for months in (0, 24, 48, 60)] == [1, 0.5, 0, 0]

    def test_months_are_those_of_the_calendar(self):
        rows = [(0, n, 1.0) for n in range(1, 7)]
        seeds = [(n, 2000.0) for n in range(1, 7)]
        ratings = []
        for played in (date(2005, 3, 1), date(2005, 3, 31), date(2005, 2, 28)):
            table = Chessmetrics().begin(Pool(7), Parameters(padding="level"))
            for player, rating in seeds:
                table.seed(player, Standing(rating))
            table.update(batch(rows, played), moment())
            ratings.append(table.ratings[0])
        assert (
            ratings[0]
            == ratings[1]
            == pytest.approx(padded(performance(2000, 6, 6), 6, 2000))
        )
        games = 6 * weight(1)
        expected = padded(performance(2000, games, games), games, 2000)
        assert ratings[2] == pytest.approx(expected)

    def test_who_stops_playing_drops_and_then_leaves_the_list(self):
        rows = [(0, n, 1.0) for n in range(1, 11)]
        table = rated(
            rows, 11, seeds=[(n, 2500.0) for n in range(1, 11)], padding="level"
        )
        ratings = [table.ratings[0]]
        for year in (2006, 2007, 2008):
            table.update(batch([]), moment(date(year, 3, 31)))
            ratings.append(table.ratings[0])
        assert ratings[0] > ratings[1] > ratings[2]
        assert math.isnan(ratings[3])
        assert table.standing(0) is None


class TestTheList:
    def test_needs_five_weighted_games_against_others_on_it(self):
        rows = [(w, b, 0.5) for w in range(6) for b in range(w)]
        rows += [(6, n, 1.0) for n in range(4)]
        table = rated(rows, 7)
        assert [table.standing(n) is not None for n in range(7)] == [True] * 6 + [False]
        assert rated([*rows, (6, 4, 1.0)], 7).standing(6) is not None

    def test_with_four_games_each_is_empty(self):
        rows = [(w, b, 0.5) for w in range(5) for b in range(w)]
        table = rated(rows, 5)
        assert [table.standing(n) for n in range(5)] == [None] * 5
        assert math.isnan(table.predict(batch([(0, 1, 1.0)]), moment())[0])

    def test_the_first_one_of_a_pool_has_the_median_asked_for(self):
        table = rated(random_rows(25, 300), 25, first_median=1234.0)
        assert median(table.ratings) == pytest.approx(1234.0)

    def test_ranks_3_to_20_of_both_lists_keep_their_average(self):
        table = rated(random_rows(25, 300), 25)
        before = list(table.ratings)
        table.update(
            batch(random_rows(25, 60, 2), date(2005, 4, 9)), moment(date(2005, 4, 30))
        )
        both = set(ranked(before)) & set(ranked(table.ratings))
        assert len(both) > 10
        assert sum(table.ratings[n] for n in both) == pytest.approx(
            sum(before[n] for n in both)
        )

    def test_forgets_what_is_four_years_old(self):
        old, new = random_rows(25, 300), random_rows(25, 300, 2)
        later = date(2009, 3, 31)
        both = rated(old, 25)
        both.update(batch(new, later), moment(later))
        only = rated(new, 25, day=later)
        shifts = [a - b for a, b in zip(both.ratings, only.ratings, strict=True)]
        assert max(shifts) - min(shifts) < 0.01


def ranked(ratings):
    order = sorted(range(len(ratings)), key=lambda player: -ratings[player])
    return order[2:20]


def test_a_given_rating_stands_until_the_player_is_on_the_list():
    seeds = [(n, 1800.0) for n in range(7)]
    few = rated([(0, n, 1.0) for n in range(1, 5)], 7, seeds=seeds)
    assert [few.ratings[n] for n in range(7)] == [1800.0] * 7
    many = rated([(0, n, 1.0) for n in range(1, 7)], 7, seeds=seeds)
    assert many.ratings[0] > 2000
    assert [many.ratings[n] for n in range(1, 7)] == [1800.0] * 6


def test_predictions_are_linear_and_stay_between_0_and_1():
    table = Chessmetrics().begin(Pool(3))
    for player, rating in enumerate((2000.0, 2085.0, 2600.0)):
        table.seed(player, Standing(rating))
    rows = [(1, 0, 1.0), (0, 1, 1.0), (2, 0, 1.0), (0, 2, 0.0)]
    assert table.predict(batch(rows), moment()) == pytest.approx([0.6, 0.4, 1.0, 0.0])
