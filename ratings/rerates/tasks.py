"""Background jobs of rerates."""

from django.urls import reverse

from ratings.rerates.services.execution import publish_approved, run_rerate
from ratings.rerates.services.start import JOB_KIND as RERATE
from ratings.rerates.services.start import PUBLISH, UNDO
from ratings.rerates.services.undo import run_undo
from ratings.rerates.services.what_if import WHAT_IF, run_what_if
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import Job


def _page(job: Job) -> str:
    return reverse("ratings:office_rerate", args=[job.key])


@handles(RERATE, queue=LONG, page=_page)
def rerate_job(job: ClaimedJob) -> None:
    run_rerate(run_id=job.args["run_id"], job=job)


@handles(PUBLISH, queue=LONG, page=_page)
def publish_job(job: ClaimedJob) -> None:
    publish_approved(run_id=job.args["run_id"], preview=job.args["preview"], job=job)


@handles(UNDO, queue=LONG, page=_page)
def undo_job(job: ClaimedJob) -> None:
    run_undo(run_id=job.args["run_id"], by_two=job.args["by_two"], job=job)


@handles(WHAT_IF, queue=LONG)
def what_if_job(job: ClaimedJob) -> None:
    run_what_if(run_id=job.args["run_id"], job=job)
