"""Nightly jobs.

Apps register the kinds of their nightly jobs here. The sweep also queues them once
NIGHTLY_AT has passed. The key of a job is the date, so each kind runs once a night, and
a site that was down catches up.
"""

from datetime import datetime, time, timedelta

from celery import shared_task
from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, Office

# If nightly jobs take longer, something is wrong.
NIGHTLY_DEADLINE = timedelta(hours=6)

_kinds: set[str] = set()


def register_nightly(kind: str) -> str:
    """Register a kind of job to run once a night."""
    _kinds.add(kind)
    return kind


def enqueue_nightly(*, now: datetime | None = None) -> list[Job]:
    """Queue the nightly jobs that are missing; do nothing before NIGHTLY_AT."""
    now = now or timezone.now()
    if settings.NIGHTLY_AT is None or now.time() < settings.NIGHTLY_AT:
        return []
    if Office.is_read_only():
        return []
    day = now.date().isoformat()
    known = Job.objects.filter(kind__in=_kinds, key=day).values_list("kind", flat=True)
    return [enqueue(kind, key=day) for kind in sorted(_kinds - set(known))]


def last_nightly_end() -> datetime | None:
    """Return when the last nightly job ended."""
    done = Job.objects.filter(kind__in=_kinds, state=Job.State.DONE)
    found: datetime | None = done.aggregate(at=Max("finished_at"))["at"]
    return found


def is_nightly_done(now: datetime) -> bool:
    """Return whether the last night's jobs are done by their deadline.

    A new installation has no jobs of the last night.
    """
    if settings.NIGHTLY_AT is None:
        return True
    day = now - NIGHTLY_DEADLINE - _since_midnight(settings.NIGHTLY_AT)
    jobs = Job.objects.filter(kind__in=_kinds, key=day.date().isoformat())
    if jobs.exists():
        return not jobs.exclude(state=Job.State.DONE).exists()
    return not Job.objects.filter(created_at__lt=day).exists()


def _since_midnight(hour: time) -> timedelta:
    return timedelta(hours=hour.hour, minutes=hour.minute, seconds=hour.second)


@shared_task(name="common.queue_the_night")
def enqueue_nightly_task() -> None:
    enqueue_nightly()
