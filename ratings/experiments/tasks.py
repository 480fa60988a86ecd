"""What the worker does for the laboratory."""

from ratings.experiments.plans import JOB_KIND
from ratings.experiments.services.running import work_on
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles


@handles(JOB_KIND, lane=LONG)
def experiment_job(job: ClaimedJob) -> None:
    work_on(experiment_id=job.args["experiment_id"], job=job)
