"""Edit the schedules of a section in a report."""

from collections.abc import Sequence

from events.formats.report import ReportedSchedule
from events.models import Submission
from events.records.services.schedules import schedules_in_words
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
    """Set the schedules of a section."""
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
