"""Floor requests: who may ask, what is granted, what is refused."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from ratings.decisions.floors.queries.floors import current_floor
from ratings.decisions.floors.services.validation import FloorRefused
from ratings.engine.systems import System
from ratings.models import Floor, FloorLowering, FloorRequest, RerateMark
from ratings.previews.floor_requests.services import (
    decide_floor_request,
    hypothesis_of,
    lowering_of,
    request_lower_floor,
)
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.audit.services import entries_about
from tests.factories import (
    make_player,
    make_staff,
    make_user,
    merge_with_approval,
    rated_section,
)
from tests.ratings.decisions.floors.factories import (
    LOWER,
    clerk,
    staff_with_permissions,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def ask(player, actor=None, **changes) -> FloorRequest:
    facts = {"system": "OTBR", "reason": "I am ill and cannot hold it."}
    return request_lower_floor(
        player_id=player.pk, actor=actor or make_staff(), **facts | changes
    )


def decide(request, is_granted=True, actor=None) -> FloorRequest:
    return decide_floor_request(
        request_id=request.pk,
        is_granted=is_granted,
        reason="Discussed.",
        actor=actor or staff_with_permissions(LOWER),
    )


def test_member_requests_own_floor():
    account = make_user()
    player = make_player(ratings={"OTBR": (1650.0, 30)}, account=account)
    request = ask(player, account)
    assert (request.floor, request.day, request.status, request.asked_by) == (
        1400,
        timezone.localdate(),
        "asked",
        account,
    )


def test_only_own_floors_can_be_requested():
    player = make_player(ratings={"OTBR": (1650.0, 30)}, account=make_user())
    with pytest.raises(NotAllowed):
        ask(player, make_user())
    assert not FloorRequest.objects.exists()


def test_granted_request_lowers_the_floor_by_100_points_from_its_day():
    player, staff = (
        make_player(ratings={"OTBR": (1650.0, 30)}),
        staff_with_permissions(LOWER),
    )
    request = decide(ask(player), actor=staff)
    assert (request.status, request.decided_by, request.decision_reason) == (
        "granted",
        staff,
        "Discussed.",
    )
    lowering = FloorLowering.objects.get()
    assert (lowering.level, lowering.starts, lowering.request, lowering.reason) == (
        1300,
        timezone.localdate(),
        request,
        "Discussed.",
    )
    assert current_floor(player, System.OTBR).effective_floor == (1300, "Lowered floor")
    assert not RerateMark.objects.exists()  # nothing is rated since today
    actions = [entry.action for entry in entries_about(request).order_by("pk")]
    assert actions == ["floor_request.asked", "floor_request.granted"]


def test_refused_request_changes_nothing():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    assert decide(ask(player), is_granted=False).status == "refused"
    assert not FloorLowering.objects.exists()
    assert current_floor(player, System.OTBR).level == 1400
    assert ask(player).status == "asked"  # may be asked again


def test_decision_needs_the_permission_and_is_made_once():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    request = ask(player)
    with pytest.raises(NotAllowed):
        decide(request, actor=clerk())
    decide(request)
    with pytest.raises(FloorRefused, match="already been decided"):
        decide(request, is_granted=False)
    assert FloorLowering.objects.count() == 1


@pytest.mark.parametrize(
    ("rating", "system", "rule"),
    [
        (900.0, "OTBR", "below 100, the lowest possible rating"),
        (1650.0, "OTBQ", "no rating in this system"),
    ],
)
def test_floor_that_cannot_be_lowered_is_refused(rating, system, rule):
    player = make_player(ratings={"OTBR": (rating, 30)})
    with pytest.raises(FloorRefused, match=rule):
        ask(player, system=system)


def test_one_request_waits_at_a_time():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    ask(player)
    with pytest.raises(FloorRefused, match="already an open request"):
        ask(player)


def test_one_request_waits_for_both_ids_of_a_member():
    kept = make_player(ratings={"OTBR": (1650.0, 30)})
    merged = make_player(ratings={"OTBR": (1650.0, 30), "OTBQ": (1650.0, 30)})
    first, _other_system = ask(merged), ask(merged, system="OTBQ")
    merge_with_approval(kept, merged)
    for number in (kept, merged):
        with pytest.raises(FloorRefused, match="already an open request"):
            ask(number)
    decide(first, is_granted=False)
    assert ask(kept).player == kept


def test_request_about_another_floor_than_holds_now_is_not_granted():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    request = ask(player)
    Floor.objects.create(
        player=player,
        system="OTBR",
        kind="office",
        level=1500,
        starts=date(2024, 5, 1),
        reason="A ruling.",
        granted_by=make_staff(),
    )
    with pytest.raises(FloorRefused, match="is now 1500"):
        decide(request)
    request.refresh_from_db()
    assert request.status == "asked"
    assert decide(request, is_granted=False).status == "refused"


def test_lowering_before_a_later_rating_creates_a_pending_rerate():
    section = rated_section()
    player = section.entries.first().player
    request = FloorRequest.objects.create(
        player=player,
        system="OTBR",
        floor=current_floor(player, System.OTBR, on=section.ends).level,
        day=section.ends,
        reason="Before the event.",
    )
    decide(request)
    mark = RerateMark.objects.get()
    assert (mark.kind, mark.from_day, mark.player) == ("floor", section.ends, player)
    assert mark.note == (
        f"The Regular floor of {player.name} is lowered from 1300 to 1200 "
        "from 2024-05-05."
    )


def test_lowering_that_nothing_was_rated_after_has_no_effect_to_show():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    assert hypothesis_of(lowering_of(ask(player))) is None
