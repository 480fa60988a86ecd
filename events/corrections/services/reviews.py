"""The effects of a proposed correction: differences and findings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from events.checks.queries.office_records import check_against_records
from events.checks.services import can_be_overridden
from events.corrections.changes import Change, InvalidChange, changed_document
from events.formats.checks.report import check_report
from events.formats.findings import Finding, Severity, in_order
from events.formats.report import Cell, ReportedEntry, ReportedEvent
from events.models import CorrectionRequest, Section
from events.models.documents import Difference, RoundCell, SectionDocument, diff
from events.records.exports import (
    DOUBLE_CODES,
    ONE_SIDED,
    UNPAIRED,
    event_report,
    section_report,
)
from events.records.section_rater import section_rater
from events.records.services.versions import document_of
from players.models import Player


@dataclass(frozen=True, slots=True)
class Review:
    """A change to the current version of a section, with its findings.

    *problems* forbid it; *warnings* are findings that the section does not have now;
    *remarks* are events since the request was made.
    """

    before: SectionDocument
    after: SectionDocument
    differences: tuple[Difference, ...]
    problems: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def is_possible(self) -> bool:
        return not self.problems


def review(section: Section, kind: str, change: Change) -> Review:
    """Try a change on the current version of the section without saving it."""
    before = document_of(section)
    try:
        after = changed_document(before, kind, change, find_member=_find_member)
    except InvalidChange as refusal:
        return Review(before, before, (), problems=(str(refusal),))
    differences = tuple(diff(before, after))
    if not differences:
        return Review(
            before, after, (), problems=(_("The section already says this."),)
        )
    known = {(f.key, f.message) for f in _findings(section, before)}
    new = [
        finding
        for finding in _findings(section, after)
        if (finding.key, finding.message) not in known
    ]
    return Review(
        before,
        after,
        differences,
        problems=tuple(str(f) for f in new if not can_be_overridden(f)),
        warnings=tuple(
            f for f in new if can_be_overridden(f) and f.severity != Severity.NOTE
        ),
    )


def review_request(request: CorrectionRequest) -> Review:
    """Try a request's change now, and list what has happened since."""
    section = request.section
    result = review(section, request.kind, request.change)
    if section.version == request.seen_version:
        return result
    asked = [tuple(line) for line in request.difference]
    now = [tuple(line.to_json()) for line in result.differences]
    if not result.problems and asked == now:
        remark = _(
            "The section was corrected since this request (now version {version}). "
            "The request still fits."
        ).format(version=section.version)
        return replace(result, remarks=(remark,))
    problem = _(
        "The section was corrected since this request (now version {version}), and the "
        "request would now do something else. Change the request, or decline it."
    ).format(version=section.version)
    return replace(result, problems=(problem, *result.problems))


def _find_member(member_id: str) -> int | None:
    found = Player.objects.filter(member_id=member_id).values_list("pk", flat=True)
    return found.first()


def _findings(section: Section, document: SectionDocument) -> Sequence[Finding]:
    """Return the findings of the report checks on the document."""
    report = reported_event(section, document)
    found = [
        *check_report(report),
        *check_against_records(report, submission=section.event.submission),
    ]
    found += section_rater().check_report(report)
    return in_order(dict.fromkeys(found))


def reported_event(section: Section, document: SectionDocument) -> ReportedEvent:
    """Return the document as a report of this section only."""
    officials = [
        (None if line.scope == "event" else section.number, line.role, line.member_id)
        for line in document.officials
    ]
    entries = [
        ReportedEntry(
            pairing_number=entry.number,
            member_id=entry.member_id,
            name=entry.name,
            state=entry.state,
            rating=entry.rating,
            cells=tuple(
                _report_cell(document.cell(entry.number, round_number))
                for round_number in range(1, document.rounds + 1)
            ),
        )
        for entry in document.entries
    ]
    sections = [section_report(section, document, entries, officials)]
    return replace(
        event_report(section.event, sections, officials),
        name=document.event_name,
        starts=document.starts,
        ends=document.ends,
        city=document.city,
        state=document.state,
    )


def _report_cell(cell: RoundCell) -> Cell:
    if cell.unplayed:
        return Cell(cell.unplayed, cell.opponent)
    if not cell.outcomes:
        return UNPAIRED
    return Cell(_code(cell), cell.opponent, cell.color)


def _code(cell: RoundCell) -> str:
    if len(cell.outcomes) > 1:
        return DOUBLE_CODES[cell.outcomes]
    return cell.outcomes if cell.is_mirrored else ONE_SIDED[cell.outcomes]
