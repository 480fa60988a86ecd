"""History taken over: an archive of reports becomes events that are never rated.

Before the day from which history is ours, an event is shown with what its report
prints. From that day on a report goes to the office's queue, as if it had been sent
in: somebody else accepts it, and its sections are rated in their order.
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

from events.books.refusals import NotPossible
from events.checks.queries.fide_members import with_members_by_fide_id
from events.checks.services import blocking_findings
from events.importers.archive import BadArchive, ReportArchive
from events.importers.checks.report import check_report
from events.importers.findings import Finding, Place, Severity, found
from events.importers.read_report import ReadResult
from events.importers.records import ReportedEvent
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
from events.office.services.acceptance import take_over_report
from events.reports.services.reading import read_files
from events.reports.services.submissions import (
    digest_of,
    receive_submission,
    submit_report,
    withdraw_report,
)
from players.importers.tables import Reason, Refused
from players.intake.kinds import Beat, NotEntered
from players.intake.services.receiving import path_of
from players.intake.services.staging import UNCHANGED, Judged, refused, stage
from players.models import Intake, IntakeRow, Player
from ratings.engine.systems import System
from ratings.models import OpeningEntry, PublishedRating
from ratings.report_checks.queries.openings import check_openings
from ratings_site.common.database.locks import hold
from ratings_site.common.models import User

# Reports between two signs of life.
AT_ONCE = 20
EVENTS_AT_ONCE = 50
PLAYERS_NAMED = 5
AS_REPORTED = "The report itself"
# By the letter of a report, over the board and online; without one, regular.
SYSTEMS = {
    "R": (System.OTBR, System.OLR),
    "Q": (System.OTBQ, System.OLQ),
    "B": (System.OTBB, System.OLB),
}
# What becomes of a report.
IMPORTED, QUEUED = "imported", "queued"
# Errors about what only a report of today must have: nobody directs the event any more,
# and it is not rated by time control or type. Who has no member ID is told in one
# sentence of its own.
OF_TODAY = frozenset(
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
# What the desk takes a person's word for, and what shows that a folder or an archive in
# the archive holds more than one report: nobody asked is there to say that it does not.
OF_ANOTHER_REPORT = frozenset({"file.ignored", "file.other_event"})
# What comes and goes with an event.
PARTS: tuple[type[Model], ...] = (
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
class Told:
    """What the dry run keeps in mind of a report: no files, no entries."""

    line: int
    file: str
    digest: str = ""
    name: str = ""
    starts: date | None = None
    ends: date | None = None
    affiliate_id: str = ""
    sections: int = 0
    players: int = 0
    # Who plays: names by member ID, and the names that stand without one.
    names: dict[str, str] = field(default_factory=dict)
    without_id: tuple[str, ...] = ()
    reason: Reason | None = None
    # Why it cannot be rated: ratings taken over hold it.
    held: Reason | None = None


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A report with its files, one at a time in memory."""

    told: Told
    files: Sequence[tuple[str, bytes]] = ()
    result: ReadResult | None = None


@contextmanager
def _archive_of(intake: Intake) -> Iterator[ReportArchive]:
    try:
        archive = ReportArchive(path_of(intake), intake.file_name)
    except BadArchive as bad:
        raise _faulty([found(bad.name, Place(), **bad.values)]) from bad
    with archive:
        if not archive.bundles:
            raise Refused("archive_is_empty")
        yield archive


def _faulty(faults: Sequence[Finding]) -> Refused:
    first = json.dumps(faults[0].to_json())
    if len(faults) == 1:
        return Refused("report_faulty", finding=first)
    return Refused("report_has_faults", faults=len(faults), finding=first)


def _unpack(archive: ReportArchive, line: int, affiliate_id: str) -> Unpacked:
    """Read the report with this number; a fault of it becomes a reason."""
    bundle = archive.bundles[line - 1]
    told = Told(line, bundle.name)
    try:
        files = archive.files_of(bundle)
    except BadArchive as bad:
        fault = found(bad.name, Place(), **bad.values)
        return Unpacked(replace(told, reason=_faulty([fault]).reason))
    told = replace(told, digest=digest_of(files))
    result = read_files(files)
    if result.reported is None:
        return Unpacked(replace(told, reason=_faulty(_errors(result)).reason))
    reported, _ = with_members_by_fide_id(result.reported)
    if not reported.affiliate_id.strip():
        reported = reported.with_event(affiliate_id=affiliate_id)
    result = replace(result, reported=reported)
    return Unpacked(_told_of(told, result, reported), files, result)


def _errors(result: ReadResult) -> list[Finding]:
    """Return what makes a report unfit even to be shown."""
    findings = list(result.findings)
    if result.reported is not None:
        with override(None):
            findings += check_report(result.reported)
    return [
        one
        for one in findings
        if one.code in OF_ANOTHER_REPORT
        or (one.severity is Severity.ERROR and one.code not in OF_TODAY)
    ]


def _told_of(told: Told, result: ReadResult, reported: ReportedEvent) -> Told:
    entries = [entry for section in reported.sections for entry in section.entries]
    errors = _errors(result)
    with override(None):
        held = list(check_openings(reported))
    return replace(
        told,
        name=reported.name[:80],
        starts=reported.starts,
        ends=reported.ends,
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
    """An archive as ``stage`` sees a table, and the source of its rows."""

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

    def __iter__(self) -> Iterator[Told]:
        for line, bundle in enumerate(self.archive.bundles, start=1):
            packed = sum(one.compress_size for one in bundle.members)
            self.share += packed / max(1, self.size)
            yield _unpack(self.archive, line, self.affiliate_id).told


def read(intake: Intake, beat: Beat) -> None:
    """Say of each report in an archive what would become of it."""
    affiliate_id = intake.options.get("affiliate", "")
    if affiliate_id and affiliate_id not in _affiliates([affiliate_id]):
        raise Refused("affiliate_unknown", cell=affiliate_id)
    intake.on_record = Event.objects.count()
    judge = _Judge(_ours_from(intake))
    with _archive_of(intake) as archive:
        reports = _Reports(archive, affiliate_id, intake.size)
        stage(intake, reports, iter(reports), judge.judged, beat, chunk=AT_ONCE)
    intake.totals = {"history": dict(judge.becomes)}


def _ours_from(intake: Intake) -> date | None:
    day = intake.options.get("ours_from")
    return date.fromisoformat(day) if day else None


@dataclass(slots=True)
class _Judge:
    """Compares reports with the books, and with the reports before them."""

    ours_from: date | None
    lines: dict[str, int] = field(default_factory=dict)
    becomes: Counter[str] = field(default_factory=Counter)

    def judged(self, reports: Iterable[Told]) -> list[Judged]:
        reports = list(reports)
        books = _Books(reports)
        return [self._judge(one, books) for one in reports]

    def _judge(self, told: Told, books: "_Books") -> Judged:
        if told.digest and told.digest in books.digests:
            return Judged(UNCHANGED, told.line, "")
        try:
            becomes = self._refuse(told, books)
        except Refused as refusal:
            cells = filter(None, (told.file, told.name))
            return refused(told.line, "", cells, refusal.reason)
        self.becomes[becomes] += 1
        values = {
            "name": told.name,
            "file": told.file,
            "starts": told.starts.isoformat(),
            "sections": told.sections,
            "players": told.players,
            "becomes": becomes,
        }
        return Judged(IntakeRow.Kind.NEW, told.line, told.ends.isoformat(), values)

    def _refuse(self, told: Told, books: "_Books") -> str:
        """Return what becomes of a report, or raise why nothing can."""
        first = self.lines.setdefault(told.digest or f":{told.line}", told.line)
        if first != told.line:
            raise Refused("report_twice", line=first)
        unknown = [
            f"{name} ({member_id})"
            for member_id, name in told.names.items()
            if member_id not in books.players
        ]
        if without := [*told.without_id, *unknown]:
            named = "; ".join(without[:PLAYERS_NAMED])
            raise Refused("players_unknown", players=named, number=len(without))
        if told.reason is not None:
            raise Refused(told.reason.code, **told.reason.values)
        if told.ends > timezone.localdate():
            raise Refused("event_to_come", cell=told.ends.isoformat())
        if not told.affiliate_id:
            raise Refused("report_without_affiliate")
        if told.affiliate_id not in books.affiliates:
            raise Refused("affiliate_unknown", cell=told.affiliate_id)
        if self.ours_from is None and (day := books.ours_since(told)):
            raise Refused("event_of_our_time", cell=day.isoformat())
        if self.ours_from is None or told.ends < self.ours_from:
            return IMPORTED
        if told.held is not None:
            raise Refused(told.held.code, **told.held.values)
        return QUEUED


class _Books:
    """What the books say of some reports, read in five queries."""

    def __init__(self, reports: Sequence[Told]) -> None:
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
        openings = OpeningEntry.objects.filter(player__among=self.players.values())
        self.openings = dict(
            openings.order_by("-as_of").values_list("player_id", "as_of")
        )
        rated = Section.objects.filter(status=Section.Status.RATED)
        self.first_rated = rated.aggregate(day=Min("ends"))["day"]

    def ours_since(self, told: Told) -> date | None:
        """Return a day before the event's end from which ratings are ours."""
        players = (self.players[member_id] for member_id in told.names)
        days = [self.first_rated, *(self.openings.get(one) for one in players)]
        first = min(filter(None, days), default=None)
        return first if first and first < told.ends else None


def _affiliates(affiliate_ids: Iterable[str]) -> set[str]:
    rows = Affiliate.objects.filter(affiliate_id__in=set(affiliate_ids))
    return set(rows.values_list("affiliate_id", flat=True))


# Entering and undoing


def enter(intake: Intake, actor: User | None) -> dict[str, Any]:
    """Take over the events, and send the reports that are ours to the queue."""
    if actor is None:
        raise NotEntered("report_needs_a_person")
    hold(intake.kind)
    rows = list(intake.rows.filter(kind=IntakeRow.Kind.NEW).order_by("key", "line"))
    with _archive_of(intake) as archive:
        for row in rows:
            report = _unpack(archive, row.line, intake.options.get("affiliate", ""))
            _refuse_changed(intake, row, report.told)
            try:
                entered = _enter(row, report, intake.received_by or actor, actor)
            except NotPossible as refusal:
                raise NotEntered(
                    "report_not_entered", cell=report.told.file, refusal=refusal
                ) from refusal
            row.values["report"] = entered.pk
    IntakeRow.objects.bulk_update(rows, ["values"], batch_size=500)
    return dict(Counter(row.values["becomes"] for row in rows))


def _refuse_changed(intake: Intake, row: IntakeRow, told: Told) -> None:
    (judged,) = _Judge(_ours_from(intake)).judged([told])
    if judged.values != row.values:
        raise NotEntered("record_changed_since", cell=told.file, line=row.line)


def _enter(row: IntakeRow, report: Unpacked, sender: User, actor: User) -> Submission:
    """Enter one report; of the queue, neither who sent it nor *actor* accepts it."""
    if row.values["becomes"] == IMPORTED:
        event = take_over_report(actor=actor, files=report.files, result=report.result)
        _print_ratings_after(event, report.result.reported)
        return event.submission
    submission = receive_submission(actor=sender, files=report.files)
    if not blocking_findings(submission, submission.found):
        return submit_report(submission_id=submission.pk, actor=actor)
    return submission


def _print_ratings_after(event: Event, reported: ReportedEvent) -> None:
    """Keep the ratings after that the report prints, for the systems it names."""
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
    """Take the events away and the reports back, if nothing rests on them."""
    hold(intake.kind)
    rows = intake.rows.filter(kind=IntakeRow.Kind.NEW)
    reports = [values["report"] for values in rows.values_list("values", flat=True)]
    for start in range(0, len(reports), EVENTS_AT_ONCE):
        _take_away(reports[start : start + EVENTS_AT_ONCE], actor)


def _take_away(reports: Sequence[int], actor: User | None) -> None:
    submissions = Submission.objects.filter(pk__in=reports)
    events = {one.submission_id: one for one in _events_of(reports)}
    for submission in submissions.select_for_update().order_by("pk"):
        if submission.pk not in events:
            withdraw_report(submission_id=submission.pk, actor=actor, reason="Undone.")
    _refuse_rated(events.values())
    _refuse_rested_on(events.values())
    Event.objects.filter(submission__in=reports).delete()
    submissions.filter(pk__in=events).update(state=Submission.State.WITHDRAWN)


def _events_of(reports: Sequence[int]) -> Iterable[Event]:
    return Event.objects.filter(submission__in=reports).prefetch_related("sections")


def _refuse_rated(events: Iterable[Event]) -> None:
    for event in events:
        if any(one.status != Section.Status.IMPORTED for one in event.sections.all()):
            raise NotEntered("record_rested_on", cell=event.name)


def _refuse_rested_on(events: Iterable[Event]) -> None:
    """Refuse if anything but its parts belongs to one of the events.

    All that refers to events is looked at, so that whatever is added to the office
    later is not forgotten here.
    """
    names = {event.pk: event.name for event in events}
    for model, way in (
        (Event, ""),
        (Section, "event"),
        (Entry, "section__event"),
        (Game, "section__event"),
    ):
        for relation in model._meta.related_objects:
            if relation.related_model in PARTS:
                continue
            to = "__".join(filter(None, (relation.field.name, way, "pk")))
            rows = relation.related_model._base_manager.filter(
                **{f"{to}__in": list(names)}
            )
            if (first := rows.values_list(to, flat=True).first()) is not None:
                raise NotEntered("record_rested_on", cell=names[first])
