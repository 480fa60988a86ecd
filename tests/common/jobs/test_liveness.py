"""No worker stops for another, and none is taken for dead while it is alive."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from ratings_site.common.jobs import services as jobs
from ratings_site.common.jobs.services import (
    ClaimedJob,
    claim,
    enqueue,
    perform,
    sweep_jobs,
)
from ratings_site.common.models import AuditEntry, Job, SignOfLife
from tests.races import at_once, needs_two_connections  # noqa: F401
from tests.real_office import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

STALE = 0.6


@pytest.fixture(autouse=True)
def _soon_stale(settings):
    settings.JOB_STALE_SECONDS = STALE


@contextmanager
def row_held(job: Job) -> Iterator[None]:
    """Let another connection hold the job's row, as a part of its work does."""
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT 1 FROM common_job WHERE id = %s FOR UPDATE", [job.pk])
        yield
        cursor.execute("ROLLBACK")


@contextmanager
def impatient() -> Iterator[None]:
    """Fail where anything waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
        yield
        cursor.execute("SET lock_timeout = 0")


def silent(job: Job) -> None:
    """Let the worker of a job have been silent for long."""
    Job.objects.filter(pk=job.pk).update(state="running", attempts=1, sent_at=None)
    long_ago = timezone.now() - timedelta(hours=1)
    SignOfLife.objects.update_or_create(job=job, defaults={"at": long_ago})


def test_nobody_waits_for_a_row_that_a_worker_holds():
    """A worker that was silent too long and still is in its transaction."""
    held, other = enqueue("test", key="held"), enqueue("test", key="other")
    silent(held)
    silent(other)
    with row_held(held), impatient():
        assert claim(held.pk) is None
        assert sweep_jobs() == 1
        assert claim(other.pk).attempt == 2
    assert claim(held.pk).attempt == 2


def test_worker_in_a_long_transaction_shows_signs_of_life():
    """The step lasts several times as long as silence is borne."""
    job = claim(enqueue("test", key="a").pk)
    heard = []

    def others_look() -> None:
        heard.append(SignOfLife.objects.get().at)
        heard.append(claim(job.id))

    with job.kept_alive(), job.commit():
        time.sleep(3 * STALE)
        at_once(others_look)
        AuditEntry.objects.create(action="done at last")
    [at, taken] = heard
    assert taken is None
    assert timezone.now() - at < timedelta(seconds=STALE)
    assert Job.objects.get().state == "done"


def cut(which: Callable[[dict], bool]) -> int:
    """Cut the connections to our database but this one; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, query FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        found = [pid for pid, query in cursor.fetchall() if which(query)]
        for pid in found:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    return len(found)


def test_signs_of_life_go_on_after_their_connection_was_cut():
    job = claim(enqueue("test", key="a").pk)

    def is_a_sign(query: str) -> bool:
        return "common_signoflife" in query

    with job.kept_alive():
        wait_for(lambda: cut(is_a_sign), 10)
        after = timezone.now()
        wait_for(lambda: SignOfLife.objects.get().at > after, 10)
    assert job.is_mine()


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
        silent(job)
        taken = at_once(*[lambda pk=job.pk: claim(pk)] * 3)
        assert [one.attempt for one in taken if one is not None] == [2]
