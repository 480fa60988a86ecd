"""The nightly job of norm titles."""

from django.utils import timezone

from ratings.decisions.floors.services.titles import record_titles
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles

RECORD_TITLES = register_nightly("ratings.record_titles")


@handles(RECORD_TITLES, queue=LONG)
def record_titles_job(job: ClaimedJob) -> None:
    with job.keep_alive(), job.commit():
        record_titles(now=timezone.now())
