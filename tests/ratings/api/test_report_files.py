"""Reports by program: the files that pairing programs write, replaced and repeated."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from events.formats.dbf.writer import write_report, zip_report
from events.formats.json.writer import report_document
from events.models import Submission
from events.reports.pages.history import history_of
from events.reports.services import submissions
from events.reports.services.submissions import reported_in, set_event, withdraw_report
from ratings.api.reports import MAX_BODY_BYTES
from ratings.engine.systems import System
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Webhook, WebhookDelivery
from ratings_site.common.uploads.services import read_upload
from ratings_site.common.webhooks.services import add_webhook
from tests.concurrency import run_concurrently
from tests.factories import (
    event_report,
    make_player,
    make_td,
    open_rating,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

REPORTS = "/api/v1/reports"


@pytest.fixture
def td():
    return make_td()


def make_report(td, name: str = "May Open"):
    players = [make_player() for _ in range(4)]
    for number, player in enumerate(players):
        open_rating(player, System.OTBR, 1500.0 + 50 * number, 30)
    return event_report(td, [section_report(players, swiss_rows(4, 3))], name=name)


@pytest.fixture
def report(td):
    return make_report(td)


@pytest.fixture
def key(td) -> str:
    return create_key(owner=td, name="a program", may_submit=True)[1]


def post(key: str, path: str = "", *, files=None, body=b"", kind="", **headers):
    """Send files as a form, or a body of one content type."""
    headers = {"Authorization": f"Bearer {key}"} | headers
    if files is None:
        return Client().post(
            f"{REPORTS}{path}", body, content_type=kind, headers=headers
        )
    parts = [SimpleUploadedFile(name, content) for name, content in files.items()]
    return Client().post(f"{REPORTS}{path}", {"files": parts}, headers=headers)


def stored(submission: Submission) -> dict[str, bytes]:
    return {one.name: read_upload(one.stored_as) for one in submission.files.all()}


def test_files_of_a_pairing_program_are_kept_and_read(td, key, report):
    files = write_report(report)

    sent = post(key, "?program=SwissSys&version=11.3", files=files)

    assert sent.status_code == 201, sent.json()
    submission = Submission.objects.get()
    assert stored(submission) == files
    said = sent.json()
    assert (said["program"], said["version"]) == ("SwissSys 11.3", 1)
    assert said["can_be_submitted"], said["findings"]
    assert len(reported_in(submission).sections[0].entries) == 4
    assert history_of(submission)[0].what.endswith("(Program: SwissSys 11.3)")
    submitted = post(key, f"/{submission.pk}/submit")
    assert submitted.json()["state"] == "submitted"


def test_zip_body_is_kept_as_it_came(td, key, report):
    archive = zip_report(report)

    sent = post(key, body=archive, kind="application/zip")

    assert sent.status_code == 201, sent.json()
    assert stored(Submission.objects.get()) == {"report.zip": archive}


def test_same_files_give_the_same_report_in_any_wrapping(td, key, report):
    files = write_report(report)
    first = post(key, files=files)
    renamed = {f"x-{name}": content for name, content in files.items()}

    again = post(key, files=dict(reversed(renamed.items())))

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"]


class TestIdempotencyKey:
    def test_repeated_request_finds_its_report_whatever_happened(self, td, key, report):
        files = write_report(report)
        first = post(key, files=files, **{"Idempotency-Key": "may-1"}).json()
        withdraw_report(submission_id=first["id"], actor=td, reason="Wrong event")

        again = post(key, files=files, **{"Idempotency-Key": "may-1"})

        assert again.status_code == 200
        assert (again.json()["id"], again.json()["state"]) == (first["id"], "withdrawn")
        assert Submission.objects.count() == 1

    def test_key_of_another_report_is_refused(self, td, key, report):
        post(key, files=write_report(report), **{"Idempotency-Key": "may-1"})
        other = write_report(make_report(td, name="June Open"))

        refused = post(key, files=other, **{"Idempotency-Key": "may-1"})

        assert refused.status_code == 409
        assert refused.json()["detail"].startswith("This Idempotency-Key came with")
        assert Submission.objects.count() == 1

    def test_keys_of_two_accounts_are_apart(self, td, key, report):
        other = make_td()
        theirs = create_key(owner=other, name="b program", may_submit=True)[1]
        post(key, files=write_report(report), **{"Idempotency-Key": "1"})
        june = write_report(make_report(other, name="June Open"))

        assert post(theirs, files=june, **{"Idempotency-Key": "1"}).status_code == 201

    @pytest.mark.parametrize("bad", ["ü", "x" * 101])
    def test_unusable_key_is_refused(self, key, report, bad):
        sent = post(key, files=write_report(report), **{"Idempotency-Key": bad})

        assert sent.status_code == 422
        assert "Idempotency-Key" in sent.json()["errors"][0]
        assert not Submission.objects.exists()


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_with_one_key_make_one_report(td, key, report):
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    files = write_report(report)

    def send():
        sent = post(key, files=files, **{"Idempotency-Key": "may-1"})
        return sent.status_code, sent.json()["id"]

    answers = run_concurrently(send, send)

    assert sorted(status for status, _ in answers) == [200, 201]
    assert len({number for _, number in answers}) == 1


class TestReplacing:
    def test_draft_takes_new_files_and_keeps_its_number(self, td, key, report):
        old, new = (
            write_report(report),
            write_report(make_report(td, name="May Open 2")),
        )
        first = post(key, files=old).json()

        sent = post(
            key, f"/{first['id']}/files?report_version=1&program=WinTD", files=new
        )

        assert sent.status_code == 200, sent.json()
        said = sent.json()
        assert (said["id"], said["version"], said["event_name"], said["program"]) == (
            *(first["id"], 2, "May Open 2", "WinTD"),
        )
        submission = Submission.objects.get()
        kept = [(one.name, one.replaced_at is None) for one in submission.files.all()]
        assert kept == [(name, False) for name in old] + [(name, True) for name in new]
        assert {read_upload(one.stored_as) for one in submission.files.all()} == {
            *old.values(),
            *new.values(),
        }
        assert history_of(submission)[0].what.startswith(f"{td.player.name} sent new")

    def test_same_files_change_nothing(self, td, key, report):
        first = post(key, files=write_report(report)).json()
        path = f"/{first['id']}/files?report_version=1"

        again = post(key, path, files=write_report(report))

        assert (again.status_code, again.json()["version"]) == (200, 1)
        assert Submission.objects.get().files.count() == 3

    def test_edits_on_the_site_are_not_overwritten(self, td, key, report):
        first = post(key, files=write_report(report)).json()
        set_event(
            submission_id=first["id"], actor=td, version=1, changes={"city": "Akron"}
        )
        new = write_report(make_report(td, name="May Open 2"))

        refused = post(key, f"/{first['id']}/files?report_version=1", files=new)

        assert refused.status_code == 409
        assert refused.json()["retryable"] is False
        submission = Submission.objects.get()
        assert reported_in(submission).city == "Akron"
        assert stored(submission) == write_report(report)

    def test_submitted_report_is_not_replaced(self, td, key, report):
        first = post(key, files=write_report(report)).json()
        post(key, f"/{first['id']}/submit")
        new = write_report(make_report(td, name="May Open 2"))

        refused = post(key, f"/{first['id']}/files?report_version=1", files=new)

        assert refused.status_code == 409
        assert "in review" in refused.json()["detail"]
        assert Submission.objects.get().event_name == "May Open"

    def test_files_of_another_report_are_refused(self, td, key, report):
        june = write_report(make_report(td, name="June Open"))
        post(key, files=june)
        first = post(key, files=write_report(report)).json()

        refused = post(key, f"/{first['id']}/files?report_version=1", files=june)

        assert refused.status_code == 409
        earlier = Submission.objects.get(event_name="June Open")
        assert refused.json()["detail"] == (
            f"You have already sent these files, as report {earlier.pk}."
        )
        assert reported_in(Submission.objects.get(pk=first["id"])).name == "May Open"

    def test_files_that_another_request_sends_meanwhile_are_refused(
        self, td, key, report, monkeypatch
    ):
        june = write_report(make_report(td, name="June Open"))
        first = post(key, files=write_report(report)).json()
        post(key, files=june)
        refuse = submissions._refuse_duplicate
        calls = iter([lambda digest: None])  # the other report is not there yet
        monkeypatch.setattr(
            submissions,
            "_refuse_duplicate",
            lambda digest: next(calls, refuse)(digest),
        )

        refused = post(key, f"/{first['id']}/files?report_version=1", files=june)

        assert refused.status_code == 409
        assert "already sent these files" in refused.json()["detail"]
        assert stored(Submission.objects.get(pk=first["id"])) == write_report(report)

    def test_unreadable_files_leave_the_report_as_it_was(self, td, key, report):
        first = post(key, files=write_report(report)).json()

        refused = post(
            key,
            f"/{first['id']}/files?report_version=1",
            files={"notes.txt": b"Round 1 was fun."},
        )

        assert refused.status_code == 422
        assert refused.json()["findings"]
        assert stored(Submission.objects.get()) == write_report(report)

    def test_report_of_another_td_is_not_found(self, td, key, report):
        first = post(key, files=write_report(report)).json()
        theirs = create_key(owner=make_td(), name="b", may_submit=True)[1]

        refused = post(
            theirs,
            f"/{first['id']}/files?report_version=1",
            files=write_report(make_report(td, name="June Open")),
        )

        assert refused.status_code == 404
        assert Submission.objects.get().event_name == "May Open"


def test_dry_run_previews_published_ratings_and_keeps_nothing(td, key, report):
    files = write_report(report)

    tried = post(key, "?dry_run=true", files=files)

    assert tried.status_code == 200
    assert not Submission.objects.exists()
    [section] = tried.json()["sections"]
    assert (section["section"], section["problem"]) == (1, "")
    assert {one["system"] for one in section["ratings"]} == {"OTBR"}
    before = {one["pairing_number"]: one["before"] for one in section["ratings"]}
    assert before == {1: 1500, 2: 1550, 3: 1600, 4: 1650}
    assert all(isinstance(one["after"], int) for one in section["ratings"])
    assert post(key, "/check", files=files).json() == tried.json()


@pytest.mark.parametrize(
    ("kind", "body", "status", "sentence"),
    [
        ("multipart/form-data; boundary=x", b"--x\r\nContent-D", 400, "has no file"),
        ("multipart/form-data", b"x", 400, "cut off"),
        ("multipart/form-data; boundary=x", b"--x--\r\n", 400, "has no file"),
        ("application/zip", b"PK\x03\x04 and no end", 422, "can't be read"),
        ("application/zip", b"0" * (MAX_BODY_BYTES + 1), 413, "20,000,000 as a form"),
        ("text/plain", b"Round 1 was fun.", 422, "can't be read"),
    ],
)
def test_bad_bodies_are_refused_in_words(key, kind, body, status, sentence):
    refused = post(key, body=body, kind=kind)

    assert refused.status_code == status
    assert sentence in json.dumps(refused.json())
    assert not Submission.objects.exists()


def test_webhook_hears_of_each_state_of_own_reports_only(
    td, key, report, settings, django_capture_on_commit_callbacks
):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    for owner in (td, make_td()):
        add_webhook(owner=owner, url="http://127.0.0.1:9/", kinds=[Webhook.Kind.REPORT])
    first = post(key, files=write_report(report)).json()
    post(key, f"/{first['id']}/submit")
    withdraw_report(submission_id=first["id"], actor=td, reason="Wrong event")

    run_due_jobs()

    sent = WebhookDelivery.objects.order_by("pk")
    assert {one.webhook.owner_id for one in sent} == {td.pk}
    told = [json.loads(one.body)["data"] for one in sent]
    assert [(one["report"], one["state"]) for one in told] == [
        (first["id"], "submitted"),
        (first["id"], "withdrawn"),
    ]


def test_json_report_is_still_a_body(td, key, report):
    body = json.dumps(report_document(report)).encode()

    sent = post(key, body=body, kind="application/json")

    assert sent.status_code == 201
    assert stored(Submission.objects.get()) == {"report.json": body}


def test_dry_run_tells_norms_and_titles(td, key):
    players = [make_player(ratings={"OTBR": (1600.0, 60)}) for _ in range(4)]
    # Three wins and a full-point bye.
    rows = ["W2W W3B W4W B", "L1B D4W D3B H", "D4W L1W D2W H", "D3B D2B L1B H"]
    report = event_report(td, [section_report(players, rows)])

    tried = post(key, "?dry_run=true", files=write_report(report))

    assert tried.json()["titles"] == [
        {
            "member_id": players[0].member_id,
            "name": players[0].name,
            "norms": [{"section": 1, "level": 1400}],
            "completed": [],
            "one_short": [],
        }
    ]
