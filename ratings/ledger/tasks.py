"""What the worker does for ratings."""

from events.books.jobs import RATE_SECTION, rating_job_key
from events.models import Section
from ratings.ledger.services.computing import UNRATABLE
from ratings.ledger.services.rating import rate_section
from ratings_site.common.jobs.services import ClaimedJob, JobFailed, enqueue, handles


def enqueue_rating(section: Section) -> None:
    enqueue(RATE_SECTION, key=rating_job_key(section), args={"section_id": section.pk})


@handles(RATE_SECTION)
def rate_section_job(job: ClaimedJob) -> None:
    try:
        with job.commit("Rated."):
            rate_section(section_id=job.args["section_id"])
    except UNRATABLE as error:
        raise JobFailed(str(error)) from error
