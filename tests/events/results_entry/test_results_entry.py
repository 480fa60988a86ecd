"""Manual entry of reports, from an empty form to the accepted event."""

import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from events.formats.report import ReportedEvent, format_cell, parse_cell
from events.formats.report_reader import read_report
from events.models import Event, Submission
from events.records.exports import export_event
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
    set_entry,
    set_event,
    submit_report,
    withdraw_report,
)
from events.review.services.acceptance import accept_report
from ratings.models import RatingChange
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db

BEGIN = "/desk/type-in/"


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


def make_members(count: int) -> list:
    return [
        make_player(
            given_name=f"Given{number}",
            family_name=f"Family{chr(65 + number)}",
            state="IL",
            ratings={"OTBR": (1900.0 - 20 * number, 40)},
        )
        for number in range(count)
    ]


def event_facts(td, **changes) -> dict:
    make_affiliate()
    return {
        "ticket": "one form",
        "name": "Castle Quads",
        "starts": "2024-05-04",
        "ends": "",
        "city": "Springfield",
        "state": "IL",
        "zip_code": "62701",
        "affiliate_id": "A6000001",
        "chief_td_id": td.player.member_id,
        "kind": "S",
        "rounds": "3",
        "time_control": "G/90;d5",
        "section_name": "Open",
        "players": "",
        "order": "",
        **changes,
    }


def begun(client, td, **changes) -> Submission:
    response = client.post(BEGIN, event_facts(td, **changes))
    submission = Submission.objects.first()
    assert response.status_code == 302, text_of(response)
    assert response["Location"] == grid(submission)
    return submission


def grid(submission: Submission, number: int = 1) -> str:
    return reverse("events:grid", args=[submission.pk, number])


def text_of(response) -> str:
    text = re.sub(r"<[^>]*>", " ", response.content.decode())
    return re.sub(r"\s+", " ", unescape(text))


def fields_of(response) -> dict[str, str]:
    """Return the fields of the grid's form as a browser without scripts sends them."""
    html = response.content.decode()
    form = html[html.index('id="grid"') :].partition("</form>")[0]
    fields = {}
    for tag in re.findall(r"<input[^>]*>", form):
        given = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
        fields[given["name"]] = unescape(given.get("value", ""))
    return fields


def press(client, address: str, act: str = "save", **typed):
    """Open the grid, type, and press a button."""
    fields = fields_of(client.get(address))
    fields |= {name.replace("_", "-"): text for name, text in typed.items()}
    return client.post(address.partition("?")[0], {**fields, "act": act})


def choose(client, submission: Submission, page, row: int, member, **typed):
    """Press the button of a member offered for a row."""
    said = {**fields_of(page), "use": f"{row}:{member.member_id}", **typed}
    return client.post(grid(submission), said)


def rows(submission: Submission, number: int = 1) -> list[str]:
    submission.refresh_from_db()
    return [
        " ".join(format_cell(cell) or "." for cell in entry.cells)
        for entry in reported_in(submission).section(number).entries
    ]


def ids(submission: Submission, number: int = 1) -> list[str]:
    submission.refresh_from_db()
    return [e.member_id for e in reported_in(submission).section(number).entries]


# New reports


def test_typed_report_has_facts_and_no_files(signed_in, td):
    members = make_members(2)
    lines = f"1. {members[0].member_id}\nFamilyB, Given1\n"
    submission = begun(signed_in, td, players=lines)
    report = reported_in(submission)
    [section] = report.sections
    assert submission.files.count() == 0
    assert submission.entry_count == 2
    assert (report.name, report.program, report.starts, report.ends) == (
        "Castle Quads",
        "typed in",
        report.starts,
        report.starts,
    )
    assert report.total_sections == 1
    assert (section.name, section.kind_letter, section.rounds) == ("Open", "S", 3)
    assert [
        (entry.pairing_number, entry.member_id, entry.name, entry.rating)
        for entry in section.entries
    ] == [
        (1, members[0].member_id, "FAMILYA, GIVEN0", "1900"),
        (2, members[1].member_id, "FAMILYB, GIVEN1", "1880"),
    ]
    acts = AuditEntry.objects.filter(action="submission.begun")
    assert [entry.actor for entry in acts] == [td]


def test_form_offers_what_is_known_of_the_td(signed_in, td):
    affiliate = make_affiliate()
    td.player.official.affiliates.add(affiliate)
    html = signed_in.get(BEGIN).content.decode()
    assert f'value="{td.player.member_id}"' in html
    assert 'value="A6000001"' in html
    draft = begun(signed_in, td, city="Peoria", zip_code="61602")
    assert "Peoria" not in signed_in.get(BEGIN).content.decode()
    Submission.objects.filter(pk=draft.pk).update(
        state=Submission.State.SUBMITTED, submitted_at=timezone.now()
    )
    html = signed_in.get(BEGIN).content.decode()
    assert 'value="Peoria"' in html
    assert 'value="61602"' in html


@pytest.mark.parametrize(
    "typed", ["Springfield IL 62701", "Springfield, Illinois 62701"]
)
def test_city_may_be_typed_with_state_and_zip_code(signed_in, td, typed):
    report = reported_in(begun(signed_in, td, city=typed, state="", zip_code=""))
    assert (report.city, report.state, report.zip_code) == (
        "Springfield",
        "IL",
        "62701",
    )


def test_form_sent_twice_opens_one_report(signed_in, td):
    first = begun(signed_in, td)
    response = signed_in.post(BEGIN, event_facts(td, name="Again"))
    assert response["Location"] == grid(first)
    assert [str(one) for one in Submission.objects.all()] == ["Castle Quads"]
    begun(signed_in, td, ticket="another form")
    assert Submission.objects.count() == 2


def test_an_account_begins_so_many_reports_a_day(signed_in, td, monkeypatch):
    monkeypatch.setattr("events.results_entry.views.MAX_REPORTS_PER_DAY", 1)
    begun(signed_in, td)
    response = signed_in.post(BEGIN, event_facts(td, ticket="another form"))
    assert response.status_code == 422
    assert "You have sent 1 reports within a day" in text_of(response)
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"starts": "soon"}, "Enter a date such as 2024-05-04."),
        ({"ends": "2024-05-01"}, "The last day is before the first day."),
        ({"rounds": ""}, "Enter the number of rounds played."),
        ({"rounds": "-1"}, "Enter a whole number"),
        ({"kind": "chess960"}, "Select a valid choice"),
        ({"time_control": ""}, "This field is required."),
        ({"affiliate_id": "castle"}, "An affiliate ID is the letter A and 7 digits."),
        ({"players": "A\n" * 300}, "You can enter up to 250 lines."),
    ],
)
def test_refused_beginning_keeps_what_was_typed(signed_in, td, changes, sentence):
    facts = event_facts(td, **changes)
    response = signed_in.post(BEGIN, facts)
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert 'value="Castle Quads"' in response.content.decode()
    assert not Submission.objects.exists()


def test_what_a_swiss_needs_is_not_called_optional(signed_in, td):
    submission = quad(signed_in, td)
    for address in (BEGIN, reverse("events:new_section", args=[submission.pk])):
        page = text_of(signed_in.get(address))
        assert "Rounds Leave blank for quads and round robins." in page
        assert "Section name (optional)" in page


@pytest.mark.parametrize("order", ["", "rating"])
def test_twelve_players_become_three_quads(signed_in, td, order):
    members = make_members(12)
    typed = list(reversed(members))
    submission = begun(
        signed_in,
        td,
        kind="quads",
        rounds="",
        section_name="",
        order=order,
        players="\n".join(one.member_id for one in typed),
    )
    report = reported_in(submission)
    expected = members if order else typed
    assert [
        (section.name, section.kind_letter, section.rounds, section.last_pairing_number)
        for section in report.sections
    ] == [(f"Quad {number}", "R", 3, 4) for number in (1, 2, 3)]
    assert [ids(submission, number) for number in (1, 2, 3)] == [
        [one.member_id for one in expected[start : start + 4]] for start in (0, 4, 8)
    ]


# Typing results


def quad(signed_in, td, **changes) -> Submission:
    lines = "\n".join(one.member_id for one in make_members(4))
    return begun(signed_in, td, kind="quads", players=lines, **changes)


def test_half_a_square_fills_the_other_half_by_the_table(signed_in, td):
    submission = quad(signed_in, td)
    response = press(
        signed_in,
        grid(submission),
        v_1_2="1",
        v_1_3=".5",
        v_1_4="1",
        v_2_3="0",
        v_2_4="1/2",
        v_3_4="+",
    )
    assert response["Location"] == grid(submission)
    assert rows(submission) == [
        "W4W D3B W2W",
        "L3W D4B L1B",
        "W2B D1W X4",
        "L1B D2W F3",
    ]
    [entry] = AuditEntry.objects.filter(action="submission.cells_typed")
    assert entry.facts["cells"] == "1/3 W2w, 1/2 D3b, 1/1 W4w, 2/1 L3w, 2/2 D4b, 3/3 X4"


def test_swiss_is_typed_in_loose_spellings(signed_in, td):
    lines = "\n".join(one.member_id for one in make_members(4))
    submission = begun(signed_in, td, players=lines)
    press(
        signed_in,
        grid(submission),
        c_1_1="w 4w",
        c_2_1="3+",
        c_1_2="1/2 2",
        c_3_2="h",
        c_4_2="bye",
        c_1_3="x3",
        c_2_3="won against Bob",
    )
    assert rows(submission) == [
        "W4W D2 X3",
        "W3 D1 won against Bob",
        "L2 H0 F1",
        "L1B B0",
    ]
    page = text_of(signed_in.get(grid(submission)))
    assert "“won against Bob” is not a result" in page


@pytest.mark.parametrize(
    ("query", "field", "hint"),
    [("", "v-1-2", "1, 0, or ½ for"), ("?by=rounds", "c-1-1", "such as W12.")],
)
def test_hint_names_what_can_be_typed_there(signed_in, td, query, field, hint):
    submission = quad(signed_in, td)
    press(signed_in, grid(submission) + query, **{field: "7"})
    page = signed_in.get(grid(submission) + query).content.decode()
    found = page.partition('id="findings-here"')[2]
    [said] = re.findall(r"“7” is not a result.*?hint\">([^<]*)", found, re.DOTALL)
    assert hint in said


def test_contradiction_is_shown_at_its_cells(signed_in, td):
    submission = quad(signed_in, td)
    press(signed_in, grid(submission), v_1_2="1", v_2_1="1")
    html = signed_in.get(grid(submission)).content.decode()
    assert "A win against 2, but 2 shows a win." in html
    [cell] = re.findall(r'<input id="v-2-1"[^>]*>', html)
    assert 'aria-invalid="true"' in cell
    assert 'value="1"' in cell


def test_nothing_changed_makes_no_version(signed_in, td):
    submission = quad(signed_in, td)
    press(signed_in, grid(submission))
    submission.refresh_from_db()
    assert submission.version == 1


def test_button_after_the_last_saved_result_says_that_all_is_saved(signed_in, td):
    submission = quad(signed_in, td)
    press(signed_in, grid(submission), "next")
    page = text_of(signed_in.get(submission.get_absolute_url()))
    assert "Nothing was changed." in page
    press(signed_in, grid(submission), v_1_2="1")
    signed_in.get(grid(submission))
    press(signed_in, grid(submission), "next")
    page = text_of(signed_in.get(submission.get_absolute_url()))
    assert "All results are saved." in page
    assert "Nothing was changed." not in page


def test_square_and_rounds_show_the_same_games(signed_in, td):
    submission = quad(signed_in, td)
    press(signed_in, grid(submission), v_1_4="½")
    response = press(signed_in, grid(submission) + "?by=rounds", c_2_1="W3")
    assert response["Location"] == grid(submission) + "?by=rounds"
    assert rows(submission) == ["D4W", "W3", "L2", "D1B"]
    fields = fields_of(signed_in.get(grid(submission)))
    assert {name: text for name, text in fields.items() if name[0] == "v" and text} == {
        "version": "3",
        "v-1-4": "½",
        "v-4-1": "½",
        "v-2-3": "1",
        "v-3-2": "0",
    }


# Conflicts


def test_concurrent_edits_of_other_cells_are_saved(signed_in, td):
    submission = quad(signed_in, td)
    mine = fields_of(signed_in.get(grid(submission)))
    press(signed_in, grid(submission), v_1_2="1")
    signed_in.post(grid(submission), {**mine, "v-3-4": "0"})
    assert rows(submission) == [". . W2W", ". . L1B", ". . L4W", ". . W3B"]


def test_same_cell_shows_both_and_saves_nothing_unseen(signed_in, td):
    submission = quad(signed_in, td)
    mine = fields_of(signed_in.get(grid(submission)))
    press(signed_in, grid(submission), v_1_2="1")
    response = signed_in.post(grid(submission), {**mine, "v-1-2": "0", "many": "Ann"})
    assert response.status_code == 409
    assert rows(submission) == [". . W2W", ". . L1B", "", ""]
    html = response.content.decode()
    [cell] = re.findall(r'<input id="v-1-2"[^>]*>', html)
    assert 'value="0"' in cell
    assert "now: 1" in text_of(response)
    assert "Ann" in text_of(response)
    # After seeing both, sending mine again replaces the other.
    signed_in.post(grid(submission), fields_of(response))
    assert rows(submission)[:2] == [". . L2W", ". . W1B"]


def test_nothing_is_saved_into_rows_of_other_people(signed_in, td):
    lines = "\n".join(one.member_id for one in make_members(3))
    submission = begun(signed_in, td, players=lines)
    mine = fields_of(signed_in.get(grid(submission)))
    press(signed_in, grid(submission), "remove:1")
    response = signed_in.post(grid(submission), {**mine, "c-1-1": "W2"})
    assert response.status_code == 409
    assert rows(submission) == ["", ""]
    assert 'value="W2"' in response.content.decode()


def test_report_with_the_office_is_not_changed(signed_in, td):
    submission = quad(signed_in, td)
    mine = fields_of(signed_in.get(grid(submission)))
    withdraw_report(submission_id=submission.pk, actor=td, reason="A mistake.")
    more = reverse("events:new_section", args=[submission.pk])
    for address in (grid(submission), more):
        response = signed_in.post(address, {**mine, "v-1-2": "1"})
        assert response.status_code == 409
        assert "can’t be changed in its current status" in text_of(response)
    assert rows(submission) == ["", "", "", ""]


# Players


def test_name_of_one_member_is_entered_at_once(signed_in, td):
    [member] = make_members(1)
    submission = begun(signed_in, td)
    response = press(signed_in, grid(submission), find_0="familya given0")
    assert response["Location"] == grid(submission) + "?add=1#find-0"
    assert ids(submission) == [member.member_id]


@pytest.mark.parametrize("short", ["G FamilyA", "familya given", "FamilyA"])
def test_short_name_is_unmatched_until_confirmed(signed_in, td, short):
    [member] = make_members(1)
    submission = begun(signed_in, td)
    response = press(signed_in, grid(submission), find_0=short)
    assert ids(submission) == []
    assert f'value="0:{member.member_id}"' in response.content.decode()


def test_pasted_name_typed_short_stays_as_typed_to_be_confirmed(signed_in, td):
    [member] = make_members(1)
    submission = begun(signed_in, td)
    press(signed_in, grid(submission), "add", many="G. FamilyA")
    submission.refresh_from_db()
    entry = reported_in(submission).sections[0].entry(1)
    assert (entry.member_id, entry.name) == ("", "G. FamilyA")
    page = signed_in.get(grid(submission))
    assert "confirm" in text_of(page)
    choose(signed_in, submission, page, 1, member)
    assert ids(submission) == [member.member_id]


def test_name_of_several_offers_them_to_choose(signed_in, td):
    one, other = (make_player(given_name=name, family_name="Twin") for name in "AB")
    submission = begun(signed_in, td)
    response = press(signed_in, grid(submission), find_0="Twin")
    assert ids(submission) == []
    for member in (one, other):
        assert f'value="0:{member.member_id}"' in response.content.decode()
    assert fields_of(response)["find-0"] == "Twin"
    choose(signed_in, submission, response, 0, other)
    assert ids(submission) == [other.member_id]


def test_stranger_is_entered_by_name_and_named_later(signed_in, td):
    submission = begun(signed_in, td)
    response = press(signed_in, grid(submission), find_0="Nobody Known")
    signed_in.post(grid(submission), {**fields_of(response), "unnamed": "1"})
    assert ids(submission) == [""]
    page = signed_in.get(grid(submission))
    assert "The member ID of Nobody Known is missing." in text_of(page)
    member = make_player(given_name="Nobody", family_name="Knownas")
    choose(signed_in, submission, page, 1, member)
    assert ids(submission) == [member.member_id]
    # An old page does not change a player who has an ID by now.
    response = choose(signed_in, submission, page, 1, td.player)
    assert "The rows now have different players." in text_of(response)
    assert ids(submission) == [member.member_id]


def test_outdated_page_removes_no_other_entry(signed_in, td):
    lines = "\n".join(one.member_id for one in make_members(3))
    submission = begun(signed_in, td, players=lines)
    old = fields_of(signed_in.get(grid(submission)))
    press(signed_in, grid(submission), "remove:1")
    left = ids(submission)
    response = signed_in.post(grid(submission), {**old, "act": "remove:1"})
    assert response.status_code == 422
    assert "The rows now have different players." in text_of(response)
    assert ids(submission) == left


def test_choosing_one_member_keeps_the_pasted_lines(signed_in, td):
    _one, other, *more = make_members(4)
    submission = begun(signed_in, td)
    page = press(signed_in, grid(submission), find_0="Family")
    many = "\n".join(each.member_id for each in more)
    choose(signed_in, submission, page, 0, other, many=many)
    assert ids(submission) == [other.member_id, *(each.member_id for each in more)]


def test_pasted_players_come_late(signed_in, td):
    members = make_members(5)
    lines = "\n".join(one.member_id for one in members[:2])
    submission = begun(signed_in, td, players=lines)
    press(signed_in, grid(submission), c_1_1="W2", c_2_2="D1")
    pasted = "\n".join(f"{one.given_name} {one.family_name}" for one in members[2:])
    press(
        signed_in,
        grid(submission),
        "add",
        many=pasted + "\nWho Ever\n" + members[0].member_id,
    )
    assert ids(submission)[2:] == [*(one.member_id for one in members[2:]), ""]
    assert reported_in(submission).sections[0].entry(6).name == "Who Ever"


def test_late_players_are_unpaired_before(signed_in, td):
    members = make_members(3)
    lines = "\n".join(one.member_id for one in members[:2])
    submission = begun(signed_in, td, players=lines)
    press(signed_in, grid(submission), c_1_1="W2", c_2_2="D1")
    fields = fields_of(signed_in.get(grid(submission)))
    signed_in.post(
        grid(submission), {**fields, "find-0": members[2].member_id, "first_round": "3"}
    )
    assert rows(submission) == ["W2 D2", "L1 D1", "U0 U0"]


def test_entry_is_removed_only_without_games(signed_in, td):
    lines = "\n".join(one.member_id for one in make_members(3))
    submission = begun(signed_in, td, players=lines)
    press(signed_in, grid(submission), c_1_1="W3")
    response = press(signed_in, grid(submission), "remove:3")
    assert "Pairing number 3 has results." in text_of(response)
    press(signed_in, grid(submission), "remove:2")
    assert rows(submission) == ["W2", "L1"]


def test_partial_input_finds_members(signed_in, td):
    member = make_player(given_name="Robert", family_name="Castleton", state="OH")
    response = signed_in.get(
        reverse("events:grid_members"), {"row": "3", "find-3": "bob castle"}
    )
    assert f'value="3:{member.member_id}"' in response.content.decode()
    said = text_of(response).split()
    assert f"{member.name} {member.member_id}, OH, unrated".split() == said


# Rounds and sections


def test_round_is_added_and_an_empty_one_removed(signed_in, td):
    submission = begun(signed_in, td, players=make_members(1)[0].member_id)
    press(signed_in, grid(submission), "add_round", c_1_3="H")
    assert reported_in(Submission.objects.get()).sections[0].rounds == 4
    press(signed_in, grid(submission), "remove_round")
    assert reported_in(Submission.objects.get()).sections[0].rounds == 3
    response = press(signed_in, grid(submission), "remove_round")
    assert response.status_code == 422
    assert "The last round has results." in text_of(response)


def test_sections_are_added_and_empty_ones_deleted(signed_in, td):
    submission = quad(signed_in, td)
    more = {"kind": "quads", "time_control": "G/30;d5", "players": "Ann\n" * 8}
    response = signed_in.post(reverse("events:new_section", args=[submission.pk]), more)
    assert response["Location"] == grid(submission, 2)
    submission.refresh_from_db()
    report = reported_in(submission)
    assert [section.number for section in report.sections] == [1, 2, 3]
    assert report.total_sections == 3
    press(signed_in, grid(submission, 3), v_1_2="1")
    press(signed_in, grid(submission, 2), "delete")
    assert rows(submission, 2) == [". . W2W", ". . L1B", "", ""]
    response = press(signed_in, grid(submission, 2), "delete")
    assert "has results and cannot be deleted" in text_of(response)
    press(signed_in, grid(submission, 2), v_1_2="")
    press(signed_in, grid(submission, 2), "delete")
    response = press(signed_in, grid(submission), "delete")
    assert "Withdraw the report instead." in text_of(response)
    assert len(reported_in(Submission.objects.get()).sections) == 1


def test_old_page_deletes_nothing(signed_in, td):
    submission = begun(signed_in, td)
    signed_in.post(
        reverse("events:new_section", args=[submission.pk]),
        {"kind": "R", "time_control": "G/30;d5"},
    )
    old = fields_of(signed_in.get(grid(submission, 2)))
    set_event_name(submission, td)
    response = signed_in.post(grid(submission, 2), {**old, "act": "delete"})
    assert response.status_code == 409
    submission.refresh_from_db()
    assert len(reported_in(submission).sections) == 2


def set_event_name(submission, td) -> None:
    submission.refresh_from_db()
    set_event(
        submission_id=submission.pk,
        actor=td,
        version=submission.version,
        changes={"name": "Renamed"},
    )


# Scripts: one cell at a time


def send_cell(client, submission, **changes):
    fields = fields_of(client.get(grid(submission)))
    data = {"roster": fields["roster"], "page": "1", **changes}
    address = reverse("events:grid_cells", args=[submission.pk, 1])
    return client.post(address, data)


def test_script_saves_a_cell_and_hears_what_followed(signed_in, td):
    submission = quad(signed_in, td)
    answer = send_cell(
        signed_in, submission, **{"v-1-4": "1", "was": json.dumps({"v-1-4": ""})}
    ).json()
    assert answer["said"] == "1 result saved."
    assert answer["cells"]["v-1-4"] == ["1", "", ""]
    assert answer["cells"]["v-4-1"] == ["0", "", ""]
    assert (answer["totals"]["1"], answer["conflicts"]) == ("1", {})
    assert "10 results are missing" in answer["findings"]
    assert rows(submission) == ["W4W", "", "", "L1B"]


def test_script_hears_of_a_conflict_and_saves_nothing(signed_in, td):
    submission = quad(signed_in, td)
    press(signed_in, grid(submission), v_1_4="½")
    response = send_cell(
        signed_in, submission, **{"v-1-4": "1", "was": json.dumps({"v-1-4": ""})}
    )
    assert response.status_code == 409
    assert response.json()["conflicts"] == {"v-1-4": "½"}
    assert rows(submission)[0] == "D4W"


@pytest.mark.parametrize(
    "was", ["", "{", "[]", "null", '{"v-1-4": 1}', "[" * 100_000, '"x"']
)
def test_nonsense_about_what_was_shown_counts_as_blank(signed_in, td, was):
    submission = quad(signed_in, td)
    send_cell(signed_in, submission, **{"v-1-4": "1", "was": was})
    assert rows(submission)[0] == "W4W"


@pytest.mark.parametrize(
    "changes",
    [
        {"v-1-1": "1"},
        {"v-9-1": "1"},
        {"v-1-9": "1"},
        {"v-0-0": "1"},
        {"c-1-1": "W2"},
        {"v-1-٣": "1"},
        {"v-1-2-3": "1"},
        {"act": "remove:9999"},
        {"act": "nonsense"},
        {"use": "7:99999999"},
        {"use": "nonsense"},
        {"page": "-7"},
        {"find-9999": "x"},
    ],
)
def test_nonsense_changes_nothing_and_answers_with_a_page(signed_in, td, changes):
    submission = quad(signed_in, td)
    fields = fields_of(signed_in.get(grid(submission)))
    response = signed_in.post(grid(submission), {**fields, **changes})
    assert response.status_code in (200, 302, 422)
    assert rows(submission) == ["", "", "", ""]


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\u202e", "💥" * 40, "W" * 900])
def test_unusual_characters_in_a_cell_cause_no_server_error(signed_in, td, text):
    submission = quad(signed_in, td)
    response = press(signed_in, grid(submission), v_1_2=text)
    assert response.status_code == 302
    kept = "".join(filter(str.isprintable, text))[:60]
    stands = reported_in(Submission.objects.get()).sections[0].entry(1).cell(3)
    assert stands.raw == kept


# Uploaded reports, and access


def test_uploaded_report_is_edited_as_a_grid(signed_in, td):
    members = make_members(4)
    report = event_report(td, [section_report(members, swiss_rows(4, 3))])
    wrong = report.with_cell(1, 2, 1, parse_cell("L9"))
    submission = upload(td, wrong)
    files = submission.files.count()
    fields = fields_of(signed_in.get(grid(submission)))
    right = format_cell(report.sections[0].entry(2).cell(1))
    press(signed_in, grid(submission), c_2_1=right)
    submission.refresh_from_db()
    assert reported_in(submission).sections == report.edited_from(wrong).sections
    assert fields["c-2-1"] == "L9"
    assert submission.files.count() == files == 3


def test_number_that_stands_twice_has_no_fields(signed_in, td):
    members = make_members(2)
    report = event_report(td, [section_report(members, ["W2W", "L1B"])])
    twice = replace(
        report,
        sections=tuple(
            replace(one, entries=(*one.entries, one.entries[0]))
            for one in report.sections
        ),
    )
    submission = upload(td, twice)
    response = signed_in.get(grid(submission))
    assert "This pairing number appears twice." in text_of(response)
    assert [name for name in fields_of(response) if name.startswith("c-")] == [
        "c-1-1",
        "c-2-1",
    ]


def test_someone_elses_report_is_not_there(client, signed_in, td):
    submission = quad(signed_in, td)
    client.force_login(make_td("other"))
    assert client.get(grid(submission)).status_code == 404
    assert send_cell_raw(client, submission).status_code == 404


def send_cell_raw(client, submission):
    address = reverse("events:grid_cells", args=[submission.pk, 1])
    return client.post(address, {"v-1-2": "1"})


@pytest.mark.parametrize("players", [4, 20])
def test_grid_takes_the_same_queries_for_any_size(
    signed_in, td, players, django_assert_max_num_queries
):
    lines = "\n".join(one.member_id for one in make_members(players))
    submission = begun(signed_in, td, kind="R", players=lines)
    with django_assert_max_num_queries(23):
        response = signed_in.get(grid(submission))
    assert response.content.count(b'class="num total"') == players


# The whole process

QUADS = [["1", "½", "1", "0", "1", "½"], ["0", "1", "½", "1", "1", "0"],
         ["½", "½", "1", "1", "0", "1"]]  # fmt: skip
PAIRS = ["1-2", "1-3", "1-4", "2-3", "2-4", "3-4"]


def test_typed_quads_are_rated_like_the_same_event_uploaded(signed_in, td):
    members = make_members(12)
    submission = begun(
        signed_in,
        td,
        kind="quads",
        section_name="",
        players="\n".join(one.member_id for one in members),
    )
    for number, results in enumerate(QUADS, start=1):
        typed = {f"v-{pair}": text for pair, text in zip(PAIRS, results, strict=True)}
        address = grid(submission, number)
        response = press(signed_in, address, "next", **typed)
        after = grid(submission, number + 1)
        assert response["Location"] == (
            after if number < 3 else submission.get_absolute_url()
        )
    page = text_of(signed_in.get(submission.get_absolute_url()))
    assert "Results entered manually since" in page
    assert "Tessa Director entered results for section 3" in page
    submission.refresh_from_db()
    typed_report = reported_in(submission)
    typed_event = accepted(submission, td)

    uploaded_members = make_members(12)
    ids_of = dict(
        zip(
            [one.member_id for one in members],
            [one.member_id for one in uploaded_members],
            strict=True,
        )
    )
    uploaded = with_ids(typed_report, ids_of)
    uploaded_event = rated_event(td, replace(uploaded, name="The same"))
    assert ratings_in(typed_event) == ratings_in(uploaded_event)
    assert len(ratings_in(typed_event)) == 12
    # The event can be exported and uploaded again.
    files = zipfile.ZipFile(io.BytesIO(export_event(typed_event)))
    read = read_report([(name, files.read(name)) for name in files.namelist()])
    assert games_of(read.reported) == games_of(typed_report)


def games_of(reported: ReportedEvent) -> list:
    return [
        [
            (e.member_id, [cell for cell in e.cells if cell.code in "WLD"])
            for e in one.entries
        ]
        for one in reported.sections
    ]


def accepted(submission: Submission, td) -> Event:
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    return event


def with_ids(reported: ReportedEvent, ids_of: dict[str, str]) -> ReportedEvent:
    sections = [
        replace(
            section,
            entries=tuple(
                replace(entry, member_id=ids_of[entry.member_id])
                for entry in section.entries
            ),
        )
        for section in reported.sections
    ]
    return reported.with_event(sections=tuple(sections))


def ratings_in(event: Event) -> list:
    return list(
        RatingChange.objects.filter(calculation__section__event=event)
        .order_by("calculation__section__number", "-pre_rating", "pk")
        .values_list("calculation__section__number", "pre_rating", "post_rating")
    )


def test_entry_changed_elsewhere_shows_in_the_grid(signed_in, td):
    submission = quad(signed_in, td)
    other = make_player(given_name="Olga", family_name="Other")
    set_entry(
        submission_id=submission.pk,
        actor=td,
        version=1,
        section_number=1,
        pairing_number=2,
        changes={"member_id": other.member_id},
    )
    page = text_of(signed_in.get(grid(submission)))
    assert other.member_id in page
    assert other.name in page


NAMES = "/desk/type-in/names/"
PARTIAL = {"HX-Request": "true"}


class TestNamesBesideIds:
    """With scripts, names of typed IDs are shown, and the club's place is filled in."""

    def test_names_of_club_td_and_players_are_shown(self, signed_in, td):
        one, other = make_members(2)
        lines = f"{other.member_id}\nNewcomb, Nora\n2. {one.member_id}\n99999999"
        text = text_of(signed_in.post(NAMES, event_facts(td, players=lines)))
        assert "Castle Chess Club · Tessa Director · Springfield, IL" in text
        assert text.partition("Springfield, IL")[2].split() == [
            *["Given1", "FamilyB", other.member_id + ",", "IL,", "1880"],
            *["Newcomb,", "Nora"],
            *["Given0", "FamilyA", one.member_id + ",", "IL,", "1900"],
            "99999999",
        ]

    def test_unknown_ids_are_named_as_such(self, signed_in, td):
        facts = event_facts(td, affiliate_id="A9999999", chief_td_id="99999999")
        text = text_of(signed_in.post(NAMES, facts))
        assert "affiliate unknown · TD unknown" in text

    def blank(self, td, **changes) -> dict:
        return event_facts(td, city="", state="", zip_code="", **changes)

    def test_place_of_the_clubs_last_event_is_filled_in(self, signed_in, td):
        players = make_members(2)
        rated_event(td, event_report(td, [section_report(players, swiss_rows(2, 1))]))
        html = signed_in.post(NAMES, self.blank(td)).content.decode()
        for value in ("Springfield", "IL", "62701"):
            (field,) = re.findall(f'<input[^>]* value="{value}"[^>]*>', html)
            assert 'hx-swap-oob="true"' in field

    def test_typed_place_stays(self, signed_in, td):
        players = make_members(2)
        rated_event(td, event_report(td, [section_report(players, swiss_rows(2, 1))]))
        facts = event_facts(td, city="Shelbyville", state="", zip_code="")
        assert "<input" not in signed_in.post(NAMES, facts).content.decode()
        assert reported_in(begun(signed_in, td, **facts)).city == "Shelbyville"

    def test_without_scripts_the_place_is_filled_in_when_saved(self, signed_in, td):
        make_affiliate(state="WI")
        reported = reported_in(begun(signed_in, td, **self.blank(td)))
        assert (reported.city, reported.state) == ("", "WI")

    @pytest.mark.parametrize("count", [2, 40])
    def test_names_take_the_same_queries_for_any_number(
        self, signed_in, td, count, django_assert_num_queries
    ):
        ids = "\n".join(one.member_id for one in make_members(count))
        facts = event_facts(td, players=ids)
        with django_assert_num_queries(6):
            response = signed_in.post(NAMES, facts)
        assert response.content.count(b"<li>") == count

    def test_only_reporters_see_names(self, client, td):
        client.force_login(make_player(account=make_user()).account)
        assert client.post(NAMES, event_facts(td)).status_code == 403
        assert client.get(NAMES).status_code == 405


class TestQuadsOnOnePage:
    """With scripts, the next quad is added below the one before."""

    @pytest.fixture
    def quads(self, signed_in, td):
        ids = "\n".join(one.member_id for one in make_members(8))
        return begun(signed_in, td, kind="quads", rounds="", players=ids)

    def test_first_quad_asks_for_the_next_and_the_last_for_none(self, signed_in, quads):
        first = signed_in.get(grid(quads)).content.decode()
        assert f'hx-get="{grid(quads, 2)}?part=1"' in first
        last = signed_in.get(f"{grid(quads, 2)}?part=1", headers=PARTIAL)
        assert "?part=1" not in last.content.decode()

    def test_part_has_ids_of_its_own(self, signed_in, quads):
        html = signed_in.get(f"{grid(quads, 2)}?part=1", headers=PARTIAL).text
        assert "<html" not in html
        ids = set(re.findall(r' id="([^"]*)"', html))
        assert ids
        assert all(one.startswith("s2-") for one in ids)
        named = re.findall(r'(?:for|aria-describedby)="([^"]*)"', html)
        assert named
        assert set(named) <= ids
        page = signed_in.get(grid(quads)).content.decode()
        assert not ids & set(re.findall(r' id="([^"]*)"', page))

    def test_findings_of_a_part_lead_to_its_own_fields(self, signed_in, quads):
        fields = fields_of_part(signed_in.get(f"{grid(quads, 2)}?part=1"))
        sent = {**fields, "v-1-2": "7", "was": fields["was"]}
        address = reverse("events:grid_cells", args=[quads.pk, 2])
        answer = signed_in.post(address, sent).json()
        assert 'href="#s2-v-1-2"' in answer["findings"]

    def test_sections_of_other_kinds_have_their_own_pages(self, signed_in, td):
        submission = begun(signed_in, td)
        assert 'hx-trigger="focusin' not in signed_in.get(grid(submission)).text


def fields_of_part(response) -> dict[str, str]:
    html = response.content.decode().replace('id="s2-grid"', 'id="grid"')
    fields = {}
    for tag in re.findall(r"<input[^>]*>", html[html.index('id="grid"') :]):
        given = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
        fields[given["name"]] = unescape(given.get("value", ""))
    return fields


class TestNextStep:
    """After the last section comes the summary, or the report if it has issues."""

    @pytest.fixture
    def recent(self) -> str:
        return f"{timezone.localdate() - timedelta(days=1)}"

    def test_complete_report_goes_to_the_summary(self, signed_in, td, recent):
        ids = "\n".join(one.member_id for one in make_members(4))
        submission = begun(signed_in, td, starts=recent, rounds="1", players=ids)
        response = press(
            signed_in, grid(submission), "next", **{"c-1-1": "W2w", "c-3-1": "D4w"}
        )
        assert response["Location"] == reverse("events:submit", args=[submission.pk])

    def test_incomplete_report_goes_to_the_report(self, signed_in, td, recent):
        ids = "\n".join(one.member_id for one in make_members(2))
        submission = begun(signed_in, td, starts=recent, rounds="1", players=ids)
        response = press(signed_in, grid(submission), "next")
        assert response["Location"] == submission.get_absolute_url()

    @pytest.mark.parametrize(("query", "name"), [("?grid=1", "submit"), ("", "report")])
    def test_new_member_from_the_grid_goes_on(self, signed_in, td, recent, query, name):
        lines = f"{make_members(1)[0].member_id}\nNewcomb, Nora"
        submission = begun(signed_in, td, starts=recent, rounds="1", players=lines)
        press(signed_in, grid(submission), **{"c-1-1": "W2w"})
        address = reverse("events:new_member", args=[submission.pk, 1, 2]) + query
        assert f'{address}"' in signed_in.get(grid(submission)).text or not query
        submission.refresh_from_db()
        facts = {"given_name": "Nora", "family_name": "Newcomb", "birth_year": "2012"}
        sent = {"version": submission.version, **facts}
        there = signed_in.post(address, sent)["Location"].partition("#")[0]
        assert there == reverse(f"events:{name}", args=[submission.pk])


# Reports of files


UNKNOWN_IDS = ("19999999", "123", "NEW", "")


@pytest.mark.parametrize("name", ["FOO, BAR", ""])
@pytest.mark.parametrize("member_id", UNKNOWN_IDS)
def test_players_without_a_member_are_shown(signed_in, td, member_id, name):
    submission = received(td, [(1, member_id, name, "W2"), (2, "", "Poe, Ann", "L1")])
    page = signed_in.get(grid(submission))
    assert page.status_code == 200
    assert name in unescape(page.content.decode())
    pages = text_of(signed_in.get(submission.get_absolute_url()))
    assert "Poe, Ann" in pages


def test_an_id_that_is_typed_wrong_is_shown_and_can_be_edited(signed_in, td):
    submission = begun(signed_in, td, players=make_members(1)[0].member_id)
    typed = {"act": "add", "many": "19999998 Doe, Jane", "was": "{}"}
    assert signed_in.post(grid(submission), typed).status_code == 302
    page = text_of(signed_in.get(grid(submission)))
    assert re.search(r"19999998 ?, unknown ID", page)


@pytest.mark.parametrize("cell", ["X2", "W2", "B", "won"])
def test_pairing_number_0_is_a_finding(signed_in, td, cell):
    players = [
        (0, "", "Ek, Bo", cell),
        (2, "", "Poe, Ann", "W3"),
        (3, "", "L", ""),
    ]
    submission = received(td, players)
    page = signed_in.get(submission.get_absolute_url())
    assert "has no pairing number." in text_of(page)
    rows_shown = text_of(signed_in.get(grid(submission)))
    assert "This pairing number isn’t valid. Change it first." in rows_shown
    assert "appears twice" not in rows_shown
    entry = [submission.pk, 1, 0]
    shown = signed_in.get(reverse("events:edit_cell", args=[*entry, 1]))
    assert shown.status_code == 200
    sent = {**fields_of_forms(shown), "code": "W", "opponent": "2", "both": "on"}
    answer = signed_in.post(reverse("events:edit_cell", args=[*entry, 1]), sent)
    assert answer.status_code in (302, 422)
    word = {"word": "W2", "reason": "So.", "both": "on"}
    answer = signed_in.post(reverse("events:settle_result", args=[*entry, 1]), word)
    assert answer.status_code in (302, 409, 422)


def test_players_are_added_once_when_the_button_fails(signed_in, td):
    members = [one.member_id for one in make_members(2)]
    submission = begun(signed_in, td, players="\n".join(members), rounds="1")
    press(signed_in, grid(submission), c_1_1="W2", act="save", by="rounds")
    answer = press(signed_in, grid(submission), "remove_round", many="Nobody, Known")
    assert answer.status_code == 422
    assert "Nobody, Known</textarea>" not in answer.content.decode()
    names = [one.name for one in reported_in(reloaded(submission)).section(1).entries]
    assert names.count("NOBODY, KNOWN") + names.count("Nobody, Known") == 1


def reloaded(submission: Submission) -> Submission:
    return Submission.objects.get(pk=submission.pk)


def fields_of_forms(response) -> dict[str, str]:
    found = {}
    for tag in re.findall(r"<input[^>]*>", response.content.decode()):
        given = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
        if "name" in given:
            found[given["name"]] = unescape(given.get("value", ""))
    return found


def received(td, players: list[tuple[int, str, str, str]]) -> Submission:
    """Receive a JSON report with these numbers, IDs, names and cells."""
    section = {
        "number": 1,
        "name": "Open",
        "kind_letter": "S",
        "time_control": "G/60;d5",
        "rounds": 1,
        "last_pairing_number": len(players),
        "entries": [
            {
                "pairing_number": number,
                "member_id": member_id,
                "name": name,
                "cells": [cell],
            }
            for number, member_id, name, cell in players
        ],
    }
    report = {
        "format": "rating-report",
        "version": 1,
        "name": "May Open",
        "starts": "2024-05-04",
        "ends": "2024-05-04",
        "sections": [section],
    }
    file = ("may.json", json.dumps(report).encode())
    return receive_submission(actor=td, files=[file])
