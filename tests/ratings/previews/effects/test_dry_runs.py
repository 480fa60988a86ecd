"""The rating preview of an action equals its effect."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.apps import apps
from django.utils import timezone

from players.external.services import enter_rating
from players.fide.services.links import link_fide_id, unlink_fide_id
from players.identity.services import undo_merge
from players.models import Player, PlayerMerge
from ratings.decisions.floors.services.adjustments import (
    propose_adjustment,
    propose_withdrawal,
)
from ratings.decisions.floors.services.floors import (
    end_ceiling,
    end_floor,
    impose_ceiling,
)
from ratings.decisions.floors.services.validation import FloorRefused
from ratings.models import Adjustment, Ceiling, Floor, RerateMark
from ratings.previews.effects import services
from ratings.previews.effects.services import preview_rating_changes
from ratings.previews.floor_requests.services import (
    decide_floor_request,
    request_lower_floor,
)
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.approvals.services import approve
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import make_staff, merge_with_approval
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import import_list
from tests.ratings.decisions.floors.factories import (
    ADJUST,
    CEILING,
    GRANT,
    LOWER,
    granted_floor,
    staff_with_permissions,
)
from tests.ratings.rerates.factories import ratings
from tests.ratings.rerates.test_dry_run import whole_changes
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    APRIL,
    MARCH,
    MAY,
    office,
    rated_in_this_order,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
FIDE_ID = 30900001


@pytest.fixture
def members(office) -> list[Player]:  # noqa: F811
    rated_in_this_order(office, [0, 1, 2])
    assert not RerateMark.objects.exists()
    return office[1]


def run_rerate() -> None:
    run = start_rerate(actor=None, reason="Go.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")


def row_counts() -> dict[str, int]:
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
        actor=staff_with_permissions(ADJUST),
    )
    return approve(act_id=act.pk, actor=staff_with_permissions(ADJUST))


def withdrawn(adjustment: Adjustment) -> None:
    said = {"adjustment_id": adjustment.pk, "reason": "An error."}
    act = propose_withdrawal(actor=staff_with_permissions(ADJUST), **said)
    approve(act_id=act.pk, actor=staff_with_permissions(ADJUST))


def ceiling(member: Player, day: date, level: int = 1500) -> Ceiling:
    return impose_ceiling(
        player_id=member.pk,
        system="OTBR",
        level=level,
        starts=day,
        reason="A ruling.",
        actor=staff_with_permissions(CEILING),
    )


def floor(member: Player, day: date, level: int = 1900) -> Floor:
    return granted_floor(player_id=member.pk, system="OTBR", level=level, starts=day)


def linked(member: Player) -> None:
    link_fide_id(
        player_id=member.pk, fide_id=FIDE_ID, actor=make_staff(), reason="It is hers."
    )


def undo_merge_case(members: list[Player]) -> Callable[[], object]:
    merge = merge_with_approval(members[1], members[4])
    run_rerate()
    return lambda: undo_merge(merge_id=merge.pk, actor=make_staff(), reason="Twins.")


def floor_ended(members: list[Player]) -> Callable[[], object]:
    given = floor(members[2], MARCH)
    run_rerate()
    actor = staff_with_permissions(GRANT)
    return lambda: end_floor(floor_id=given.pk, ends=MARCH, reason="So.", actor=actor)


def ceiling_ended(members: list[Player]) -> Callable[[], object]:
    given = ceiling(members[2], MARCH, 1000)
    run_rerate()
    said = {"ceiling_id": given.pk, "ends": MARCH, "reason": "So."}
    return lambda: end_ceiling(actor=staff_with_permissions(CEILING), **said)


def adjustment_withdrawn(members: list[Player]) -> Callable[[], object]:
    adjustment = adjusted(members[1], MARCH - DAY)
    run_rerate()
    return lambda: withdrawn(adjustment)


def link_of_newcomer(members: list[Player]) -> Callable[[], object]:
    import_list([Person(FIDE_ID, rating=2300)], date(2024, 4, 1))
    return lambda: linked(members[4])


def unlink_case(members: list[Player]) -> Callable[[], object]:
    link_of_newcomer(members)()
    run_rerate()
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


# All actions here are late: they add a pending rerate, which changes ratings.
LATE = {
    "merge": (lambda them: lambda: merge_with_approval(them[1], them[4]), [1, 4]),
    "undone merge": (undo_merge_case, [1, 4]),
    "floor": (lambda them: lambda: floor(them[1], MARCH), [1]),
    "end of a floor": (floor_ended, [2]),
    "ceiling": (lambda them: lambda: ceiling(them[0], MARCH), [0]),
    "end of a ceiling": (ceiling_ended, [2]),
    "adjustment": (lambda them: lambda: adjusted(them[1], MARCH - DAY), [1]),
    "withdrawal": (adjustment_withdrawn, [1]),
    "link": (link_of_newcomer, [4]),
    "link taken away": (unlink_case, [4]),
    "CFC rating": (cfc_of_newcomer, [4]),
}


@pytest.mark.parametrize("act", LATE)
def test_a_late_action_matches_its_preview(members, act):
    begin, about = LATE[act]
    do = begin(members)
    before, rows = ratings(), row_counts()
    seen = preview_rating_changes(do, [members[place].pk for place in about])
    assert (ratings(), row_counts()) == (before, rows)

    do()

    marks = RerateMark.objects.filter(run=None).values_list("from_day", flat=True)
    assert seen.added == tuple(sorted(marks)) != ()
    assert seen.begins == min(marks)
    assert (seen.immediate, ratings()) == ((), before)
    run_rerate()
    changes = whole_changes(before, ratings())
    assert changes
    assert as_changes(seen.after_rerate) == changes


def test_pending_rerates_are_excluded_from_the_preview(members):
    """The replay starts at the earlier pending rerate, whose effect is not counted."""
    ceiling(members[0], MARCH)
    with_mark = preview_rating_changes(
        lambda: floor(members[2], APRIL), [members[2].pk]
    )
    assert (with_mark.added, with_mark.begins) == ((APRIL,), MARCH)
    run_rerate()
    without = preview_rating_changes(lambda: floor(members[2], APRIL), [members[2].pk])
    assert without.begins == APRIL
    assert with_mark.after_rerate
    assert as_changes(with_mark.after_rerate) == as_changes(without.after_rerate)


def test_an_adjustment_in_order_counts_at_once(members):
    before = ratings()
    seen = preview_rating_changes(
        lambda: adjusted(members[1], MAY + DAY), [members[1].pk]
    )
    adjusted(members[1], MAY + DAY)
    assert (seen.added, seen.after_rerate) == ((), ())
    assert not RerateMark.objects.exists()
    assert as_changes(seen.immediate) == whole_changes(before, ratings())
    assert [move.after for move in seen.immediate] == [1900.0]


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
def test_changes_in_order_create_no_pending_rerate(members, act):
    seen = preview_rating_changes(
        lambda: IN_ORDER[act](members), [members[0].pk, members[1].pk]
    )
    IN_ORDER[act](members)
    assert not RerateMark.objects.exists()
    assert (seen.added, seen.removed, seen.immediate, seen.after_rerate) == (
        (),
        (),
        (),
        (),
    )


def test_an_undone_merge_removes_its_pending_rerate(members):
    merge = merge_with_approval(members[1], members[4])
    day = RerateMark.objects.get().from_day
    about = [members[1].pk, members[4].pk]

    def do():
        undo_merge(merge_id=merge.pk, actor=make_staff(), reason="Twins.")

    seen = preview_rating_changes(do, about)
    assert (seen.added, seen.removed, seen.begins) == ((), (day,), None)
    do()
    assert not RerateMark.objects.exists()


def test_a_lowered_floor_is_previewed(members):
    floor(members[1], MAY - DAY, 1600)
    request = request_lower_floor(
        player_id=members[1].pk, system="OTBR", reason="Ill.", actor=make_staff()
    )

    def do():
        decide_floor_request(
            request_id=request.pk,
            is_granted=True,
            reason="So.",
            actor=staff_with_permissions(LOWER),
        )

    assert preview_rating_changes(do, [members[1].pk]).added == ()
    do()
    assert not RerateMark.objects.filter(run=None).exists()


def test_what_takes_too_long_is_not_replayed(members, monkeypatch):
    monkeypatch.setattr(services, "MAX_LINES", 3)
    seen = preview_rating_changes(lambda: floor(members[1], MARCH), [members[1].pk])
    assert seen.added == (MARCH,)
    assert (seen.after_rerate, seen.replayed) == (None, 4)


def test_a_refused_action_leaves_nothing_behind(members):
    rows = row_counts()
    with pytest.raises(FloorRefused):
        preview_rating_changes(lambda: floor(members[1], MARCH, 100), [members[1].pk])
    assert row_counts() == rows
    assert not PlayerMerge.objects.exists()
