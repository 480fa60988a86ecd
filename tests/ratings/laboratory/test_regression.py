"""The yardstick: a regression that is fitted to the past only, period by period."""

import math
import random
from array import array

import pytest

from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.history import History, HistoryBuilder
from ratings.laboratory.measures import scaled_deviance
from ratings.laboratory.protocol import Moment, Pool, Standing
from ratings.laboratory.systems.glicko import Glicko
from ratings.laboratory.systems.regression import (
    COVARIATES,
    SYSTEMS,
    Fit,
    expected_score,
    solve_symmetric,
)
from tests.ratings.laboratory.batches import games, moment

(SYSTEM,) = SYSTEMS
MAY_2024 = Moment(738_000, 5)


def drawn(truth, count, seed=4):
    """Rows of facts with results that follow these weights."""
    randomness = random.Random(seed)
    rows = [
        (1.0, *(randomness.gauss(0, 1) for _ in range(len(truth) - 1)))
        for _ in range(count)
    ]
    scores = [float(randomness.random() < expected_score(truth, row)) for row in rows]
    return rows, scores


def test_equations_are_solved():
    matrix = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]]
    found = solve_symmetric(matrix, [1.0, -2.0, 3.0])
    for row, known in zip(matrix, (1.0, -2.0, 3.0), strict=True):
        assert sum(a * x for a, x in zip(row, found, strict=True)) == pytest.approx(
            known
        )


def test_a_fit_is_where_the_likelihood_is_highest():
    rows, scores = drawn([0.3, -0.8, 1.5], 400)
    fit = Fit([0.0, 0.0, 1.0], ridge=2.0)
    fit.learn(rows, scores)

    def log_posterior(weights):
        total = -sum((w - s) ** 2 for w, s in zip(weights, (0, 0, 1), strict=True))
        for row, score in zip(rows, scores, strict=True):
            expected = expected_score(weights, row)
            total += math.log(expected if score else 1 - expected)
        return total

    best = log_posterior(fit.weights)
    for place in range(3):
        for step in (-0.01, 0.01):
            moved = [w + step * (n == place) for n, w in enumerate(fit.weights)]
            assert log_posterior(moved) < best


def test_period_by_period_comes_to_the_weights_of_all_at_once():
    truth = [0.2, -0.5, 1.0]
    rows, scores = drawn(truth, 6000)
    at_once, by_parts = Fit([0.0] * 3, 1.0), Fit([0.0] * 3, 1.0)
    at_once.learn(rows, scores)
    for start in range(0, 6000, 500):
        by_parts.learn(rows[start : start + 500], scores[start : start + 500])
    assert by_parts.weights == pytest.approx(at_once.weights, abs=0.02)
    assert by_parts.weights == pytest.approx(truth, abs=0.15)


def test_before_any_game_it_is_glicko():
    tables = [system.begin(Pool(2)) for system in (SYSTEM, Glicko())]
    for table in tables:
        table.seed(0, Standing(1700, 40, 80.0))
        table.seed(1, Standing(1500, 40, 120.0))
    ours, theirs = (one.predict(games((0, 1, 1.0)), moment()) for one in tables)
    assert ours == pytest.approx(theirs)


def test_what_is_known_of_a_game():
    pool = Pool(2, (2012, 1964))
    table = SYSTEM.begin(pool, SYSTEM.parameters(white_advantage=30.0))
    table.seed(0, Standing(1600, 9, 1e-3))
    table.seed(1, Standing(1500, 99, 1e-3))
    [facts] = table._rows(games((0, 1, 1.0)), MAY_2024)
    known = dict(zip(COVARIATES, facts, strict=True))
    lead = 100 * math.log(10) / 400
    # In 2021, of which the day is, they are 9 and 57.
    assert known == {
        "color": 1.0,
        "difference": pytest.approx(lead),
        "flattened": pytest.approx(lead),
        "young": pytest.approx(1.1),
        "old": pytest.approx(-0.7),
        "experience": pytest.approx(math.log(10) - math.log(100)),
        "pause": 0.0,
    }


def white_always_wins():
    builder = HistoryBuilder()
    players = [builder.player(str(number)) for number in range(6)]
    for month in range(12):
        for white in players:
            for black in players:
                if white != black:
                    builder.game(white, black, 1.0, 737_425 + 30 * month)
    return builder.build()


@pytest.mark.parametrize(("advantage", "learns"), [(0.0, False), (30.0, True)])
def test_colors_are_known_only_where_white_has_an_advantage(advantage, learns):
    plan = Plan(white_advantage=advantage)
    outcome = run(SYSTEM, None, white_always_wins(), plan)
    expected = outcome.predictions[-1]
    assert (expected > 0.9) is learns
    assert expected == 0.5 or learns


def test_unknown_ages_and_years_to_come_tell_nothing():
    for years in ((), (None, None), (2030, None)):
        table = SYSTEM.begin(Pool(2, years))
        for player in (0, 1):
            table.seed(player, Standing(1500, 9))
        [facts] = table._rows(games((0, 1, 1.0)), MAY_2024)
        assert facts[3:5] == (0.0, 0.0)


def rising_juniors():
    """Half of the players are ten and better than their results so far, by 250."""
    randomness, builder = random.Random(8), HistoryBuilder()
    truth = array("d")
    for number in range(80):
        builder.player(str(number), birth_year=2010 if number % 2 else 1980)
    skill = [randomness.gauss(1500, 150) for _ in range(80)]
    for month in range(24):
        for number in range(1, 80, 2):
            skill[number] += 40
        for game in range(120):
            white, black = randomness.sample(range(80), 2)
            lead = skill[white] - skill[black]
            expected = 1 / (1 + 10 ** (-lead / 400))
            points = float(randomness.random() < expected)
            day = 737_425 + 30 * month + game % 28
            builder.game(white, black, points, day)
            truth.append(expected)
    return builder.build()


def test_age_is_used_where_it_tells_something():
    history = rising_juniors()
    assert isinstance(history, History)
    plan = Plan(warm_up_days=365)
    columns = [
        run(system, None, history, plan).predictions for system in (SYSTEM, Glicko())
    ]
    numbers = [n for n, value in enumerate(columns[0]) if value == value]
    points = [history.games.points[n] for n in numbers]
    ours, theirs = (
        scaled_deviance(points, [column[n] for n in numbers]) for column in columns
    )
    assert ours < theirs - 1
