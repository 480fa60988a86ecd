"""Background jobs of foreign events."""

from ratings.foreign.services import RATE_FOREIGN, rate_queued
from ratings_site.common.jobs.queues import RATINGS
from ratings_site.common.jobs.services import ClaimedJob, handles


@handles(RATE_FOREIGN, queue=RATINGS)
def rate_foreign_job(job: ClaimedJob) -> None:
    rate_queued(job)
