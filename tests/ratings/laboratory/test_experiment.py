import math
import subprocess
import sys
from dataclasses import replace

import pytest

from ratings.laboratory.comparison import predicted_by_all
from ratings.laboratory.experiment import (
    Newcomers,
    Plan,
    games_before,
    run,
)
from ratings.laboratory.history import HistoryBuilder
from ratings.laboratory.protocol import Shape, Standing
from ratings.laboratory.registry import RUNNABLE
from tests.ratings.laboratory.simple import (
    SimpleParameters,
    SimpleSystem,
    day,
    games_to_history,
)

YEAR = games_to_history(
    ("A", "B", 1.0, "2024-01-10", "x"),
    ("A", "C", 1.0, "2024-01-20", "y"),
    ("B", "C", 0.5, "2024-01-20", "y"),
    ("B", "A", 1.0, "2024-03-05", "z"),
    ("D", "A", 0.0, "2024-03-06", "w"),
)
EVERYTHING = Plan(warm_up_days=0)


def known(values):
    return [None if math.isnan(value) else value for value in values]


def without_seeds(table):
    return [call for call in table.calls if call[0] != "seed"]


def test_each_period_is_predicted_from_what_was_known_before_it():
    outcome = run(SimpleSystem(), None, YEAR, EVERYTHING)
    # After January: A won twice and has 1020, B and C have 990; D is new in March.
    assert known(outcome.predictions) == [None, None, None, 0.4, None]
    assert outcome.table.calls == [
        ("predict", day("2024-01-31"), 3),
        ("update", day("2024-01-31"), 3),
        ("update", day("2024-02-29"), 0),
        ("predict", day("2024-03-31"), 2),
        ("update", day("2024-03-31"), 2),
    ]
    assert outcome.periods == 3


def test_a_system_of_events_learns_event_by_event_after_one_prediction():
    outcome = run(SimpleSystem(Shape.PER_EVENT), None, YEAR, EVERYTHING)
    assert outcome.table.calls == [
        ("predict", day("2024-01-31"), 3),
        ("update", day("2024-01-10"), 1),
        ("update", day("2024-01-20"), 2),
        ("predict", day("2024-03-31"), 2),
        ("update", day("2024-03-05"), 1),
        ("update", day("2024-03-06"), 1),
    ]


def test_warming_up_counts_from_the_first_day():
    plan = Plan(warm_up_days=day("2024-03-06") - day("2024-01-10"))
    newer = games_to_history(
        *(
            ("A", "B", 1.0, on)
            for on in ("2024-01-10", "2024-03-05", "2024-03-06", "2024-03-07")
        )
    )
    outcome = run(SimpleSystem(), None, newer, plan)
    assert known(outcome.predictions) == [None, None, 0.6, 0.6]


def test_the_first_test_day_goes_before_the_warm_up():
    plan = Plan(first_test_day=day("2024-03-01"), warm_up_days=9999)
    outcome = run(SimpleSystem(), None, YEAR, plan)
    assert known(outcome.predictions) == [None, None, None, 0.4, None]


def test_games_outside_the_days_are_neither_learned_nor_predicted():
    plan = Plan(first_day=day("2024-01-15"), last_day=day("2024-03-05"), warm_up_days=0)
    outcome = run(SimpleSystem(), None, YEAR, plan)
    assert known(outcome.predictions) == [None, None, None, 0.4, None]
    assert outcome.standings() == [
        Standing(1000.0, 2),
        Standing(1010.0, 2),
        Standing(990.0, 2),
        None,
    ]


def test_both_players_need_the_least_games_before_the_period():
    plan = replace(EVERYTHING, least_games=2)
    newer = games_to_history(
        ("A", "B", 1.0, "2024-01-10"),
        ("A", "B", 1.0, "2024-01-11"),
        ("A", "C", 1.0, "2024-01-12"),
        ("A", "B", 1.0, "2024-02-12"),
        ("A", "C", 1.0, "2024-02-12"),
    )
    outcome = run(SimpleSystem(), None, newer, plan)
    assert known(outcome.predictions) == [None, None, None, 0.6, None]
    white, black = games_before(newer, plan)
    assert (list(white), list(black)) == ([0, 0, 0, 3, 3], [0, 0, 0, 2, 1])


def test_our_newcomers_begin_with_the_seed_in_the_systems_units():
    plan = replace(
        EVERYTHING,
        newcomers=Newcomers.OURS,
        seeds={0: 1600.0, 1: 2000.0, 3: 3000.0},
    )
    outcome = run(SimpleSystem(), None, YEAR, plan)
    assert outcome.table.calls[:3] == [
        ("seed", 0, 800.0),
        ("seed", 1, 1000.0),
        ("predict", day("2024-01-31"), 3),
    ]
    assert ("seed", 3, 1500.0) in outcome.table.calls[4:]
    # C has no seed and begins as the system says.
    assert known(outcome.predictions) == [0.4, None, None, 0.6, 0.6]
    assert outcome.standings()[1] == Standing(1000.0, 3)


def test_seeds_are_not_used_when_the_system_has_its_own_way():
    plan = replace(EVERYTHING, seeds={0: 1600.0})
    outcome = run(SimpleSystem(), None, YEAR, plan)
    assert without_seeds(outcome.table) == outcome.table.calls


def test_ratings_before_a_game_are_kept_on_the_scale_of_today():
    outcome = run(SimpleSystem(), None, YEAR, EVERYTHING, keep_ratings=True)
    assert known(outcome.white_ratings) == [None, None, None, 1980.0, None]
    assert known(outcome.black_ratings) == [None, None, None, 2040.0, 2040.0]


def test_ratings_are_not_kept_unless_asked_for():
    assert not run(SimpleSystem(), None, YEAR, EVERYTHING).white_ratings


def test_observers_see_every_period_after_it_was_learned():
    seen = []
    run(
        SimpleSystem(),
        None,
        YEAR,
        EVERYTHING,
        [lambda moment, table: seen.append((moment.period, table.standing(0)))],
    )
    assert seen == [
        (0, Standing(1020.0, 2)),
        (1, Standing(1020.0, 2)),
        (2, Standing(1020.0, 4)),
    ]


def test_an_observer_that_raises_ends_the_experiment():
    class Canceled(Exception):
        pass

    def cancel(moment, table):
        if moment.period == 1:
            raise Canceled

    with pytest.raises(Canceled):
        run(SimpleSystem(), None, YEAR, EVERYTHING, [cancel])


def test_a_system_that_predicts_too_few_games_is_refused():
    system = SimpleSystem()
    table = system.begin(YEAR.pool)
    table.predict = lambda games, moment: [0.5]
    system.begin = lambda pool, parameters: table
    with pytest.raises(ValueError, match="simple predicts"):
        run(system, None, YEAR, EVERYTHING)


def test_no_games_at_all_are_an_outcome_too():
    outcome = run(SimpleSystem(), None, HistoryBuilder().build(), Plan())
    assert (list(outcome.predictions), outcome.periods) == ([], 0)
    assert outcome.standings() == []


def test_the_recipe_names_all_that_is_needed_to_repeat():
    plan = replace(EVERYTHING, newcomers=Newcomers.OURS, seeds={0: 1600.0})
    outcome = run(SimpleSystem(), SimpleParameters(gain=20.0), YEAR, plan)
    recipe = outcome.recipe()
    again = run(
        SimpleSystem(),
        SimpleParameters(**recipe["parameters"]),
        YEAR,
        Plan.from_record(recipe["plan"]),
    )
    assert recipe["system"] == "simple"
    assert recipe["history"] == YEAR.digest()
    assert again.digest() == outcome.digest()
    other = run(SimpleSystem(), None, YEAR, plan)
    assert other.digest() != outcome.digest()


def test_only_games_that_all_systems_predict_are_compared():
    early = run(SimpleSystem(), None, YEAR, EVERYTHING)
    seeded = replace(EVERYTHING, newcomers=Newcomers.OURS, seeds={0: 1.0, 1: 2.0})
    late = run(SimpleSystem(), None, YEAR, seeded)
    columns = {"early": early.predictions, "late": late.predictions}
    assert list(predicted_by_all(columns)) == [3]
    assert list(predicted_by_all({"late": late.predictions})) == [0, 3]


_PRINT_DIGESTS = """
from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.registry import RUNNABLE
from tests.ratings.laboratory.synthetic import Federation, generate_history
history = generate_history(Federation(players=60, months=6)).history
for key, system in RUNNABLE.items():
    print(key, run(system, None, history, Plan(warm_up_days=60)).digest())
"""


def test_two_processes_get_the_same_bits_whatever_their_hashes():
    digests = [
        subprocess.run(
            [sys.executable, "-c", _PRINT_DIGESTS],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]
    assert [line.split()[0] for line in digests[0]] == list(RUNNABLE)
    assert digests[0] == digests[1]
