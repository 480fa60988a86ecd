from dataclasses import dataclass

import pytest

from ratings.laboratory.calculator import GameCalculation, calculate, rate_section
from ratings.laboratory.protocol import Shape, Standing
from ratings.laboratory.registry import RUNNABLE
from tests.ratings.laboratory.simple import SimpleParameters, SimpleSystem, day

DAY = day("2024-05-04")
STRONG, WEAK = Standing(1200.0, 30), Standing(900.0, 20)


@pytest.mark.parametrize("system", RUNNABLE.values(), ids=RUNNABLE)
def test_a_draw_of_equals_without_colors_changes_nothing_by_the_order(system):
    one = Standing(1500.0, 60)
    there = rate_section(system, [one, one], [(0, 1, 0.5)], day=DAY, colored=[0])
    assert there[0].after == there[1].after


def test_one_line_for_each_opponent_with_what_it_changed():
    worked = calculate(
        SimpleSystem(),
        Standing(1000.0, 5),
        [(STRONG, 0.5), (WEAK, 1.0), (WEAK, 0.0)],
        day=DAY,
    )
    assert worked.before == Standing(1000.0, 5)
    assert worked.after == Standing(1000.0, 8)
    assert worked.lines == (
        GameCalculation(STRONG, 0.5, 0.4, 0.0),
        GameCalculation(WEAK, 1.0, 0.6, 10.0),
        GameCalculation(WEAK, 0.0, 0.6, -10.0),
    )
    assert worked.score == 1.5
    assert worked.expected == pytest.approx(1.6)


def test_a_system_of_events_has_no_change_for_a_single_game():
    worked = calculate(
        SimpleSystem(Shape.PER_EVENT), WEAK, [(STRONG, 1.0), (STRONG, 1.0)], day=DAY
    )
    assert [line.change for line in worked.lines] == [None, None]
    assert worked.after == Standing(920.0, 22)


def test_unrated_opponents_have_no_expectation():
    worked = calculate(SimpleSystem(), WEAK, [(None, 1.0), (STRONG, 1.0)], day=DAY)
    assert worked.lines[0] == GameCalculation(None, 1.0, None, 10.0)
    assert worked.expected is None


def test_an_unrated_player_gets_a_rating_and_no_change_for_the_first_game():
    worked = calculate(SimpleSystem(), None, [(WEAK, 1.0), (WEAK, 1.0)], day=DAY)
    assert worked.before is None
    assert worked.after == Standing(1020.0, 2)
    assert [line.change for line in worked.lines] == [None, 10.0]


def test_no_games_change_nothing():
    worked = calculate(SimpleSystem(), WEAK, [], day=DAY)
    assert (worked.before, worked.after, worked.lines) == (WEAK, WEAK, ())
    assert (worked.score, worked.expected) == (0.0, 0.0)


def test_parameters_count_in_the_calculation():
    worked = calculate(
        SimpleSystem(),
        WEAK,
        [(STRONG, 1.0)],
        parameters=SimpleParameters(gain=25.0),
        day=DAY,
    )
    assert worked.lines[0].change == 25.0


def test_a_section_is_rated_as_a_whole_and_told_from_both_sides():
    worked = rate_section(
        SimpleSystem(), [STRONG, None, WEAK], [(0, 2, 0.5), (2, 0, 1.0)], day=DAY
    )
    assert [one.after for one in worked] == [
        Standing(1190.0, 32),
        None,
        Standing(910.0, 22),
    ]
    assert worked[0].lines == (
        GameCalculation(WEAK, 0.5, 0.6, 0.0),
        GameCalculation(WEAK, 0.0, 0.6, -10.0),
    )
    assert worked[1].lines == ()
    assert [line.expected for line in worked[2].lines] == [0.4, 0.4]


def test_the_colors_do_not_change_what_is_expected():
    @dataclass
    class WhiteIsBetter:
        table: object

        def predict(self, games, moment):
            return [0.55] * len(games)

        def __getattr__(self, name):
            return getattr(self.table, name)

    system = SimpleSystem()
    table = WhiteIsBetter(system.begin(type("Pool", (), {"size": 2})))
    system.begin = lambda pool, parameters: table
    [first, second] = rate_section(system, [WEAK, WEAK], [(0, 1, 1.0)], day=DAY)
    assert first.lines[0].expected == second.lines[0].expected == 0.5


@pytest.mark.parametrize("system", RUNNABLE.values(), ids=lambda one: one.about.key)
def test_every_system_rates_a_section_with_and_without_ratings(system):
    level = system.from_elo_scale(1600.0)
    rated = [Standing(level, 40), Standing(level, 40)]
    worked = rate_section(
        system, [*rated, None], [(0, 1, 1.0), (1, 2, 0.5), (2, 0, 0.0)], day=DAY
    )
    assert [len(one.lines) for one in worked] == [2, 2, 2]
    assert worked[0].lines[0].expected == pytest.approx(0.5)
    assert worked[2].before is None
    assert all(one.after is not None for one in worked[:2])
