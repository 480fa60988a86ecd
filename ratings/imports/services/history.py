"""Import past events from an archive of reports; they are never rated.

Events before the first day of our own ratings are shown with the numbers of their
reports. Their sections with unknown players are left out, and added from the same
archive when these players are members. Reports from that day on go to the office's
queue as if a TD had sent them: a second person accepts them, and their sections are
rated in order.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from typing import Any, Self

from django.db.models import Min, Model, QuerySet
from django.utils import timezone

from events.checks.services import blocking_findings
from events.formats.archive import ReportArchive
from events.formats.parsing import RATING
from events.formats.report import ReportedEvent
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
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
    submit_report,
    withdraw_report,
)
from events.review.services.acceptance import import_report, import_sections
from players.formats.errors import InputRefused, Reason
from players.imports.kinds import ApplyRefused, ProgressCallback
from players.imports.services.staging import UNCHANGED, RowResult, refused, stage
from players.models import Intake, IntakeRow, Player
from ratings.engine.systems import System
from ratings.imports.services.history_reports import (
    ReportSummary,
    SectionSummary,
    UnpackedReport,
    archive_of,
    unpack,
)
from ratings.models import OpeningEntry, PublishedRating
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.models import User

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
# Outcomes for a report. Sections are added to an event that was imported without them.
IMPORTED, ADDED, QUEUED = "imported", "added", "queued"
ONLY = "only_sections"  # the numbers of the imported sections, if not all are
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

    def all_notes(self) -> Sequence[Reason]:
        return ()

    @property
    def source(self) -> Self:
        return self

    def __iter__(self) -> Iterator[ReportSummary]:
        for line, bundle in enumerate(self.archive.bundles, start=1):
            packed = sum(one.compress_size for one in bundle.members)
            self.share += packed / max(1, self.size)
            yield unpack(self.archive, line, self.affiliate_id).summary


def read(intake: Intake, beat: ProgressCallback) -> None:
    """Stage the outcome of each report in an archive."""
    affiliate_id = intake.options.get("affiliate", "")
    if affiliate_id and affiliate_id not in _affiliates([affiliate_id]):
        raise InputRefused("affiliate_unknown", cell=affiliate_id)
    intake.on_record = Event.objects.count()
    checker = _RowChecker(_ours_from(intake))
    with archive_of(intake) as archive:
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
    # The digests of the reports that were imported before from the same archive.
    same_archive: Collection[str] = ()
    lines: dict[str, int] = field(default_factory=dict)
    becomes: Counter[str] = field(default_factory=Counter)

    def judged(self, reports: Iterable[ReportSummary]) -> list[RowResult]:
        reports = list(reports)
        records = _Records(reports, self.same_archive)
        return [result for one in reports for result in self._judge(one, records)]

    def _judge(self, summary: ReportSummary, records: "_Records") -> list[RowResult]:
        """Return the outcome of a report, and those of sections left out."""
        whole = summary
        is_received = summary.digest in records.received
        if is_received:
            summary = records.without_imported(summary)
        unknown = [one for one in summary.sections if one.unknown(records.players)]
        others = tuple(one for one in summary.sections if one not in unknown)
        left_out: list[RowResult] = []
        if unknown and (others or is_received) and not self._is_ours(summary):
            left_out = [_left_out(summary, one, records) for one in unknown]
            summary = replace(summary, sections=others)
        if is_received and not summary.sections:
            return [RowResult(UNCHANGED, summary.line, ""), *left_out]
        try:
            becomes = self._refuse(summary, records)
        except InputRefused as refusal:
            cells = filter(None, (summary.file, summary.name))
            return [refused(summary.line, "", cells, refusal.reason)]
        if is_received:
            becomes = ADDED
        self.becomes[becomes] += 1
        values: dict[str, Any] = {
            "name": summary.name,
            "file": summary.file,
            "starts": summary.starts.isoformat(),
            "sections": len(summary.sections),
            "players": len(summary.players),
            "becomes": becomes,
        }
        if summary != whole:
            values[ONLY] = [one.number for one in summary.sections]
        key = summary.ends.isoformat()
        new = RowResult(IntakeRow.Kind.NEW, summary.line, key, values)
        return [new, *left_out]

    def _is_ours(self, summary: ReportSummary) -> bool:
        """Return whether the office rates this event."""
        return self.ours_from is not None and summary.ends >= self.ours_from

    def _refuse(self, summary: ReportSummary, records: "_Records") -> str:
        """Return the outcome for a report. Raises InputRefused."""
        first = self.lines.setdefault(
            summary.digest or f":{summary.line}", summary.line
        )
        if first != summary.line:
            raise InputRefused("report_twice", line=first)
        if unknown := summary.unknown(records.players):
            named = "; ".join(unknown[:PLAYERS_NAMED])
            raise InputRefused("players_unknown", players=named, number=len(unknown))
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
        identity = (summary.name, summary.starts, summary.ends, summary.affiliate_id)
        if identity in records.imported_in_part:
            raise InputRefused("event_imported_in_part")
        if not self._is_ours(summary):
            return IMPORTED
        if summary.held is not None:
            raise InputRefused(summary.held.code, **summary.held.values)
        return QUEUED


def _left_out(
    summary: ReportSummary, section: SectionSummary, records: "_Records"
) -> RowResult:
    """Return the refusal of a section; its report is counted elsewhere."""
    unknown = section.unknown(records.players)
    refusal = InputRefused(
        "section_players_unknown",
        section=section.name or section.number,
        players="; ".join(unknown[:PLAYERS_NAMED]),
        number=len(unknown),
    )
    cells = filter(None, (summary.file, summary.name, section.name))
    result = refused(summary.line, "", cells, refusal.reason)
    return replace(result, rows=0)


class _Records:
    """The records that concern some reports (seven queries)."""

    def __init__(
        self, reports: Sequence[ReportSummary], same_archive: Collection[str] = ()
    ) -> None:
        digests = {one.digest for one in reports if one.digest}
        submissions = Submission.objects.filter(content_digest__in=digests)
        submissions = submissions.exclude(state=Submission.State.WITHDRAWN)
        # The imported sections of each report that was received before.
        self.received: dict[str, set[int]] = {}
        for digest, number, status in submissions.values_list(
            "content_digest", "event__sections__number", "event__sections__status"
        ):
            imported = self.received.setdefault(digest, set())
            if status == Section.Status.IMPORTED:
                imported.add(number)
        self.imported_in_part = {
            _identity(event)
            for event in _events_like(reports).exclude(
                submission__content_digest__in={*digests, *same_archive}
            )
            if _is_in_part(event)
        }
        ids = {member_id for one in reports for member_id in one.member_ids}
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

    def without_imported(self, summary: ReportSummary) -> ReportSummary:
        """Return a report that was received before, with the sections it lacks.

        Only imported events can lack some.
        """
        imported = self.received[summary.digest]
        lacking = (one for one in summary.sections if one.number not in imported)
        return replace(summary, sections=tuple(lacking) if imported else ())

    def own_ratings_since(self, summary: ReportSummary) -> date | None:
        """Return the first day of our own ratings, if it is before the event's end."""
        players = (self.players[member_id] for member_id in summary.member_ids)
        days = [self.first_rated, *(self.openings.get(one) for one in players)]
        first = min(filter(None, days), default=None)
        return first if first and first < summary.ends else None


def _events_like(reports: Iterable[ReportSummary]) -> QuerySet[Event]:
    """Return the events with the names and last days of these reports."""
    reports = list(reports)
    events = Event.objects.filter(
        name__in={one.name for one in reports}, ends__in={one.ends for one in reports}
    )
    return events.select_related("submission", "affiliate").prefetch_related("sections")


def _identity(event: Event) -> tuple[str, date, date, str]:
    return event.name, event.starts, event.ends, event.affiliate.affiliate_id


def _is_in_part(event: Event) -> bool:
    """Return whether sections of an imported event's report were left out."""
    sections = event.sections.all()
    if any(one.status != Section.Status.IMPORTED for one in sections):
        return False
    reported = {one.number for one in reported_in(event.submission).sections}
    return bool(reported - {one.number for one in sections})


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
    same_archive: set[str] = set()
    checker = _RowChecker(_ours_from(intake), same_archive)
    with archive_of(intake) as archive:
        for row in rows:
            report = unpack(archive, row.line, intake.options.get("affiliate", ""))
            _refuse_changed(checker, row, report.summary)
            same_archive.add(report.summary.digest)
            try:
                entered = _enter(row, report, intake, actor)
            except NotPossible as refusal:
                raise ApplyRefused(
                    "report_not_entered", cell=report.summary.file, refusal=refusal
                ) from refusal
            row.values["report"] = entered.pk
    IntakeRow.objects.bulk_update(rows, ["values"], batch_size=500)
    return dict(Counter(row.values["becomes"] for row in rows))


def _refuse_changed(
    checker: "_RowChecker", row: IntakeRow, summary: ReportSummary
) -> None:
    judged, *_ = checker.judged([summary])
    if judged.values != row.values:
        raise ApplyRefused("record_changed_since", cell=summary.file, line=row.line)


def _enter(
    row: IntakeRow, report: UnpackedReport, intake: Intake, actor: User
) -> Submission:
    """Import or submit one report. Neither its sender nor *actor* can accept it."""
    result, numbers = report.result, row.values.get(ONLY)
    if row.values["becomes"] != QUEUED and result and result.reported:
        if row.values["becomes"] == IMPORTED:
            event = import_report(
                actor=actor, files=report.files, result=result, numbers=numbers
            )
        else:
            event = _imported_event(report.summary.digest)
            import_sections(event, result.reported, numbers)
        _save_printed_ratings(event, result.reported, numbers)
        return event.submission
    submission = receive_submission(
        actor=intake.received_by or actor,
        files=report.files,
        affiliate_id=intake.options.get("affiliate", ""),
    )
    if not blocking_findings(submission, submission.found):
        return submit_report(submission_id=submission.pk, actor=actor)
    return submission


def _imported_event(digest: str) -> Event:
    submissions = Submission.objects.exclude(state=Submission.State.WITHDRAWN)
    return Event.objects.get(submission__in=submissions.filter(content_digest=digest))


def _save_printed_ratings(
    event: Event, reported: ReportedEvent, numbers: Collection[int] | None
) -> None:
    """Save the ratings after the event that the report prints."""
    after = {
        (section.number, entry.pairing_number): entry.rating_after
        for section in reported.sections
        if numbers is None or section.number in numbers
        for entry in section.entries
        if RATING.fullmatch(entry.rating_after)
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
    entered = list(rows.values_list("values", flat=True))
    for values in entered:
        if values["becomes"] == ADDED:
            _remove_sections(values["report"], values[ONLY])
    reports = {
        values["report"]: values.get(ONLY)
        for values in entered
        if values["becomes"] != ADDED
    }
    for start in range(0, len(reports), EVENT_BATCH_SIZE):
        some = dict(islice(reports.items(), start, start + EVENT_BATCH_SIZE))
        _remove_events(some, actor)


def _remove_sections(report: int, numbers: Sequence[int]) -> None:
    """Delete the sections that were added to an imported event."""
    (event,) = _events_of([report])
    _refuse_rated([event])
    _refuse_referenced([event])
    event.sections.filter(number__in=numbers).delete()
    event.officials.filter(section_number__in=numbers).delete()


def _remove_events(
    reports: Mapping[int, Sequence[int] | None], actor: User | None
) -> None:
    """Delete the events of these reports, with the sections that were imported."""
    submissions = Submission.objects.filter(pk__in=reports)
    events = {one.submission_id: one for one in _events_of(reports)}
    for report, event in events.items():
        numbers = reports[report]
        held = {one.number for one in event.sections.all()}
        if numbers is not None and not held <= {*numbers}:
            raise ApplyRefused("record_rested_on", cell=event.name)
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


def _events_of(reports: Iterable[int]) -> Iterable[Event]:
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
