"""The nightly job of open data."""

from ratings.open_data.services import make_open_files
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles

MAKE_FILES = register_nightly("ratings.make_open_files")


@handles(MAKE_FILES, queue=LONG)
def make_open_files_job(job: ClaimedJob) -> None:
    make_open_files(job)
