"""The job that checks pending reports again after records have changed."""

from uuid import uuid4

from events.checks.services import recount_pending_reports
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles

RECOUNT = register_nightly("events.recount_findings")


def enqueue_recount() -> None:
    """Queue a recount of pending reports after a change to records.

    Each change gets its own job: one that runs may have passed the report already.
    """
    enqueue(RECOUNT, key=f"change:{uuid4().hex}")


@handles(RECOUNT, queue=LONG)
def recount_job(job: ClaimedJob) -> None:
    """Recount once for all changes so far, however many members were merged."""
    due = job.due_jobs()
    recount_pending_reports(lambda done, total: job.beat(done=done, total=total))
    with job.commit_batch(due):
        pass
