"""The page that exports everything: who may, what is recorded, how long it is kept."""

import hashlib
import io
from datetime import timedelta
from zipfile import ZipFile

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from ratings_site.common.jobs.services import claim, perform, run_due_jobs
from ratings_site.common.models import AuditEntry, Job, Office, UploadPart
from ratings_site.leaving.queries import EXPORT, archive_name
from ratings_site.leaving.services.importing import import_office
from ratings_site.leaving.tasks import DELETE_OLD_EXPORTS
from tests.factories import make_player, make_staff, make_user

pytestmark = pytest.mark.django_db

PAGE, REASON = "/office/export/", "The board asked for it."


@pytest.fixture
def manager(client):
    """Staff who may export, and who have just entered their password."""
    Office.objects.create(pk=1, name="Small federation")
    user = make_user("boss", is_staff=True, is_superuser=True)
    user.set_password("secret")
    user.save()
    client.force_login(user)
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    return user


def exported(client) -> Job:
    client.post(PAGE, {"reason": REASON})
    run_due_jobs()
    return Job.objects.get(kind=EXPORT)


def downloaded(client, job: Job):
    return client.get(reverse("leaving:archive", args=[job.pk]))


def test_the_archive_is_an_export_that_can_be_loaded(client, manager, tmp_path):
    job = exported(client)
    assert job.state == Job.State.DONE, job.message
    response = downloaded(client, job)
    content = b"".join(response.streaming_content)
    assert "no-store" in response["Cache-Control"]
    ZipFile(io.BytesIO(content)).extractall(tmp_path)
    manifest = (tmp_path / "export/manifest.json").read_text()
    assert "Small federation" in manifest
    entry = AuditEntry.objects.get(action="office.exported")
    assert entry.facts["archive_sha256"] == hashlib.sha256(content).hexdigest()
    with pytest.raises(Exception, match="This office is not empty"):
        import_office(tmp_path / "export")


def test_request_result_and_download_are_recorded(client, manager):
    b"".join(downloaded(client, exported(client)).streaming_content)
    actions = ("office.export_requested", "office.exported", "office.export_taken")
    entries = AuditEntry.objects.filter(action__in=actions).order_by("pk")
    assert [(entry.action, entry.actor, entry.reason) for entry in entries] == [
        ("office.export_requested", manager, REASON),
        ("office.exported", manager, REASON),
        ("office.export_taken", manager, ""),
    ]
    _, made, taken = entries
    assert (
        made.facts["export"] == taken.facts["export"] == Job.objects.get(kind=EXPORT).pk
    )
    assert len(made.facts["sha256"]) == 64


def test_without_a_reason_nothing_starts(client, manager):
    response = client.post(PAGE, {"reason": " "})
    assert "Enter a reason. It is saved." in response.content.decode()
    assert not Job.objects.filter(kind=EXPORT).exists()


def test_the_password_is_asked_for_again(client, manager):
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    response = client.post(PAGE, {"reason": REASON})
    assert response["Location"].startswith("/accounts/reauthenticate/")
    assert not Job.objects.filter(kind=EXPORT).exists()
    job = Job.objects.create(
        kind=EXPORT,
        key="office",
        state="done",
        run_after=timezone.now(),
        finished_at=timezone.now(),
    )
    response = downloaded(client, job)
    assert response["Location"].startswith("/accounts/reauthenticate/")


def test_clerks_see_what_it_is_and_can_neither_start_nor_take_it(client, manager):
    job = exported(client)
    client.force_login(make_staff("clerk"))
    page = client.get(PAGE).content.decode()
    assert "You need the permission “Can export all data of the office”" in page
    assert "<textarea" not in page
    assert "Download" not in page
    assert client.post(PAGE, {"reason": REASON}).status_code == 403
    assert Job.objects.filter(kind=EXPORT).count() == 1
    assert downloaded(client, job).status_code == 403
    assert not AuditEntry.objects.filter(action="office.export_taken").exists()


def test_one_export_at_a_time(client, manager):
    client.post(PAGE, {"reason": REASON})
    response = client.post(PAGE, {"reason": REASON})
    assert "An export is already being made." in response.content.decode()
    assert AuditEntry.objects.filter(action="office.export_requested").count() == 1
    page = client.get(PAGE).content.decode()
    assert 'hx-get="/office/export/progress/"' in page
    run_due_jobs()
    assert client.get("/office/export/progress/")["HX-Refresh"] == "true"


def test_the_export_waits_for_jobs_that_change_records(client, manager):
    Job.objects.create(
        kind="ratings.rate_foreign",
        key="1",
        state="running",
        args={"result_ids": []},
        attempts=9,
        run_after=timezone.now() - timedelta(hours=1),
    )
    client.post(PAGE, {"reason": REASON})
    job = Job.objects.get(kind=EXPORT)
    perform(claim(job.pk))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
    assert "ratings.rate_foreign (1)" in job.message


def test_the_file_is_gone_after_its_time(client, manager):
    job = exported(client)
    parts = UploadPart.objects.filter(name=archive_name(job.pk))
    assert parts.exists()
    Job.objects.filter(pk=job.pk).update(
        finished_at=timezone.now() - timedelta(days=3, seconds=1)
    )
    # Also before the night.
    assert "has been deleted" in downloaded(client, job).content.decode()
    assert "Download" not in client.get(PAGE).content.decode()
    Job.objects.create(kind=DELETE_OLD_EXPORTS, key="1", run_after=timezone.now())
    run_due_jobs()
    assert not parts.exists()


def test_the_page_takes_the_same_queries_for_any_number(client, manager):
    done = {"kind": EXPORT, "state": "done", "finished_at": timezone.now()}
    counts = []
    for number in (1, 8):
        for place in range(number):
            Job.objects.create(
                key=f"{number}-{place}",
                run_after=timezone.now(),
                requested_by=make_user(f"{number}-{place}"),
                **done,
            )
        with CaptureQueriesContext(connection) as captured:
            page = client.get(PAGE).content.decode()
        counts.append(len(captured))
        assert page.count("Download") >= number
    assert counts[0] == counts[1]


def test_the_page_names_what_is_left_out(client, manager):
    make_player("12345678")
    page = client.get(PAGE).content.decode()
    assert "API keys" in page
    assert "Secret. Owners create new keys." in page
    assert "Sign of life" not in page
