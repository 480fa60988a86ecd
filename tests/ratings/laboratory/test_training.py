"""White's advantage, fitted once on the training, and evidence instead of days."""

import math
from dataclasses import replace

import pytest

from ratings.laboratory.experiment import Newcomers, Plan, first_test_game, run
from ratings.laboratory.history import HistoryBuilder
from ratings.laboratory.protocol import Status
from ratings.laboratory.registry import RUNNABLE, SYSTEMS
from ratings.laboratory.training import (
    FittedAdvantage,
    WhiteAdvantageMode,
    most_likely_advantage,
    trained_advantage,
    with_advantage,
)
from ratings.laboratory.white_advantage import Q
from ratings.research.experiments.plans import RunOptions, Variant, variants_of
from ratings.research.experiments.variant_names import variant_names
from tests.ratings.laboratory.simple import games_to_history
from tests.ratings.laboratory.synthetic import Federation, generate_history

PLANTED = 40.0
HISTORY = generate_history(Federation(players=160, months=12, white=PLANTED)).history
PLAN = Plan(training=0.5, newcomers=Newcomers.COMMON)

every_system = pytest.mark.parametrize(
    "system", RUNNABLE.values(), ids=lambda one: one.about.key
)


def test_the_advantage_that_was_planted_is_found():
    found = trained_advantage(HISTORY, PLAN)
    assert abs(found.points - PLANTED) < 2 * found.error
    # √(1/(n · q² · P(1 − P))) were all games won or lost; draws leave less.
    simple = 400 / math.log(10) / math.sqrt(0.22 * found.games)
    assert 0.6 * simple < found.error < 1.1 * simple


def test_it_is_fitted_on_the_training_alone():
    stop = first_test_game(HISTORY, PLAN)
    points = [*HISTORY.games.points[:stop], *[0.0] * (len(HISTORY) - stop)]
    changed = replace(HISTORY, games=replace(HISTORY.games, points=points))
    assert trained_advantage(changed, PLAN) == trained_advantage(HISTORY, PLAN)
    assert 0 < trained_advantage(HISTORY, PLAN).games <= stop


def test_games_of_unknown_color_do_not_enter():
    """Also where it is always the first side that wins them."""
    games = HISTORY.games
    colored = [number % 2 for number in range(len(games))]
    points = [
        score if known else 1.0
        for score, known in zip(games.points, colored, strict=True)
    ]
    changed = replace(HISTORY, games=replace(games, points=points, colored=colored))
    even = [0.5] * len(games)
    known = [score for score, one in zip(games.points, colored, strict=True) if one]
    mean = math.fsum(known) / len(known)
    found = most_likely_advantage(changed, even, [Q] * len(even))
    assert found.points == pytest.approx(400 * math.log10(mean / (1 - mean)))
    assert found.games == len(known)


def test_a_score_of_six_in_ten_between_equals_is_seventy_points():
    lines = [
        ("A", "B", one, f"2024-01-{day:02}")
        for day, one in enumerate((1.0, 0.5, 0.5, 1.0, 0.0), 1)
    ]
    found = most_likely_advantage(games_to_history(*lines), [0.5] * 5, [Q] * 5)
    assert found.points == pytest.approx(400 * math.log10(0.6 / 0.4))


@pytest.mark.parametrize("points", [1.0, 0.0])
def test_white_who_always_scored_the_same_tells_no_number(points):
    history = games_to_history(
        ("A", "B", points, "2024-01-01"), ("B", "C", points, "2024-01-02")
    )
    assert most_likely_advantage(history, [0.5, 0.5], [Q, Q]) is None


def test_too_few_games_tell_no_number():
    """The fit on a few dozen games is chance, and would spoil all systems."""
    everything = replace(PLAN, training=1.0)
    assert trained_advantage(HISTORY.select_games(range(240)), everything) is None
    assert trained_advantage(HISTORY.select_games(range(600)), everything).games >= 250


def test_without_any_game_there_is_no_number():
    assert trained_advantage(HistoryBuilder().build(), PLAN) is None
    assert trained_advantage(HISTORY, replace(PLAN, training=0.0)) is None


@every_system
def test_every_system_takes_the_same_advantage(system):
    plain = run(system, None, HISTORY, replace(PLAN, white_advantage=0.0)).predictions
    given = run(system, None, HISTORY, replace(PLAN, white_advantage=60.0)).predictions
    known = [
        (before, after)
        for before, after in zip(plain, given, strict=True)
        if 0.0 < before < 1.0
    ]
    turned = [
        math.log(after / (1 - after)) - math.log(before / (1 - before))
        for before, after in known
        if 0.0 < after < 1.0
    ]
    mean = math.fsum(turned) / len(turned) * 400 / math.log(10)
    # Uncertainty flattens it. The yardstick begins with it, and learns the truth.
    least = 0 if system.about.status is Status.YARDSTICK else 30
    assert least < mean < 90


def test_a_system_without_the_parameter_is_shifted_on_the_logit_scale():
    plain = run(SYSTEMS["elo.logistic"], None, HISTORY, PLAN).predictions
    plan = replace(PLAN, white_advantage=25.0)
    given = run(SYSTEMS["elo.logistic"], None, HISTORY, plan).predictions
    expected = [
        1 / (1 + (1 / one - 1) * 10 ** (-25 / 400)) if one == one else one
        for one in plain
    ]
    assert list(given) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("key", ["stephenson", "glicko_boost", "universal"])
def test_what_the_makers_took_counts_only_where_it_is_varied(key):
    assert Variant(key).parameters(12.0).white_advantage == 12.0
    assert Variant(key).parameters(0.0).white_advantage == 0.0
    varied = variants_of(key, {"white_advantage": [None, 30.0]})
    assert [one.parameters(12.0).white_advantage for one in varied] == [12.0, 30.0]
    assert len(set(variant_names(varied))) == 2


@pytest.mark.parametrize(
    ("white", "fitted", "points"),
    [
        (WhiteAdvantageMode.FITTED, FittedAdvantage(35.5, 2.0, 900), 35.5),
        (WhiteAdvantageMode.FITTED, None, 0.0),
        (WhiteAdvantageMode.NONE, FittedAdvantage(35.5, 2.0, 900), 0.0),
        (WhiteAdvantageMode.OWN, FittedAdvantage(35.5, 2.0, 900), None),
    ],
)
def test_one_number_for_all_or_none(white, fitted, points):
    assert with_advantage(PLAN, white, fitted).white_advantage == points


def test_experiments_of_before_keep_each_systems_own_advantage():
    said = RunOptions(chosen=None).as_json()
    del said["white"]
    assert RunOptions.from_json(said).white == WhiteAdvantageMode.OWN


# --- Training and starts ---


@pytest.mark.parametrize(
    ("share", "first"), [(0.0, 0), (0.2, 2), (0.35, 5), (0.5, 5), (1.0, 6)]
)
def test_a_day_belongs_to_the_training_as_a_whole(share, first):
    days = ("01", "01", "02", "02", "02", "03")
    history = games_to_history(*[("A", "B", 1.0, f"2024-01-{day}") for day in days])
    assert first_test_game(history, Plan(training=share)) == first


@every_system
def test_all_systems_start_level_with_one_common_rating(system):
    plan = Plan(newcomers=Newcomers.COMMON, white_advantage=0.0)
    table = run(system, None, HISTORY.between(0, 0), plan).table
    assert table.standing(0) is None
    stop = next(iter(HISTORY.periods(1))).stop
    first = run(system, None, HISTORY, plan).predictions[:stop]
    if not system.about.is_upper_bound:
        assert list(first) == pytest.approx([0.5] * stop)
