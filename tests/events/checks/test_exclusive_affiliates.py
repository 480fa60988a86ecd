"""An affiliate that only its listed TDs can report for."""

import json

import pytest
from django.test import Client

from events.checks.services import findings_of
from events.formats.json.writer import report_document
from events.models import Affiliate, Submission
from events.records.exceptions import NotPossible
from events.reports.services.submissions import override_findings, submit_report
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.models import AuditEntry
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db

CODE = "affiliate.td_not_listed"
SENTENCE = (
    "Only the listed TDs of Castle Chess Club can report for it, and Tessa Director "
    "is not on the list."
)


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def club():
    return make_affiliate(is_exclusive=True)


def report(td):
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(2)]
    return event_report(td, [section_report(players, swiss_rows(2, 1))])


def about_list(submission) -> list[tuple[str, str, str]]:
    return [
        (one.severity.value, one.code, one.message)
        for one in findings_of(submission)
        if one.code.startswith("affiliate.")
    ]


def test_listed_td_can_report(club, td):
    td.player.official.affiliates.add(club)
    submission = upload(td, report(td))
    assert about_list(submission) == []
    assert submit_report(submission_id=submission.pk, actor=td).state == "submitted"


def test_another_td_gets_an_error_at_upload_and_at_submission(club, td):
    make_td().player.official.affiliates.add(club)
    submission = upload(td, report(td))
    assert about_list(submission) == [("error", CODE, SENTENCE)]
    with pytest.raises(NotPossible) as refusal:
        submit_report(submission_id=submission.pk, actor=td)
    assert [one.code for one in refusal.value.findings if one.severity == "error"] == [
        CODE
    ]
    assert Submission.objects.get().state == "open"


def test_exclusive_affiliate_without_a_list_lets_no_td_report(club, td):
    assert about_list(upload(td, report(td))) == [("error", CODE, SENTENCE)]


def test_flag_set_after_the_upload_counts_at_submission(td):
    club = make_affiliate()
    submission = upload(td, report(td))
    Affiliate.objects.filter(pk=club.pk).update(is_exclusive=True)
    with pytest.raises(NotPossible):
        submit_report(submission_id=submission.pk, actor=td)


def test_office_can_allow_it_and_the_td_cannot(club, td):
    submission = upload(td, report(td))
    (key,) = [one.key for one in findings_of(submission) if one.code == CODE]
    said = {"submission_id": submission.pk, "finding_keys": [key], "reason": "Agreed."}
    with pytest.raises(NotPossible, match="Only the ratings office can allow this"):
        override_findings(actor=td, **said)
    override_findings(actor=make_staff(), **said)
    assert submit_report(submission_id=submission.pk, actor=td).state == "submitted"


def test_report_entered_by_the_office_needs_a_listed_chief_td(club, td):
    submission = upload(make_staff(), report(td))
    member_id = td.player.member_id
    sentence = (
        "Only the listed TDs of Castle Chess Club can report for it, and the chief TD, "
        f"{member_id}, is not on the list."
    )
    assert about_list(submission) == [("error", CODE, sentence)]


def test_upload_page_leads_to_the_error(client, club, td):
    submission = upload(td, report(td))
    client.force_login(td)
    assert SENTENCE in client.get(submission.get_absolute_url()).text


def test_program_gets_the_error_from_the_api(club, td):
    headers = {
        "Authorization": f"Bearer {create_key(owner=td, name='x', may_submit=True)[1]}"
    }

    def send(path: str, body=""):
        return Client().post(
            f"/api/v1/reports{path}", body, "application/json", headers=headers
        )

    document = json.dumps(report_document(report(td)))
    sent = send("", document)
    for answer in (send("/check", document).json(), sent.json()):
        (line,) = [one for one in answer["findings"] if one["code"] == CODE]
        assert (line["sentence"], line["blocks"]) == (SENTENCE, True)
        assert line["place"]["pointer"] == "/affiliate_id"
        assert line["hint"].startswith("Have a listed TD send the report")
        assert not answer["can_be_submitted"]
    refused = send(f"/{sent.json()['id']}/submit")
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "Fix 1 issue before you submit the report.",
    )


class TestAdmin:
    """Staff edit the flag and the list on one page, with a reason."""

    def form(self, club, official=None, **changes) -> dict:
        lines = "Official_affiliates"
        return {
            "affiliate_id": club.affiliate_id,
            "name": club.name,
            "expires": "2099-12-31",
            "reason_for_change": "The president wrote on Friday.",
            f"{lines}-TOTAL_FORMS": "1" if official else "0",
            f"{lines}-INITIAL_FORMS": "0",
            f"{lines}-0-affiliate": club.pk,
            f"{lines}-0-official": official.pk if official else "",
            **changes,
        }

    def test_flag_and_list_are_audited_with_the_reason(self, client, td):
        club = make_affiliate()
        client.force_login(make_staff())
        address = f"/admin/events/affiliate/{club.pk}/change/"
        data = self.form(club, td.player.official, is_exclusive="on")
        response = client.post(address, data)
        assert response.status_code == 302, response.text
        club.refresh_from_db()
        assert club.is_exclusive
        assert [one.player for one in club.official_set.all()] == [td.player]
        entries = AuditEntry.objects.order_by("pk").values_list(
            "action", "subject_name", "reason"
        )
        why = "The president wrote on Friday."
        assert list(entries)[-2:] == [
            ("affiliate.changed", "Castle Chess Club (A6000001)", why),
            ("official_affiliates.added", str(td.player.official), why),
        ]

    def test_reason_is_required(self, client):
        club = make_affiliate()
        client.force_login(make_staff())
        data = self.form(club, is_exclusive="on", reason_for_change="")
        client.post(f"/admin/events/affiliate/{club.pk}/change/", data)
        assert not Affiliate.objects.get().is_exclusive

    def test_td_cannot_edit_it(self, client, td):
        club = make_affiliate()
        client.force_login(td)
        data = self.form(club, is_exclusive="on")
        response = client.post(f"/admin/events/affiliate/{club.pk}/change/", data)
        assert response.status_code in (302, 403)
        assert not Affiliate.objects.get().is_exclusive
