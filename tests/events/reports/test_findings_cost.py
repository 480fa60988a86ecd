"""Findings are computed once for each state of a report."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from events.formats.checks.report import check_report
from events.formats.dbf.writer import zip_report
from events.formats.json.writer import report_document
from events.formats.report import parse_cell
from events.models import Submission
from events.reports.services.submissions import submit_report
from players.models import Membership
from tests.events.reports.test_live_updates import RIGHT, faulty, shown
from tests.events.reports.test_report_pages import quad, upload, url
from tests.factories import make_staff, make_td
from tests.ratings.api.test_reports import send

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


@pytest.fixture
def times(monkeypatch):
    """Count how often a report is checked."""
    checked = []

    def counted(report):
        checked.append(report)
        return check_report(report)

    monkeypatch.setattr("events.checks.services.check_report", counted)

    def times(act) -> tuple[int, int]:
        checked.clear()
        return act().status_code, len(checked)

    return times


def test_one_check_for_each_step_of_a_journey(signed_in, td, times):
    staff = make_staff()
    report = quad(td).with_cell(1, 1, 2, parse_cell("L3W"))
    files = [SimpleUploadedFile("report.zip", zip_report(report))]

    sent = times(lambda: signed_in.post(reverse("events:upload"), {"files": files}))
    submission = Submission.objects.get()
    page = times(lambda: signed_in.get(url("report", submission)))
    cell = url("edit_cell", submission, 1, 1, 2)
    form = times(lambda: signed_in.get(cell))
    refused = times(lambda: signed_in.post(url("submit", submission)))
    edited = times(lambda: signed_in.post(cell, RIGHT))
    submitted = times(lambda: signed_in.post(url("submit", submission)))
    signed_in.force_login(staff)
    preview = times(lambda: signed_in.get(url("accept", submission)))
    accepted = times(lambda: signed_in.post(url("accept", submission), {"reason": ""}))

    assert [sent, page, form, refused, edited, submitted, preview, accepted] == [
        (302, 1),
        (200, 1),
        (200, 1),
        (422, 1),
        (302, 1),
        (302, 1),
        (200, 1),
        (302, 1),
    ]


def test_an_edit_in_place_looks_at_the_state_before_and_the_state_after(
    signed_in, td, times
):
    submission = faulty(td)
    cell = url("edit_cell", submission, 1, 1, 2)
    assert times(lambda: signed_in.post(cell, RIGHT)) == (302, 1)
    submission.refresh_from_db()
    back = {**RIGHT, "version": 2, "code": "L"}
    assert times(lambda: signed_in.post(cell, back, headers=shown(2))) == (200, 2)


def test_acceptance_looks_at_the_records_as_they_are_then(signed_in, td, times):
    submission = upload(td, quad(td))
    submit_report(submission_id=submission.pk, actor=td)
    Membership.objects.all().delete()
    signed_in.force_login(make_staff())
    refused = times(lambda: signed_in.post(url("accept", submission), {"reason": ""}))
    assert refused == (422, 1)
    submission.refresh_from_db()
    assert submission.state == Submission.State.SUBMITTED


def test_a_program_is_answered_with_one_check(td, times):
    body = report_document(quad(td))
    assert times(lambda: send(td, body)) == (201, 1)
    [submission] = Submission.objects.all()
    assert times(lambda: send(td, "", f"/{submission.pk}/submit")) == (200, 1)
