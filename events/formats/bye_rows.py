"""Rows of a file that stand for a bye but look like a player's.

Pairing programs and people enter “BYE” as a player if a section has an odd number of
players. Such a row is removed, and results against it become byes.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from events.formats.byes import bye_code, can_be_username
from events.formats.findings import Collector, Place
from events.formats.report import Cell, ReportedEntry, ReportedEvent, ReportedSection
from events.formats.result_codes import result_code

# The bye of a player whose opponent is a bye's row, by the result in that row.
_OPPOSITE = {"L": "B", "F": "B", "D": "H", "W": "U", "X": "U"}
_WINS = frozenset("WN$#")


def without_bye_rows(
    report: ReportedEvent, findings: Collector, file: str = ""
) -> ReportedEvent:
    """Return *report* without the rows of byes; pairing numbers stay as they are.

    >>> from events.formats.report import parse_cell
    >>> ann = ReportedEntry(1, name="Ann", cells=(parse_cell("W2W"),))
    >>> bye = ReportedEntry(2, name="BYE", cells=(parse_cell("L1B"),))
    >>> section = ReportedSection(1, entries=(ann, bye))
    >>> report = without_bye_rows(ReportedEvent(sections=(section,)), Collector())
    >>> [(entry.name, entry.cells[0].code) for entry in report.sections[0].entries]
    [('Ann', 'B')]
    """
    sections = [_without(section, findings, file) for section in report.sections]
    return replace(report, sections=tuple(sections))


def is_bye_name(entry: ReportedEntry) -> bool:
    """Return whether an entry has the name of a bye and no data of a member."""
    known = (
        *(entry.member_id, entry.rating, entry.fide_id, entry.fide_rating),
        *(entry.cfc_id, entry.cfc_rating),
    )
    return bye_code(entry.name) is not None and not any(
        text.strip("0 -") for text in known
    )


def _without(
    section: ReportedSection, findings: Collector, file: str
) -> ReportedSection:
    rows = _Rows(section)
    if not rows.removed_rows or len(rows.removed_rows) == len(section.entries):
        return section
    for row in rows.removed_rows:
        place = Place(file, section.number, field=f"entry-{row.pairing_number}")
        findings.add("entry.bye_row", place, name=row.name, number=row.pairing_number)
    return rows.section_without_byes()


class _Rows:
    """The rows of a section that stand for a bye, and the players' rows."""

    def __init__(self, section: ReportedSection) -> None:
        self.section = section
        self.kind = section.codes_kind
        rows = [entry for entry in section.entries if _is_bye(section, entry)]
        numbers = {row.pairing_number for row in rows}
        counts = Counter(entry.pairing_number for entry in section.entries)
        self.players = {
            entry.pairing_number: entry
            for entry in section.entries
            if entry.pairing_number not in numbers
        }
        self.removed_rows = [
            row
            for row in rows
            if (counts[row.pairing_number] == 1 or not row.pairing_number)
            and all(
                self._is_consistent(row, column, cell)
                for column, cell in enumerate(row.cells, start=1)
            )
        ]
        self.numbers = {row.pairing_number for row in self.removed_rows} - {0}

    def _is_consistent(self, row: ReportedEntry, column: int, cell: Cell) -> bool:
        """Return whether the opponent's row has a result from the bye's row.

        If not, the row stays, so that the checks show both results.
        """
        if cell.opponent is None:
            return not re.search("[0-9]", cell.raw)
        other = self.players.get(cell.opponent)
        if other is None:
            return False
        answer = other.cell(self._opponent_column(row, column))
        if answer.opponent == row.pairing_number:
            return True
        code = _OPPOSITE.get(cell.code)
        is_bye = answer.opponent is None and not answer.raw
        return is_bye and answer.code in ("", code)

    def _opponent_column(self, row: ReportedEntry, column: int) -> int:
        return row.pairing_number if self.section.has_opponent_columns else column

    def section_without_byes(self) -> ReportedSection:
        section, removed_rows = self.section, {*self.removed_rows}
        byes = self._byes_by_cell()
        entries = [
            replace(
                entry,
                cells=tuple(
                    self._cell(cell, byes.get((entry.pairing_number, column)))
                    for column, cell in enumerate(entry.cells, start=1)
                ),
            )
            for entry in section.entries
            if entry not in removed_rows
        ]
        last = section.last_pairing_number
        if last in self.numbers:
            last = max(entry.pairing_number for entry in entries)
        schedules = (
            replace(
                schedule,
                entries=tuple(n for n in schedule.entries if n not in self.numbers),
            )
            for schedule in section.schedules
            if not schedule.entries or {*schedule.entries} - self.numbers
        )
        return replace(
            section,
            entries=tuple(entries),
            last_pairing_number=last,
            schedules=tuple(schedules),
        )

    def _byes_by_cell(self) -> dict[tuple[int, int], str]:
        """Return the byes that the rows report, by player and column."""
        if self.section.has_double_games:
            return {}
        return {
            (cell.opponent, self._opponent_column(row, column)): _OPPOSITE[cell.code]
            for row in self.removed_rows
            for column, cell in enumerate(row.cells, start=1)
            if cell.opponent and cell.code in _OPPOSITE
        }

    def _cell(self, cell: Cell, own_code: str | None) -> Cell:
        """Return the bye for a result against the bye's row, or for a blank."""
        if cell.is_blank and own_code:
            return Cell(own_code)
        result = result_code(cell.code, self.kind)
        if cell.opponent not in self.numbers or result is None or cell.code == "I":
            return cell
        for code in "BHU":
            bye = result_code(code, self.kind)
            if bye and bye.half_points == result.half_points:
                return Cell(code)
        return cell


def _is_bye(section: ReportedSection, entry: ReportedEntry) -> bool:
    if not is_bye_name(entry):
        return False
    won = any(cell.code in _WINS and cell.opponent for cell in entry.cells)
    return not (can_be_username(entry.name) and (section.online or won))
