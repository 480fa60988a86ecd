"""A job takes effect once, even if workers die or messages are lost."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from ratings_site.common.db.locks import RatingsBusy
from ratings_site.common.jobs import services as jobs
from ratings_site.common.jobs.queries import MAX_QUEUE_WAIT, job_counts
from ratings_site.common.jobs.services import (
    ClaimedJob,
    JobFailed,
    JobLost,
    claim,
    enqueue,
    perform,
    run_due_jobs,
    sweep_jobs,
)
from ratings_site.common.models import AuditEntry, Job, SignOfLife

pytestmark = pytest.mark.django_db


@pytest.fixture
def handler(monkeypatch):
    """Register a handler for the kind "test" that the test can replace."""

    def register(function):
        monkeypatch.setitem(jobs._handlers, "test", function)

    return register


def test_work_is_done_and_its_result_written(handler):
    def work(job: ClaimedJob) -> None:
        job.beat(done=1, total=2, message="half way")
        with job.commit("all done"):
            AuditEntry.objects.create(action=f"did {job.args['what']}")

    handler(work)
    job = enqueue("test", key="a", args={"what": "this"})
    assert run_due_jobs() == 1
    job.refresh_from_db()
    assert (job.state, job.message, job.attempts) == ("done", "all done", 1)
    assert (job.done_steps, job.total_steps) == (2, 2)
    assert AuditEntry.objects.get().action == "did this"


def test_same_work_is_queued_once(handler):
    first = enqueue("test", key="a")
    assert enqueue("test", key="a") == first
    assert enqueue("test", key="b") != first
    Job.objects.filter(pk=first.pk).update(state="done")
    assert enqueue("test", key="a") != first


def test_database_refuses_a_second_open_job_of_the_same_key():
    enqueue("test", key="a")
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.create(kind="test", key="a", run_after=timezone.now())


def test_living_job_is_not_taken_by_another_worker():
    job = enqueue("test", key="a")
    assert claim(job.pk) is not None
    assert claim(job.pk) is None


def test_job_of_a_dead_worker_is_reclaimed_and_the_dead_one_cannot_write(settings):
    job = enqueue("test", key="a")
    dead = claim(job.pk)
    later = timezone.now() + timedelta(seconds=settings.JOB_STALE_SECONDS + 1)
    living = claim(job.pk, now=later)
    assert living.attempt == 2
    with pytest.raises(JobLost):
        dead.beat()
    with pytest.raises(JobLost), dead.commit():
        AuditEntry.objects.create(action="written by the dead")
    assert not AuditEntry.objects.exists()
    with living.commit():
        AuditEntry.objects.create(action="written by the living")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 2)


def test_failure_that_may_pass_is_tried_again_later(handler):
    def stumble(job: ClaimedJob) -> None:
        with job.commit():
            AuditEntry.objects.create(action="half written")
            raise ConnectionError("the database went away")

    handler(stumble)
    job = enqueue("test", key="a")
    run_due_jobs()
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 1)
    assert job.message == "ConnectionError: the database went away"
    assert job.run_after > timezone.now()
    assert not AuditEntry.objects.exists()


def test_job_is_given_up_after_its_last_attempt(handler):
    def stumble(job: ClaimedJob) -> None:
        raise ConnectionError("again")

    handler(stumble)
    job = enqueue("test", key="a")
    for _ in range(jobs.MAX_ATTEMPTS):
        Job.objects.update(run_after=timezone.now())
        run_due_jobs()
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("failed", jobs.MAX_ATTEMPTS)


def test_job_that_kills_its_worker_is_given_up(handler, settings):
    handler(lambda job: pytest.fail("must not run again"))
    job = enqueue("test", key="a")
    Job.objects.filter(pk=job.pk).update(
        state="running",
        attempts=jobs.MAX_ATTEMPTS,
    )
    add_heartbeat(job, timedelta(hours=1))
    run_due_jobs()
    job.refresh_from_db()
    assert (job.state, job.message) == (
        "failed",
        "The worker stopped too many times while running this job.",
    )


def test_work_that_cannot_be_done_fails_at_once_with_its_sentence(handler):
    def refuse(job: ClaimedJob) -> None:
        raise JobFailed("The section has no time control.")

    handler(refuse)
    job = enqueue("test", key="a")
    run_due_jobs()
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", "The section has no time control.")


def test_unknown_kind_fails_with_a_message():
    job = enqueue("unknown", key="a")
    perform(claim(job.pk))
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.message == "Unknown job type: 'unknown'."


def add_heartbeat(job: Job, age: timedelta) -> None:
    SignOfLife.objects.create(job=job, at=timezone.now() - age)


def test_running_job_without_a_heartbeat_is_reclaimed():
    """Like a job that ran during an upgrade."""
    job = enqueue("test", key="a")
    Job.objects.filter(pk=job.pk).update(state="running", attempts=1)
    assert claim(job.pk).attempt == 2
    assert claim(job.pk) is None


@pytest.mark.parametrize(
    ("state", "age", "sent_age", "woken"),
    [
        ("queued", 0, None, 1),  # its message was lost
        ("queued", 0, 0, 0),  # its message is on the way
        ("queued", 0, 60, 1),  # its message was sent long ago
        ("running", 0, 60, 0),  # a worker is on it
        ("running", 3600, 60, 1),  # its worker is dead
        ("done", 3600, 60, 0),
        ("failed", 3600, 60, 0),
    ],
)
def test_sweep_wakes_a_worker_for_forgotten_jobs(state, age, sent_age, woken):
    now = timezone.now()
    job = Job.objects.create(
        kind="test",
        key="a",
        state=state,
        run_after=now,
        sent_at=None if sent_age is None else now - timedelta(seconds=sent_age),
    )
    add_heartbeat(job, timedelta(seconds=age))
    assert sweep_jobs() == woken


def test_message_is_sent_only_when_the_transaction_commits(
    django_capture_on_commit_callbacks,
):
    with django_capture_on_commit_callbacks() as callbacks:
        job = enqueue("test", key="a")
        assert Job.objects.get(pk=job.pk).sent_at == job.sent_at
    assert len(callbacks) == 1


def raise_busy(job: ClaimedJob) -> None:
    raise RatingsBusy("ratings is locked by another worker.")


def test_job_that_finds_something_held_waits_without_an_attempt(handler):
    handler(raise_busy)
    job = enqueue("test", key="a")
    for _ in range(jobs.MAX_ATTEMPTS + 1):
        Job.objects.update(run_after=timezone.now())
        run_due_jobs()
        job.refresh_from_db()
        wait = (job.run_after - timezone.now()).total_seconds()
        assert (job.state, job.attempts) == ("queued", 0)
        assert 0 < wait <= jobs.BUSY_SECONDS
    assert job.message == "ratings is locked by another worker."
    handler(lambda job: None)
    Job.objects.update(run_after=timezone.now())
    run_due_jobs()
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 1)


def test_lock_retries_keep_real_failures(handler):
    def stumble(job: ClaimedJob) -> None:
        raise ConnectionError("the database went away")

    job = enqueue("test", key="a")
    for one in (stumble, raise_busy, raise_busy, stumble):
        handler(one)
        Job.objects.update(run_after=timezone.now())
        run_due_jobs()
    job.refresh_from_db()
    assert (job.state, job.attempts, job.busy_since) == ("queued", 2, None)


def test_job_that_waits_long_for_what_is_held_shows(handler, client):
    """It is not due now, but has waited all the time."""
    handler(raise_busy)
    job = enqueue("test", key="a")
    run_due_jobs()
    assert client.get("/health/").json()["healthy"]
    long_ago = timezone.now() - MAX_QUEUE_WAIT - timedelta(minutes=1)
    Job.objects.update(created_at=long_ago, busy_since=long_ago)
    Job.objects.update(run_after=timezone.now())
    run_due_jobs()
    job.refresh_from_db()
    assert job.run_after > timezone.now()
    assert job_counts()["oldest_queued"] == long_ago
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()["healthy"]) == (503, False)
    assert 360 <= answer.json()["oldest_waiting_job_seconds"] < 420
    Job.objects.update(state="done")
    assert job_counts()["oldest_queued"] is None
    assert client.get("/health/").json()["healthy"]
