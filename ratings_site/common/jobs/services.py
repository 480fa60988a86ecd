"""Background jobs.

A job is a row (:class:`Job`); a Celery message only wakes a worker, and a sweep resends
lost messages. A worker claims a job with a conditional update, sends heartbeats while
it works, and commits its result only while it still holds the claim. So a job takes
effect once, even if workers die or messages are lost.

A handler is a function registered for a kind. It must be idempotent and write inside
``with job.commit():``.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import Error, IntegrityError, connection, models, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import RatingsBusy
from ratings_site.common.jobs.queues import LETTERS
from ratings_site.common.models import Job, Office, SignOfLife, User
from ratings_site.common.web.middleware import running_job

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 6
# The most jobs in one batch.
MAX_DUE = 2000
# Rows per INSERT.
BATCH = 500
# The most messages that one sweep sends.
MAX_SWEPT = 200
HEARTBEAT_SECONDS = 15
# The delay of a job that found a lock taken.
BUSY_SECONDS = 2
# Delays before attempts 2, 3, ...: short for a busy database, then longer.
BACKOFF_SECONDS = (1, 5, 30, 120, 600)
# A job whose service is down waits as long as its age, within these limits.
MIN_RETRY_WAIT, MAX_RETRY_WAIT = timedelta(seconds=10), timedelta(minutes=30)
GIVE_UP_AFTER = timedelta(days=3)


class JobFailed(Exception):
    """The job cannot be done, and a retry would not help; the message says why."""


class Unavailable(Exception):
    """A service that the job needs is down; the message says which.

    The job is retried for days, and waiting does not count as a failed attempt.
    """


class JobLost(Exception):
    """Another worker has claimed this job; this worker's changes are rolled back."""


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that this worker has claimed."""

    id: int
    kind: str
    key: str
    args: dict[str, Any]
    attempt: int
    steps: list[int] = field(default_factory=lambda: [0, 0], compare=False)

    def _mine(self) -> models.QuerySet[Job]:
        return Job.objects.filter(
            pk=self.id, attempts=self.attempt, state=Job.State.RUNNING
        )

    def beat(self, done: int = 0, total: int = 0, message: str = "") -> None:
        """Send a heartbeat and update the progress."""
        self._send_heartbeat()
        progress = {"done_steps": done, "total_steps": total, "message": message}
        if not self._mine().update(**progress):
            raise self._lost()

    def report(self, done: int, total: int) -> None:
        """Note progress inside a transaction; the thread of `keep_alive` shows it."""
        self.steps[:] = done, total

    @contextmanager
    def keep_alive(self) -> Iterator[None]:
        """Send heartbeats from a thread during a long step.

        The thread has its own connection and reconnects if it is lost.
        """
        is_over = threading.Event()
        thread = threading.Thread(
            target=self._heartbeat_until, args=(is_over,), name="heartbeat", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def _heartbeat_until(self, is_over: threading.Event) -> None:
        try:
            while not is_over.wait(settings.JOB_STALE_SECONDS / 3):
                try:
                    self._send_heartbeat()
                except Error:  # the next heartbeat may work
                    connection.close()
        finally:
            connection.close()

    def _send_heartbeat(self) -> None:
        done, total = self.steps
        SignOfLife.objects.filter(job__in=self._mine()).update(
            at=timezone.now(), done_steps=done, total_steps=total
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the claim during a transaction; raise JobLost if it is gone."""
        with transaction.atomic():
            if not self._mine().select_for_update().exists():
                raise self._lost()
            yield

    def _lost(self) -> JobLost:
        return JobLost(
            _("{kind} {key} is now run by another worker.").format(
                kind=self.kind, key=self.key
            )
        )

    @contextmanager
    def part(
        self, *, done: int = 0, total: int = 0, message: str = ""
    ) -> Iterator[None]:
        """Write a part of the result in one transaction, if the claim still holds."""
        with self._locked():
            yield
            self.beat(done=done, total=total, message=message)

    @contextmanager
    def commit(self, message: str = "") -> Iterator[None]:
        """Write the result and finish the job in one transaction."""
        with self._locked():
            yield
            self.finish(Job.State.DONE, message=message, done_steps=F("total_steps"))

    def finish(self, state: str, **fields: Any) -> None:
        if self.kind in _secret_kinds:
            fields["args"] = {}
        self._mine().update(state=state, finished_at=timezone.now(), **fields)

    def reschedule(self, wait: timedelta, message: str = "", **fields: Any) -> None:
        """Queue the job again after a delay, without counting an attempt.

        Reusing the number of the attempt is safe, because this one has ended.
        """
        self._mine().update(
            state=Job.State.QUEUED,
            attempts=F("attempts") - 1,
            run_after=timezone.now() + wait,
            message=message,
            **fields,
        )

    def is_still_claimed(self) -> bool:
        """Return whether this worker still holds the claim."""
        return self._mine().exists()

    def due_jobs(self) -> dict[int, dict[str, Any]]:
        """Return the args by ID of this job and of due first attempts of its kind.

        Some may be claimed by workers that wait for a lock that this one holds.
        """
        first_try = Q(state=Job.State.QUEUED, attempts=0) | Q(
            state=Job.State.RUNNING, attempts=1
        )
        due = Q(pk=self.id) | (first_try & Q(run_after__lte=timezone.now()))
        rows = Job.objects.filter(due, kind=self.kind, state__in=Job.OPEN_STATES)
        return dict(rows.order_by("pk").values_list("pk", "args")[:MAX_DUE])

    @contextmanager
    def commit_batch(
        self, job_ids: Collection[int], message: str = ""
    ) -> Iterator["JobBatch"]:
        """Write the results of several jobs and finish them in one transaction.

        Jobs that another transaction has locked are left out.
        """
        with transaction.atomic():
            open_ones = Job.objects.select_for_update(skip_locked=True).filter(
                pk__in=job_ids, kind=self.kind, state__in=Job.OPEN_STATES
            )
            several = JobBatch(set(open_ones.values_list("pk", flat=True)))
            yield several
            done = several.ids - several.faults.keys()
            ended = {"finished_at": timezone.now()}
            Job.objects.filter(pk__in=done).update(
                state=Job.State.DONE, message=message, **ended
            )
            for pk, fault in several.faults.items():
                Job.objects.filter(pk=pk).update(
                    state=Job.State.FAILED, message=fault, **ended
                )


@dataclass(slots=True)
class JobBatch:
    """Jobs that are done together, with the failures among them."""

    ids: set[int]
    faults: dict[int, str] = field(default_factory=dict)


Handler = Callable[[ClaimedJob], None]
PageOfJob = Callable[[Job], str]
_handlers: dict[str, Handler] = {}
_pages: dict[str, PageOfJob] = {}
_queues: dict[str, str] = {}
_secret_kinds: set[str] = set()


def handles(
    kind: str,
    *,
    queue: str = LETTERS,
    keep_args: bool = True,
    page: PageOfJob | None = None,
) -> Callable[[Handler], Handler]:
    """Register the decorated function as the handler of this *kind*.

    *queue* is the queue of its jobs. Without *keep_args*, for secrets, a job's
    arguments are deleted when it ends. *page* returns the address of the page that
    shows a job's progress and result.
    """

    def register(handler: Handler) -> Handler:
        _handlers[kind] = handler
        if page is not None:
            _pages[kind] = page
        _queues[kind] = queue
        if not keep_args:
            _secret_kinds.add(kind)
        return handler

    return register


def page_of(job: Job) -> str:
    """Return the address of the page of a job's subject, or ""."""
    page = _pages.get(job.kind)
    return page(job) if page else ""


def queue_of(kind: str) -> str:
    """Return the queue of a kind of job."""
    return _queues.get(kind, LETTERS)


def enqueue(
    kind: str,
    *,
    key: str,
    args: dict[str, Any] | None = None,
    wait: timedelta = timedelta(0),
    actor: User | None = None,
) -> Job:
    """Queue a job and wake a worker once the transaction commits.

    The to-do list of the *actor* shows it until it is done.

    If a job of the same kind and key is open, return that one, even if it is running: a
    handler reads its data inside its own transaction. With *wait* the job is left to
    the sweep.
    """
    now = timezone.now()
    wanted: dict[str, Any] = {
        "kind": kind,
        "key": key,
        "state__in": Job.OPEN_STATES,
        "defaults": {
            "args": args or {},
            "run_after": now + wait,
            "sent_at": None if wait else now,
            "state": Job.State.QUEUED,
            "requested_by": actor,
        },
    }
    try:
        job, created = Job.objects.get_or_create(**wanted)
    except IntegrityError:  # the open job of this key has just finished
        job, created = Job.objects.get_or_create(**wanted)
    if created and not wait:
        transaction.on_commit(lambda: _wake_worker(job.pk, kind))
    return job


def enqueue_all(kind: str, args_by_key: Mapping[str, dict[str, Any]]) -> None:
    """Queue many jobs, each with a new key."""
    now = timezone.now()
    jobs = Job.objects.bulk_create(
        [
            Job(kind=kind, key=key, args=args, run_after=now, sent_at=now)
            for key, args in args_by_key.items()
        ],
        batch_size=BATCH,
    )

    def wake() -> None:
        for job in jobs:
            _wake_worker(job.pk, kind)

    transaction.on_commit(wake)


class NotRetryable(Exception):
    """The job has not failed or was retried already; the message says which."""


def retry_failed(*, job_id: int, actor: User | None) -> Job:
    """Queue a failed job again, with a new set of attempts."""
    require_permission(actor, "common.retry_job")
    with transaction.atomic():
        failed = Job.objects.get(pk=job_id)
        if failed.state != Job.State.FAILED:
            raise NotRetryable(
                _("{failed} has not failed. Nothing was done.").format(failed=failed)
            )
        later = Job.objects.filter(kind=failed.kind, key=failed.key, pk__gt=failed.pk)
        if later.exists():
            raise NotRetryable(
                _("{failed} has already been retried.").format(failed=failed)
            )
        job = enqueue(failed.kind, key=failed.key, args=failed.args, actor=actor)
        facts = {"failed": failed.message}
        record("job.retried", subject=job, actor=actor, facts=facts)
    return job


def _wake_worker(job_id: int, kind: str) -> None:
    """Send the message; if the broker is down, the sweep sends it later."""
    try:
        run_job.apply_async((job_id,), queue=queue_of(kind))
    except Exception as error:  # the broker's client raises various errors
        logger.warning("Job %s waits for the sweep: %s", job_id, error)


@shared_task(name="common.run_job")
def run_job(job_id: int) -> None:
    """Run the job, unless the office is read-only: then the sweep wakes it later."""
    Office.refresh_if_stale()
    job = None if Office.is_read_only() else claim(job_id)
    if job is not None:
        perform(job)


def claim(job_id: int, *, now: datetime | None = None) -> ClaimedJob | None:
    """Claim the job; return None if it is finished, not due or being worked on.

    A locked row is being worked on, so it is skipped without waiting.
    """
    now = now or timezone.now()
    with transaction.atomic():
        free = Job.objects.select_for_update(skip_locked=True)
        job = free.filter(pk=job_id, state__in=Job.OPEN_STATES).first()
        if job is None or not _may_be_claimed(job, now):
            return None
        job.state, job.attempts = Job.State.RUNNING, job.attempts + 1
        if not job.done_steps:
            job.started_at = now
        job.save(update_fields=["state", "attempts", "started_at"])
        SignOfLife.objects.bulk_create(
            [SignOfLife(job=job, at=now)],
            update_conflicts=True,
            unique_fields=["job"],
            update_fields=["at", "done_steps", "total_steps"],
        )
    return ClaimedJob(job.pk, job.kind, job.key, job.args, job.attempts)


def _may_be_claimed(job: Job, now: datetime) -> bool:
    """Check again under the lock, because another worker may have been faster."""
    if job.state == Job.State.QUEUED:
        return job.run_after <= now
    return Job.objects.filter(_due(now), pk=job.pk).exists()


def _due(now: datetime) -> Q:
    stale = now - timedelta(seconds=settings.JOB_STALE_SECONDS)
    alive = SignOfLife.objects.filter(job=OuterRef("pk"), at__gte=stale)
    return Q(state=Job.State.QUEUED, run_after__lte=now) | Q(
        Q(state=Job.State.RUNNING), ~Exists(alive)
    )


def perform(job: ClaimedJob) -> None:
    """Run the handler; if it fails, retry the job or mark it as failed."""
    handler = _handlers.get(job.kind)
    token = running_job.set(str(job.id))
    try:
        if handler is None:
            raise JobFailed(_("Unknown job type: {kind!r}.").format(kind=job.kind))
        if job.attempt > MAX_ATTEMPTS:
            raise JobFailed(
                _("The worker stopped too many times while running this job.")
            )
        Office.refresh_if_stale()
        with timezone.override(Office.time()):
            handler(job)
        job.finish(Job.State.DONE)  # unless the handler has
    except JobLost as lost:
        logger.warning("%s", lost)
    except JobFailed as failure:
        _fail(job, str(failure))
    except RatingsBusy as busy:
        # Soon, and without a limit: the dashboard shows jobs that wait too long.
        since = Coalesce("busy_since", timezone.now())
        job.reschedule(timedelta(seconds=BUSY_SECONDS), str(busy), busy_since=since)
    except Unavailable as reason:
        _wait_for_service(job, str(reason))
    except Exception as error:
        logger.exception("Job %s %s failed", job.kind, job.key)
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        _retry(job, f"{type(error).__name__}: {error}")
    finally:
        running_job.reset(token)


def _fail(job: ClaimedJob, message: str) -> None:
    job.finish(Job.State.FAILED, message=message)


def _wait_for_service(job: ClaimedJob, message: str) -> None:
    """Retry after a delay as long as the job's age; give up after days."""
    created_at = Job.objects.values_list("created_at", flat=True).get(pk=job.id)
    waited = timezone.now() - created_at
    if waited > GIVE_UP_AFTER:
        _fail(job, message)
    else:
        job.reschedule(min(max(waited, MIN_RETRY_WAIT), MAX_RETRY_WAIT), message)


def _retry(job: ClaimedJob, message: str) -> None:
    if job.attempt >= MAX_ATTEMPTS:
        _fail(job, message)
        return
    wait = BACKOFF_SECONDS[job.attempt - 1]
    job._mine().update(
        state=Job.State.QUEUED,
        run_after=timezone.now() + timedelta(seconds=wait),
        busy_since=None,
        message=message,
    )


# Heartbeats and the sweep


def heartbeat_loop(queues: Collection[str]) -> None:
    """Record a heartbeat for these queues every few seconds, forever."""
    while True:
        try:
            record_heartbeat(queues)
        except Exception as error:  # the database may restart
            logger.warning("The heartbeat could not be recorded: %s", error)
        finally:
            connection.close()
        time.sleep(HEARTBEAT_SECONDS)


def record_heartbeat(queues: Collection[str]) -> None:
    cache.set_many(
        {f"worker:{queue}": timezone.now() for queue in queues}, timeout=None
    )


def last_heartbeats(queues: Collection[str]) -> dict[str, datetime]:
    """Return the last heartbeat of each queue."""
    found = cache.get_many([f"worker:{queue}" for queue in queues])
    return {key.removeprefix("worker:"): at for key, at in found.items()}


@shared_task(name="common.sweep_jobs")
def sweep_jobs() -> int:
    """Wake a worker for each due job without a recent message.

    Jobs that have been due the longest come first. Locked rows are skipped. While the
    office is read-only, all wait.
    """
    Office.refresh_if_stale()
    if Office.is_read_only():
        return 0
    now = timezone.now()
    forgotten = now - timedelta(seconds=settings.JOB_SWEEP_SECONDS)
    with transaction.atomic():
        due = (
            Job.objects.select_for_update(skip_locked=True)
            .filter(_due(now), state__in=Job.OPEN_STATES)
            .filter(Q(sent_at=None) | Q(sent_at__lt=forgotten))
            .order_by("run_after", "pk")
        )
        waking = list(due.values_list("pk", "kind")[:MAX_SWEPT])
        sent = Job.objects.filter(pk__in=[pk for pk, _kind in waking])
        sent.update(sent_at=now)
    for job_id, kind in waking:
        _wake_worker(job_id, kind)
    return len(waking)


def run_due_jobs(*, limit: int = 100_000) -> int:
    """Run all due jobs in this process, for commands without a worker."""
    worked = 0
    while worked < limit:
        due = Job.objects.filter(_due(timezone.now())).order_by("pk")
        job_id = due.values_list("pk", flat=True).first()
        if job_id is None:
            break
        job = claim(job_id)
        if job is not None:
            perform(job)
            worked += 1
    return worked
