"""What an act is said to do to ratings is what it then does."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.apps import apps
from django.utils import timezone

from players.external.services import enter_rating
from players.fide.services.links import link_fide_id, unlink_fide_id
from players.identity.services import undo_merge
from players.models import Player, PlayerMerge
from ratings.effects import services
from ratings.effects.services import rehearse
from ratings.floor_requests.services import decide_floor_request, request_lower_floor
from ratings.floors.services.adjustments import propose_adjustment, propose_withdrawal
from ratings.floors.services.ceilings import end_ceiling, impose_ceiling
from ratings.floors.services.floors import end_floor
from ratings.floors.services.shared import FloorRefused
from ratings.models import Adjustment, Ceiling, Floor, RerateMark
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.starting import start_rerate
from ratings_site.common.acts.services import approve
from ratings_site.common.jobs.services import work_off
from tests.factories import make_staff, merge_by_two
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import import_list
from tests.ratings.floors.people import (
    ADJUST,
    CEILING,
    GRANT,
    LOWER,
    granted_floor,
    staff_who_may,
)
from tests.ratings.rerates.offices import ratings
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    APRIL,
    MARCH,
    MAY,
    office,
    rated_in_this_order,
)
from tests.ratings.rerates.test_what_if import whole_changes

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
FIDE_ID = 30900001


@pytest.fixture
def members(office) -> list[Player]:  # noqa: F811
    rated_in_this_order(office, [0, 1, 2])
    assert not RerateMark.objects.exists()
    return office[1]


def rerated() -> None:
    run = start_rerate(actor=None, reason="Go.")
    work_off()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")


def books() -> dict[str, int]:
    return {
        model.__name__: model.objects.count()
        for model in apps.get_models()
        if hasattr(model, "objects")
    }


def as_changes(moves) -> dict:
    ids = dict(Player.objects.values_list("pk", "member_id"))
    return {
        (ids[move.player], move.system.value): (move.before, move.after)
        for move in moves
    }


def adjusted(member: Player, day: date) -> Adjustment:
    act = propose_adjustment(
        player_id=member.pk,
        system="OTBR",
        kind="reinstate",
        day=day,
        rating=1900.0,
        games=40,
        reason="Lost books.",
        actor=staff_who_may(ADJUST),
    )
    return approve(act_id=act.pk, actor=staff_who_may(ADJUST))


def withdrawn(adjustment: Adjustment) -> None:
    said = {"adjustment_id": adjustment.pk, "reason": "An error."}
    act = propose_withdrawal(actor=staff_who_may(ADJUST), **said)
    approve(act_id=act.pk, actor=staff_who_may(ADJUST))


def ceiling(member: Player, day: date, level: int = 1500) -> Ceiling:
    return impose_ceiling(
        player_id=member.pk,
        system="OTBR",
        level=level,
        starts=day,
        reason="A ruling.",
        actor=staff_who_may(CEILING),
    )


def floor(member: Player, day: date, level: int = 1900) -> Floor:
    return granted_floor(player_id=member.pk, system="OTBR", level=level, starts=day)


def linked(member: Player) -> None:
    link_fide_id(
        player_id=member.pk, fide_id=FIDE_ID, actor=make_staff(), reason="It is hers."
    )


def unmerged(members: list[Player]) -> Callable[[], object]:
    merge = merge_by_two(members[1], members[4])
    rerated()
    return lambda: undo_merge(merge_id=merge.pk, actor=make_staff(), reason="Twins.")


def floor_ended(members: list[Player]) -> Callable[[], object]:
    given = floor(members[2], MARCH)
    rerated()
    actor = staff_who_may(GRANT)
    return lambda: end_floor(floor_id=given.pk, ends=MARCH, reason="So.", actor=actor)


def ceiling_ended(members: list[Player]) -> Callable[[], object]:
    given = ceiling(members[2], MARCH, 1000)
    rerated()
    said = {"ceiling_id": given.pk, "ends": MARCH, "reason": "So."}
    return lambda: end_ceiling(actor=staff_who_may(CEILING), **said)


def adjustment_withdrawn(members: list[Player]) -> Callable[[], object]:
    adjustment = adjusted(members[1], MARCH - DAY)
    rerated()
    return lambda: withdrawn(adjustment)


def link_of_newcomer(members: list[Player]) -> Callable[[], object]:
    import_list([Person(FIDE_ID, rating=2300)], date(2024, 4, 1))
    return lambda: linked(members[4])


def link_taken_away(members: list[Player]) -> Callable[[], object]:
    link_of_newcomer(members)()
    rerated()
    said = {"player_id": members[4].pk, "actor": make_staff(), "reason": "Not hers."}
    return lambda: unlink_fide_id(**said)


def cfc_of_newcomer(members: list[Player]) -> Callable[[], object]:
    Player.objects.filter(pk=members[4].pk).update(residence="CAN")
    return lambda: enter_rating(
        player_id=members[4].pk,
        body="CFC",
        rating=2100,
        list_date=date(2024, 3, 1),
        actor=make_staff(),
        reason="chess.ca",
    )


# Everything here is late: it leaves a mark, and the rerate moves ratings.
LATE = {
    "merge": (lambda them: lambda: merge_by_two(them[1], them[4]), [1, 4]),
    "undone merge": (unmerged, [1, 4]),
    "floor": (lambda them: lambda: floor(them[1], MARCH), [1]),
    "end of a floor": (floor_ended, [2]),
    "ceiling": (lambda them: lambda: ceiling(them[0], MARCH), [0]),
    "end of a ceiling": (ceiling_ended, [2]),
    "adjustment": (lambda them: lambda: adjusted(them[1], MARCH - DAY), [1]),
    "withdrawal": (adjustment_withdrawn, [1]),
    "link": (link_of_newcomer, [4]),
    "link taken away": (link_taken_away, [4]),
    "CFC rating": (cfc_of_newcomer, [4]),
}


@pytest.mark.parametrize("act", LATE)
def test_a_late_act_does_what_was_said(members, act):
    begin, about = LATE[act]
    do = begin(members)
    before, rows = ratings(), books()
    seen = rehearse(do, [members[place].pk for place in about])
    assert (ratings(), books()) == (before, rows)

    do()

    marks = RerateMark.objects.filter(run=None).values_list("from_day", flat=True)
    assert seen.left == tuple(sorted(marks)) != ()
    assert seen.begins == min(marks)
    assert (seen.at_once, ratings()) == ((), before)
    rerated()
    changes = whole_changes(before, ratings())
    assert changes
    assert as_changes(seen.after_rerate) == changes


def test_open_marks_are_no_effect_of_the_act(members):
    """History is replayed from the earlier mark; that one's effect is not counted."""
    ceiling(members[0], MARCH)
    with_mark = rehearse(lambda: floor(members[2], APRIL), [members[2].pk])
    assert (with_mark.left, with_mark.begins) == ((APRIL,), MARCH)
    rerated()
    without = rehearse(lambda: floor(members[2], APRIL), [members[2].pk])
    assert without.begins == APRIL
    assert with_mark.after_rerate
    assert as_changes(with_mark.after_rerate) == as_changes(without.after_rerate)


def test_an_adjustment_in_order_counts_at_once(members):
    before = ratings()
    seen = rehearse(lambda: adjusted(members[1], MAY + DAY), [members[1].pk])
    adjusted(members[1], MAY + DAY)
    assert (seen.left, seen.after_rerate) == ((), ())
    assert not RerateMark.objects.exists()
    assert as_changes(seen.at_once) == whole_changes(before, ratings())
    assert [move.after for move in seen.at_once] == [1900.0]


IN_ORDER = {
    "floor": lambda them: floor(them[1], timezone.localdate()),
    "ceiling": lambda them: ceiling(them[0], timezone.localdate()),
    "rating of who is rated": lambda them: enter_rating(
        player_id=them[0].pk,
        body="CFC",
        rating=2100,
        list_date=date(2024, 3, 1),
        actor=make_staff(),
        reason="chess.ca",
    ),
}


@pytest.mark.parametrize("act", IN_ORDER)
def test_what_is_in_order_leaves_no_mark(members, act):
    seen = rehearse(lambda: IN_ORDER[act](members), [members[0].pk, members[1].pk])
    IN_ORDER[act](members)
    assert not RerateMark.objects.exists()
    assert (seen.left, seen.taken_back, seen.at_once, seen.after_rerate) == (
        (),
        (),
        (),
        (),
    )


def test_an_undone_merge_takes_back_its_mark(members):
    merge = merge_by_two(members[1], members[4])
    day = RerateMark.objects.get().from_day
    about = [members[1].pk, members[4].pk]

    def do():
        undo_merge(merge_id=merge.pk, actor=make_staff(), reason="Twins.")

    seen = rehearse(do, about)
    assert (seen.left, seen.taken_back, seen.begins) == ((), (day,), None)
    do()
    assert not RerateMark.objects.exists()


def test_a_lowered_floor_is_rehearsed(members):
    floor(members[1], MAY - DAY, 1600)
    request = request_lower_floor(
        player_id=members[1].pk, system="OTBR", reason="Ill.", actor=make_staff()
    )

    def do():
        decide_floor_request(
            request_id=request.pk,
            is_granted=True,
            reason="So.",
            actor=staff_who_may(LOWER),
        )

    assert rehearse(do, [members[1].pk]).left == ()
    do()
    assert not RerateMark.objects.filter(run=None).exists()


def test_what_takes_too_long_is_not_replayed(members, monkeypatch):
    monkeypatch.setattr(services, "MOST_LINES", 3)
    seen = rehearse(lambda: floor(members[1], MARCH), [members[1].pk])
    assert seen.left == (MARCH,)
    assert (seen.after_rerate, seen.replayed) == (None, 4)


def test_a_refused_act_leaves_nothing_behind(members):
    rows = books()
    with pytest.raises(FloorRefused):
        rehearse(lambda: floor(members[1], MARCH, 100), [members[1].pk])
    assert books() == rows
    assert not PlayerMerge.objects.exists()
