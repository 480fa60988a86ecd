"""What the desk's pages show of a report: findings and tables.

Plain records ready to show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from events.checks.queries.exact import ExactMatch, exact_matches
from events.checks.queries.likely import likely_members
from events.checks.queries.members import members_of
from events.checks.queries.record import records_of
from events.checks.services import (
    MUST_BE_SETTLED,
    count_findings,
    recount,
    shown_findings,
)
from events.importers.findings import Place
from events.importers.key_in import columns_in
from events.importers.records import ReportedEvent
from events.models import FindingOverride, Submission
from events.reports.pages.findings import (
    CountChip,
    FindingGroup,
    Links,
    ShownFinding,
    count_chips,
    finding_line,
    findings_lines,
    groups_of,
    is_settled,
    marks_of_event,
)
from events.reports.pages.sections import SectionTable, dates_in_words, section_table
from events.reports.services.submissions import reported_in

# No event has as many; a page of more would be too heavy for a browser.
MOST_CELLS = 120_000


@dataclass(frozen=True, slots=True)
class ReportPage:
    """Everything the report's page shows that comes from the working copy."""

    reported: ReportedEvent
    findings: list[ShownFinding]
    groups: list[FindingGroup]
    hidden_findings: int
    chips: list[CountChip]
    blocking: int
    overrides: list[FindingOverride]
    sections: list[SectionTable]
    dates: str
    event_marks: dict[str, ShownFinding] = field(default_factory=dict)
    exact: list[ExactMatch] = field(default_factory=list)

    @property
    def is_wide(self) -> bool:
        """Tell whether a crosstable needs more than the usual width of a page."""
        return any(columns_in(part.section) > 9 for part in self.sections)


def report_page(submission: Submission, *, table_base: str | None = None) -> ReportPage:
    """Check the report and set its tables, with every listed finding at its place.

    *table_base* leads from the page to the report's own address, where it is short:
    fifty thousand cells each have a link.
    """
    report = reported_in(submission)
    links = Links(submission, table_base)
    overrides = list(submission.overrides.select_related("by").order_by("pk"))
    by_key = {override.finding_key: override for override in overrides}
    findings = shown_findings(submission)
    members = members_of(report)
    doubtful = [finding for finding in findings if finding.key not in by_key]
    lines = findings_lines(
        report,
        findings,
        by_key,
        links,
        records_of(report, members) if links.editable else {},
        likely_members(report, doubtful) if links.editable else {},
    )
    counts = count_findings(findings, by_key.keys())
    recount(submission, counts)
    entries = sum(len(section.entries) for section in report.sections)
    most_columns = MOST_CELLS // max(1, entries)
    return ReportPage(
        reported=report,
        findings=lines,
        groups=groups_of(lines, report),
        hidden_findings=len(findings) - len(lines),
        chips=count_chips(counts),
        blocking=sum(
            finding.severity in MUST_BE_SETTLED and not is_settled(finding, by_key)
            for finding in findings
        ),
        overrides=_unlisted(overrides, lines),
        sections=[
            section_table(report, section, lines, members, links, most_columns)
            for section in report.sections
        ],
        dates=dates_in_words(report.starts, report.ends),
        event_marks=marks_of_event(lines),
        exact=exact_matches(report) if links.editable else [],
    )


def _unlisted(
    overrides: Sequence[FindingOverride], lines: Sequence[ShownFinding]
) -> list[FindingOverride]:
    """Return the confirmations that do not stand beside their finding."""
    listed = {line.override.pk for line in lines if line.override}
    return [override for override in overrides if override.pk not in listed]


def findings_at(submission: Submission, place: Place) -> list[ShownFinding]:
    """Return what is odd about one part of a report, for the form that changes it."""
    links = Links(submission)
    return [
        finding_line(finding, links, None)
        for finding in shown_findings(submission)
        if not finding.place.file
        and finding.place.section == place.section
        and finding.place.pairing_number == place.pairing_number
        and finding.place.round_number == place.round_number
    ]
