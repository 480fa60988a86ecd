"""Tables with a header row, read row by row: files of a million rows stay on disk.

CSV with commas, semicolons, tabs or pipes, columns of fixed width, a DBF table, or one
sheet of a spreadsheet (XLSX). Text is UTF-8, UTF-16 or Windows-1252. Headings are
looked up in lists of spellings, so that files need not be reformatted; or a person has
mapped the columns.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice, tee
from pathlib import Path
from typing import IO, Self

from players.formats.dates import DateColumns
from players.formats.dbf_records import is_dbf, read_dbf
from players.formats.errors import InputRefused, Reason
from players.formats.fixed_width import FixedWidthList
from players.formats.member_ids import MEMBER_ID
from players.formats.text import (
    CP1252_FALLBACK,
    UTF_16_BOMS,
    normalize_number,
    without_accents,
)
from players.formats.xlsx_reader import (
    ERRORS,
    Cells,
    Limits,
    SheetName,
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
_MAX_TITLE_ROWS = 10  # rows above the headings, at most
_SNIFFED = 16_384  # bytes from which encoding and separator are told
_SAMPLE_LINES = 40
_PIECE = 1 << 20
_MOST_LINES_OF_A_ROW = 40
# In place of cells without a value: the row breaks off, or may be several ones, and
# the line of the second follows.
_CUT_OFF, _JOINED = "cut off", "joined"
UTF_8 = "utf-8-sig"
_JSON = re.compile(r"\s*(?:\[\s*)?\{")
_HTML = re.compile(r"\s*<(?:!doctype|html|table|\?xml)", re.IGNORECASE)
# The name of the first file follows 30 bytes of header.
_ZIPPED_FIDE_LIST = re.compile(
    rb"PK.{28}(?:\w*/)?\w*(?:players|rating)_list\w*\.(?:txt|xml)", re.DOTALL
)
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
    # What a person should know about how the file was read, by code.
    notes: dict[str, Reason] = field(default_factory=dict)
    totals: list[Reason] = field(default_factory=list)

    def note(self, code: str, **values: object) -> None:
        """Keep a note; the first of each code counts."""
        if code not in self.notes:
            self.notes[code] = InputRefused(code, **values).reason

    def all_notes(self) -> list[Reason]:
        """Return the notes, and the pivots of two-digit years."""
        notes = [*self.notes.values(), *self.totals]
        for column, (first, last) in (self.days.pivots if self.days else {}).items():
            values = {"column": column, "first": first, "last": last}
            notes.append(InputRefused("years_of_two_digits", **values).reason)
        if self.source.encoding_note:
            notes.append(InputRefused("read_as_windows_1252").reason)
        return notes

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
    encoding_note = False  # a text with letters that are not in UTF-8

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
    letters = without_accents(parted.casefold())
    kept = "".join(char if char.isalnum() else " " for char in letters)
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
    table, rows = _open_table(path, spellings, needed, said)
    if days is not None and not days.decided and days.needs_scan(table.columns):
        for row in rows:
            days.scan_row(row.number, _by_column(table.columns, row.cells))
        days.decide()
        table, rows = _open_table(path, spellings, needed, said)
    table.days = days
    return table, _lines(table, rows)


def _open_table(
    path: Path,
    spellings: Mapping[str, str],
    needed: Sequence[str],
    said: ColumnMapping | None,
) -> tuple[Table, Iterator[SheetRow]]:
    source = _source_of(path, spellings)
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
    first, rows = _headings_of(_source_of(path, spellings), spellings)
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
    return bool(texts) and all(MEMBER_ID.whole.fullmatch(text) for text in texts)


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
    known = [_known(row, meaning) for row in above]
    begins = 0 if known[0] or max(known) < 2 else known.index(max(known))
    if known[0] == 1 and max(known) > 2:
        begins = known.index(max(known))
    if not known[begins]:
        wide = (
            place for place, row in enumerate(above) if sum(map(bool, row.cells)) > 1
        )
        begins = next(wide, 0)
    return above[begins], chain(above[begins + 1 :], rows)


def _known(row: SheetRow, meaning: Mapping[str, str]) -> int:
    """Return how many cells of a row are known headings."""
    return sum(normalize_heading(text) in meaning for text in row.cells)


def _source_of(path: Path, spellings: Mapping[str, str]) -> Source:
    """Return the reader for this file; refuse one that holds no table."""
    with path.open("rb") as file:
        start = file.read(_SNIFFED)
    if _is_fide_list(start):
        raise InputRefused("file_is_a_fide_list")
    if looks_like_zip(start):
        return _XlsxSource(path, _meaning(spellings))
    if start.startswith(_OLD_SPREADSHEET):
        raise InputRefused("file_is_an_old_spreadsheet")
    if is_dbf(start):
        return _DbfSource(path)
    encoding = _encoding_of(start)
    if encoding == UTF_8 and (zero := start.find(b"\0")) >= 0:
        line = start[:zero].count(b"\n") + 1
        raise InputRefused("file_is_no_text", line=line)
    text = start.decode(encoding, CP1252_FALLBACK if encoding == UTF_8 else "replace")
    if _JSON.match(text):
        raise InputRefused("file_is_json")
    if _HTML.match(text):
        raise InputRefused("file_is_a_web_page")
    lines = [line for line in text.splitlines()[:_SAMPLE_LINES] if line.strip()]
    if len(start) == _SNIFFED and len(lines) > 1:
        lines.pop()  # it may be cut
    mark = _separator(lines)
    if not mark and (columns := fixed_columns(lines)):
        return _FixedWidthSource(path, encoding, columns)
    return _CsvSource(path, encoding, mark or ",")


def _is_fide_list(start: bytes) -> bool:
    """Return whether a file begins as a list of FIDE's does: text, XML, or zipped."""
    if looks_like_zip(start):
        return _ZIPPED_FIDE_LIST.match(start) is not None
    is_xml = b"<playerslist>" in start[:500]
    return is_xml or bool(FixedWidthList(io.BytesIO(start)).layout)


def _encoding_of(start: bytes) -> str:
    """Return the encoding of a text that begins like this.

    UTF-16 without a byte order mark has a NUL in every other byte.
    """
    if start.startswith(UTF_16_BOMS):
        return "utf-16"
    for at, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(start) > 7 and not any(start[at:64:2]) and all(start[1 - at : 64 : 2]):
            return name
    return UTF_8


def _separator(lines: Sequence[str]) -> str:
    """Return the character between the cells of most lines, or "" if none is.

    A comma in every line may also be the one in “Adams, Ada”: columns of fixed width
    are tried first then.
    """
    best, most = "", 0
    for mark in ",;\t|":
        counts = Counter(line.count(mark) for line in lines)
        counts.pop(0, None)
        score = max((each * times for each, times in counts.items()), default=0)
        if score > most:
            best, most = mark, score
    if best == "," and len(lines) > 2 and most <= len(lines) and fixed_columns(lines):
        return ""
    return best


def fixed_columns(lines: Sequence[str]) -> list[slice]:
    """Return the columns of lines of fixed width, none if they have none.

    Columns are parted where every line is blank. Each has to begin with text somewhere,
    and all lines of data are about as long as the longest one.

    >>> rows = ["1 Adams, Ada TX 1500", "2 Bakerly, A NY  900", "3 Li, Bo     CA"]
    >>> [rows[1][column].strip() for column in fixed_columns(rows)]
    ['2', 'Bakerly, A', 'NY', '900']
    """
    if len(lines) < 3:
        return []
    width = max(map(len, lines))
    blank = [
        all(line[at : at + 1] in ("", " ") for line in lines) for at in range(width)
    ]
    starts = [at for at in range(width) if not blank[at] and (at == 0 or blank[at - 1])]
    shortest = starts[2] if len(starts) > 2 else width
    if len(starts) < 3 or any(len(line) < shortest for line in lines[1:]):
        return []
    ends: list[int | None] = [*starts[1:], None]
    return [slice(start, end) for start, end in zip(starts, ends, strict=True)]


class _TextSource(Source):
    """A text file, read line by line."""

    def __init__(self, path: Path, encoding: str) -> None:
        self.path, self.encoding = path, encoding
        self.size = max(1, path.stat().st_size)

    @contextmanager
    def opened(self) -> Iterator[IO[str]]:
        errors = CP1252_FALLBACK if self.encoding == UTF_8 else "replace"
        self.encoding_note = self.encoding == UTF_8 and not self._is_utf_8()
        with self.path.open(encoding=self.encoding, errors=errors, newline="") as file:
            yield file

    def _is_utf_8(self) -> bool:
        """Return whether all of the file is UTF-8; reading it costs little."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            with self.path.open("rb") as file:
                while piece := file.read(_PIECE):
                    decoder.decode(piece)
        except UnicodeDecodeError:
            return False
        return True


class _CsvSource(_TextSource):
    """A text file with commas, semicolons, tabs or pipes between cells."""

    def __init__(self, path: Path, encoding: str, mark: str) -> None:
        super().__init__(path, encoding)
        self.mark = mark

    def rows(self) -> Iterator[SheetRow]:
        read = 0
        with self.opened() as file:
            for before, cells, faults in self._cells(file):
                read += sum(map(len, cells)) + len(cells) + 1
                self.share = min(1.0, read / self.size)
                texts = [cell.strip() for cell in cells]
                if "\0" in "".join(texts):
                    # PostgreSQL cannot store NUL, not even in refused rows.
                    texts = [text.replace("\0", "\ufffd") for text in texts]
                if any(texts):
                    yield SheetRow(before, texts, faults)

    def _cells(self, file: IO[str]) -> Iterator[_Cells]:
        """Yield each row with its first line; a stray quotation mark joins no rows."""
        feed, lines = tee(file)  # *lines* stays at the first line of the row
        reader, before, width = csv.reader(feed, delimiter=self.mark), 1, 0
        joined: list[str] = []
        try:
            for cells in reader:
                count = reader.line_num + 1 - before
                last = list(islice(lines, count))
                if count > 1 and (
                    len(cells) != width or _joins_rows(last, self.mark, width)
                ):
                    joined = last
                    break
                width = max(width, len(cells)) if before < _MAX_TITLE_ROWS else width
                yield before, cells, _faults(last, self.mark, cells, width, before)
                before += count
            else:
                return
        except csv.Error:
            pass
        yield from self._row_by_row(_LineFeed(chain(joined, lines)), before, width)

    def _row_by_row(
        self, lines: _LineFeed, before: int, width: int
    ) -> Iterator[_Cells]:
        """Yield rows as above; lines joined by a stray quotation mark are parted."""
        reader = csv.reader(lines, delimiter=self.mark)
        while True:
            try:
                cells = next(reader, None)
            except (csv.Error, _QuoteNeverEnds):
                cells = []
            pending = lines.taken()
            if cells is None:
                return
            if not cells or (
                len(pending) > 1
                and (len(cells) != width or _joins_rows(pending, self.mark, width))
            ):
                first = _cells_of_line(pending[0], self.mark, width)
                if len(first) == width or not cells:
                    cells = first
                    lines.put_back(pending[1:])
                    reader = csv.reader(lines, delimiter=self.mark)
                    pending = pending[:1]
            width = max(width, len(cells)) if before < _MAX_TITLE_ROWS else width
            yield before, cells, _faults(pending, self.mark, cells, width, before)
            before += len(pending)


# A row: its first line, its cells, and its faults.
_Cells = tuple[int, list[str], tuple[str, ...]]


def _faults(
    lines: Sequence[str], mark: str, cells: Sequence[str], width: int, before: int
) -> tuple[str, ...]:
    if _is_cut_off(lines, mark, cells, width):
        return (_CUT_OFF,)
    inner = _row_within(lines, mark, width) if len(lines) > 1 else 0
    return (_JOINED, str(before + inner)) if inner else ()


def _is_cut_off(
    lines: Sequence[str], mark: str, cells: Sequence[str], width: int
) -> bool:
    """Return whether a row ends early or within quotation marks, as the last one may.

    A single line with a line break after it is whole: its quotation mark is stray.
    """
    is_whole = lines[-1].endswith(("\n", "\r"))
    if is_whole and len(lines) == 1:
        return False
    if not is_whole and len(cells) < width and lines[-1].endswith(mark):
        return True
    # Within quotation marks, another line is no other row.
    return len(_parse([*lines, "x"], mark)) == 1


def _joins_rows(lines: Sequence[str], mark: str, width: int) -> bool:
    """Return whether a stray quotation mark has joined several rows into one."""
    if len(lines) > _MOST_LINES_OF_A_ROW:
        return True
    is_open = not _parse(lines, mark, strict=True)
    return is_open and _row_within(lines, mark, width, is_open=True) > 0


def _row_within(
    lines: Sequence[str], mark: str, width: int, *, is_open: bool = False
) -> int:
    """Return which line of a row looks like another row, 0 if none does.

    A line of an address may have as many commas as a row, but not an ID in its place,
    unless the quotation marks do not close (*is_open*).
    """
    first, *others = (_cells_of_line(line, mark, width) for line in lines)
    ids = [place for place, cell in enumerate(first) if _has_id(cell)]
    if len(first) != width:
        return 0
    for at, cells in enumerate(others, start=1):
        if len(cells) == width and (is_open or any(_has_id(cells[id_]) for id_ in ids)):
            return at
    return 0


def _has_id(cell: str) -> bool:
    return bool(_ID.search(cell) or MEMBER_ID.within.search(cell))


def _cells_of_line(line: str, mark: str, width: int) -> list[str]:
    """Return the cells of a line that is a row, in spite of stray quotation marks."""
    (cells,) = _parse([line], mark) or [[]]
    if len(cells) == width:
        return cells
    return [cell.strip().strip('"') for cell in line.rstrip("\r\n").split(mark)]


def _parse(lines: Sequence[str], mark: str, *, strict: bool = False) -> list[list[str]]:
    """Return the rows of some lines, none if a cell is too long or not well formed."""
    try:
        return list(csv.reader(lines, delimiter=mark, strict=strict))
    except csv.Error:
        return []


class _QuoteNeverEnds(Exception):
    """A cell in quotation marks has more lines than any address."""


class _LineFeed:
    """The lines of a file for a CSV reader, which may be put back."""

    def __init__(self, file: Iterator[str]) -> None:
        self._file, self._back = file, list[str]()
        self._taken: list[str] = []

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._back.pop() if self._back else next(self._file)
        self._taken.append(line)
        if len(self._taken) > _MOST_LINES_OF_A_ROW:
            raise _QuoteNeverEnds
        return line

    def taken(self) -> list[str]:
        """Return the lines since the last call."""
        taken, self._taken = self._taken, []
        return taken

    def put_back(self, lines: Sequence[str]) -> None:
        self._back.extend(reversed(lines))


class _FixedWidthSource(_TextSource):
    """A text file whose columns begin at the same place in every line."""

    def __init__(self, path: Path, encoding: str, columns: Sequence[slice]) -> None:
        super().__init__(path, encoding)
        self.columns = columns

    def rows(self) -> Iterator[SheetRow]:
        read = 0
        with self.opened() as file:
            for number, line in enumerate(file, start=1):
                read += len(line)
                self.share = min(1.0, read / self.size)
                text = line.rstrip().replace("\0", "\ufffd")
                if text.strip(" -=\x1a"):
                    cells = [text[column].strip() for column in self.columns]
                    yield SheetRow(number, cells, ())


class _DbfSource(Source):
    """A dBASE table; records are lines, counted from 2 as below a header row."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> Iterator[SheetRow]:
        with self.path.open("rb") as file:
            names, records, count = read_dbf(file)
            yield SheetRow(1, names, ())
            for number, cells in records:
                self.share = min(1.0, number / max(1, count))
                if any(cells):
                    yield SheetRow(number + 1, cells, ())


class _XlsxSource(Source):
    """The first visible sheet of a spreadsheet with known headings, or with rows."""

    def __init__(self, path: Path, meaning: Mapping[str, str]) -> None:
        self.path, self.meaning = path, meaning

    def rows(self) -> Iterator[SheetRow]:
        try:
            with self.path.open("rb") as file:
                yield from self._rows(Workbook(file, LIMITS))
        except WorkbookError as fault:
            raise _workbook_refusal(fault) from None

    def _rows(self, workbook: Workbook) -> Iterator[SheetRow]:
        shown = [sheet for sheet in workbook.sheets if not sheet.is_hidden]
        tops = ((sheet, self._top(workbook, sheet)) for sheet in shown)
        filled = [(sheet, known) for sheet, known in tops if known is not None]
        if not filled:
            return
        # max() takes the first of several equal ones.
        sheet = max(filled, key=lambda one: min(one[1], 2))[0]
        self.sheet = sheet.name
        self.others = [other.name for other in shown if other is not sheet]
        yield from self._filled(workbook.cells_of(sheet))

    def _top(self, workbook: Workbook, sheet: SheetName) -> int | None:
        """Return the number of known headings, None for an empty sheet."""
        top = islice(self._filled(workbook.cells_of(sheet)), _MAX_TITLE_ROWS)
        return max((_known(row, self.meaning) for row in top), default=None)

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
        kept = tuple([cell[:LONGEST_CELL] for cell in row.cells[:MAX_COLUMNS]])
        if (
            not kept[0].isdecimal()
            and len(table.totals) < _MOST_TOTALS
            and _is_total(kept)
        ):
            text = ", ".join(filter(None, kept))[:60]
            skipped = InputRefused("total_skipped", line=row.number, cell=text)
            table.totals.append(skipped.reason)
            continue
        if kept[0] == table.headings[0] and [*kept] == table.headings:
            table.note("headings_repeated", line=row.number)
            continue
        try:
            kept = _check(table, row, kept, width)
            line = table.line(row.number, kept)
        except InputRefused as refusal:
            yield row.number, kept, refusal.reason
            continue
        yield line


_TOTAL = re.compile(
    r"\W*(?:grand ?|sub)?(?:totals?|sum|summe|gesamt|suma|count|records|rows|number of|"
    r"end of (?:file|report|list)|printed|page \d+|\d+ (?:rows|records|members))\b",
    re.IGNORECASE,
)
_ID = re.compile(r"\d{7}", re.ASCII)
_MOST_TOTALS = 100  # each is named; the others are read as rows, and rejected


def _is_total(cells: Sequence[str]) -> bool:
    """Return whether a row has hardly a cell besides its word for a total."""
    texts = [text for text in cells if text]
    if len(texts) > 3 or not texts or not _TOTAL.match(texts[0]):
        return False
    numbers = [normalize_number(text) for text in texts]
    return not any(map(_ID.search, numbers)) and not any(map(_is_id, numbers[1:]))


def _is_id(number: str) -> bool:
    """Return whether a number is a member ID, and not one for its added zeros only."""
    is_long = sum(map(str.isalnum, number)) >= len(MEMBER_ID.places)
    return is_long and bool(MEMBER_ID.whole.fullmatch(MEMBER_ID.clean(number)))


def _check(
    table: Table, row: SheetRow, kept: tuple[str, ...], width: int
) -> tuple[str, ...]:
    """Return the cells of a row, with letters repaired; refuse what cannot be read."""
    if any(row.cells[width:]):
        raise InputRefused("too_many_cells", cells=len(row.cells), headings=width)
    if _CUT_OFF in row.uncalculated:
        raise InputRefused("row_breaks_off")
    if _JOINED in row.uncalculated:
        raise InputRefused("rows_joined", line=row.uncalculated[1])
    if row.uncalculated:
        raise InputRefused("cell_not_worked_out", cell=row.uncalculated[0])
    # Most rows need no check of each cell.
    joined = "\t".join(kept)
    if _GARBLED.search(joined):
        kept = tuple(_repair_cell(table, cell) for cell in kept)
    if "#" in joined:
        for cell in kept:
            if cell in ERRORS:
                raise InputRefused("cell_is_an_error", cell=cell)
    if len(joined) >= LONGEST_CELL:
        for cell in row.cells:
            if len(cell) > LONGEST_CELL:
                raise InputRefused("cell_too_long", cell=cell[:30], most=LONGEST_CELL)
    return kept


def _repair_cell(table: Table, cell: str) -> str:
    if not _GARBLED.search(cell):
        return cell
    repaired = _repair(cell)
    if _GARBLED.search(repaired):
        raise InputRefused("letters_garbled", cell=cell[:60])
    table.note("letters_repaired", cell=cell[:60], repaired=repaired[:60])
    return repaired


def _repair(text: str) -> str:
    """Return UTF-8 that was read as Windows-1252 as it was, if it is that.

    >>> _repair("MÃ¼ller")
    'Müller'
    """
    try:
        return text.encode("cp1252").decode()
    except UnicodeError:
        return text


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
