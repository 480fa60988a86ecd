"""Work that is to be done once a night.

An app with such work registers its kind of job here. Whatever sweeps also queues a
night's jobs as soon as the hour has come; a job's key is the day, so a night has one of
each kind, and an office that slept catches up.
"""

from datetime import datetime

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job

_kinds: set[str] = set()


def every_night(kind: str) -> str:
    """Have a job of this *kind* queued once a night."""
    _kinds.add(kind)
    return kind


def queue_the_night(*, now: datetime | None = None) -> list[Job]:
    """Queue what this night's work still lacks; before its hour nothing."""
    now = now or timezone.now()
    if settings.NIGHTLY_AT is None or now.time() < settings.NIGHTLY_AT:
        return []
    day = now.date().isoformat()
    known = Job.objects.filter(kind__in=_kinds, key=day).values_list("kind", flat=True)
    return [enqueue(kind, key=day) for kind in sorted(_kinds - set(known))]


@shared_task(name="common.queue_the_night")
def queue_the_night_task() -> None:
    queue_the_night()
