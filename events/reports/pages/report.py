"""Page data of a report: findings and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from events.checks.queries.exact_matches import ExactMatch, exact_matches
from events.checks.queries.likely_members import likely_members
from events.checks.queries.member_records import records_of
from events.checks.queries.members import members_of
from events.checks.services import (
    BLOCKING_SEVERITIES,
    Causes,
    cached_findings,
    count_findings,
    is_settled,
    update_finding_counts,
)
from events.formats.findings import Place, Severity
from events.formats.report import ReportedEvent
from events.formats.results_entry import column_count
from events.models import FindingOverride, Submission
from events.reports.pages.findings import (
    CountChip,
    FindingGroup,
    FixedEntry,
    Links,
    ShownFinding,
    count_chips,
    event_field_findings,
    findings_lines,
    fixed_entries,
    groups_of,
    inline_findings,
)
from events.reports.pages.sections import SectionTable, dates_in_words, section_table
from events.reports.services.submissions import reported_in
from players.models.name_viewer import name_viewer
from ratings_site.common.models import User

# No event has as many; more would be too heavy for a browser.
MAX_CELLS = 120_000


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The parts of the report's page that depend on the working copy."""

    reported: ReportedEvent
    findings: list[ShownFinding]
    groups: list[FindingGroup]
    hidden_findings: int
    chips: list[CountChip]
    blocking: int
    errors: int
    overrides: list[FindingOverride]
    sections: list[SectionTable]
    dates: str
    event_marks: dict[str, ShownFinding] = field(default_factory=dict)
    exact: list[ExactMatch] = field(default_factory=list)
    fixed: list[FixedEntry] = field(default_factory=list)
    can_fix: bool = False

    @property
    def is_wide(self) -> bool:
        """Return whether a crosstable needs more than the usual page width."""
        return any(column_count(part.section) > 9 for part in self.sections)


def report_page(
    submission: Submission, *, user: User | None = None, table_base: str | None = None
) -> ReportPage:
    """Check the report and build its tables, with the findings at their places.

    Clerks can fix entries of a report in review, so the page depends on the *user*.

    *table_base* is the relative URL from the page to the report, which is short: fifty
    thousand cells each have a link.
    """
    report = reported_in(submission)
    links = Links(submission, table_base, user)
    overrides = list(submission.overrides.select_related("by").order_by("pk"))
    by_key = {override.finding_key: override for override in overrides}
    findings = cached_findings(submission)
    members = members_of(report)
    causes = Causes(report)
    inline = inline_findings(findings, by_key, causes)
    lines = findings_lines(
        report,
        findings,
        by_key,
        links,
        causes,
        records_of(report, members) if links.can_fix else {},
        likely_members(report, inline) if links.can_fix else {},
    )
    counts = count_findings(findings, by_key.keys(), causes)
    unsettled = [
        finding
        for finding in findings
        if finding.severity in BLOCKING_SEVERITIES and not is_settled(finding, by_key)
    ]
    errors = [finding for finding in unsettled if finding.severity == Severity.ERROR]
    if name_viewer().sees_all:  # hidden names count as one
        update_finding_counts(submission, counts)
    entries = sum(len(section.entries) for section in report.sections)
    most_columns = MAX_CELLS // max(1, entries)
    return ReportPage(
        reported=report,
        findings=lines,
        groups=groups_of(lines, report),
        hidden_findings=len(findings) - len(lines),
        chips=count_chips(counts),
        blocking=causes.count(unsettled),
        errors=causes.count(errors),
        overrides=_unlisted(overrides, lines),
        sections=[
            section_table(report, section, lines, members, links, most_columns)
            for section in report.sections
        ],
        dates=dates_in_words(report.starts, report.ends),
        event_marks=event_field_findings(lines),
        exact=exact_matches(report) if links.editable else [],
        fixed=fixed_entries(report, links),
        can_fix=links.can_fix,
    )


def _unlisted(
    overrides: Sequence[FindingOverride], lines: Sequence[ShownFinding]
) -> list[FindingOverride]:
    """Return the overrides that are not shown with their finding."""
    listed = {line.override.pk for line in lines if line.override}
    return [override for override in overrides if override.pk not in listed]


def findings_at(
    submission: Submission, place: Place, user: User | None = None
) -> list[ShownFinding]:
    """Return the open findings on one part of a report, with fixes, for its form."""
    report = reported_in(submission)
    overrides = {one.finding_key: one for one in submission.overrides.all()}
    found = [
        finding
        for finding in cached_findings(submission)
        if not finding.place.file
        and finding.place.section == place.section
        and finding.place.pairing_number == place.pairing_number
        and finding.place.round_number == place.round_number
        and finding.key not in overrides
    ]
    return findings_lines(
        report,
        found,
        overrides,
        Links(submission, user=user),
        Causes(report),
        {},
        likely_members(report, found),
    )
