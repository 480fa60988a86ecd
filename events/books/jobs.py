"""What the job that rates a section is called, for those who queue it or watch it."""

from events.models import Section

RATE_SECTION = "ratings.rate_section"


def rating_job_key(section: Section) -> str:
    return f"section {section.pk}"
