"""Every value on each side of its first day, copied from the texts."""

from datetime import date, timedelta

import pytest

from ratings.engine.conversions import Conversion, LinearConversion
from ratings.engine.parameters import TimeControlRange
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import EDITIONS, PARAMETERS, rules_in_force
from ratings.engine.systems import System

OLD, FEBRUARY, JULY = EDITIONS
LATER = (FEBRUARY, JULY)
UNKNOWN = "unknown"

FIDE_2020 = Conversion((LinearConversion(180, 0.94, 2000), LinearConversion(20, 1.02)))
FIDE_2024 = Conversion(
    (LinearConversion(-1073, 1.5667, 2000), LinearConversion(20, 1.02))
)
YOUTH_2020 = Conversion((LinearConversion(560, 0.76, 2000), LinearConversion(80, 1.0)))
YOUTH_2024 = Conversion(
    (LinearConversion(-453, 1.2667, 2000), LinearConversion(80, 1.0))
)
CFC_2020 = Conversion((LinearConversion(-90, 1.0, 1500), LinearConversion(-240, 1.1)))
CFC_2025 = Conversion(
    (
        LinearConversion(-115, 0.815, 1150, includes_end=False),
        LinearConversion(-650, 1.28, 1610, includes_end=False),
        LinearConversion(-856, 1.41, 2000, includes_end=False),
        LinearConversion(-240, 1.1),
    )
)

CHANGES = [
    # parameter, editions, first day, value the day before, value on the day
    ("bonus_multiplier", EDITIONS, date(2001, 1, 1), UNKNOWN, 10),
    ("bonus_multiplier", LATER, date(2008, 6, 6), 10, 6),
    ("bonus_multiplier", (OLD,), date(2008, 8, 7), 10, 6),
    ("bonus_multiplier", LATER, date(2012, 8, 3), 6, 8),
    ("bonus_multiplier", (OLD,), date(2012, 8, 4), 6, 8),
    ("bonus_multiplier", EDITIONS, date(2014, 3, 20), 8, 10),
    ("bonus_multiplier", EDITIONS, date(2015, 6, 1), 10, 12),
    ("bonus_multiplier", EDITIONS, date(2017, 6, 1), 12, 14),
    ("bonus_multiplier", LATER, date(2023, 2, 1), 14, 12),
    ("bonus_multiplier", (OLD,), date(2023, 2, 1), 14, 14),
    ("bonus_multiplier", (JULY,), date(2025, 1, 1), 12, 10),
    ("bonus_multiplier", (FEBRUARY,), date(2025, 1, 1), 12, 12),
    ("three_game_repeat_clause", LATER, date(2025, 2, 10), False, True),
    ("three_game_repeat_clause", (OLD,), date(2025, 2, 10), False, False),
    ("lower_k_when_dual", EDITIONS, date(2013, 5, 8), UNKNOWN, True),
    ("fide_conversion", EDITIONS, date(2020, 6, 1), UNKNOWN, FIDE_2020),
    ("fide_conversion", LATER, date(2024, 3, 1), FIDE_2020, FIDE_2024),
    ("fide_conversion", (OLD,), date(2024, 3, 1), FIDE_2020, FIDE_2020),
    ("youth_conversion", EDITIONS, date(2020, 6, 1), UNKNOWN, YOUTH_2020),
    ("youth_conversion", LATER, date(2024, 3, 1), YOUTH_2020, YOUTH_2024),
    ("cfc_conversion", EDITIONS, date(2020, 6, 1), UNKNOWN, CFC_2020),
    ("cfc_conversion", LATER, date(2025, 1, 1), CFC_2020, CFC_2025),
    ("cfc_conversion", (OLD,), date(2025, 1, 1), CFC_2020, CFC_2020),
    ("cfc_game_factor", EDITIONS, date(2020, 6, 1), UNKNOWN, 5),
    ("personal_absolute_floor", EDITIONS, date(2008, 8, 7), False, True),
    ("lowest_peak_floor", EDITIONS, date(2010, 4, 1), 1400, 1200),
    ("money_floor_prize", EDITIONS, date(2006, 3, 1), UNKNOWN, 2000),
    ("money_floor_prize", EDITIONS, date(2018, 1, 1), 2000, 4000),
    ("match_limit", EDITIONS, date(2006, 1, 1), UNKNOWN, 50),
    ("match_limit_180_days", EDITIONS, date(2006, 1, 1), UNKNOWN, 100),
]
SHAPES = [
    # parameters whose value is a formula: first day, figures of the formula
    ("effective_games", date(2013, 5, 8), (50, 2355, 0.662, 0.00000739, 2569)),
    ("lower_k", date(2013, 5, 8), (2200, 2500, 6.5, 0.0025, 200)),
    ("age_start", date(2006, 1, 1), (100, 2, 50, 26, 1300, 3, 26, 15, 365.25)),
    ("fide_game_factor", date(2020, 6, 1), (2000, 10, 5)),
    ("absolute_floor", date(2008, 8, 7), (100, 4, 2, 1, 150)),
]
OTHER_CHANGES = {
    # checked below or in test_time_controls
    ("blend", date(2020, 6, 1)),
    ("otb_time_controls", date(2001, 1, 1)),
    ("otb_time_controls", date(2002, 1, 1)),
    ("otb_time_controls", date(2004, 1, 1)),
    ("otb_time_controls", date(2013, 3, 1)),
    ("online_time_controls", date(2014, 10, 1)),
    ("online_time_controls", date(2015, 3, 1)),
    ("online_time_controls", date(2020, 6, 1)),
}
ALWAYS = {
    "bonus_from_games": 3,
    "bonus_counts_at_least": 4,
    "bonus_meetings": 2,
    "k_numerator": 800,
    "expectancy_scale": 400,
    "provisional_reach": 400,
    "special_up_to": 8,
    "special_cap": 2700,
    "special_shift": 400,
    "first_estimate_games": 1,
    "lowest_rating": 100,
    "established_after": 25,
    "floor_event_games": 3,
    "olm_reading": "above_before",
    "norms_when_dual": True,
    "money_floor_needs_established": True,
    "highest_peak_floor": 2100,
    "peak_floor_drop": 200,
    "peak_floor_step": 100,
    "olm_floor": 2200,
    "olm_games": 300,
    "highest_money_floor": 2000,
    "match_limit_3_years": 200,
    "match_rating_gap": 400,
    "match_floor_drop": 100,
    "foreign_automatic_from": 2200,
}


def value_on(name, day, edition):
    try:
        return getattr(rules_in_force(day, edition), name)
    except NoRuleInForce:
        return UNKNOWN


@pytest.mark.parametrize(("name", "editions", "day", "before", "after"), CHANGES)
def test_a_value_changes_on_its_day(name, editions, day, before, after):
    eve = day - timedelta(days=1)
    assert {
        edition: (value_on(name, eve, edition), value_on(name, day, edition))
        for edition in editions
    } == dict.fromkeys(editions, (before, after))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(("name", "day", "figures"), SHAPES)
def test_a_formula_is_known_from_its_day(name, day, figures, edition):
    assert value_on(name, day - timedelta(days=1), edition) == UNKNOWN
    assert tuple(vars(value_on(name, day, edition)).values()) == figures


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("day", [date(1995, 1, 1), date(2024, 5, 4), date(2030, 1, 1)])
def test_what_never_changed_holds_on_every_day(day, edition):
    values = rules_in_force(day, edition).values()
    assert {name: values[name] for name in ALWAYS} == ALWAYS


def test_every_change_of_every_parameter_is_checked():
    checked = (
        {(name, day) for name, _, day, _, _ in CHANGES}
        | {(name, day) for name, day, _ in SHAPES}
        | OTHER_CHANGES
    )
    dated = {
        (name, since.day)
        for name, parameter in PARAMETERS.items()
        for since in parameter.history
        if since.day is not None
    }
    assert dated - checked == set()


def test_every_parameter_is_checked():
    checked = (
        {name for name, *_ in CHANGES + SHAPES}
        | {name for name, _ in OTHER_CHANGES}
        | ALWAYS.keys()
    )
    assert PARAMETERS.keys() - checked == set()


def test_every_value_names_its_source_and_stands_in_order():
    for parameter in PARAMETERS.values():
        days = [since.day or date.min for since in parameter.history]
        assert days == sorted(days)
        assert all(since.source for since in parameter.history)


@pytest.mark.parametrize(
    ("target", "source", "factor"),
    [
        (System.OLB, System.OTBR, 10),
        (System.OLB, System.OTBQ, 5),
        (System.OLB, System.OTBB, 10),
        (System.OLQ, System.OTBQ, 10),
        (System.OLQ, System.OTBB, 5),
        (System.OLR, System.OTBR, 10),
        (System.OLR, System.OTBQ, 5),
        (System.OTBR, System.OLR, 5),
        (System.OTBB, System.OLB, 5),
        (System.OTBQ, System.OLQ, 5),
        (System.OTBQ, System.OTBR, 10),
    ],
)
def test_game_factors_of_us_chess_sources(target, source, factor):
    assert rules_in_force(date(2020, 9, 1)).blend.game_factor(source, target) == factor


def test_blend_begins_in_june_2020():
    assert value_on("blend", date(2020, 5, 31), JULY) == UNKNOWN
    blend = value_on("blend", date(2020, 6, 1), JULY)
    assert (blend.most_games, blend.strength_limit, blend.strength_scale) == (
        10,
        6,
        350,
    )
    assert (blend.decay, blend.days_per_year) == (0.06, 365.25)


@pytest.mark.parametrize(
    ("fide", "factor"), [(1200, 5), (2000, 5), (2000.5, 10), (2001, 10)]
)
def test_fide_game_factor_steps_above_2000(fide, factor):
    assert rules_in_force(date(2024, 5, 4)).fide_game_factor(fide) == factor


@pytest.mark.parametrize(
    ("age", "rating"),
    [(-3, 100), (1.99, 100), (2, 100), (10, 500), (15, 750), (26, 1300), (26.01, 1300)],
)
def test_age_start_follows_section_2_3(age, rating):
    assert rules_in_force(date(2024, 5, 4)).age_start.rating(age) == rating


def test_time_control_ranges_leave_no_gap_and_do_not_overlap():
    for name in ("otb_time_controls", "online_time_controls"):
        for since in PARAMETERS[name].history:
            ranges: tuple[TimeControlRange, ...] = since.value
            for slower, faster in zip(ranges[1:], ranges, strict=False):
                assert slower.least == faster.most + 1
