"""Jobs that prepare and publish official lists and count ratings."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.dispatch import receiver
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.lists.queries.open_lists import list_to_open
from ratings.lists.services.lists import (
    MAY_PUBLISH,
    ListRefused,
    check_month,
    prepare_list,
    publish_list,
    require_publishable,
)
from ratings.lists.services.open_lists import open_file_rows, store_open_files
from ratings.lists.services.rating_counts import count_ratings
from ratings.models import ListDraft, OfficialList
from ratings.models.official import month_name
from ratings.signals import (
    list_published,
    rerate_published,
    rerate_undone,
    sections_rated,
)
from ratings_site.common.accounts.permissions import NotAllowed, require_permission
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose
from ratings_site.common.db.bulk import analyze_tables
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, JobFailed, enqueue, handles
from ratings_site.common.models import Job, PendingAct, User

PREPARE, PUBLISH = "ratings.prepare_list", "ratings.publish_list"
APPROVE = "lists.publish"
COUNT = "ratings.count_ratings"
OPEN_FILES = "ratings.make_open_lists"
COUNT_INTERVAL = timedelta(minutes=5)


def enqueue_preparation(month: date, *, actor: User, correction: int = 0) -> Job:
    check_month(month, correction)
    return enqueue(
        PREPARE,
        key=_key(month),
        args={"month": month.isoformat(), "actor": actor.pk, "correction": correction},
        actor=actor,
    )


def request_publication(
    draft: ListDraft, *, digest: str, actor: User, reason: str
) -> Job | PendingAct:
    """Enqueue publishing a draft, if it still has this *digest*.

    With LIST_SECOND_PERSON it becomes a proposal for a second approval. Raises
    ListRefused at once if possible, while the user has the form open.
    """
    require_permission(actor, MAY_PUBLISH)
    check_month(draft.month, draft.correction)
    require_publishable(draft, digest)
    if settings.LIST_SECOND_PERSON:
        return propose(
            APPROVE,
            title=_title(draft),
            payload={"month": draft.month.isoformat(), "digest": digest},
            actor=actor,
            reason=reason,
            url=reverse("ratings:office_list", args=[draft.month]),
        )
    return _enqueue_publication(draft, digest=digest, actor=actor, reason=reason)


def _title(draft: ListDraft) -> str:
    if draft.correction:
        title = _("Correct the {month_name} official rating list")
    else:
        title = _("Publish the {month_name} official rating list")
    return title.format(month_name=month_name(draft.month))


@register_approved_action(APPROVE, permission=MAY_PUBLISH, setting="LIST_SECOND_PERSON")
def publish_as_approved(act: ApprovedAction) -> Job:
    """Enqueue publishing a proposed list after its second approval."""
    month, digest = date.fromisoformat(act.payload["month"]), act.payload["digest"]
    draft = require_publishable(ListDraft.objects.filter(month=month).first(), digest)
    check_month(month, draft.correction)
    return _enqueue_publication(
        draft,
        digest=digest,
        actor=act.proposed_by,
        reason=act.reason,
        approved_by=act.approved_by.pk,
    )


def _enqueue_publication(
    draft: ListDraft,
    *,
    digest: str,
    actor: User,
    reason: str,
    approved_by: int | None = None,
) -> Job:
    return enqueue(
        PUBLISH,
        key=_key(draft.month),
        args={
            "month": draft.month.isoformat(),
            "actor": actor.pk,
            "digest": digest,
            "reason": reason,
            "approved_by": approved_by,
        },
        actor=actor,
    )


def proposal_for(month: date) -> PendingAct | None:
    """Return the pending proposal to publish a month's list."""
    waiting = PendingAct.objects.filter(
        kind=APPROVE, status=PendingAct.Status.WAITING, payload__month=month.isoformat()
    )
    return waiting.select_related("proposed_by").order_by("-pk").first()


def last_job_for(month: date) -> Job | None:
    """Return the last job for a month's list."""
    jobs = Job.objects.filter(kind__in=[PREPARE, PUBLISH], key=_key(month))
    return jobs.order_by("-pk").first()


def _key(month: date) -> str:
    return f"list:{month:%Y-%m}"


def _month(job: ClaimedJob) -> date:
    return date.fromisoformat(job.args["month"])


def _actor(job: ClaimedJob) -> User:
    return User.objects.get(pk=job.args["actor"])


def _page(job: Job) -> str:
    month = date.fromisoformat(f"{job.key.removeprefix('list:')}-01")
    return reverse("ratings:office_list", args=[month])


@handles(PREPARE, queue=LONG, page=_page)
def prepare_list_job(job: ClaimedJob) -> None:
    try:
        with job.commit("Prepared."):
            prepare_list(
                month=_month(job),
                actor=_actor(job),
                correction=job.args.get("correction", 0),
            )
    except ListRefused as refusal:
        raise JobFailed(str(refusal)) from refusal


@handles(PUBLISH, queue=LONG, page=_page)
def publish_list_job(job: ClaimedJob) -> None:
    try:
        with job.commit("Published."):
            publish_list(
                month=_month(job),
                digest=job.args["digest"],
                actor=_actor(job),
                reason=job.args["reason"],
                approved_by=User.objects.filter(
                    pk=job.args.get("approved_by") or 0
                ).first(),
            )
    except (ListRefused, NotAllowed) as refusal:
        raise JobFailed(str(refusal)) from refusal


def enqueue_counting() -> None:
    """Enqueue one count of the ratings at the next full five minutes."""
    now = timezone.now()
    due = (
        now + COUNT_INTERVAL - (now - datetime.min.replace(tzinfo=UTC)) % COUNT_INTERVAL
    )
    enqueue(COUNT, key=f"{due:%Y-%m-%d %H:%M}", wait=due - now)


@receiver(sections_rated)
@receiver(rerate_published)
@receiver(rerate_undone)
def recount_ratings(**_: Any) -> None:
    enqueue_counting()


@handles(register_nightly(COUNT), queue=LONG)
def count_ratings_job(job: ClaimedJob) -> None:
    """Count the ratings; nightly because of birthdays, moves and inactivity."""
    # After a large rerate, counting with stale statistics would take hours.
    analyze_tables(changed_only=True)
    with job.keep_alive(), job.commit("Counted."):
        count_ratings()


@receiver(list_published)
def enqueue_open_files(official_list: OfficialList, **_: Any) -> None:
    enqueue(OPEN_FILES, key=official_list.key, args={"list": official_list.pk})


@handles(register_nightly(OPEN_FILES), queue=LONG)
def make_open_files_job(job: ClaimedJob) -> None:
    """Make a list's open files; nightly those of a list without any."""
    chosen = (
        OfficialList.objects.filter(pk=job.args["list"]).first()
        if "list" in job.args
        else list_to_open()
    )
    with job.keep_alive():
        rows = open_file_rows(chosen) if chosen else []
    with job.commit():
        if chosen:
            store_open_files(chosen, rows)
