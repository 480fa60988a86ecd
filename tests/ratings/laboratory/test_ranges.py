"""Confidence intervals against a slow and plain definition, and against known laws."""

import math
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.confidence_intervals import (
    Clusters,
    Estimate,
    detectable_difference,
    estimate,
    max_normal_quantile,
    percentile,
    ratio_terms,
    scale_terms,
    simultaneous_factor,
    t_critical_value,
)
from ratings.laboratory.measures import MEASURES
from tests.hypothesis_settings import example_count

scores = st.sampled_from((0.0, 0.5, 1.0))
# Event, two different players, points and prediction.
games = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from([(a, b) for a, b in product(range(6), repeat=2) if a != b]),
        scores,
        st.floats(0, 1),
    ),
    min_size=2,
    max_size=40,
)


def columns(games):
    events, pairs, points, predictions = zip(*games, strict=True)
    white, black = zip(*pairs, strict=True)
    return events, white, black, points, predictions


def mean_terms(clusters, values):
    ones = clusters.column([1.0] * len(values))
    return ratio_terms(clusters.column(values), ones, 1.0)


def pair_by_pair(events, white, black, parts):
    """The variance as it is defined: over all pairs of games that hang together."""
    numbers = range(len(parts))
    return math.fsum(
        parts[one] * parts[other]
        for one, other in product(numbers, repeat=2)
        if events[one] == events[other]
        or {white[one], black[one]} & {white[other], black[other]}
    )


@settings(max_examples=example_count(60), deadline=None)
@given(games, st.sampled_from(list(MEASURES.values())))
def test_the_error_is_that_of_all_pairs_of_games_that_share_something(games, measure):
    events, white, black, points, predictions = columns(games)
    losses = measure.losses(points, predictions)
    baseline = measure.baseline(points)
    ratio = math.fsum(losses) / (math.fsum(baseline) or 1)
    if not sum(baseline) or not ratio or len({*events}) < 2:
        return
    clusters = Clusters.from_games(events, white, black)
    slope = measure.transform.slope(ratio)
    terms = ratio_terms(clusters.column(losses), clusters.column(baseline), slope)
    parts = [
        slope * (loss - ratio * one) / sum(baseline)
        for loss, one in zip(losses, baseline, strict=True)
    ]
    by_event = math.fsum(
        math.fsum(p for p, its in zip(parts, events, strict=True) if its == event) ** 2
        for event in set(events)
    )
    variance = max(pair_by_pair(events, white, black, parts), by_event)
    assert clusters.error(terms) ** 2 == pytest.approx(variance, rel=1e-6, abs=1e-9)


@given(st.sampled_from(list(MEASURES.values())), st.floats(0.01, 0.9))
def test_slopes_are_how_fast_a_measure_moves(measure, ratio):
    step = 1e-6
    moved = measure.transform.value(ratio + step) - measure.transform.value(
        ratio - step
    )
    assert measure.transform.slope(ratio) == pytest.approx(moved / (2 * step), rel=1e-4)


def test_two_marks_are_counted_as_pairs_that_share_either():
    """Four things, labels 00, 01, 10, 11: only opposite corners share nothing."""
    clusters = Clusters.from_pairs([0, 0, 1, 1], [0, 1, 0, 1])
    values = [1.0, 2.0, 4.0, 8.0]
    total = [(clusters.column(values), 1.0)]
    opposite = 2 * (1 * 8 + 2 * 4)
    assert clusters.error(total) ** 2 == pytest.approx(15**2 - opposite)


def test_games_that_share_nothing_have_the_error_of_a_mean():
    values = [Random(5).gauss(10, 3) for _ in range(400)]
    numbers = range(400)
    clusters = Clusters.from_games(
        numbers, [2 * n for n in numbers], [2 * n + 1 for n in numbers]
    )
    mean = math.fsum(values) / 400
    variance = math.fsum((one - mean) ** 2 for one in values) / 400
    assert clusters.error(mean_terms(clusters, values)) == pytest.approx(
        math.sqrt(variance / 400)
    )
    assert clusters.factor() == pytest.approx(t_critical_value(399))


def test_ten_equal_games_of_an_event_say_no_more_than_one():
    """√10 is 3.16: that much surer single games would seem."""
    events = [event for event in range(40) for _ in range(10)]
    values = [float(event % 2) for event in events]
    white = [2 * n for n in range(400)]
    black = [2 * n + 1 for n in range(400)]
    together = Clusters.from_games(events, white, black)
    apart = Clusters.from_games(range(400), white, black)
    wide = together.error(mean_terms(together, values))
    narrow = apart.error(mean_terms(apart, values))
    assert wide / narrow == pytest.approx(math.sqrt(10))


def test_a_player_who_plays_half_of_all_games_leaves_little_to_go_by():
    white = [0] * 50 + list(range(1, 51))
    clusters = Clusters.from_games(range(100), white, range(100, 200))
    # (Σ games)² / Σ games²: 200² / (50² + 50 + 100).
    assert clusters.factor() == pytest.approx(t_critical_value(200**2 / 2650 - 1))


def test_a_system_does_not_differ_from_itself():
    clusters = Clusters.from_games([0, 1, 2], [0, 1, 2], [1, 2, 3])
    terms = mean_terms(clusters, [1.0, 2.0, 5.0])
    same = mean_terms(clusters, [1.0, 2.0, 5.0])
    assert clusters.error([*terms, *scale_terms(same, -1.0)]) == 0


@pytest.mark.parametrize(
    ("events", "white", "black"),
    [([4, 4], [0, 1], [2, 3]), ([], [], [])],
)
def test_one_event_tells_nothing_of_others(events, white, black):
    clusters = Clusters.from_games(events, white, black)
    assert clusters.error([(clusters.column([1.0] * len(events)), 1.0)]) is None


def test_what_is_no_number_has_no_range():
    assert estimate(math.nan, 0.1, 2.0).low is None
    assert estimate(1.0, math.nan, 2.0) == Estimate(1.0)
    assert estimate(1.0, None, 2.0) == Estimate(1.0)


@pytest.mark.parametrize(
    ("value", "low", "high", "certain"),
    [
        (1, 0.1, 1.9, True),
        (-1, -1.9, -0.1, True),
        (1, -0.1, 2, False),
        (1, 0, 2, False),
    ],
)
def test_a_difference_is_certain_when_its_range_leaves_out_0(value, low, high, certain):
    assert Estimate(value, low, high).is_certain is certain


@pytest.mark.parametrize(
    ("freedom", "factor"),
    # Student's t in any table of it, two-sided 5 percent.
    [(3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)],
)
def test_students_factor_is_that_of_the_tables(freedom, factor):
    assert t_critical_value(freedom) == pytest.approx(factor, abs=0.006)


@pytest.mark.parametrize(
    ("values", "factor"),
    # Šidák: the 0.95^(1/m) point of the normal law to both sides, for m apart.
    [(1, 1.960), (2, 2.236), (8, 2.727), (23, 3.061)],
)
def test_simultaneous_factors_of_values_that_are_apart_are_sidaks(values, factor):
    apart = [[float(i == j) for j in range(values)] for i in range(values)]
    assert max_normal_quantile(apart) == pytest.approx(factor, abs=0.05)


def test_values_that_move_together_need_no_more_than_one():
    assert max_normal_quantile([[1.0] * 20] * 20) == pytest.approx(1.96, abs=0.05)


def test_ranges_of_many_differences_are_wider_than_of_one_and_hold_any():
    randomness = Random(3)
    numbers = range(300)
    clusters = Clusters.from_games(
        numbers, [2 * n for n in numbers], [2 * n + 1 for n in numbers]
    )
    several = [
        mean_terms(clusters, [randomness.gauss(0, 1) for _ in numbers])
        for _ in range(8)
    ]
    found = simultaneous_factor(clusters, several)
    # Eight that are apart, with 299 degrees of freedom.
    assert found == pytest.approx(2.727 * t_critical_value(299) / 1.96, abs=0.06)
    assert simultaneous_factor(clusters, several[:1]) == clusters.factor()
    nothing = mean_terms(clusters, [0.0] * 300)
    assert simultaneous_factor(clusters, [nothing, several[0]]) == clusters.factor()


def test_what_can_be_seen_is_seen_in_four_of_five():
    """With an error of 1 a true difference of it leaves its range without 0 in 80 %."""
    least = detectable_difference(1.0, 1.96)
    randomness = Random(4)
    seen = sum(randomness.gauss(least, 1) > 1.96 for _ in range(20_000))
    assert seen / 20_000 == pytest.approx(0.8, abs=0.01)


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


def test_without_values_there_is_no_percentile():
    with pytest.raises(ValueError, match="no percentile"):
        percentile([], 0.5)
