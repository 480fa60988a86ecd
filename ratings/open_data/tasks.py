"""What the worker does every night for open data."""

from ratings.open_data.services import make_open_files
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.nightly import every_night
from ratings_site.common.jobs.services import ClaimedJob, handles

MAKE_FILES = every_night("ratings.make_open_files")


@handles(MAKE_FILES, lane=LONG)
def make_open_files_job(job: ClaimedJob) -> None:
    make_open_files(job)
