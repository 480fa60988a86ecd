"""Maintenance mode."""

from datetime import time, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from ratings_site.common.jobs.nightly import enqueue_nightly
from ratings_site.common.jobs.queues import QUEUES
from ratings_site.common.jobs.services import (
    enqueue,
    record_heartbeat,
    run_job,
    sweep_jobs,
)
from ratings_site.common.models import AuditEntry, Job, Office, User

pytestmark = pytest.mark.django_db
REASON = "An upgrade until 6 pm."


@pytest.fixture
def read_only(office):
    call_command("maintenance", "on", reason=REASON)
    Office.refresh()
    yield office
    Office.objects.update(read_only_reason="")
    Office.refresh()


def test_pages_say_why_nothing_can_be_changed(read_only, client):
    assert REASON in client.get("/players/").text
    call_command("maintenance", "off")
    Office.refresh()
    assert REASON not in client.get("/players/").text


def test_a_change_is_refused_and_says_that_nothing_was_saved(read_only, client):
    answer = client.post("/accounts/signup/", {"username": "new"})
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "300"
    assert REASON in answer.text
    assert "Nothing was saved" in answer.text
    assert not User.objects.filter(username="new").exists()


def test_a_refusal_is_in_the_language_of_the_reader(read_only, client):
    for language, words in (("es", "No se guardó nada"), ("en", "Nothing was saved")):
        answer = client.post("/accounts/signup/", headers={"Accept-Language": language})
        assert words in answer.text


def test_the_api_refuses_as_a_problem_that_can_be_retried(read_only, client):
    answer = client.post("/api/v1/reports", "{}", content_type="application/json")
    said = answer.json()
    assert (answer.status_code, said["retryable"], said["detail"]) == (
        503,
        True,
        REASON,
    )


def test_calculations_stay_possible(read_only, client):
    answer = client.post("/estimate/section/", {})
    assert answer.status_code != 503


def test_checks_don_t_mind_that_jobs_wait(read_only, client, settings):
    settings.LEAST_FREE_MB, settings.NIGHTLY_AT = 0, time(0)
    record_heartbeat(QUEUES)
    job = enqueue("common.trial", key="1")
    Job.objects.filter(pk=job.pk).update(
        run_after=timezone.now() - timedelta(days=3),
        created_at=timezone.now() - timedelta(days=3),
    )
    for address in ("/health/", "/health/ready"):
        assert client.get(address).status_code == 200
    call_command("maintenance", "off")
    Office.refresh()
    said = client.get("/health/ready").json()
    assert (said["jobs"], said["nightly"]) == (False, False)


def test_signing_in_stays_possible(read_only, client):
    User.objects.create_user("clerk", "clerk@example.org", "a long passphrase")
    answer = client.post(
        "/accounts/login/", {"login": "clerk", "password": "a long passphrase"}
    )
    assert answer.status_code != 503


def test_jobs_wait_until_it_ends(read_only, settings):
    settings.NIGHTLY_AT = time(0)
    job = enqueue("common.trial", key="1")
    run_job(job.pk)
    assert sweep_jobs() == 0
    assert enqueue_nightly() == []
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
    call_command("maintenance", "off")
    Office.refresh()
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED  # of a kind without a handler


def test_it_is_audited_with_its_reason(read_only):
    call_command("maintenance", "off")
    entries = AuditEntry.objects.filter(action__startswith="office.made_")
    assert list(entries.order_by("pk").values_list("action", "reason")) == [
        ("office.made_read_only", REASON),
        ("office.made_writable", ""),
    ]


@pytest.mark.parametrize("reason", ["", "  ", "x" * 201])
def test_it_needs_a_reason_that_fits(office, reason):
    with pytest.raises(CommandError, match="Give a --reason"):
        call_command("maintenance", "on", reason=reason)
    assert not Office.objects.exclude(read_only_reason="").exists()
