"""Read any file of rows and columns as texts with their positions.

CSV, spreadsheets, and pasted text with columns between tabs, bars or blanks. The files
may be hostile: everything is bounded, and only ``UnreadableTable`` is raised.
"""

from __future__ import annotations

import csv
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from events.formats.findings import Finding, Place, make_finding
from events.formats.foreign.rows import iter_csv_rows
from events.formats.foreign.xlsx import Sheet, UnreadableSheet, read_sheets
from events.formats.parsing import clean_text
from events.formats.tables.charts import ChartLine
from events.formats.tables.headings import missing_columns, parse_headings
from events.formats.tables.html_text import strip_markup
from events.formats.tables.pipe_charts import looks_like_pipe_chart, pipe_chart_lines
from events.formats.tables.score_lines import is_own_cell, is_score
from events.formats.tables.wall_charts import chart_lines, count_charted, holds_results
from events.formats.translatable_text import TranslatableText, error_text, translatable
from players.formats.text import UTF_16_BOMS, decode_file, unescape_entities
from players.formats.xlsx_reader import looks_like_zip
from players.formats.xlsx_writer import LETTERS, column_letters

MAX_ROWS = 20_000
MAX_COLUMNS = 200
MAX_CELLS = 400_000
MAX_TEXT_BYTES = 5_000_000
MAX_TEXT_LENGTH = 200

_MAX_HIDDEN_LISTED = 20
_WIDE_GAP = re.compile(r"\s{2,}")
_SCORE = re.compile(r"(?:1 ?[-:] ?0|0 ?[-:] ?1|(?:½|1/2|0\.5) ?[-:] ?(?:½|1/2|0\.5))F?")


class UnreadableTable(ValueError):
    """The file has no readable table; the message says why."""


_CELLS_APART = str.maketrans(",;", "  ")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row; ``starts`` are the cells' positions in a line, if known.

    ``rest`` is text of the row with results that are in no cell.
    """

    number: int
    cells: tuple[str, ...]
    starts: tuple[int, ...] = ()
    rest: str = ""

    @property
    def is_blank(self) -> bool:
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
        # A line of a table within a chart is a single cell.
        if len(filled) == 1:
            if holds_results(line.translate(_CELLS_APART)):
                return True
            filled = _WIDE_GAP.split(line)
        if any(_SCORE.fullmatch(cell) for cell in filled):
            return len(filled) > 1
        return any(map(is_own_cell, filled)) and sum(map(is_score, filled)) > 2

    def cell(self, index: int) -> str:
        return self.cells[index] if 0 <= index < len(self.cells) else ""


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of one file or sheet, and findings about it."""

    file: str
    sheet: str
    rows: tuple[TableRow, ...]
    is_spreadsheet: bool = False
    is_hidden: bool = False
    grid_findings: tuple[tuple[int, Finding], ...] = ()  # each with its row

    def finding(
        self, name: str, row: TableRow, index: int | None, /, **values: Any
    ) -> Finding:
        """Return a finding that begins with the place of a row or its cell *index*."""
        place = Place(file=self.file, field=self._location_key(row, index))
        finding = make_finding(name, place, **values)
        message = self.with_location(row, index, finding.message)
        return replace(finding, message=message)

    def _location_key(self, row: TableRow, index: int | None) -> str:
        """Return the key of a row or one of its cells: line 4, column 7; or cell G4."""
        if self.is_spreadsheet:
            where = "row " if index is None else f"cell {column_letters(index)}"
            return f"{where}{row.number} of {self.sheet}".removesuffix(" of ")
        if index is None:
            return f"line {row.number}"
        return f"line {row.number}, column {_column_shown(row, index)}"

    def row_label(self, row: TableRow) -> TranslatableText:
        """Return the label of a row: Line 4; or Row 4 of a sheet."""
        if not self.is_spreadsheet:
            return translatable("Line {number}", number=row.number)
        if self.sheet:
            return translatable(
                "Row {number} of {sheet}", number=row.number, sheet=self.sheet
            )
        return translatable("Row {number}", number=row.number)

    def with_location(
        self, row: TableRow, index: int | None, sentence: str
    ) -> TranslatableText:
        """Return *sentence* with the place of a row or cell before it: "Line 4: …"."""
        values: dict[str, object] = {"number": row.number, "sentence": sentence}
        if not self.is_spreadsheet:
            if index is None:
                return translatable("Line {number}: {sentence}", **values)
            values["column"] = _column_shown(row, index)
            return translatable("Line {number}, column {column}: {sentence}", **values)
        values["sheet"] = self.sheet
        if index is not None:
            values["cell"] = f"{column_letters(index)}{row.number}"
            if self.sheet:
                return translatable("Cell {cell} of {sheet}: {sentence}", **values)
            return translatable("Cell {cell}: {sentence}", **values)
        if self.sheet:
            return translatable("Row {number} of {sheet}: {sentence}", **values)
        return translatable("Row {number}: {sentence}", **values)


def _column_shown(row: TableRow, index: int) -> int:
    """Return where a cell begins in its line, or its column number if unknown."""
    return row.starts[index] if index < len(row.starts) else index + 1


def looks_like_xlsx(data: bytes) -> bool:
    return looks_like_zip(data) and b"xl/workbook.xml" in data


def looks_like_text(data: bytes) -> bool:
    """Return whether *data* is text: without zero bytes, unless marked as UTF-16."""
    return bool(data.strip()) and (data.startswith(UTF_16_BOMS) or b"\x00" not in data)


def read_grids(file: str, data: bytes) -> list[Grid]:
    """Return the tables of a file; raises UnreadableTable."""
    if looks_like_xlsx(data):
        try:
            sheets = [
                sheet
                for sheet in read_sheets(data)
                if sheet.is_hidden or any(map(any, sheet.rows))
            ]
        except UnreadableSheet as reason:
            raise UnreadableTable(error_text(reason)) from reason
        several = sum(not sheet.is_hidden for sheet in sheets) > 1
        return [_sheet_grid(file, sheet, named=several) for sheet in sheets]
    if len(data) > MAX_TEXT_BYTES:
        raise UnreadableTable(
            translatable(
                "The text is larger than {max_text_bytes} MB.",
                max_text_bytes=MAX_TEXT_BYTES // 1000000,
            )
        )
    rows, findings = _rows(_lines(decode_file(data))), _encoding_findings(file, data)
    return [Grid(file, "", rows, grid_findings=findings)]


def _sheet_grid(file: str, sheet: Sheet, *, named: bool) -> Grid:
    title = clean_text(sheet.name, 40)
    if sheet.is_hidden:
        return Grid(file, title, (), is_hidden=True)
    sheet_name = translatable("sheet {name}", name=title) if named else ""
    grid_findings = [
        *(_cell_finding(file, "formula", "cell", one) for one in sheet.uncalculated),
        *(_cell_finding(file, "merged_cells", "cells", one) for one in sheet.merged),
    ]
    if sheet.hidden:
        place = Place(file, field=f"hidden {sheet.name}"[:60])
        listed = ", ".join(sheet.hidden[:_MAX_HIDDEN_LISTED])
        finding = make_finding("table.hidden_cells", place, listed=listed)
        grid_findings.append((sys.maxsize, finding))
    lines = (ChartLine(number, row) for number, row in enumerate(sheet.rows, start=1))
    rows, findings = _rows(lines), tuple(grid_findings)
    return Grid(file, sheet_name, rows, is_spreadsheet=True, grid_findings=findings)


def _cell_finding(file: str, kind: str, word: str, cells: str) -> tuple[int, Finding]:
    """Return a finding about a cell or a range of cells, with its last row."""
    values: dict[str, Any] = {word: clean_text(cells, 20)}
    place = Place(file, field=f"{word} {values[word]}")
    finding = make_finding(f"table.{kind}", place, **values)
    return _row_number(cells.rpartition(":")[2]), finding


def _row_number(reference: str) -> int:
    """Return the row of a cell such as C7."""
    digits = reference.lstrip(LETTERS)
    return int(digits) if digits.isdecimal() and len(digits) < 8 else 0


def _encoding_findings(file: str, data: bytes) -> tuple[tuple[int, Finding], ...]:
    if data.startswith(UTF_16_BOMS):
        return ()
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.split(rb"\r\n|\r|\n", data[: error.start]))
        place = Place(file, field=f"line {line}")
        return ((line, make_finding("table.encoding", place, line=line)),)
    return ()


def _lines(text: str) -> Iterable[ChartLine]:
    text = strip_markup(text)
    lines = text.splitlines()
    if len(lines) > MAX_ROWS:
        raise UnreadableTable(
            translatable(
                "The text has more than {max_rows:,} lines.", max_rows=MAX_ROWS
            )
        )
    if looks_like_pipe_chart(lines):
        return pipe_chart_lines([*map(unescape_entities, lines)])
    charted = count_charted(lines)
    # Names in a chart have commas, so a comma in a line proves nothing there.
    fewest = 2 if charted else 1
    mark = _mark_between_cells(lines)
    if sum(line.count(mark) >= fewest for line in lines) >= max(1, charted):
        return _separated(text, mark)
    return chart_lines([*map(unescape_entities, lines)])


def _mark_between_cells(lines: Sequence[str]) -> str:
    """Return the mark that makes headings of a line, or else cells of most lines."""
    found = [mark for mark in "\t;," if any(mark in line for line in lines)]
    if len(found) > 1:
        with_headings = [
            mark
            for mark in found
            if any(
                not missing_columns(parse_headings(one.split(mark))) for one in lines
            )
        ]
        found = with_headings or found
    return max(found or ",", key=lambda mark: _rows_with(mark, lines))


def _rows_with(mark: str, lines: Sequence[str]) -> tuple[int, int]:
    counts = [line.count(mark) for line in lines]
    return sum(count > 1 for count in counts), sum(count > 0 for count in counts)


def _separated(text: str, mark: str) -> Iterator[ChartLine]:
    try:
        rows = _split_lines if _has_stray_quote(text, mark) else iter_csv_rows
        yield from (ChartLine(number, row) for number, row in rows(text, mark))
    except csv.Error as error:
        raise UnreadableTable(
            translatable("The table is cut off inside a cell.")
        ) from error


def _has_stray_quote(text: str, mark: str) -> bool:
    """Return whether a quotation mark, as of a nickname, swallows cells or lines."""
    is_stray_quote = any(
        "\n" in cell and mark in cell
        for _, row in iter_csv_rows(text, mark)
        for cell in row
    )
    return is_stray_quote or text.count('"') % 2 == 1


def _split_lines(text: str, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows if each line is one; quotation marks count only in pairs."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count('"') % 2 == 1:
            yield number, line.split(mark)
        else:
            yield number, next(csv.reader([line], delimiter=mark), [])


def _rows(lines: Iterable[ChartLine]) -> tuple[TableRow, ...]:
    rows: list[TableRow] = []
    cells = 0
    tidied = cache(_clean_cell)  # many cells may name one long text
    for line in lines:
        texts = tuple(tidied(text) for text in line.cells[:MAX_COLUMNS])
        rest = line.rest or _cut_results(line.cells)
        cells += len(texts)
        if len(rows) >= MAX_ROWS or cells > MAX_CELLS:
            raise UnreadableTable(
                translatable("The table is too large for a rating report.")
            )
        rows.append(TableRow(line.number, texts, tuple(line.starts), rest))
    return tuple(rows)


def _cut_results(cells: Sequence[str]) -> str:
    """Return text with results that is cut off from the row, "" if there is none."""
    too_many = "  ".join(cells[MAX_COLUMNS:])
    too_long = (cell[MAX_TEXT_LENGTH:] for cell in cells if len(cell) > MAX_TEXT_LENGTH)
    cut = [text.strip()[:60] for text in (too_many, *too_long) if holds_results(text)]
    return cut[0] if cut else ""


def _clean_cell(text: str) -> str:
    """Return a cell's text, without the apostrophe that prevents a formula."""
    text = unicodedata.normalize("NFC", text.strip())
    is_plain, most = text.isprintable(), MAX_TEXT_LENGTH
    kept = text[:most] if is_plain else clean_text(text, most)
    return kept[1:] if kept[:1] == "'" and kept[1:2] in tuple("=+-@'") else kept
