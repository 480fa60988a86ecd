"""The rows of a crosstable as entries: one row per player, a result for each round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.findings import Collector, Place, found
from events.importers.foreign.records import are_member_ids, plain_number
from events.importers.records import BLANK, HIGHEST_PAIRING_NUMBER, Cell, ReportedEntry
from events.importers.tables.days import became_day
from events.importers.tables.european import Dialect, read_in_dialect
from events.importers.tables.grids import Grid, TableRow
from events.importers.tables.headings import Column, Heading
from events.importers.tables.numbering import mirrored
from events.importers.tables.results import is_tally, read_game

LONGEST_NAME = 60
LONGEST_RAW = 20
# One more than a FIDE ID has: one that was cut to its length is somebody else's.
LONGEST_FIDE_ID = 11

_MEMBER_ID = re.compile(r"(?<![0-9])([1-9][0-9]{7})(?![0-9])", re.ASCII)
_WHOLE = re.compile(r"#?([0-9]{1,9})(?:[.):]|\.0+)?", re.ASCII)
_BEFORE_NAME = re.compile(r"([1-9][0-9]{0,3})[.)]?[ ]+(?=[^\W\d_])", re.ASCII)
# What is a result wherever it stands; "+12" may be points that a rating gained.
_RESULT = re.compile(
    r"[WLDXF] {0,3}[1-9][0-9]{0,3}[WB]?|[1-9][0-9]{0,3}(?:[WLD][WB]?|[WBSN][10½=+-])",
    re.ASCII | re.IGNORECASE,
)
_RESULT_WITHIN = re.compile(
    r"(?<![^\s|])(?:[WL][1-9][0-9]{0,2}|[1-9][0-9]{0,3}[WBSN][10½=+-])(?![^\s|,;])",
    re.ASCII | re.IGNORECASE,
)
_UNRATED = ("0", "UNR", "UNR.", "UNRATED", "NEW", "NR", "-", "--", "---", "----")


@dataclass(frozen=True, slots=True)
class Table:
    """The rows under one heading, and what each column holds."""

    grid: Grid
    headings: tuple[Heading, ...]
    rows: tuple[TableRow, ...]

    def column(self, column: Column) -> int:
        """Return where the first such column stands, -1 if there is none."""
        for index, heading in enumerate(self.headings):
            if heading.column is column:
                return index
        return -1

    def text(self, row: TableRow, column: Column) -> str:
        return row.cell(self.column(column))

    def is_game_behind(self, index: int, text: str) -> bool:
        """Tell whether a game's result stands behind the last heading.

        Under a heading "1-0" may be somebody's wins and losses.
        """
        is_behind = index >= len(self.headings) and text[:1].isdigit()
        return is_behind and read_game(text) is not None

    def tell(
        self,
        findings: Collector,
        name: str,
        row: TableRow,
        column: Column | int | None,
        /,
        **values: Any,
    ) -> None:
        """Add a finding that begins with the place: “Line 4, column 7: …”."""
        index = self.column(column) if isinstance(column, Column) else column
        index = None if index == -1 else index
        tell(findings, name, self.grid, row, index, **values)


def tell(
    findings: Collector,
    name: str,
    grid: Grid,
    row: TableRow,
    index: int | None,
    /,
    **values: Any,
) -> None:
    """Add a finding about a row, or its cell *index*, that begins with the place."""
    place = Place(file=grid.file, field=grid.spot(row, index))
    finding = found(name, place, **values)
    findings.take(replace(finding, message=grid.said_at(row, index, finding.message)))


def whole(text: str) -> int | None:
    """Return the number that *text* spells: 12, 12., #12 or 12.0; None for others.

    >>> whole("12."), whole("3.0"), whole("x")
    (12, 3, None)
    """
    match = _WHOLE.fullmatch(text.strip())
    return int(match[1]) if match else None


def _fide_id(text: str) -> str:
    """Return a FIDE ID as its digits alone, and other texts unchanged.

    >>> _fide_id("0002 020 001"), _fide_id("'2020001'"), _fide_id("none")
    ('2020001', '2020001', 'none')
    """
    digits = plain_number(text)
    return (digits.lstrip("0") if digits.isdecimal() else text)[:LONGEST_FIDE_ID]


def member_id_of(text: str) -> str:
    """Return the member ID in *text*, or the text itself, cut short, if it has none.

    >>> member_id_of("12345678 (2025)"), member_id_of("12345678.0"), member_id_of("77")
    ('12345678', '12345678', '77')
    """
    match = _MEMBER_ID.search(text)
    return match[1] if match else text[:8]


def state_of(text: str) -> str:
    """Return the two letters of a state; anything else is no state.

    >>> state_of("il"), state_of("Illinois")
    ('IL', '')
    """
    return text.upper() if len(text) == 2 and text.isalpha() else ""


def rating_of(text: str) -> str:
    """Return the rating before, without how provisional it was.

    >>> rating_of("1500"), rating_of("1500P12"), rating_of("unr.")
    ('1500', '1500', '')
    """
    if text.upper() in _UNRATED:
        return ""
    match = re.match(r"[0-9]{3,4}(?![0-9])", text, re.ASCII)
    return match[0] if match and len(text) > 4 else text[:4]


def name_without_id(text: str) -> str:
    """Return a name without a member ID beside it."""
    return re.sub(r"[\s(/,]*[1-9][0-9]{7}(?![0-9])[)/]*", "", text).strip()


class Crosstable:
    """Reads the entries of one table."""

    def __init__(self, table: Table, findings: Collector, dialect: Dialect) -> None:
        self.table = table
        self.findings = findings
        self.dialect = dialect
        self.rounds = result_columns(table.headings)
        self.names_numbered = False  # whether a place stands before each name

    @property
    def round_count(self) -> int:
        return max(self.rounds, default=0)

    def entries(self) -> list[ReportedEntry]:
        rows = self._entry_rows()
        self.names_numbered = _are_numbered(
            [self.table.text(row, Column.NAME) for row in rows]
        )
        cells = [self._cells(row) for row in rows]
        numbers = self._numbers(rows, cells)
        return self._with_member_ids(
            rows,
            [self._entry(*each) for each in zip(rows, numbers, cells, strict=True)],
        )

    def _with_member_ids(
        self, rows: Sequence[TableRow], entries: list[ReportedEntry]
    ) -> list[ReportedEntry]:
        """Take FIDE IDs for member IDs where none is one and no others are given."""
        fide_ids = [entry.fide_id for entry in entries if entry.fide_id]
        if any(entry.member_id for entry in entries) or not are_member_ids(fide_ids):
            return entries
        self.table.tell(
            self.findings,
            "table.member_ids",
            rows[0],
            Column.FIDE_ID,
            count=len(fide_ids),
        )
        return [
            replace(entry, member_id=entry.fide_id, fide_id="") for entry in entries
        ]

    def _entry_rows(self) -> list[TableRow]:
        numbered = next(iter(self._number_columns()), None)
        rows = []
        for row in self.table.rows:
            if self._is_entry(row, numbered) and not self._is_tally(row):
                rows.append(row)
                self._tell_outside(row)
            else:
                self._leave_out(row)
        return rows

    def _number_columns(self) -> list[int]:
        """Return the columns of pairing numbers, then those of places."""
        return [
            index
            for column in (Column.NUMBER, Column.RANK)
            for index, heading in enumerate(self.table.headings)
            if heading.column is column
        ]

    def _is_entry(self, row: TableRow, numbered: int | None) -> bool:
        """Whether the row is a player's: it names one, or has number and results."""
        if numbered is not None and whole(row.cell(numbered)) is None:
            results = (row.cell(index) for index in self.rounds.values())
            return bool(self._named(row) and any(results))
        return bool(self._named(row)) or numbered is not None

    def _is_tally(self, row: TableRow) -> bool:
        results = [row.cell(index) for index in self.rounds.values()]
        label = " ".join(row.cells[: min(self.rounds.values(), default=0)])
        return is_tally(label, [text for text in results if text])

    def _named(self, row: TableRow) -> str:
        columns = (Column.MEMBER_ID, Column.NAME, Column.FAMILY_NAME)
        return "".join(self.table.text(row, column) for column in columns)

    def _leave_out(self, row: TableRow) -> None:
        held = (
            row.holds_results
            or any(map(_RESULT.fullmatch, row.cells))
            or any(self._read(row.cell(index)).code for index in self.rounds.values())
        )
        held = held and not self._is_tally(row)
        name = "table.row_left_out/results" if held else "table.row_left_out"
        self.table.tell(self.findings, name, row, None, row=" ".join(row.filled)[:60])

    def _tell_outside(self, row: TableRow) -> None:
        """Say which results stand in columns that are no rounds."""
        for index, text in enumerate(row.cells):
            if index in self.rounds.values():
                continue
            is_game = self.table.is_game_behind(index, text)
            if is_game or _RESULT.fullmatch(text) or _RESULT_WITHIN.search(text):
                self.table.tell(
                    self.findings,
                    "table.row_left_out/column",
                    row,
                    index,
                    row=text[:60],
                )

    def _numbers(
        self, rows: Sequence[TableRow], cells: Sequence[tuple[Cell, ...]]
    ) -> list[int]:
        """Return the players' numbers: those by which most results mirror.

        Pairing numbers come before places, and both before the order of the rows.
        """
        in_order = list(range(1, len(rows) + 1))
        columns = self._number_columns()
        given = {
            index: [whole(row.cell(index)) or 0 for row in rows] for index in columns
        }
        if self.names_numbered:
            name = self.table.column(Column.NAME)
            given[name] = [_number_before(row.cell(name)) for row in rows]
        if not given:
            self._tell_numbers(rows, "table.numbered_in_order", None)
            return in_order
        agreed = {index: mirrored(given[index], cells) for index in given}
        best = max(agreed, key=lambda index: agreed[index])
        are_distinct = len(set(given[best])) == len(rows)
        if are_distinct and mirrored(in_order, cells) > agreed[best]:
            self._tell_numbers(rows, "table.numbers_chosen/order", None)
            return in_order
        if best != next(iter(given)):
            self._tell_numbers(rows, "table.numbers_chosen", best)
        return given[best]

    def _tell_numbers(
        self, rows: Sequence[TableRow], name: str, index: int | None
    ) -> None:
        if rows:
            self.table.tell(self.findings, name, rows[0], index)

    def _entry(
        self, row: TableRow, number: int, cells: tuple[Cell, ...]
    ) -> ReportedEntry:
        text = self.table.text
        name = text(row, Column.NAME) or self._joined_name(row)
        if self.names_numbered:
            name = _BEFORE_NAME.sub("", name)
        member_id = member_id_of(text(row, Column.MEMBER_ID))
        if not member_id and (match := _MEMBER_ID.search(name)):
            has_column = self.table.column(Column.MEMBER_ID) >= 0
            if not has_column or name_without_id(name):
                member_id, name = match[1], name_without_id(name)
        return ReportedEntry(
            pairing_number=number if number <= HIGHEST_PAIRING_NUMBER else 0,
            member_id=member_id,
            name=name[:LONGEST_NAME].rstrip(),
            state=state_of(text(row, Column.STATE)),
            rating=rating_of(text(row, Column.RATING)),
            cells=cells,
            fide_id=_fide_id(text(row, Column.FIDE_ID)),
            fide_rating=text(row, Column.FIDE_RATING)[:4],
            cfc_id=text(row, Column.CFC_ID)[:10],
            cfc_rating=text(row, Column.CFC_RATING)[:4],
            rating_after=rating_of(text(row, Column.RATING_AFTER)),
        )

    def _joined_name(self, row: TableRow) -> str:
        family = self.table.text(row, Column.FAMILY_NAME)
        given = self.table.text(row, Column.GIVEN_NAME)
        return f"{family}, {given}" if family and given else family or given

    def _cells(self, row: TableRow) -> tuple[Cell, ...]:
        return tuple(
            self._cell(row, self.rounds[number]) if number in self.rounds else BLANK
            for number in range(1, self.round_count + 1)
        )

    def _cell(self, row: TableRow, index: int) -> Cell:
        text = row.cell(index)
        cell = self._read(text)
        if cell.raw:
            self._tell_no_result(row, index)
            return Cell(raw=cell.raw[:LONGEST_RAW].strip())
        return cell

    def _read(self, text: str) -> Cell:
        return read_in_dialect(text, self.dialect)

    def _tell_no_result(self, row: TableRow, index: int) -> None:
        # The report shows the text on its cell until it is corrected; only the
        # file can say where it stood there.
        text = row.cell(index)
        name = "table.no_result/day" if became_day(text) else "table.no_result"
        self.table.tell(self.findings, name, row, index, written=text[:LONGEST_RAW])


def _number_before(name: str) -> int:
    """Return the number that stands before a name, 0 if there is none."""
    match = _BEFORE_NAME.match(name)
    return int(match[1]) if match else 0


def _are_numbered(names: Sequence[str]) -> bool:
    """Whether a number of its own stands before each of several names."""
    numbers = [_number_before(name) for name in names]
    return len(names) > 1 and all(numbers) and len(set(numbers)) == len(numbers)


def result_columns(headings: Sequence[Heading]) -> dict[int, int]:
    """Return the column of each round; columns without a number follow each other.

    >>> result_columns([Heading(Column.NAME), Heading(Column.ROUND_RESULT, 1)])
    {1: 1}
    """
    columns: dict[int, int] = {}
    for index, heading in enumerate(headings):
        if heading.column is Column.ROUND_RESULT:
            number = heading.round_number or max(columns, default=0) + 1
            if number <= MAX_ROUNDS:
                columns.setdefault(number, index)
    return columns
