"""Background jobs of ratings."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from events.models import Section
from events.records.jobs import RATE_SECTION, rating_job_key
from ratings.ledger.services.rating_order import in_rating_order
from ratings.ledger.services.sections import rate_sections
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.jobs.queues import RATINGS
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles

# How many sections are committed together: more would hold the lock too long.
MAX_BATCH_SIZE = 50


def enqueue_rating(section: Section) -> None:
    enqueue(RATE_SECTION, key=rating_job_key(section), args={"section_id": section.pk})


@handles(RATE_SECTION, queue=RATINGS)
def rate_section_job(job: ClaimedJob) -> None:
    """Rate due sections in rating order until this job is done.

    Reports that arrive in a burst would make each other late if they were rated as they
    were accepted. A job that has failed before is done alone.
    """
    with job.keep_alive():
        while job.is_still_claimed():
            with transaction.atomic():
                lock_ratings()
                jobs = job.due_jobs() if job.attempt == 1 else {job.id: job.args}
                _rate(job, _first_in_order(jobs))


def _first_in_order(jobs: Mapping[int, Mapping[str, Any]]) -> dict[int, int]:
    """Return the jobs to do next, by section."""
    by_section = {args["section_id"]: pk for pk, args in jobs.items()}
    first = in_rating_order(by_section)[:MAX_BATCH_SIZE]
    return {section: by_section[section] for section in first}


def _rate(job: ClaimedJob, jobs: Mapping[int, int]) -> None:
    with job.commit_batch(jobs.values(), "Rated.") as several:
        sections = [section for section, pk in jobs.items() if pk in several.ids]
        faults = rate_sections(sections)
        several.faults = {
            jobs[section]: str(fault)
            for section, fault in faults.items()
            if section in sections
        }
