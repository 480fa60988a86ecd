"""The job that accepts many reports."""

import hashlib
import json

from django.urls import reverse
from django.utils.translation import get_language, override

from events.models import Submission
from events.review.services.bulk_acceptance import bulk_accept
from ratings_site.common.jobs.queues import RATINGS
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles
from ratings_site.common.models import Job, User

ACCEPT_REPORTS = "events.accept_reports"


def enqueue_acceptance(versions: dict[int, int], reason: str, actor: User) -> Job:
    chosen = {str(pk): version for pk, version in sorted(versions.items())}
    # Sent twice, it is one job.
    digest = hashlib.sha256(json.dumps([actor.pk, chosen]).encode()).hexdigest()
    args = {
        "versions": chosen,
        "reason": reason,
        "actor": actor.pk,
        "language": get_language(),
    }
    return enqueue(ACCEPT_REPORTS, key=digest, args=args, actor=actor)


def _page(job: Job) -> str:
    return reverse("events:accepted_listed", args=[job.pk])


@handles(ACCEPT_REPORTS, queue=RATINGS, page=_page)
def accept_reports_job(job: ClaimedJob) -> None:
    """Accept the reports, and store why others were left out for the result page."""
    versions = {int(pk): version for pk, version in job.args["versions"].items()}
    actor = User.objects.get(pk=job.args["actor"])
    with override(job.args["language"]), job.keep_alive():
        done = bulk_accept(
            versions=versions,
            actor=actor,
            reason=job.args["reason"],
            on_progress=job.beat,
        )
    # What an earlier attempt or job of the same list accepted is not left out.
    accepted = set(
        Submission.objects.filter(
            pk__in=versions, state=Submission.State.ACCEPTED, decided_by=actor
        ).values_list("pk", flat=True)
    )
    left_out = {
        str(one.pk): one.sentence
        for one in done.ineligible_reports
        if one.pk not in accepted
    }
    with job.commit():
        args = job.args | {"left_out": left_out}
        Job.objects.filter(pk=job.id).update(args=args)
