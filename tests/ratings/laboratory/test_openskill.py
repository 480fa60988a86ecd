"""OpenSkill: the paper's two models, which are one between two players."""

import math
import random

import pytest

from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems.openskill import (
    BETA,
    SYSTEMS,
    Belief,
    Parameters,
    rate,
)
from tests.ratings.laboratory.batches import games, moment, table_of

(SYSTEM,) = SYSTEMS


def played(players, count, seed=5):
    randomness = random.Random(seed)
    return [
        (*randomness.sample(range(players), 2), randomness.choice((0.0, 0.5, 1.0)))
        for _ in range(count)
    ]


@pytest.mark.parametrize("model", ["PlackettLuce", "BradleyTerryFull"])
def test_equal_to_both_models_of_the_package(model):
    models = pytest.importorskip("openskill.models")
    theirs = getattr(models, model)()
    players = [theirs.rating() for _ in range(12)]
    table = SYSTEM.begin(Pool(12))
    rows = played(12, 300)
    for white, black, points in rows:
        [[players[white]], [players[black]]] = theirs.rate(
            [[players[white]], [players[black]]], scores=[points, 1 - points]
        )
    table.update(games(*rows), moment())
    for player, other in enumerate(players):
        ours = table.standing(player)
        assert ours.rating == pytest.approx(other.mu, abs=1e-9)
        assert ours.deviation == pytest.approx(other.sigma, abs=1e-9)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_plackett_luce_summed_as_the_paper_has_it_is_bradley_terry(score):
    """Algorithm 4 sums over the ranks; between two it comes to (s − p)·σ²/c."""
    one, other = Belief(28.0, 25.0), Belief(24.0, 64.0)
    c = math.sqrt(one.variance + other.variance + 2 * BETA**2)
    strength = [math.exp(player.mean / c) for player in (one, other)]
    ranks = [1.0 - score, score]
    omega = delta = 0.0
    for q in (0, 1):
        if ranks[q] > ranks[0]:
            continue
        # Who did not finish before q, and how many finished level with q.
        total = sum(strength[s] for s in (0, 1) if ranks[s] >= ranks[q])
        level = sum(ranks[s] == ranks[q] for s in (0, 1))
        share = strength[0] / total
        omega += ((q == 0) - share) / level
        delta += share * (1 - share) / level
    found = rate(one, other, score, BETA, 1e-4)
    assert found.mean == pytest.approx(one.mean + one.variance / c * omega)
    gamma = math.sqrt(one.variance) / c
    shrunk = one.variance * (1 - gamma * one.variance / c**2 * delta)
    assert found.variance == pytest.approx(shrunk)


def test_each_game_adds_tau_before_it_tells_anything():
    standing = Standing(25.0, 9, deviation=2.0)
    still, moving = (
        SYSTEM.begin(Pool(2), Parameters(tau=tau, least=1.0)) for tau in (0.0, 0.75)
    )
    for table in (still, moving):
        for player in (0, 1):
            table.seed(player, standing)
        table.update(games((0, 1, 0.5)), moment())
    assert still.standing(0) == (25.0, 10, 2.0, None, 0)
    assert moving.standing(0).deviation == pytest.approx(math.hypot(2.0, 0.75))


def test_doubt_about_either_player_flattens_the_prediction():
    sure = table_of(SYSTEM, 30.0, 25.0)
    sure.variances = [0.01, 0.01]
    doubtful = table_of(SYSTEM, 30.0, 25.0)
    [well], [poorly] = (
        one.predict(games((0, 1, 1.0)), moment()) for one in (sure, doubtful)
    )
    assert well > poorly > 0.5
    # Without doubt a lead is worth what Elo says of as many rating points.
    lead = SYSTEM.on_elo_scale(30.0) - SYSTEM.on_elo_scale(25.0)
    assert well == pytest.approx(1 / (1 + 10 ** (-lead / 400)), abs=1e-3)


def test_white_is_worth_rating_points():
    table = SYSTEM.begin(Pool(2), Parameters(white_advantage=35.0))
    for player in (0, 1):
        table.seed(player, Standing(25.0, deviation=1e-4))
    [white] = table.predict(games((0, 1, 1.0)), moment())
    assert white == pytest.approx(1 / (1 + 10 ** (-35 / 400)))
