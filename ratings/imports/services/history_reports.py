"""The reports of an archive, read one at a time: what the dry run keeps of them."""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import Self

from django.utils.translation import override

from events.checks.queries.fide_members import with_members
from events.formats.archive import BadArchive, ReportArchive
from events.formats.checks.report import check_report
from events.formats.findings import Finding, Place, Severity, make_finding
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.report_reader import ReadResult
from events.reports.services.file_reader import read_files
from events.reports.services.submissions import digest_of
from players.formats.errors import InputRefused, Reason
from players.models import Intake
from ratings.previews.reports.queries.openings import check_openings
from ratings_site.common.uploads.services import local_upload

# Errors that matter for current reports only: past events need no TD, and are not rated
# by time control or type. Missing member IDs are reported in a sentence of their own.
IGNORED_ERRORS = frozenset(
    {
        "event.affiliate_missing",
        "event.affiliate_malformed",
        "event.chief_td_missing",
        "event.td_malformed",
        "event.section_count",
        "section.td_malformed",
        "section.time_control_missing",
        "section.kind_missing",
        "section.kind_unknown",
        "section.last_pairing_number",
        "schedule.time_control_missing",
        "entry.member_id_missing",
        "entry.member_id_malformed",
        "entry.foreign_rating",
    }
)
# Findings that a TD could confirm on the site, and those of a folder or an archive that
# has more than one report. In an import, they are errors.
OTHER_REPORT_ERRORS = frozenset({"file.ignored", "file.other_event"})


@dataclass(frozen=True, slots=True)
class SectionSummary:
    """The players of a section: member ID, pairing number and name."""

    number: int
    name: str
    players: tuple[tuple[str, int, str], ...]

    @classmethod
    def of(cls, section: ReportedSection) -> Self:
        players = []
        for entry in section.entries:
            member_id = entry.member_id if entry.member_id.strip("0") else ""
            players.append((member_id, entry.pairing_number, entry.name))
        return cls(section.number, section.name[:80], tuple(players))

    def unknown(self, known: Collection[str]) -> list[str]:
        """Return the players without a known ID, in words."""
        return [
            f"{number}. {name} ({member_id})" if member_id else f"{number}. {name}"
            for member_id, number, name in self.players
            if member_id not in known
        ]


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """The data of a report that the dry run keeps, without files and entries."""

    line: int
    file: str
    digest: str = ""
    name: str = ""
    starts: date = date.min
    ends: date = date.min
    affiliate_id: str = ""
    sections: tuple[SectionSummary, ...] = ()
    reason: Reason | None = None
    # The reason if imported ratings already include it.
    held: Reason | None = None

    @property
    def players(self) -> set[tuple[str, str]]:
        """The players by member ID, or else by name."""
        return {
            (member_id, "" if member_id else name)
            for section in self.sections
            for member_id, _, name in section.players
        }

    @property
    def member_ids(self) -> set[str]:
        return {member_id for member_id, _ in self.players if member_id}

    def unknown(self, known: Collection[str]) -> list[str]:
        """Return the players without a known ID, in words, each once."""
        named = (one for section in self.sections for one in section.unknown(known))
        return list(dict.fromkeys(named))


@dataclass(frozen=True, slots=True)
class UnpackedReport:
    """A report with its files. Only one is in memory at a time."""

    summary: ReportSummary
    files: Sequence[tuple[str, bytes]] = ()
    result: ReadResult | None = None


@contextmanager
def archive_of(intake: Intake) -> Iterator[ReportArchive]:
    with local_upload(intake.stored_as) as path:
        try:
            archive = ReportArchive(path, intake.file_name)
        except BadArchive as bad:
            raise _faulty([make_finding(bad.name, Place(), **bad.values)]) from bad
        with archive:
            if not archive.bundles:
                raise InputRefused("archive_is_empty")
            yield archive


def _faulty(faults: Sequence[Finding]) -> InputRefused:
    first = json.dumps(faults[0].to_json())
    if len(faults) == 1:
        return InputRefused("report_faulty", finding=first)
    return InputRefused("report_has_faults", faults=len(faults), finding=first)


def unpack(archive: ReportArchive, line: int, affiliate_id: str) -> UnpackedReport:
    """Read the report with this number; an error becomes the reason for refusal."""
    bundle = archive.bundles[line - 1]
    summary = ReportSummary(line, bundle.name)
    try:
        files = archive.files_of(bundle)
    except BadArchive as bad:
        fault = make_finding(bad.name, Place(), **bad.values)
        return UnpackedReport(replace(summary, reason=_faulty([fault]).reason))
    summary = replace(summary, digest=digest_of(files))
    result = read_files(files)
    if result.reported is None:
        return UnpackedReport(replace(summary, reason=_faulty(_errors(result)).reason))
    reported = with_members(result).reported or result.reported
    if not reported.affiliate_id.strip():
        reported = reported.with_event(affiliate_id=affiliate_id)
    result = replace(result, reported=reported)
    return UnpackedReport(_summarize(summary, result, reported), files, result)


def _errors(result: ReadResult) -> list[Finding]:
    """Return the errors that prevent showing a report."""
    findings = list(result.findings)
    if result.reported is not None:
        with override(None):
            findings += check_report(result.reported)
    return [
        one
        for one in findings
        if one.code in OTHER_REPORT_ERRORS
        or (one.severity is Severity.ERROR and one.code not in IGNORED_ERRORS)
    ]


def _summarize(
    summary: ReportSummary, result: ReadResult, reported: ReportedEvent
) -> ReportSummary:
    errors = _errors(result)
    with override(None):
        held = list(check_openings(reported))
    return replace(
        summary,
        name=reported.name[:80],
        starts=reported.starts or date.min,
        ends=reported.ends or date.min,
        affiliate_id=reported.affiliate_id.strip(),
        sections=tuple(map(SectionSummary.of, reported.sections)),
        reason=_faulty(errors).reason if errors else None,
        held=_faulty(held).reason if held else None,
    )
