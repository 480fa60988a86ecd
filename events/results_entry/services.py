"""Services for the results grid: cells, rounds, entries, sections.

Each cell is saved only if it still has the content that was shown. If another user has
changed it, it is not saved and both values are shown; the others are saved.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypedDict, Unpack

from django.utils.translation import gettext as _

from events.formats.dbf.layout_2c import MAX_SECTIONS
from events.formats.report import (
    BLANK,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
)
from events.formats.results_entry import (
    CellPosition,
    NewEntry,
    format_typed_cell,
    has_played,
    is_empty,
    is_last_round_empty,
    with_new_entries,
    with_new_sections,
    with_results,
    with_round,
    with_unpaired_rounds,
    without_entry,
    without_last_round,
    without_section,
)
from events.models import Submission
from events.records.exceptions import NotPossible
from events.reports.services.submissions import Editing, edit_report, with_replaced
from ratings_site.common.models import User

# The most cells that an audit entry lists.
MAX_CELLS_LOGGED = 40
MAX_ENTRIES = 500


@dataclass(frozen=True, slots=True)
class TypedCell:
    """The text typed into a cell, and the text that was shown."""

    was: str
    cell: Cell


@dataclass
class CellSaveResult:
    """The typed cells by outcome: saved, or in conflict with another change."""

    saved: list[CellPosition] = field(default_factory=list)
    conflicts: dict[CellPosition, Cell] = field(default_factory=dict)


class EditedSection(TypedDict):
    """The section that a service edits, and the account that does it."""

    submission_id: int
    actor: User
    section_number: int


class _NothingToSave(Exception):
    """Rolls the transaction back before it makes a new version."""


def save_cells(
    *,
    typed: Mapping[CellPosition, TypedCell],
    roster: str,
    show: Callable[[Cell], str] = format_typed_cell,
    **where: Unpack[EditedSection],
) -> CellSaveResult:
    """Save typed cells and fill in their opponents' cells if these are empty.

    *roster* identifies the players of the rows (``roster_of``); *show* formats cells.
    """
    typing = CellSaveResult()

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        same_rows = roster == roster_of(section)
        cells = _split_conflicts(section, typed, typing, show if same_rows else None)
        if not cells:
            raise _NothingToSave
        typing.saved = list(cells)
        facts["cells"] = _cells_as_text(cells)
        report = ReportedEvent(sections=(section,))
        changed = with_results(report, section.number, cells)
        return with_unpaired_rounds(changed.sections[0])

    with suppress(_NothingToSave):
        _edit_section("cells_typed", change, **where)
    return typing


def roster_of(section: ReportedSection) -> str:
    """Return a text that changes when the players of the rows change."""
    rows = [
        (entry.pairing_number, entry.member_id, entry.name) for entry in section.entries
    ]
    return f"{zlib.crc32(repr(rows).encode()):08x}"


def _split_conflicts(
    section: ReportedSection,
    typed: Mapping[CellPosition, TypedCell],
    typing: CellSaveResult,
    show: Callable[[Cell], str] | None,
) -> dict[CellPosition, Cell]:
    """Return the cells to save; cells changed by others are added to *typing*.

    If the rows have other players now (*show* is None), nothing is saved.
    """
    accepted = {}
    for place, one in typed.items():
        entry = section.entry(place.number)
        present = entry.cell(place.column) if entry else BLANK
        if one.cell == present:
            continue
        if entry is None or show is None or show(present) != one.was:
            typing.conflicts[place] = present
        else:
            accepted[place] = one.cell
    return accepted


def _cells_as_text(cells: Mapping[CellPosition, Cell]) -> str:
    told = [
        f"{place.number}/{place.column} {format_typed_cell(cell) or 'blank'}"
        for place, cell in list(cells.items())[:MAX_CELLS_LOGGED]
    ]
    more = len(cells) - len(told)
    return ", ".join(told) + (f" and {more} more" if more else "")


def add_round(**where: Unpack[EditedSection]) -> Submission:
    return _edit_section("round_added", lambda old, _facts: with_round(old), **where)


def remove_round(**where: Unpack[EditedSection]) -> Submission:
    """Remove the last round if it is empty."""

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        if not is_last_round_empty(section):
            raise NotPossible(_("The last round has results. Clear its cells first."))
        return without_last_round(section)

    return _edit_section("round_removed", change, **where)


def add_entries(
    *,
    newcomers: Sequence[NewEntry],
    first_round: int = 1,
    **where: Unpack[EditedSection],
) -> Submission:
    """Add players after the last number, unpaired in rounds before *first_round*.

    A member who is in the section already is not added again.
    """

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        known = {entry.member_id for entry in section.entries} - {""}
        added = [one for one in newcomers if one.member_id not in known]
        if not added:
            raise NotPossible(_("All of these players are already in the section."))
        if len(section.entries) + len(added) > MAX_ENTRIES:
            raise NotPossible(
                _(
                    "You can enter up to {most} players. For more, upload a file."
                ).format(most=MAX_ENTRIES)
            )
        facts["players"] = ", ".join(one.member_id or one.name for one in added)
        return with_new_entries(section, added, first_round)

    return _edit_section("entries_added", change, **where)


def set_entry_member(
    *, was: ReportedEntry, newcomer: NewEntry, **where: Unpack[EditedSection]
) -> Submission:
    """Set the member of an entry without an ID; *was* is the entry as shown."""

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        entry = _require_unchanged(section, was)
        if entry.member_id.strip("0"):
            raise NotPossible(
                _(
                    "Pairing number {number} already has a member ID. Reload the "
                    "page to see it."
                ).format(number=was.pairing_number)
            )
        named = replace(entry, **asdict(newcomer))
        number = was.pairing_number
        facts |= {"pairing_number": number, "member_id": newcomer.member_id}
        entries = [named if each is entry else each for each in section.entries]
        return replace(section, entries=tuple(entries))

    return _edit_section("entry_named", change, **where)


def remove_entry(*, was: ReportedEntry, **where: Unpack[EditedSection]) -> Submission:
    """Remove an entry without games; later numbers move up.

    *was* is the entry as shown: other numbers may have moved up meanwhile.
    """
    number = was.pairing_number

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        entry = _require_unchanged(section, was)
        if has_played(section, number):
            raise NotPossible(
                _(
                    "Pairing number {number} has results. Clear them first. You "
                    "don’t need to remove a player who missed some rounds."
                ).format(number=number)
            )
        facts |= {"pairing_number": number, "player": entry.member_id or entry.name}
        return without_entry(section, number)

    return _edit_section("entry_removed", change, **where)


def _require_unchanged(section: ReportedSection, was: ReportedEntry) -> ReportedEntry:
    entry = section.entry(was.pairing_number)
    if entry is None or (entry.member_id, entry.name) != (was.member_id, was.name):
        raise NotPossible(
            _(
                "Pairing number {number} is now a different player. Reload the "
                "page and try again."
            ).format(number=was.pairing_number)
        )
    return entry


def add_sections(
    *, submission_id: int, actor: User, sections: Sequence[ReportedSection]
) -> Submission:
    """Add sections at the end of the report."""

    def change(reported: ReportedEvent) -> ReportedEvent:
        if len(reported.sections) + len(sections) > MAX_SECTIONS:
            raise NotPossible(
                _("A report can have up to {most} sections.").format(most=MAX_SECTIONS)
            )
        return with_new_sections(reported, sections)

    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=None,
        what="sections_added",
        change=change,
        facts={"sections": ", ".join(section.name for section in sections)},
    )


def delete_section(*, section_number: int, **editing: Unpack[Editing]) -> Submission:
    """Delete a section without results; later sections move up."""

    def change(reported: ReportedEvent) -> ReportedEvent:
        section = _section(reported, section_number)
        if not is_empty(section):
            raise NotPossible(
                _(
                    "Section {number} has results and cannot be deleted. Clear its "
                    "cells first."
                ).format(number=section_number)
            )
        if len(reported.sections) == 1:
            raise NotPossible(
                _("A report needs at least one section. Withdraw the report instead.")
            )
        return without_section(reported, section_number)

    facts = {"section": section_number}
    return edit_report(**editing, what="section_deleted", change=change, facts=facts)


_SectionChange = Callable[[ReportedSection, dict[str, Any]], ReportedSection]


def _edit_section(
    what: str, change: _SectionChange, **where: Unpack[EditedSection]
) -> Submission:
    number = where["section_number"]
    facts: dict[str, Any] = {"section": number}

    def change_report(reported: ReportedEvent) -> ReportedEvent:
        section = _section(reported, number)
        return with_replaced(reported, section, change(section, facts))

    return edit_report(
        submission_id=where["submission_id"],
        actor=where["actor"],
        version=None,
        what=what,
        change=change_report,
        facts=facts,
    )


def _section(reported: ReportedEvent, number: int) -> ReportedSection:
    section = reported.section(number)
    if section is None:
        raise NotPossible(
            _("The report no longer has a section {number}.").format(number=number)
        )
    return section
