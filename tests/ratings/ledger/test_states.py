"""The states of players before a section."""

from datetime import date, timedelta

import pytest

from players.models import ExternalRating, Membership, MembershipType, Player
from ratings.engine.inputs import Record, SourceRating
from ratings.engine.systems import Body, System
from ratings.ledger.services.player_states import (
    PlayerState,
    RatingState,
    load_states,
)
from ratings.models import Ceiling, Floor, RatingChange
from tests.factories import make_player, make_staff, open_rating

pytestmark = pytest.mark.django_db

END = date(2024, 5, 5)
DAY = timedelta(days=1)


def state_of(player, day: date = END) -> PlayerState:
    return load_states([player.pk], day=day)[player.pk]


def test_state_holds_every_system_as_the_ledger_left_it():
    player = make_player(birth_date=date(2001, 2, 3), ratings={"OTBB": (1400.0, 5)})
    open_rating(
        player,
        "OTBR",
        1612.5,
        40,
        as_of=date(2024, 2, 1),
        peak=1700.0,
        wins=20,
        draws=5,
        losses=15,
        three_game_events=9,
    )

    state = state_of(player)

    assert state.birth_date == date(2001, 2, 3)
    assert state.standings[System.OTBR] == RatingState(
        1612.5,
        40,
        Record.MIXED,
        20,
        5,
        15,
        9,
        1700.0,
        None,
        date(2024, 2, 1),
        last_line=RatingChange.objects.get(
            player=player, calculation__system="OTBR"
        ).pk,
    )
    assert set(state.standings) == {System.OTBR, System.OTBB}


def test_sources_leave_out_the_system_itself_and_come_in_a_fixed_order():
    player = make_player(residence="CAN")
    for system in ("OLB", "OTBB", "OTBR"):
        open_rating(player, system, 1500.0, 7)
    for body in ("CFC", "FIDE"):
        ExternalRating.objects.create(
            player=player, body=body, list_date=END, rating=1800
        )
    day = date(2024, 1, 1)

    assert state_of(player).sources(System.OTBB, day=END) == (
        SourceRating(System.OTBR, 1500.0, 7, day),
        SourceRating(System.OLB, 1500.0, 7, day),
        SourceRating(Body.FIDE, 1800.0, 0, END),
        SourceRating(Body.CFC, 1800.0, 0, END),
    )


def test_source_from_after_the_section_counts_as_of_its_end():
    player = make_player()
    open_rating(player, "OTBR", 1500.0, 7, as_of=END + 30 * DAY)
    [source] = state_of(player).sources(System.OTBB, day=END)
    assert source.day == END


def test_one_list_of_each_body_counts_the_newest_in_force():
    player = make_player()
    for list_date, rating in ((END - DAY, 1), (END, 2), (END + DAY, 3)):
        ExternalRating.objects.create(
            player=player, body="FIDE", list_date=list_date, rating=rating
        )
    assert [source.rating for source in state_of(player).external] == [2.0]
    assert [s.rating for s in state_of(player, END - DAY).external] == [1.0]
    assert state_of(player, END - 2 * DAY).external == []


def test_lists_of_a_merged_member_count_by_day_and_the_own_one_on_the_same_day():
    kept, other = make_player(), make_player()
    Player.objects.filter(pk=other.pk).update(status="duplicate", merged_into=kept)
    # Entered in no order of days.
    for player, day, rating in (
        (kept, END, 4),
        (other, END, 3),
        (other, END - DAY, 2),
        (kept, END - 2 * DAY, 1),
    ):
        ExternalRating.objects.create(
            player=player, body="FIDE", list_date=day, rating=rating
        )
    found = [state_of(kept, END - days * DAY).external for days in (0, 1, 2)]
    assert [[one.rating for one in each] for each in found] == [[4.0], [2.0], [1.0]]


@pytest.mark.parametrize(("residence", "count"), [("CAN", 1), ("USA", 0), ("", 0)])
def test_cfc_lists_are_those_of_residents_of_canada(residence, count):
    player = make_player(residence=residence)
    ExternalRating.objects.create(player=player, body="CFC", list_date=END, rating=1700)
    assert len(state_of(player).external) == count


def test_adult_is_told_by_any_membership_type():
    child, adult = make_player(), make_player(adult=True)
    both = make_player()
    kind, _ = MembershipType.objects.get_or_create(name="Adult", is_adult=True)
    Membership.objects.create(player=both, type=kind, starts=END, expires=END)
    states = load_states([child.pk, adult.pk, both.pk], day=END)
    assert [states[p.pk].is_adult for p in (child, adult, both)] == [False, True, True]


def test_grants_count_on_their_first_and_last_day():
    player, staff = make_player(), make_staff()
    common = {"player": player, "system": "OTBR", "starts": END, "ends": END + DAY}
    Floor.objects.create(
        **common, kind="office", level=1400, reason="ruling", granted_by=staff
    )
    Ceiling.objects.create(**common, level=1600, reason="ruling", imposed_by=staff)
    for day, floors, ceilings in (
        (END - DAY, {}, {}),
        (END, {System.OTBR: [1400]}, {System.OTBR: 1600}),
        (END + DAY, {System.OTBR: [1400]}, {System.OTBR: 1600}),
        (END + 2 * DAY, {}, {}),
    ):
        state = state_of(player, day)
        assert (dict(state.floors), state.ceilings) == (floors, ceilings)


@pytest.mark.parametrize("size", [1, 25])
def test_states_take_the_same_queries_for_any_number(size, django_assert_num_queries):
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(size)]
    with django_assert_num_queries(7):
        assert len(load_states([player.pk for player in players], day=END)) == size
