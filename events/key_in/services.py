"""A section typed in the browser: cells, rounds, entries, sections.

Each cell is saved against what its typist saw there. Where somebody else has changed
the same cell since, that cell waits and both are shown; the others are saved.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from events.books.refusals import NotPossible
from events.importers.dbf.layout_2c import MAX_SECTIONS
from events.importers.key_in import (
    Newcomer,
    Place,
    has_played,
    is_empty,
    last_round_is_empty,
    show_cell,
    with_idle_rounds,
    with_new_sections,
    with_newcomers,
    with_round,
    with_typed,
    without_entry,
    without_last_round,
    without_section,
)
from events.importers.records import (
    BLANK,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
)
from events.models import Submission
from events.reports.services.submissions import edit_report
from ratings_site.common.models import User

# What an audit entry tells of a large save.
MOST_CELLS_TOLD = 40
MOST_ENTRIES = 500


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody typed into a cell, and the text that stood there before."""

    was: str
    cell: Cell


@dataclass
class Typing:
    """What became of typed cells: saved, or changed meanwhile to something else."""

    saved: list[Place] = field(default_factory=list)
    conflicts: dict[Place, Cell] = field(default_factory=dict)


class _NothingToSave(Exception):
    """Takes the transaction back before it makes a new version."""


def type_cells(
    *,
    submission_id: int,
    actor: User,
    section_number: int,
    typed: Mapping[Place, Typed],
    roster: str,
    show: Callable[[Cell], str] = show_cell,
) -> Typing:
    """Save typed cells and fill in their opponents' cells where these are empty.

    *roster* says who stood in the rows (``roster_of``); *show* is how cells were shown.
    """
    typing = Typing()
    facts: dict[str, Any] = {"section": section_number}

    def change(reported: ReportedEvent) -> ReportedEvent:
        section = _section(reported, section_number)
        same_rows = roster == roster_of(section)
        cells = _accepted(section, typed, typing, show if same_rows else None)
        if not cells:
            raise _NothingToSave
        typing.saved = list(cells)
        facts["cells"] = _told(cells)
        changed = with_typed(reported, section_number, cells)
        return _with_section(changed, section_number, with_idle_rounds)

    with suppress(_NothingToSave):
        edit_report(
            submission_id=submission_id,
            actor=actor,
            version=None,
            what="cells_typed",
            change=change,
            facts=facts,
        )
    return typing


def roster_of(section: ReportedSection) -> str:
    """Return a text that changes when other people stand in the rows."""
    rows = [
        (entry.pairing_number, entry.member_id, entry.name) for entry in section.entries
    ]
    return f"{zlib.crc32(repr(rows).encode()):08x}"


def _accepted(
    section: ReportedSection,
    typed: Mapping[Place, Typed],
    typing: Typing,
    show: Callable[[Cell], str] | None,
) -> dict[Place, Cell]:
    """Return the cells to save; what somebody else has changed goes to *typing*.

    Where the rows are other people's now (*show* is None), nothing is saved unseen.
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


def _told(cells: Mapping[Place, Cell]) -> str:
    told = [
        f"{place.number}/{place.column} {show_cell(cell) or 'blank'}"
        for place, cell in list(cells.items())[:MOST_CELLS_TOLD]
    ]
    more = len(cells) - len(told)
    return ", ".join(told) + (f" and {more} more" if more else "")


def add_round(*, submission_id: int, actor: User, section_number: int) -> Submission:
    return _edit_section(
        submission_id,
        actor,
        section_number,
        "round_added",
        lambda old, facts: with_round(old),
    )


def remove_round(*, submission_id: int, actor: User, section_number: int) -> Submission:
    """Take the last round away, if nothing stands in it."""

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        if not last_round_is_empty(section):
            raise NotPossible(_("The last round has results. Clear its cells first."))
        return without_last_round(section)

    return _edit_section(submission_id, actor, section_number, "round_removed", change)


def add_entries(
    *,
    submission_id: int,
    actor: User,
    section_number: int,
    newcomers: Sequence[Newcomer],
    first_round: int = 1,
) -> Submission:
    """Enter players after the last number, unpaired in the rounds before *first_round*.

    Somebody with an ID who is in the section already is not entered again.
    """

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        known = {entry.member_id for entry in section.entries} - {""}
        added = [one for one in newcomers if one.member_id not in known]
        if not added:
            raise NotPossible(_("Everybody named is in the section already."))
        if len(section.entries) + len(added) > MOST_ENTRIES:
            raise NotPossible(
                _("More than {most} players are better sent as a file.").format(
                    most=MOST_ENTRIES
                )
            )
        facts["players"] = ", ".join(one.member_id or one.name for one in added)
        return with_newcomers(section, added, first_round)

    return _edit_section(submission_id, actor, section_number, "entries_added", change)


def name_entry(
    *,
    submission_id: int,
    actor: User,
    section_number: int,
    was: ReportedEntry,
    newcomer: Newcomer,
) -> Submission:
    """Say who an entry without a member ID is; *was* is how it was shown."""

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        entry = _still_there(section, was)
        if entry.member_id.strip("0"):
            raise NotPossible(
                _("Number {number} has a member ID by now. Look at the entry.").format(
                    number=was.pairing_number
                )
            )
        named = replace(
            entry,
            member_id=newcomer.member_id,
            name=newcomer.name,
            state=newcomer.state,
            rating=newcomer.rating,
        )
        facts |= {
            "pairing_number": was.pairing_number,
            "member_id": newcomer.member_id,
        }
        entries = [named if each is entry else each for each in section.entries]
        return replace(section, entries=tuple(entries))

    return _edit_section(submission_id, actor, section_number, "entry_named", change)


def remove_entry(
    *, submission_id: int, actor: User, section_number: int, was: ReportedEntry
) -> Submission:
    """Take out an entry that nobody played; later numbers move up.

    *was* is how the entry was shown: other numbers may have moved up meanwhile.
    """
    number = was.pairing_number

    def change(section: ReportedSection, facts: dict[str, Any]) -> ReportedSection:
        entry = _still_there(section, was)
        if has_played(section, number):
            raise NotPossible(
                _(
                    "Number {number} has results. Clear the results first; who did "
                    "not play some rounds stays in the section."
                ).format(number=number)
            )
        facts |= {"pairing_number": number, "player": entry.member_id or entry.name}
        return without_entry(section, number)

    return _edit_section(submission_id, actor, section_number, "entry_removed", change)


def _still_there(section: ReportedSection, was: ReportedEntry) -> ReportedEntry:
    entry = section.entry(was.pairing_number)
    if entry is None or (entry.member_id, entry.name) != (was.member_id, was.name):
        raise NotPossible(
            _(
                "Number {number} is somebody else by now. Look at the rows again."
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
                _("A report has at most {most} sections.").format(most=MAX_SECTIONS)
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


def delete_section(
    *, submission_id: int, actor: User, section_number: int, version: int
) -> Submission:
    """Take out a section without results; later sections move up."""

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
                _("A report needs a section. Withdraw the report instead.")
            )
        return without_section(reported, section_number)

    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=version,
        what="section_deleted",
        change=change,
        facts={"section": section_number},
    )


_SectionChange = Callable[[ReportedSection, dict[str, Any]], ReportedSection]


def _edit_section(
    submission_id: int,
    actor: User,
    section_number: int,
    what: str,
    change: _SectionChange,
) -> Submission:
    facts: dict[str, Any] = {"section": section_number}
    return edit_report(
        submission_id=submission_id,
        actor=actor,
        version=None,
        what=what,
        change=lambda report: _with_section(
            report, section_number, lambda section: change(section, facts)
        ),
        facts=facts,
    )


def _with_section(
    reported: ReportedEvent,
    number: int,
    change: Callable[[ReportedSection], ReportedSection],
) -> ReportedEvent:
    changed = change(_section(reported, number))
    sections = [
        changed if section is reported.section(number) else section
        for section in reported.sections
    ]
    return reported.with_event(sections=tuple(sections))


def _section(reported: ReportedEvent, number: int) -> ReportedSection:
    section = reported.section(number)
    if section is None:
        raise NotPossible(
            _("The report has no section {number} any more.").format(number=number)
        )
    return section
