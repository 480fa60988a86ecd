import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.engine.rules import rules_in_force
from ratings.laboratory.drift import DriftObserver
from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.history import HistoryBuilder
from ratings.laboratory.protocol import UNKNOWN
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.rule_change import (
    EXAMPLES,
    MAX_MOVERS,
    Effect,
    Mover,
    changes_between,
    final_ratings,
)
from tests.ratings.laboratory.simple import (
    SimpleParameters,
    SimpleSystem,
    day,
    games_to_history,
)
from tests.ratings.laboratory.synthetic import Federation, generate_history

EVERYTHING = Plan(warm_up_days=0)


def pool_of(*birth_years, last="2024-12-31"):
    """Return a history in which all players played once, on the same day."""
    builder = HistoryBuilder()
    for number, year in enumerate(birth_years):
        builder.player(str(number), birth_year=year)
    for number in range(1, len(birth_years)):
        builder.game(number - 1, number, 1.0, day(last))
    return builder.build()


def test_who_gained_and_who_lost():
    before, after = [1500.0, 1500.0, 1500.0, 1900.0], [1510.0, 1490.0, 1500.0, 1904.0]
    changes = changes_between(pool_of(*[None] * 4), before, after)
    assert changes.all_players == Effect(
        low=None,
        high=None,
        players=4,
        gained=2,
        lost=1,
        mean=1.0,
        median=2.0,
        percentiles=(-8.5, -2.5, 5.5, pytest.approx(9.1)),
    )
    assert [(one.low, one.players, one.mean) for one in changes.classes] == [
        (1400, 3, 0.0),
        (1800, 1, 4.0),
    ]
    assert changes.gainers == [Mover(0, 1500, 1510), Mover(3, 1900, 1904)]
    assert changes.losers == [Mover(1, 1500, 1490)]


def test_less_than_people_see_is_no_gain_but_enters_the_mean():
    changes = changes_between(pool_of(None, None), [1500.1, 1500.4], [1500.3, 1500.6])
    assert (changes.all_players.gained, changes.all_players.lost) == (1, 0)
    assert changes.all_players.mean == pytest.approx(0.2)


def test_the_class_is_that_before_the_change():
    changes = changes_between(pool_of(None, None), [1590.0, 1610.0], [1610.0, 1590.0])
    assert [(one.low, one.mean) for one in changes.classes] == [
        (1400, 20.0),
        (1600, -20.0),
    ]


def test_ages_are_those_at_the_end_of_the_history():
    changes = changes_between(
        pool_of(2011, 2012, 1950, None), [1000.0] * 4, [1001.0, 1003.0, 999.0, 1000.0]
    )
    assert [(one.low, one.high, one.players, one.mean) for one in changes.ages] == [
        (10, 13, 1, 3.0),
        (13, 16, 1, 1.0),
        (65, None, 1, -1.0),
        (None, None, 1, 0.0),
    ]


def test_who_is_rated_under_one_rule_only_is_counted_apart():
    changes = changes_between(
        pool_of(*[None] * 4),
        [1500.0, UNKNOWN, 1500.0, UNKNOWN],
        [1500.0, 1400.0, UNKNOWN, UNKNOWN],
    )
    assert changes.all_players.players == 1
    assert (changes.only_before, changes.only_after) == (1, 1)


def test_no_player_rated_under_both_means_no_effect():
    changes = changes_between(pool_of(None, None), [UNKNOWN] * 2, [1500.0] * 2)
    assert changes.all_players is None
    assert (changes.classes, changes.ages, changes.gainers) == ([], [], [])


def test_only_those_who_played_since_then_are_looked_at():
    history = games_to_history(
        ("a", "b", 1.0, "2023-01-10"), ("a", "c", 1.0, "2024-01-10")
    )
    columns = [1000.0] * 3, [1001.0] * 3
    all_players = changes_between(history, *columns).all_players
    since = changes_between(history, *columns, since=day("2024-01-10")).all_players
    assert (all_players.players, since.players) == (3, 2)


def test_only_the_largest_movers_are_named():
    count = 3 * MAX_MOVERS
    before = [1500.0] * count
    after = [1500.0 + number - MAX_MOVERS for number in range(count)]
    changes = changes_between(pool_of(*[None] * count), before, after)
    assert [one.difference for one in changes.gainers] == list(
        range(2 * MAX_MOVERS - 1, MAX_MOVERS - 1, -1)
    )
    assert [one.difference for one in changes.losers] == list(range(-MAX_MOVERS, 0))


@given(st.lists(st.tuples(st.floats(100, 2900), st.floats(100, 2900)), min_size=2))
def test_bands_hold_every_player_once_and_movers_are_of_one_side(ratings):
    before, after = (list(one) for one in zip(*ratings, strict=True))
    history = pool_of(*[1990 + number % 30 for number in range(len(ratings))])
    changes = changes_between(history, before, after)
    for bands in (changes.classes, changes.ages):
        assert sum(one.players for one in bands) == len(ratings)
        assert sum(one.gained for one in bands) == changes.all_players.gained
        assert sum(one.lost for one in bands) == changes.all_players.lost
    assert all(one.difference > 0 for one in changes.gainers)
    assert all(one.difference < 0 for one in changes.losers)
    # One direction gains the points that the other loses.
    back = changes_between(history, after, before)
    assert (back.all_players.gained, back.all_players.lost) == (
        changes.all_players.lost,
        changes.all_players.gained,
    )
    assert math.isclose(back.all_players.mean, -changes.all_players.mean, abs_tol=1e-9)


def rated_under_both(history, before, after):
    """Run two variants; return what changed between them, and how each pool drifted."""
    finals, drifts = [], []
    for system, parameters in (before, after):
        drift = DriftObserver(history, system)
        outcome = run(system, parameters, history, EVERYTHING, [drift])
        finals.append(final_ratings(outcome, system))
        drifts.append(drift.snapshots)
    return changes_between(history, *finals), drifts


def test_two_variants_of_one_system():
    history = games_to_history(
        ("a", "b", 1.0, "2024-01-10"),
        ("a", "b", 1.0, "2024-02-10"),
        ("b", "a", 0.0, "2024-03-10"),
    )
    changes, (before, after) = rated_under_both(
        history,
        (SimpleSystem(), SimpleParameters(gain=10)),
        (SimpleSystem(), SimpleParameters(gain=12)),
    )
    # Three wins of 2 points more, shown twice as large.
    assert changes.gainers == [Mover(0, 2060, 2072)]
    assert changes.losers == [Mover(1, 1940, 1928)]
    assert [one.all_players.spread for one in before] == [20, 40, 60]
    assert [one.all_players.spread for one in after] == [24, 48, 72]


def test_a_variant_does_not_differ_from_itself():
    history = generate_history(Federation(players=40, months=6)).history
    variant = (SimpleSystem(), None)
    changes, (before, after) = rated_under_both(history, variant, variant)
    all_players = changes.all_players
    assert (all_players.gained, all_players.lost, all_players.mean) == (0, 0, 0)
    assert before == after


# --- The changes of B ---


def multipliers(variant, on):
    """Return the B that a variant uses on a day, as the rules of its edition say."""
    editions = {"uschess.2025_02": "2025-02-10", "uschess.2025_07": "2025-07-26"}
    rules = rules_in_force(on, editions[variant.system])
    return variant.parameters.get("bonus_multiplier", rules.bonus_multiplier)


@pytest.mark.parametrize(
    ("example", "before", "after"), [(EXAMPLES[0], 14, 12), (EXAMPLES[1], 12, 10)]
)
def test_shipped_examples_differ_from_their_day_on_and_in_b_alone(
    example, before, after
):
    assert multipliers(example.before, example.day) == before
    assert multipliers(example.after, example.day) == after
    day_before = date.fromordinal(example.day.toordinal() - 1)
    for on in (example.first_day, day_before):
        assert multipliers(example.before, on) == multipliers(example.after, on)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_shipped_examples_can_be_run(example):
    """Nothing changes before the day, and a lower B gives no fewer bonus points."""
    federation = Federation(players=60, months=14, spread=300.0)
    start = (
        example.day.toordinal() - 200 - generate_history(federation).history.first_day
    )
    moved = HistoryBuilder()
    history = generate_history(federation).history
    games = history.games
    for number in range(len(history)):
        moved.game(
            moved.player(str(games.white[number]), birth_year=1980),
            moved.player(str(games.black[number]), birth_year=1980),
            games.points[number],
            games.days[number] + start,
            moved.event(str(games.events[number])),
        )
    variants = [
        (SYSTEMS[one.system], SYSTEMS[one.system].parameters(**one.parameters))
        for one in (example.before, example.after)
    ]
    changes, drifts = rated_under_both(moved.build(), *variants)
    pairs = list(zip(*drifts, strict=True))
    early = [pair for pair in pairs if pair[0].day < example.day.toordinal()]
    assert len(early) >= 5
    assert all(before == after for before, after in early)
    last_before, last_after = pairs[-1]
    assert last_after.bonus_points > last_before.bonus_points
    assert changes.all_players.mean > 0
