"""What the worker does for ratings."""

from events.models import Section
from ratings.engine.rules import NoRuleInForce
from ratings.engine.time_controls import BadTimeControl, NotRatable
from ratings.services.rating import rate_section
from ratings_site.common.jobs import ClaimedJob, JobFailed, enqueue, handles

RATE_SECTION = "ratings.rate_section"


def enqueue_rating(section: Section) -> None:
    enqueue(RATE_SECTION, key=f"section {section.pk}", args={"section_id": section.pk})


@handles(RATE_SECTION)
def rate_section_job(job: ClaimedJob) -> None:
    try:
        with job.commit("Rated."):
            rate_section(section_id=job.args["section_id"])
    except (BadTimeControl, NotRatable, NoRuleInForce) as error:
        raise JobFailed(str(error)) from error
