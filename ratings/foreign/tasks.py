"""Background jobs of foreign events."""

from django.urls import reverse

from ratings.foreign.services import RATE_FOREIGN, rate_queued
from ratings_site.common.jobs.queues import RATINGS
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import Job


def _page(job: Job) -> str:
    return reverse("ratings:foreign_job", args=[job.pk])


@handles(RATE_FOREIGN, queue=RATINGS, page=_page)
def rate_foreign_job(job: ClaimedJob) -> None:
    rate_queued(job)
