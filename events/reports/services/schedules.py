"""The schedules of a section, while its report is mended."""

from collections.abc import Sequence

from events.books.services.schedules import schedules_in_words
from events.importers.records import ReportedSchedule
from events.models import Submission
from events.reports.services.submissions import edit_report
from ratings_site.common.models import User


def set_schedules(
    *,
    submission_id: int,
    actor: User,
    version: int,
    section_number: int,
    schedules: Sequence[ReportedSchedule],
) -> Submission:
    """Say which rounds of a section were played on schedules of their own."""
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="schedules_changed",
        change=lambda report: report.with_section(
            section_number, schedules=tuple(schedules)
        ),
        facts={
            "section": section_number,
            "schedules": "; ".join(map(schedules_in_words, schedules)) or "none",
        },
    )
