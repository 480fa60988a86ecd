"""The pages of corrections, from the crosstable's link to the public history."""

import re
from copy import deepcopy
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from events.corrections.pages import (
    approval_preview,
    request_preview,
    restatement_preview,
)
from events.corrections.services.requests import approve_correction, refuse_correction
from events.corrections.services.reviews import review_request
from events.models import CorrectionRequest, EventOfficial
from events.records.services.versions import document_of
from ratings.models import RerateMark, Run
from ratings_site.common.ui.formatting import format_day
from tests.events.corrections.samples import (
    cell,
    make_decider,
    make_member,
    make_section,
    request_correction,
    result,
)
from tests.factories import make_staff, make_td, make_user

pytestmark = pytest.mark.django_db

SENTENCE = "Round 1, pairing number 1: won against 4, now drawn against 4."


@pytest.fixture(scope="module")
def played(module_data):
    td = make_td()
    return td, make_section(td)


@pytest.fixture
def td(played):
    return deepcopy(played[0])


@pytest.fixture
def section(played):
    return deepcopy(played[1])


def text(response) -> str:
    """Return the visible text of the page."""
    page = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", page).replace(" .", ".")


def ask_url(section, query: str = "") -> str:
    return f"/events/{section.event.event_id}/{section.number}/correct/{query}"


SAID = {
    "version": "1",
    "round_number": "1",
    "number": "4",
    "result": "D",
    "opponent": "1",
    "color": "B",
    "text": "The score sheet says so.",
}


def approve(section, td, decider=None, **said) -> CorrectionRequest:
    return approve_correction(
        request_id=request_correction(section, td, **said).pk,
        version=section.version,
        public_note="The score sheet shows a draw.",
        reason="",
        actor=decider or make_decider(),
    )


# Requests


def test_crosstable_offers_a_correction_to_members_only(client, section):
    link = f'href="{ask_url(section)}"'
    assert link not in client.get(section.get_absolute_url()).content.decode()
    client.force_login(make_user())
    assert link not in client.get(section.get_absolute_url()).content.decode()
    client.force_login(make_member())
    assert link in client.get(section.get_absolute_url()).content.decode()


def test_every_cell_and_member_id_leads_to_its_form(client, section):
    client.force_login(make_member())
    page = client.get(ask_url(section)).content.decode()
    cells = re.findall(r'href="\?kind=result&amp;row=(\d)&amp;round=(\d)"', page)
    assert cells == [(row, number) for row in "1234" for number in "123"]
    ids = re.findall(r'href="\?kind=member_id&amp;row=(\d)">(\d{8})', page)
    assert ids == [
        (str(entry.number), entry.member_id) for entry in document_of(section).entries
    ]
    one = client.get(ask_url(section, "?row=3")).content.decode()
    assert re.findall(r"kind=member_id&amp;row=(\d)", one) == ["3"]


def test_form_holds_what_stands_there_now(client, section):
    client.force_login(make_member())
    page = client.get(ask_url(section, "?kind=result&row=2&round=2")).content.decode()
    assert 'name="number" value="2"' in page
    assert 'name="round_number" value="2"' in page
    assert '<option value="D" selected>Draw</option>' in page
    assert 'name="opponent" value="4"' in page
    assert '<option value="B" selected>Black</option>' in page


@pytest.mark.parametrize("place", ["row=99&round=1", "row=x&round=²", "row=1&round=99"])
def test_odd_places_in_the_address_do_no_harm(client, section, place):
    client.force_login(make_member())
    response = client.get(ask_url(section, f"?kind=result&{place}"))
    assert "Correct result" in text(response)


def test_member_asks_by_the_form(client, section):
    member = make_member()
    client.force_login(member)
    response = client.post(ask_url(section, "?kind=result"), SAID, follow=True)
    request = CorrectionRequest.objects.get()
    assert request.change == {
        "cells": [
            {
                "number": 4,
                "round_number": 1,
                "result": "D",
                "opponent": 1,
                "color": "B",
                "theirs": "",
            }
        ]
    }
    assert (request.asked_by, request.text) == (member, SAID["text"])
    assert "We’ve asked the tournament director to confirm it." in text(response)
    assert SENTENCE in text(response)


def test_second_cell_puts_mixed_up_opponents_right(client, section):
    client.force_login(make_member())
    said = {
        **SAID,
        **{"number": "1", "result": "W", "opponent": "3", "color": "W"},
        **{"second_number": "4", "second_result": "L", "second_opponent": "2"},
    }
    client.post(ask_url(section, "?kind=result"), said)
    assert CorrectionRequest.objects.get().sentences == [
        "Round 1, pairing number 1: won against 4, now won against 3.",
        "Round 1, pairing number 2: won against 3, now won against 4.",
        "Round 1, pairing number 3: lost against 2, now lost against 1.",
        "Round 1, pairing number 4: lost against 1, now lost against 2.",
    ]


@pytest.mark.parametrize(
    ("kind", "said", "sentence"),
    [
        (
            "member_id",
            lambda s: {"number": "1", "member_id": make_td().player.member_id},
            "Pairing number 1: member ID {0}, now ",
        ),
        (
            "player",
            lambda s: {"number": "2", "other": "4"},
            "Pairing number 2: member ID {1}, now {3}.",
        ),
        (
            "dates",
            lambda s: {"starts": "2024-05-01", "ends": "2024-05-05"},
            "Section: first day May 4, 2024, now May 1, 2024.",
        ),
        (
            "time_control",
            lambda s: {"time_control": "G/60;d5"},
            "Section: time control G/90;d5, now G/60;d5.",
        ),
        ("type", lambda s: {"kind": "round_robin"}, "Section: type Swiss, now round"),
        (
            "name",
            lambda s: {"name": "U1800"},
            "Section: name “Section 1”, now “U1800”.",
        ),
        (
            "event",
            lambda s: {"name": "June Open", "city": "Peoria", "state": "il"},
            "Event: name “May Open”, now “June Open”.",
        ),
        (
            "event",
            lambda s: {"name": "May Open", "city": "Peoria IL", "state": ""},
            "Event: city Springfield, now Peoria.",
        ),
        (
            "missing",
            lambda s: {
                "member_id": make_td(member_id="12345678").player.member_id,
                "name": "DIRECTOR, TESSA",
            },
            "Pairing number 5: none, now DIRECTOR, TESSA (12345678).",
        ),
        (
            "official",
            lambda s: {
                "official": "section:chief:",
                "member_id": make_td(member_id="12345678").player.member_id,
            },
            "Section: chief TD none, now 12345678.",
        ),
    ],
)
def test_every_kind_has_its_form(client, section, kind, said, sentence):
    client.force_login(make_staff())
    ids = [entry.member_id for entry in document_of(section).entries]
    said = {"version": "1", "text": "I know.", **said(section)}
    response = client.post(ask_url(section, f"?kind={kind}"), said, follow=True)
    [first, *_] = CorrectionRequest.objects.get().sentences
    assert first.startswith(sentence.format(*ids))
    assert first in text(response)


def test_words_alone_can_be_asked(client, section):
    client.force_login(make_member())
    said = {"version": "1", "text": "A player is missing."}
    response = client.post(ask_url(section, "?kind=other"), said, follow=True)
    assert "Described in words only." in text(response)
    assert "A player is missing." in text(response)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"text": ""}, "Tell us how you know."),
        ({"opponent": "4"}, "A player can’t be their own opponent."),
        ({"result": "L"}, "The section already says this."),
        ({"second_number": "3"}, "Choose the other player’s result."),
        ({"number": "٤"}, "Enter a whole number, using the digits 0 to 9."),
    ],
)
def test_invalid_form_says_why_and_keeps_what_was_typed(
    client, section, said, sentence
):
    client.force_login(make_member())
    response = client.post(ask_url(section, "?kind=result"), {**SAID, **said})
    assert response.status_code == 422
    assert sentence in text(response)
    if "text" not in said:
        assert SAID["text"] in text(response)
    assert not CorrectionRequest.objects.exists()


def test_outdated_form_is_told_and_can_be_sent_again(client, section, td):
    approve(section, td)
    client.force_login(make_member())
    said = {"version": "1", "text": "I know.", "name": "U1800"}
    response = client.post(ask_url(section, "?kind=name"), said)
    assert response.status_code == 422
    assert "corrected while you worked (now version 2)" in text(response)
    assert 'name="version" value="2"' in response.content.decode()


def test_visitors_and_accounts_without_a_member_cannot_ask(client, section):
    assert client.get(ask_url(section)).url.startswith("/accounts/login/")
    client.force_login(make_user())
    assert client.get(ask_url(section)).status_code == 403


# The request


def test_request_is_seen_by_asker_td_and_office_only(client, section, td):
    member = make_member()
    request = request_correction(section, member)
    for user in (member, td, make_staff()):
        client.force_login(user)
        assert SENTENCE in text(client.get(request.get_absolute_url()))
    for user in (make_td(), make_member(username="other")):
        client.force_login(user)
        assert client.get(request.get_absolute_url()).status_code == 404


def test_td_answers_on_the_page(client, section, td):
    request = request_correction(section, make_member())
    client.force_login(td)
    url = f"/desk/corrections/{request.pk}/answer/"
    refused = client.post(url, {"answer": "object"})
    assert refused.status_code == 422
    assert "Explain why the section is correct as reported." in text(refused)
    page = text(client.post(url, {"answer": "confirm", "note": "Yes."}, follow=True))
    assert "The office will read your answer." in page
    assert "confirmed. “Yes.”" in page
    request.refresh_from_db()
    assert request.state == "confirmed"


def test_asker_withdraws_on_the_page(client, section):
    member = make_member()
    request = request_correction(section, member)
    client.force_login(member)
    url = f"/desk/corrections/{request.pk}/withdraw/"
    assert client.get(url).status_code == 405
    assert "Request withdrawn. The section doesn’t" in text(
        client.post(url, follow=True)
    )
    assert "This request has already been decided" in text(
        client.post(url, follow=True)
    )


def test_my_corrections_lists_own_ones_and_those_of_own_events(client, td):
    mine, other = make_section(td), make_section(name="Elsewhere")
    member = make_member()
    request_correction(mine, member)
    request_correction(other, make_member(username="third"))
    for user in (td, member):
        client.force_login(user)
        page = text(client.get("/desk/corrections/"))
        assert "May Open, section 1 Result of a round Waiting for the TD" in page
        assert "Elsewhere" not in page


def test_my_corrections_sort_filter_and_download(client, section, td):
    member = make_member()
    request_correction(section, member, "name", {"name": "U1800"})
    request_correction(section, td)
    client.force_login(td)

    def kinds(query: str) -> list[str]:
        response = client.get(f"/desk/corrections/?format=csv&{query}")
        rows = b"".join(response.streaming_content).decode().splitlines()[1:]
        return [row.split(",")[-4] for row in rows]

    assert kinds("sort=kind") == ["name", "result"]
    assert kinds("sort=-kind") == ["result", "name"]
    assert kinds("status=asked") == ["name"]
    assert client.get("/desk/corrections/?status=odd").status_code == 422


# The office


def test_queue_shows_age_and_what_is_overdue(client, section, td):
    old = request_correction(section, make_member())
    request_correction(section, td, "name", {"name": "U1800"})
    CorrectionRequest.objects.filter(pk=old.pk).update(
        asked_at=timezone.now() - timedelta(days=8)
    )
    client.force_login(make_staff())
    page = text(client.get("/office/corrections/"))
    assert re.search(r"8 days\s+overdue\s+May Open, section 1\s+Result", page)
    assert re.search(r"just now\s+May Open, section 1\s+Section name", page)
    assert page.count("overdue") == 1


def test_office_pages_are_closed_to_others(client, section, td):
    request = request_correction(section, td)
    client.force_login(td)
    for url in ("", f"{request.pk}/", f"{request.pk}/restate/?kind=name"):
        assert client.get(f"/office/corrections/{url}").status_code == 403


def test_decision_shows_words_and_both_rows_side_by_side(client, section, td):
    request = request_correction(section, td)
    client.force_login(make_decider())
    response = client.get(f"/office/corrections/{request.pk}/")
    page, html = text(response), response.content.decode()
    assert SENTENCE in page
    assert re.search(
        r"1 Given10 Family10 \d{8} now 2½ W 4 ○ White W 3 ● Black D 2 ○", page
    )
    assert re.search(
        r"1 Given10 Family10 \d{8} corrected 2 D 4 ○ White W 3 ● Black D 2 ○", page
    )
    assert re.findall(r'<strong><span class="(\w+)">(\w \d)', html) == [
        ("win", "W 4"),
        ("draw", "D 4"),
        ("lost", "L 1"),
        ("draw", "D 1"),
    ]
    assert f'hx-get="/office/corrections/{request.pk}/effect/"' in html


def test_decision_shows_warnings(client, section, td):
    other = td.player
    request = request_correction(
        section, td, "member_id", {"number": 3, "member_id": other.member_id}
    )
    client.force_login(make_decider())
    page = text(client.get(f"/office/corrections/{request.pk}/"))
    assert f"but {other.member_id} is Tessa Director." in page


def test_decision_shows_the_round_that_was_forgotten(client, section, td):
    request = request_correction(
        section, td, change=result(cell(1, 4, "W", 3, color="B"))
    )
    client.force_login(make_decider())
    page = text(client.get(f"/office/corrections/{request.pk}/"))
    assert "Section: rounds 3, now 4." in page
    assert "Round 4, pairing number 1: no game, now won against 3." in page
    assert re.search(r"1 Given10 Family10 \d{8} now 2½ W 4 .{1,40} D 2 ○ White –", page)
    assert re.search(r"corrected 3½ W 4 .{1,50} D 2 ○ White W 3 ● Black", page)


def test_decision_on_a_missing_player_shows_the_new_entry(client, section, td):
    td.player.given_name = "Mo"
    td.player.save()
    change = {"member_id": td.player.member_id, "name": "Director, Mo"}
    request = request_correction(section, td, "missing", change)
    client.force_login(make_decider())
    page = text(client.get(f"/office/corrections/{request.pk}/"))
    assert f"Pairing number 5: none, now Director, Mo ({td.player.member_id})." in page
    assert "5 none now 0 – – –" in page
    assert f"5 Mo Director {td.player.member_id} corrected 0 – – –" in page


def test_staff_approve_by_the_form(client, section, td):
    request, decider = request_correction(section, td), make_decider()
    client.force_login(decider)
    url = f"/office/corrections/{request.pk}/"
    refused = client.post(url, {"version": "1"})
    assert refused.status_code == 422
    assert "Enter a reason. It will be public." in text(refused)
    said = {"version": "1", "public_note": "The sheet shows a draw."}
    page = text(client.post(url, said, follow=True))
    assert "Section corrected. Ratings update with the next rerate." in page
    assert document_of(section).cell(1, 1).outcomes == "D"
    assert client.get(url).url == request.get_absolute_url()


def test_staff_approve_without_the_td_with_a_reason_only(client, section):
    request = request_correction(section, make_member())
    client.force_login(make_decider())
    said = {"version": "1", "public_note": "The sheet shows a draw."}
    response = client.post(f"/office/corrections/{request.pk}/", said)
    assert response.status_code == 422
    assert "Explain why you’re approving it anyway." in text(response)


def test_staff_with_an_outdated_page_must_review_again(client, section, td):
    second = request_correction(section, td, "name", {"name": "U1800"})
    approve(section, td)
    client.force_login(make_decider())
    said = {"version": "1", "public_note": "The flyer says so."}
    response = client.post(f"/office/corrections/{second.pk}/", said)
    assert response.status_code == 422
    assert "The request still fits." in text(response)
    assert 'name="version" value="2"' in response.content.decode()
    assert "The flyer says so." in text(response)


def test_staff_refuse_by_the_form(client, section, td):
    request = request_correction(section, td)
    client.force_login(make_decider())
    url = f"/office/corrections/{request.pk}/refuse/"
    assert client.post(url, {"reason": ""}).status_code == 422
    page = text(client.post(url, {"reason": "He lost."}, follow=True))
    assert (
        "Request declined. The person who asked and the TD will see your reason."
        in page
    )
    assert "“He lost.”" in page


def test_staff_without_the_permission_have_read_access(client, section, td):
    staff = make_staff()
    staff.groups.clear()
    staff.user_permissions.add(Permission.objects.get(codename="review_submission"))
    request = request_correction(section, td)
    client.force_login(staff)
    url = f"/office/corrections/{request.pk}/"
    decider = make_decider()
    page = client.get(url)
    assert f"{decider}." in text(page).partition("Who can do this: ")[2]
    assert "<textarea" not in page.content.decode()
    restate = f"{url}restate/?kind=name"
    assert 'name="text"' not in client.get(restate).content.decode()
    # The permission was removed while a form was open: the typed text is kept.
    for address, said in (
        (url, {"version": "1", "public_note": "Typed with care."}),
        (f"{url}refuse/", {"reason": "Typed with care."}),
        (restate, {"version": "1", "name": "U1800", "text": "Typed with care."}),
    ):
        answer = client.post(address, said)
        assert answer.status_code == 403
        assert ">\nTyped with care.</textarea>" in answer.content.decode()
    request.refresh_from_db()
    assert request.is_open


def test_what_was_typed_for_a_request_that_is_decided_by_then_is_shown(
    client, section, td
):
    request = request_correction(section, make_member())
    refuse_correction(request_id=request.pk, reason="No.", actor=make_decider())
    url = f"/office/corrections/{request.pk}/"
    client.force_login(make_decider())
    for address, said in (
        (url, {"version": "1", "public_note": "For all.", "reason": "For us."}),
        (f"{url}refuse/", {"reason": "For us."}),
        (f"{url}restate/?kind=name", {"name": "U1800", "text": "For us."}),
    ):
        answer = client.post(address, said)
        assert answer.status_code == 409
        assert "This request has already been decided" in text(answer)
        assert "For us." in answer.content.decode()
        assert client.get(address).status_code in (302, 405)
    client.force_login(td)
    answer = client.post(
        reverse("events:answer_correction", args=[request.pk]),
        {"answer": "confirm", "note": "I saw it."},
    )
    assert answer.status_code == 409
    assert "I saw it.</textarea>" in answer.content.decode()


def effects_of(request, review=None) -> list[str]:
    review = review or review_request(request)
    return [one.code for one in approval_preview(request, review)]


def test_approval_says_what_it_does(section, td):
    request = request_correction(section, td)
    assert effects_of(request) == [
        "systems",
        "members",
        "mark",
        "ratings_wait",
        "told",
        "final",
        "alone",
    ]
    waits = request_correction(section, make_member(), "name", {"name": "Premier"})
    effects = approval_preview(waits, review_request(waits))
    assert [one.code for one in effects] == [
        "systems",
        "no_mark",
        "without_director",
        "told",
        "final",
        "alone",
    ]
    approve_correction(
        request_id=waits.pk,
        version=section.version,
        public_note="So it was called.",
        reason="Sure.",
        actor=make_decider(),
    )
    assert not RerateMark.objects.exists()


def test_approval_says_which_systems_a_time_control_changes(section, td):
    change = {"time_control": "G/25;d5", "is_online": False}
    request = request_correction(section, td, "time_control", change)
    [systems] = [
        one
        for one in approval_preview(request, review_request(request))
        if one.code == "systems"
    ]
    assert systems.sentence == (
        "Rated in: Regular, Quick. Previously rated in: Regular."
    )
    assert systems.level == "warning"


def test_approval_of_an_unrated_section_creates_no_pending_rerate(td):
    section = make_section(td, rated=False)
    codes = effects_of(request_correction(section, td))
    assert "not_rated" in codes
    assert "mark" not in codes


def test_asking_and_answering_say_what_follows(client, section, td):
    member = make_member()
    assert [one.code for one in request_preview(section, member)] == [
        "stays",
        "director",
        "ratings_wait",
        "undo",
    ]
    assert [one.code for one in request_preview(section, td)][1] == "confirmed"
    request = request_correction(section, member)
    assert [one.code for one in restatement_preview(request, make_decider())] == [
        "stays",
        "asked_again",
        "told",
        "again",
    ]
    client.force_login(member)
    page = text(client.get(ask_url(section, "?kind=name")))
    assert "You can withdraw it until it’s decided." in page


def test_staff_restate_a_request(client, section):
    request = request_correction(section, make_member(), "other", {"none": 1})
    client.force_login(make_decider())
    url = f"/office/corrections/{request.pk}/restate/?kind=name"
    assert "Why are you changing it?" in text(client.get(url))
    said = {"version": "1", "name": "U1800", "text": "That is meant."}
    page = text(client.post(url, said, follow=True))
    assert "Section: name “Section 1”, now “U1800”." in page
    assert client.get(url.replace("name", "other")).status_code == 404


# Public pages


def test_event_and_crosstable_say_what_was_corrected(client, section, td):
    decider, member = make_decider(), make_member()
    request = request_correction(section, member)
    approve_correction(
        request_id=request.pk,
        version=1,
        public_note="The score sheet shows a draw.",
        reason="The TD is ill.",
        actor=decider,
    )
    today = timezone.localdate()
    for url in (section.event.get_absolute_url(), section.get_absolute_url()):
        page = text(client.get(url))
        assert f"Corrected on {format_day(today)}" in page
        assert SENTENCE in page
        assert "“The score sheet shows a draw.”" in page
        assert "Ratings will change with the next rerate." in page
        for private in (member.username, decider.username, "ill.", request.text):
            assert private not in page.replace("Springfield, IL", "")


def test_event_says_which_rerate_took_a_correction_in(client, section, td):
    approve(section, td)
    run = Run.objects.create(
        kind="rerate",
        status="published",
        published_at=timezone.now(),
        publish_reason="So.",
    )
    RerateMark.objects.update(run=run)
    section.refresh_from_db()
    approve(section, td, kind="result", change=result(cell(3, 3, "D", 4)))
    section.refresh_from_db()
    approve(section, td, kind="name", change={"name": "U1800"})
    history = f"{section.get_absolute_url()}history/"
    page = text(client.get(history))
    parts = re.split(r"Version \d(?: current)? [A-Z][a-z]{2} \d", page)[1:]
    assert "Ratings" not in parts[0]  # only the name: nothing to rate
    assert "Ratings will change with the next rerate." in parts[1]
    assert f"Ratings changed with rerate {run.pk}." in parts[2]
    assert "As the tournament director reported it." in parts[3]


def test_old_version_stays_to_be_seen(client, section, td):
    approve(section, td)
    base = f"{section.get_absolute_url()}history/"
    before, after = (text(client.get(f"{base}{number}/")) for number in (1, 2))
    assert re.search(
        r"1 Given10 Family10 \d{8} 2½ W 4 ○ White W 3 ● Black D 2 ○", before
    )
    assert "This is an old version." in before
    assert re.search(r"1 Given10 Family10 \d{8} 2 D 4 ○ White W 3 ● Black D 2 ○", after)
    assert "current" in after
    assert client.get(f"{base}3/").status_code == 404


def test_history_of_a_section_never_corrected(client):
    section = make_section()
    section.versions.all()
    page = text(client.get(f"{section.get_absolute_url()}history/"))
    assert "Versions of section 1" in page


def test_event_page_shows_what_waits_to_those_involved(client, section, td):
    member = make_member()
    request_correction(section, member)
    url = section.event.get_absolute_url()
    said = "Pending corrections: section 1, result of a round (waiting for the TD)"
    for user in (member, td, make_staff()):
        client.force_login(user)
        assert said in text(client.get(url))
    client.force_login(make_td())
    assert said not in text(client.get(url))
    client.logout()
    assert said not in text(client.get(url))


@pytest.mark.parametrize("count", [2, 12])
def test_lists_take_the_same_queries_for_any_size(
    client, section, td, django_assert_num_queries, count
):
    member = make_member()
    for number in range(count):
        request_correction(section, member, "name", {"name": f"Name {number}"})
    client.force_login(member)
    with django_assert_num_queries(6):
        client.get("/desk/corrections/")
    client.force_login(make_staff())
    with django_assert_num_queries(8):
        client.get("/office/corrections/")


@pytest.mark.parametrize("count", [1, 6])
def test_public_pages_take_the_same_queries_for_any_number_of_corrections(
    client, td, django_assert_num_queries, count
):
    section, decider = make_section(td), make_decider()
    for number in range(count):
        approve(section, td, decider, kind="name", change={"name": f"Name {number}"})
        section.refresh_from_db()
    event_url, url = section.event.get_absolute_url(), section.get_absolute_url()
    with django_assert_num_queries(9):  # with the standings of each section
        client.get(event_url)
    with django_assert_num_queries(6):
        client.get(url)
    with django_assert_num_queries(3):
        client.get(f"{url}history/")


def test_section_never_corrected_costs_nothing(client, section):
    event_url, url = section.event.get_absolute_url(), section.get_absolute_url()
    with CaptureQueriesContext(connection) as queries:
        client.get(event_url)
        client.get(url)
    assert not [q for q in queries.captured_queries if "sectionversion" in q["sql"]]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (1, "is a director of this event and plays in an entry that changes."),
        (2, "is a director of this event and also played in it."),
        (None, ""),
    ],
)
def test_director_who_plays_is_shown_to_the_office(
    client, td, section, number, sentence
):
    if number:
        player = section.entries.get(pairing_number=number).player
        EventOfficial.objects.create(event=section.event, player=player, role="other")
    request = request_correction(section, make_member())
    client.force_login(make_decider())
    page = text(client.get(f"/office/corrections/{request.pk}/"))
    assert ("is a director of this event" in page) == bool(number)
    assert sentence in page
