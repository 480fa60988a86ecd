import math
from datetime import date

import pytest
from hypothesis import given, settings

from ratings.engine.explanation import FormulaReason, Origin, explain
from ratings.engine.inputs import AssignedRating, Competitor, Kind, Record
from ratings.engine.rules import rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.section_json import parse_section
from ratings.engine.standard import NoBonus
from tests.hypothesis_settings import example_count
from tests.ratings.engine import strategies
from tests.ratings.engine.factories import MAY_2024, rating_input

RULES = rules_in_force(MAY_2024)
MIXED_SECTION = rating_input(
    [
        Competitor(1, 2300.0, 100),
        Competitor(2, 2150.0, 20),
        Competitor("new", None, birth_date=date(2004, 5, 4)),
        Competitor(4, None, initial=AssignedRating(1900.0, 4)),
        Competitor(5, 1200.0, 12, Record.ALL_WINS),
    ],
    [(1, 2, 0.5), (1, "new", 1), (2, 4, 1), ("new", 4, 0), (1, 5, 1), (2, 5, 1)],
    time_control="G/60;d5",
)


@given(strategies.sections())
@settings(max_examples=example_count(120), deadline=None)
def test_explains_what_was_rated_bit_for_bit(document):
    given_input, _ = parse_section(document)
    section, rules = given_input.rating_input, given_input.rules
    for rated in rate_section(section, rules):
        why = explain(section, rules, rated.id)
        assert (why.post, why.post_games) == (rated.post, rated.post_games)
        assert (why.start.rating, why.start.games) == (
            rated.initial,
            rated.initial_games,
        )
        assert (why.formula, why.effective_games) == (
            rated.formula,
            rated.effective_games,
        )
        assert (why.floor, why.ceiling, why.floor_request) == (
            rated.floor,
            rated.ceiling,
            rated.floor_request,
        )
        assert estimate_of(why.first_estimate) == rated.first_estimate
        assert estimate_of(why.intermediate) == rated.intermediate
        if why.final is not None:
            assert why.final.computed == rated.before_floor
        if why.final is not None and why.final.standard is not None:
            standard = why.final.standard
            assert (standard.expected, standard.k, standard.bonus) == (
                rated.expected,
                rated.k,
                rated.bonus,
            )


def estimate_of(step):
    return None if step is None else step.result


def test_each_step_names_where_opponents_ratings_come_from():
    why = explain(MIXED_SECTION, RULES, "new")
    origins = [
        [(line.opponent, line.origin) for line in step.games]
        for step in (why.first_estimate, why.intermediate, why.final)
    ]
    assert origins == [
        [(1, Origin.PRE_EVENT), (4, Origin.INITIAL)],
        [(1, Origin.PRE_EVENT), (4, Origin.INITIAL)],
        [(1, Origin.INTERMEDIATE), (4, Origin.INTERMEDIATE)],
    ]
    of_one = explain(MIXED_SECTION, RULES, 1).intermediate
    assert [(line.game, line.opponent, line.origin) for line in of_one.games] == [
        (0, 2, Origin.PRE_EVENT),
        (1, "new", Origin.FIRST_ESTIMATE),
        (4, 5, Origin.PRE_EVENT),
    ]


def test_start_by_age_of_an_opponent_is_named_so():
    section = rating_input([Competitor(1, None), Competitor(2, None)], [(1, 2, 1)])
    games = explain(section, RULES, 1).first_estimate.games
    assert [(one.rating, one.origin) for one in games] == [(750.0, Origin.AGE_START)]


def test_standard_working_adds_up():
    why = explain(MIXED_SECTION, RULES, 1)
    final = why.final
    working = final.standard
    expected = math.fsum(line.expectancy for line in final.games)
    assert expected == working.expected
    assert working.change == working.k * (final.score / 2 - working.expected)
    assert final.computed == why.start.rating + working.change + working.bonus
    assert working.is_lower_k
    assert (working.multiplier, working.counted_games, working.threshold) == (12, 4, 24)


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        (1, FormulaReason.ENOUGH_GAMES),
        ("new", FormulaReason.FEW_GAMES),
        (4, FormulaReason.FEW_GAMES),
        (5, FormulaReason.ONLY_WINS),
    ],
)
def test_reason_for_the_formula(player, reason):
    assert explain(MIXED_SECTION, RULES, player).reason is reason


def test_special_working_balances_and_shows_the_interval():
    final = explain(MIXED_SECTION, RULES, 5).final
    working = final.special
    assert (working.prior, working.shift) == (800.0, -400.0)
    assert working.adjusted_score == working.prior_games
    assert working.balance == pytest.approx(0, abs=1e-12)
    weakest = min(line.rating for line in final.games)
    assert (working.low, working.high) == (800.0 + 400.0, weakest - 400.0)
    assert working.nearest == working.low


def test_flat_zeros_without_end_are_shown_as_none():
    section = rating_input(
        [Competitor(1, None, adult=True), Competitor(2, 600.0, 50)], [(1, 2, 1)]
    )
    working = explain(section, RULES, 1).intermediate.special
    assert (working.low, working.high, working.nearest) == (1000.0, None, 1300.0)


def test_a_match_names_its_limit_and_why_there_is_no_bonus():
    section = rating_input(
        [Competitor(1, 1500.0, 30), Competitor(2, 1900.0, 30)],
        [(1, 2, 1)] * 4,
        kind=Kind.MATCH,
    )
    why = explain(section, RULES, 1)
    assert (why.match_limit, why.match_limited, why.post) == (50.0, 1550.0, 1550.0)
    assert why.final.standard.no_bonus is NoBonus.MATCH


def test_without_games_there_are_no_steps():
    section = rating_input([Competitor(1, 1500.0, 30)], [])
    why = explain(section, RULES, 1)
    assert (why.first_estimate, why.intermediate, why.final) == (None, None, None)
    assert why.post == 1500.0


def test_a_stranger_cannot_be_explained():
    with pytest.raises(KeyError):
        explain(MIXED_SECTION, RULES, 99)
