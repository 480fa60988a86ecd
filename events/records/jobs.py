"""The kind of the job that rates a section."""

from events.models import Section

RATE_SECTION = "ratings.rate_section"


def rating_job_key(section: Section) -> str:
    return f"section {section.pk}"
