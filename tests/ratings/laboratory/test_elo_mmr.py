"""Elo-MMR: performances, robust averages and contests, against the package."""

import math
import random

import pytest

from ratings.laboratory.protocol import Pool, Standing
from ratings.laboratory.systems.elo_mmr import (
    SYSTEMS,
    EloMmrTable,
    Parameters,
    PlayerState,
    Rival,
    performance,
)
from tests.ratings.laboratory.batches import games, moment

BY_GAMES, BY_EVENTS = SYSTEMS
WHOLE = Parameters(history=1000)


def contests(players=15, count=40, size=8, seed=11):
    """Contests as a dictionary of scores each, with levels, but never all level."""
    randomness = random.Random(seed)
    found = []
    for _ in range(count):
        entries = randomness.sample(range(players), randomness.randint(2, size))
        scores = {player: float(randomness.randint(0, 4)) for player in entries}
        scores[entries[0]] = 5.0
        found.append(scores)
    return found


def standings(scores):
    """A contest as the package wants it: name, first and last place of the level."""
    order = sorted(scores, key=lambda player: -scores[player])
    places = [
        [place for place, other in enumerate(order) if scores[other] == scores[player]]
        for player in order
    ]
    return [
        (str(player), level[0], level[-1])
        for player, level in zip(order, places, strict=True)
    ]


def test_equal_to_the_package():
    package = pytest.importorskip("elo_mmr_py")
    rows = contests()
    theirs = package.rate_latest(
        [package.Contest(standings(scores), time_seconds=0) for scores in rows],
        package.EloMmrConfig(),
        mu_noob=1500.0,
        sig_noob=350.0,
    )
    table = EloMmrTable(Pool(15), WHOLE)
    for scores in rows:
        table._rate(scores)
    for player in range(15):
        ours = table.standing(player)
        # The package puts rivals into bins of 1e-5 points.
        assert ours.rating == pytest.approx(theirs[str(player)].mu, abs=1e-3)
        assert ours.deviation == pytest.approx(theirs[str(player)].sig, abs=1e-6)


def test_performances_that_are_left_out_weigh_next_to_nothing():
    few, all_of_them = EloMmrTable(Pool(15), Parameters()), EloMmrTable(Pool(15), WHOLE)
    for scores in contests(count=200):
        few._rate(scores)
        all_of_them._rate(scores)
    for player in range(15):
        kept = few.standing(player).rating
        assert kept == pytest.approx(all_of_them.standing(player).rating, abs=1.0)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_a_performance_is_the_zero_of_the_papers_sum(score):
    own, other = Rival(1600.0, 250.0, 0.5), Rival(1450.0, 400.0, score)

    def likelihood(value):
        """The log of: level with oneself, and this score against the other."""

        def curve(rival):
            return 1 / (
                1
                + math.exp(
                    -math.pi / math.sqrt(3) * (value - rival.mean) / rival.spread
                )
            )

        total = math.log(curve(own)) + math.log(1 - curve(own))
        if score > 0:
            total += math.log(curve(other))
        if score < 1:
            total += math.log(1 - curve(other))
        return total

    best = performance(own, [other])
    assert likelihood(best) > likelihood(best - 0.01)
    assert likelihood(best) > likelihood(best + 0.01)


def test_an_odd_performance_counts_less_the_odder_it_is():
    def after(performed):
        career = PlayerState(1500.0, 100.0**2)
        for value in (1500.0,) * 6 + (performed,):
            career.diffuse(WHOLE.drift, 0.0)
            career.learn(value, WHOLE.beta, 100)
        return career.mean - 1500.0

    steps = [after(1500.0 + far) for far in (100, 200, 1000, 2000)]
    assert steps == sorted(steps)
    assert steps[1] - steps[0] > 20 * (steps[3] - steps[2])
    assert after(1400.0) == pytest.approx(-after(1600.0))


def test_a_large_rho_forgets_the_performances():
    career = PlayerState(1500.0, 100.0**2)
    for value in (1600.0, 2500.0, 1400.0):
        career.diffuse(WHOLE.drift, 1000.0)
        before = career.mean
        assert career.normal == pytest.approx(before)
        assert sum(weight for _, weight in career.performances) < 1e-12
        career.learn(value, WHOLE.beta, 100)


def test_deviations_end_at_the_limit():
    table = BY_GAMES.begin(Pool(2), Parameters(limit=60.0))
    table.update(games(*[(0, 1, float(n % 2)) for n in range(200)]), moment())
    assert table.standing(0).deviation == pytest.approx(60.0, abs=0.01)


def test_an_event_is_one_contest_by_shares_of_points():
    rows = [(0, 1, 1.0), (2, 3, 0.5), (0, 2, 0.5), (1, 3, 1.0)]
    table = BY_EVENTS.begin(Pool(4))
    table.update(games(*rows), moment())
    once = EloMmrTable(Pool(4), Parameters())
    once._rate({0: 0.75, 1: 0.5, 2: 0.5, 3: 0.25})
    for player in range(4):
        found, expected = table.standing(player), once.standing(player)
        assert found.rating == expected.rating
        assert (found.games, found.evaluations) == (2, 1)
    assert table.standing(1).rating == pytest.approx(table.standing(2).rating)


def test_a_drawn_game_counts_which_the_package_leaves_out():
    table = BY_GAMES.begin(Pool(2))
    table.seed(0, Standing(1700.0, deviation=100.0))
    table.seed(1, Standing(1500.0, deviation=100.0))
    table.update(games((0, 1, 0.5)), moment())
    assert table.standing(0).rating < 1695 < 1700
    assert table.standing(1).rating > 1505
