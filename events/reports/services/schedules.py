"""Edit the schedules of a section in a report."""

from collections.abc import Sequence
from typing import Unpack

from events.formats.report import ReportedSchedule
from events.models import Submission
from events.records.services.schedules import schedules_in_words
from events.reports.services.submissions import Editing, edit_report


def set_schedules(
    *,
    section_number: int,
    schedules: Sequence[ReportedSchedule],
    **editing: Unpack[Editing],
) -> Submission:
    """Set the schedules of a section."""
    return edit_report(
        **editing,
        what="schedules_changed",
        change=lambda report: report.with_section(
            section_number, schedules=tuple(schedules)
        ),
        facts={
            "section": section_number,
            "schedules": "; ".join(map(schedules_in_words, schedules)) or "none",
        },
    )
