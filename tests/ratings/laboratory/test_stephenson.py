"""Stephenson: Glicko and its additions."""

import pytest

from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems import glicko
from ratings.laboratory.systems.stephenson import Parameters, Stephenson
from tests.ratings.laboratory.test_glicko import batch, in_period

PLAIN = {"h": 0.0, "b": 0.0, "strength": 0.0}
ROWS = [(0, 1, 1.0), (1, 2, 0.5), (2, 0, 1.0), (1, 3, 0.0), (3, 0, 0.5)]


def table_of(*standings, **changed):
    table = Stephenson().begin(Pool(len(standings)), Parameters(**changed))
    for player, (rating, deviation) in enumerate(standings):
        table.seed(player, Standing(rating, deviation=deviation))
    return table


def test_without_its_additions_it_is_glicko():
    ours = Stephenson().begin(Pool(4), Parameters(c=15.0, **PLAIN))
    plain = glicko.Glicko().begin(
        Pool(4),
        glicko.Parameters(
            c=15.0, first_deviation=300.0, lowest_deviation=0.0, white_advantage=30.0
        ),
    )
    for period in (0, 1, 5):
        for table in (ours, plain):
            table.update(batch(*ROWS), in_period(period))
    assert ours.ratings == pytest.approx(plain.ratings, abs=1e-9)
    assert ours.variances == pytest.approx(plain.variances, abs=1e-9)
    games, later = batch(*ROWS), in_period(9)
    assert ours.predict(games, later) == pytest.approx(plain.predict(games, later))


def test_the_bonus_per_game_adds_to_every_rating_and_is_counted():
    standings = [(1500, 100), (1600, 80), (1550, 60), (1700, 200)]
    plain, generous = table_of(*standings, b=0), table_of(*standings, b=5)
    for table in (plain, generous):
        table.update(batch(*ROWS), in_period(0))
    gained = [b - a for a, b in zip(plain.ratings, generous.ratings, strict=True)]
    assert min(gained) > 0
    assert generous.bonus_points == pytest.approx(sum(gained))
    assert plain.bonus_points == 0


def test_the_pull_is_two_percent_of_the_distance_to_the_opponents():
    standings = [(1500, 50), (1700, 50), (1900, 50)]
    games = batch((0, 1, 0.5), (0, 2, 0.5))
    pulled, plain = table_of(*standings), table_of(*standings, strength=0)
    for table in (pulled, plain):
        table.update(games, in_period(0))
    assert pulled.ratings[0] - plain.ratings[0] == pytest.approx(0.02 * 300)
    assert pulled.ratings[2] - plain.ratings[2] == pytest.approx(0.02 * -400)


def test_every_game_adds_uncertainty():
    standings = [(1500, 50), (1500, 50)]
    games = batch(*[(0, 1, 0.5)] * 4)
    lively, plain = table_of(*standings, h=40), table_of(*standings, h=0)
    for table in (lively, plain):
        table.update(games, in_period(0))
    gained = 1 / (2500 + 4 * 1600) - 1 / 2500
    assert 1 / lively.variances[0] - 1 / plain.variances[0] == pytest.approx(gained)


def test_white_may_count_in_updates():
    standings = [(1500, 100), (1500, 100)]
    table = table_of(*standings, update_advantage=30)
    table.update(batch((0, 1, 0.5)), in_period(0))
    assert table.ratings[0] < 1500 < table.ratings[1]


def test_predictions_give_white_thirty_points():
    table = table_of((1500, 50), (1530, 50))
    assert table.predict(batch((0, 1, 1.0)), in_period(0)) == [0.5]
    assert Stephenson().expected(Standing(1500, 0, 50), Standing(1500, 0, 50)) == 0.5
