"""Workers do not block each other, and a live worker keeps its claim."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from ratings_site.common.jobs import services as jobs
from ratings_site.common.jobs.progress import job_progress
from ratings_site.common.jobs.services import (
    ClaimedJob,
    claim,
    enqueue,
    perform,
    sweep_jobs,
)
from ratings_site.common.models import AuditEntry, Job, SignOfLife
from tests.concurrency import needs_two_connections, run_concurrently  # noqa: F401
from tests.live_office import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

STALE = 0.6


@pytest.fixture(autouse=True)
def _short_stale_time(settings):
    settings.JOB_STALE_SECONDS = STALE


@contextmanager
def locked_row(job: Job) -> Iterator[None]:
    """Lock the job's row on another connection, as a part of its work does."""
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT 1 FROM common_job WHERE id = %s FOR UPDATE", [job.pk])
        yield
        cursor.execute("ROLLBACK")


@contextmanager
def short_lock_timeout() -> Iterator[None]:
    """Fail if any statement waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
        yield
        cursor.execute("SET lock_timeout = 0")


def make_stale(job: Job) -> None:
    """Make the last heartbeat of a job old."""
    Job.objects.filter(pk=job.pk).update(state="running", attempts=1, sent_at=None)
    long_ago = timezone.now() - timedelta(hours=1)
    SignOfLife.objects.update_or_create(job=job, defaults={"at": long_ago})


def test_other_connections_do_not_wait_for_a_workers_row():
    """A worker without a recent heartbeat that is still in its transaction."""
    held, other = enqueue("test", key="held"), enqueue("test", key="other")
    make_stale(held)
    make_stale(other)
    with locked_row(held), short_lock_timeout():
        assert claim(held.pk) is None
        assert sweep_jobs() == 1
        assert claim(other.pk).attempt == 2
    assert claim(held.pk).attempt == 2


def test_worker_in_a_long_transaction_sends_heartbeats():
    """The step lasts several times as long as the heartbeat timeout."""
    job = claim(enqueue("test", key="a").pk)
    heard = []

    def check_from_outside() -> None:
        heard.append(SignOfLife.objects.get().at)
        heard.append(claim(job.id))
        heard.append(job_progress(Job.objects.get())["details"][0])

    with job.keep_alive(), job.commit():
        job.report(120, 480)
        time.sleep(3 * STALE)
        run_concurrently(check_from_outside)
        AuditEntry.objects.create(action="done at last")
    [at, taken, done] = heard
    assert done == "120 of 480 steps"
    assert taken is None
    assert timezone.now() - at < timedelta(seconds=STALE)
    assert Job.objects.get().state == "done"


def terminate_connections(which: Callable[[dict], bool]) -> int:
    """Terminate all other connections to the database; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, query FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        found = [pid for pid, query in cursor.fetchall() if which(query)]
        for pid in found:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    return len(found)


def test_heartbeats_continue_after_a_lost_connection():
    job = claim(enqueue("test", key="a").pk)

    def is_heartbeat(query: str) -> bool:
        return "common_signoflife" in query

    with job.keep_alive():
        wait_for(lambda: terminate_connections(is_heartbeat), 10)
        after = timezone.now()
        wait_for(lambda: SignOfLife.objects.get().at > after, 10)
    assert job.is_still_claimed()


def test_job_whose_connection_was_cut_is_tried_again(monkeypatch):
    """Both in a transaction and between two of them."""

    def cut_own(job: ClaimedJob) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [pid] = cursor.fetchone()
        other = connection.copy()
        with closing(other), other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
        job.beat()

    def cut_in_transaction(job: ClaimedJob) -> None:
        with transaction.atomic():
            cut_own(job)

    for handler in (cut_own, cut_in_transaction):
        job = enqueue("test", key=handler.__name__)
        monkeypatch.setitem(jobs._handlers, "test", handler)
        perform(claim(job.pk))
        job.refresh_from_db()
        assert (job.state, job.attempts) == ("queued", 1)
        assert job.message.startswith("OperationalError")


def test_two_workers_take_a_silent_one_over_once():
    for number in range(8):
        job = enqueue("test", key=str(number))
        make_stale(job)
        taken = run_concurrently(*[lambda pk=job.pk: claim(pk)] * 3)
        assert [one.attempt for one in taken if one is not None] == [2]
