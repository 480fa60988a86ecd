"""Variants are named by what differs, and from when."""

from datetime import date

import pytest
from django.utils.translation import override

from ratings.engine.rules import DEFAULT_EDITION, rules_in_force
from ratings.laboratory.registry import SYSTEMS
from ratings.research.experiments.plans import RulesVariant, Variant, variants_of
from ratings.research.experiments.variant_names import variant_name, variant_names

JULY, FEBRUARY, SEPTEMBER = (
    Variant(f"uschess.{edition}") for edition in ("2025_07", "2025_02", "2020")
)
ELO, GLICKO = Variant("elo.logistic"), Variant("glicko")


def own_rules(edition="2025_07", **changes):
    return Variant(f"uschess.{edition}", tuple(changes.items()))


def rules(*changes):
    return RulesVariant(tuple((*one, *[None] * (4 - len(one))) for one in changes))


@pytest.mark.parametrize(
    ("variants", "names"),
    [
        # Editions of our own rules: the values that differ, with their first day.
        ([FEBRUARY, JULY], ["B = 12 from February 2023", "B = 10 from 2025"]),
        (
            [SEPTEMBER, FEBRUARY],
            [
                "B = 14 from June 2017, three-game clause off",
                "B = 12 from February 2023, "
                "three-game clause on from February 10, 2025",
            ],
        ),
        # A value that one variant changes has a name in the others too.
        (
            [own_rules("2025_02", bonus_multiplier=14.0), FEBRUARY],
            ["B = 14", "B = 12 from February 2023"],
        ),
        ([own_rules(bonus_multiplier=8.0), JULY], ["B = 8", "B = 10 from 2025"]),
        (
            [JULY, own_rules(bonus_multiplier=8.0, lower_k=False)],
            [
                "B = 10 from 2025, lower K above 2200 on",
                "B = 8 and lower K above 2200 off",
            ],
        ),
        # One variant alone, or with other systems: the system is named.
        ([JULY], ["US Chess, July 2025 rules"]),
        ([own_rules(bonus_multiplier=8.0)], ["US Chess, July 2025 rules, B = 8"]),
        ([JULY, GLICKO], ["US Chess, July 2025 rules", "Glicko"]),
        (
            [JULY, FEBRUARY, ELO],
            [
                "US Chess, B = 10 from 2025",
                "US Chess, B = 12 from February 2023",
                "Elo, logistic curve",
            ],
        ),
        (variants_of("elo.logistic", {"k": [24.0, 32.0]}), ["K = 24", "K = 32"]),
        (
            [*variants_of("glicko", {"c": [20.0, 40.0]}), ELO],
            ["Glicko, c = 20", "Glicko, c = 40", "Elo, logistic curve"],
        ),
        # Our rules replayed: each change, and the days it applies to.
        ([rules()], ["Actual rules"]),
        ([rules(("bonus", 10.0, "2025-01-01"))], ["B = 10 from 2025"]),
        (
            [rules(("bonus", 10.0, "2025-01-01"), ("k", 0.7, "2025-01-01"))],
            ["B = 10 and K multiplier = 0.7 from 2025"],
        ),
        (
            [rules(("bonus", 12.0, "2015-01-01", "2024-12-31"))],
            ["B = 12 from 2015 to 2024"],
        ),
        ([rules(("bonus", 12.0, "2020-01-01", "2020-12-31"))], ["B = 12 in 2020"]),
        (
            [rules(("bonus", 10.0, "2025-03-05"), ("k", 0.7, None, "2021-12-31"))],
            ["B = 10 from March 5, 2025, K multiplier = 0.7 until 2021"],
        ),
        ([rules(("bonus_given", False))], ["Bonus points off"]),
        ([rules(("edition", "2025-02-10"))], ["B = 12 from February 2023"]),
        (
            [rules(("edition", "2025-02-10", "2025-06-01"))],
            ["B = 12 from June 2025"],
        ),
    ],
)
def test_a_variant_is_named_by_what_differs(variants, names):
    assert variant_names(variants) == names


def test_names_of_editions_are_the_values_of_the_rules():
    """Computed from the rules themselves, not from the text of the names."""
    today = date(2026, 1, 1)
    for variant in (JULY, FEBRUARY):
        edition = SYSTEMS[variant.system].edition
        bonus = rules_in_force(today, edition).bonus_multiplier
        [name] = [
            name
            for one, name in zip(
                (JULY, FEBRUARY), variant_names([JULY, FEBRUARY]), strict=True
            )
            if one == variant
        ]
        assert name.startswith(f"B = {bonus:g} from ")


def test_the_edition_that_the_office_uses_changes_nothing():
    assert variant_name(rules(("edition", DEFAULT_EDITION))) == (
        f"Edition of the rules: {DEFAULT_EDITION}"
    )


def test_names_are_in_the_language_of_the_reader():
    with override("es"):
        assert variant_names([FEBRUARY, JULY]) == [
            "B = 12 desde febrero de 2023",
            "B = 10 desde 2025",
        ]
