"""A match result below a floor opens a floor request, and the why page says so."""

import pytest
from django.urls import reverse

from ratings.decisions.floors.queries.floors import current_floor
from ratings.decisions.floors.services.validation import FloorRefused
from ratings.engine.systems import System
from ratings.ledger.services.sections import open_match_requests
from ratings.models import (
    Calculation,
    Floor,
    FloorLowering,
    FloorRequest,
    RatingChange,
    RerateMark,
)
from ratings.previews.floor_requests.services import (
    decide_floor_request,
    hypothesis_of,
    lowering_of,
)
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings.rerates.services.what_if import simulate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import make_player, make_staff, merge_with_approval, open_rating
from tests.ratings.decisions.floors.factories import (
    LOWER,
    granted_floor,
    staff_with_permissions,
)
from tests.ratings.decisions.floors.test_adjustments import adjusted
from tests.ratings.decisions.matches.factories import (
    DAY,
    FIRST,
    established,
    rated_match,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def loser():
    player = established(1610.0, given_name="Lou", family_name="Loser")
    Floor.objects.create(
        player=player,
        system="OTBR",
        kind="money",
        level=1600,
        starts=FIRST - 30 * DAY,
        reason="A prize.",
        granted_by=make_staff(),
    )
    return player


def lose(player, day=FIRST) -> Calculation:
    section = rated_match(player, established(1605.0), "LLLL", day)
    return section.calculations.get(is_current=True)


def test_match_below_the_floor_asks_to_lower_it_by_100(loser):
    calculation = lose(loser)
    line = calculation.changes.get(player=loser)
    assert (line.post_rating, line.floor_used, line.floor_request) == (
        1600.0,
        1600.0,
        True,
    )
    request = FloorRequest.objects.get()
    assert (request.player, request.system, request.floor, request.day) == (
        loser,
        "OTBR",
        1600,
        FIRST,
    )
    assert (request.section, request.asked_by) == (calculation.section, None)
    assert (lowering_of(request).level, lowering_of(request).starts) == (1500, FIRST)


def test_match_asks_once(loser):
    calculation = lose(loser)
    assert open_match_requests(calculation, calculation.changes.all()) == []
    assert FloorRequest.objects.count() == 1


@pytest.mark.parametrize("then", [{"floor": 1700}, {"day": FIRST - DAY}])
def test_waiting_request_follows_floor_and_day_of_the_newest_calculation(loser, then):
    calculation = lose(loser)
    FloorRequest.objects.update(**then)
    open_match_requests(calculation, calculation.changes.all())
    request = FloorRequest.objects.get()
    assert (request.floor, request.day) == (1600, FIRST)


def test_decided_request_is_not_opened_again(loser):
    calculation = lose(loser)
    decide(FloorRequest.objects.get(), is_granted=False)
    open_match_requests(calculation, calculation.changes.all())
    assert FloorRequest.objects.get().status == "refused"


def test_won_match_and_personal_absolute_floor_ask_for_nothing(client):
    lowest = make_player()
    open_rating(lowest, "OTBR", 130.0, 40, wins=7)
    calculation = lose_against(lowest, 130.0)
    line = calculation.changes.get(player=lowest)
    # 100 + 4 × 7 + 1: the match is an event of three games.
    assert (line.post_rating, line.floor_request) == (129.0, True)
    open_match_requests(calculation, calculation.changes.all())
    assert not FloorRequest.objects.exists()
    page = why(client, calculation, lowest)
    assert "below the floor of 129" in page
    assert "a request to lower the floor" not in page


def lose_against(player, rating) -> Calculation:
    section = rated_match(player, established(rating), "LLLL")
    return section.calculations.get(is_current=True)


def decide(request, is_granted=True):
    return decide_floor_request(
        request_id=request.pk,
        is_granted=is_granted,
        reason="As the rules foresee.",
        actor=staff_with_permissions(LOWER),
    )


def test_granting_takes_effect_from_the_match_with_a_pending_rerate(loser):
    section = lose(loser).section
    request = FloorRequest.objects.get()

    effect = simulate(hypothesis_of(lowering_of(request)))
    decide(request)

    lowering = FloorLowering.objects.get()
    assert (lowering.level, lowering.starts, lowering.request) == (1500, FIRST, request)
    [mark] = RerateMark.objects.all()
    assert (mark.kind, mark.from_day, mark.player, mark.section) == (
        "match",
        FIRST,
        loser,
        section,
    )
    assert current_floor(loser, System.OTBR).effective_floor == (1500, "Lowered floor")
    # The dry run predicts the rerate: 50 points down, the limit.
    move = effect.of(loser.pk, "OTBR")
    assert (move.before.rating, move.after.rating) == (1600.0, 1560.0)


def rerate():
    run = start_rerate(actor=None, reason="As every week.")
    run_due_jobs()
    return publish_rerate(run_id=run.pk, actor=None, reason="As every week.")


def grant_late_floor(player) -> Floor:
    return granted_floor(
        player_id=player.pk,
        system="OTBR",
        level=1600,
        starts=FIRST - 30 * DAY,
        reason="A ruling that came late.",
    )


def test_match_that_only_a_rerate_holds_at_the_floor_asks_too():
    player = established(1610.0)
    section = lose(player).section
    assert not FloorRequest.objects.exists()
    grant_late_floor(player)
    rerate()
    line = RatingChange.objects.get(
        player=player, calculation__section=section, calculation__is_current=True
    )
    assert (line.post_rating, line.floor_request) == (1600.0, True)
    request = FloorRequest.objects.get()
    assert (request.player, request.section, request.floor, request.day) == (
        player,
        section,
        1600,
        FIRST,
    )


def test_rerate_opens_no_second_request_for_a_merged_number(loser):
    section = lose(loser).section
    refused = decide(FloorRequest.objects.get(), is_granted=False)
    kept = make_player()
    merge_with_approval(kept, loser)
    rerate()
    line = RatingChange.objects.get(
        player=kept, calculation__section=section, calculation__is_current=True
    )
    assert line.floor_request
    assert FloorRequest.objects.get() == refused


def test_request_whose_match_a_rerate_lifted_over_the_floor_is_not_granted(loser):
    lose(loser)
    request = FloorRequest.objects.get()
    adjusted(loser, day=FIRST - 20 * DAY, rating=1690.0)
    rerate()
    assert current_floor(loser, System.OTBR).level == request.floor
    with pytest.raises(FloorRefused, match="the match no longer ends below this floor"):
        decide(request)
    assert decide(request, is_granted=False).status == "refused"


def test_refusing_creates_no_pending_rerate(loser):
    lose(loser)
    decide(FloorRequest.objects.get(), is_granted=False)
    assert not RerateMark.objects.exists()
    assert not FloorLowering.objects.exists()


def why(client, calculation, player) -> str:
    section = calculation.section
    where = [section.event.event_id, section.number, player.member_id, "OTBR"]
    return client.get(reverse("ratings:why", args=where)).content.decode()


def test_why_page_shows_the_arithmetic_of_each_limit(client):
    client.force_login(make_staff())  # who sees all decimals
    one = established(1500.0, games=26)
    first = rated_match(one, established(1895.0, games=26), "WWWW", FIRST)
    second = rated_match(one, established(1895.0, games=26), "WWWW", FIRST + DAY)
    third = rated_match(one, established(1895.0, games=26), "WWWW", FIRST + 2 * DAY)
    page = why(client, third.calculations.get(), one)
    for section in (first, second):
        assert f'href="{section.get_absolute_url()}">{section.event.name}</a>' in page
    assert "100 − 100.00 = 0.00" in page
    assert "200 − 100.00 = 100.00" in page
    assert "matches after Nov 8, 2023" in page  # 180 days before 6 May 2024
    assert "matches after May 6, 2021" in page
    line = RatingChange.objects.get(calculation__section=third, player=one)
    assert (line.match_net_180, line.match_net_3y) == (100.0, 100.0)
