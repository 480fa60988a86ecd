"""Rules as rows of numbers."""

import math
from datetime import date

import pytest

from ratings.engine.conversions import Conversion, LinearConversion
from ratings.engine.replay import rule_rows
from ratings.engine.replay.rule_rows import PIECES, RuleTable, rule_row
from ratings.engine.rules import rules_in_force

MARCH_2025 = rules_in_force(date(2025, 3, 1))


def places():
    """Return the named places of a row."""
    return {
        name: value
        for name, value in vars(rule_rows).items()
        if name.isupper() and isinstance(value, int) and name not in ("PIECES", "WIDTH")
    }


def test_no_two_rules_share_a_place():
    named = places()
    assert len(set(named.values())) == len(named)
    assert max(named.values()) + 36 == rule_rows.WIDTH


def test_a_day_on_which_all_is_known_fills_every_named_place():
    row = rule_row(MARCH_2025)
    assert len(row) == rule_rows.WIDTH
    assert [name for name, place in places().items() if math.isnan(row[place])] == []


def test_rules_stand_in_their_places():
    row = rule_row(MARCH_2025)
    assert row[rule_rows.BONUS_MULTIPLIER] == 10.0
    assert row[rule_rows.EFFECTIVE_PIVOT] == 2569.0
    assert row[rule_rows.LOWER_K_SLOPE] == 0.0025
    assert row[rule_rows.AGE_DAYS_PER_YEAR] == 365.25
    assert row[rule_rows.FLOOR_HIGHEST] == 150.0
    fide = rule_rows.FIDE_PIECES
    assert row[fide : fide + 8] == [
        *(-1073.0, 1.5667, 2000.0, 1.0),
        *(20.0, 1.02, math.inf, 1.0),
    ]
    factors = row[rule_rows.GAME_FACTORS :]
    # Regular counts for 10 games everywhere, Quick for 5 in Regular, and for 10
    # only over the board's quick in the online quick.
    assert [factors[source * 6 + 0] for source in range(6)] == [10, 5, 5, 5, 5, 5]
    assert factors[1 * 6 + 4] == 10


def test_what_is_not_known_is_nan():
    row = rule_row(rules_in_force(date(2013, 5, 7)))
    assert math.isnan(row[rule_rows.EFFECTIVE_LIMIT])
    assert math.isnan(row[rule_rows.LOWER_K_ABOVE])
    assert math.isnan(row[rule_rows.BLEND_MOST_GAMES])
    assert row[rule_rows.BONUS_MULTIPLIER] == 8.0


def test_without_a_lower_k_no_rating_is_above_its_limit():
    rules = MARCH_2025.vary(lower_k_when_dual=False)
    assert rule_row(rules)[rule_rows.LOWER_K_ABOVE] == math.inf


def test_a_conversion_of_too_many_pieces_is_refused():
    lines = tuple(LinearConversion(0.0, 1.0, up_to=float(end)) for end in range(PIECES))
    rules = MARCH_2025.vary(
        cfc_conversion=Conversion((*lines, LinearConversion(0.0, 1.0)))
    )
    with pytest.raises(ValueError, match="more than 6 pieces"):
        rule_row(rules)


def test_equal_rows_stand_in_the_table_once():
    table = RuleTable()
    days = [date(2024, 5, 4), date(2024, 5, 5), date(2025, 1, 1), date(2010, 1, 1)]
    assert [table.place(rules_in_force(day)) for day in days] == [0, 0, 1, 2]
    assert len(table.rows) == 3 * rule_rows.WIDTH
