"""What the worker finds again in reports that wait, since records change meanwhile."""

from uuid import uuid4

from events.checks.services import recount_what_waits
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.nightly import every_night
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles

RECOUNT = every_night("events.recount_findings")


def recount_soon() -> None:
    """Have the reports that wait looked at again, after a change to records.

    Each change has a job of its own: one that runs may have passed the report already.
    """
    enqueue(RECOUNT, key=f"change:{uuid4().hex}")


@handles(RECOUNT, lane=LONG)
def recount_job(job: ClaimedJob) -> None:
    """Look once for all changes up to now, however many members were merged."""
    due = job.due_too()
    recount_what_waits(lambda done, total: job.beat(done=done, total=total))
    with job.commit_several(due):
        pass
