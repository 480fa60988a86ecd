"""With numpy, everything about a comparison has the bits that the laboratory gives."""

import math
from array import array
from dataclasses import replace
from random import Random

import pytest

from ratings.laboratory.experiment import Plan
from ratings.research.experiments.plans import RunOptions
from ratings.research.experiments.services import numpy_calibration, numpy_measures
from ratings.research.experiments.services.results import (
    FinishedVariant,
    comparison_record,
    results_of,
)
from tests.ratings.laboratory.synthetic import Federation, generate_history

pytest.importorskip("numpy")

UNKNOWN = math.nan


@pytest.fixture(scope="module")
def world():
    """Three years of 80 players, some of unknown age."""
    made = generate_history(Federation(players=80, months=36))
    randomness = Random(4)
    born = [randomness.choice((None, 1950, 1990, 2008)) for _ in made.history.ids]
    history = replace(made.history, birth_years=tuple(born))
    return history, [variant(history, number) for number in (1, 2, 3)]


def variant(history, number):
    """Predictions and ratings, of which a few are not known."""
    randomness = Random(number)

    def column(draw):
        return array(
            "d",
            [
                UNKNOWN if randomness.random() < 0.02 else draw()
                for _ in history.games.days
            ],
        )

    return FinishedVariant(
        number=number,
        system="elo.logistic",
        parameters=() if number == 1 else (("k", number),),
        predictions=column(lambda: randomness.choice((0.5, randomness.random()))),
        white_ratings=column(lambda: randomness.gauss(1500, 300)),
        black_ratings=column(lambda: randomness.gauss(1500, 300)),
        final_ratings=array("d", [randomness.gauss(1500, 300) for _ in history.ids]),
    )


def both(monkeypatch, ask):
    """The results with numpy, and without."""
    quick = ask()
    for module in (numpy_measures, numpy_calibration):
        monkeypatch.setattr(module, "numpy", None)
    return quick, ask()


@pytest.mark.parametrize("kind", ["comparison", "rule_change", "search"])
def test_results_are_the_same_to_the_last_bit(world, monkeypatch, kind):
    history, done = world
    plan = Plan(warm_up_days=30)

    def ask():
        return results_of(kind, history, plan, done, RunOptions(chosen=None))

    # A seam every few keys, where otherwise there is one in a million.
    monkeypatch.setattr(numpy_measures, "KEY_BATCH_SIZE", 7)
    quick, plain = both(monkeypatch, ask)
    assert quick == plain
    assert {"calibration", "variants"} <= quick.keys()


def test_two_variants_are_beside_each_other_to_the_same_bits(world, monkeypatch):
    history, done = world
    columns = {str(one.number): one.predictions for one in done}

    def ask():
        days = numpy_measures.ended_between(history, history.first_day + 200, None)
        on = numpy_measures.measurement(history, columns, days)
        return comparison_record(on.compared("1")), on.between()

    quick, plain = both(monkeypatch, ask)
    assert repr(quick) == repr(plain)  # NaN is equal to nothing
    assert quick[0]["games"] < len(history)
