"""Jobs: making an export, and deleting old ones."""

from django.urls import reverse

from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import Job
from ratings_site.leaving.queries import EXPORT
from ratings_site.leaving.services.requests import (
    delete_expired_archives,
    make_archive,
)

DELETE_OLD_EXPORTS = register_nightly("site.delete_old_exports")


def _page(job: Job) -> str:
    return reverse("leaving:export")


@handles(EXPORT, queue=LONG, page=_page)
def export_office_job(job: ClaimedJob) -> None:
    make_archive(job)


@handles(DELETE_OLD_EXPORTS, queue=LONG)
def delete_old_exports_job(job: ClaimedJob) -> None:
    deleted = delete_expired_archives()
    with job.commit(f"{deleted:,} files deleted."):
        pass
