"""Work that outlives a request.

A job is a row (:class:`Job`); a Celery message only wakes a worker, and a sweep
wakes one for whatever was forgotten. A worker claims a job by a conditional
update, shows signs of life while it works, and commits its result only while the
job is still its own. So a job is done once, no matter who dies and what is lost.

A handler is a function registered for a kind. It must be harmless to run twice
and does its writing inside ``with job.commit():``.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import (
    Error,
    IntegrityError,
    connection,
    models,
    transaction,
)
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import RatingsBusy
from ratings_site.common.jobs.lanes import LETTERS
from ratings_site.common.models import Job, Office, SignOfLife, User

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 6
# So many are looked at where jobs are done together.
MOST_DUE = 2000
# So many workers one sweep wakes.
MOST_SWEPT = 200
# So soon a job is due again that found something held by another.
BUSY_SECONDS = 2
# Attempts 2, 3, ... wait so many seconds: first a busy database, then a real fault.
BACKOFF_SECONDS = (1, 5, 30, 120, 600)


class JobFailed(Exception):
    """The work cannot be done, and trying again would not help. Says why."""


class JobLost(Exception):
    """Somebody else has taken this job over; what was done here is thrown away."""


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job as the worker that claimed it sees it."""

    id: int
    kind: str
    key: str
    args: dict[str, Any]
    attempt: int

    def _mine(self) -> models.QuerySet[Job]:
        return Job.objects.filter(
            pk=self.id, attempts=self.attempt, state=Job.State.RUNNING
        )

    def beat(self, *, done: int = 0, total: int = 0, message: str = "") -> None:
        """Show a sign of life and how far the work has come."""
        self._breathe()
        alive = self._mine().update(
            done_steps=done,
            total_steps=total,
            message=message,
        )
        if not alive:
            raise JobLost(
                _("{kind} {key} was taken over.").format(kind=self.kind, key=self.key)
            )

    @contextmanager
    def kept_alive(self) -> Iterator[None]:
        """Show signs of life from a thread, while one step of the work takes long.

        The thread has a connection of its own, and takes another where one is cut.
        """
        is_over = threading.Event()
        thread = threading.Thread(
            target=self._breathe_until,
            args=(is_over,),
            name="signs of life",
            daemon=True,
        )
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def _breathe_until(self, is_over: threading.Event) -> None:
        try:
            while not is_over.wait(settings.JOB_STALE_SECONDS / 3):
                try:
                    self._breathe()
                except Error:  # no reason to give up; the next breath may come
                    connection.close()
        finally:
            connection.close()

    def _breathe(self) -> None:
        mine = SignOfLife.objects.filter(job__in=self._mine())
        mine.update(at=timezone.now())

    @contextmanager
    def part(
        self, *, done: int = 0, total: int = 0, message: str = ""
    ) -> Iterator[None]:
        """Write a part of the result in one transaction, if the job is still ours."""
        with transaction.atomic():
            if not self._mine().select_for_update().exists():
                raise JobLost(
                    _("{kind} {key} was taken over.").format(
                        kind=self.kind, key=self.key
                    )
                )
            yield
            self.beat(done=done, total=total, message=message)

    @contextmanager
    def commit(self, message: str = "") -> Iterator[None]:
        """Write the result and finish the job in one transaction, or do neither."""
        with transaction.atomic():
            if not self._mine().select_for_update().exists():
                raise JobLost(
                    _("{kind} {key} was taken over.").format(
                        kind=self.kind, key=self.key
                    )
                )
            yield
            self._mine().update(
                state=Job.State.DONE,
                finished_at=timezone.now(),
                message=message,
                done_steps=F("total_steps"),
            )

    def put_off(self, wait: timedelta, message: str = "", **fields: Any) -> None:
        """Have the job done after a while; that it was looked at is no attempt.

        The number of the attempt may be given again, because this one has ended.
        """
        self._mine().update(
            state=Job.State.QUEUED,
            attempts=F("attempts") - 1,
            run_after=timezone.now() + wait,
            message=message,
            **fields,
        )

    def is_mine(self) -> bool:
        """Tell whether nobody else has taken this job over, or done it."""
        return self._mine().exists()

    def due_too(self) -> dict[int, dict[str, Any]]:
        """Return this job and the untried ones of its kind that are due: their *args*.

        Some may have been claimed by workers that wait for what this one holds.
        """
        first_try = Q(state=Job.State.QUEUED, attempts=0) | Q(
            state=Job.State.RUNNING, attempts=1
        )
        due = Q(pk=self.id) | (first_try & Q(run_after__lte=timezone.now()))
        rows = Job.objects.filter(due, kind=self.kind, state__in=Job.OPEN_STATES)
        return dict(rows.order_by("pk").values_list("pk", "args")[:MOST_DUE])

    @contextmanager
    def commit_several(
        self, job_ids: Collection[int], message: str = ""
    ) -> Iterator["Several"]:
        """Write the results of several jobs and finish them in one transaction.

        Those that somebody else has in hand are left out.
        """
        with transaction.atomic():
            open_ones = Job.objects.select_for_update(skip_locked=True).filter(
                pk__in=job_ids, kind=self.kind, state__in=Job.OPEN_STATES
            )
            several = Several(set(open_ones.values_list("pk", flat=True)))
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
class Several:
    """Jobs that are done together, and why some of them cannot be."""

    ids: set[int]
    faults: dict[int, str] = field(default_factory=dict)


Handler = Callable[[ClaimedJob], None]
_handlers: dict[str, Handler] = {}
_lanes: dict[str, str] = {}


def handles(kind: str, *, lane: str = LETTERS) -> Callable[[Handler], Handler]:
    """Register the function as the one that does jobs of this *kind*.

    *lane* is the queue in which they wait, with workers of its own.
    """

    def register(handler: Handler) -> Handler:
        _handlers[kind] = handler
        _lanes[kind] = lane
        return handler

    return register


def enqueue(
    kind: str,
    *,
    key: str,
    args: dict[str, Any] | None = None,
    wait: timedelta = timedelta(0),
) -> Job:
    """Queue a job and wake a worker once the transaction commits.

    A job that has to *wait* is left to the sweep.

    A job of the same kind and key that is still open is returned instead, also if it
    is running: a handler reads what it works on inside its own transaction.
    """
    now = timezone.now()
    wanted = {
        "kind": kind,
        "key": key,
        "state__in": Job.OPEN_STATES,
        "defaults": {
            "args": args or {},
            "run_after": now + wait,
            "sent_at": None if wait else now,
            "state": Job.State.QUEUED,
        },
    }
    try:
        job, created = Job.objects.get_or_create(**wanted)
    except IntegrityError:  # the open job of this key was finished in between
        job, created = Job.objects.get_or_create(**wanted)
    if created and not wait:
        transaction.on_commit(lambda: _wake_worker(job.pk, kind))
    return job


class NotFailed(Exception):
    """Only failed work is queued again; the message says how this stands."""


def retry_failed(*, job_id: int, actor: User | None) -> Job:
    """Queue a failed job again, with all its attempts."""
    require(actor, "common.retry_job")
    with transaction.atomic():
        failed = Job.objects.get(pk=job_id)
        if failed.state != Job.State.FAILED:
            raise NotFailed(
                _("{failed} has not failed; nothing was done.").format(failed=failed)
            )
        later = Job.objects.filter(kind=failed.kind, key=failed.key, pk__gt=failed.pk)
        if later.exists():
            raise NotFailed(
                _("{failed} has been tried again already.").format(failed=failed)
            )
        job = enqueue(failed.kind, key=failed.key, args=failed.args)
        record(
            "job.retried", subject=job, actor=actor, facts={"failed": failed.message}
        )
    return job


def _wake_worker(job_id: int, kind: str) -> None:
    """Send the message. A broker that is down costs nothing but time: see sweep."""
    try:
        run_job.apply_async([job_id], queue=_lanes.get(kind, LETTERS))
    except Exception as error:  # whatever the broker's client raises
        logger.warning("Job %s waits for the sweep: %s", job_id, error)


@shared_task(name="common.run_job")
def run_job(job_id: int) -> None:
    job = claim(job_id)
    if job is not None:
        perform(job)


def claim(job_id: int, *, now: datetime | None = None) -> ClaimedJob | None:
    """Take the job, unless it is finished, not due, or in living hands.

    A row that is held is in living hands too, and nobody waits for it.
    """
    now = now or timezone.now()
    with transaction.atomic():
        free = Job.objects.select_for_update(skip_locked=True)
        job = free.filter(pk=job_id, state__in=Job.OPEN_STATES).first()
        if job is None or not _may_be_claimed(job, now):
            return None
        job.state, job.attempts = Job.State.RUNNING, job.attempts + 1
        job.save(update_fields=["state", "attempts"])
        SignOfLife.objects.bulk_create(
            [SignOfLife(job=job, at=now)],
            update_conflicts=True,
            unique_fields=["job"],
            update_fields=["at"],
        )
    return ClaimedJob(job.pk, job.kind, job.key, job.args, job.attempts)


def _may_be_claimed(job: Job, now: datetime) -> bool:
    """Look again, now that the row is held: somebody may have been quicker."""
    if job.state == Job.State.QUEUED:
        return job.run_after <= now
    return Job.objects.filter(_due(now), pk=job.pk).exists()


def _due(now: datetime) -> Q:
    stale = now - timedelta(seconds=settings.JOB_STALE_SECONDS)
    alive = SignOfLife.objects.filter(job=OuterRef("pk"), at__gte=stale)
    return Q(state=Job.State.QUEUED, run_after__lte=now) | (
        Q(state=Job.State.RUNNING) & ~Exists(alive)
    )


def perform(job: ClaimedJob) -> None:
    """Run the handler; queue the job again, or give it up, if it fails."""
    handler = _handlers.get(job.kind)
    try:
        if handler is None:
            raise JobFailed(
                _("This office does not know how to do {kind!r}.").format(kind=job.kind)
            )
        if job.attempt > MAX_ATTEMPTS:
            raise JobFailed(_("The worker died at this work too often."))
        Office.keep_shown()
        with timezone.override(Office.time()):
            handler(job)
        _close_if_open(job)
    except JobLost as lost:
        logger.warning("%s", lost)
    except JobFailed as failure:
        _fail(job, str(failure))
    except RatingsBusy as busy:
        _wait(job, str(busy))
    except Exception as error:
        logger.exception("Job %s %s failed", job.kind, job.key)
        _leave_cut_connection()
        _retry(job, f"{type(error).__name__}: {error}")


def _leave_cut_connection() -> None:
    """Let what follows have a connection, whatever the work has left of it."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def _close_if_open(job: ClaimedJob) -> None:
    """Finish a job whose handler found nothing to commit."""
    job._mine().update(state=Job.State.DONE, finished_at=timezone.now())


def _fail(job: ClaimedJob, message: str) -> None:
    job._mine().update(
        state=Job.State.FAILED, finished_at=timezone.now(), message=message
    )


def _wait(job: ClaimedJob, message: str) -> None:
    """Have the job done soon: that another holds what it needs is no attempt.

    However long that takes; the office's first page says so if it takes long.
    """
    since = Coalesce("busy_since", timezone.now())
    job.put_off(timedelta(seconds=BUSY_SECONDS), message, busy_since=since)


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


@shared_task(name="common.sweep_jobs")
def sweep_jobs() -> int:
    """Wake a worker for every job that is due and that no message speaks for.

    Those that are due the longest come first. A row that is held is left alone.
    """
    now = timezone.now()
    forgotten = now - timedelta(seconds=settings.JOB_SWEEP_SECONDS)
    with transaction.atomic():
        due = (
            Job.objects.select_for_update(skip_locked=True)
            .filter(_due(now), state__in=Job.OPEN_STATES)
            .filter(Q(sent_at=None) | Q(sent_at__lt=forgotten))
            .order_by("run_after", "pk")
        )
        waking = list(due.values_list("pk", "kind")[:MOST_SWEPT])
        sent = Job.objects.filter(pk__in=[pk for pk, _kind in waking])
        sent.update(sent_at=now)
    for job_id, kind in waking:
        _wake_worker(job_id, kind)
    return len(waking)


def work_off(*, limit: int = 100_000) -> int:
    """Do every job that is due, here and now. For commands without a worker."""
    worked = 0
    while worked < limit:
        job_id = (
            Job.objects.filter(_due(timezone.now()))
            .order_by("pk")
            .values_list("pk", flat=True)
            .first()
        )
        if job_id is None:
            break
        job = claim(job_id)
        if job is not None:
            perform(job)
            worked += 1
    return worked
