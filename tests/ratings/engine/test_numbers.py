import struct
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ratings.engine.numbers import exact_sum, official, sum_in_place
from tests.hypothesis_settings import example_count

finite = st.floats(
    allow_nan=False, allow_infinity=False, min_value=-1e307, max_value=1e307
)


def bits(number: float) -> bytes:
    return struct.pack("<d", number)


def in_place(values: Iterable[float]) -> float:
    terms = list(values)
    return sum_in_place(terms, len(terms))


@settings(max_examples=example_count(500))
@given(st.lists(finite, max_size=12))
@example([])
@example([-0.0])
@example([1e16, 1.0, 1e-16])
@example([1e16, -1.0, -1e-16])
@example([1.0, 2**-53, 2**-106])
@example([1e-16, 1.0, 1e16])
@example([0.1] * 10)
@example([5e-324, -5e-324, 1.0])
@example([1e307, 1.0, -1e307])
@example([-2.2190967766996607e-252] * 3 + [-4.018015189576987e-254])
def test_the_sum_of_compiled_loops_has_the_bits_of_the_exact_one(values):
    assert bits(in_place(values)) == bits(exact_sum(values))


@given(st.lists(st.floats(0, 1), max_size=10))
def test_both_add_expectancies_to_the_same_bits(values):
    assert bits(in_place(values)) == bits(exact_sum(values))


@given(st.lists(st.floats(-4000, 4000), max_size=5))
def test_neither_sum_depends_on_the_order(values):
    orders = list(permutations(values))
    assert {bits(exact_sum(order)) for order in orders} == {bits(in_place(values))}
    assert {bits(in_place(order)) for order in orders} == {bits(in_place(values))}


@given(st.lists(st.floats(-4000, 4000), max_size=10))
def test_exact_sum_is_the_float_nearest_the_true_sum(values):
    assert exact_sum(values) == float(sum(Fraction(value) for value in values))


def test_exact_sum_leaves_the_values_alone():
    values = [0.3, 0.1, 0.2]
    exact_sum(values)
    assert values == [0.3, 0.1, 0.2]


def test_a_sum_too_large_for_a_float_is_an_error():
    for add in (exact_sum, in_place):
        with pytest.raises(OverflowError):
            add([1.7e308, 1.7e308])


@pytest.mark.parametrize(
    ("rating", "whole"),
    [
        (1643.759, 1644),
        (1431.034, 1431),
        (1999.51, 2000),
        (1643.5, 1644),
        (1644.5, 1645),
        (1644.4999999999998, 1644),
        (100.0, 100),
        (0.49999999999999994, 0),
        (-0.5, 0),
    ],
)
def test_official_ratings_round_halves_up(rating, whole):
    assert official(rating) == whole


@given(st.floats(-1e6, 1e6))
def test_official_rating_is_the_whole_number_from_half_below_to_half_above(rating):
    below = official(rating) - Fraction(1, 2)
    assert below <= Fraction(rating) < below + 1
