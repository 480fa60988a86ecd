"""What the worker does every night for the standing comparison."""

from django.utils import timezone

from ratings.standing.services import ask_standing, due_month
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.nightly import every_night
from ratings_site.common.jobs.services import ClaimedJob, handles

COMPARE = every_night("ratings.standing_comparison")


@handles(COMPARE, lane=LONG)
def standing_job(job: ClaimedJob) -> None:
    """Ask for the month that is due; on most nights that was done long ago."""
    with job.commit():
        ask_standing(due_month(timezone.localdate()))
