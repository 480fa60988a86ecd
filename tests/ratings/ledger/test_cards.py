"""From the database to the engine's input."""

from datetime import date

import pytest

from events.models import Game
from ratings.engine import inputs
from ratings.engine.inputs import Kind, Record
from ratings.engine.rules import DEFAULT_EDITION, rules_in_force
from ratings.engine.systems import System
from ratings.ledger.services.player_states import (
    PlayerState,
    RatingState,
    load_states,
)
from ratings.ledger.services.rating_inputs import (
    Tally,
    build_rating_input,
    highest_floor,
    read_section_facts,
    rules_for,
    tallies,
)
from tests.factories import (
    END,
    START,
    accepted_event,
    event_report,
    make_player,
    make_td,
    section_report,
)

RULES = rules_in_force(date(2024, 5, 4))


def section_of(players, rows, **fields):
    td = make_td()
    report = event_report(td, [section_report(players, rows, **fields)])
    return accepted_event(td, report).sections.get()


@pytest.mark.django_db
def test_facts_are_persons_in_order_and_games_by_rounds():
    one, two, three = (make_player() for _ in range(3))
    section = section_of([one, two, three], ["W2W D3B", "L1B U0", "U0 D1W"])

    facts = read_section_facts(section)

    assert facts.persons == (one.pk, two.pk, three.pk)
    assert facts.games == (
        inputs.Game(one.pk, two.pk, 2, 0),
        inputs.Game(one.pk, three.pk, 1, 1),
    )
    assert (facts.kind, facts.is_online) == (Kind.SWISS, False)
    assert (facts.starts, facts.ends) == (START, END)
    assert facts.systems == (System.OTBR,)
    assert rules_for(facts).edition == DEFAULT_EDITION


@pytest.mark.django_db
def test_outcomes_of_the_two_sides_need_not_mirror_each_other():
    one, two = make_player(), make_player()
    section = section_of([one, two], ["W2W", "L1B"])
    Game.objects.update(second_outcome="D")
    [game] = read_section_facts(section).games
    assert (game.score_a, game.score_b) == (2, 1)


@pytest.mark.django_db
def test_facts_take_two_queries(django_assert_num_queries):
    section = section_of([make_player(), make_player()], ["W2W", "L1B"])
    with django_assert_num_queries(2):
        read_section_facts(section)


@pytest.mark.django_db
def test_rated_player_brings_no_birth_date_and_no_sources():
    rated = make_player(ratings={"OTBR": (1500.0, 30), "OTBQ": (1400.0, 30)})
    newcomer = make_player(ratings={"OTBQ": (1400.0, 12)})
    section = section_of([rated, newcomer], ["W2W", "L1B"])
    facts = read_section_facts(section)
    states = load_states(facts.persons, day=END)

    rating_input = build_rating_input(facts, states, system=System.OTBR, rules=RULES)

    first, second = rating_input.competitors
    assert (first.rating, first.games, first.record) == (1500.0, 30, Record.MIXED)
    assert (first.birth_date, first.adult, first.sources) == (None, False, ())
    assert (second.rating, second.games, second.record) == (None, 0, Record.NONE)
    assert second.birth_date == date(1990, 1, 1)
    assert [source.source for source in second.sources] == [System.OTBQ]


def test_tally_counts_each_side():
    games = [inputs.Game(1, 2, 2, 0), inputs.Game(2, 1, 1, 1), inputs.Game(1, 3, 0, 0)]
    assert tallies(games) == {
        1: Tally(wins=1, draws=1, losses=1),
        2: Tally(wins=0, draws=1, losses=1),
        3: Tally(losses=1),
    }


@pytest.mark.parametrize(("games", "counts"), [(2, 0), (3, 1), (4, 1)])
def test_three_rated_games_make_an_event_of_three_games(games, counts):
    assert Tally(losses=games).counted_events(RULES) == counts


def standing(**fields) -> RatingState:
    values = {
        "rating": 1500.0,
        "games": 30,
        "record": Record.MIXED,
        "wins": 0,
        "draws": 0,
        "losses": 0,
        "three_game_events": 0,
        "peak": None,
        "age_start": None,
        "rated_on": START,
    }
    return RatingState(**{**values, **fields})


@pytest.mark.parametrize(
    ("before", "tally", "system", "floor"),
    [
        (None, Tally(), System.OTBR, 100),
        # min(100 + 4 x wins + 2 x draws + events of three games, 150)
        (None, Tally(wins=2, draws=1, losses=1), System.OTBR, 111),
        (standing(wins=3, draws=1, three_game_events=10), Tally(), System.OTBQ, 124),
        (standing(wins=12), Tally(draws=1), System.OTBB, 150),
        (standing(wins=12), Tally(wins=1), System.OLR, 100),
        (standing(peak=1941.0), Tally(), System.OLR, 1700),
        (standing(peak=1999.51), Tally(), System.OTBR, 1800),
        (standing(peak=1388.0, wins=1), Tally(), System.OTBR, 104),
    ],
)
def test_floor_is_the_highest_of_absolute_and_peak(before, tally, system, floor):
    found = highest_floor(PlayerState(), before, tally, system=system, rules=RULES)
    assert found == floor


def test_granted_floor_counts_in_its_own_system_and_the_highest_wins():
    state = PlayerState()
    state.floors[System.OTBR] += [1400, 1600, 1500]
    floors = [
        highest_floor(state, standing(peak=1750.0), Tally(), system=system, rules=RULES)
        for system in (System.OTBR, System.OTBQ)
    ]
    assert floors == [1600, 1500]
