"""The registry: every key once, every example runs, every shipped article reads."""

import json
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from ratings.laboratory import registry
from ratings.laboratory.calculator import calculate
from ratings.laboratory.parameters import parameters_of
from ratings.laboratory.registry import CASES, RUNNABLE, SYSTEMS
from ratings.laboratory.systems import (
    ccla,
    clarke,
    correspondence,
    ecf,
    elo,
    harkness,
    ingo,
    undefined,
)
from ratings.laboratory.vectors import SHIPPED, CaseStatus, check_cases
from tests.ratings.laboratory.batches import MAY

HISTORIC = [
    system
    for module in (elo, correspondence, ccla, harkness, ingo, clarke, ecf, undefined)
    for system in module.SYSTEMS
]
each = pytest.mark.parametrize("system", HISTORIC, ids=lambda one: one.about.key)
KINDS = (
    *("elo.", "uscf.", "ccla.", "harkness", "ingo.", "ecf.", "performance"),
    *("fide.table", "fide.category", "chessmetrics.class"),
)


def test_the_readme_counts_the_systems_that_are_not_ours():
    others = [
        one
        for one in RUNNABLE.values()
        if not one.about.is_upper_bound and not one.about.key.startswith("uschess.")
    ]
    told = f"{len(others)} systems in addition to our own three editions"
    readme = Path(__file__).resolve().parents[3] / "README.md"
    assert told in readme.read_text(encoding="utf-8")


def test_no_key_stands_twice():
    modules = registry._MODULES
    assert len(SYSTEMS) == sum(len(module.SYSTEMS) for module in modules)


def test_published_cases_of_historic_systems_scales_and_tables():
    records = json.loads(Path(SHIPPED).read_text())
    mine = [one for one in records if one["system"].startswith(KINDS)]
    for one in mine:
        one["inputs"].setdefault("source", one["source"])
    checked = list(check_cases(mine, CASES))
    assert [one for one in checked if one.verdict is not CaseStatus.PASSED] == []
    assert len(checked) == 39


@pytest.mark.parametrize(
    "key",
    [
        *("elo.table", "elo.linear", "elo.logistic", "elo.normal", "harkness"),
        *("uscf.correspondence", "ccla.hotchkiss_wilcock", "ingo.basic"),
        *("ingo.quarter", "ingo.development", "clarke", "ecf.monthly"),
    ],
)
def test_the_worked_example_gives_what_its_source_prints(key):
    system = RUNNABLE[key]
    example = system.example
    worked = calculate(
        system,
        example.player,
        example.games,
        parameters=system.parameters(**example.parameters),
        birth_year=example.birth_year,
        day=MAY.toordinal(),
    )
    printed = float(example.printed)
    places = len(example.printed.partition(".")[2])
    assert worked.after.rating == pytest.approx(printed, abs=0.5 * 10**-places)


@each
def test_an_article_has_history_formula_and_example(system):
    name = f"ratings/laboratory/systems/{system.about.key.replace('.', '_')}.html"
    with translation.override("en"):
        text = render_to_string(name)
    for heading in ("History", "The formula", "Worked example"):
        assert f"<h2>{heading}</h2>" in text
    assert text.count("<section") == text.count("</section>") == 3
    assert ("<math" in text) == (system.about.key in RUNNABLE)


@each
def test_choices_hold_their_default_and_numbers_their_bounds(system):
    for one in parameters_of(system.parameters):
        if one.choices:
            assert one.default in one.choices
        else:
            assert one.low <= one.default <= one.high
