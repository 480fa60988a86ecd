"""The nightly job that deletes uploads past their retention period."""

from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.uploads.services import delete_old_uploads

DELETE_OLD_UPLOADS = register_nightly("common.delete_old_uploads")


@handles(DELETE_OLD_UPLOADS, queue=LONG)
def delete_old_uploads_job(job: ClaimedJob) -> None:
    with job.keep_alive():
        deleted = delete_old_uploads()
    with job.commit(f"{deleted:,} files deleted."):
        pass
