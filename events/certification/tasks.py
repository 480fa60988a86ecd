"""The nightly job that warns TDs of expiring certifications."""

from django.utils import timezone

from events.certification.services import warn_directors
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.services import ClaimedJob, handles

WARN_DIRECTORS = register_nightly("events.warn_directors")


@handles(WARN_DIRECTORS)
def warn_directors_job(job: ClaimedJob) -> None:
    with job.commit("TDs warned of expiring certifications."):
        warn_directors(timezone.localdate())
