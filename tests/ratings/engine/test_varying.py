"""The variables of our rules: one catalog, its bounds, and its sentences."""

import math
from datetime import date
from pathlib import Path

import pytest

from ratings.engine.replay.rule_rows import BONUS_MULTIPLIER, rule_row
from ratings.engine.rules import PARAMETERS, rules_in_force
from ratings.engine.variation.reconstructions import reconstructed
from ratings.engine.variation.variables import CATALOG, EXCLUDED_PARAMETERS
from ratings.engine.variation.variations import (
    BadVariation,
    Change,
    Variation,
    catalog_lines,
    catalog_table,
    read_change,
)
from ratings.rerates.services.sources import Hypothesis, from_json, to_json

DAY = date(2024, 5, 4)
EDITION = "2025-07-26"
# Used when foreign events are converted, not in a row of rules; the others are days.
NOT_IN_A_ROW = {"basis", "edition", "reconstructed"} | {
    one for one in CATALOG if one[:5] == "youth"
}


def another(name):
    """Return a value of the catalog that the rules of the day differ in."""
    about = CATALOG[name]
    if isinstance(about.default, bool):
        return name == "three_game_clause"
    if about.choices:
        return about.choices[0]
    return about.high


def varied(name):
    return Variation((Change(name, another(name)),)).rules_on(DAY, EDITION)


@pytest.mark.parametrize("name", sorted(CATALOG.keys() - NOT_IN_A_ROW))
def test_what_may_be_varied_reaches_the_replay(name):
    assert rule_row(varied(name)) != rule_row(rules_in_force(DAY, EDITION))


def test_every_parameter_can_be_varied_or_says_why_not():
    rules = rules_in_force(DAY, EDITION)
    reached = {
        parameter
        for name, one in CATALOG.items()
        if one.changes
        for parameter in one.changes(rules, another(name))
    }
    assert reached | EXCLUDED_PARAMETERS.keys() == PARAMETERS.keys()
    assert not reached & EXCLUDED_PARAMETERS.keys()


def test_a_change_holds_on_its_days_only():
    ten = Variation((read_change("bonus=10@2015-01-01..2024-12-31"),))
    days = (date(2014, 12, 31), date(2015, 1, 1), date(2024, 12, 31), date(2025, 1, 1))
    found = [ten.rules_on(day, "2025-02-10").bonus_multiplier for day in days]
    assert found == [10.0, 10.0, 10.0, 12.0]
    # 2014-12-31 has 10 by the text itself: B rose to 12 on 2015-06-01.
    assert rules_in_force(date(2015, 6, 1), EDITION).bonus_multiplier == 12.0


def test_later_changes_go_before_earlier_ones():
    both = Variation((Change("bonus", 8.0), Change("bonus", 9.0, DAY)))
    assert both.rules_on(DAY, EDITION).bonus_multiplier == 9.0
    assert both.rules_on(date(2024, 5, 3), EDITION).bonus_multiplier == 8.0


def test_without_a_bonus_no_gain_is_large_enough():
    off = Variation((Change("bonus_given", False),)).rules_on(DAY, EDITION)
    assert rule_row(off)[BONUS_MULTIPLIER] == math.inf


def test_the_basis_of_dates_is_the_first_day_or_the_last():
    starts, ends = date(2024, 12, 30), date(2025, 1, 2)
    assert Variation().day_of_rules(starts, ends) == starts
    assert Variation((Change("basis", "end"),)).day_of_rules(starts, ends) == ends


def test_an_edition_may_be_another_for_some_days():
    older = Variation((Change("edition", "2025-02-10", date(2025, 6, 1)),))
    found = [
        older.rules_on(date(2025, month, 1), EDITION).bonus_multiplier
        for month in (5, 6)
    ]
    assert found == [10.0, 12.0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bonus=0", "bonus: 0 must be more than 0."),
        ("k=-1", "k: -1 must be more than 0."),
        ("k=nan", "k: nan is not a number."),
        ("k=inf", "k: inf is not a number."),
        ("k=much", "k: “much” is not a number."),
        ("bonus=1e9", "bonus: 1000000000 is more than 1000."),
        ("peak_floor_step=0", "peak_floor_step: 0 is less than 1."),
        ("special_up_to=2.5", "special_up_to: 2.5 is not a whole number."),
        ("lower_k=perhaps", "lower_k: “perhaps” is not on or off."),
        ("basis=middle", "basis: “middle” is not one of start, end."),
        ("bonus", "“bonus” is not a change. Write a name and a value: bonus=12."),
        ("luck=7", "No rule is named “luck”."),
        (
            "bonus_multiplier=7",
            "bonus_multiplier has another name here. See the list of rules.",
        ),
        (
            "olm_floor=2100",
            "olm_floor can’t be changed here. Granted floors are part of the record.",
        ),
        (
            "bonus=12@2020",
            "bonus: “2020” is not a range of dates. Write 2015-01-01..2024-12-31.",
        ),
        (
            "bonus=12@2020-02-01..2020-01-01",
            "bonus: the last day, 2020-01-01, is before the first, 2020-02-01.",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(BadVariation) as refused:
        read_change(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("text", ["bonus=12@2015-01-01..", "lower_k=off", "k=1.25"])
def test_a_change_is_written_as_it_is_read(text):
    assert str(read_change(text)) == text


def test_the_command_lists_all_that_may_be_varied():
    assert [line.split()[0] for line in catalog_lines()] == list(CATALOG)


def test_the_documentation_lists_the_same():
    page = (Path(__file__).parents[3] / "docs" / "laboratory.md").read_text()
    table = page.split("| Name | What it is | Bounds |\n|---|---|---|\n")[1]
    assert table.split("\n\n")[0].splitlines() == list(catalog_table())


def test_a_hypothesis_keeps_what_is_varied():
    rules = Variation((Change("k", 1.5, DAY), Change("basis", "end")))
    hypothesis = Hypothesis(from_day=DAY, rules=rules)
    assert from_json(to_json(hypothesis)).rules == rules


def test_what_a_text_of_2004_says_is_filled_in_and_no_more():
    """The text's own example: 1700 with N = 30 is worth 26.7 games."""
    day = date(2005, 5, 7)
    rules = reconstructed(rules_in_force(day, EDITION))
    formula = rules.effective_games
    distance = formula.pivot - 1700
    worth = formula.limit / math.sqrt(formula.base + formula.slope * distance**2)
    assert round(worth, 1) == 26.7
    assert math.isnan(rule_row(rules)[24])  # the initial rating by age begins in 2006
    early = rules_in_force(date(2003, 12, 31), EDITION)
    assert reconstructed(early) is early
    asked = Variation((read_change("reconstructed=on"),))
    assert asked.is_reconstructed
    assert asked.rules_on(day, EDITION) == rules
