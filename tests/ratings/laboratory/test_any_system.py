"""What every system has to keep to, whatever its formula."""

import math
import random
from dataclasses import replace

import pytest

from ratings.laboratory.experiment import Newcomers, Plan, run
from ratings.laboratory.parameters import parameters_of
from ratings.laboratory.protocol import (
    Direction,
    Games,
    Moment,
    Pool,
    Shape,
    Standing,
    Status,
)
from ratings.laboratory.registry import RUNNABLE
from tests.ratings.laboratory.simple import day
from tests.ratings.laboratory.synthetic import Federation, generate_history

HISTORY = generate_history(Federation(players=60, months=8)).history
SEEDS = {player: 1200.0 + 10 * player for player in range(60)}
PLAN = Plan(warm_up_days=60, newcomers=Newcomers.OURS, seeds=SEEDS)
MOMENT = Moment(day("2024-05-31"), 0)

every_system = pytest.mark.parametrize(
    "system", RUNNABLE.values(), ids=lambda one: one.about.key
)


def games_of(*lines, on="2024-05-04"):
    white, black, points = zip(*lines, strict=True) if lines else ((), (), ())
    count = len(lines)
    return Games(
        list(white),
        list(black),
        list(points),
        [day(on)] * count,
        [0] * count,
        [0] * count,
    )


def rated_table(system, *ratings, size=None):
    """Return a table of players with these ratings of today's scale."""
    table = system.begin(Pool(size or len(ratings)))
    for player, rating in enumerate(ratings):
        table.seed(player, Standing(system.from_elo_scale(rating), 40))
    return table


@every_system
def test_predictions_are_scores_or_unknown(system):
    outcome = run(system, None, HISTORY, PLAN)
    known = [value for value in outcome.predictions if not math.isnan(value)]
    assert len(known) > 0.5 * len(HISTORY)
    assert all(0 <= value <= 1 for value in known)


@every_system
def test_ratings_stay_finite_on_the_systems_own_newcomers_too(system):
    outcome = run(system, None, HISTORY, Plan())
    rated = [one for one in outcome.standings() if one is not None]
    assert all(math.isfinite(one.rating) for one in rated)


@every_system
def test_what_is_still_to_come_changes_no_prediction_but_a_bounds(system):
    whole = run(system, None, HISTORY, PLAN).predictions
    cut = HISTORY.between(0, HISTORY.last_day - 90)
    early = run(system, None, cut, PLAN).predictions
    sees = system.about.status is Status.USES_THE_FUTURE
    assert (repr(whole[: len(cut)]) != repr(early)) == sees


@every_system
def test_predicting_changes_nothing(system):
    table = run(system, None, HISTORY, PLAN).table
    before = [table.standing(player) for player in range(60)]
    games, later = HISTORY.games.part(0, 50), Moment(MOMENT.day, 99)
    first = table.predict(games, later)
    assert repr(table.predict(games, later)) == repr(first)
    assert [table.standing(player) for player in range(60)] == before


@every_system
def test_nothing_is_known_of_unrated_players(system):
    table = rated_table(system, 1600.0, size=3)
    lines = [(0, 1, 1.0), (2, 0, 1.0), (1, 2, 1.0)]
    assert all(math.isnan(value) for value in table.predict(games_of(*lines), MOMENT))
    assert table.standing(1) is None


@every_system
def test_a_seed_is_where_a_player_stands(system):
    standing = rated_table(system, 1600.0).standing(0)
    assert standing.rating == pytest.approx(system.from_elo_scale(1600.0), abs=0.5)
    assert standing.games == 40


@every_system
def test_the_better_player_is_expected_to_score_more(system):
    table = rated_table(system, 1700.0, 1600.0)
    [better] = table.predict(games_of((0, 1, 1.0)), MOMENT)
    [worse] = table.predict(games_of((1, 0, 1.0)), MOMENT)
    assert better > 0.52 > 0.48 > worse
    lower = system.about.direction is Direction.LOWER_IS_BETTER
    assert (table.standing(0).rating < table.standing(1).rating) == lower


def turned_where_colors_are_unknown(games):
    """Return the games with the sides of every one turned round that has no colors."""
    rows = zip(games.white, games.black, games.points, games.colored, strict=True)
    sides = [
        (white, black, points) if known else (black, white, 1.0 - points)
        for white, black, points, known in rows
    ]
    white, black, points = (list(column) for column in zip(*sides, strict=True))
    return replace(games, white=white, black=black, points=points)


HALF_COLORED = replace(
    HISTORY,
    games=replace(HISTORY.games, colored=[game % 2 for game in range(len(HISTORY))]),
)
TURNED = replace(
    HALF_COLORED, games=turned_where_colors_are_unknown(HALF_COLORED.games)
)


@every_system
def test_nothing_is_learned_from_who_stands_first_where_colors_are_unknown(system):
    given = {}
    if any(one.name == "white_advantage" for one in parameters_of(system.parameters)):
        given["white_advantage"] = 60.0
    parameters = system.parameters(**given)
    one = run(system, parameters, HALF_COLORED, PLAN)
    other = run(system, parameters, TURNED, PLAN)
    turned = [
        value if known else 1.0 - value
        for value, known in zip(
            other.predictions, HALF_COLORED.games.colored, strict=True
        )
    ]
    assert turned == pytest.approx(list(one.predictions), abs=1e-9, nan_ok=True)


@every_system
def test_both_sides_together_expect_one_point(system):
    one, other = (Standing(system.from_elo_scale(r), 40) for r in (1723.0, 1600.0))
    assert system.expected(one, other) > 0.5
    both = system.expected(one, other) + system.expected(other, one)
    assert both == pytest.approx(1)


@every_system
def test_the_winner_of_equals_stands_no_worse_than_the_loser(system):
    table = rated_table(system, 1600.0, 1600.0)
    # Some systems wait for a number of games before they rate a player.
    table.update(games_of(*[(0, 1, 1.0), (1, 0, 0.0)] * 8), MOMENT)
    winner, loser = (system.on_elo_scale(table.standing(n).rating) for n in (0, 1))
    assert winner > loser


@every_system
def test_a_period_without_games_changes_no_rating(system):
    table = rated_table(system, 1700.0, 1600.0)
    before = [table.standing(player).rating for player in (0, 1)]
    table.update(games_of(), MOMENT)
    assert [table.standing(player).rating for player in (0, 1)] == before
    assert table.predict(games_of(), MOMENT) == []


@every_system
def test_scales_lead_there_and_back(system):
    for rating in (1350.0, 1500.0, 1675.0):
        own = system.from_elo_scale(rating)
        assert system.on_elo_scale(own) == pytest.approx(rating, abs=1e-6)


@pytest.mark.parametrize(
    "system",
    [one for one in RUNNABLE.values() if one.about.shape is not Shape.PER_GAME],
    ids=lambda one: one.about.key,
)
def test_the_order_within_a_batch_matters_only_game_by_game(system):
    lines = [(w, b, (w * b) % 3 / 2) for w in range(8) for b in range(w)]
    shuffled = lines[:]
    random.Random(1).shuffle(shuffled)
    found = []
    for batch in (lines, shuffled):
        table = rated_table(system, *(1500.0 + 30 * player for player in range(8)))
        table.update(games_of(*batch), MOMENT)
        found.append([table.standing(player).rating for player in range(8)])
    assert found[0] == pytest.approx(found[1], abs=1e-7)


@every_system
def test_every_parameter_has_a_default_within_its_bounds(system):
    for one in parameters_of(system.parameters):
        assert one.label
        if one.choices:
            assert one.default in one.choices
        elif one.default is not None and not isinstance(one.default, bool):
            assert one.low is None or one.low <= one.default
            assert one.high is None or one.default <= one.high
