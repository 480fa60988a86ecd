"""Acceptance: create an event from a report."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext

from events.checks.queries.members import member_ids_of, officials_of
from events.checks.services import blocking_findings, findings_of
from events.formats.played_games import (
    forfeit_opponent,
    played_games,
    round_count,
    unplayed_rounds,
)
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.report_reader import ReadResult
from events.models import (
    Affiliate,
    Entry,
    Event,
    EventOfficial,
    Section,
    Submission,
    UnplayedRound,
)
from events.records.exceptions import NotPossible
from events.records.kinds import KINDS
from events.records.schedules import deciding_control
from events.records.section_rater import section_rater
from events.records.services.fees import charge_sections
from events.records.services.packing import pack_section
from events.records.services.schedules import enter_schedules
from events.records.services.versions import create_games
from events.reports.notices import notify_report_status
from events.reports.queries.reports import denial_reason
from events.reports.services.submissions import (
    REVIEW,
    digest_of,
    reported_in,
    require_version,
    save_report_files,
)
from players.models import Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import RatingsBusy, acquire_lock
from ratings_site.common.models import User

# The last digit of an event ID is the software that assigned it; 4 here.
ERA = "4"
MAX_SERIAL = 999


def accept_report(
    *, submission_id: int, actor: User, reason: str = "", version: int | None = None
) -> Event:
    """Create the event of a submitted report and queue its rating.

    With a *version*, it must still be the one that was shown. Accepting an accepted
    report has no effect.
    """
    require_permission(actor, REVIEW)
    with transaction.atomic():
        submission = Submission.objects.select_for_update().get(pk=submission_id)
        if submission.state == Submission.State.ACCEPTED:
            return submission.event
        if not submission.is_open:
            raise NotPossible(gettext("Only a submitted report can be accepted."))
        if version is not None:
            require_version(submission, version)
        if sentence := denial_reason(submission, actor):
            raise NotPossible(sentence)
        findings = findings_of(submission)  # as of now, under the lock
        if blocking_findings(submission, findings):
            raise NotPossible(
                gettext(
                    "Our records have changed since the TD sent the report, and it "
                    "has new issues. Return it to the TD."
                ),
                findings,
            )
        return create_event_from_report(submission, actor=actor, reason=reason)


def create_event_from_report(
    submission: Submission, *, actor: User, reason: str = ""
) -> Event:
    """Create the event of a report that has been checked, and queue its rating."""
    event = _enter_event(submission)
    submission.decide(Submission.State.ACCEPTED, by=actor)
    submission.save()
    record(
        "submission.accepted",
        subject=submission,
        actor=actor,
        reason=reason,
        facts={"event_id": event.event_id},
    )
    sections = list(event.sections.order_by("number"))
    charge_sections(event, sections, reported_in(submission))
    for section in sections:
        section_rater().section_ready(section)
    notify_report_status(submission)
    return event


def import_report(
    *,
    actor: User,
    files: Sequence[tuple[str, bytes]],
    result: ReadResult,
    numbers: Collection[int] | None = None,
) -> Event:
    """Import a report from before this system: shown, and never rated.

    With *numbers*, only these sections are imported. The audited action is the import
    of its archive; there are no notices.
    """
    submission = Submission(
        uploaded_by=actor,
        content_digest=digest_of(files),
        submitted_by=actor,
        submitted_at=timezone.now(),
    )
    submission.decide(Submission.State.ACCEPTED, by=actor)
    save_report_files(submission, files, result)
    return _enter_event(submission, Section.Status.IMPORTED, numbers)


def import_sections(
    event: Event, reported: ReportedEvent, numbers: Collection[int]
) -> None:
    """Add these sections of its report to an imported event."""
    people = _people_of(reported)
    _enter_officials(event, reported, people, numbers)
    for section_report in reported.sections:
        if section_report.number in numbers:
            _enter_section(event, section_report, people, Section.Status.IMPORTED)


def enter_waiting_sections(submission: Submission) -> list[Section]:
    """Create and rate sections of an accepted report that are complete now.

    A section with a new member without a member ID is not created: its entries could
    not refer to a member. It is rated later like a late report.
    """
    report = reported_in(submission)
    event = submission.event
    entered = set(event.sections.values_list("number", flat=True))
    people = _people_of(report)
    sections = [
        _enter_section(event, section_report, people)
        for section_report in report.sections
        if section_report.number not in entered and not section_report.has_temporary_ids
    ]
    charge_sections(event, sections, report)
    for section in sections:
        section_rater().section_ready(section)
    return sections


def _enter_event(
    submission: Submission,
    status: Section.Status = Section.Status.READY,
    numbers: Collection[int] | None = None,
) -> Event:
    report = reported_in(submission)
    if report.starts is None or report.ends is None:
        raise NotPossible(
            gettext("The event has no dates. Return the report to the TD.")
        )  # the checks prevent this
    event = Event.objects.create(
        event_id=_next_event_id(submission, report.ends),
        starts=report.starts,
        ends=report.ends,
        affiliate=Affiliate.objects.get(affiliate_id=report.affiliate_id),
        submission=submission,
        **fit_to_fields(
            Event,
            name=report.name,
            city=report.city,
            state=report.state,
            zip_code=report.zip_code,
            country=report.country,
        ),
    )
    people = _people_of(report)
    whole = None if numbers is None else {None, *numbers}
    _enter_officials(event, report, people, whole)
    for section_report in report.sections:
        if section_report.has_temporary_ids:
            continue
        if numbers is None or section_report.number in numbers:
            _enter_section(event, section_report, people, status)
    return event


def fit_to_fields(model: type[Model], **texts: str) -> dict[str, Any]:
    """Return texts cut to their columns' lengths, as the TD was told."""
    lengths = {field.name: field.max_length for field in model._meta.concrete_fields}
    return {name: text[: lengths[name]] for name, text in texts.items()}


def _next_event_id(submission: Submission, ends: date) -> str:
    """Return the ending date, a serial number of three digits, and the era.

    The number decides the rating order of events of the same days. So it follows the
    order of submission where possible: numbers are left free for reports that were
    submitted before and are not accepted yet.
    """
    try:
        acquire_lock("event-ids")
    except RatingsBusy as busy:
        raise NotPossible(
            gettext("Another report is being accepted right now. Try again.")
        ) from busy
    prefix = f"{ends:%Y%m%d}"
    serial = _serial(submission, ends, prefix)
    if serial > MAX_SERIAL:
        raise NotPossible(
            gettext("All 1,000 event IDs for {ends} are used.").format(ends=ends)
        )
    return f"{prefix}{serial:03d}{ERA}"


def _serial(submission: Submission, ends: date, prefix: str) -> int:
    """Return the number after all reports submitted before, or else the next."""
    given = Event.objects.filter(event_id__startswith=prefix, event_id__endswith=ERA)
    place = submission.submitted_at, submission.pk
    before, newest, after = -1, -1, MAX_SERIAL + 1
    last: tuple[datetime | None, int] = (None, 0)
    for event_id, at, pk in given.values_list(
        "event_id", "submission__submitted_at", "submission_id"
    ):
        number = int(event_id[8:11])
        newest = max(newest, number)
        if at is None or (at, pk) < place:
            if number > before:
                before, last = number, (at, pk)
        else:
            after = min(after, number)
    if after - before < 2:
        return newest + 1
    return min(before + 1 + _waiting_between(last, submission, ends), after - 1)


def _waiting_between(
    last: tuple[datetime | None, int], submission: Submission, ends: date
) -> int:
    """Count the day's pending reports submitted after *last* and before this one."""
    waiting = Submission.objects.filter(
        state=Submission.State.SUBMITTED, ends=ends
    ).exclude(pk=submission.pk)
    places = waiting.values_list("submitted_at", "pk")
    place = submission.submitted_at, submission.pk
    return sum(last < one < place if last[0] else one < place for one in places)


def _people_of(reported: ReportedEvent) -> dict[str, Player]:
    """Return the players and officials of a report by member ID (one query)."""
    officials = (member_id for _, _, member_id in officials_of(reported))
    named = {*member_ids_of(reported), *officials} - {""}
    return Player.objects.in_bulk(named, field_name="member_id")


def _enter_officials(
    event: Event,
    reported: ReportedEvent,
    people: dict[str, Player],
    numbers: Collection[int | None] | None,
) -> None:
    """Enter the officials, or those of these sections; None is the whole event."""
    EventOfficial.objects.bulk_create(
        EventOfficial(
            event=event, section_number=number, role=role, player=people[member_id]
        )
        for number, role, member_id in officials_of(reported)
        if member_id in people and (numbers is None or number in numbers)
    )


def _enter_section(
    event: Event,
    section_report: ReportedSection,
    members: dict[str, Player],
    status: Section.Status = Section.Status.READY,
) -> Section:
    section = Section.objects.create(
        event=event,
        number=section_report.number,
        kind=KINDS.get(section_report.kind_letter, Section.Kind.OTHER),
        starts=section_report.starts or event.starts,
        ends=section_report.ends or event.ends,
        rounds=round_count(section_report),
        is_online=section_report.online,
        grand_prix="Y" if section_report.grand_prix else "",
        fide="Y" if section_report.fide else "",
        status=status,
        **fit_to_fields(
            Section,
            name=section_report.name,
            time_control=deciding_control(section_report),
            reported_system=section_report.system_letter,
            scholastic_level=section_report.scholastic_level,
            grand_prix_points=str(section_report.grand_prix_points or ""),
        ),
    )
    entries = _enter_entries(section, section_report, members)
    enter_schedules(section, section_report, entries)
    create_games(section, entries, played_games(section_report))
    UnplayedRound.objects.bulk_create(
        UnplayedRound(
            entry=entries[cell.pairing_number],
            round_number=round_number,
            kind=cell.code,
            opponent=entries.get(forfeit_opponent(cell) or 0),
        )
        for round_number, cell in unplayed_rounds(section_report)
    )
    pack_section(section)
    return section


def _enter_entries(
    section: Section, section_report: ReportedSection, members: dict[str, Player]
) -> dict[int, Entry]:
    entries = Entry.objects.bulk_create(
        Entry(
            section=section,
            player=members[entry.member_id],
            pairing_number=entry.pairing_number,
            reported_member_id=entry.member_id,
            **fit_to_fields(
                Entry,
                reported_name=entry.name,
                reported_state=entry.state,
                reported_rating=entry.rating,
            ),
        )
        for entry in section_report.entries
    )
    return {entry.pairing_number: entry for entry in entries}
