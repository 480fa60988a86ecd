"""What the worker does for official lists, and for pages that show counts."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from ratings.lists.services.counting import count_ratings
from ratings.lists.services.lists import (
    MAY_PUBLISH,
    ListRefused,
    prepare_list,
    publish_list,
    publishable,
    refuse_month,
)
from ratings.models import ListDraft
from ratings.signals import rerate_published, rerate_undone, sections_rated
from ratings_site.common.accounts.permissions import NotAllowed, require
from ratings_site.common.database.bulk import look_at_tables
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.nightly import every_night
from ratings_site.common.jobs.services import ClaimedJob, JobFailed, enqueue, handles
from ratings_site.common.models import Job, User

PREPARE, PUBLISH = "ratings.prepare_list", "ratings.publish_list"
COUNT = "ratings.count_ratings"
COUNTED_EVERY = timedelta(minutes=5)


def enqueue_preparation(month: date, *, actor: User) -> Job:
    return enqueue(
        PREPARE,
        key=_key(month),
        args={"month": month.isoformat(), "actor": actor.pk},
    )


def enqueue_publication(
    draft: ListDraft, *, digest: str, actor: User, reason: str
) -> Job:
    """Have a draft published, if it still is the one that *digest* names.

    What can be refused at once is: who asks has the form before them.
    """
    require(actor, MAY_PUBLISH)
    refuse_month(draft.month)
    publishable(draft, digest)
    return enqueue(
        PUBLISH,
        key=_key(draft.month),
        args={
            "month": draft.month.isoformat(),
            "actor": actor.pk,
            "digest": digest,
            "reason": reason,
        },
    )


def last_job_for(month: date) -> Job | None:
    """Return the work on a month's list that was ordered last."""
    jobs = Job.objects.filter(kind__in=[PREPARE, PUBLISH], key=_key(month))
    return jobs.order_by("-pk").first()


def _key(month: date) -> str:
    return f"list:{month:%Y-%m}"


def _month(job: ClaimedJob) -> date:
    return date.fromisoformat(job.args["month"])


def _actor(job: ClaimedJob) -> User:
    return User.objects.get(pk=job.args["actor"])


@handles(PREPARE, lane=LONG)
def prepare_list_job(job: ClaimedJob) -> None:
    try:
        with job.commit("Prepared."):
            prepare_list(month=_month(job), actor=_actor(job))
    except ListRefused as refusal:
        raise JobFailed(str(refusal)) from refusal


@handles(PUBLISH, lane=LONG)
def publish_list_job(job: ClaimedJob) -> None:
    try:
        with job.commit("Published."):
            publish_list(
                month=_month(job),
                digest=job.args["digest"],
                actor=_actor(job),
                reason=job.args["reason"],
            )
    except (ListRefused, NotAllowed) as refusal:
        raise JobFailed(str(refusal)) from refusal


def enqueue_counting() -> None:
    """Have ratings counted at the next full five minutes, once for all who ask."""
    now = timezone.now()
    due = now + COUNTED_EVERY - (now - datetime.min.replace(tzinfo=UTC)) % COUNTED_EVERY
    enqueue(COUNT, key=f"{due:%Y-%m-%d %H:%M}", wait=due - now)


@receiver(sections_rated)
@receiver(rerate_published)
@receiver(rerate_undone)
def count_again(**_: Any) -> None:
    enqueue_counting()


@handles(every_night(COUNT), lane=LONG)
def count_ratings_job(job: ClaimedJob) -> None:
    """Count; each night also for birthdays, moves and years that have passed."""
    # After a large rerate: to count its books blindly would take hours.
    look_at_tables(changed_only=True)
    with job.kept_alive(), job.commit("Counted."):
        count_ratings()
