"""The DWZ: the coefficient with its bounds, first ratings, stored games."""

from __future__ import annotations

import math
from datetime import date
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.parameters import parameters_of
from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.dwz import SYSTEMS, DwzTable, Parameters
from ratings.laboratory.systems.dwz_formulas import (
    NEW,
    OLD,
    Newcomer,
    age_factor,
    corrected_low,
    development,
    difference_of,
    expected_score,
    expected_total,
    first_ratings,
    new_rating,
    performance,
)

(DWZ,) = SYSTEMS


def games(*results: tuple[int, int, float]) -> Games:
    count = len(results)
    return Games(
        [white for white, _, _ in results],
        [black for _, black, _ in results],
        [points for _, _, points in results],
        *[[0] * count] * 3,
    )


def on(year: int, month: int = 5, day: int = 10, period: int = 0) -> Moment:
    return Moment(date(year, month, day).toordinal(), period)


def known(rating: float, index: int = 10) -> Standing:
    return Standing(rating, 80, evaluations=index)


def table(*seeds: Standing | None, years: Any = (), **changes: Any) -> DwzTable:
    begun = DwzTable(Pool(len(seeds), years), Parameters(**changes))
    for player, standing in enumerate(seeds):
        if standing is not None:
            begun.seed(player, standing)
    return begun


def test_parameters_keep_the_names_that_experiments_store():
    names = [one.name for one in parameters_of(Parameters)]
    assert names[:4] == ["edition", "first_games", "keep_days", "opening"]


# --- Formulas ---


def test_expected_score_is_the_normal_curve():
    curve = NormalDist(sigma=200 * math.sqrt(2))
    for gap in (-800, -35, 0, 7, 270, 900):
        assert expected_score(gap) == pytest.approx(curve.cdf(gap), abs=1e-14)
    # A club's page prints 83 percent for 270 points.
    assert expected_score(270) == pytest.approx(0.83, abs=0.005)


@pytest.mark.parametrize(
    ("points", "count", "difference"),
    [(7, 9, 216), (11.5, 13, 339), (0.5, 2, -191), (3, 5, 72), (2, 5, -72)],
)
def test_differences_are_those_of_the_printed_annex(points, count, difference):
    assert difference_of(points / count) == difference


def test_the_old_edition_reads_fides_table():
    assert expected_total(1700, [1900], OLD) == 0.24
    assert expected_total(1700, [1900]) == pytest.approx(0.23975, abs=1e-5)


@pytest.mark.parametrize(
    ("age", "factor"), [(20, 5), (21, 10), (25, 10), (26, 15), (None, 15)]
)
def test_age_factor_on_both_sides_of_its_bounds(age, factor):
    assert age_factor(age) == factor


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ((1530, 40, 1, 2, 10), 20),
        ((2200, 30, 1, 0.5, 10), 30),
        ((2200, 30, 1, 0.5, 6), 30),
        ((2200, 30, 1, 0.5, 5), 25),
        ((2200, 30, 1, 0.5, 2), 10),
        ((2200, 30, 1, 0.5, 1), 5),
        ((1600, 18, 2, 1, 10), 9),
        ((1600, 18, 1, 2, 10), 12),
        ((1600, 21, 2, 1, 10), 17),
        ((1011, 15, 6.5, 5.146, 3), 5),
        ((900, 12, 0, 1, 10), 19),
        ((800, 30, 0, 1, 10), 42),
        ((800, 30, 0, 1, 1), 42),
        ((1299, None, 0, 1, 10), 18),
        ((1300, None, 0, 1, 10), 18),
        ((400, 30, 0, 1, 10), 150),
    ],
)
def test_development_coefficient(line, expected):
    assert development(*line) == expected


def test_an_exact_score_is_slowed_in_the_old_edition_only():
    assert development(800, 30, 1.0, 1.0, 10) == 15
    assert development(800, 30, 1.0, 1.0, 10, OLD) == 42


@given(
    st.integers(1, 3000),
    st.one_of(st.none(), st.integers(5, 90)),
    st.floats(0, 12),
    st.floats(0, 12),
    st.integers(1, 99),
)
def test_coefficient_stays_in_its_bounds(rating, age, score, expected, index):
    coefficient = development(rating, age, score, expected, index)
    assert 5 <= coefficient <= 150
    if rating >= 1300 or score >= expected:
        assert coefficient <= min(30, 5 * index)


def test_a_published_youth_result():
    coefficient = development(1011, 15, 6.5, 5.146, 3)
    assert round(new_rating(1011, 6.5, 5.146, coefficient, 7)) == 1101


# --- First ratings ---

FIELD = [(1300, 1.0), (1540, 0.5), (1200, 0.0), (1290, 1.0), (1400, 1.0)]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(100, 2900), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=1,
        max_size=15,
    ).filter(lambda field: 0 < sum(points for _, points in field) < len(field))
)
def test_performance_is_where_the_score_is_expected(field):
    rating = performance(field)
    expected = math.fsum(expected_score(rating - other) for other, _ in field)
    assert expected == pytest.approx(sum(points for _, points in field), abs=1e-7)


@pytest.mark.parametrize("points", [0.0, 1.0])
def test_no_performance_for_only_wins_or_losses(points):
    with pytest.raises(ValueError, match="only wins"):
        performance([(1500, points)] * 5)


def test_newcomers_who_met_are_solved_together():
    newcomers = [
        Newcomer(FIELD, [(1, 1.0), (2, 0.5)]),
        Newcomer([(1700, 0.5), (1650, 0.0), (1800, 0.0)], [(0, 0.0)]),
        Newcomer([(1200, 0.5), (1100, 1.0), (1000, 0.0)], [(0, 0.5)]),
    ]
    ratings = first_ratings(newcomers)
    for rating, one in zip(ratings, newcomers, strict=True):
        met = [*one.known, *[(ratings[place], points) for place, points in one.others]]
        expected = math.fsum(expected_score(rating - other) for other, _ in met)
        score = sum(points for _, points in met)
        assert expected == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize(
    ("rating", "corrected"), [(1, 700.125), (400, 750.0), (800, 800.0), (801, 801.0)]
)
def test_low_first_ratings_can_be_lifted(rating, corrected):
    assert corrected_low(rating) == corrected


def newcomer_games(first: int = 5) -> list[tuple[int, int, float]]:
    return [(first, other, points) for other, (_, points) in enumerate(FIELD)]


def veterans() -> list[Standing]:
    return [known(float(rating)) for rating, _ in FIELD]


def test_a_newcomer_gets_1505_and_index_1():
    pool = table(*veterans(), None)
    pool.update(games(*newcomer_games()), on(2024))
    assert pool.standing(5) == Standing(1505.0, 5, evaluations=1)


def test_rated_opponents_are_rated_with_the_newcomers_first_rating():
    pool = table(*veterans(), None)
    pool.update(games(*newcomer_games()), on(2024))
    expected = expected_total(1300, [1505])
    coefficient = development(1300, None, 0.0, expected, 10)
    after = round(new_rating(1300, 0.0, expected, coefficient, 1))
    assert pool.standing(0) == Standing(float(after), 81, evaluations=11)


@pytest.mark.parametrize("points", [0.0, 1.0])
def test_only_wins_or_only_losses_give_no_first_rating(points):
    pool = table(*veterans(), None)
    pool.update(games(*[(5, other, points) for other in range(5)]), on(2024))
    assert pool.standing(5) is None
    assert pool.standing(0) == known(1300.0)


@pytest.mark.parametrize(
    ("year", "expected"), [(2026, Standing(1505.0, 5, evaluations=1)), (2027, None)]
)
def test_games_are_kept_for_two_years(year, expected):
    pool = table(*veterans(), None)
    pool.update(games(*newcomer_games()[:3]), on(2024))
    assert pool.standing(5) is None
    # The rating that counts is the one an opponent had when they met.
    pool.seed(0, known(2500.0))
    pool.update(games(*newcomer_games()[3:]), on(year))
    assert pool.standing(5) == expected


def test_a_second_stage_counts_the_newcomers_of_the_first():
    pool = table(*veterans(), None, None)
    # Player 6 met four rated opponents and the newcomer.
    second = [(6, other, points) for other, points in ((0, 1), (1, 0), (2, 1), (3, 0))]
    pool.update(games(*newcomer_games(), *second, (6, 5, 0.5)), on(2024))
    first, later = pool.standing(5), pool.standing(6)
    assert first == Standing(1505.0, 5, evaluations=1)
    expected = performance([(1300, 1), (1540, 0), (1200, 1), (1290, 0), (1505, 0.5)])
    assert later == Standing(float(round(expected)), 5, evaluations=1)


def test_games_with_an_unrated_player_do_not_count():
    pool = table(known(1500.0), None)
    pool.update(games((0, 1, 1.0)), on(2024))
    assert pool.standing(0) == known(1500.0)


# --- Events ---


def test_a_full_event():
    pool = table(known(1700.0), *[known(r) for r in (1900.0, 1900.0, 1800.0)])
    pool.update(games((0, 1, 0.0), (0, 2, 1.0), (0, 3, 0.5)), on(2024))
    expected = expected_total(1700, [1900, 1900, 1800])
    coefficient = development(1700, None, 1.5, expected, 10)
    assert coefficient == 23
    after = round(1700 + 800 * (1.5 - expected) / (23 + 3))
    assert pool.standing(0) == Standing(float(after), 83, evaluations=11)


def test_all_players_of_an_event_are_rated_from_before_it():
    pool = table(known(1700.0), known(1700.0))
    pool.update(games((0, 1, 1.0)), on(2024))
    # E is 15 + 1.7⁴ = 23 for both: 400 ÷ 24 points each way.
    assert [pool.standing(n) for n in (0, 1)] == [
        Standing(1717.0, 81, evaluations=11),
        Standing(1683.0, 81, evaluations=11),
    ]


def test_age_is_the_year_less_the_year_of_birth():
    for year, coefficient in ((2024, 9), (2025, 17)):
        pool = table(known(1600.0), known(1600.0), years=[2004, 1980])
        pool.update(games((0, 1, 1.0)), on(year))
        after = round(1600 + 400 / (coefficient + 1))
        assert pool.standing(0) == Standing(float(after), 81, evaluations=11)


def test_a_rating_from_another_list_has_index_6_and_the_bound_of_index_1():
    pool = table(Standing(2200.0), known(2200.0))
    assert pool.standing(0) == Standing(2200.0, 0, evaluations=6)
    pool.update(games((0, 1, 1.0)), on(2024))
    assert pool.standing(0) == Standing(
        float(round(2200 + 400 / 6 + 1e-9)), 1, evaluations=7
    )


def test_ratings_stay_positive():
    pool = table(known(3.0, 1), known(3.0, 1))
    for _ in range(40):
        pool.update(games((0, 1, 0.0)), on(2024))
    standing = pool.standing(0)
    assert standing is not None
    assert standing.rating == 1.0
    assert pool.at_floor(0)
    assert not pool.at_floor(1)


def test_the_stand_in_for_special_ratings_is_off_and_for_the_young():
    field = [known(2000.0) for _ in range(6)]
    played = games(*[(6, n, 1.0) for n in range(5)], (6, 5, 0.0))
    outcomes = []
    for above, born in ((0, 2010), (100, 2010), (100, 1990), (2000, 2010)):
        pool = table(
            *field, known(1400.0), years=[*[1980] * 6, born], special_above=above
        )
        pool.update(played, on(2024))
        standing = pool.standing(6)
        assert standing is not None
        outcomes.append(standing.rating)
    performed = float(round(performance([(2000, 1)] * 5 + [(2000, 0)])))
    assert outcomes[1] == performed
    assert all(rating < performed for rating in (outcomes[0], *outcomes[2:]))


def test_predictions_follow_the_edition_and_are_unknown_for_unrated():
    for edition, share in ((NEW, expected_score(-200)), (OLD, 0.24)):
        pool = table(known(1700.0), known(1900.0), None, edition=edition)
        predicted = pool.predict(games((0, 1, 1.0), (0, 2, 1.0)), on(2024))
        assert predicted[0] == share
        assert math.isnan(predicted[1])


def test_a_pool_without_any_rating_opens_in_its_second_period():
    pool = table(None, None, None, None)
    pool.update(games((0, 1, 1.0)), on(2024))
    assert pool.standing(0) is None
    pool.update(games((0, 1, 0.5)), on(2024, 6, period=1))
    pool.update(games((2, 3, 0.5)), on(2024, 6, 20, period=1))
    pool.update(games((2, 3, 0.5)), on(2024, 7, period=2))
    shown = [pool.standing(n) for n in range(4)]
    assert [one and one.rating for one in shown] == [1500.0] * 4
