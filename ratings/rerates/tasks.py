"""What the worker does for rerates."""

from ratings.rerates.services.approving import publish_approved
from ratings.rerates.services.running import work_on
from ratings.rerates.services.starting import JOB_KIND as RERATE
from ratings.rerates.services.starting import PUBLISH, UNDO
from ratings.rerates.services.undoing import undo_asked
from ratings.rerates.services.what_if import WHAT_IF, answer
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles


@handles(RERATE, lane=LONG)
def rerate_job(job: ClaimedJob) -> None:
    work_on(run_id=job.args["run_id"], job=job)


@handles(PUBLISH, lane=LONG)
def publish_job(job: ClaimedJob) -> None:
    publish_approved(run_id=job.args["run_id"], preview=job.args["preview"], job=job)


@handles(UNDO, lane=LONG)
def undo_job(job: ClaimedJob) -> None:
    undo_asked(run_id=job.args["run_id"], by_two=job.args["by_two"], job=job)


@handles(WHAT_IF, lane=LONG)
def what_if_job(job: ClaimedJob) -> None:
    answer(run_id=job.args["run_id"], job=job)
