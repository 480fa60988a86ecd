"""Tables with a line of headings, row by row: files of a million rows stay on the disk.

CSV with commas, semicolons or tabs, in UTF-8 or UTF-16, or one sheet of a spreadsheet
(XLSX). What a heading means is looked up in lists of spellings, so that a file need not
be made over for us; or somebody has said it.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import chain, islice
from pathlib import Path

from players.importers.workbooks import (
    ERRORS,
    Cells,
    Limits,
    NoWorkbook,
    SheetRow,
    Workbook,
    looks_like_zip,
)

LONGEST_CELL = 500
MOST_COLUMNS = 200
# A workbook of 100,000 members takes 60 MB of these bytes; larger ones come as CSV.
LIMITS = Limits(
    bytes=800_000_000,
    elements=60_000_000,
    attributes=100_000_000,
    cells=30_000_000,
    strings=300_000_000,
    rows=1_048_576,
    columns=MOST_COLUMNS,
    longest_cell=LONGEST_CELL + 1,
)
SAMPLES = 3
MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
_TITLES = 10  # rows above the headings, at most
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0"
_ISO = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ][\d:.Z+-]*)?", re.ASCII)
_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)
_SERIAL = re.compile(r"\d{5}(?:\.0*)?", re.ASCII)
_SERIAL_ZERO = date(1899, 12, 30)
# Letters beyond ASCII that were saved in one encoding and read in another.
_GARBLED = re.compile("\ufffd|[ÃÂ][\u0080-\u00bf]|â€|[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row or a file is not taken: a code, and what its sentence names."""

    code: str
    values: Mapping[str, str] = field(default_factory=dict)


class Refused(ValueError):
    """A cell, row or file cannot be taken; *reason* says why."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.reason = Reason(code, {name: str(text) for name, text in values.items()})


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table: where it stood, and its cells by column."""

    number: int
    cells: tuple[str, ...]
    by_column: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ColumnsSaid:
    """What somebody said each column holds, "" for nothing of use.

    *headed* is False where the first row is a record already.
    """

    meanings: tuple[str, ...]
    headed: bool = True


@dataclass(frozen=True, slots=True)
class ColumnsAsked:
    """What a person has to see to say which column is which."""

    headings: tuple[str, ...]
    guesses: tuple[str, ...]
    samples: tuple[tuple[str, ...], ...]
    headed: bool


@dataclass(slots=True)
class Table:
    """A table that is being read; *columns* names what each heading means, or ""."""

    headings: list[str]
    columns: list[str]
    source: Source

    @property
    def passed_over(self) -> list[str]:
        """Return the headings that mean nothing to us."""
        return [
            heading
            for heading, column in zip(self.headings, self.columns, strict=True)
            if heading and not column
        ]


class Source(ABC):
    """Where rows come from: *share* says how far it has been read, from 0 to 1.

    Of a spreadsheet, *sheet* is the one that is read, and *others* those that are not.
    """

    share = 0.0
    sheet = ""
    others: Sequence[str] = ()

    @abstractmethod
    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows that are not blank."""


def plain(heading: str) -> str:
    """Return a heading as it is compared: small letters and digits, single blanks.

    >>> plain(" Member_ID: "), plain("FirstName"), plain("Género")
    ('member id', 'first name', 'genero')
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading)
    letters = unicodedata.normalize("NFKD", parted.casefold())
    kept = "".join(
        char if char.isalnum() else " "
        for char in letters
        if not unicodedata.combining(char)
    )
    return " ".join(kept.split())


def columns_of(headings: Sequence[str], spellings: Mapping[str, str]) -> list[str]:
    """Return what each heading means, "" for one that nobody knows.

    *spellings* maps columns to their names, parted by commas. A column that stands
    twice is refused, because one of the two would be lost.

    >>> columns_of(["USCF ID", "Coach"], {"member_id": "member id, uscf id"})
    ['member_id', '']
    """
    meaning = _meaning(spellings)
    found = [meaning.get(plain(heading), "") for heading in headings]
    for place, column in enumerate(found):
        if column and column in found[:place]:
            first = headings[found.index(column)]
            raise Refused("column_twice", first=first, second=headings[place])
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
    said: ColumnsSaid | None = None,
) -> tuple[Table, Iterator[Line | tuple[int, tuple[str, ...], Reason]]]:
    """Open the table in the file *path*; return it and its rows to come.

    A row is a Line, or its number, cells and reason if it cannot be one. Blank rows are
    passed over. Raises Refused for a file that is no table with the columns *needed*,
    unless somebody has *said* which is which.
    """
    source = _source_of(path, is_checked=False)
    first, rows = _headings_of(source, spellings)
    if said is None:
        columns = columns_of(first.cells, spellings)
    else:
        columns = [*said.meanings[: len(first.cells)]]
        columns += [""] * (len(first.cells) - len(columns))
    missing = [name for name in needed if name not in columns]
    if missing:
        raise Refused("columns_missing", missing=", ".join(missing), line=first.number)
    headings = first.cells
    if said is not None and not said.headed:
        headings, rows = columns, chain([first], rows)
    table = Table(headings, columns, source)
    return table, _lines(table, rows)


def ask_for_columns(path: Path, spellings: Mapping[str, str]) -> ColumnsAsked:
    """Return the headings of a file that was read before, and its first rows."""
    first, rows = _headings_of(_source_of(path, is_checked=True), spellings)
    width = len(first.cells)
    samples = [(*row.cells, *[""] * width)[:width] for row in islice(rows, SAMPLES)]
    known = [_meaning(spellings).get(plain(text), "") for text in first.cells]
    guesses = [
        column if column and column not in known[:place] else ""
        for place, column in enumerate(known)
    ]
    if "member_id" in spellings and "member_id" not in guesses:
        numbers = (place for place in range(width) if _are_member_ids(samples, place))
        if (place := next(numbers, None)) is not None:
            guesses[place] = "member_id"
    return ColumnsAsked(
        tuple(text[:LONGEST_CELL] for text in first.cells[:MOST_COLUMNS]),
        tuple(guesses),
        tuple(samples),
        headed=any(known) or not any(map(_is_of_a_record, first.cells)),
    )


def _are_member_ids(samples: Sequence[Sequence[str]], place: int) -> bool:
    texts = [row[place] for row in samples]
    return bool(texts) and all(MEMBER_ID.fullmatch(text) for text in texts)


def _is_of_a_record(text: str) -> bool:
    """Tell a number, a day or an address from a heading."""
    return "@" in text or any(char.isdecimal() for char in text[:4])


def _headings_of(
    source: Source, spellings: Mapping[str, str]
) -> tuple[SheetRow, Iterator[SheetRow]]:
    """Return the row of headings and the rows below it; titles above are left out."""
    rows = source.rows()
    above = list(islice(rows, _TITLES))
    if not above:
        raise Refused("file_is_empty")
    meaning = _meaning(spellings)
    begins = 0
    if not any(plain(text) in meaning for text in above[0].cells):
        wide = (
            place for place, row in enumerate(above) if sum(map(bool, row.cells)) > 1
        )
        begins = next(wide, 0)
    return above[begins], chain(above[begins + 1 :], rows)


def _source_of(path: Path, *, is_checked: bool) -> Source:
    """Return the reader for this file; refuse one whose letters nobody can tell."""
    with path.open("rb") as file:
        start = file.read(4)
    if looks_like_zip(start):
        return _Sheet(path)
    if start.startswith(_OLD_SPREADSHEET):
        raise Refused("file_is_an_old_spreadsheet")
    if start.startswith(_UTF_16):
        return _Text(path, "utf-16")
    if not is_checked:
        _check_text(path)
    return _Text(path, "utf-8-sig")


def _check_text(path: Path) -> None:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                raise Refused("file_is_not_utf8", line=number) from None
            if b"\0" in line:
                raise Refused("file_is_no_text", line=number)


class _Text(Source):
    """A file of cells with commas, semicolons or tabs between them."""

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
                    # PostgreSQL keeps no NUL, not even in what is refused.
                    texts = [cell.strip().replace("\0", "\ufffd") for cell in cells]
                    if any(texts):
                        yield SheetRow(before, texts, ())
                    before = reader.line_num + 1
        except UnicodeDecodeError:
            raise Refused("file_is_not_utf8", line=before) from None
        except csv.Error as error:
            line = reader.line_num
            raise Refused("file_breaks_off", line=line, error=error) from None


class _Sheet(Source):
    """The first sheet of a spreadsheet that people see and that holds something."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> Iterator[SheetRow]:
        try:
            with self.path.open("rb") as file:
                yield from self._rows(Workbook(file, LIMITS))
        except NoWorkbook as fault:
            raise _refused_workbook(fault) from None

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
        for number, texts, unsolved in cells.rows():
            self.share = min(1.0, cells.bytes_read / size)
            stripped = [text.strip() for text in texts]
            if any(stripped) or unsolved:
                yield SheetRow(number, stripped, unsolved)


def _refused_workbook(fault: NoWorkbook) -> Refused:
    if fault.code == "workbook_too_large":
        return Refused("workbook_too_large")
    if fault.code == "workbook_has_many_rows":
        return Refused("workbook_has_many_rows", **fault.values)
    return Refused("workbook_unreadable")


def _lines(
    table: Table, rows: Iterable[SheetRow]
) -> Iterator[Line | tuple[int, tuple[str, ...], Reason]]:
    width = len(table.headings)
    for row in rows:
        kept = tuple(cell[:LONGEST_CELL] for cell in row.cells[:MOST_COLUMNS])
        try:
            _check(row, width)
        except Refused as refusal:
            yield row.number, kept, refusal.reason
            continue
        named = zip(table.columns, kept, strict=False)
        said = {name: text for name, text in named if name and text}
        yield Line(row.number, kept, said)


def _check(row: SheetRow, width: int) -> None:
    if any(row.cells[width:]):
        raise Refused("too_many_cells", cells=len(row.cells), headings=width)
    if row.unsolved:
        raise Refused("cell_not_worked_out", cell=row.unsolved[0])
    for cell in row.cells:
        if _GARBLED.search(cell):
            raise Refused("letters_garbled", cell=cell[:60])
        if cell[:1] == "#" and cell in ERRORS:
            raise Refused("cell_is_an_error", cell=cell)
        if len(cell) > LONGEST_CELL:
            raise Refused("cell_too_long", cell=cell[:30], most=LONGEST_CELL)


# What cells mean


def day_of(text: str, what: str) -> date:
    """Return the day that *text* names; *what* is the column, for the refusal.

    2001-02-13, 20010213, 2/13/2001, or the number by which a spreadsheet counts days.

    >>> day_of("2/13/2001", "starts") == day_of("36935", "starts") == date(2001, 2, 13)
    True
    """
    try:
        if found := _ISO.fullmatch(text):
            return date(int(found[1]), int(found[2]), int(found[3]))
        if found := _AMERICAN.fullmatch(text):
            return date(int(found[3]), int(found[1]), int(found[2]))
        if _SERIAL.fullmatch(text):
            return _SERIAL_ZERO + timedelta(days=int(text[:5]))
    except ValueError:
        pass
    raise Refused("no_day", column=what, cell=text[:40])


def whole_number(text: str, what: str) -> int:
    """Return the whole number in *text*, which may have commas and an end of ".0".

    >>> whole_number("1,204", "games"), whole_number("12.0", "games")
    (1204, 12)
    """
    digits = re.sub(r"\.0+\Z", "", text.replace(",", ""))
    if not re.fullmatch(r"\d{1,9}", digits, re.ASCII):
        raise Refused("no_number", column=what, cell=text[:40])
    return int(digits)


def decimal(text: str, what: str) -> float:
    """Return the number in *text*, with a point if there is a fraction.

    >>> decimal("1654.125", "rating")
    1654.125
    """
    if not re.fullmatch(r"-?\d{1,9}(\.\d{1,15})?", text, re.ASCII):
        raise Refused("no_number", column=what, cell=text[:40])
    return float(text)


def short(text: str, what: str, most: int) -> str:
    """Return *text* in single blanks; refuse it if it is longer than *most*.

    >>> short("Mary  Ann", "given_name", 60)
    'Mary Ann'
    """
    kept = " ".join(text.split())
    if len(kept) > most:
        raise Refused("text_too_long", column=what, cell=kept[:40], most=most)
    return kept


def file_of(rows: Sequence[Sequence[str]]) -> str:
    """Return *rows* as a CSV text that spreadsheets open without running anything.

    >>> file_of([["name"], ["=1+1"]])
    "name\\r\\n'=1+1\\r\\n"
    """
    text = io.StringIO()
    csv.writer(text).writerows([[_harmless(cell) for cell in row] for row in rows])
    return text.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
