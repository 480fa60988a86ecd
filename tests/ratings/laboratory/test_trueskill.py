"""TrueSkill Through Time, against integrals by brute force and the package."""

import itertools
import math
import random

import pytest

from ratings.laboratory.protocol import Moment, Pool, Standing
from ratings.laboratory.systems.trueskill import (
    BETA,
    SYSTEMS,
    Model,
    Parameters,
    curve,
    draw,
    draw_margin,
    game_messages,
    normal_cdf,
    win,
)
from tests.ratings.laboratory.batches import games, moment

(SYSTEM,) = SYSTEMS
MARGIN = draw_margin(0.3, BETA)


def likelihood(lead, points, beta=BETA, margin=MARGIN):
    """The probability of a result between strengths that are *lead* apart."""
    spread = math.sqrt(2) * beta
    lost = normal_cdf((-margin - lead) / spread)
    won = normal_cdf((lead - margin) / spread)
    return {1.0: won, 0.5: 1 - won - lost, 0.0: lost}[points]


def grid(mean, deviation, steps=81, reach=6.0):
    """Points of a strength with the weight that a normal curve gives to each."""
    width = 2 * reach / (steps - 1)
    offsets = [-reach + width * step for step in range(steps)]
    return [
        (mean + deviation * offset, math.exp(-(offset**2) / 2)) for offset in offsets
    ]


@pytest.mark.parametrize("points", [0.0, 0.5, 1.0])
def test_one_game_is_the_exact_integral(points):
    one, other, advantage = (27.0, 4.0), (24.0, 6.0), 1.5
    total = first = second = 0.0
    for (x, p), (y, q) in itertools.product(grid(*one), grid(*other)):
        weight = p * q * likelihood(x - y + advantage, points)
        total += weight
        first += weight * x
        second += weight * x * x
    mean = first / total
    variance = second / total - mean * mean
    white, black = curve(27.0, 16.0), curve(24.0, 36.0)
    model = Model(BETA, MARGIN, advantage)
    after = white.times(game_messages(white, black, points, model)[0])
    assert after.mean == pytest.approx(mean, abs=1e-6)
    assert after.variance == pytest.approx(variance, rel=1e-6)


@pytest.mark.parametrize("points", [0.0, 0.5, 1.0])
def test_one_game_is_that_of_the_package(points):
    package = pytest.importorskip("trueskill")
    world = package.TrueSkill(draw_probability=0.3, tau=0.0)
    one, other = package.Rating(27.0, 4.0), package.Rating(24.0, 6.0)
    if points == 0.0:
        [[theirs_black], [theirs_white]] = world.rate([[other], [one]])
    else:
        ranks = [0, 0] if points == 0.5 else [0, 1]
        [[theirs_white], [theirs_black]] = world.rate([[one], [other]], ranks)
    table = SYSTEM.begin(Pool(2))
    table.seed(0, Standing(27.0, deviation=4.0))
    table.seed(1, Standing(24.0, deviation=6.0))
    table.update(games((0, 1, points)), moment())
    for player, theirs in enumerate((theirs_white, theirs_black)):
        ours = table.standing(player)
        # The package's own normal curve is exact to 1e-7.
        assert ours.rating == pytest.approx(theirs.mu, abs=1e-5)
        assert ours.deviation == pytest.approx(theirs.sigma, abs=1e-5)


def test_two_periods_come_near_the_integral_over_all_strengths():
    """One player in two periods, against one who is known in each."""
    gamma, rival = 1.5, 26.0
    table = SYSTEM.begin(Pool(3), Parameters(gamma=gamma, passes=50, smoothing=50))
    table.seed(0, Standing(25.0, deviation=5.0))
    for player in (1, 2):
        table.seed(player, Standing(rival, deviation=1e-4))
    results = [(0, 1.0), (0, 0.5), (4, 0.0), (4, 0.0)]
    for period in (0, 4):
        rows = [(0, 1 + period // 4, s) for when, s in results if when == period]
        table.update(games(*rows), Moment(0, period))
    table.finish()
    moved = gamma * math.sqrt(4)
    sums = [[0.0, 0.0, 0.0] for _ in (0, 1)]
    for (early, p), (step, q) in itertools.product(grid(25.0, 5.0), grid(0.0, moved)):
        late, weight = early + step, p * q
        for period, score in results:
            weight *= likelihood((late if period else early) - rival, score)
        for found, value in zip(sums, (early, late), strict=True):
            found[0] += weight
            found[1] += weight * value
            found[2] += weight * value * value
    for (_period, mean, deviation), (total, first, second) in zip(
        table.rating_history(0), sums, strict=True
    ):
        exact = first / total
        assert mean == pytest.approx(exact, abs=0.03)
        spread = math.sqrt(second / total - exact * exact)
        assert deviation == pytest.approx(spread, rel=0.02)


def random_table(**changed):
    randomness = random.Random(6)
    table = SYSTEM.begin(Pool(9), Parameters(**changed))
    for period in range(6):
        rows = [
            (*randomness.sample(range(9), 2), randomness.choice((0.0, 0.5, 1.0)))
            for _ in range(12)
        ]
        table.update(games(*rows), Moment(0, period))
    return table


def test_passes_through_time_come_to_rest():
    courses = []
    for smoothing in (40, 60):
        table = random_table(smoothing=smoothing)
        table.finish()
        courses.append([table.rating_history(player) for player in range(9)])
    for one, other in zip(*map(itertools.chain.from_iterable, courses), strict=True):
        assert one == pytest.approx(other, abs=1e-3)


def test_later_results_of_an_opponent_change_a_final_rating():
    def last(smoothing):
        table = SYSTEM.begin(Pool(3), Parameters(smoothing=smoothing))
        table.seed(2, Standing(40.0, deviation=0.5))
        table.update(games((0, 1, 1.0)), Moment(0, 0))
        table.update(games(*[(1, 2, 1.0)] * 4), Moment(0, 1))
        table.finish()
        return table.standing(0).rating

    assert last(10) > last(0) + 3


def test_a_pause_adds_doubt_and_flattens_predictions():
    table = SYSTEM.begin(Pool(2), Parameters(gamma=0.5))
    table.seed(0, Standing(30.0, deviation=1.0))
    table.seed(1, Standing(25.0, deviation=1.0))
    game = games((0, 1, 1.0))
    table.update(game, Moment(0, 3))
    soon, late = (table.predict(game, Moment(0, n))[0] for n in (4, 400))
    assert soon > late > 0.5
    mean, variance = table._now(0, 5)
    assert variance == pytest.approx(table.standing(0).deviation ** 2 + 2 * 0.25)
    assert mean == table.standing(0).rating


def test_a_prediction_counts_a_draw_half():
    table = SYSTEM.begin(Pool(2), Parameters(white_advantage=48.0))
    table.seed(0, Standing(27.0, deviation=1e-4))
    table.seed(1, Standing(25.0, deviation=1e-4))
    [found] = table.predict(games((0, 1, 1.0)), moment())
    expected = likelihood(3.0, 1.0) + likelihood(3.0, 0.5) / 2
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("t", [-40.0, -24.0, 24.0, 40.0])
def test_wonders_move_by_the_limit_of_the_curve(t):
    if t < 0:
        v, w = win(t, 0.5)
        assert v == pytest.approx(0.5 - t, rel=0.01)
        assert w == pytest.approx(1.0, abs=0.01)
    v, w = draw(t, 0.5)
    assert v == pytest.approx(math.copysign(0.5, t) - t, rel=0.01)
    assert w == pytest.approx(1.0, abs=0.01)


def test_an_upset_of_all_upsets_leaves_numbers():
    table = SYSTEM.begin(Pool(2))
    table.seed(0, Standing(-300.0, deviation=1.0))
    table.seed(1, Standing(400.0, deviation=1.0))
    table.update(games((0, 1, 1.0), (0, 1, 0.5)), moment())
    for player in (0, 1):
        assert math.isfinite(table.standing(player).rating)
        assert table.standing(player).deviation > 0
