import math
from array import array
from dataclasses import replace

import pytest

from ratings.laboratory.comparison import (
    Coverage,
    HistoryMismatch,
    compare,
    improvement,
)
from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.measures import MEASURES, NoGames
from tests.ratings.laboratory.simple import SimpleSystem, games_to_history
from tests.ratings.laboratory.synthetic import Federation, coin, generate_history

UNKNOWN = math.nan


def outcome_of(history, predictions):
    """Return an outcome with these predictions, no matter who could have made them."""
    outcome = run(SimpleSystem(), None, history, Plan())
    return replace(outcome, predictions=array("d", predictions))


@pytest.fixture(scope="module")
def small():
    return generate_history(Federation(players=60, months=8))


@pytest.fixture(scope="module")
def compared(small):
    outcomes = {
        "coin": outcome_of(small.history, coin(small.history)),
        "oracle": outcome_of(small.history, small.oracle),
        "timid": outcome_of(
            small.history, [0.5 + 0.4 * (p - 0.5) for p in small.oracle]
        ),
    }
    return compare(small.history, outcomes, "timid")


def test_the_best_system_stands_first(compared):
    assert [one.name for one in compared.systems] == ["oracle", "timid", "coin"]


def test_measures_are_those_of_all_games(small, compared):
    oracle = compared.systems[0]
    assert set(oracle.measures) == set(MEASURES)
    for key, measure in MEASURES.items():
        found = oracle.measures[key]
        assert found.value == pytest.approx(
            measure.value(small.history.games.points, small.oracle)
        )
        assert found.low <= found.value <= found.high


def test_the_reference_is_not_compared_with_itself(compared):
    timid = compared.systems[1]
    assert (timid.against_reference, timid.improvement) == (None, None)


def test_a_better_system_improves_and_a_coin_loses_everything(compared):
    oracle, timid, coin = compared.systems
    a, b = (one.measures["scaled_deviance"].value for one in (oracle, timid))
    assert oracle.against_reference.value == pytest.approx(a - b)
    assert oracle.against_reference.high < 0
    assert oracle.improvement.value == pytest.approx((b - a) / (100 - b))
    # A coin gives the whole distance back: (B − 100)/(100 − B).
    assert coin.improvement.value == pytest.approx(-1)


def test_a_coin_is_100_without_any_doubt(compared):
    found = compared.systems[-1].measures["scaled_deviance"]
    assert (found.low, found.high) == pytest.approx((100, 100))


def test_games_are_counted_and_events_drawn(small, compared):
    assert compared.games == len(small.history)
    assert compared.events == len(set(small.history.games.events))


def test_published_improvements_of_2007():
    """Glicko improves on Elo K 27 by 1.1 percent, Stephenson by 2.5 (MathSport)."""
    elo, glicko, stephenson = (
        100 * loss / (100 * math.log(2)) for loss in (62.47, 62.40, 62.31)
    )
    assert improvement(glicko, elo) == pytest.approx(0.011, abs=0.001)
    assert improvement(stephenson, elo) == pytest.approx(0.025, abs=0.003)


def test_there_is_no_improving_on_a_coin():
    assert math.isnan(improvement(90, 100))
    assert math.isnan(improvement(90, 120))


FOUR = (
    ("a", "b", 1.0, "2024-01-01"),
    ("b", "c", 0.5, "2024-01-02"),
    ("c", "a", 0.0, "2024-01-03"),
    ("a", "b", 1.0, "2024-02-03"),
)


def test_systems_are_compared_on_the_same_games_and_coverage_is_told():
    history = games_to_history(*FOUR)
    outcomes = {
        "all": outcome_of(history, [0.5, 0.6, 0.4, 0.7]),
        "two": outcome_of(history, [UNKNOWN, 0.6, UNKNOWN, 0.7]),
        "three": outcome_of(history, [0.9, 0.6, UNKNOWN, 0.9]),
    }
    compared = compare(history, outcomes, "all")
    assert compared.games == 2
    by_name = {one.name: one for one in compared.systems}
    assert {name: one.coverage for name, one in by_name.items()} == {
        "all": Coverage(4, 4),
        "two": Coverage(2, 4),
        "three": Coverage(3, 4),
    }
    assert by_name["two"].coverage.share == 0.5
    # On the games of both, "all" and "two" said the same.
    assert by_name["two"].against_reference.value == 0


def test_unpredicted_games_can_count_too():
    history = games_to_history(*FOUR)
    outcomes = {"one": outcome_of(history, [UNKNOWN, UNKNOWN, 0.5, 0.5])}
    compared = compare(history, outcomes, "one", counting=range(1, 4))
    assert compared.systems[0].coverage == Coverage(2, 3)


def test_games_without_an_event_are_drawn_by_days():
    history = games_to_history(*FOUR, ("b", "c", 1.0, "2024-02-03"))
    outcomes = {"coin": outcome_of(history, coin(history))}
    assert compare(history, outcomes, "coin").events == 4


def test_without_a_common_game_nothing_is_compared():
    history = games_to_history(*FOUR)
    outcomes = {
        "first": outcome_of(history, [0.5, 0.5, UNKNOWN, UNKNOWN]),
        "second": outcome_of(history, [UNKNOWN, UNKNOWN, 0.5, 0.5]),
    }
    with pytest.raises(NoGames, match="fewer systems"):
        compare(history, outcomes, "first")


def test_outcomes_of_other_games_are_refused():
    history, other = games_to_history(*FOUR), games_to_history(*FOUR[:3])
    outcomes = {"other": outcome_of(other, coin(other))}
    with pytest.raises(HistoryMismatch, match="other was run over other games"):
        compare(history, outcomes, "other")


def test_a_comparison_can_be_repeated_to_the_last_bit(small, compared):
    again = compare(
        small.history,
        {
            "coin": outcome_of(small.history, coin(small.history)),
            "oracle": outcome_of(small.history, small.oracle),
            "timid": outcome_of(
                small.history, [0.5 + 0.4 * (p - 0.5) for p in small.oracle]
            ),
        },
        "timid",
    )
    assert again == compared


def test_ranges_that_hold_together_are_wider(compared):
    oracle = compared.systems[0]
    single, together = oracle.against_reference, oracle.among_all
    assert (single.value, single.error) == (together.value, together.error)
    assert together.low < single.low < single.high < together.high
    assert together.high == together.value + compared.factor_of_all * together.error


def test_of_two_systems_one_range_is_both(small):
    outcomes = {
        "coin": outcome_of(small.history, coin(small.history)),
        "oracle": outcome_of(small.history, small.oracle),
    }
    oracle, _coin = compare(small.history, outcomes, "coin").systems
    assert oracle.among_all == oracle.against_reference
