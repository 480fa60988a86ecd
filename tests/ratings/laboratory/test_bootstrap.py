import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory import bootstrap as bootstrap_module
from ratings.laboratory.bootstrap import (
    Estimate,
    Sums,
    estimate,
    paired_difference,
    percentile,
    resampled,
    sums_by_unit,
)
from ratings.laboratory.measures import MEASURES
from tests.examples import tries

scores = st.sampled_from((0.0, 0.5, 1.0))
games = st.lists(
    st.tuples(scores, st.floats(0, 1), st.integers(0, 8)), min_size=1, max_size=40
)


def mean_of(values, units=None):
    units = range(len(values)) if units is None else units
    ones = sums_by_unit([1.0] * len(values), units)
    return Sums(sums_by_unit(values, units), ones, lambda losses, count: losses / count)


def sums_of(measure, points, predictions, units):
    return Sums(
        sums_by_unit(measure.losses(points, predictions), units),
        sums_by_unit(measure.yardstick(points), units),
        measure.of,
    )


def bootstrap(sums, **drawing):
    [values] = resampled([sums], **drawing)
    return estimate(sums.of_all(), values)


def difference_of(first, second, **drawing):
    ones, others = resampled([first, second], **drawing)
    return paired_difference(first.of_all(), ones, second.of_all(), others)


@settings(max_examples=tries(50), deadline=None)
@given(games, st.sampled_from(list(MEASURES.values())))
def test_the_range_holds_the_measure_itself(games, measure):
    points, predictions, events = zip(*games, strict=True)
    sums = sums_of(measure, points, predictions, events)
    found = bootstrap(sums, seed=1, resamples=50)
    assert found.value == pytest.approx(measure.value(points, predictions), nan_ok=True)
    if found.low is not None:
        assert found.low <= found.value <= found.high


@settings(max_examples=tries(25), deadline=None)
@given(games, st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_bits(games, seed):
    points, predictions, events = zip(*games, strict=True)
    sums = sums_of(MEASURES["scaled_deviance"], points, predictions, events)
    first = bootstrap(sums, seed=seed, resamples=20)
    assert repr(first) == repr(bootstrap(sums, seed=seed, resamples=20))


def test_another_seed_gives_other_draws():
    sums = mean_of([value**0.5 for value in range(50)])
    assert bootstrap(sums, seed=1) != bootstrap(sums, seed=2)


def test_the_width_is_that_of_the_normal_law_for_many_events():
    """For 1,000 independent values: 2 × 1.96 × σ/√n."""
    randomness = Random(5)
    values = [randomness.gauss(10, 3) for _ in range(1000)]
    found = bootstrap(mean_of(values), seed=1)
    assert found.high - found.low == pytest.approx(
        2 * 1.96 * 3 / math.sqrt(1000), rel=0.1
    )


def test_putting_events_together_leaves_the_width_as_it_is():
    randomness = Random(6)
    values = [randomness.gauss(10, 3) for _ in range(20_000)]
    found = bootstrap(mean_of(values), seed=1, resamples=500)
    assert found.high - found.low == pytest.approx(
        2 * 1.96 * 3 / math.sqrt(20_000), rel=0.12
    )


def test_events_are_put_together_by_lot_and_not_in_turn():
    """Taken in turn, groups of values that only grow would be all alike."""
    found = bootstrap(mean_of([float(one) for one in range(6000)]), seed=1)
    spread = 6000 / math.sqrt(12)
    assert found.high - found.low == pytest.approx(
        2 * 1.96 * spread / math.sqrt(6000), rel=0.12
    )


def test_very_many_events_are_drawn_in_groups(monkeypatch):
    monkeypatch.setattr(bootstrap_module, "MOST_UNITS", 3)
    asked = []

    class Asked(list):
        def __getitem__(self, place):
            asked.append(place)
            return super().__getitem__(place)

    sums = Sums(
        Asked([1.0] * 9), Asked([1.0] * 9), lambda losses, count: losses / count
    )
    assert bootstrap(sums, seed=1, resamples=5) == Estimate(1.0, 1.0, 1.0)
    assert asked == []  # none of the nine was drawn by itself


def test_nine_of_ten_ranges_hold_the_truth():
    """Events of five games each, whose players are alike: 95 of 100 and some luck."""
    randomness = Random(7)
    held = 0
    for trial in range(100):
        values, events = [], []
        for event in range(60):
            level = randomness.gauss(0, 1)
            values += [level + randomness.gauss(0, 1) for _ in range(5)]
            events += [event] * 5
        found = bootstrap(mean_of(values, events), seed=trial, resamples=200)
        held += found.low <= 0 <= found.high
    assert 90 <= held <= 99


def test_drawing_games_instead_of_events_would_be_too_sure():
    values = [float(event % 2) for event in range(40) for _ in range(10)]
    events = [event for event in range(40) for _ in range(10)]
    by_event = bootstrap(mean_of(values, events), seed=1)
    by_game = bootstrap(mean_of(values), seed=1)
    # Ten equal games say no more than one: √10 is 3.16.
    assert (by_event.high - by_event.low) / (
        by_game.high - by_game.low
    ) == pytest.approx(math.sqrt(10), rel=0.15)


def test_a_difference_is_surer_than_what_it_is_of():
    randomness = Random(8)
    first = [randomness.gauss(50, 10) for _ in range(200)]
    second = [value - 1 + randomness.gauss(0, 0.5) for value in first]
    one, other = mean_of(first), mean_of(second)
    difference = difference_of(one, other, seed=1)
    assert difference.low > 0
    assert difference.value == pytest.approx(1, abs=0.15)
    assert difference.high - difference.low < 0.2
    alone = bootstrap(one, seed=1)
    assert alone.high - alone.low > 2


def test_a_system_does_not_differ_from_itself():
    sums = mean_of([1.0, 2.0, 5.0])
    assert difference_of(sums, sums, seed=3) == Estimate(0.0, 0.0, 0.0)


def test_one_event_tells_nothing_of_others():
    assert bootstrap(mean_of([1.0, 2.0], [4, 4]), seed=1) == Estimate(1.5, None, None)


def test_what_is_no_number_has_no_range():
    all_drawn = sums_of(MEASURES["scaled_root_brier"], [0.5, 0.5], [0.5, 0.6], [1, 2])
    found = bootstrap(all_drawn, seed=1)
    assert math.isnan(found.value)
    assert (found.low, found.high) == (None, None)


def test_draws_without_a_number_are_left_out():
    assert estimate(1.0, [math.nan, 1.0, math.nan]) == Estimate(1.0, 1.0, 1.0)


def test_measures_of_different_events_are_not_drawn_together():
    with pytest.raises(ValueError, match="different events"):
        resampled([mean_of([1.0, 2.0]), mean_of([1.0])], seed=1)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1).map(sorted),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_percentiles_rise_with_the_share(values, one, other):
    low, high = sorted((one, other))
    assert percentile(values, 0) == values[0]
    assert percentile(values, 1) == values[-1]
    assert percentile(values, low) <= percentile(values, high) + 1e-6
