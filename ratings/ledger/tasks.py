"""What the worker does for ratings."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from events.books.jobs import RATE_SECTION, rating_job_key
from events.models import Section
from ratings.ledger.services.order import in_rating_order
from ratings.ledger.services.sections import rate_sections
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.jobs.lanes import RATINGS
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles

# So many sections are committed together: more would keep others from the ratings.
MOST_AT_ONCE = 50


def enqueue_rating(section: Section) -> None:
    enqueue(RATE_SECTION, key=rating_job_key(section), args={"section_id": section.pk})


@handles(RATE_SECTION, lane=RATINGS)
def rate_section_job(job: ClaimedJob) -> None:
    """Rate what is due in rating order until this job is done.

    Reports that come in a burst would make each other late, rated as they were
    accepted. A job that has failed before is done by itself.
    """
    with job.kept_alive():
        while job.is_mine():
            with transaction.atomic():
                hold_ratings()
                jobs = job.due_too() if job.attempt == 1 else {job.id: job.args}
                _rate(job, _first_in_order(jobs))


def _first_in_order(jobs: Mapping[int, Mapping[str, Any]]) -> dict[int, int]:
    """Return the jobs to do next, by section."""
    by_section = {args["section_id"]: pk for pk, args in jobs.items()}
    first = in_rating_order(by_section)[:MOST_AT_ONCE]
    return {section: by_section[section] for section in first}


def _rate(job: ClaimedJob, jobs: Mapping[int, int]) -> None:
    with job.commit_several(jobs.values(), "Rated.") as several:
        sections = [section for section, pk in jobs.items() if pk in several.ids]
        faults = rate_sections(sections)
        several.faults = {
            jobs[section]: str(fault)
            for section, fault in faults.items()
            if section in sections
        }
