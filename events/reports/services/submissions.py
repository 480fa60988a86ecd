"""A rating report from its arrival to the office's decision."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from events.access import is_office
from events.books.deadlines import note_due_day, note_hand_in
from events.books.refusals import NotPossible, Outdated, SentBefore, UploadRefused
from events.checks.queries.fide_members import with_members_by_fide_id
from events.checks.queries.members import affiliate_of, member_ids_of, members_of
from events.checks.services import (
    blocking_findings,
    drop_outdated_overrides,
    findings_of,
    may_be_overridden,
    note_counts,
)
from events.importers.findings import Finding, Severity
from events.importers.key_in import Place, mirrored, opposite
from events.importers.outcomes import OTHER_COLOR
from events.importers.read_report import ReadResult
from events.importers.records import (
    BLANK,
    Cell,
    ReportedEvent,
    ReportedSection,
    format_cell,
)
from events.importers.tables.read import ColumnAnswer
from events.importers.trf.tournament import LAYOUTS as TRF_LAYOUTS
from events.models import FindingOverride, OfficeTask, Submission, SubmissionFile
from events.reports.notices import tell_of_report
from events.reports.queries.last_time import with_last_time
from events.reports.services.reading import read_files
from players.models import Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.models import User

# What deciding on reports and on ratings to look up takes.
REVIEW = "events.review_submission"


def receive_submission(
    *, actor: User, files: Sequence[tuple[str, bytes]]
) -> Submission:
    """Keep the uploaded files byte for byte and open a report from them."""
    digest = digest_of(files)
    _refuse_twice(digest)
    result = read_files(files)
    if result.reported is None:
        raise UploadRefused(result.findings)
    reported, remembered = with_last_time(result.reported, actor)
    findings = [*result.findings, *remembered]
    result = replace(result, reported=reported, findings=findings)
    try:
        with transaction.atomic():
            submission = Submission(uploaded_by=actor, content_digest=digest)
            keep_report(submission, files, result)
            note_counts(submission, findings_of(submission))
            record("submission.received", subject=submission, actor=actor)
    except IntegrityError:  # the same files came twice in one moment
        _refuse_twice(digest)
        raise
    return submission


def keep_report(
    submission: Submission, files: Sequence[tuple[str, bytes]], result: ReadResult
) -> None:
    """Keep files byte for byte, and what was read of them as the working copy."""
    report, found = with_members_by_fide_id(result.reported)
    submission.reader_findings = [
        finding.to_json() for finding in [*result.findings, *found]
    ]
    store_report(submission, report)
    roles = {used.name: str(used.role) for used in result.accepted_files}
    SubmissionFile.objects.bulk_create(
        SubmissionFile(
            submission=submission,
            name=_plain(name)[:200],
            role=roles.get(name, ""),
            content=content,
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
        )
        for name, content in files
    )


def begin_typed_report(
    *, actor: User, ticket: str, reported: ReportedEvent
) -> Submission:
    """Open a report without files, to be typed in.

    The *ticket* is that of the form: one that is sent twice opens one report.
    """
    digest = digest_of([("ticket", f"{actor.pk} {ticket}".encode())])
    _refuse_twice(digest)
    try:
        with transaction.atomic():
            submission = Submission(uploaded_by=actor, content_digest=digest)
            store_report(submission, reported)
            note_counts(submission, findings_of(submission))
            record("submission.begun", subject=submission, actor=actor)
    except IntegrityError:  # the form came twice in one moment
        _refuse_twice(digest)
        raise
    return submission


def read_again(
    submission: Submission, answer: ColumnAnswer | None = None
) -> ReadResult:
    """Read the kept files once more, with what was said of a table's columns."""
    files = submission.files.all()
    return read_files([(file.name, bytes(file.content)) for file in files], answer)


def tell_columns(
    *, submission_id: int, actor: User, version: int, answer: ColumnAnswer
) -> Submission:
    """Take the entries from the kept files, as the TD says which column is which.

    What was entered for the event itself stays.
    """
    with transaction.atomic():
        submission = _lock(submission_id)
        _require_editable(submission)
        require_version(submission, version)
        result = read_again(submission, answer)
        if result.reported is None or result.question is not None:
            raise NotPossible(gettext("The table cannot be read with these columns."))
        told, found = with_members_by_fide_id(result.reported)
        changed = reported_in(submission).with_event(
            sections=told.sections, total_sections=told.total_sections
        )
        submission.reader_findings = [
            finding.to_json() for finding in [*result.findings, *found]
        ]
        submission.version += 1
        store_report(submission, changed)
        findings = findings_of(submission)
        drop_outdated_overrides(submission, findings)
        note_counts(submission, findings)
        meanings = ", ".join(meaning or "left out" for meaning in answer.meanings)
        record(
            "submission.columns_told",
            subject=submission,
            actor=actor,
            facts={"columns": meanings},
        )
    return submission


def digest_of(files: Sequence[tuple[str, bytes]]) -> str:
    """Name the content, whatever the files are called and in whatever order."""
    parts = sorted(hashlib.sha256(content).hexdigest() for _, content in files)
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _plain(name: str) -> str:
    """Leave out what no file name should hold and PostgreSQL refuses (NUL)."""
    return "".join(character for character in name if character.isprintable())


def _refuse_twice(digest: str) -> None:
    earlier = (
        Submission.objects.filter(content_digest=digest)
        .exclude(state=Submission.State.WITHDRAWN)
        .first()
    )
    if earlier is not None:
        raise SentBefore(earlier)


def store_report(submission: Submission, reported: ReportedEvent) -> None:
    """Save the working copy, and beside it what lists and filters need."""
    submission.content = reported.to_json()
    submission.event_name = reported.name[:80]
    submission.ends = reported.ends
    submission.entry_count = sum(len(section.entries) for section in reported.sections)
    submission.affiliate = affiliate_of(reported.affiliate_id)
    note_due_day(submission, reported)
    submission.save()


def reported_in(submission: Submission) -> ReportedEvent:
    return ReportedEvent.from_json(submission.content)


def edit_report(
    *,
    submission_id: int,
    actor: User,
    version: int | None,
    what: str,
    change: Callable[[ReportedEvent], ReportedEvent],
    facts: dict[str, Any],
) -> Submission:
    """Apply *change* to the working copy, if it still is the *version* shown.

    A *change* that itself compares what was shown needs no version.
    """
    with transaction.atomic():
        submission = _lock(submission_id)
        _require_editable(submission)
        if version is not None:
            require_version(submission, version)
        changed = change(reported_in(submission))
        submission.version += 1
        store_report(submission, changed)
        findings = findings_of(submission)
        drop_outdated_overrides(submission, findings)
        note_counts(submission, findings)
        record(f"submission.{what}", subject=submission, actor=actor, facts=facts)
    return submission


def require_version(submission: Submission, version: int) -> None:
    if submission.version != version:
        raise Outdated(
            gettext(
                "The report has changed since this page was opened. Nothing was saved; "
                "look at the present state and enter the change again."
            )
        )


def set_cell(
    *,
    submission_id: int,
    actor: User,
    version: int,
    section_number: int,
    pairing_number: int,
    round_number: int,
    cell: Cell,
    both_sides: bool = False,
) -> Submission:
    """Change one result as one side reports it, or also the opponent's to match."""
    edit = _with_both_sides if both_sides else ReportedEvent.with_cell
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="cell_changed",
        change=lambda report: edit(
            report, section_number, pairing_number, round_number, cell
        ),
        facts={
            "section": section_number,
            "pairing_number": pairing_number,
            "round": round_number,
            "cell": format_cell(cell),
            "both_sides": both_sides,
        },
    )


def take_word(
    *,
    submission_id: int,
    actor: User,
    version: int,
    section_number: int,
    place: Place,
) -> Submission:
    """Let one player's word of a game stand for the opponent's too."""
    # Whether it is the version shown, the change itself asks.
    present = reported_in(Submission.objects.get(pk=submission_id))
    return set_cell(
        submission_id=submission_id,
        actor=actor,
        version=version,
        section_number=section_number,
        pairing_number=place.number,
        round_number=place.column,
        cell=_word(present.section(section_number), place),
        both_sides=True,
    )


def _word(section: ReportedSection | None, place: Place) -> Cell:
    """Return what the player reports, with a color that only the opponent knows."""
    entry = section.entry(place.number) if section else None
    cell = entry.cell(place.column) if entry else BLANK
    there = opposite(section, place, cell) if section else None
    if section is None or there is None or mirrored(section, place, cell) is None:
        raise NotPossible(gettext("There is no such game in the report."))
    theirs = section.entry(there.number).cell(there.column)
    knows = theirs.opponent == place.number and not cell.color
    return replace(cell, color=OTHER_COLOR[theirs.color]) if knows else cell


def _with_both_sides(
    reported: ReportedEvent,
    section_number: int,
    pairing_number: int,
    round_number: int,
    cell: Cell,
) -> ReportedEvent:
    """Return the report with a cell changed and its opponent's cell mirrored.

    A result that says nothing of the opponent's (a bye, a code for one side only)
    changes one cell.
    """
    changed = reported.with_cell(section_number, pairing_number, round_number, cell)
    section = reported.section(section_number)
    if section is None or cell.opponent is None:
        return changed
    answer = mirrored(section, Place(pairing_number, round_number), cell)
    if answer is None:
        return changed
    column = pairing_number if section.columns_are_opponents else round_number
    return changed.with_cell(section_number, cell.opponent, column, answer)


def set_entry(
    *,
    submission_id: int,
    actor: User,
    version: int,
    section_number: int,
    pairing_number: int,
    changes: dict[str, Any],
) -> Submission:
    """Change who an entry is: member ID, name, state, or a FIDE or CFC rating."""
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="entry_changed",
        change=lambda report: report.with_entry(
            section_number, pairing_number, **changes
        ),
        facts={
            "section": section_number,
            "pairing_number": pairing_number,
            **changes,
        },
    )


def set_section(
    *,
    submission_id: int,
    actor: User,
    version: int,
    section_number: int,
    changes: dict[str, Any],
) -> Submission:
    """Change a section's name, dates, time control or kind."""
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="section_changed",
        change=lambda report: report.with_section(section_number, **changes),
        facts={"section": section_number, **_as_text(changes)},
    )


def set_event(
    *, submission_id: int, actor: User, version: int, changes: dict[str, Any]
) -> Submission:
    """Change the event's name, place, dates, affiliate or directors."""
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="event_changed",
        change=lambda report: report.with_event(**changes),
        facts=_as_text(changes),
    )


def _as_text(changes: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in changes.items()}


def override_findings(
    *, submission_id: int, actor: User, finding_keys: Sequence[str], reason: str
) -> list[FindingOverride]:
    """Take the TD's word for several findings at once; each keeps the reason.

    All pass or none. An error cannot be overridden, but for the few that the office
    may let pass.
    """
    if not reason.strip():
        raise NotPossible(gettext("Say why the finding is in order as it stands."))
    with transaction.atomic():
        submission = _lock(submission_id)
        _require_editable(submission)
        findings = findings_of(submission)
        present = {finding.key: finding for finding in findings}
        overrides = [
            _override(submission, _overridable(present.get(key), actor), actor, reason)
            for key in dict.fromkeys(finding_keys)
        ]
        note_counts(submission, findings)
    return overrides


def _overridable(finding: Finding | None, actor: User) -> Finding:
    if finding is None:
        raise NotPossible(
            gettext("This finding is gone; the report has changed since.")
        )
    if not may_be_overridden(finding):
        raise NotPossible(gettext("An error cannot be overridden. Correct the report."))
    if finding.severity == Severity.ERROR and not is_office(actor):
        raise NotPossible(gettext("Only the ratings office can let this pass."))
    return finding


def _override(
    submission: Submission, finding: Finding, actor: User, reason: str
) -> FindingOverride:
    override, _ = FindingOverride.objects.get_or_create(
        submission=submission,
        finding_key=finding.key,
        defaults={"message": finding.message, "reason": reason, "by": actor},
    )
    record(
        "submission.finding_overridden",
        subject=submission,
        actor=actor,
        reason=reason,
        facts={"finding": finding.message},
    )
    return override


def submit_report(*, submission_id: int, actor: User) -> Submission:
    """Hand the report to the office."""
    with transaction.atomic():
        submission = _lock(submission_id)
        if submission.state == Submission.State.SUBMITTED:
            return submission
        _require_editable(submission)
        findings = findings_of(submission)
        blocking = blocking_findings(submission, findings)
        if blocking:
            raise NotPossible(
                gettext(
                    "{count} must be corrected or overridden "
                    "before the report can go to the office."
                ).format(count=_count(len(blocking), "finding")),
                findings,
            )
        submission.state = Submission.State.SUBMITTED
        submission.submitted_at = timezone.now()
        submission.submitted_by = actor
        note_hand_in(submission, reported_in(submission), submission.submitted_at)
        submission.save()
        note_counts(submission, findings)
        _open_office_tasks(submission)
        _drop_unused_newcomers(submission)
        record("submission.submitted", subject=submission, actor=actor)
        tell_of_report(submission)
    return submission


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _open_office_tasks(submission: Submission) -> None:
    """Ask the office to look up each foreign rating that the TD has given."""
    report = reported_in(submission)
    members = members_of(report)
    for section in report.sections:
        for entry in section.entries:
            player = members.get(entry.member_id)
            if player is None:
                continue
            for body, body_id, rating in (
                ("FIDE", entry.plain_fide_id, entry.fide_rating),
                ("CFC", entry.cfc_id, entry.cfc_rating),
            ):
                # FIDE's report file gives everybody's FIDE ID and rating; where the
                # ID is on record, the stored lists know the rating better.
                on_record = body == "FIDE" and body_id == player.fide_id
                if report.layout in TRF_LAYOUTS and on_record:
                    continue
                if body_id or rating:
                    _ask_office(submission, player, body, body_id, rating)


def _drop_unused_newcomers(submission: Submission) -> None:
    """Forget newcomers whose entries are gone, or have turned out to be members."""
    used = member_ids_of(reported_in(submission))
    submission.newcomers.filter(resolved_to=None).exclude(number__in=used).delete()


def _ask_office(
    submission: Submission, player: Player, body: str, body_id: str, rating: str
) -> None:
    """Open the task, or bring it up to date if the office has not decided it yet."""
    given = {"body_id": body_id, "rating": rating}
    task, created = OfficeTask.objects.get_or_create(
        submission=submission, player=player, body=body, defaults=given
    )
    if not created and task.state == OfficeTask.State.OPEN:
        OfficeTask.objects.filter(pk=task.pk).update(**given)


def return_report(*, submission_id: int, actor: User, note: str) -> Submission:
    """Send the report back to the TD with a note on what is missing."""
    require(actor, REVIEW)
    with transaction.atomic():
        submission = _lock(submission_id)
        if submission.state != Submission.State.SUBMITTED:
            raise NotPossible(
                gettext("Only a report that is with the office can be returned.")
            )
        submission.state = Submission.State.RETURNED
        submission.office_note = note
        submission.decided_by = actor
        submission.decided_at = timezone.now()
        submission.save()
        record("submission.returned", subject=submission, actor=actor, reason=note)
        tell_of_report(submission)
    return submission


def withdraw_report(*, submission_id: int, actor: User, reason: str) -> Submission:
    """Let the TD take a report back, to send better files. The files stay."""
    with transaction.atomic():
        submission = _lock(submission_id)
        if submission.state == Submission.State.ACCEPTED:
            raise NotPossible(
                gettext(
                    "The event is accepted. Ask the office for a correction instead."
                )
            )
        if submission.state == Submission.State.WITHDRAWN:
            return submission
        submission.state = Submission.State.WITHDRAWN
        submission.save()
        record("submission.withdrawn", subject=submission, actor=actor, reason=reason)
    return submission


def _lock(submission_id: int) -> Submission:
    return Submission.objects.select_for_update().get(pk=submission_id)


def _require_editable(submission: Submission) -> None:
    if not submission.is_editable:
        raise NotPossible(
            gettext(
                "This report is with the office and cannot be changed now. "
                "Ask the office to return it."
            )
        )
