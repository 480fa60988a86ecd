"""Scales, categories and conversions: the edges that are printed."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.engine.classes import CLASSES, rating_class_for
from ratings.engine.rule_history import NoRuleInForce
from ratings.laboratory.scales import (
    CASES,
    CCLA,
    CCLA_TITLES,
    ELO_1978,
    HARKNESS,
    HARKNESS_1950,
    USCF,
    USSR_1946,
    BelowScale,
    cfc_to_us_chess,
    chessmetrics_class,
    elo_to_grade,
    elo_to_ingo,
    fide_category,
    fide_to_us_chess,
    grade_to_elo,
    ingo_to_elo,
)

FEBRUARY_2024 = date(2024, 2, 29)
MARCH_2024 = date(2024, 3, 1)
EARLY_2024 = date(2024, 12, 31)
YEAR_2025 = date(2025, 1, 1)


@pytest.mark.parametrize(
    ("scale", "rating", "name"),
    [
        (USCF, 2400, "Senior Master"),
        (USCF, 2399, "National Master"),
        (USCF, 2399.5, "Senior Master"),
        (USCF, 2199, "Expert"),
        (USCF, 1999, "Class A"),
        (USCF, 2000, "Expert"),
        (USCF, 1600, "Class B"),
        (USCF, 1400, "Class C"),
        (USCF, 1200, "Class D"),
        (USCF, 1000, "Class E"),
        (USCF, 999, "Class F"),
        (USCF, 600, "Class G"),
        (USCF, 400, "Class H"),
        (USCF, 200, "Class I"),
        (USCF, 199, "Class J"),
        (USCF, 100, "Class J"),
        (ELO_1978, 2700, "No title; often called super grandmasters"),
        (ELO_1978, 2699, "Most grandmasters"),
        (ELO_1978, 2500, "Most grandmasters"),
        (ELO_1978, 2499, "Most international masters and some grandmasters"),
        (ELO_1978, 2400, "Most international masters and some grandmasters"),
        (ELO_1978, 2399, "FIDE masters"),
        (ELO_1978, 2300, "FIDE masters"),
        (ELO_1978, 2299, "FIDE candidate masters, most national masters"),
        (ELO_1978, 2200, "FIDE candidate masters, most national masters"),
        (ELO_1978, 2000, "Candidate masters, experts"),
        (ELO_1978, 1999, "Class A, category 1"),
        (ELO_1978, 1800, "Class A, category 1"),
        (ELO_1978, 1600, "Class B, category 2"),
        (ELO_1978, 1400, "Class C, category 3"),
        (ELO_1978, 1200, "Class D, category 4"),
        (ELO_1978, 1199, "Novices"),
        (HARKNESS, 2600, "Grandmaster"),
        (HARKNESS, 2399, "Master"),
        (HARKNESS, 2000, "Expert"),
        (HARKNESS, 1599, "Class C"),
        (HARKNESS_1950, 2817, "Grandmaster"),
        (HARKNESS_1950, 2610, "Senior Master"),
        (HARKNESS_1950, 2300, "Master"),
        (HARKNESS_1950, 2299, "Expert"),
        (HARKNESS_1950, 2099, "Class A"),
        (HARKNESS_1950, 1499, "Class D"),
        (CCLA, 2200, "Master"),
        (CCLA, 1199, "Class E"),
        (CCLA_TITLES, 2275, "Master"),
        (CCLA_TITLES, 2099, "No title"),
    ],
)
def test_classes_at_their_bounds(scale, rating, name):
    assert scale.class_of(rating).name == name


def test_harkness_lowered_every_bound_by_a_hundred_in_1956():
    before, after = HARKNESS_1950.bands[:-1], HARKNESS.bands
    for earlier, later in zip(before[:-1], after[:-1], strict=True):
        assert earlier.name == later.name
        assert earlier.lowest == later.lowest + 100


@pytest.mark.parametrize(
    "scale",
    [ELO_1978, USCF, HARKNESS_1950, HARKNESS, CCLA, CCLA_TITLES],
    ids=lambda one: one.key,
)
def test_bands_fall_and_only_the_last_may_be_open(scale):
    bounds = [band.lowest for band in scale.bands[:-1]]
    assert bounds == sorted(bounds, reverse=True)
    assert len(set(bounds)) == len(bounds)


@given(st.integers(100, 3000))
def test_our_own_classes_have_the_same_bounds(rating):
    assert USCF.class_of(rating).lowest == rating_class_for(rating).lowest
    assert len(USCF.bands) == len(CLASSES)


def test_below_the_lowest_class_there_is_none():
    with pytest.raises(BelowScale, match="99 is below 100"):
        USCF.class_of(99)
    assert USCF.class_of(99.5).name == "Class J"


def test_the_ussr_has_norms_beside_elos_bands():
    assert [norm.name for norm in USSR_1946][-4:] == [
        *("Category 1", "Category 2", "Category 3", "Category 4"),
    ]
    parallel_class = {norm.name: norm.parallel_class for norm in USSR_1946}
    assert parallel_class["Category 1"] == ELO_1978.class_of(1900).name
    assert parallel_class["Category 4"] == ELO_1978.class_of(1300).name
    assert parallel_class["Candidate master"] == ELO_1978.class_of(2100).name


@pytest.mark.parametrize(
    ("average", "category"),
    [
        (1800, 0),
        (2250, 0),
        (2250.4, 0),
        (2250.5, 1),
        (2275, 1),
        (2275.5, 2),
        (2457, 9),
        (2758, 21),
        (2801, 23),
    ],
)
def test_categories_are_25_points_wide(average, category):
    assert fide_category(average) == category
    assert fide_category(average - 200, women=True) == category


def test_the_class_of_a_tournament_by_ranks():
    assert chessmetrics_class(range(1, 11)) == 22
    assert chessmetrics_class([11, 50]) == 0
    assert chessmetrics_class([]) == 0


@given(st.floats(-50, 350))
def test_conversions_lead_back(number):
    assert elo_to_ingo(ingo_to_elo(number)) == pytest.approx(number)
    assert elo_to_grade(grade_to_elo(number)) == pytest.approx(number)


@pytest.mark.parametrize(
    ("rating", "day", "youth", "us"),
    [
        (1500, FEBRUARY_2024, False, 1590),
        (1500, MARCH_2024, False, 1277.05),
        (2400, FEBRUARY_2024, False, 2468),
        (2400, MARCH_2024, False, 2468),
        (1500, FEBRUARY_2024, True, 1700),
        (1500, MARCH_2024, True, 1447.05),
        (2200, MARCH_2024, True, 2280),
    ],
)
def test_fide_to_us_follows_the_rules_of_the_day(rating, day, youth, us):
    assert fide_to_us_chess(rating, day, youth=youth) == pytest.approx(us)


def test_an_older_edition_keeps_its_own_conversion():
    assert fide_to_us_chess(1500, MARCH_2024, edition="2020-09-02") == pytest.approx(
        1590
    )


@pytest.mark.parametrize(
    ("rating", "day", "us"),
    [
        (1500, EARLY_2024, 1410),
        (1500, YEAR_2025, 1270),
        (1999, YEAR_2025, 1962.59),
        (2000, YEAR_2025, 1960),
    ],
)
def test_cfc_to_us_follows_the_rules_of_the_day(rating, day, us):
    assert cfc_to_us_chess(rating, day) == pytest.approx(us)


def test_no_conversion_is_known_before_june_2020():
    with pytest.raises(NoRuleInForce):
        fide_to_us_chess(1500, date(2020, 5, 31))
    with pytest.raises(NoRuleInForce):
        cfc_to_us_chess(1500, date(2020, 5, 31))


@pytest.mark.parametrize(
    ("inputs", "us"),
    [
        ({"fide": [1500], "source": "US Chess text 2020 (Sept 2020)"}, 1590),
        ({"fide": [1500], "source": "US Chess text 2025 (Feb 2025)"}, 1277.05),
        ({"fide": [1500], "edition": "2020-09-02"}, 1590),
        ({"fide": [1500]}, 1277.05),
        ({"cfc": [1500], "source": "US Chess text 2020 (Sept 2020)"}, 1410),
        ({"cfc": [1500]}, 1270),
    ],
)
def test_a_case_is_computed_by_the_text_it_is_from(inputs, us):
    assert CASES["uscf.convert"](inputs)["us"] == [pytest.approx(us)]
