"""The rows of a crosstable as entries: one row per player, a result for each round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.findings import Collector
from events.formats.parsing import are_member_ids, match_or_blank
from events.formats.report import BLANK, MAX_PAIRING_NUMBER, Cell, ReportedEntry
from events.formats.result_codes import OTHER_COLOR, SINGLE
from events.formats.tables.dates import is_spreadsheet_date
from events.formats.tables.dialects import Dialect, read_in_dialect
from events.formats.tables.grids import Grid, TableRow
from events.formats.tables.headings import Column, Heading
from events.formats.tables.results import is_tally, parse_game_result
from players.formats.member_ids import MEMBER_ID
from players.formats.text import normalize_number

MAX_NAME_LENGTH = 60
MAX_RAW_LENGTH = 20
# One more than a FIDE ID has: an ID cut to that length would be another player's.
MAX_FIDE_ID_LENGTH = 11

_WHOLE = re.compile(r"#?([0-9]{1,9})(?:[.):]|\.0+)?", re.ASCII)
_BEFORE_NAME = re.compile(r"([1-9][0-9]{0,3})[.)]?[ ]+(?=[^\W\d_])", re.ASCII)
# A result in any column; "+12" may be a rating gain.
_RESULT = re.compile(
    r"[WLDXF] {0,3}[1-9][0-9]{0,3}[WB]?|[1-9][0-9]{0,3}(?:[WLD][WB]?|[WBSN][10½=+-])",
    re.ASCII | re.IGNORECASE,
)
_RESULT_WITHIN = re.compile(
    r"(?<![^\s|])(?:[WL][1-9][0-9]{0,2}|[1-9][0-9]{0,3}[WBSN][10½=+-])(?![^\s|,;])",
    re.ASCII | re.IGNORECASE,
)
# A letter or sign of a result next to a number.
_LIKE_RESULT = re.compile(
    r"[WLDXFBSN+=-] ?[0-9]|[0-9] ?[WLDXFBSN+=:-]", re.ASCII | re.IGNORECASE
)
_COLORS = re.compile(r"[wbsnx-]+", re.IGNORECASE)
_PLAYED = ("W", "L", "D")
_UNRATED = ("0", "UNR", "UNR.", "UNRATED", "NEW", "NR", "-", "--", "---", "----")


@dataclass(frozen=True, slots=True)
class Table:
    """The rows under one heading, and the meaning of each column."""

    grid: Grid
    headings: tuple[Heading, ...]
    rows: tuple[TableRow, ...]

    def column(self, column: Column) -> int:
        """Return the index of the first such column, -1 if there is none."""
        for index, heading in enumerate(self.headings):
            if heading.column is column:
                return index
        return -1

    def text(self, row: TableRow, column: Column) -> str:
        return row.cell(self.column(column))

    def is_game_after_headings(self, index: int, text: str) -> bool:
        """Return whether a game's result is after the last heading.

        Under a heading "1-0" may be a player's wins and losses.
        """
        is_behind = index >= len(self.headings) and text[:1].isdigit()
        return is_behind and parse_game_result(text) is not None


def parse_whole_number(text: str) -> int | None:
    """Return the number that *text* spells: 12, 12., #12 or 12.0; None for others.

    >>> parse_whole_number("12."), parse_whole_number("3.0"), parse_whole_number("x")
    (12, 3, None)
    """
    match = _WHOLE.fullmatch(text.strip())
    return int(match[1]) if match else None


def _fide_id(text: str) -> str:
    """Return a FIDE ID as its digits alone, and other texts unchanged.

    >>> _fide_id("0002 020 001"), _fide_id("'2020001'"), _fide_id("none")
    ('2020001', '2020001', 'none')
    """
    digits = normalize_number(text)
    return (digits.lstrip("0") if digits.isdecimal() else text)[:MAX_FIDE_ID_LENGTH]


def extract_member_id(text: str) -> str:
    """Return the member ID in *text*, or the text itself, cut short, if it has none.

    >>> [extract_member_id(text) for text in ("12345678 (2025)", "12345678.0", "77")]
    ['12345678', '12345678', '77']
    """
    if found := MEMBER_ID.find(text):
        return found
    restored = MEMBER_ID.restore(text.removesuffix(".0"))
    return restored if MEMBER_ID.whole.fullmatch(restored) else text[:8]


def with_color(cell: Cell, letter: str, white: str) -> Cell:
    """Return a game with its missing color filled in from a letter.

    Letters for Black are b, s or n; others are ignored.

    >>> with_color(Cell("W", 3), "w", "w"), with_color(Cell("B"), "x", "w").color
    (Cell(code='W', opponent=3, color='W', raw=''), '')
    """
    is_missing = cell.code in _PLAYED and cell.opponent is not None and not cell.color
    if not (is_missing and letter in "wbsn"):
        return cell
    return replace(cell, color="W" if letter == white else "B")


def parse_state(text: str) -> str:
    """Return the two letters of a state, blank for anything else.

    >>> parse_state("il"), parse_state("Illinois")
    ('IL', '')
    """
    return text.upper() if len(text) == 2 and text.isalpha() else ""


def parse_rating(text: str) -> str:
    """Return the rating before the event, without the number of games behind it.

    >>> parse_rating("1500"), parse_rating("1500P12"), parse_rating("unr.")
    ('1500', '1500', '')
    """
    if text.upper() in _UNRATED:
        return ""
    match = re.match(r"[0-9]{3,4}(?![0-9])", text, re.ASCII)
    return match[0] if match and len(text) > 4 else text[:4]


def name_without_id(text: str) -> str:
    """Return a name without a member ID next to it."""
    return re.sub(rf"[\s(/,]*{MEMBER_ID.within.pattern}[)/]*", "", text).strip()


class EntryReader:
    """Reads the entries of one table; subclasses are for the kinds of tables."""

    def __init__(self, table: Table, findings: Collector) -> None:
        self.table = table
        self.findings = findings

    def add(
        self, name: str, row: TableRow, column: Column | int | None, /, **values: Any
    ) -> None:
        """Add a finding that begins with the place: “Line 4, column 7: …”."""
        index = self.table.column(column) if isinstance(column, Column) else column
        index = None if index == -1 else index
        self.findings.add_finding(self.table.grid.finding(name, row, index, **values))


class Crosstable(EntryReader):
    """Reads the entries of a crosstable."""

    def __init__(
        self, table: Table, findings: Collector, dialect: Dialect, rounds: int = 0
    ) -> None:
        """Read *table* of a section with this number of *rounds*, if stated."""
        super().__init__(table, findings)
        self.dialect = dialect
        self.rounds = result_columns(table.headings)
        self._remove_columns_after(rounds)
        self.has_numbered_names = False  # whether each name has a place before it

    @property
    def round_count(self) -> int:
        return max(self.rounds, default=0)

    def _remove_columns_after(self, rounds: int) -> None:
        """Drop columns after the last round, unless they may have results."""
        if not rounds or not self.table.rows:
            return
        for number in [number for number in self.rounds if number > rounds]:
            index = self.rounds[number]
            texts = [text for row in self.table.rows if (text := row.cell(index))]
            if not any(map(self._can_be_result, texts)):
                del self.rounds[number]
                first = self.table.rows[0]
                self.add("table.extra_column", first, index, rounds=rounds)

    def _can_be_result(self, text: str) -> bool:
        """Return whether *text* may be a result, not points or a remark."""
        cell = self._read(text)
        if not cell.raw:
            return not cell.is_padding
        return _LIKE_RESULT.search(text) is not None

    def entries(self) -> list[ReportedEntry]:
        rows = self._entry_rows()
        self.has_numbered_names = _are_numbered(
            [self.table.text(row, Column.NAME) for row in rows]
        )
        cells = [self._cells(row) for row in rows]
        numbers = self._numbers(rows, cells)
        entries = [
            self._entry(*each)
            for each in zip(rows, numbers, self._colored(rows, cells), strict=True)
        ]
        self._report_local_ids(rows, entries)
        return self._with_member_ids(rows, entries)

    def _report_local_ids(
        self, rows: Sequence[TableRow], entries: Sequence[ReportedEntry]
    ) -> None:
        """Report IDs in a program's own column that are not member IDs."""
        left_out = sum(
            bool(self.table.text(row, Column.LOCAL_ID).strip("0 -"))
            and not entry.member_id
            for row, entry in zip(rows, entries, strict=True)
        )
        if left_out:
            name = "table.local_ids" + ("/one" if left_out == 1 else "")
            self.add(name, rows[0], Column.LOCAL_ID, count=left_out)

    def _colored(
        self, rows: Sequence[TableRow], cells: Sequence[tuple[Cell, ...]]
    ) -> list[tuple[Cell, ...]]:
        """Return the cells with colors from a column that has those of all rounds."""
        texts = [self.table.text(row, Column.COLORS) for row in rows]
        words = [re.sub(r"(?<=\w)[-/,. ](?=[\w-])", "", text).lower() for text in texts]
        if not all(map(_COLORS.fullmatch, filter(None, words))):
            return list(cells)
        white = "b" if any("n" in word for word in words) else "w"
        return [
            tuple(map(with_color, own, word.ljust(len(own)), [white] * len(own)))
            if len(word) <= len(own)
            else own
            for own, word in zip(cells, words, strict=True)
        ]

    def _with_member_ids(
        self, rows: Sequence[TableRow], entries: list[ReportedEntry]
    ) -> list[ReportedEntry]:
        """Use FIDE IDs as member IDs if none is a FIDE ID and there are no others."""
        fide_ids = [entry.fide_id for entry in entries if entry.fide_id]
        if any(entry.member_id for entry in entries) or not are_member_ids(fide_ids):
            return entries
        self.add("table.member_ids", rows[0], Column.FIDE_ID, count=len(fide_ids))
        return [
            replace(entry, member_id=entry.fide_id, fide_id="") for entry in entries
        ]

    def _entry_rows(self) -> list[TableRow]:
        numbered = next(iter(self._number_columns()), None)
        rows = []
        for row in self.table.rows:
            if self._is_entry(row, numbered) and not self._is_tally(row):
                rows.append(row)
                self._report_outside_results(row)
            else:
                self._skip_row(row)
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
        """Return whether the row has a player's name, or a number and results."""
        if numbered is not None and parse_whole_number(row.cell(numbered)) is None:
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

    def _skip_row(self, row: TableRow) -> None:
        has_results = (
            row.holds_results
            or any(map(_RESULT.fullmatch, row.cells))
            or any(self._read(row.cell(index)).code for index in self.rounds.values())
        )
        has_results = has_results and not self._is_tally(row)
        name = "table.row_left_out/results" if has_results else "table.row_left_out"
        self.add(name, row, None, row=" ".join(row.filled)[:60])

    def _report_outside_results(self, row: TableRow) -> None:
        """Report results in columns that are not rounds."""
        for index, text in enumerate(row.cells):
            if index in self.rounds.values():
                continue
            is_game = self.table.is_game_after_headings(index, text)
            if is_game or _RESULT.fullmatch(text) or _RESULT_WITHIN.search(text):
                self.add("table.row_left_out/column", row, index, row=text[:60])

    def _numbers(
        self, rows: Sequence[TableRow], cells: Sequence[tuple[Cell, ...]]
    ) -> list[int]:
        """Return the players' numbers: those with which most results mirror.

        Pairing numbers come before places, and both before the order of the rows.
        """
        if not rows:
            return []
        in_order = list(range(1, len(rows) + 1))
        columns = self._number_columns()
        given = {
            index: [parse_whole_number(row.cell(index)) or 0 for row in rows]
            for index in columns
        }
        if self.has_numbered_names:
            name = self.table.column(Column.NAME)
            given[name] = [_number_before(row.cell(name)) for row in rows]
        if not given:
            self.add("table.numbered_in_order", rows[0], None)
            return in_order
        agreed = {index: count_mirrored(given[index], cells) for index in given}
        best = max(agreed, key=lambda index: agreed[index])
        are_distinct = len(set(given[best])) == len(rows)
        if are_distinct and count_mirrored(in_order, cells) > agreed[best]:
            self.add("table.numbers_chosen/order", rows[0], None)
            return in_order
        if best != next(iter(given)):
            self.add("table.numbers_chosen", rows[0], best)
        return given[best]

    def _entry(
        self, row: TableRow, number: int, cells: tuple[Cell, ...]
    ) -> ReportedEntry:
        text = self.table.text
        name = text(row, Column.NAME) or self._joined_name(row)
        if self.has_numbered_names:
            name = _BEFORE_NAME.sub("", name)
        # An ID of another list may be a member ID.
        local_id = match_or_blank(MEMBER_ID.whole, text(row, Column.LOCAL_ID))
        member_id = extract_member_id(text(row, Column.MEMBER_ID)) or local_id
        if not member_id and (found := MEMBER_ID.find(name)):
            has_column = self.table.column(Column.MEMBER_ID) >= 0
            if not has_column or name_without_id(name):
                member_id, name = found, name_without_id(name)
        return ReportedEntry(
            pairing_number=number if number <= MAX_PAIRING_NUMBER else 0,
            member_id=member_id,
            name=name[:MAX_NAME_LENGTH].rstrip(),
            state=parse_state(text(row, Column.STATE)),
            rating=parse_rating(text(row, Column.RATING)),
            cells=cells,
            fide_id=_fide_id(text(row, Column.FIDE_ID)),
            fide_rating=text(row, Column.FIDE_RATING)[:4],
            cfc_id=text(row, Column.CFC_ID)[:10],
            cfc_rating=text(row, Column.CFC_RATING)[:4],
            rating_after=parse_rating(text(row, Column.RATING_AFTER)),
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
            self._report_unreadable_result(row, index)
            return Cell(raw=cell.raw[:MAX_RAW_LENGTH].strip())
        return cell

    def _read(self, text: str) -> Cell:
        return read_in_dialect(text, self.dialect)

    def _report_unreadable_result(self, row: TableRow, index: int) -> None:
        # The report shows the text on its cell until it is corrected; this finding adds
        # the place in the file.
        text = row.cell(index)
        name = "table.no_result/day" if is_spreadsheet_date(text) else "table.no_result"
        self.add(name, row, index, written=text[:MAX_RAW_LENGTH])


def _number_before(name: str) -> int:
    """Return the number before a name, 0 if there is none."""
    match = _BEFORE_NAME.match(name)
    return int(match[1]) if match else 0


def _are_numbered(names: Sequence[str]) -> bool:
    """Return whether several names each have their own number before them."""
    numbers = [_number_before(name) for name in names]
    return len(names) > 1 and all(numbers) and len(set(numbers)) == len(numbers)


def result_columns(headings: Sequence[Heading]) -> dict[int, int]:
    """Return the column of each round; columns without a number are in order.

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


def count_mirrored(numbers: Sequence[int], rows: Sequence[Sequence[Cell]]) -> int:
    """Return how many cells the opponents' cells confirm, if players have *numbers*.

    >>> from events.formats.report import parse_cell
    >>> rows = [[parse_cell("W7")], [parse_cell("L4")]]
    >>> count_mirrored([4, 7], rows), count_mirrored([1, 2], rows)
    (2, 0)
    >>> count_mirrored([1], [[parse_cell("D1")]])
    0
    """
    by_number = dict(zip(reversed(numbers), reversed(rows), strict=True))
    return sum(
        _confirms(_at(by_number.get(cell.opponent, ()), column), cell, number)
        for number, row in zip(numbers, rows, strict=True)
        for column, cell in enumerate(row)
        if cell.opponent not in (None, number)
    )


def _at(row: Sequence[Cell], column: int) -> Cell:
    return row[column] if column < len(row) else BLANK


def _confirms(answer: Cell, cell: Cell, number: int) -> bool:
    code = SINGLE.get(cell.code)
    return (
        answer.opponent == number
        and code is not None
        and answer.code in code.mirrors
        and (not answer.color or OTHER_COLOR[answer.color] == cell.color)
    )
