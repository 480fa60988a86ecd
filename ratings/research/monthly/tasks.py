"""The nightly job of the monthly comparison."""

from django.utils import timezone

from ratings.research.monthly.services import due_month, request_monthly_comparison
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles

COMPARE = register_nightly("ratings.standing_comparison")


@handles(COMPARE, queue=LONG)
def monthly_comparison_job(job: ClaimedJob) -> None:
    """Request the month that is due, if it has not been requested."""
    with job.commit():
        request_monthly_comparison(due_month(timezone.localdate()))
