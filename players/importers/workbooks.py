"""The sheets of a spreadsheet (XLSX), row by row. The file may be hostile.

A workbook is a ZIP archive of XML parts; a few of them are needed. Each is read through
once, piece by piece, and no tree is kept, so that a small file cannot grow and a large
one stays on the disk: what a workbook may hold is counted over all its parts, and a
part that defines entities is refused.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import IO, NamedTuple, Self
from xml.parsers import expat

from players.importers.sheets import letters

MOST_PARTS = 500
MOST_SHEETS = 500
MOST_STYLES = 65_000
MOST_NAMES = 2_000  # of elements and attributes in a part; the parser keeps each
DEEPEST = 64
MOST_ODD_CELLS = 500  # of each sheet; nobody reads on
ERRORS = ("#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!")

_PIECE = 1 << 16
# The parser holds a tag until its end; no program writes one of this length.
_LONGEST_TAG = 3_000_000
_LONGEST_NAME = 255  # of a sheet or a part; longer ones are cut
_LONGEST_REFERENCE = 30
_OF_A_STRING = 60  # bytes that a text takes besides its letters
_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_STYLES = "xl/styles.xml"
_SHORTEST_MEMBER = 46  # bytes in the table of contents, and the name besides
_END_RECORD = struct.Struct("<4s4H2LH")
_LONGEST_END = 1 << 16  # the record may have a comment
_ZIP64 = (0xFFFF, 0xFFFFFFFF)
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{1,7}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_WHOLE_BELOW = 1e15
# The numbers of the formats that programs have for days, without one for hours alone.
_DAY_FORMATS = frozenset([*range(14, 18), 22, *range(27, 32), 36, *range(50, 59)])
_QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.')
_FIRST_DAY, _FIRST_DAY_OF_1904 = date(1899, 12, 30), date(1904, 1, 1)
# Spreadsheets have a 29 February 1900, so days before it are counted from another one.
_LEAP_DAY = 60

_Attributes = dict[str, str]


class NoWorkbook(ValueError):
    """The spreadsheet cannot be read: a code, and what its sentence names."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code, self.values = code, values


@dataclass(frozen=True, slots=True)
class Limits:
    """How much all parts of a workbook together may hold."""

    bytes: int
    elements: int
    attributes: int
    cells: int
    strings: int  # bytes of the texts that cells name by number
    rows: int
    columns: int
    longest_cell: int


@dataclass(frozen=True, slots=True)
class SheetName:
    name: str
    part: str
    is_hidden: bool


class SheetRow(NamedTuple):
    """One row, counted from 1, its cells as texts, blank ones as "".

    *unsolved* are the cells whose formulas were never worked out.
    """

    number: int
    cells: list[str]
    unsolved: tuple[str, ...]


def looks_like_zip(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def directory_of(data: bytes) -> tuple[int, int] | None:
    """Return how many members the table of contents has and its bytes; None: no table.

    It is not parsed. Where its numbers stand elsewhere because it is so large, they are
    taken to be as large as can be.

    >>> directory_of(b"PK\\x05\\x06" + bytes(18)), directory_of(b"PK")
    ((0, 0), None)
    """
    at = data.rfind(b"PK\x05\x06")
    if at < 0 or at + _END_RECORD.size > len(data):
        return None
    if data[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        return _ZIP64
    _, _, _, _, count, size, _, _ = _END_RECORD.unpack_from(data, at)
    return count, size


def end_of(file: IO[bytes]) -> bytes:
    """Return the end of an archive, in which its table of contents is told of.

    >>> end_of(io.BytesIO(b"PK"))
    b'PK'
    """
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - _LONGEST_END - 2 * _END_RECORD.size))
    return file.read()


class Workbook:
    """An open workbook. All that it does raises NoWorkbook and nothing else."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        self.limits = limits
        self.bytes_left = limits.bytes
        self.elements_left = limits.elements
        self.attributes_left = limits.attributes
        self.cells_left = limits.cells
        try:
            _check_directory(file)
            self.archive = zipfile.ZipFile(file)
            self.strings = _Strings(self).read_if_there(_STRINGS).found
            self.day_styles = _Styles(self).read_if_there(_STYLES).days
            self.sheets, self.first_day = self._contents()
        except Exception as error:
            raise _refusal(error) from error

    def _contents(self) -> tuple[list[SheetName], date]:
        """Return the sheets in their order, and the day from which days count."""
        of_sheets = ("name", "id", "state", "date1904")
        named = _Named(self, ("sheet", "workbookPr"), of_sheets).read(_WORKBOOK).found
        sheets = [attributes for name, attributes in named if name == "sheet"]
        if not sheets:
            raise NoWorkbook("workbook_without_sheet")
        of_parts = ("Id", "Target")
        found = _Named(self, ("Relationship",), of_parts).read(_RELATIONS).found
        parts = {one.get("Id"): one.get("Target", "") for _, one in found}
        late = any(
            name == "workbookPr" and attributes.get("date1904") in ("1", "true")
            for name, attributes in named
        )
        return (
            [_sheet_name(sheet, parts) for sheet in sheets],
            _FIRST_DAY_OF_1904 if late else _FIRST_DAY,
        )

    def cells_of(self, sheet: SheetName) -> Cells:
        return Cells(self, sheet.part)

    def has(self, part: str) -> bool:
        return part in self.archive.NameToInfo

    def size_of(self, part: str) -> int:
        return self.archive.NameToInfo[part].file_size if self.has(part) else 0

    def pieces(self, part: str) -> Iterator[bytes]:
        """Unpack a part, as far as the workbook may still be read."""
        if not self.has(part):
            raise NoWorkbook("workbook_lacks_part", name=part)
        with self.archive.open(part) as file:
            # Declared sizes can lie, and a read without a bound unpacks it all.
            while piece := file.read(min(_PIECE, self.bytes_left + 1)):
                self.bytes_left -= len(piece)
                # The parser keeps the name of each, long before it tells of them.
                self.attributes_left -= piece.count(b"=")
                if self.bytes_left < 0 or self.attributes_left < 0:
                    raise _too_large()
                yield piece

    def count_cells(self, cells: int) -> None:
        self.cells_left -= cells
        if self.cells_left < 0:
            raise _too_large()

    def number_of(self, text: str, style: str) -> str:
        """Return a number as it is typed (0.5, 2210), a day as 2001-02-13."""
        if text.isdecimal() and style not in self.day_styles:
            return text
        if not _NUMBER.fullmatch(text):
            return text
        number = float(text)
        if style in self.day_styles:
            return self._day(number) or text
        whole = abs(number) < _WHOLE_BELOW and number.is_integer()
        return str(int(number)) if whole else repr(number)

    def _day(self, number: float) -> str:
        days = int(number)
        if self.first_day == _FIRST_DAY and 0 < days < _LEAP_DAY:
            days += 1
        try:
            return (self.first_day + timedelta(days=days)).isoformat()
        except OverflowError:
            return ""


def _check_directory(file: IO[bytes]) -> None:
    """Refuse a huge table of contents before the library parses all of it."""
    members, size = directory_of(end_of(file)) or (0, 0)
    if max(members, size // _SHORTEST_MEMBER) > MOST_PARTS:
        raise NoWorkbook("workbook_has_many_parts")


def _refusal(error: Exception) -> NoWorkbook:
    # zipfile, zlib and expat raise a dozen different errors for damaged files.
    return error if isinstance(error, NoWorkbook) else NoWorkbook("workbook_damaged")


def _too_large() -> NoWorkbook:
    return NoWorkbook("workbook_too_large")


def _sheet_name(sheet: _Attributes, parts: dict[str | None, str]) -> SheetName:
    # There are two namespaces of r:id, under any prefix.
    relation = next((sheet[name] for name in sheet if name.endswith(":id")), None)
    target = parts.get(relation)
    if target is None:
        raise NoWorkbook("workbook_lacks_sheet")
    part = target[1:] if target.startswith("/") else f"xl/{target}"
    is_hidden = sheet.get("state", "visible") != "visible"
    return SheetName(sheet.get("name", ""), part, is_hidden)


@dataclass(slots=True)
class _Walk:
    """Goes through one part, and keeps only what a subclass takes up."""

    workbook: Workbook
    text: str = field(default="", init=False)  # of the element that ends
    # Names as they are written, under any prefix, and without it.
    names: dict[str, str] = field(default_factory=dict, init=False)
    depth: int = field(default=0, init=False)

    def read_if_there(self, part: str) -> Self:
        return self.read(part) if self.workbook.has(part) else self

    def read(self, part: str) -> Self:
        for _ in self.walk(part):
            pass
        return self

    def walk(self, part: str) -> Iterator[int]:
        """Go through *part*; yield how many of its bytes have been taken in."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._begin
        parser.CharacterDataHandler = self._add
        parser.EndElementHandler = self._end
        taken = 0
        for piece in self.workbook.pieces(part):
            parser.Parse(piece, False)
            taken += len(piece)
            if taken - parser.CurrentByteIndex > _LONGEST_TAG:
                raise NoWorkbook("workbook_unsafe")
            if len(parser.intern) > MOST_NAMES:
                raise NoWorkbook("workbook_has_many_names")
            yield taken
        parser.Parse(b"", True)
        yield taken

    def _refuse(self, *_: object) -> None:
        raise NoWorkbook("workbook_unsafe")

    def _begin(self, name: str, attributes: _Attributes) -> None:
        workbook = self.workbook
        workbook.elements_left -= 1
        if workbook.elements_left < 0:
            raise _too_large()
        self.depth += 1
        if self.depth > DEEPEST:
            raise NoWorkbook("workbook_nested_deeply")
        self.text = ""
        self.begins(self._plain(name), attributes)

    def _plain(self, name: str) -> str:
        plain = self.names.get(name)
        if plain is None:
            plain = self.names[name] = name.rpartition(":")[2]
        return plain

    def _add(self, text: str) -> None:
        longest = self.workbook.limits.longest_cell
        if len(self.text) < longest:
            self.text += text[:longest]

    def _end(self, name: str) -> None:
        self.depth -= 1
        self.ends(self._plain(name))
        self.text = ""

    def begins(self, name: str, attributes: _Attributes) -> None: ...

    def ends(self, name: str) -> None: ...


@dataclass(slots=True)
class _Named(_Walk):
    """Some attributes of each element of some names."""

    wanted: Sequence[str]
    kept: Sequence[str]
    found: list[tuple[str, _Attributes]] = field(default_factory=list)

    def begins(self, name: str, attributes: _Attributes) -> None:
        if name not in self.wanted:
            return
        if len(self.found) == MOST_SHEETS:
            raise NoWorkbook("workbook_has_many_sheets", most=MOST_SHEETS)
        kept = {
            key: text[:_LONGEST_NAME]
            for key, text in attributes.items()
            if key.rpartition(":")[2] in self.kept
        }
        self.found.append((name, kept))


@dataclass(slots=True)
class _Styles(_Walk):
    """Which looks of cells show a number as a day."""

    days: set[str] = field(default_factory=set)
    formats: set[str] = field(default_factory=set)
    looks: int = 0
    of_cells: bool = False

    def begins(self, name: str, attributes: _Attributes) -> None:
        if name == "numFmt" and _shows_day(attributes.get("formatCode", "")):
            self.formats.add(attributes.get("numFmtId", "")[:_LONGEST_REFERENCE])
            self._refuse_many(len(self.formats))
        elif name == "cellXfs":
            self.of_cells = True
        elif name == "xf" and self.of_cells:
            form = attributes.get("numFmtId", "")
            is_known = form.isdecimal() and len(form) < 4 and int(form) in _DAY_FORMATS
            if is_known or form in self.formats:
                self.days.add(str(self.looks))
            self.looks += 1
            self._refuse_many(self.looks)

    def _refuse_many(self, styles: int) -> None:
        if styles > MOST_STYLES:
            raise NoWorkbook("workbook_has_many_styles", most=MOST_STYLES)

    def ends(self, name: str) -> None:
        if name == "cellXfs":
            self.of_cells = False


def _shows_day(code: str) -> bool:
    """Tell whether a format of numbers names a year or a day.

    >>> _shows_day("dd/mm/yyyy"), _shows_day('0.00" days"'), _shows_day("[Red]h:mm")
    (True, False, False)
    """
    return any(letter in "yYdD" for letter in _QUOTED.sub("", code[:200]))


@dataclass(slots=True)
class _Texts(_Walk):
    """Joins the runs of a text; readings for Asian scripts are no part of it."""

    joined: str = field(default="", init=False)
    in_reading: bool = field(default=False, init=False)

    def begins(self, name: str, attributes: _Attributes) -> None:
        if name in ("si", "is"):
            self.joined = ""
        elif name == "rPh":
            self.in_reading = True

    def ends(self, name: str) -> None:
        if name == "t" and not self.in_reading:
            joined = self.joined + self.text
            self.joined = joined[: self.workbook.limits.longest_cell]
        elif name == "rPh":
            self.in_reading = False


@dataclass(slots=True)
class _Strings(_Texts):
    """The texts that cells name by their numbers."""

    found: list[str] = field(default_factory=list)
    kept: int = 0

    def ends(self, name: str) -> None:
        _Texts.ends(self, name)
        if name == "si":
            self.found.append(self.joined)
            self.kept += len(self.joined) + _OF_A_STRING
            if self.kept > self.workbook.limits.strings:
                raise _too_large()


@dataclass(slots=True)
class Cells(_Texts):
    """The rows of a sheet as they come, and at the end which cells are merged.

    *hidden* are the numbers of rows and the letters of columns that people do not see.

    *bytes_read* of *size* say how far it is; the size is what the file claims.
    """

    part: str
    merged: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    bytes_read: int = 0
    done: list[SheetRow] = field(default_factory=list, init=False)
    number: int = field(default=0, init=False)
    row: list[str] = field(default_factory=list, init=False)
    unsolved: list[str] = field(default_factory=list, init=False)
    unsolved_in_all: int = field(default=0, init=False)
    cell: _Attributes = field(default_factory=dict, init=False)
    value: str = field(default="", init=False)
    has_formula: bool = field(default=False, init=False)
    has_value: bool = field(default=False, init=False)

    @property
    def size(self) -> int:
        return self.workbook.size_of(self.part)

    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows; a file leaves out those without a cell."""
        try:
            for taken in self.walk(self.part):
                self.bytes_read = taken
                yield from self.done
                self.done.clear()
        except Exception as error:
            raise _refusal(error) from error

    def begins(self, name: str, attributes: _Attributes) -> None:
        if name == "c":
            self.cell, self.value = attributes, ""
            self.has_formula = self.has_value = False
            self.joined = ""
        elif name == "f":
            self.has_formula = True
        elif name == "row":
            self._begin_row(attributes.get("r"))
            self._note_hidden(attributes, str(self.number))
        elif name == "col":
            self._note_hidden(attributes, _column_letters(attributes.get("min", "")))
        elif name == "mergeCell" and len(self.merged) < MOST_ODD_CELLS:
            self.merged.append(attributes.get("ref", "")[:_LONGEST_REFERENCE])
        else:
            _Texts.begins(self, name, attributes)

    def ends(self, name: str) -> None:
        if name == "v":
            self.value, self.has_value = self.text, True
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self.done.append(SheetRow(self.number, self.row, tuple(self.unsolved)))
            self.row, self.unsolved = [], []
        else:
            _Texts.ends(self, name)

    def _note_hidden(self, attributes: _Attributes, name: str) -> None:
        is_hidden = attributes.get("hidden") in ("1", "true")
        if is_hidden and len(self.hidden) < MOST_ODD_CELLS:
            self.hidden.append(name)

    def _begin_row(self, number: str | None) -> None:
        self.number = max(int(number or 0), self.number + 1)
        self.row, self.unsolved = [], []
        most = self.workbook.limits.rows
        if self.number > most:
            raise NoWorkbook("workbook_has_many_rows", most=most)

    def _end_cell(self) -> None:
        reference, row = self.cell.get("r", "")[:_LONGEST_REFERENCE], self.row
        is_empty_text = self.has_value and self.cell.get("t") == "str"
        if self.has_formula and not self.value and not is_empty_text:
            self._note_unsolved(reference)
        place = _place(reference, len(row))
        if place < self.workbook.limits.columns:
            missing = place - len(row)
            self.workbook.count_cells(missing + 1)
            if missing:
                row += [""] * missing
            row.append(self._value())

    def _note_unsolved(self, reference: str) -> None:
        self.unsolved_in_all += 1
        if self.unsolved_in_all <= MOST_ODD_CELLS or not self.unsolved:
            self.unsolved.append(reference)

    def _value(self) -> str:
        kind = self.cell.get("t", "n")
        if kind == "s":
            return self.workbook.strings[int(self.value)] if self.value else ""
        if kind == "inlineStr":
            return self.joined
        if kind == "n" and self.value:
            return self.workbook.number_of(self.value, self.cell.get("s", "0"))
        return self.value[: self.workbook.limits.longest_cell]


def _column_letters(number: str) -> str:
    """Return the letters of a column counted from 1; "" for what is none.

    >>> _column_letters("3"), _column_letters("28"), _column_letters("x")
    ('C', 'AB', '')
    """
    is_column = number.isdecimal() and len(number) < 6 and int(number) > 0
    return letters(int(number) - 1) if is_column else ""


def _place(reference: str, next_place: int) -> int:
    """Return the column of "C7" counted from 0; a cell may leave it out."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return next_place
    place = 0
    for letter in found[1]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return max(place - 1, next_place)
