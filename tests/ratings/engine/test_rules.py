import math
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.engine.parameters import EffectiveGames
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import (
    _DAYS_OF_CHANGE,
    DEFAULT_EDITION,
    EDITIONS,
    PARAMETERS,
    _newest_change,
    rules_in_force,
)
from tests.hypothesis_settings import example_count

DAY = date(2024, 5, 4)


def test_the_default_edition_is_the_newest():
    assert rules_in_force(DAY).edition == DEFAULT_EDITION == max(EDITIONS)


def test_an_unknown_edition_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="no edition '2019-01-01'") as error:
        rules_in_force(DAY, "2019-01-01")
    assert all(edition in str(error.value) for edition in EDITIONS)


@given(st.dates(), st.sampled_from(EDITIONS))
def test_every_day_has_rules(day, edition):
    rules = rules_in_force(day, edition)
    assert rules.key == f"{edition}/{day.isoformat()}"
    assert len(rules.digest) == 64
    assert rules.values().keys() == PARAMETERS.keys()


def test_a_missing_rule_is_an_error_only_when_it_is_read():
    rules = rules_in_force(date(2012, 5, 4))
    assert rules.bonus_multiplier == 6.0
    with pytest.raises(NoRuleInForce, match=r"effective-games formula.*May 4, 2012"):
        rules.effective_games  # noqa: B018


def test_a_section_of_2015_has_all_rules_for_rated_players():
    rules = rules_in_force(date(2015, 3, 14))
    assert rules.bonus_multiplier == 10.0
    assert rules.effective_games == EffectiveGames(50.0, 2355.0, 0.662, 7.39e-6, 2569.0)
    assert rules.lower_k_when_dual is True
    assert rules.special_cap == 2700.0
    with pytest.raises(NoRuleInForce):
        rules.blend  # noqa: B018


def test_rules_cannot_be_changed():
    with pytest.raises(AttributeError):
        rules_in_force(DAY).bonus_multiplier = 6.0


def test_varied_rules_differ_in_what_was_asked_and_nothing_else():
    rules = rules_in_force(DAY)
    varied = rules.vary(bonus_multiplier=6.0)
    assert varied.values() == rules.values() | {"bonus_multiplier": 6.0}
    assert varied != rules
    assert varied.digest != rules.digest
    assert varied.key == f"{DEFAULT_EDITION}/2024-05-04/varied-{varied.digest[:8]}"
    assert rules_in_force(DAY).bonus_multiplier == 12.0


def test_a_variation_can_be_varied_again():
    rules = rules_in_force(DAY)
    twice = rules.vary(bonus_multiplier=6.0).vary(special_cap=2500.0)
    assert twice == rules.vary(special_cap=2500.0, bonus_multiplier=6.0)


def test_a_missing_rule_can_be_supplied_by_a_variation():
    early = rules_in_force(date(2010, 1, 1))
    now = rules_in_force(DAY)
    varied = early.vary(effective_games=now.effective_games)
    assert varied.effective_games == now.effective_games


def test_an_unknown_name_cannot_be_varied():
    with pytest.raises(TypeError, match="'bonus' is no parameter of the rules"):
        rules_in_force(DAY).vary(bonus=6.0)


def test_days_with_the_same_values_have_the_same_digest():
    assert (
        rules_in_force(date(2024, 3, 1)).digest
        == rules_in_force(date(2024, 12, 31)).digest
    )


def test_a_change_of_any_rule_changes_the_digest():
    days = [date(2024, 2, 29), date(2024, 3, 1), date(2025, 1, 1), date(2025, 2, 10)]
    assert len({rules_in_force(day).digest for day in days}) == len(days)


@settings(max_examples=example_count(200))
@given(
    day=st.one_of(st.dates(), st.sampled_from(_DAYS_OF_CHANGE)),
    edition=st.sampled_from(EDITIONS),
)
def test_the_digest_names_the_values_of_the_very_day(day, edition):
    """It is computed once for all days between two changes."""
    rules = rules_in_force(day, edition)
    first = rules_in_force(_newest_change(day), edition)
    assert first.values() == rules.values()
    assert first.digest == rules.digest


@pytest.mark.parametrize(("rating", "games"), [(1700.0, 50 / math.sqrt(6.24))])
def test_effective_games_figures_give_the_example_of_the_paper(rating, games):
    shape = rules_in_force(DAY).effective_games
    limit = shape.limit / math.sqrt(
        shape.base + shape.slope * (shape.pivot - rating) ** 2
    )
    assert limit == pytest.approx(games, abs=0.01)
