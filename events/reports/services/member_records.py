"""Services that set entries from the members' records."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Unpack

from django.utils.translation import gettext as _
from django.utils.translation import override

from events.checks.queries.exact_matches import ExactMatch, exact_matches
from events.checks.queries.member_records import (
    EntryKey,
    player_places,
    record_changes,
)
from events.checks.queries.members import members_of, players_by_member_id
from events.formats.report import ReportedEntry, ReportedEvent
from events.models import Submission
from events.records.exceptions import NotPossible
from events.reports.services.submissions import Editing, edit_report, reported_in
from players.models import Player

NOT_PLAYING = (Player.Status.DECEASED, Player.Status.DUPLICATE)


def apply_member_records(
    *, entry_keys: Sequence[EntryKey], **editing: Unpack[Editing]
) -> Submission | None:
    """Set the name and state of entries from the members' records.

    The member IDs stay. Return None if nothing changes.
    """
    report = _report(editing)
    changes = _changes_from_records(report, entry_keys)
    if not changes:
        return None
    return edit_report(
        **editing,
        what="record_used",
        change=lambda present: with_changes(present, changes),
        facts={"entries": _in_words(report, changes)},
        office_may=True,
    )


def assign_member(
    *,
    section_number: int,
    pairing_number: int,
    member_id: str,
    **editing: Unpack[Editing],
) -> Submission | None:
    """Set a player's entries to a member: the ID, and the recorded name and state.

    The same player in other sections, by reported ID and name, is set too.
    """
    player = playing_members([member_id])[member_id]
    entry_key = section_number, pairing_number
    report = _report(editing)
    entry = single_entry(report, *entry_key)
    changes = member_changes(report, {entry_key: player})
    if not changes:
        return None
    also = ", ".join(
        f"{section}/{number}"
        for section, number in sorted(changes.keys() - {entry_key})
    )
    return edit_report(
        **editing,
        what="member_used",
        change=lambda present: with_changes(present, changes),
        facts={
            "section": section_number,
            "pairing_number": pairing_number,
            "instead_of": f"{entry.member_id} {entry.name}".strip(),
            **changes.get(entry_key, {}),
            **({"also": also} if also else {}),
        },
        office_may=True,
    )


def member_changes(
    reported: ReportedEvent, players: Mapping[EntryKey, Player]
) -> dict[EntryKey, dict[str, str]]:
    """Return the changes that make players' entries the members', in all sections."""
    changes: dict[EntryKey, dict[str, str]] = {}
    places = player_places(reported)
    for place, player in players.items():
        for entry_key in places.get(place, (place,)):
            entry = single_entry(reported, *entry_key)
            own = record_changes(entry, player)
            if entry.member_id != player.member_id:
                own["member_id"] = player.member_id
            if own:
                changes[entry_key] = own
    return changes


def accept_exact_matches(**editing: Unpack[Editing]) -> Submission | None:
    """Set the member ID of each entry that matches one member exactly.

    Names and states stay as reported. Return None if nothing changes.
    """
    matches = exact_matches(_report(editing))
    if not matches:
        return None
    ids = {one.entry_key: {"member_id": one.player.member_id} for one in matches}
    return edit_report(
        **editing,
        what="matches_taken",
        change=lambda present: with_changes(present, ids),
        facts={"entries": _matches_in_words(matches)},
    )


def _matches_in_words(matches: Sequence[ExactMatch]) -> str:
    """Describe the matches, for the report's history."""
    with override(None):
        return "; ".join(
            f"{match.entry_key[0]}/{match.entry_key[1]} {match.name} → "
            f"{match.player.member_id} ({match.by})"
            for match in matches
        )


def _report(editing: Editing) -> ReportedEvent:
    """Return the working copy; ``edit_report`` compares the version later."""
    return reported_in(Submission.objects.get(pk=editing["submission_id"]))


def _changes_from_records(
    reported: ReportedEvent, entry_keys: Sequence[EntryKey]
) -> dict[EntryKey, dict[str, str]]:
    members = members_of(reported)
    changes = {}
    for entry_key in entry_keys:
        entry = single_entry(reported, *entry_key)
        player = members.get(entry.member_id)
        if player is None:
            raise NotPossible(
                _("No member has the ID {id}.").format(id=entry.member_id)
                if entry.member_id
                else _("This entry has no member ID.")
            )
        if own := record_changes(entry, player):
            changes[entry_key] = own
    return changes


def single_entry(
    reported: ReportedEvent, section_number: int, pairing_number: int
) -> ReportedEntry:
    """Return an entry whose pairing number is unique in its section."""
    section = reported.section(section_number)
    entries = section.entries if section else ()
    same = [one for one in entries if one.pairing_number == pairing_number]
    if len(same) != 1:
        raise NotPossible(
            _(
                "Section {section} does not have exactly one entry with number "
                "{number}."
            ).format(section=section_number, number=pairing_number)
        )
    return same[0]


def with_changes(
    reported: ReportedEvent, changes: dict[EntryKey, dict[str, Any]]
) -> ReportedEvent:
    for (section, number), own in changes.items():
        reported = reported.with_entry(section, number, **own)
    return reported


def playing_members(member_ids: Collection[str]) -> dict[str, Player]:
    """Return the members with these IDs, who may play."""
    players = players_by_member_id(member_ids)
    for member_id in member_ids:
        player = players.get(member_id)
        if player is None:
            raise NotPossible(_("No member has the ID {id}.").format(id=member_id))
        if player.status in NOT_PLAYING:
            raise NotPossible(
                _("The ID {id} has the status “{status}” and can’t be used.").format(
                    id=member_id, status=player.get_status_display().lower()
                )
            )
    return players


def _in_words(reported: ReportedEvent, changes: dict[EntryKey, dict[str, str]]) -> str:
    """Describe each change of an entry, for the report's history."""
    lines = []
    for (section, number), own in changes.items():
        entry = single_entry(reported, section, number)
        before = ", ".join(getattr(entry, name) or "blank" for name in own)
        lines.append(f"{section}/{number} {before} → {', '.join(own.values())}")
    return "; ".join(lines)
