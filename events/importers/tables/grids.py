"""Any file of rows and columns as texts, each of which knows where it stood.

CSV, spreadsheets, and pasted text whose columns are parted by tabs, bars or blanks. The
files may be hostile: everything is bounded, and only ``UnreadableTable`` is raised.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from events.importers.findings import Finding, Place, found
from events.importers.foreign.records import tidy
from events.importers.foreign.rows import decoded, rows_of
from events.importers.foreign.xlsx import Sheet, UnreadableSheet, read_sheets
from events.importers.sentences import Sentence, said_by, say
from events.importers.tables.barred_charts import barred_lines, looks_barred
from events.importers.tables.charts import ChartLine
from events.importers.tables.score_lines import is_nobody, is_score
from events.importers.tables.wall_charts import (
    chart_lines,
    count_charted,
    holds_results,
)
from events.importers.tables.web_pages import plain_text, unescaped
from players.importers.sheets import LETTERS, letters
from players.importers.workbooks import looks_like_zip

MAX_ROWS = 20_000
MAX_COLUMNS = 200
MAX_CELLS = 400_000
MAX_TEXT_BYTES = 5_000_000
LONGEST_TEXT = 200

_HIDDEN_NAMED = 20
_SCORE = re.compile(r"(?:1 ?[-:] ?0|0 ?[-:] ?1|(?:½|1/2|0\.5) ?[-:] ?(?:½|1/2|0\.5))F?")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class UnreadableTable(ValueError):
    """The file holds no table that can be read; the message says why."""


_CELLS_APART = str.maketrans(",;", "  ")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row; ``starts`` are the cells' places in a line where they are known.

    ``rest`` is what of the row no cell holds, though there are results in it.
    """

    number: int
    cells: tuple[str, ...]
    starts: tuple[int, ...] = ()
    rest: str = ""

    @property
    def blank(self) -> bool:
        return not any(self.cells)

    @property
    def filled(self) -> list[str]:
        return [cell for cell in self.cells if cell]

    @property
    def holds_results(self) -> bool:
        filled = self.filled
        line = "  ".join(filled)
        if holds_results(line, in_cells=len(filled) > 1):
            return True
        # A line of a table within a chart has its cells in one.
        if len(filled) == 1 and holds_results(line.translate(_CELLS_APART)):
            return True
        if any(_SCORE.fullmatch(cell) for cell in filled):
            return len(filled) > 1
        return any(map(is_nobody, filled)) and sum(map(is_score, filled)) > 2

    def cell(self, index: int) -> str:
        return self.cells[index] if 0 <= index < len(self.cells) else ""


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of one file or sheet, and what was odd about it."""

    file: str
    sheet: str
    rows: tuple[TableRow, ...]
    is_spreadsheet: bool = False
    is_hidden: bool = False
    doubts: tuple[tuple[int, Finding], ...] = ()  # each with its row

    def spot(self, row: TableRow, index: int | None = None) -> str:
        """Name a row or one of its cells in a key: line 4, column 7; or cell G4."""
        if self.is_spreadsheet:
            where = "row" if index is None else f"cell {letters(index)}"
            spot = f"{where} {row.number}" if index is None else f"{where}{row.number}"
            return f"{spot} of {self.sheet}" if self.sheet else spot
        if index is None:
            return f"line {row.number}"
        return f"line {row.number}, column {_column_shown(row, index)}"

    def row_said(self, row: TableRow) -> Sentence:
        """Name a row to its reader: Line 4; or Row 4 of a sheet."""
        if not self.is_spreadsheet:
            return say("Line {number}", number=row.number)
        if self.sheet:
            return say("Row {number} of {sheet}", number=row.number, sheet=self.sheet)
        return say("Row {number}", number=row.number)

    def said_at(self, row: TableRow, index: int | None, sentence: str) -> Sentence:
        """Return *sentence* with the place of a row or cell before it: "Line 4: …"."""
        told: dict[str, object] = {"number": row.number, "sentence": sentence}
        if not self.is_spreadsheet:
            if index is None:
                return say("Line {number}: {sentence}", **told)
            told["column"] = _column_shown(row, index)
            return say("Line {number}, column {column}: {sentence}", **told)
        told["sheet"] = self.sheet
        if index is not None:
            told["cell"] = f"{letters(index)}{row.number}"
            if self.sheet:
                return say("Cell {cell} of {sheet}: {sentence}", **told)
            return say("Cell {cell}: {sentence}", **told)
        if self.sheet:
            return say("Row {number} of {sheet}: {sentence}", **told)
        return say("Row {number}: {sentence}", **told)


def _column_shown(row: TableRow, index: int) -> int:
    """Return where a cell begins in its line of text, its place if nobody knows."""
    return row.starts[index] if index < len(row.starts) else index + 1


def looks_like_xlsx(data: bytes) -> bool:
    return looks_like_zip(data) and b"xl/workbook.xml" in data


def looks_like_text(data: bytes) -> bool:
    """Tell text from other files: it has no zero byte, unless it says UTF-16."""
    return bool(data.strip()) and (data.startswith(_UTF_16) or b"\x00" not in data)


def grids_of(file: str, data: bytes) -> list[Grid]:
    """Return the tables of a file; raises UnreadableTable."""
    if looks_like_xlsx(data):
        try:
            sheets = [
                sheet
                for sheet in read_sheets(data)
                if sheet.is_hidden or any(map(any, sheet.rows))
            ]
        except UnreadableSheet as reason:
            raise UnreadableTable(said_by(reason)) from reason
        several = sum(not sheet.is_hidden for sheet in sheets) > 1
        return [_sheet_grid(file, sheet, named=several) for sheet in sheets]
    if len(data) > MAX_TEXT_BYTES:
        raise UnreadableTable(
            say(
                "The text is larger than {max_text_bytes} MB.",
                max_text_bytes=MAX_TEXT_BYTES // 1000000,
            )
        )
    return [
        Grid(file, "", _rows(_lines(_text(data))), doubts=_encoding_doubts(file, data))
    ]


def _sheet_grid(file: str, sheet: Sheet, *, named: bool) -> Grid:
    if sheet.is_hidden:
        return Grid(file, tidy(sheet.name, 40), (), is_hidden=True)
    name = say("sheet {name}", name=tidy(sheet.name, 40)) if named else ""
    formulas = [(tidy(cell, 20), _row_in(cell)) for cell in sheet.unsolved]
    merged = [
        (tidy(cells, 20), _row_in(cells.rpartition(":")[2])) for cells in sheet.merged
    ]
    doubts = [
        (row, found("table.formula", Place(file, field=f"cell {cell}"), cell=cell))
        for cell, row in formulas
    ] + [
        (row, found("table.merged_cells", Place(file, field=f"cells {at}"), cells=at))
        for at, row in merged
    ]
    if sheet.hidden:
        place = Place(file, field=f"hidden {sheet.name}"[:60])
        listed = ", ".join(sheet.hidden[:_HIDDEN_NAMED])
        doubts.append((sys.maxsize, found("table.hidden_cells", place, listed=listed)))
    lines = (ChartLine(number, row) for number, row in enumerate(sheet.rows, start=1))
    return Grid(file, name, _rows(lines), is_spreadsheet=True, doubts=tuple(doubts))


def _row_in(reference: str) -> int:
    """Return the row of a cell such as C7."""
    digits = reference.lstrip(LETTERS)
    return int(digits) if digits.isdecimal() and len(digits) < 8 else 0


def _text(data: bytes) -> str:
    if data.startswith(_UTF_16):
        return data.decode("utf-16", errors="replace")
    return decoded(data)


def _encoding_doubts(file: str, data: bytes) -> tuple[tuple[int, Finding], ...]:
    if data.startswith(_UTF_16):
        return ()
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = Place(file, field=f"line {line}")
        return ((line, found("table.encoding", place, line=line)),)
    return ()


def _lines(text: str) -> Iterable[ChartLine]:
    text = plain_text(text)
    lines = text.splitlines()
    if len(lines) > MAX_ROWS:
        raise UnreadableTable(
            say("The text has more than {max_rows:,} lines.", max_rows=MAX_ROWS)
        )
    if looks_barred(lines):
        return barred_lines([*map(unescaped, lines)])
    charted = count_charted(lines)
    # A name in a chart holds a comma, so that one in a line says nothing there.
    fewest = 2 if charted else 1
    mark = max("\t;,", key=lambda mark: _rows_with(mark, lines))
    if sum(line.count(mark) >= fewest for line in lines) >= max(1, charted):
        return _separated(text, mark)
    return chart_lines([*map(unescaped, lines)])


def _rows_with(mark: str, lines: Sequence[str]) -> tuple[int, int]:
    counts = [line.count(mark) for line in lines]
    return sum(count > 1 for count in counts), sum(count > 0 for count in counts)


def _separated(text: str, mark: str) -> Iterator[ChartLine]:
    try:
        rows = _lines_apart if _has_stray_quote(text, mark) else rows_of
        yield from (ChartLine(number, row) for number, row in rows(text, mark))
    except csv.Error as error:
        raise UnreadableTable(
            say("The table breaks off: it has a cell without an end.")
        ) from error


def _has_stray_quote(text: str, mark: str) -> bool:
    """Whether a quotation mark, of a nickname perhaps, swallows cells or lines."""
    swallows = any(
        "\n" in cell and mark in cell for _, row in rows_of(text, mark) for cell in row
    )
    return swallows or text.count('"') % 2 == 1


def _lines_apart(text: str, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows if each line is one; quotation marks count only in pairs."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count('"') % 2 == 1:
            yield number, line.split(mark)
        else:
            yield number, next(csv.reader([line], delimiter=mark), [])


def _rows(lines: Iterable[ChartLine]) -> tuple[TableRow, ...]:
    rows: list[TableRow] = []
    cells = 0
    tidied = cache(_tidied)  # many cells may name one long text
    for line in lines:
        texts = tuple(tidied(text) for text in line.cells[:MAX_COLUMNS])
        rest = line.rest or _cut_off(line.cells)
        cells += len(texts)
        if len(rows) >= MAX_ROWS or cells > MAX_CELLS:
            raise UnreadableTable(say("The table is larger than any rating report."))
        rows.append(TableRow(line.number, texts, tuple(line.starts), rest))
    return tuple(rows)


def _cut_off(cells: Sequence[str]) -> str:
    """Return what no cell of the row will hold, if there are results in it."""
    too_many = "  ".join(cells[MAX_COLUMNS:])
    too_long = (cell[LONGEST_TEXT:] for cell in cells if len(cell) > LONGEST_TEXT)
    cut = [text.strip()[:60] for text in (too_many, *too_long) if holds_results(text)]
    return cut[0] if cut else ""


def _tidied(text: str) -> str:
    """Return a cell's text, without the mark that keeps it from being a formula."""
    text = text.strip()
    kept = text[:LONGEST_TEXT] if text.isprintable() else tidy(text, LONGEST_TEXT)
    return kept[1:] if kept[:1] == "'" and kept[1:2] in tuple("=+-@'") else kept
