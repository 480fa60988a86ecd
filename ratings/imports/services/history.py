"""Import past events from an archive of reports; they are never rated.

Events before the first day of our own ratings are shown with the numbers of their
reports. Reports from that day on go to the office's queue as if a TD had sent them: a
second person accepts them, and their sections are rated in order.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Self

from django.db.models import Min, Model
from django.utils import timezone
from django.utils.translation import override

from events.checks.queries.fide_members import with_members
from events.checks.services import blocking_findings
from events.formats.archive import BadArchive, ReportArchive
from events.formats.checks.report import check_report
from events.formats.findings import Finding, Place, Severity, make_finding
from events.formats.report import ReportedEvent
from events.formats.report_reader import ReadResult
from events.models import (
    Affiliate,
    Entry,
    Event,
    EventOfficial,
    Game,
    PackedSection,
    Schedule,
    Section,
    Submission,
    UnplayedRound,
)
from events.records.exceptions import NotPossible
from events.reports.services.file_reader import read_files
from events.reports.services.submissions import (
    digest_of,
    receive_submission,
    submit_report,
    withdraw_report,
)
from events.review.services.acceptance import import_report
from players.formats.errors import InputRefused, Reason
from players.imports.kinds import ApplyRefused, ProgressCallback
from players.imports.services.staging import UNCHANGED, RowResult, refused, stage
from players.models import Intake, IntakeRow, Player
from ratings.engine.systems import System
from ratings.models import OpeningEntry, PublishedRating
from ratings.previews.reports.queries.openings import check_openings
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.models import User
from ratings_site.common.uploads.services import local_upload

# Reports between two heartbeats.
REPORT_BATCH_SIZE = 20
EVENT_BATCH_SIZE = 50
PLAYERS_NAMED = 5
AS_REPORTED = "The report itself"
# Systems by the letter of a report, over the board and online. Default: Regular.
SYSTEMS = {
    "R": (System.OTBR, System.OLR),
    "Q": (System.OTBQ, System.OLQ),
    "B": (System.OTBB, System.OLB),
}
# Outcomes for a report.
IMPORTED, QUEUED = "imported", "queued"
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
# The models that are created and deleted with an event.
EVENT_MODELS: tuple[type[Model], ...] = (
    Section,
    EventOfficial,
    Entry,
    Game,
    UnplayedRound,
    PackedSection,
    Schedule,
    PublishedRating,
)


# Reading an archive


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
    sections: int = 0
    players: int = 0
    # The players: names by member ID, and names without one.
    names: dict[str, str] = field(default_factory=dict)
    without_id: tuple[str, ...] = ()
    reason: Reason | None = None
    # The reason if imported ratings already include it.
    held: Reason | None = None


@dataclass(frozen=True, slots=True)
class UnpackedReport:
    """A report with its files. Only one is in memory at a time."""

    summary: ReportSummary
    files: Sequence[tuple[str, bytes]] = ()
    result: ReadResult | None = None


@contextmanager
def _archive_of(intake: Intake) -> Iterator[ReportArchive]:
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


def _unpack(archive: ReportArchive, line: int, affiliate_id: str) -> UnpackedReport:
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
    entries = [entry for section in reported.sections for entry in section.entries]
    errors = _errors(result)
    with override(None):
        held = list(check_openings(reported))
    return replace(
        summary,
        name=reported.name[:80],
        starts=reported.starts or date.min,
        ends=reported.ends or date.min,
        affiliate_id=reported.affiliate_id.strip(),
        sections=len(reported.sections),
        players=len({entry.member_id or entry.name for entry in entries}),
        names={one.member_id: one.name for one in entries if one.member_id.strip("0")},
        without_id=tuple(
            one.name or str(one.pairing_number)
            for one in entries
            if not one.member_id.strip("0")
        ),
        reason=_faulty(errors).reason if errors else None,
        held=_faulty(held).reason if held else None,
    )


# The dry run


@dataclass(slots=True)
class _Reports:
    """Makes an archive look like a table and a source of rows to ``stage``."""

    archive: ReportArchive
    affiliate_id: str
    size: int
    headings: list[str] = field(default_factory=lambda: ["File", "Event"])
    passed_over: list[str] = field(default_factory=list)
    share: float = 0.0
    sheet: str = ""
    others: Sequence[str] = ()

    @property
    def source(self) -> Self:
        return self

    def __iter__(self) -> Iterator[ReportSummary]:
        for line, bundle in enumerate(self.archive.bundles, start=1):
            packed = sum(one.compress_size for one in bundle.members)
            self.share += packed / max(1, self.size)
            yield _unpack(self.archive, line, self.affiliate_id).summary


def read(intake: Intake, beat: ProgressCallback) -> None:
    """Stage the outcome of each report in an archive."""
    affiliate_id = intake.options.get("affiliate", "")
    if affiliate_id and affiliate_id not in _affiliates([affiliate_id]):
        raise InputRefused("affiliate_unknown", cell=affiliate_id)
    intake.on_record = Event.objects.count()
    checker = _RowChecker(_ours_from(intake))
    with _archive_of(intake) as archive:
        reports = _Reports(archive, affiliate_id, intake.size)
        stage(
            intake,
            reports,  # type: ignore[arg-type]
            iter(reports),
            checker.judged,
            beat,
            chunk=REPORT_BATCH_SIZE,
        )
    intake.totals = {"history": dict(checker.becomes)}


def _ours_from(intake: Intake) -> date | None:
    day = intake.options.get("ours_from")
    return date.fromisoformat(day) if day else None


@dataclass(slots=True)
class _RowChecker:
    """Checks reports against the records, and against the reports before them."""

    ours_from: date | None
    lines: dict[str, int] = field(default_factory=dict)
    becomes: Counter[str] = field(default_factory=Counter)

    def judged(self, reports: Iterable[ReportSummary]) -> list[RowResult]:
        reports = list(reports)
        records = _Records(reports)
        return [self._judge(one, records) for one in reports]

    def _judge(self, summary: ReportSummary, records: "_Records") -> RowResult:
        if summary.digest and summary.digest in records.digests:
            return RowResult(UNCHANGED, summary.line, "")
        try:
            becomes = self._refuse(summary, records)
        except InputRefused as refusal:
            cells = filter(None, (summary.file, summary.name))
            return refused(summary.line, "", cells, refusal.reason)
        self.becomes[becomes] += 1
        values = {
            "name": summary.name,
            "file": summary.file,
            "starts": summary.starts.isoformat(),
            "sections": summary.sections,
            "players": summary.players,
            "becomes": becomes,
        }
        return RowResult(
            IntakeRow.Kind.NEW, summary.line, summary.ends.isoformat(), values
        )

    def _refuse(self, summary: ReportSummary, records: "_Records") -> str:
        """Return the outcome for a report. Raises InputRefused."""
        first = self.lines.setdefault(
            summary.digest or f":{summary.line}", summary.line
        )
        if first != summary.line:
            raise InputRefused("report_twice", line=first)
        unknown = [
            f"{name} ({member_id})"
            for member_id, name in summary.names.items()
            if member_id not in records.players
        ]
        if without := [*summary.without_id, *unknown]:
            named = "; ".join(without[:PLAYERS_NAMED])
            raise InputRefused("players_unknown", players=named, number=len(without))
        if summary.reason is not None:
            raise InputRefused(summary.reason.code, **summary.reason.values)
        if summary.ends > timezone.localdate():
            raise InputRefused("event_to_come", cell=summary.ends.isoformat())
        if not summary.affiliate_id:
            raise InputRefused("report_without_affiliate")
        if summary.affiliate_id not in records.affiliates:
            raise InputRefused("affiliate_unknown", cell=summary.affiliate_id)
        if self.ours_from is None and (day := records.own_ratings_since(summary)):
            raise InputRefused("event_of_our_time", cell=day.isoformat())
        if self.ours_from is None or summary.ends < self.ours_from:
            return IMPORTED
        if summary.held is not None:
            raise InputRefused(summary.held.code, **summary.held.values)
        return QUEUED


class _Records:
    """The records that concern some reports (five queries)."""

    def __init__(self, reports: Sequence[ReportSummary]) -> None:
        self.digests = set(
            Submission.objects.filter(
                content_digest__in=[one.digest for one in reports if one.digest]
            )
            .exclude(state=Submission.State.WITHDRAWN)
            .values_list("content_digest", flat=True)
        )
        ids = {member_id for one in reports for member_id in one.names}
        self.players = dict(
            Player.objects.filter(member_id__in=ids).values_list("member_id", "pk")
        )
        self.affiliates = _affiliates(one.affiliate_id for one in reports)
        openings = OpeningEntry.objects.filter(player__in_array=self.players.values())
        self.openings = dict(
            openings.order_by("-as_of").values_list("player_id", "as_of")
        )
        rated = Section.objects.filter(status=Section.Status.RATED)
        self.first_rated = rated.aggregate(day=Min("ends"))["day"]

    def own_ratings_since(self, summary: ReportSummary) -> date | None:
        """Return the first day of our own ratings, if it is before the event's end."""
        players = (self.players[member_id] for member_id in summary.names)
        days = [self.first_rated, *(self.openings.get(one) for one in players)]
        first = min(filter(None, days), default=None)
        return first if first and first < summary.ends else None


def _affiliates(affiliate_ids: Iterable[str]) -> set[str]:
    rows = Affiliate.objects.filter(affiliate_id__in=set(affiliate_ids))
    return set(rows.values_list("affiliate_id", flat=True))


# Entering and undoing


def apply(intake: Intake, actor: User | None) -> dict[str, Any]:
    """Create the events, and send the reports of our own time to the queue."""
    if actor is None:
        raise ApplyRefused("report_needs_a_person")
    acquire_lock(intake.kind)
    rows = list(intake.rows.filter(kind=IntakeRow.Kind.NEW).order_by("key", "line"))
    with _archive_of(intake) as archive:
        for row in rows:
            report = _unpack(archive, row.line, intake.options.get("affiliate", ""))
            _refuse_changed(intake, row, report.summary)
            try:
                entered = _enter(row, report, intake.received_by or actor, actor)
            except NotPossible as refusal:
                raise ApplyRefused(
                    "report_not_entered", cell=report.summary.file, refusal=refusal
                ) from refusal
            row.values["report"] = entered.pk
    IntakeRow.objects.bulk_update(rows, ["values"], batch_size=500)
    return dict(Counter(row.values["becomes"] for row in rows))


def _refuse_changed(intake: Intake, row: IntakeRow, summary: ReportSummary) -> None:
    (judged,) = _RowChecker(_ours_from(intake)).judged([summary])
    if judged.values != row.values:
        raise ApplyRefused("record_changed_since", cell=summary.file, line=row.line)


def _enter(
    row: IntakeRow, report: UnpackedReport, sender: User, actor: User
) -> Submission:
    """Import or submit one report. Neither its sender nor *actor* can accept it."""
    result = report.result
    if row.values["becomes"] == IMPORTED and result and result.reported:
        event = import_report(actor=actor, files=report.files, result=result)
        _save_printed_ratings(event, result.reported)
        return event.submission
    submission = receive_submission(actor=sender, files=report.files)
    if not blocking_findings(submission, submission.found):
        return submit_report(submission_id=submission.pk, actor=actor)
    return submission


def _save_printed_ratings(event: Event, reported: ReportedEvent) -> None:
    """Save the ratings after the event that the report prints."""
    after = {
        (section.number, entry.pairing_number): entry.rating_after
        for section in reported.sections
        for entry in section.entries
        if entry.rating_after.isdecimal()
    }
    if not after:
        return
    entries = Entry.objects.filter(section__event=event).select_related("section")
    PublishedRating.objects.bulk_create(
        PublishedRating(
            entry=entry,
            system=_system_of(entry.section),
            post_rating=int(after[entry.section.number, entry.pairing_number]),
            source=AS_REPORTED,
        )
        for entry in entries
        if (entry.section.number, entry.pairing_number) in after
    )


def _system_of(section: Section) -> System:
    over_the_board, online = SYSTEMS.get(section.reported_system, SYSTEMS["R"])
    return online if section.is_online else over_the_board


def undo(intake: Intake, actor: User | None) -> None:
    """Delete the events and withdraw the reports, unless something depends on them."""
    acquire_lock(intake.kind)
    rows = intake.rows.filter(kind=IntakeRow.Kind.NEW)
    reports = [values["report"] for values in rows.values_list("values", flat=True)]
    for start in range(0, len(reports), EVENT_BATCH_SIZE):
        _remove_events(reports[start : start + EVENT_BATCH_SIZE], actor)


def _remove_events(reports: Sequence[int], actor: User | None) -> None:
    submissions = Submission.objects.filter(pk__in=reports)
    events = {one.submission_id: one for one in _events_of(reports)}
    for submission in submissions.select_for_update().order_by("pk"):
        if submission.pk not in events:
            withdraw_report(
                submission_id=submission.pk,
                actor=actor,  # type: ignore[arg-type]
                reason="Undone.",
            )
    _refuse_rated(events.values())
    _refuse_referenced(events.values())
    Event.objects.filter(submission__in=reports).delete()
    submissions.filter(pk__in=events).update(state=Submission.State.WITHDRAWN)


def _events_of(reports: Sequence[int]) -> Iterable[Event]:
    return Event.objects.filter(submission__in=reports).prefetch_related("sections")


def _refuse_rated(events: Iterable[Event]) -> None:
    for event in events:
        if any(one.status != Section.Status.IMPORTED for one in event.sections.all()):
            raise ApplyRefused("record_rested_on", cell=event.name)


def _refuse_referenced(events: Iterable[Event]) -> None:
    """Refuse if other rows than its own parts refer to an event.

    All relations to events are checked, including those of models added later.
    """
    names = {event.pk: event.name for event in events}
    for model, way in (
        (Event, ""),
        (Section, "event"),
        (Entry, "section__event"),
        (Game, "section__event"),
    ):
        for relation in model._meta.related_objects:
            if relation.related_model in EVENT_MODELS:
                continue
            to = "__".join(filter(None, (relation.field.name, way, "pk")))
            rows = relation.related_model._base_manager.filter(
                **{f"{to}__in": list(names)}
            )
            if (first := rows.values_list(to, flat=True).first()) is not None:
                raise ApplyRefused("record_rested_on", cell=names[first])
