"""What the desk's pages show of a report: findings, tables, history.

Plain records ready to show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

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
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import AuditEntry

# No event has as many; a page of more would be too heavy for a browser.
MOST_CELLS = 120_000
LATEST_ACTS = 100
# The grid saves each result as its field is left. What one person types without a
# long break is one line of the history.
ENTRIES_READ = 1_000
LONG_BREAK = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the report's history."""

    at: datetime
    what: str
    why: str


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


# History

TYPED = "submission.cells_typed"
MOST_CELLS_SAID = 12
ACTS = {
    "received": gettext_lazy("{who} sent the files"),
    "begun": gettext_lazy("{who} began to type the report in"),
    "cells_typed": gettext_lazy("{who} typed results of section {section}"),
    "round_added": gettext_lazy("{who} added a round to section {section}"),
    "round_removed": gettext_lazy(
        "{who} took the empty last round out of section {section}"
    ),
    "entries_added": gettext_lazy("{who} added players to section {section}"),
    "entry_named": gettext_lazy(
        "{who} said who number {pairing_number} of section {section} is"
    ),
    "entry_removed": gettext_lazy(
        "{who} took number {pairing_number} out of section {section}"
    ),
    "sections_added": gettext_lazy("{who} added sections"),
    "section_deleted": gettext_lazy("{who} deleted the empty section {section}"),
    "columns_told": gettext_lazy("{who} said which column of the table is which"),
    "event_changed": gettext_lazy("{who} changed the event"),
    "section_changed": gettext_lazy("{who} changed section {section}"),
    "schedules_changed": gettext_lazy(
        "{who} changed the schedules of section {section}"
    ),
    "entry_changed": gettext_lazy(
        "{who} changed number {pairing_number} of section {section}"
    ),
    "cell_changed": gettext_lazy(
        "{who} changed number {pairing_number} of section {section} in round {round}"
    ),
    "record_used": gettext_lazy("{who} used the records of members"),
    "member_used": gettext_lazy(
        "{who} chose the member for number {pairing_number} of section {section}"
    ),
    "matches_taken": gettext_lazy("{who} took over the exact matches"),
    "newcomer_told": gettext_lazy(
        "{who} entered number {pairing_number} of section {section} as a new member"
    ),
    "newcomer_numbered": gettext_lazy("{who} gave a new member the number"),
    "finding_overridden": gettext_lazy("{who} confirmed a finding"),
    "submitted": gettext_lazy("{who} submitted the report to the office"),
    "taken": gettext_lazy("{who} took the report to decide it"),
    "given_back": gettext_lazy("{who} gave the report back to be decided by anybody"),
    "returned": gettext_lazy("{who} returned the report to the TD"),
    "accepted": gettext_lazy("{who} accepted the report"),
    "withdrawn": gettext_lazy("{who} withdrew the report"),
}
_IN_THE_SENTENCE = ("section", "pairing_number", "round", "both_sides", "occurrence")


def history_of(submission: Submission) -> list[Act]:
    """Return what was done with a report, the latest first."""
    runs: list[list[AuditEntry]] = []
    for entry in entries_about(submission)[:ENTRIES_READ]:
        if runs and _goes_on(entry, runs[-1][-1]):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return [_act(run) for run in runs[:LATEST_ACTS]]


def _goes_on(earlier: AuditEntry, later: AuditEntry) -> bool:
    """Tell whether two entries are one person's typing in one section."""
    return (
        earlier.action == later.action == TYPED
        and earlier.actor_id == later.actor_id
        and earlier.facts.get("section") == later.facts.get("section")
        and later.at - earlier.at < LONG_BREAK
    )


def _act(run: list[AuditEntry]) -> Act:
    entry = run[0]
    name = entry.action.partition(".")[2]
    # PostgreSQL keeps no order of its own in JSON.
    facts = {key: str(entry.facts[key]) for key in sorted(entry.facts)}
    if len(run) > 1:
        facts["cells"] = _cells_of(run)
    what = str(ACTS.get(name, "{who}: " + name.replace("_", " ")))
    facts_said = {key: facts.get(key, "?") for key in _IN_THE_SENTENCE}
    who = str(entry.actor) if entry.actor else _("The office’s worker")
    what = what.format(who=who, **facts_said)
    said = [
        f"{key.replace('_', ' ')}: {value or 'blank'}"
        for key, value in facts.items()
        if key not in _IN_THE_SENTENCE
    ]
    return Act(
        at=entry.at,
        what=f"{what} ({', '.join(said)})" if said else what,
        why=entry.reason,
    )


def _cells_of(run: list[AuditEntry]) -> str:
    """Return the cells typed, in the order in which they were."""
    cells = [str(entry.facts.get("cells", "")) for entry in reversed(run)]
    more = len(cells) - MOST_CELLS_SAID
    said = ", ".join(cells[:MOST_CELLS_SAID])
    return (
        _("{cells} and {more} more").format(cells=said, more=more) if more > 0 else said
    )
