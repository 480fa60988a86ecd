"""The next step after an upload that lacks facts, or after results are entered."""

from typing import Any

from django.urls import reverse

from events.checks.services import findings_of
from events.formats.dbf.layout_2c import Role
from events.formats.findings import Severity
from events.formats.report import ReportedEvent, ReportedSection
from events.models import Submission
from events.reports.services.submissions import reported_in

# The query parameter of the forms for missing facts.
FACTS = "facts"
COLUMNS_UNKNOWN = "table.columns_unknown"
LEGACY = "file.legacy_layout"

_EVENT_FACTS = ("name", "starts", "ends", "affiliate_id", "chief_td_id")
_SECTION_FACTS = ("name", "time_control", "kind_letter", "rounds")


def asks_for_columns(submission: Submission) -> bool:
    """Return whether the TD must assign the columns of a table."""
    return _has_finding(submission, COLUMNS_UNKNOWN)


def _has_finding(submission: Submission, code: str) -> bool:
    return any(fact["code"] == code for fact in submission.reader_findings)


def next_upload_step(submission: Submission) -> str:
    """Return the next page: the columns, a missing fact, or the report.

    The three files of a report have every fact; missing ones are findings.
    """
    if asks_for_columns(submission):
        return reverse("events:columns", args=[submission.pk])
    files = submission.files.filter(replaced_at=None)
    complete = any(file.role in set(Role) for file in files)
    if complete and not _has_finding(submission, LEGACY):
        return submission.get_absolute_url()
    return step_to_facts(submission)


def step_to_facts(submission: Submission) -> str:
    """Return the URL of the form for the next missing fact, or of the report."""
    report = reported_in(submission)
    if _lacks(report, _EVENT_FACTS):
        address = reverse("events:edit_event", args=[submission.pk])
        return f"{address}?{FACTS}=1"
    for section in report.sections:
        if _lacks(section, _SECTION_FACTS):
            address = reverse(
                "events:edit_section", args=[submission.pk, section.number]
            )
            return f"{address}?{FACTS}=1"
    return submission.get_absolute_url()


def step_to_submit(submission: Submission) -> str:
    """Return the URL of the summary, or of the report if it has issues to look at."""
    found = {finding.severity for finding in findings_of(submission)}
    if found <= {Severity.NOTE}:
        return reverse("events:submit", args=[submission.pk])
    return submission.get_absolute_url()


def _lacks(record: ReportedEvent | ReportedSection, fields: tuple[str, ...]) -> bool:
    values: list[Any] = [getattr(record, field) for field in fields]
    return not all(values)
