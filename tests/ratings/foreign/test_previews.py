"""Confirmation pages of foreign events: their previews, and the results."""

from datetime import date

import pytest
from django.urls import reverse

from events.foreign.pages import event_change_preview, result_entry_preview
from events.foreign.services.results import exclude_result, restore_result
from events.foreign.services.worklist import close_work, prepare_worklist
from events.models import ForeignResult, ForeignWork
from ratings.engine.numbers import official
from ratings.foreign.pages import preview_decisions, preview_rating
from ratings.foreign.services import (
    mark_ready,
    previews,
    rate_if_eligible,
    ready_results,
)
from ratings.models import PlayerRating, RerateMark
from tests.events.foreign.factories import ENDS, foreign_staff, make_event, store_list
from tests.factories import make_td, make_user
from tests.ratings.foreign.factories import (
    FIRST_ID,
    list_with_masters,
    master,
    rated,
    ready,
)
from tests.ratings.previews.effects.test_dry_runs import run_rerate
from tests.ratings.rerates.factories import play

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff():
    return foreign_staff()


def codes(effects) -> list[str]:
    return [effect.code for effect in effects]


def said(effects, code: str) -> str:
    [sentence] = [effect.sentence for effect in effects if effect.code == code]
    return sentence


def regular() -> dict[int, int]:
    rows = PlayerRating.objects.filter(system="OTBR")
    return {row.player_id: official(row.rating) for row in rows}


def test_batch_preview_lists_its_effects(staff):
    list_with_masters()
    event = make_event(staff)
    winner, loser = master(1), master(2)
    results = [
        ready(staff, winner, [(2400, 2)] * 3, event=event),
        ready(staff, loser, [(2400, 0)] * 3, event=event),
    ]
    before = regular()
    effects = preview_rating(previews(ready_results()))
    assert codes(effects)[:3] == ["members", "gain", "loss"]
    assert codes(effects)[-3:] == ["in_order", "final", "alone"]
    for result in results:
        rate_if_eligible(result_id=result.pk)
    moved = {pk: rating - before[pk] for pk, rating in regular().items()}
    assert said(effects, "gain") == (
        f"Largest gain: +{moved[winner.pk]} ({winner.name})."
    )
    assert said(effects, "loss") == (
        f"Largest loss: −{-moved[loser.pk]} ({loser.name})."
    )
    assert said(effects, "members") == "2 Regular ratings change."
    assert not RerateMark.objects.exists()


def test_late_result_previews_its_pending_rerate(staff):
    list_with_masters()
    players = [master(number) for number in range(4)]
    play(make_td(), players, ends=date(2024, 6, 1), name="June Open")
    result = ready(staff, players[0], [(2400, 2)])
    effects = preview_rating(previews(ready_results()))
    assert "late" in codes(effects)
    assert "adds a pending rerate from May 12, 2024" in said(effects, "mark")
    rate_if_eligible(result_id=result.pk)
    [mark] = RerateMark.objects.all()
    assert (mark.kind, mark.from_day) == ("foreign", ENDS)


def test_result_that_counts_again_only_creates_a_pending_rerate(staff):
    list_with_masters()
    result = rated(staff, master(), [(2400, 2)])
    before = regular()
    RerateMark.objects.all().delete()
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid.")
    restore_result(actor=staff, result_id=result.pk, reason="Standard after all.")
    mark_ready(actor=staff, result_id=result.pk)
    RerateMark.objects.all().delete()
    effects = preview_rating(previews(ready_results()))
    assert codes(effects) == ["again", "mark", "final", "alone"]
    rate_if_eligible(result_id=result.pk)
    assert regular() == before
    [mark] = RerateMark.objects.all()
    assert mark.from_day == ENDS
    assert "adds a pending rerate from May 12, 2024" in said(effects, "mark")


def test_decisions_say_what_they_do(staff):
    list_with_masters()
    result = ready(staff, master(), [(2400, 2)])
    open_ones = ["no_change", "rated_later", "undo", "alone"]
    assert codes(preview_decisions(result, staff)) == open_ones
    rate_if_eligible(result_id=result.pk)
    result = ForeignResult.objects.get()
    effects = preview_decisions(result, staff)
    assert codes(effects) == [
        "systems",
        "late",
        "rating",
        "ratings_wait",
        "undo",
        "alone",
    ]
    assert codes(result_entry_preview(result.event, result)) == [
        "mark",
        "ratings_wait",
        "undo",
        "alone",
    ]
    assert codes(event_change_preview(result.event)) == [
        "rated",
        "mark",
        "earlier",
        "undo",
        "look_up",
        "alone",
    ]
    before = regular()
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid.")
    assert regular() == before
    [mark] = RerateMark.objects.all()
    assert "adds a pending rerate from May 12, 2024" in said(effects, "late")
    assert mark.from_day == ENDS
    run_rerate()
    assert said(effects, "rating") == (
        f"{result.player}, Regular: {before[result.player_id]} becomes "
        f"{regular()[result.player_id]} after the next rerate."
    )
    result.refresh_from_db()
    assert codes(preview_decisions(result, staff)) == ["draft", "no_change", "alone"]
    other = make_event(staff, name="Lyon")
    assert codes(event_change_preview(other)) == ["no_change", "look_up", "alone"]
    assert codes(result_entry_preview(other, None)) == ["draft", "undo"]


@pytest.mark.parametrize("results", [1, 4])
def test_preview_takes_the_same_queries_for_any_number(
    staff, django_assert_num_queries, results
):
    list_with_masters()
    event = make_event(staff)
    for number in range(results):
        ready(staff, master(number), [(2400, 2)], event=event)
    found = previews(ready_results())
    with django_assert_num_queries(2):
        preview_rating(found)


def enter_at(result: ForeignResult) -> list[object]:
    return [result.event_id, result.player.member_id]


def rows(count: int, **cells: str) -> dict[str, str]:
    return {
        "form-TOTAL_FORMS": str(count),
        "form-INITIAL_FORMS": "0",
        **{f"form-0-{name}": value for name, value in cells.items()},
    }


def test_games_typed_for_a_result_left_out_by_then_stay(client, staff):
    list_with_masters()
    result = ready(staff, master(), [(2400, 2)])
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid.")
    client.force_login(staff)
    address = reverse("events:foreign_enter", args=enter_at(result))
    page = client.get(address)
    assert page.status_code == 302
    answer = client.post(address, rows(1, opponent_name="Typed with care"))
    assert answer.status_code == 422
    assert "This result is excluded." in answer.content.decode()
    assert "Typed with care" in answer.content.decode()


def test_line_decided_meanwhile_keeps_the_reason(client, staff):
    june = store_list({FIRST_ID: (2400, 9, "USA")}, day=date(2024, 6, 1))
    master(0)
    prepare_worklist(actor=staff, list_id=june.pk)
    line = ForeignWork.objects.get()
    close_work(actor=staff, work_id=line.pk, reason="Quicker.")
    client.force_login(staff)
    address = f"/office/foreign/lines/{line.pk}/"
    answer = client.post(address, {"reason": "Typed with care.", "was_closed": ""})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "This has just been decided." in page
    assert ">\nTyped with care.</textarea>" in page
    line.refresh_from_db()
    assert line.nothing_to_do_because == "Quicker."
    # The form shows the current decision.
    again = {"reason": "Typed with care.", "was_closed": "True"}
    assert client.post(address, again).status_code == 302
    line.refresh_from_db()
    assert line.nothing_to_do_because == ""


def test_who_lost_the_permission_reads_what_was_typed(client, staff):
    list_with_masters()
    result = ready(staff, master(), [(2400, 2)])
    client.force_login(make_user(is_staff=True))
    decided = {"decision": "leave_out", "reason": "Typed with care."}
    answer = client.post(f"/office/foreign/results/{result.pk}/", decided)
    assert answer.status_code == 403
    assert "Typed with care." in answer.content.decode()
    address = reverse("events:foreign_enter", args=enter_at(result))
    answer = client.post(address, rows(1, opponent_name="Berg, Bo", result="1"))
    assert answer.status_code == 403
    assert "Berg, Bo" in answer.content.decode()
