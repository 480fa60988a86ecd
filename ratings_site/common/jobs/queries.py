"""Queries for the pages of background jobs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings_site.common.dashboard.queries import StatusLine, age, register_status
from ratings_site.common.models import Job, User

LATEST_JOBS = 200
# If a job waits longer, no worker is running.
MAX_QUEUE_WAIT = timedelta(minutes=5)


def recent_job_ids(*, state: str = "") -> list[int]:
    """Return the IDs of failed jobs, open jobs and the newest jobs.

    Three queries, each limited and supported by an index.
    """
    parts = (
        unretried_failures(),
        Job.objects.filter(state__in=Job.OPEN_STATES),
        Job.objects.all(),
    )
    wanted = {"state": state} if state else {}
    found = (
        part.filter(**wanted).order_by("-pk").values_list("pk", flat=True)[:LATEST_JOBS]
        for part in parts
    )
    return list(dict.fromkeys(chain.from_iterable(found)))


def jobs_by_id(numbers: Sequence[int]) -> list[Job]:
    """Return these jobs, annotated with ``was_retried`` (one query)."""
    jobs = Job.objects.annotate(was_retried=Exists(_later_jobs())).defer("args")
    found = jobs.select_related("sign_of_life").in_bulk(numbers)
    return [found[number] for number in numbers if number in found]


def open_jobs_of(user: User) -> QuerySet[Job]:
    """Return the waiting and running jobs that this account started, oldest first."""
    jobs = Job.objects.filter(requested_by=user, state__in=Job.OPEN_STATES)
    return jobs.select_related("sign_of_life").defer("args").order_by("pk")


def unretried_failures(kind: str = "") -> QuerySet[Job]:
    """Return failed jobs that have not been retried, the newest first."""
    jobs = Job.objects.filter(~Exists(_later_jobs()), state=Job.State.FAILED)
    return (jobs.filter(kind=kind) if kind else jobs).order_by("-pk")


def _later_jobs() -> QuerySet[Job]:
    return Job.objects.filter(
        kind=OuterRef("kind"), key=OuterRef("key"), pk__gt=OuterRef("pk")
    )


def job_counts() -> dict[str, Any]:
    """Count queued, running and failed jobs, in three queries that indexes support.

    A scheduled job does not count as waiting, unless a lock delays it.
    """
    due = _waiting_filter(timezone.now())
    opened = Job.objects.filter(state__in=Job.OPEN_STATES).aggregate(
        queued=Count("pk", filter=Q(state=Job.State.QUEUED)),
        running=Count("pk", filter=Q(state=Job.State.RUNNING)),
        oldest_queued=Min("created_at", filter=due),
    )
    failed = unretried_failures().aggregate(
        failed=Count("pk"), oldest_failed=Min("finished_at")
    )
    done = Job.objects.filter(state=Job.State.DONE).aggregate(
        last_done=Max("finished_at")
    )
    return {**opened, **failed, **done}


def longest_wait(now: datetime) -> timedelta:
    """Return the wait of the job that has been due the longest."""
    waiting = Job.objects.filter(_waiting_filter(now), state__in=Job.OPEN_STATES)
    since = waiting.aggregate(since=Min(Coalesce("busy_since", "run_after")))["since"]
    return now - since if since else timedelta(0)


def open_job_counts(now: datetime) -> dict[str, tuple[int, timedelta]]:
    """Return the number of waiting jobs of each kind and the longest wait of one."""
    waiting = Job.objects.filter(_waiting_filter(now), state__in=Job.OPEN_STATES)
    figures = (
        waiting.order_by()
        .values("kind")
        .annotate(number=Count("pk"), since=Min(Coalesce("busy_since", "run_after")))
        .values_list("kind", "number", "since")
    )
    return {kind: (number, now - since) for kind, number, since in figures}


def _waiting_filter(now: datetime) -> Q:
    due = Q(state=Job.State.QUEUED, run_after__lte=now)
    return due | Q(busy_since__isnull=False)


# The dashboard


@register_status
def _job_status(now: datetime) -> list[StatusLine]:
    counts = job_counts()
    failed, oldest = counts["failed"], counts["oldest_queued"]
    if failed:
        text, level = (
            ngettext(
                "{failed:,} failed job to retry",
                "{failed:,} failed jobs to retry",
                failed,
            ).format(failed=failed),
            "error",
        )
    elif oldest and now - oldest > MAX_QUEUE_WAIT:
        text = _("oldest job waiting for {age}").format(age=age(oldest, now))
        level = "warning"
    else:
        text, level = _("no failed jobs"), "good"
    details = [
        _("{running:,} running").format(running=counts["running"]),
        _("{waiting:,} waiting").format(waiting=counts["queued"]),
    ]
    if counts["last_done"]:
        details.append(_last_done(counts["last_done"], now))
    return [
        StatusLine(
            _("Background jobs"),
            f"{text}; {', '.join(details)}",
            reverse("office:jobs"),
            level,
        )
    ]


def _last_done(moment: datetime, now: datetime) -> str:
    if now - moment < timedelta(minutes=1):
        return _("last completed just now")
    return _("last completed {age} ago").format(age=age(moment, now))
