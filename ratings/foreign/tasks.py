"""What the worker does for foreign events."""

from ratings.foreign.services import RATE_FOREIGN, rate_queued
from ratings_site.common.jobs.lanes import RATINGS
from ratings_site.common.jobs.services import ClaimedJob, handles


@handles(RATE_FOREIGN, lane=RATINGS)
def rate_foreign_job(job: ClaimedJob) -> None:
    rate_queued(job)
