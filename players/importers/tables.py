"""Tables with a line of headings, row by row: files of a million rows stay on the disk.

CSV with commas, semicolons or tabs, in UTF-8 or UTF-16. What a heading means is looked
up in lists of spellings, so that a file need not be made over for us.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

LONGEST_CELL = 500
MOST_COLUMNS = 200
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SPREADSHEET = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
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


@dataclass(slots=True)
class Table:
    """A table that is being read.

    *columns* names what each heading means, "" where nobody knows; *bytes_read* says
    how far the file has been read.
    """

    headings: list[str]
    columns: list[str]
    bytes_read: int = 0

    @property
    def passed_over(self) -> list[str]:
        """Return the headings that mean nothing to us."""
        return [
            heading
            for heading, column in zip(self.headings, self.columns, strict=True)
            if heading and not column
        ]


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
    meaning = {
        spelling.strip(): column
        for column, texts in spellings.items()
        for spelling in (column.replace("_", " "), *texts.split(","))
    }
    found = [meaning.get(plain(heading), "") for heading in headings]
    for place, column in enumerate(found):
        if column and column in found[:place]:
            first = headings[found.index(column)]
            raise Refused("column_twice", first=first, second=headings[place])
    return found


def read_table(
    path: Path, spellings: Mapping[str, str], needed: Sequence[str]
) -> tuple[Table, Iterator[Line | tuple[int, tuple[str, ...], Reason]]]:
    """Open the table in the file *path*; return it and its rows to come.

    A row is a Line, or its number, cells and reason if it cannot be one. Blank rows are
    passed over. Raises Refused for a file that is no table with the columns *needed*.
    """
    encoding = _encoding_of(path)
    rows = _rows(path, encoding)
    number, headings = next(rows, (0, []))
    if not headings:
        raise Refused("file_is_empty")
    columns = columns_of(headings, spellings)
    missing = [name for name in needed if name not in columns]
    if missing:
        raise Refused("columns_missing", missing=", ".join(missing), line=number)
    table = Table(headings, columns)
    return table, _lines(table, rows)


def _encoding_of(path: Path) -> str:
    """Return the file's encoding; refuse a file whose letters nobody can tell."""
    with path.open("rb") as file:
        start = file.read(4)
        if start.startswith(_SPREADSHEET):
            raise Refused("file_is_a_spreadsheet")
        if start.startswith(_UTF_16):
            return "utf-16"
        file.seek(0)
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                raise Refused("file_is_not_utf8", line=number) from None
            if b"\0" in line:
                raise Refused("file_is_no_text", line=number)
    return "utf-8-sig"


def _rows(path: Path, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line and its cells; blank lines are passed over."""
    try:
        with path.open(encoding=encoding, newline="") as file:
            first = file.readline()
            mark = max(",;\t", key=first.count)
            file.seek(0)
            reader = csv.reader(file, delimiter=mark, strict=True)
            before = 1
            for cells in reader:
                texts = [cell.strip() for cell in cells]
                if any(texts):
                    yield before, texts
                before = reader.line_num + 1
    except UnicodeDecodeError:
        raise Refused("file_is_not_utf8", line=before) from None
    except csv.Error as error:
        raise Refused("file_breaks_off", line=reader.line_num, error=error) from None


def _lines(
    table: Table, rows: Iterator[tuple[int, list[str]]]
) -> Iterator[Line | tuple[int, tuple[str, ...], Reason]]:
    width = len(table.headings)
    for number, cells in rows:
        table.bytes_read += sum(map(len, cells)) + len(cells) + 1
        kept = tuple(cell[:LONGEST_CELL] for cell in cells[:MOST_COLUMNS])
        try:
            _check(cells, width)
        except Refused as refusal:
            yield number, kept, refusal.reason
            continue
        named = zip(table.columns, kept, strict=False)
        yield Line(number, kept, {name: text for name, text in named if name and text})


def _check(cells: Sequence[str], width: int) -> None:
    if any(cells[width:]):
        raise Refused("too_many_cells", cells=len(cells), headings=width)
    for cell in cells:
        if not cell.isascii() and _GARBLED.search(cell):
            raise Refused("letters_garbled", cell=cell[:60])
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
