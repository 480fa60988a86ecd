"""The laboratory as a whole distinguishes a good system from a bad one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from ratings.laboratory.comparison import PRIMARY_MEASURE, MeasuredGames, Value
from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.history import NO_EVENT
from ratings.laboratory.measures import scaled_deviance
from ratings.laboratory.registry import SYSTEMS
from tests.ratings.laboratory.synthetic import Federation, coin, generate_history

COMPARED = ("glicko", "elo.logistic")


LABELS = {
    "oracle": "Oracle",
    "glicko": "Glicko",
    "elo.logistic": "Elo, logistic, K 32",
    "coin": "Coin",
}
PAPER = Path(__file__).parents[3] / "docs" / "laboratory.md"


@dataclass
class Compared:
    games: int
    scores: dict[str, float]
    measured: MeasuredGames
    predictions: dict[str, Sequence[float]]


@pytest.fixture(scope="module")
def compared():
    """Compare on a federation of 1,500 players and 36 months, from the second year."""
    world = generate_history()
    history = world.history
    predictions = {
        key: run(SYSTEMS[key], None, history, Plan(warm_up_days=365)).predictions
        for key in COMPARED
    }
    predictions |= {"oracle": world.oracle, "coin": coin(history)}
    columns = list(zip(*predictions.values(), strict=True))
    games = [
        number
        for number, column in enumerate(columns)
        if all(value == value for value in column)
    ]
    points = [history.games.points[number] for number in games]
    scores = {
        key: scaled_deviance(points, [column[number] for number in games])
        for key, column in predictions.items()
    }
    return Compared(len(games), scores, MeasuredGames(history, games), predictions)


def test_the_oracle_beats_glicko_beats_elo_beats_a_coin(compared):
    scores = compared.scores
    order = sorted(scores, key=scores.__getitem__)
    assert order == ["oracle", "glicko", "elo.logistic", "coin"]
    assert scores["coin"] == pytest.approx(100)
    # Each step is many times what chance gives to 30,000 games.
    steps = [scores[order[place + 1]] - scores[order[place]] for place in range(3)]
    assert min(steps) > 1


def test_the_paper_prints_what_comes_out(compared):
    measured = compared.measured
    values = {
        key: measured.of(PRIMARY_MEASURE, column)
        for key, column in compared.predictions.items()
    }
    rows = [
        f"| {LABELS[key]} | {plus_minus(measured, one)} | "
        + (plus_minus(measured, one.minus(values["oracle"])) + " " if place else "")
        + "|"
        for place, (key, one) in enumerate(
            sorted(values.items(), key=lambda pair: pair[1].value)
        )
    ]
    paper = PAPER.read_text()
    assert "\n".join(rows) in paper
    assert f"On {compared.games:,} games that all four predict" in paper


def plus_minus(measured: MeasuredGames, value: Value) -> str:
    error = measured.clusters.error(value.terms)
    return f"{value.value:.1f} ± {error:.1f}" if error > 1e-9 else f"{value.value:.1f}"


def test_two_years_of_games_count(compared):
    assert compared.games > 30_000


def test_all_that_chance_leaves_is_that_the_oracle_is_right_on_average():
    world = generate_history(Federation(players=400))
    games = world.history.games
    wins = sum(games.points) - sum(world.oracle)
    assert abs(wins) < 3 * (0.2 * len(games)) ** 0.5
    favorites = [
        points if expected > 0.5 else 1 - points
        for points, expected in zip(games.points, world.oracle, strict=True)
    ]
    sure = [max(expected, 1 - expected) for expected in world.oracle]
    assert abs(sum(favorites) - sum(sure)) < 3 * (0.2 * len(games)) ** 0.5


def test_a_made_up_federation_is_the_same_each_time_and_another_for_another_seed():
    small = Federation(players=60, months=4)
    assert (
        generate_history(small).history.digest()
        == generate_history(small).history.digest()
    )
    other = Federation(players=60, months=4, seed=28)
    assert (
        generate_history(other).history.digest()
        != generate_history(small).history.digest()
    )


def test_players_join_over_time_and_some_play_more_than_others():
    federation = Federation(players=600, months=10)
    games = generate_history(federation).history.games
    months = [date.fromordinal(day).month for day in games.days]
    first = {}
    played = [0] * federation.players
    for month, *pair in zip(months, games.white, games.black, strict=True):
        for player in pair:
            first.setdefault(player, month)
            played[player] += 1
    assert sum(month == 1 for month in first.values()) < 200
    assert max(first.values()) > 6
    assert min(played[player] for player in first if first[player] == 1) < 10
    assert max(played) == 10 * federation.rounds


def test_players_meet_once_in_an_event():
    games = generate_history(Federation(players=90, months=6)).history.games
    pairs = {
        (event, *sorted(pair))
        for event, *pair in zip(games.events, games.white, games.black, strict=True)
    }
    assert len(pairs) == len(games)
    assert NO_EVENT not in games.events
