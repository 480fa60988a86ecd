"""Reports by JSON: checked, sent and submitted, with findings in the response."""

import json
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from events.formats.json.writer import report_document
from events.models import Submission, SubmissionFile
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY
from ratings.api.report_schema import EXAMPLE
from ratings.api.reports import MAX_BODY_BYTES
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.models import ApiKey
from ratings_site.common.uploads.services import read_upload
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

REPORTS = "/api/v1/reports"


@pytest.fixture
def td():
    return make_td()


@pytest.fixture
def report(td):
    players = [make_player() for _ in range(4)]
    return event_report(td, [section_report(players, swiss_rows(4, 3))])


def key_of(owner, *, may_submit: bool = True) -> str:
    return create_key(owner=owner, name="a program", may_submit=may_submit)[1]


def send(owner_or_key, body, path: str = ""):
    key = owner_or_key if isinstance(owner_or_key, str) else key_of(owner_or_key)
    if isinstance(body, dict):
        body = json.dumps(body)
    return Client().post(
        f"{REPORTS}{path}",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


def read(owner, path: str):
    headers = {"Authorization": f"Bearer {key_of(owner)}"}
    return Client().get(f"{REPORTS}{path}", headers=headers)


def without_result(report):
    """The report, with one side of a game missing."""
    document = report_document(report)
    document["sections"][0]["entries"][2]["cells"][1] = ""
    return document


def test_a_clean_report_goes_from_the_program_to_the_office(td, report):
    body = json.dumps(report_document(report))
    sent = send(td, body)
    assert sent.status_code == 201
    said = sent.json()
    assert (said["state"], said["event_name"]) == ("open", "May Open")
    assert said["can_be_submitted"], said["findings"]
    submission = Submission.objects.get()
    assert sent.headers["Location"] == f"{REPORTS}/{submission.pk}"
    assert submission.uploaded_by == td
    file = SubmissionFile.objects.get()
    assert (file.name, read_upload(file.stored_as)) == ("report.json", body.encode())

    handed_in = send(td, "", f"/{submission.pk}/submit")
    assert (handed_in.status_code, handed_in.json()["state"]) == (200, "submitted")
    assert send(td, "", f"/{submission.pk}/submit").json()["state"] == "submitted"
    seen = read(td, f"/{submission.pk}")
    assert seen.headers["Cache-Control"] == "private, no-store"
    assert seen.json()["submitted_at"]


def test_findings_point_into_the_document(td, report):
    said = send(td, without_result(report)).json()
    [missing] = [one for one in said["findings"] if one["code"] == "result.missing"]
    assert missing["place"] == {
        "pointer": "/sections/0/entries/2/cells/1",
        "section": 1,
        "pairing_number": 3,
        "round": 2,
    }
    assert (missing["severity"], missing["blocks"]) == ("error", True)
    assert missing["sentence"].endswith(".")
    assert not said["can_be_submitted"]
    refused = send(td, "", f"/{said['id']}/submit")
    assert refused.status_code == 409
    assert refused.json()["detail"] == "Fix 2 issues before you submit the report."


def test_checking_finds_the_same_and_keeps_nothing(td, report):
    document = without_result(report)
    checked = send(td, document, "/check")
    assert checked.status_code == 200
    assert not Submission.objects.exists()
    sent = send(td, document).json()
    said = checked.json()
    assert said["can_be_submitted"] is False
    assert said["findings"] == sent["findings"]
    assert [section["section"] for section in said["sections"]] == [1]


@pytest.mark.parametrize("character", ["%00", "%0A", "%7F", "%C2%85"])
@pytest.mark.parametrize("name", ["program", "version"])
def test_the_name_of_a_program_has_no_control_characters(td, report, name, character):
    document = report_document(report)
    sent = send(td, document).json()
    for path in ("?", f"/{sent['id']}/files?report_version=1&"):
        refused = send(td, document, f"{path}{name}=Swiss{character}Sys")
        assert (refused.status_code, Submission.objects.count()) == (422, 1)
    named = send(td, document, f"/{sent['id']}/files?report_version=1&{name}=Süß 1.0")
    assert named.status_code == 200


def test_the_same_report_again_is_the_same_report(td, report):
    document = report_document(report)
    first, again = send(td, document), send(td, document)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"]
    other = send(make_td(), document)
    assert other.status_code == 409
    assert other.json()["detail"] == "Another person has already sent this report."
    assert Submission.objects.count() == 1


def test_a_flood_of_reports_is_stopped(td, report):
    document = report_document(report)
    assert send(td, document).status_code == 201
    Submission.objects.bulk_create(
        Submission(uploaded_by=td, content_digest=f"{number:064x}")
        for number in range(MAX_REPORTS_PER_DAY - 1)
    )
    refused = send(td, {**document, "name": "One More"})
    assert refused.status_code == 429
    assert f"{MAX_REPORTS_PER_DAY} reports within a day" in refused.json()["detail"]
    assert Submission.objects.count() == MAX_REPORTS_PER_DAY


@pytest.mark.parametrize("path", ["", "/check"])
@pytest.mark.parametrize(
    "body", ["", "{", "[]", "null", "\x00", b"\xff", "[" * 100_000, '{"name": "x"}']
)
def test_what_is_no_report_is_refused_with_findings(td, path, body):
    response = send(td, body, path)
    assert response.status_code == 422
    said = response.json()
    assert said["title"] == "The report can't be read."
    assert said["findings"][0]["severity"] == "error"
    assert len(said["errors"]) == len(said["findings"])
    assert not Submission.objects.exists()


def test_odd_values_are_findings_and_no_fault_of_the_office(td, report):
    document = report_document(report)
    document |= {"name": "A\x00\ud800B", "starts": "9999-99-99", "city": 10**4000}
    document["sections"][0] |= {"number": 10**30, "rounds": -1, "name": ["x"]}
    document["sections"][0]["entries"][0] |= {"member_id": "9" * 400, "cells": [[]]}
    said = send(td, document)
    assert (said.status_code, said.json()["event_name"]) == (201, "AB")
    codes = {one["code"] for one in said.json()["findings"]}
    assert {"json.characters", "value.unreadable"} <= codes


def test_too_long_a_report_is_not_read(td):
    response = send(td, " " * (MAX_BODY_BYTES + 1))
    assert response.status_code == 413
    assert response.json()["detail"] == (
        "Send at most 4,000,000 bytes, or 20,000,000 as a form. "
        "Split the event into several reports."
    )


# Permissions


def test_who_has_no_key_or_only_a_reading_one_is_refused(td, report):
    document = json.dumps(report_document(report))
    bare = Client().post(REPORTS, document, content_type="application/json")
    assert (bare.status_code, bare.json()["title"]) == (401, "An API key is required.")
    session = Client()
    session.force_login(td)
    assert session.post(REPORTS, document, "application/json").status_code == 401
    reading = send(key_of(td, may_submit=False), document)
    assert reading.json()["detail"] == (
        "This key can only read data. Create one that can send reports."
    )
    nobody = send(make_user(), document)
    assert (nobody.status_code, nobody.json()["detail"]) == (
        403,
        "Only tournament directors and clerks of the ratings office can send rating "
        "reports.",
    )
    assert not Submission.objects.exists()


def test_a_td_whose_certification_has_ended_reads_and_sends_nothing(td, report):
    sent = send(td, report_document(report)).json()
    td.player.official.certified_until = date(2024, 1, 1)
    td.player.official.save()
    for path in ("", "/check", f"/{sent['id']}/submit"):
        assert send(td, {}, path).status_code == 403
    assert read(td, f"/{sent['id']}").json()["id"] == sent["id"]


def test_a_key_reaches_the_reports_of_its_owner_only(td, report):
    sent = send(td, report_document(report)).json()
    for stranger in (make_td(), make_staff()):
        assert read(stranger, f"/{sent['id']}").status_code == 404
        assert send(stranger, "", f"/{sent['id']}/submit").status_code == 404
    assert read(td, "/" + "9" * 30).status_code == 404


def test_a_revoked_key_sends_nothing(td, report):
    key = key_of(td)
    ApiKey.objects.update(revoked_at="2026-01-01T00:00Z")
    assert send(key, report_document(report)).status_code == 401


def test_the_example_of_the_documentation_can_be_checked(td):
    said = send(td, EXAMPLE, "/check")
    assert said.status_code == 200
    codes = {one["code"].split(".")[0] for one in said.json()["findings"]}
    assert "json" not in codes
    assert "value" not in codes
    assert "result" not in codes


def test_an_uploaded_document_is_read_like_any_file(td, report):
    desk = Client()
    desk.force_login(td)
    file = SimpleUploadedFile("May.json", json.dumps(report_document(report)).encode())
    desk.post("/desk/upload/", {"files": file})
    assert Submission.objects.get().event_name == "May Open"
    assert SubmissionFile.objects.get().role == "JSON"
