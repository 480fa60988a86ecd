"""What the office's pages read of acts, audit and jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings_site.common.desk.queries import (
    HowItStands,
    age,
    says_how_it_stands,
)
from ratings_site.common.models import Job

LATEST_JOBS = 200
# Work that waits longer than this means that no worker is alive.
WORKERS_PATIENCE = timedelta(minutes=5)


def listed_jobs(*, state: str = "") -> list[int]:
    """Return the numbers of what failed for good, what is open, and the newest jobs.

    Each part is cut and has an index, however many jobs there are (three queries).
    """
    parts = (
        unmended_jobs(),
        Job.objects.filter(state__in=Job.OPEN_STATES),
        Job.objects.all(),
    )
    wanted = {"state": state} if state else {}
    found = (
        part.filter(**wanted).order_by("-pk").values_list("pk", flat=True)[:LATEST_JOBS]
        for part in parts
    )
    return list(dict.fromkeys(chain.from_iterable(found)))


def jobs_in_order(numbers: Sequence[int]) -> list[Job]:
    """Return these jobs, each with whether it was queued again since (one query)."""
    jobs = Job.objects.annotate(was_retried=Exists(_later_jobs())).defer("args")
    found = jobs.in_bulk(numbers)
    return [found[number] for number in numbers if number in found]


def unmended_jobs(kind: str = "") -> QuerySet[Job]:
    """Return failed jobs that have not been tried again, the newest first."""
    jobs = Job.objects.filter(~Exists(_later_jobs()), state=Job.State.FAILED)
    return (jobs.filter(kind=kind) if kind else jobs).order_by("-pk")


def _later_jobs() -> QuerySet[Job]:
    return Job.objects.filter(
        kind=OuterRef("kind"), key=OuterRef("key"), pk__gt=OuterRef("pk")
    )


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How much work waits, runs, and failed without being tried again."""

    queued: int
    running: int
    oldest_queued: datetime | None
    last_done: datetime | None
    failed: int
    oldest_failed: datetime | None


def job_counts() -> JobCounts:
    """Count the jobs, in three queries that each have an index.

    A job that is for later has not waited yet, but for one that finds something held.
    """
    due = _is_kept_waiting(timezone.now())
    opened = Job.objects.filter(state__in=Job.OPEN_STATES).aggregate(
        queued=Count("pk", filter=Q(state=Job.State.QUEUED)),
        running=Count("pk", filter=Q(state=Job.State.RUNNING)),
        oldest_queued=Min("created_at", filter=due),
    )
    failed = unmended_jobs().aggregate(
        failed=Count("pk"), oldest_failed=Min("finished_at")
    )
    done = Job.objects.filter(state=Job.State.DONE).aggregate(
        last_done=Max("finished_at")
    )
    return JobCounts(**opened, **failed, **done)


def longest_wait(now: datetime) -> timedelta:
    """Return how long the job has waited that is due the longest."""
    waiting = Job.objects.filter(_is_kept_waiting(now), state__in=Job.OPEN_STATES)
    since = waiting.aggregate(since=Min(Coalesce("busy_since", "run_after")))["since"]
    return now - since if since else timedelta(0)


def _is_kept_waiting(now: datetime) -> Q:
    due = Q(state=Job.State.QUEUED, run_after__lte=now)
    return due | Q(busy_since__isnull=False)


# The office's first page


@says_how_it_stands
def _how_jobs_stand(now: datetime) -> list[HowItStands]:
    counts = job_counts()
    if counts.failed:
        text, level = (
            ngettext(
                "{failed:,} job failed and nobody tried again",
                "{failed:,} jobs failed and nobody tried again",
                counts.failed,
            ).format(failed=counts.failed),
            "error",
        )
    elif counts.oldest_queued and now - counts.oldest_queued > WORKERS_PATIENCE:
        text = _("the oldest job has waited {age}").format(
            age=age(counts.oldest_queued, now)
        )
        level = "warning"
    else:
        text, level = _("no job failed"), "good"
    details = [
        _("{running:,} running").format(running=counts.running),
        _("{waiting:,} waiting").format(waiting=counts.queued),
    ]
    if counts.last_done:
        details.append(_last_done(counts.last_done, now))
    return [
        HowItStands(
            _("Jobs"), f"{text}; {', '.join(details)}", reverse("office:jobs"), level
        )
    ]


def _last_done(moment: datetime, now: datetime) -> str:
    if now - moment < timedelta(minutes=1):
        return _("last done just now")
    return _("last done {age} ago").format(age=age(moment, now))


# Who may do what
