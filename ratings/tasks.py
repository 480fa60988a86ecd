"""What the worker does for ratings."""

from events.books.jobs import RATE_SECTION, rating_job_key
from events.models import Section
from ratings.services.computing import UNRATABLE
from ratings.services.rating import rate_section
from ratings.services.rerates.running import work_on
from ratings.services.rerates.starting import JOB_KIND as RERATE
from ratings.services.rerates.what_if import WHAT_IF, answer
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


@handles(RERATE)
def rerate_job(job: ClaimedJob) -> None:
    work_on(run_id=job.args["run_id"], job=job)


@handles(WHAT_IF)
def what_if_job(job: ClaimedJob) -> None:
    answer(run_id=job.args["run_id"], job=job)
