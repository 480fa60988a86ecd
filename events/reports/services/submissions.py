"""Services for rating reports from upload to submission."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any, TypedDict, Unpack

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from events.access import is_office
from events.checks.queries.fide_members import with_members
from events.checks.queries.members import affiliate_of, member_ids_of, members_of
from events.checks.services import (
    Causes,
    blocking_findings,
    can_be_overridden,
    drop_outdated_overrides,
    findings_of,
    save_finding_counts,
)
from events.formats.findings import Finding, Place, Severity
from events.formats.report import (
    BLANK,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    format_cell,
)
from events.formats.report_reader import ReadResult
from events.formats.result_codes import OTHER_COLOR
from events.formats.results_entry import (
    CellPosition,
    has_played,
    mirrored_cell,
    opponent_position,
    without_entry,
)
from events.formats.tables.reader import ColumnAnswer
from events.formats.trf.tournament import LAYOUTS as TRF_LAYOUTS
from events.models import FindingOverride, OfficeTask, Submission, SubmissionFile
from events.records.deadlines import set_due_date, set_submission_date
from events.records.exceptions import (
    DuplicateUpload,
    NotPossible,
    UploadRefused,
    VersionConflict,
)
from events.reports.notices import (
    announce_state,
    notify_office_change,
    notify_report_status,
)
from events.reports.queries.report_defaults import with_report_defaults
from events.reports.services.file_reader import read_files
from players.models import Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import User
from ratings_site.common.uploads.services import (
    read_upload,
    register_uploads,
    store_upload,
)

# The permission to decide on reports and office tasks.
REVIEW = "events.review_submission"
# What is typed into the grid. In a report without files nothing else was reported.
TYPED_WHATS = ("cells_typed", "entries_added", "entry_named", "round_added")
# What clerks may change in a report in review.
OFFICE_FIELDS = frozenset({"member_id", "name", "state"})
# The kind of upload, and its folder in the storage.
REPORTS = "reports"
register_uploads(
    REPORTS,
    rows=SubmissionFile.objects.all(),
    done=Q(
        submission__state__in=[
            Submission.State.ACCEPTED,
            Submission.State.WITHDRAWN,
        ]
    ),
    received_at="submission__received_at",
)


Files = Sequence[tuple[str, bytes]]


def receive_submission(
    *,
    actor: User,
    files: Files,
    program: str = "",
    idempotency_key: str = "",
    affiliate_id: str | None = None,
) -> Submission:
    """Store the uploaded files byte for byte and create a report from them.

    Missing facts are those of the sender's last report. With *affiliate_id*, the report
    is another person's: only a missing affiliate is filled in, with this one.

    A program that repeats an *idempotency_key* with the same files gets DuplicateUpload
    with the report of the first request, whatever has happened to it since.
    """
    digest = digest_of(files)
    _refuse_repeated_key(actor, idempotency_key, digest)
    _refuse_duplicate(digest)
    result = _read_with_defaults(actor, files, affiliate_id)
    with _duplicates_refused(actor, idempotency_key, digest), transaction.atomic():
        submission = Submission(
            uploaded_by=actor,
            content_digest=digest,
            program=program,
            idempotency_key=idempotency_key,
            first_digest=digest if idempotency_key else "",
        )
        save_report_files(submission, files, result)
        save_finding_counts(submission, findings_of(submission))
        facts = {"program": program} if program else {}
        record("submission.received", subject=submission, actor=actor, facts=facts)
    return submission


def replace_files(
    *, submission_id: int, actor: User, version: int, files: Files, program: str = ""
) -> Submission:
    """Replace the files of a draft with newer ones. The earlier files are kept.

    The working copy is read from the new files. If the report has been edited since
    *version*, nothing changes.
    """
    digest = digest_of(files)
    result = _read_with_defaults(actor, files)
    with _duplicates_refused(actor, "", digest), transaction.atomic():
        submission = _lock(submission_id)
        if submission.content_digest == digest:
            return submission
        _require_editable(submission)
        require_version(submission, version)
        _refuse_duplicate(digest)
        submission.files.filter(replaced_at=None).update(replaced_at=timezone.now())
        submission.content_digest, submission.program = digest, program
        submission.version += 1
        save_report_files(submission, files, result)
        findings = findings_of(submission)
        drop_outdated_overrides(submission, findings)
        save_finding_counts(submission, findings)
        facts = {"files": ", ".join(name for name, _ in files)[:500]}
        if program:
            facts["program"] = program
        record(
            "submission.files_replaced", subject=submission, actor=actor, facts=facts
        )
    return submission


def _read_with_defaults(
    actor: User, files: Files, affiliate_id: str | None = None
) -> ReadResult:
    result = read_files(files)
    reported, findings = result.reported, list(result.findings)
    if reported is None:
        raise UploadRefused(findings)
    if affiliate_id is None:
        reported, remembered = with_report_defaults(reported, actor)
        findings += remembered
    elif not reported.affiliate_id.strip():
        reported = reported.with_event(affiliate_id=affiliate_id)
    return replace(result, reported=reported, findings=findings)


def save_report_files(
    submission: Submission, files: Sequence[tuple[str, bytes]], result: ReadResult
) -> None:
    """Store files byte for byte, and their content as the working copy."""
    result = with_members(result)
    if result.reported is None:
        raise UploadRefused(result.findings)
    submission.reader_findings = [finding.to_json() for finding in result.findings]
    store_report(submission, result.reported)
    roles = {used.name: str(used.role) for used in result.accepted_files}
    SubmissionFile.objects.bulk_create(
        SubmissionFile(
            submission=submission,
            name=_plain(name)[:200],
            role=roles.get(name, ""),
            **asdict(store_upload(REPORTS, name, [content])),
        )
        for name, content in files
    )


def start_manual_report(
    *, actor: User, ticket: str, reported: ReportedEvent
) -> Submission:
    """Create a report without files, to be typed in.

    The *ticket* belongs to the form: if it is sent twice, it creates one report.
    """
    digest = digest_of([("ticket", f"{actor.pk} {ticket}".encode())])
    _refuse_duplicate(digest)
    with _duplicates_refused(actor, "", digest), transaction.atomic():
        submission = Submission(uploaded_by=actor, content_digest=digest)
        store_report(submission, reported)
        save_finding_counts(submission, findings_of(submission))
        record("submission.begun", subject=submission, actor=actor)
    return submission


def reread_files(
    submission: Submission, answer: ColumnAnswer | None = None
) -> ReadResult:
    """Read the stored files again, with the assigned columns of a table."""
    files = submission.files.filter(replaced_at=None)
    return read_files(
        [(file.name, read_upload(file.stored_as)) for file in files], answer
    )


def set_columns(
    *, submission_id: int, actor: User, version: int, answer: ColumnAnswer
) -> Submission:
    """Read the entries from the stored files with the assigned columns.

    Edited facts of the event stay.
    """
    with transaction.atomic():
        submission = _lock(submission_id)
        _require_editable(submission)
        require_version(submission, version)
        result = with_members(reread_files(submission, answer))
        told = result.reported
        if told is None or result.question is not None:
            raise NotPossible(
                gettext(
                    "The table can’t be read with these columns. Choose the columns "
                    "again."
                )
            )
        changed = reported_in(submission).with_event(
            sections=told.sections, total_sections=told.total_sections
        )
        submission.reader_findings = [finding.to_json() for finding in result.findings]
        save_finding_counts(submission, store_new_version(submission, changed))
        meanings = ", ".join(meaning or "left out" for meaning in answer.meanings)
        record(
            "submission.columns_told",
            subject=submission,
            actor=actor,
            facts={"columns": meanings},
        )
    return submission


def digest_of(files: Sequence[tuple[str, bytes]]) -> str:
    """Return a digest of the content, independent of file names and order."""
    parts = sorted(hashlib.sha256(content).hexdigest() for _, content in files)
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _plain(name: str) -> str:
    """Remove characters that do not belong in file names; PostgreSQL rejects NUL."""
    return "".join(character for character in name if character.isprintable())


@contextmanager
def _duplicates_refused(actor: User, key: str, digest: str) -> Iterator[None]:
    """Raise DuplicateUpload if the same was sent twice concurrently."""
    try:
        yield
    except IntegrityError:
        _refuse_repeated_key(actor, key, digest)
        _refuse_duplicate(digest)
        raise


def _refuse_repeated_key(actor: User, idempotency_key: str, digest: str) -> None:
    """Raise DuplicateUpload, or NotPossible if other files came with the key."""
    if not idempotency_key:
        return
    earlier = Submission.objects.filter(
        uploaded_by=actor, idempotency_key=idempotency_key
    ).first()
    if earlier is None:
        return
    if earlier.first_digest != digest:
        raise NotPossible(
            gettext(
                "This Idempotency-Key came with other files before. Use a new key "
                "for a new report."
            )
        )
    raise DuplicateUpload(earlier)


def _refuse_duplicate(digest: str) -> None:
    earlier = (
        Submission.objects.filter(content_digest=digest)
        .exclude(state=Submission.State.WITHDRAWN)
        .first()
    )
    if earlier is not None:
        raise DuplicateUpload(earlier)


def store_report(submission: Submission, reported: ReportedEvent) -> None:
    """Save the working copy, and the columns that lists and filters need."""
    submission.content = reported.to_json()
    submission.event_name = reported.name[:80]
    submission.ends = reported.ends
    submission.entry_count = sum(len(section.entries) for section in reported.sections)
    submission.affiliate = affiliate_of(reported.affiliate_id)
    set_due_date(submission, reported)
    submission.save()


def store_new_version(submission: Submission, reported: ReportedEvent) -> list[Finding]:
    """Save an edited working copy; return its findings, which the caller counts."""
    submission.version += 1
    store_report(submission, reported)
    findings = findings_of(submission)
    drop_outdated_overrides(submission, findings)
    return findings


def reported_in(submission: Submission) -> ReportedEvent:
    return ReportedEvent.from_json(submission.content or {})


class Editing(TypedDict):
    """The report that a service edits, in the version that *actor* saw."""

    submission_id: int
    actor: User
    version: int


def edit_report(
    *,
    submission_id: int,
    actor: User,
    version: int | None,
    what: str,
    change: Callable[[ReportedEvent], ReportedEvent],
    facts: dict[str, Any],
    office_may: bool = False,
) -> Submission:
    """Apply *change* to the working copy if its *version* is still current.

    A *change* that compares the values itself needs no version. Entries keep what was
    reported, except what is typed into a report without files. *office_may*: clerks can
    make the change in a report in review too. The sender is notified of what others
    change.
    """
    with transaction.atomic():
        submission = _lock(submission_id)
        _require_editable(submission, actor if office_may else None)
        if version is not None:
            require_version(submission, version)
        present = reported_in(submission)
        changed = change(present)
        if what not in TYPED_WHATS or submission.files.exists():
            changed = changed.edited_from(present)
        if submission.is_open:
            _require_office_fields(present, changed)
        save_finding_counts(submission, store_new_version(submission, changed))
        record(f"submission.{what}", subject=submission, actor=actor, facts=facts)
        if submission.state == Submission.State.SUBMITTED:
            _open_office_tasks(submission)
        changes = entry_changes(present, changed)
        if changes and actor.pk != submission.uploaded_by_id:
            notify_office_change(submission, changes)
    return submission


def entry_changes(before: ReportedEvent, after: ReportedEvent) -> list[str]:
    """Return the changes of names, IDs and states, for history and notices."""
    return [
        f"{section.number}/{now.pairing_number} {was.identity or '–'} → {now.identity}"
        for earlier, section in zip(before.sections, after.sections, strict=False)
        for was, now in zip(earlier.entries, section.entries, strict=False)
        if was.pairing_number == now.pairing_number and was.identity != now.identity
    ]


def _require_office_fields(before: ReportedEvent, after: ReportedEvent) -> None:
    """Require that only what clerks may change in review is different."""
    if _without_office_fields(before) != _without_office_fields(after):
        raise NotPossible(
            gettext(
                "Only member IDs, names, and states can be changed while the report "
                "is in review. Return it to the TD for other changes."
            )
        )


def _without_office_fields(report: ReportedEvent) -> ReportedEvent:
    none: dict[str, Any] = {**dict.fromkeys(OFFICE_FIELDS, ""), "as_reported": None}
    sections = (
        replace(section, entries=tuple(replace(one, **none) for one in section.entries))
        for section in report.sections
    )
    return report.with_event(sections=tuple(sections))


def restore_entries(
    *, entry_keys: Sequence[tuple[int, int]], **editing: Unpack[Editing]
) -> Submission:
    """Undo all fixes of entries: restore them exactly as reported."""
    facts: dict[str, Any] = {}

    def change(report: ReportedEvent) -> ReportedEvent:
        changed = report
        for number, pairing_number in entry_keys:
            section = changed.section(number)
            entry = section.entry(pairing_number) if section else None
            if section is None or entry is None or entry.as_reported is None:
                raise NotPossible(
                    gettext(
                        "Section {section}, number {number} is as reported. There is "
                        "nothing to undo."
                    ).format(section=number, number=pairing_number)
                )
            was = entry.as_reported
            entries = (was if one is entry else one for one in section.entries)
            restored = replace(section, entries=tuple(entries))
            changed = with_replaced(changed, section, restored)
        facts["entries"] = "; ".join(
            entry_changes(report, changed)
            or [f"{section}/{number} results" for section, number in entry_keys]
        )
        return changed

    return edit_report(
        **editing, what="entry_restored", change=change, facts=facts, office_may=True
    )


def require_version(submission: Submission, version: int) -> None:
    if submission.version != version:
        raise VersionConflict(
            gettext(
                "The report has changed since you opened this page, so nothing was "
                "saved. Check the report and make your change again."
            )
        )


def set_cell(
    *,
    section_number: int,
    pairing_number: int,
    round_number: int,
    cell: Cell,
    both_sides: bool = False,
    **editing: Unpack[Editing],
) -> Submission:
    """Change one player's result, and optionally the opponent's to match."""
    edit = _with_both_sides if both_sides else ReportedEvent.with_cell
    return edit_report(
        **editing,
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


def apply_result_to_both(
    *, section_number: int, place: CellPosition, **editing: Unpack[Editing]
) -> Submission:
    """Apply one player's result of a game to the opponent too."""
    # The change itself compares the version.
    present = reported_in(Submission.objects.get(pk=editing["submission_id"]))
    return set_cell(
        **editing,
        section_number=section_number,
        pairing_number=place.number,
        round_number=place.column,
        cell=_reported_cell(present.section(section_number), place),
        both_sides=True,
    )


def _reported_cell(section: ReportedSection | None, place: CellPosition) -> Cell:
    """Return the player's cell, with the color if only the opponent has it."""
    entry = section.entry(place.number) if section else None
    cell = entry.cell(place.column) if entry else BLANK
    there = opponent_position(section, place, cell) if section else None
    other = section.entry(there.number) if section and there else None
    if (
        section is None
        or there is None
        or other is None
        or mirrored_cell(section, place, cell) is None
    ):
        raise NotPossible(gettext("This game is not in the report."))
    theirs = other.cell(there.column)
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

    A result that says nothing about the opponent's (a bye, a code for one side only)
    changes one cell.
    """
    changed = reported.with_cell(section_number, pairing_number, round_number, cell)
    section = reported.section(section_number)
    if section is None or cell.opponent is None:
        return changed
    answer = mirrored_cell(section, CellPosition(pairing_number, round_number), cell)
    if answer is None:
        return changed
    column = pairing_number if section.has_opponent_columns else round_number
    return changed.with_cell(section_number, cell.opponent, column, answer)


def set_entry(
    *,
    section_number: int,
    pairing_number: int,
    changes: dict[str, Any],
    also: Sequence[tuple[int, int]] = (),
    **editing: Unpack[Editing],
) -> Submission:
    """Change an entry: member ID, name, state, or a FIDE or CFC rating.

    *also* are the player's entries in other sections, which keep their numbers.
    """
    own = {"pairing_number", "occurrence"}
    shared = {name: value for name, value in changes.items() if name not in own}

    def change(report: ReportedEvent) -> ReportedEvent:
        for entry_key in also:
            report = report.with_entry(*entry_key, **shared)
        return report.with_entry(section_number, pairing_number, **changes)

    places = ", ".join(f"{section}/{number}" for section, number in also)
    return edit_report(
        **editing,
        what="entry_changed",
        change=change,
        facts={
            "section": section_number,
            "pairing_number": pairing_number,
            **changes,
            **({"also": places} if also else {}),
        },
        office_may=changes.keys() <= OFFICE_FIELDS,
    )


def remove_entry(
    *, section_number: int, pairing_number: int, **editing: Unpack[Editing]
) -> Submission:
    """Remove an entry without results; the other pairing numbers stay."""
    facts: dict[str, Any]
    facts = {"section": section_number, "pairing_number": pairing_number}

    def change(report: ReportedEvent) -> ReportedEvent:
        section = report.section(section_number)
        entry = section.entry(pairing_number) if section else None
        if section is None or entry is None or not is_removable(section, entry):
            raise NotPossible(
                gettext(
                    "Pairing number {number} has results or is not in the section. "
                    "Clear the results first."
                ).format(number=pairing_number)
            )
        facts["player"] = entry.member_id or entry.name
        changed = without_entry(section, pairing_number, keep_numbers=True)
        return with_replaced(report, section, changed)

    return edit_report(**editing, what="entry_removed", change=change, facts=facts)


def with_replaced(
    reported: ReportedEvent, section: ReportedSection, changed: ReportedSection
) -> ReportedEvent:
    """Return the report with one of its sections replaced."""
    sections = (changed if one is section else one for one in reported.sections)
    return reported.with_event(sections=tuple(sections))


def is_removable(section: ReportedSection, entry: ReportedEntry) -> bool:
    """Return whether an entry has no results and a unique number.

    In a table by opponents, the number is also that of a column.
    """
    number = entry.pairing_number
    same = [one for one in section.entries if one.pairing_number == number]
    return (
        len(section.entries) > len(same) == 1
        and not section.has_opponent_columns
        and not has_played(section, number)
    )


def set_section(
    *,
    section_number: int,
    changes: dict[str, Any],
    also: Sequence[Place] = (),
    **editing: Unpack[Editing],
) -> Submission:
    """Change a section's name, dates, time control or kind.

    *also* are places with the same value, which change with it.
    """

    facts = {"section": section_number, **_as_text(changes)}

    def change(report: ReportedEvent) -> ReportedEvent:
        before = report.section(section_number)
        changed = report.with_section(section_number, **changes)
        return _changed_also(changed, before, changes, also, facts)

    return edit_report(**editing, what="section_changed", change=change, facts=facts)


def set_event(
    *,
    changes: dict[str, Any],
    also: Sequence[Place] = (),
    **editing: Unpack[Editing],
) -> Submission:
    """Change the event's name, place, dates, affiliate or directors."""

    facts = _as_text(changes)

    def change(report: ReportedEvent) -> ReportedEvent:
        changed = report.with_event(**changes)
        return _changed_also(changed, report, changes, also, facts)

    return edit_report(**editing, what="event_changed", change=change, facts=facts)


def _changed_also(
    report: ReportedEvent,
    before: Any,
    changes: dict[str, Any],
    also: Sequence[Place],
    facts: dict[str, Any],
) -> ReportedEvent:
    """Return the report with a change made in other places that had the same value.

    The places that changed are added to *facts*.
    """
    changed = []
    for place in also:
        owner = report if place.section is None else report.section(place.section)
        old = getattr(owner, place.field)
        if place.field == "other_td_ids":
            new: Any = tuple(_new_value(place, one, before, changes) for one in old)
        else:
            new = _new_value(place, old, before, changes)
        if new == old:
            continue
        changed.append(str(place) or "Event")
        if place.section is None:
            report = report.with_event(**{place.field: new})
        else:
            report = report.with_section(place.section, **{place.field: new})
    if changed:
        facts["also"] = ", ".join(changed)
    return report


def _new_value(place: Place, old: Any, before: Any, changes: dict[str, Any]) -> Any:
    """Return what *old* was changed to: in the same field or, for a TD, in another.

    A chief of the event may assist in a section.
    """
    is_td = "_td_id" in place.field
    names = [place.field, *(name for name in changes if is_td and "_td_id" in name)]
    for name in names:
        if name in changes and getattr(before, name) == old:
            return changes[name]
    return old


def _as_text(changes: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in changes.items()}


def override_findings(
    *, submission_id: int, actor: User, finding_keys: Sequence[str], reason: str
) -> list[FindingOverride]:
    """Override several findings; each stores the reason.

    Either all are overridden or none. Errors cannot be, except the few that the office
    may override. A key as it was shown finds only what still says the same.
    """
    if not reason.strip():
        raise NotPossible(gettext("Enter the reason why this is correct as reported."))
    with transaction.atomic():
        submission = _lock(submission_id)
        _require_editable(submission)
        findings = findings_of(submission)
        present = {finding.key: finding for finding in findings}
        present |= {finding.shown_key: finding for finding in findings}
        overrides = [
            _override(submission, _overridable(present.get(key), actor), actor, reason)
            for key in dict.fromkeys(finding_keys)
        ]
        save_finding_counts(submission, findings)
    return overrides


def _overridable(finding: Finding | None, actor: User) -> Finding:
    if finding is None:
        raise NotPossible(gettext("This issue is gone because the report has changed."))
    if not can_be_overridden(finding):
        raise NotPossible(
            gettext("An error can’t be kept as reported. Fix the report.")
        )
    if finding.severity == Severity.ERROR and not is_office(actor):
        raise NotPossible(gettext("Only the ratings office can allow this."))
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


def submit_report(
    *, submission_id: int, actor: User, version: int | None = None
) -> Submission:
    """Submit the report to the office, in the *version* that was shown if given."""
    with transaction.atomic():
        submission = _lock(submission_id)
        if submission.state == Submission.State.SUBMITTED:
            return submission
        _require_editable(submission)
        if version is not None:
            require_version(submission, version)
        findings = findings_of(submission)
        blocking = blocking_findings(submission, findings)
        if blocking:
            number = Causes(reported_in(submission)).count(blocking)
            raise NotPossible(
                ngettext(
                    "Fix {number} issue before you submit the report.",
                    "Fix {number} issues before you submit the report.",
                    number,
                ).format(number=number),
                findings,
            )
        submission.state = Submission.State.SUBMITTED
        submission.submitted_at = timezone.now()
        submission.submitted_by = actor
        set_submission_date(
            submission, reported_in(submission), submission.submitted_at
        )
        submission.save()
        save_finding_counts(submission, findings)
        _open_office_tasks(submission)
        _drop_unused_newcomers(submission)
        record("submission.submitted", subject=submission, actor=actor)
        notify_report_status(submission)
    return submission


def _open_office_tasks(submission: Submission) -> None:
    """Create office tasks for foreign ratings; drop those of members who left."""
    report = reported_in(submission)
    members = members_of(report)
    undecided = submission.tasks.filter(state=OfficeTask.State.OPEN)
    undecided.exclude(player__in=members.values()).delete()
    for section in report.sections:
        for entry in section.entries:
            player = members.get(entry.member_id)
            if player is None:
                continue
            for body, body_id, rating in (
                ("FIDE", entry.normalized_fide_id, entry.fide_rating),
                ("CFC", entry.cfc_id, entry.cfc_rating),
            ):
                # FIDE's report file has all players' FIDE IDs and ratings; where the
                # ID is on record, the stored lists are more reliable.
                on_record = body == "FIDE" and body_id == player.fide_id
                if report.layout in TRF_LAYOUTS and on_record:
                    continue
                if body_id or rating:
                    _open_office_task(submission, player, body, body_id, rating)


def _drop_unused_newcomers(submission: Submission) -> None:
    """Delete new members who are no longer in the report or have a member ID."""
    used = member_ids_of(reported_in(submission))
    submission.newcomers.filter(resolved_to=None).exclude(number__in=used).delete()


def _open_office_task(
    submission: Submission, player: Player, body: str, body_id: str, rating: str
) -> None:
    """Create the task, or update it if the office has not decided it yet."""
    given = {"body_id": body_id, "rating": rating}
    task, created = OfficeTask.objects.get_or_create(
        submission=submission, player=player, body=body, defaults=given
    )
    if not created and task.state == OfficeTask.State.OPEN:
        OfficeTask.objects.filter(pk=task.pk).update(**given)


def return_report(*, submission_id: int, actor: User, note: str) -> Submission:
    """Return the report to the TD with a note."""
    require_permission(actor, REVIEW)
    with transaction.atomic():
        submission = _lock(submission_id)
        if not submission.is_open:
            raise NotPossible(gettext("Only a report in review can be returned."))
        submission.decide(Submission.State.RETURNED, by=actor, reason=note)
        submission.save()
        record("submission.returned", subject=submission, actor=actor, reason=note)
        notify_report_status(submission)
    return submission


def withdraw_report(*, submission_id: int, actor: User, reason: str) -> Submission:
    """Withdraw a report, so that better files can be sent. The files stay."""
    with transaction.atomic():
        submission = _lock(submission_id)
        if submission.state == Submission.State.ACCEPTED:
            raise NotPossible(
                gettext(
                    "This report was accepted. Ask the office for a correction instead."
                )
            )
        if submission.state == Submission.State.WITHDRAWN:
            return submission
        submission.state = Submission.State.WITHDRAWN
        submission.save()
        record("submission.withdrawn", subject=submission, actor=actor, reason=reason)
        announce_state(submission)
    return submission


def _lock(submission_id: int) -> Submission:
    return Submission.objects.select_for_update().get(pk=submission_id)


def can_fix(submission: Submission, actor: User) -> bool:
    """Return whether *actor* can fix entries: clerks also while it is in review."""
    return submission.is_editable or (submission.is_open and is_office(actor))


def _require_editable(submission: Submission, clerk: User | None = None) -> None:
    if not (can_fix(submission, clerk) if clerk else submission.is_editable):
        raise NotPossible(
            gettext(
                "This report is in review and can’t be changed now. "
                "Ask the office to return it."
            )
        )
