"""Whole-History Rating: the most likely careers, against the package and by hand."""

import math
import random
import warnings
from itertools import pairwise

import pytest

from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.whole_history import (
    CENTER,
    SCALE,
    BradleyTerry,
    Parameters,
    WholeHistory,
    newton_step,
)
from tests.ratings.laboratory.synthetic import Federation, generate_history


def played(players=8, count=60, days=40, draws=True, seed=3):
    """Rows of (day, White, Black, points), in order of their days."""
    randomness = random.Random(seed)
    results = (0.0, 0.5, 1.0) if draws else (0.0, 1.0)
    return sorted(
        (
            randomness.randrange(1, days),
            *randomness.sample(range(players), 2),
            randomness.choice(results),
        )
        for _ in range(count)
    )


def batch(rows):
    days, white, black, points = map(list, zip(*rows, strict=True))
    zeros = [0] * len(rows)
    return Games(white, black, points, days, zeros, zeros)


def fitted(rows, players=8, seeds=(), **changed):
    table = WholeHistory().begin(Pool(players), Parameters(**changed))
    for player, standing in enumerate(seeds):
        table.seed(player, standing)
    table.update(batch(rows), Moment(99, 0))
    table.finish()
    return table


def log_posterior(courses, rows, drift, prior, level, advantage):
    """The paper's posterior of all careers, written once more from its definition."""
    natural = {
        player: {day: (rating - CENTER) / SCALE for day, rating in rating_history}
        for player, rating_history in enumerate(courses)
    }
    total = 0.0
    for day, white, black, points in rows:
        lead = natural[white][day] - natural[black][day] + advantage / SCALE
        expected = 1 / (1 + math.exp(-lead))
        total += points * math.log(expected) + (1 - points) * math.log(1 - expected)
    for career in natural.values():
        days = sorted(career)
        first = 1 / (1 + math.exp((level - CENTER) / SCALE - career[days[0]]))
        total += prior * (math.log(first) + math.log(1 - first))
        for before, after in pairwise(days):
            moved = (career[after] - career[before]) * SCALE
            total -= moved**2 / (2 * drift * (after - before))
    return total


def test_no_other_histories_are_more_likely():
    rows, facts = played(), (30.0, 0.7, 1600.0, 35.0)
    drift, prior, level, advantage = facts
    table = fitted(
        rows,
        drift=drift,
        prior_games=prior,
        first_rating=level,
        white_advantage=advantage,
        last_sweeps=1000,
    )
    courses = [table.rating_history(player) for player in range(8)]
    best = log_posterior(courses, rows, *facts)
    for player, rating_history in enumerate(courses):
        for place, (day, rating) in enumerate(rating_history):
            for step in (-3.0, 3.0):
                other = rating_history[:]
                other[place] = (day, rating + step)
                changed = [*courses[:player], other, *courses[player + 1 :]]
                assert log_posterior(changed, rows, *facts) < best


def test_equal_to_the_package():
    whr = pytest.importorskip("whr")
    rows = played(draws=False)
    pool = whr.WHR({"w2": 14.0})
    for day, white, black, points in rows:
        pool.create_game(str(black), str(white), "W" if points else "B", day, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pool.iterate(2000)
    table = fitted(rows, last_sweeps=2000)
    for player in range(8):
        theirs = [day.elo for day in pool.player_by_name(str(player)).days]
        ours = [rating - CENTER for _day, rating in table.rating_history(player)]
        assert ours == pytest.approx(theirs, abs=0.05)


def test_a_newcomer_against_a_fixed_opponent():
    """One win plus half a win and half a loss: three quarters, so 3 to 1."""
    [standing, _] = [
        fitted([(1, 0, 1, 1.0)], 2, [Standing(1500), Standing(1500, 9, 1e-3)]).standing(
            player
        )
        for player in (0, 1)
    ]
    assert standing.rating == pytest.approx(1500 + 400 * math.log10(3), abs=1e-3)
    # The curvature is that of the game and of the prior: (1 + 1) p(1 − p).
    assert standing.deviation == pytest.approx(SCALE / math.sqrt(2 * 3 / 16), rel=1e-3)


def test_a_newton_step_solves_the_band():
    diagonal, links = [3.0, 4.5, 2.5, 9.0], [1.0, 0.5, 2.0]
    gradient = [1.0, -2.0, 0.25, 4.0]
    step, variance = newton_step(gradient, diagonal, links)
    for place in range(4):
        left = diagonal[place] * step[place]
        if place:
            left -= links[place - 1] * step[place - 1]
        if place < 3:
            left -= links[place] * step[place + 1]
        assert left == pytest.approx(gradient[place])
    # The last pivot is the determinant with the last row over that without it.
    assert variance > 1 / diagonal[-1]


def test_a_later_result_of_an_opponent_changes_the_past():
    early = [(1, 0, 1, 1.0)]
    alone = fitted(early, 3).standing(0).rating
    rows = [*early, *[(2, 2, 1, 1.0)] * 5]
    assert fitted(rows, 3).standing(0).rating < alone - 10


def test_a_pause_lets_a_strength_move_further():
    def last(pause):
        rows = [*[(1, 0, 1, 0.5)] * 20, *[(1 + pause, 0, 1, 1.0)] * 5]
        seeds = [Standing(1500, 0, 50.0), Standing(1500, 0, 1e-3)]
        rating_history = fitted(rows, 2, seeds).rating_history(0)
        return rating_history[-1][1] - rating_history[0][1]

    assert last(900) > last(30) > last(1) > 0


def test_predictions_come_from_the_newest_strengths():
    table = fitted(played(), white_advantage=35.0)
    [prediction] = table.predict(batch([(50, 2, 5, 1.0)]), Moment(60, 1))
    lead = table.standing(2).rating - table.standing(5).rating + 35.0
    assert prediction == pytest.approx(1 / (1 + 10 ** (-lead / 400)))


def test_a_game_dated_before_the_newest_day_counts_there():
    table = fitted([(5, 0, 1, 1.0)], 2)
    table.update(batch([(3, 0, 1, 0.0)]), Moment(99, 1))
    table.finish()
    assert [day for day, _ in table.rating_history(0)] == [5]
    # A win and a loss: neither is better.
    assert table.standing(0).rating == pytest.approx(CENTER, abs=0.1)


class TestBound:
    """Bradley-Terry over all games: it uses later games, which no system can."""

    HISTORY = generate_history(Federation(players=60, months=6)).history

    def predicted(self, system, history):
        return run(system, None, history, Plan(warm_up_days=0)).predictions

    def test_it_predicts_first_games_and_beats_who_knows_the_truth(self):
        world = generate_history(Federation(players=60, months=6))
        found = self.predicted(BradleyTerry(), world.history)
        points = world.history.games.points

        def loss(predictions):
            return sum(
                -math.log(p if s == 1 else 1 - p if s == 0 else math.sqrt(p * (1 - p)))
                for p, s in zip(predictions, points, strict=True)
            )

        assert loss(found) < loss(world.oracle)

    def test_what_is_still_to_come_changes_the_first_predictions(self):
        cut = self.HISTORY.between(0, self.HISTORY.last_day - 60)
        early = len(cut) // 2
        for system, sees in ((BradleyTerry(), True), (WholeHistory(), False)):
            whole = self.predicted(system, self.HISTORY)[:early]
            part = self.predicted(system, cut)[:early]
            assert (repr(whole) != repr(part)) == sees

    def test_a_period_shows_the_strengths_of_its_own_time(self):
        rows = [(d, 0, 1, 1.0) for d in range(1, 30)] + [
            (d, 0, 1, 0.0) for d in range(600, 630)
        ]
        table = BradleyTerry().begin(Pool(2))
        table.load_future_games(batch(rows))
        assert table.standing(0) is None
        table.update(batch(rows[:5]), Moment(31, 0))
        early = table.standing(0)
        table.update(batch(rows[5:]), Moment(640, 1))
        late = table.standing(0)
        assert early.rating > 1550 > 1450 > late.rating
        assert (early.games, late.games) == (5, 59)
        first, last = table.predict(batch([rows[0], rows[-1]]), Moment(31, 2))
        assert first > 0.6 > 0.4 > last
