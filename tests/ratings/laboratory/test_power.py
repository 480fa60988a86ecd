"""The power of a year of games: the best B is found, where there is one."""

import math
from array import array

import pytest

from ratings.laboratory.comparison import PRIMARY_MEASURE, MeasuredGames
from ratings.laboratory.confidence_intervals import detectable_difference
from ratings.laboratory.history import History
from tests.ratings.laboratory.synthetic import Federation, generate_history
from tests.tools.power import MULTIPLIERS, lines_of, located, power_of


def test_a_line_tells_of_the_second_year():
    power = power_of(80)
    heading, _rule, line = lines_of([power])
    assert line.count("|") == heading.count("|")
    assert line.startswith(
        f"| {power.games:,} | {power.players:,} | {power.events:,} |"
    )
    for seen in power.seen:
        assert seen.name in heading
        assert f"({seen.least:.3f})" in line
        assert seen.least > 2.8 * seen.error  # few players widen it further


@pytest.fixture(scope="module")
def world() -> tuple[History, array]:
    made = generate_history(Federation(players=300, months=6))
    return made.history, made.oracle


@pytest.mark.parametrize("best", [8.0, 11.0])
def test_best_multiplier_is_found_where_it_is(world, best):
    """Predictions are wrong by as much as B is from the best; the truth is known."""
    history, oracle = world
    columns = [
        array(
            "d", [_moved(p, 0.04 * (b - best), game) for game, p in enumerate(oracle)]
        )
        for b in MULTIPLIERS
    ]
    measured = MeasuredGames(history, range(len(history)))
    values = [measured.of(PRIMARY_MEASURE, column) for column in columns]
    found, nearest = located(measured, values)
    assert found == pytest.approx(best, abs=nearest)
    assert 0 < nearest < 4


def _moved(expected: float, by: float, game: int) -> float:
    """Return a prediction that errs by so much, to either side in turn."""
    odds = math.log(expected / (1 - expected)) + (by if game % 2 else -by)
    return 1 / (1 + math.exp(-odds))


def test_where_nothing_is_best_nothing_is_said(world):
    history, oracle = world
    measured = MeasuredGames(history, range(len(history)))
    values = [measured.of(PRIMARY_MEASURE, oracle)] * 3
    assert located(measured, values) == (None, None)


def test_what_can_be_detected_is_seen_in_eighty_of_a_hundred():
    """By the normal law itself: the share of years whose range leaves out 0."""
    least, factor = detectable_difference(1.0, 1.96), 1.96
    beyond = 0.5 * math.erfc((factor - least) / math.sqrt(2))
    assert beyond == pytest.approx(0.8, abs=0.001)
