"""Setting entries from the office's records of members, instead of typing them off."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override

from events.books.refusals import NotPossible
from events.checks.queries.exact import ExactMatch, exact_matches
from events.checks.queries.members import members_of, players_by_member_id
from events.checks.queries.record import Spot, record_changes, single_entries
from events.importers.records import ReportedEntry, ReportedEvent
from events.models import Submission
from events.reports.services.submissions import edit_report, reported_in
from players.models import Player
from ratings_site.common.models import User

NOT_PLAYING = (Player.Status.DECEASED, Player.Status.DUPLICATE)


def use_records(
    *, submission_id: int, actor: User, version: int, spots: Sequence[Spot]
) -> Submission | None:
    """Have entries say the name and state that the office has of their members.

    The member IDs stay; nothing happens where the entries say so already (None).
    """
    report = _report(submission_id)
    changes = _changes_from_records(report, spots)
    if not changes:
        return None
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="record_used",
        change=lambda present: _with_changes(present, changes),
        facts={"entries": _in_words(report, changes)},
    )


def use_member(
    *,
    submission_id: int,
    actor: User,
    version: int,
    section_number: int,
    pairing_number: int,
    member_id: str,
) -> Submission | None:
    """Take a member for an entry: the ID, and with it the recorded name and state."""
    player = _member(member_id)
    spot = section_number, pairing_number
    entry = _single(_report(submission_id), spot)
    changes = record_changes(entry, player)
    if entry.member_id != member_id:
        changes["member_id"] = member_id
    if not changes:
        return None
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="member_used",
        change=lambda present: _with_changes(present, {spot: changes}),
        facts={
            "section": section_number,
            "pairing_number": pairing_number,
            "instead_of": f"{entry.member_id} {entry.name}".strip(),
            **changes,
        },
    )


def take_exact_matches(
    *, submission_id: int, actor: User, version: int
) -> Submission | None:
    """Take the member for each entry without an ID that is exactly one.

    Names and states stay as reported. Nothing happens where nobody is left (None).
    """
    matches = exact_matches(_report(submission_id))
    if not matches:
        return None
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="matches_taken",
        change=lambda present: _with_changes(
            present,
            {match.spot: {"member_id": match.player.member_id} for match in matches},
        ),
        facts={"entries": _matches_in_words(matches)},
    )


def _matches_in_words(matches: Sequence[ExactMatch]) -> str:
    """Say what was matched by what, for the report's history."""
    with override(None):
        return "; ".join(
            f"{match.spot[0]}/{match.spot[1]} {match.name} → "
            f"{match.player.member_id} ({match.by})"
            for match in matches
        )


def _report(submission_id: int) -> ReportedEvent:
    """Return the working copy; whether it is the one shown, its version tells later."""
    return reported_in(Submission.objects.get(pk=submission_id))


def _changes_from_records(
    reported: ReportedEvent, spots: Sequence[Spot]
) -> dict[Spot, dict[str, str]]:
    members = members_of(reported)
    entries = dict(single_entries(reported))
    changes = {}
    for spot in spots:
        entry = _found(entries, spot)
        player = members.get(entry.member_id)
        if player is None:
            raise NotPossible(
                _("No member has the ID {id}.").format(id=entry.member_id)
                if entry.member_id
                else _("This entry has no member ID.")
            )
        if own := record_changes(entry, player):
            changes[spot] = own
    return changes


def _single(reported: ReportedEvent, spot: Spot) -> ReportedEntry:
    return _found(dict(single_entries(reported)), spot)


def _found(entries: dict[Spot, ReportedEntry], spot: Spot) -> ReportedEntry:
    if spot not in entries:
        raise NotPossible(
            _("Section {section} has no single entry with number {number}.").format(
                section=spot[0], number=spot[1]
            )
        )
    return entries[spot]


def _with_changes(
    reported: ReportedEvent, changes: dict[Spot, dict[str, Any]]
) -> ReportedEvent:
    for (section, number), own in changes.items():
        reported = reported.with_entry(section, number, **own)
    return reported


def _member(member_id: str) -> Player:
    player = players_by_member_id([member_id]).get(member_id)
    if player is None:
        raise NotPossible(_("No member has the ID {id}.").format(id=member_id))
    if player.status in NOT_PLAYING:
        raise NotPossible(
            _("The ID {id} is marked “{status}”; nobody plays under it.").format(
                id=member_id, status=player.get_status_display().lower()
            )
        )
    return player


def _in_words(reported: ReportedEvent, changes: dict[Spot, dict[str, str]]) -> str:
    """Say of each entry what it said and what it says now, for the report's history."""
    entries = dict(single_entries(reported))
    lines = []
    for (section, number), own in changes.items():
        entry = entries[section, number]
        before = ", ".join(getattr(entry, name) or "blank" for name in own)
        lines.append(f"{section}/{number} {before} → {', '.join(own.values())}")
    return "; ".join(lines)
