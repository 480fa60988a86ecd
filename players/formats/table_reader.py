"""Tables with a header row, read row by row: files of a million rows stay on disk.

CSV with commas, semicolons or tabs, in UTF-8 or UTF-16, or one sheet of a spreadsheet
(XLSX). Headings are looked up in lists of spellings, so that files need not be
reformatted; or a person has mapped the columns.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from players.formats.dates import DateColumns
from players.formats.errors import InputRefused, Reason
from players.formats.xlsx_reader import (
    ERRORS,
    Cells,
    Limits,
    SheetRow,
    Workbook,
    WorkbookError,
    looks_like_zip,
)

LONGEST_CELL = 500
MAX_COLUMNS = 200
# A workbook of 100,000 members takes 60 MB of these; larger tables have to be CSV.
LIMITS = Limits(
    bytes=800_000_000,
    elements=60_000_000,
    attributes=100_000_000,
    cells=30_000_000,
    strings=300_000_000,
    rows=1_048_576,
    columns=MAX_COLUMNS,
    longest_cell=LONGEST_CELL + 1,
)
SAMPLES = 3
MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
_MAX_TITLE_ROWS = 10  # rows above the headings, at most
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0"
# Non-ASCII letters that were saved in one encoding and read in another.
_GARBLED = re.compile("\ufffd|[ÃÂ][\u0080-\u00bf]|â€|[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table: its line number, and its cells by column."""

    number: int
    cells: tuple[str, ...]
    by_column: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The columns as a person has mapped them, "" for columns to ignore.

    *headed* is False if the first row is a record.
    """

    meanings: tuple[str, ...]
    headed: bool = True


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """What a person needs to see to map the columns."""

    headings: tuple[str, ...]
    guesses: tuple[str, ...]
    samples: tuple[tuple[str, ...], ...]
    headed: bool


@dataclass(slots=True)
class Table:
    """A table that is being read; *columns* has the meaning of each heading, or ""."""

    headings: list[str]
    columns: list[str]
    source: Source
    days: DateColumns | None = None

    def line(self, number: int, cells: tuple[str, ...]) -> Line:
        """Return a row with its cells by column, dates as 2001-02-13."""
        values = _by_column(self.columns, cells)
        if self.days is not None:
            for name in self.days.kinds:
                if name in values:
                    values[name] = self.days.to_iso(name, values[name])
        return Line(number, cells, values)

    @property
    def passed_over(self) -> list[str]:
        """Return the headings that were not recognized."""
        return [
            heading
            for heading, column in zip(self.headings, self.columns, strict=True)
            if heading and not column
        ]


class Source(ABC):
    """A source of rows: *share* is the progress of reading, from 0 to 1.

    For a spreadsheet, *sheet* is the sheet that is read, *others* the other sheets.
    """

    share = 0.0
    sheet = ""
    others: Sequence[str] = ()

    @abstractmethod
    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows that are not blank."""


def normalize_heading(heading: str) -> str:
    """Return a heading for comparison: lower-case letters, digits, single spaces.

    >>> normalize_heading(" Member_ID: "), normalize_heading("FirstName")
    ('member id', 'first name')
    >>> normalize_heading("Género")
    'genero'
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading)
    letters = unicodedata.normalize("NFKD", parted.casefold())
    kept = "".join(
        char if char.isalnum() else " "
        for char in letters
        if not unicodedata.combining(char)
    )
    return " ".join(kept.split())


def match_columns(headings: Sequence[str], spellings: Mapping[str, str]) -> list[str]:
    """Return the meaning of each heading, "" for an unknown one.

    *spellings* maps columns to their names, separated by commas. A repeated column is
    refused, because one of the two would be lost.

    >>> match_columns(["USCF ID", "Coach"], {"member_id": "member id, uscf id"})
    ['member_id', '']
    """
    meaning = _meaning(spellings)
    found = [meaning.get(normalize_heading(heading), "") for heading in headings]
    for place, column in enumerate(found):
        if column and column in found[:place]:
            first = headings[found.index(column)]
            raise InputRefused("column_twice", first=first, second=headings[place])
    return found


def _meaning(spellings: Mapping[str, str]) -> dict[str, str]:
    return {
        spelling.strip(): column
        for column, texts in spellings.items()
        for spelling in (column.replace("_", " "), *texts.split(","))
    }


def read_table(
    path: Path,
    spellings: Mapping[str, str],
    needed: Sequence[str],
    said: ColumnMapping | None = None,
    days: DateColumns | None = None,
) -> tuple[Table, Iterator[Line | tuple[int, tuple[str, ...], Reason]]]:
    """Open the table in the file *path*; return it and an iterator of its rows.

    A row is a Line, or its number, cells and reason if it is refused. Blank rows are
    skipped. Raise InputRefused for a file that is no table with the columns *needed*,
    unless a person has mapped the columns (*said*). With *days* all rows are read
    twice, first to find the order of the dates in each column.
    """
    table, rows = _open_table(path, spellings, needed, said, is_checked=False)
    if days is not None and not days.decided and days.needs_scan(table.columns):
        for row in rows:
            days.scan_row(row.number, _by_column(table.columns, row.cells))
        days.decide()
        table, rows = _open_table(path, spellings, needed, said, is_checked=True)
    table.days = days
    return table, _lines(table, rows)


def _open_table(
    path: Path,
    spellings: Mapping[str, str],
    needed: Sequence[str],
    said: ColumnMapping | None,
    *,
    is_checked: bool,
) -> tuple[Table, Iterator[SheetRow]]:
    source = _source_of(path, is_checked=is_checked)
    first, rows = _headings_of(source, spellings)
    if said is None:
        columns = match_columns(first.cells, spellings)
    else:
        columns = [*said.meanings[: len(first.cells)]]
        columns += [""] * (len(first.cells) - len(columns))
    missing = [name for name in needed if name not in columns]
    if missing:
        raise InputRefused(
            "columns_missing", missing=", ".join(missing), line=first.number
        )
    headings = first.cells
    if said is not None and not said.headed:
        headings, rows = columns, chain([first], rows)
    return Table(headings, columns, source), rows


def _by_column(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    named = zip(columns, cells, strict=False)
    return {name: text for name, text in named if name and text}


def read_column_question(path: Path, spellings: Mapping[str, str]) -> ColumnQuestion:
    """Return the headings and the first rows of a file that was read before."""
    first, rows = _headings_of(_source_of(path, is_checked=True), spellings)
    width = len(first.cells)
    samples = [(*row.cells, *[""] * width)[:width] for row in islice(rows, SAMPLES)]
    known = [
        _meaning(spellings).get(normalize_heading(text), "") for text in first.cells
    ]
    guesses = [
        column if column and column not in known[:place] else ""
        for place, column in enumerate(known)
    ]
    if "member_id" in spellings and "member_id" not in guesses:
        numbers = (place for place in range(width) if _are_member_ids(samples, place))
        if (place := next(numbers, None)) is not None:
            guesses[place] = "member_id"
    return ColumnQuestion(
        tuple(text[:LONGEST_CELL] for text in first.cells[:MAX_COLUMNS]),
        tuple(guesses),
        tuple(samples),
        headed=any(known) or not any(map(_looks_like_data, first.cells)),
    )


def _are_member_ids(samples: Sequence[Sequence[str]], place: int) -> bool:
    texts = [row[place] for row in samples]
    return bool(texts) and all(MEMBER_ID.fullmatch(text) for text in texts)


def _looks_like_data(text: str) -> bool:
    """Return whether a text is a number, a date or an address, not a heading."""
    return "@" in text or any(char.isdecimal() for char in text[:4])


def _headings_of(
    source: Source, spellings: Mapping[str, str]
) -> tuple[SheetRow, Iterator[SheetRow]]:
    """Return the header row and the rows below it; titles above are skipped."""
    rows = source.rows()
    above = list(islice(rows, _MAX_TITLE_ROWS))
    if not above:
        raise InputRefused("file_is_empty")
    meaning = _meaning(spellings)
    begins = 0
    if not any(normalize_heading(text) in meaning for text in above[0].cells):
        wide = (
            place for place, row in enumerate(above) if sum(map(bool, row.cells)) > 1
        )
        begins = next(wide, 0)
    return above[begins], chain(above[begins + 1 :], rows)


def _source_of(path: Path, *, is_checked: bool) -> Source:
    """Return the reader for this file; refuse one whose encoding is unclear."""
    with path.open("rb") as file:
        start = file.read(4)
    if looks_like_zip(start):
        return _XlsxSource(path)
    if start.startswith(_OLD_SPREADSHEET):
        raise InputRefused("file_is_an_old_spreadsheet")
    if start.startswith(_UTF_16):
        return _CsvSource(path, "utf-16")
    if not is_checked:
        _check_text(path)
    return _CsvSource(path, "utf-8-sig")


def _check_text(path: Path) -> None:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                raise InputRefused("file_is_not_utf8", line=number) from None
            if b"\0" in line:
                raise InputRefused("file_is_no_text", line=number)


class _CsvSource(Source):
    """A text file with commas, semicolons or tabs between cells."""

    def __init__(self, path: Path, encoding: str) -> None:
        self.path, self.encoding = path, encoding

    def rows(self) -> Iterator[SheetRow]:
        size, read, before = max(1, self.path.stat().st_size), 0, 1
        try:
            with self.path.open(encoding=self.encoding, newline="") as file:
                first = file.readline()
                mark = max(",;\t", key=first.count)
                file.seek(0)
                reader = csv.reader(file, delimiter=mark, strict=True)
                for cells in reader:
                    read += sum(map(len, cells)) + len(cells) + 1
                    self.share = min(1.0, read / size)
                    # PostgreSQL cannot store NUL, not even in refused rows.
                    texts = [cell.strip().replace("\0", "\ufffd") for cell in cells]
                    if any(texts):
                        yield SheetRow(before, texts, ())
                    before = reader.line_num + 1
        except UnicodeDecodeError:
            raise InputRefused("file_is_not_utf8", line=before) from None
        except csv.Error as error:
            line = reader.line_num
            raise InputRefused("file_breaks_off", line=line, error=error) from None


class _XlsxSource(Source):
    """The first visible sheet of a spreadsheet that is not empty."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> Iterator[SheetRow]:
        try:
            with self.path.open("rb") as file:
                yield from self._rows(Workbook(file, LIMITS))
        except WorkbookError as fault:
            raise _workbook_refusal(fault) from None

    def _rows(self, workbook: Workbook) -> Iterator[SheetRow]:
        shown = [sheet for sheet in workbook.sheets if not sheet.is_hidden]
        for sheet in shown:
            cells = workbook.cells_of(sheet)
            rows = self._filled(cells)
            first = next(rows, None)
            if first is not None:
                self.sheet = sheet.name
                self.others = [other.name for other in shown if other is not sheet]
                yield first
                yield from rows
                return

    def _filled(self, cells: Cells) -> Iterator[SheetRow]:
        size = max(1, cells.size)
        for number, texts, uncalculated in cells.rows():
            self.share = min(1.0, cells.bytes_read / size)
            stripped = [text.strip() for text in texts]
            if any(stripped) or uncalculated:
                yield SheetRow(number, stripped, uncalculated)


def _workbook_refusal(fault: WorkbookError) -> InputRefused:
    if fault.code == "workbook_too_large":
        return InputRefused("workbook_too_large")
    if fault.code == "workbook_has_many_rows":
        return InputRefused("workbook_has_many_rows", **fault.values)
    return InputRefused("workbook_unreadable")


def _lines(
    table: Table, rows: Iterable[SheetRow]
) -> Iterator[Line | tuple[int, tuple[str, ...], Reason]]:
    width = len(table.headings)
    for row in rows:
        kept = tuple(cell[:LONGEST_CELL] for cell in row.cells[:MAX_COLUMNS])
        try:
            _check(row, width)
            line = table.line(row.number, kept)
        except InputRefused as refusal:
            yield row.number, kept, refusal.reason
            continue
        yield line


def _check(row: SheetRow, width: int) -> None:
    if any(row.cells[width:]):
        raise InputRefused("too_many_cells", cells=len(row.cells), headings=width)
    if row.uncalculated:
        raise InputRefused("cell_not_worked_out", cell=row.uncalculated[0])
    for cell in row.cells:
        if _GARBLED.search(cell):
            raise InputRefused("letters_garbled", cell=cell[:60])
        if cell[:1] == "#" and cell in ERRORS:
            raise InputRefused("cell_is_an_error", cell=cell)
        if len(cell) > LONGEST_CELL:
            raise InputRefused("cell_too_long", cell=cell[:30], most=LONGEST_CELL)


# Parsing cells


def whole_number(text: str, what: str) -> int:
    """Parse a whole number, which may have commas and a trailing ".0".

    >>> whole_number("1,204", "games"), whole_number("12.0", "games")
    (1204, 12)
    """
    digits = re.sub(r"\.0+\Z", "", text.replace(",", ""))
    if not re.fullmatch(r"\d{1,9}", digits, re.ASCII):
        raise InputRefused("no_number", column=what, cell=text[:40])
    return int(digits)


def decimal(text: str, what: str) -> float:
    """Parse a number, with a point before any decimals.

    >>> decimal("1654.125", "rating")
    1654.125
    """
    if not re.fullmatch(r"-?\d{1,9}(\.\d{1,15})?", text, re.ASCII):
        raise InputRefused("no_number", column=what, cell=text[:40])
    return float(text)


def clean_text(text: str, what: str, most: int) -> str:
    """Return *text* with single spaces; refuse it if it is longer than *most*.

    >>> clean_text("Mary  Ann", "given_name", 60)
    'Mary Ann'
    """
    kept = " ".join(text.split())
    if len(kept) > most:
        raise InputRefused("text_too_long", column=what, cell=kept[:40], most=most)
    return kept


def to_csv(rows: Sequence[Sequence[str]]) -> str:
    """Return *rows* as CSV that is safe to open in spreadsheets (no formulas).

    >>> to_csv([["name"], ["=1+1"]])
    "name\\r\\n'=1+1\\r\\n"
    """
    text = io.StringIO()
    csv.writer(text).writerows(
        [[_escape_formula(cell) for cell in row] for row in rows]
    )
    return text.getvalue()


def _escape_formula(cell: str) -> str:
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
