"""The open report page: forms in place, and partial updates."""

import re

import pytest

from events.formats.report import parse_cell
from events.models import Submission
from events.reports.services.submissions import set_cell, submit_report
from events.review.services.acceptance import accept_report
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.reports.test_report_pages import cells_of, quad, text_of, upload, url
from tests.factories import make_staff, make_td

pytestmark = pytest.mark.django_db

PART = {"HX-Request": "true"}


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


def faulty(td) -> Submission:
    """The result of number 1 in round 2 contradicts that of number 3."""
    return upload(td, quad(td).with_cell(1, 1, 2, parse_cell("L3W")))


def shown(version: int) -> dict[str, str]:
    return {**PART, "X-Shown-Version": str(version)}


def rows_in(response) -> list[str]:
    return re.findall(
        r'<tr hx-swap-oob="true" id="(s\d+p\d+)', response.content.decode()
    )


def primary_in(response) -> list[str]:
    return re.findall(
        r'class="button primary"[^>]*>([^<]*)<', response.content.decode()
    )


RIGHT = {"version": 1, "code": "W", "opponent": "3", "color": "W"}


class TestFormsInPlace:
    def test_a_part_is_the_form_alone(self, signed_in, td):
        submission = faulty(td)
        path = url("edit_cell", submission, 1, 1, 2)
        page = signed_in.get(path, headers=PART).content.decode()
        assert "<html" not in page
        assert f'hx-post="{path}"' in page
        assert "A loss to 3, but 3 shows a loss." in page

    def test_a_change_answers_with_findings_and_the_rows_that_differ(
        self, signed_in, td
    ):
        submission = faulty(td)
        path = url("edit_cell", submission, 1, 1, 2)
        response = signed_in.post(path, RIGHT, headers=shown(1))
        page = response.content.decode()
        assert cells_of(submission)[1] == "W3W"
        assert rows_in(response) == ["s1p1", "s1p3"]
        assert 'id="findings" data-version="2" hx-swap-oob="true"' in page
        assert 'id="s1-table"' not in page
        assert "reports a loss" not in text_of(response)
        assert "Ready to submit." in text_of(response)
        assert response["HX-Trigger-After-Settle"] == "desk:saved"

    def test_the_first_button_is_what_the_office_would_take(self, signed_in, td):
        submission = faulty(td)
        address = url("report", submission)
        blocked = signed_in.get(address)
        assert primary_in(blocked) == ["Next issue"]
        assert text_of(blocked).count("1 error to fix before you can submit") == 2
        path = url("edit_cell", submission, 1, 1, 2)
        changed = signed_in.post(path, RIGHT, headers=shown(1))
        assert 'id="send" hx-swap-oob="true"' in changed.content.decode()
        free = ["Submit to the office"] * 2
        assert primary_in(changed) == primary_in(signed_in.get(address)) == free

    def test_a_browser_that_shows_another_state_gets_the_whole_table(
        self, signed_in, td
    ):
        submission = faulty(td)
        path = url("edit_cell", submission, 1, 1, 2)
        response = signed_in.post(path, RIGHT, headers=shown(7))
        assert rows_in(response) == []
        assert 'id="s1-table" hx-swap-oob="true"' in response.content.decode()

    def test_another_pairing_number_moves_the_rows(self, signed_in, td):
        submission = faulty(td)
        path = url("edit_entry", submission, 1, 4)
        data = {"version": 1, "name": "FOX, DI", "pairing_number": 5}
        response = signed_in.post(path, data, headers=shown(1))
        assert 'id="s1p5"' in response.content.decode()
        assert 'id="s1-table" hx-swap-oob="true"' in response.content.decode()

    def test_a_refused_form_comes_back_as_it_was_typed(self, signed_in, td):
        submission = faulty(td)
        path = url("edit_cell", submission, 1, 1, 2)
        response = signed_in.post(path, {**RIGHT, "opponent": "77"}, headers=shown(1))
        assert response.status_code == 422
        assert "Pairing number 77 is not in this section." in text_of(response)
        assert 'value="77"' in response.content.decode()
        assert "<html" not in response.content.decode()

    def test_an_outdated_form_shows_both_in_place(self, signed_in, td):
        submission = faulty(td)
        set_cell(
            submission_id=submission.pk,
            actor=td,
            version=1,
            section_number=1,
            pairing_number=1,
            round_number=2,
            cell=parse_cell("D3W"),
        )
        path = url("edit_cell", submission, 1, 1, 2)
        response = signed_in.post(path, RIGHT, headers=shown(1))
        page = response.content.decode()
        assert response.status_code == 409
        assert "<html" not in page
        assert re.search("The report now says: .*Result D", text_of(response))
        assert 'name="version" value="2"' in page

    def test_what_the_office_has_is_said_in_place(self, signed_in, td):
        submission = upload(td, quad(td))
        submit_report(submission_id=submission.pk, actor=td)
        path = url("edit_cell", submission, 1, 1, 2)
        response = signed_in.get(path, headers=PART)
        assert response.status_code == 409
        assert "Ask the office to return it" in text_of(response)
        assert "<html" not in response.content.decode()

    def test_an_action_in_the_list_is_answered_like_a_form(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 1, name="OTHER, NAME"))
        data = {"version": 1, "spot": "1-1"}
        response = signed_in.post(url("use_record", submission), data, headers=shown(1))
        assert rows_in(response) == ["s1p1"]
        text = text_of(response).partition("History")[0]
        assert text.count("OTHER, NAME") == text.count("Reported: OTHER, NAME") == 2

    def test_a_refused_action_says_why_above_the_list(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 1, name="OTHER, NAME"))
        response = signed_in.post(
            url("override", submission), {"finding": "x"}, headers=shown(1)
        )
        assert response.status_code == 422
        assert "Enter a reason." in text_of(response)
        assert "HX-Trigger-After-Settle" not in response


class TestTheList:
    def test_findings_stand_by_severity_and_then_by_entry(self, signed_in, td):
        report = quad(td).with_cell(1, 1, 2, parse_cell("L3W"))
        submission = upload(td, report.with_entry(1, 2, name="OTHER, NAME"))
        page = signed_in.get(url("report", submission)).context["page"]
        found = [
            (group.kind, [entry.who for kind in group.kinds for entry in kind.entries])
            for group in page.groups
            if group.kind in ("error", "confirm")
        ]
        assert found == [
            ("error", ["Section 1, number 1: LIND, ADA"]),
            ("confirm", ["Section 1, number 2: OTHER, NAME"]),
        ]

    def test_notes_and_what_is_confirmed_are_folded(self, signed_in, td):
        submission = faulty(td)
        page = signed_in.get(url("report", submission)).content.decode()
        assert '<details class="finding-group" id="group-note">' in page
        assert '<div class="finding-group" id="group-error">' in page


class TestTimeline:
    def stages(self, client, submission) -> list[tuple[str, str]]:
        stages = client.get(url("report", submission)).context["timeline"]
        return [(stage.label, stage.state) for stage in stages]

    def test_from_received_to_rated(self, signed_in, td):
        submission = upload(td, quad(td))
        assert self.stages(signed_in, submission) == [
            ("Received", "done"),
            ("Draft", "now"),
            ("Submitted", "ahead"),
            ("Accepted", "ahead"),
            ("Rated", "ahead"),
        ]
        submit_report(submission_id=submission.pk, actor=td)
        words = text_of(signed_in.get(url("report", submission)))
        assert f"Receipt Report number {submission.pk} " in words
        assert submission.content_digest in words
        accept_report(submission_id=submission.pk, actor=make_staff())
        assert self.stages(signed_in, submission)[-1] == ("Being rated", "now")
        run_due_jobs()
        assert self.stages(signed_in, submission)[-1] == ("Rated", "done")
        words = text_of(signed_in.get(url("progress", submission), headers=PART))
        assert re.search(r"1 Ada Lind Regular unrated [0-9]+ – why", words)
