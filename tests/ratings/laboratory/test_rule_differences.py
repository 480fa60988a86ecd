"""Differences between two sets of our rules, line by line."""

from datetime import date, timedelta

import pytest

from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import EDITIONS, PARAMETERS, rules_in_force
from ratings.engine.variation.variations import Change, Variation, read_change
from ratings.laboratory.rule_differences import (
    FORMULA_CHANGES,
    formula_changes,
    rule_differences,
)

OLD, FEBRUARY, JULY = "2020-09-02", "2025-02-10", "2025-07-26"


def varied(*texts):
    return Variation(tuple(map(read_change, texts)))


def edition(text):
    return Variation((Change("edition", text),))


def lines(before, after, **more):
    return [
        (one.name, one.first, one.last, one.before.value, one.after.value)
        for one in rule_differences(before, after, JULY, **more)
    ]


def test_july_2025_changes_the_bonus_multiplier_alone():
    [found] = rule_differences(edition(FEBRUARY), edition(JULY), JULY)
    assert found.name == "bonus_multiplier"
    assert (found.label, found.unit) == ("Bonus multiplier (B)", "points")
    assert (found.first, found.last) == (date(2025, 1, 1), None)
    assert found.before == (12.0, "2025 paper, sections 4.2 and 8")
    assert found.after == (10.0, "July 2025 paper, sections 4.2 and 8")


def test_a_day_printed_differently_is_a_line_for_the_days_between():
    found = lines(edition(OLD), edition(FEBRUARY))
    assert found[:2] == [
        ("bonus_multiplier", date(2008, 6, 6), date(2008, 8, 6), 10.0, 6.0),
        ("bonus_multiplier", date(2012, 8, 3), date(2012, 8, 3), 6.0, 8.0),
    ]


@pytest.mark.parametrize("one", EDITIONS)
@pytest.mark.parametrize("other", EDITIONS)
def test_every_difference_of_a_day_is_in_a_line_and_no_other(one, other):
    """The rules of each day on both sides of each change, read by themselves."""
    found = rule_differences(edition(one), edition(other), JULY)
    days = {
        since.day + timedelta(days=step)
        for rule in PARAMETERS.values()
        for since in rule.history
        if since.day
        for step in (-1, 0)
    }
    for day in days:
        listed = {
            line.name
            for line in found
            if (line.first is None or line.first <= day)
            and (line.last is None or day <= line.last)
        }
        assert listed == {
            name
            for name in PARAMETERS
            if value(name, day, one) != value(name, day, other)
        }


def value(name, day, text):
    try:
        return PARAMETERS[name].on(day, text)
    except NoRuleInForce:
        return None


def test_equal_values_on_every_day_are_one_line_without_days():
    [found] = rule_differences(varied("bonus=12"), varied("bonus=10"), JULY)
    assert (found.first, found.last) == (None, None)
    assert (found.before, found.after.value) == ((12.0, ""), 10.0)


def test_a_change_of_some_days_has_its_own_days():
    change = varied("bonus=9@2025-03-01..2025-05-31")
    day = date(2025, 3, 1)
    assert lines(Variation(), change) == [
        ("bonus_multiplier", day, date(2025, 5, 31), 10.0, 9.0)
    ]
    assert lines(Variation(), change, first_day=date(2025, 6, 1)) == []


def test_numbers_of_a_formula_have_lines_of_their_own():
    found = [
        one
        for one in rule_differences(edition(OLD), edition(FEBRUARY), JULY)
        if one.name in ("fide_conversion", "cfc_conversion")
    ]
    assert [(one.label, one.unit) for one in found] == [
        ("FIDE conversion, low range: add", "points"),
        ("FIDE conversion, low range: multiply by", ""),
        ("CFC conversion", ""),  # it has other ranges, so it is shown whole
    ]
    assert [one.after.value for one in found[:2]] == [-1073.0, 1.5667]
    rules = rules_in_force(date(2025, 3, 1), FEBRUARY)
    assert found[2].after.value == rules.cfc_conversion


def test_a_formula_that_is_not_known_yet_cannot_be_varied():
    found = lines(Variation(), varied("n_limit=40", "bonus=9"))
    assert [one[:3] for one in found if one[0] == "effective_games"] == [
        ("effective_games", date(2013, 5, 8), None)
    ]


def test_unit_is_the_same_where_one_side_is_not_known():
    found = rule_differences(Variation(), varied("match_limit=40"), JULY)
    assert [(one.before.value, one.unit) for one in found] == [
        (None, "points"),
        (50.0, "points"),
    ]


def test_formula_changes_are_those_after_the_older_edition():
    assert formula_changes(JULY, JULY) == []
    assert {one.edition for one in formula_changes(JULY, FEBRUARY)} == {JULY}
    assert formula_changes(EDITIONS[0], EDITIONS[-1]) == list(FORMULA_CHANGES)
    assert {one.edition for one in FORMULA_CHANGES} <= set(EDITIONS)


def test_a_change_until_the_last_day_there_is_stays_open():
    change = varied("bonus=12@2025-01-01..9999-12-31")
    day = date(2025, 1, 1)
    assert lines(Variation(), change) == [("bonus_multiplier", day, None, 10.0, 12.0)]
