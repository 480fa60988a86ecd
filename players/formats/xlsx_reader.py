"""The sheets of a spreadsheet (XLSX), row by row. The file may be hostile.

A workbook is a ZIP archive of XML parts; only a few of them are read. Each is streamed
once without building a tree, so that a small file cannot expand in memory and a large
one stays on disk. Limits count over all parts, and a part that defines entities is
refused.
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

from players.formats.xlsx_writer import column_letters

MAX_PARTS = 500
MAX_SHEETS = 500
MAX_STYLES = 65_000
MAX_NAMES = 2_000  # of elements and attributes in a part; the parser stores each
MAX_DEPTH = 64
MAX_ODD_CELLS = 500  # of each sheet; the rest is not read
ERRORS = ("#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!")

_PIECE = 1 << 16
# The parser buffers a tag until its end; no program writes one this long.
_LONGEST_TAG = 3_000_000
_LONGEST_NAME = 255  # of a sheet or a part; longer ones are truncated
_LONGEST_REFERENCE = 30
_OF_A_STRING = 60  # overhead of a text in bytes
_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_STYLES = "xl/styles.xml"
_SHORTEST_MEMBER = 46  # bytes in the central directory, plus the name
_END_RECORD = struct.Struct("<4s4H2LH")
_LONGEST_END = 1 << 16  # the record may have a comment
_ZIP64 = (0xFFFF, 0xFFFFFFFF)
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{1,7}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_WHOLE_BELOW = 1e15
# The numbers of the built-in date formats, without those for times only.
_DAY_FORMATS = frozenset([*range(14, 18), 22, *range(27, 32), 36, *range(50, 59)])
_QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.')
_FIRST_DAY, _FIRST_DAY_OF_1904 = date(1899, 12, 30), date(1904, 1, 1)
# Spreadsheets have a February 29, 1900, so earlier dates count from another day.
_LEAP_DAY = 60

_Attributes = dict[str, str]


class WorkbookError(ValueError):
    """The spreadsheet cannot be read: a code, and the values of its message."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code, self.values = code, values


@dataclass(frozen=True, slots=True)
class Limits:
    """Size limits over all parts of a workbook together."""

    bytes: int
    elements: int
    attributes: int
    cells: int
    strings: int  # bytes of the shared strings
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

    *uncalculated* are the cells whose formulas have no stored value.
    """

    number: int
    cells: list[str]
    uncalculated: tuple[str, ...]


def looks_like_zip(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def directory_size(data: bytes) -> tuple[int, int] | None:
    """Return the number of entries in the central directory and its size in bytes.

    None if there is no directory. It is not parsed. If the sizes are stored elsewhere
    because it is so large (ZIP64), they count as the largest possible.

    >>> directory_size(b"PK\\x05\\x06" + bytes(18)), directory_size(b"PK")
    ((0, 0), None)
    """
    at = data.rfind(b"PK\x05\x06")
    if at < 0 or at + _END_RECORD.size > len(data):
        return None
    if data[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        return _ZIP64
    _, _, _, _, count, size, _, _ = _END_RECORD.unpack_from(data, at)
    return count, size


def read_archive_end(file: IO[bytes]) -> bytes:
    """Return the end of an archive, which locates its central directory.

    >>> read_archive_end(io.BytesIO(b"PK"))
    b'PK'
    """
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - _LONGEST_END - 2 * _END_RECORD.size))
    return file.read()


class Workbook:
    """An open workbook. All methods raise WorkbookError and nothing else."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        self.limits = limits
        self.bytes_left = limits.bytes
        self.elements_left = limits.elements
        self.attributes_left = limits.attributes
        self.cells_left = limits.cells
        try:
            _check_directory(file)
            self.archive = zipfile.ZipFile(file)
            self.strings = _SharedStrings(self).read_optional(_STRINGS).found
            self.day_styles = _StyleParser(self).read_optional(_STYLES).days
            self.sheets, self.first_day = self._contents()
        except Exception as error:
            raise _refusal(error) from error

    def _contents(self) -> tuple[list[SheetName], date]:
        """Return the sheets in order, and the day from which dates count."""
        of_sheets = ("name", "id", "state", "date1904")
        parser = _AttributeParser(self, ("sheet", "workbookPr"), of_sheets)
        named = parser.read(_WORKBOOK).found
        sheets = [attributes for name, attributes in named if name == "sheet"]
        if not sheets:
            raise WorkbookError("workbook_without_sheet")
        parser = _AttributeParser(self, ("Relationship",), ("Id", "Target"))
        found = parser.read(_RELATIONS).found
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
        """Decompress a part, up to the limit for the whole workbook."""
        if not self.has(part):
            raise WorkbookError("workbook_lacks_part", name=part)
        with self.archive.open(part) as file:
            # Declared sizes can lie, and an unbounded read would decompress everything.
            while piece := file.read(min(_PIECE, self.bytes_left + 1)):
                self.bytes_left -= len(piece)
                # The parser stores all names before it reports them.
                self.attributes_left -= piece.count(b"=")
                if self.bytes_left < 0 or self.attributes_left < 0:
                    raise _too_large()
                yield piece

    def count_cells(self, cells: int) -> None:
        self.cells_left -= cells
        if self.cells_left < 0:
            raise _too_large()

    def number_of(self, text: str, style: str) -> str:
        """Return a number as typed (0.5, 2210), or a date as 2001-02-13."""
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
    """Refuse a huge central directory before zipfile parses all of it."""
    members, size = directory_size(read_archive_end(file)) or (0, 0)
    if max(members, size // _SHORTEST_MEMBER) > MAX_PARTS:
        raise WorkbookError("workbook_has_many_parts")


def _refusal(error: Exception) -> WorkbookError:
    if isinstance(error, WorkbookError):
        return error
    # zipfile, zlib and expat raise a dozen different errors for damaged files.
    return WorkbookError("workbook_damaged")


def _too_large() -> WorkbookError:
    return WorkbookError("workbook_too_large")


def _sheet_name(sheet: _Attributes, parts: dict[str | None, str]) -> SheetName:
    # There are two namespaces of r:id, under any prefix.
    relation = next((sheet[name] for name in sheet if name.endswith(":id")), None)
    target = parts.get(relation)
    if target is None:
        raise WorkbookError("workbook_lacks_sheet")
    part = target[1:] if target.startswith("/") else f"xl/{target}"
    is_hidden = sheet.get("state", "visible") != "visible"
    return SheetName(sheet.get("name", ""), part, is_hidden)


@dataclass(slots=True)
class _PartParser:
    """Streams one part; subclasses collect what they need."""

    workbook: Workbook
    text: str = field(default="", init=False)  # of the closing element
    # Names as written, with any prefix, and without it.
    names: dict[str, str] = field(default_factory=dict, init=False)
    depth: int = field(default=0, init=False)

    def read_optional(self, part: str) -> Self:
        return self.read(part) if self.workbook.has(part) else self

    def read(self, part: str) -> Self:
        for _ in self.parse(part):
            pass
        return self

    def parse(self, part: str) -> Iterator[int]:
        """Stream *part*; yield how many of its bytes have been parsed."""
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
                raise WorkbookError("workbook_unsafe")
            if len(parser.intern) > MAX_NAMES:
                raise WorkbookError("workbook_has_many_names")
            yield taken
        parser.Parse(b"", True)
        yield taken

    def _refuse(self, *_: object) -> None:
        raise WorkbookError("workbook_unsafe")

    def _begin(self, name: str, attributes: _Attributes) -> None:
        workbook = self.workbook
        workbook.elements_left -= 1
        if workbook.elements_left < 0:
            raise _too_large()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise WorkbookError("workbook_nested_deeply")
        self.text = ""
        self.start_element(self._plain(name), attributes)

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
        self.end_element(self._plain(name))
        self.text = ""

    def start_element(self, name: str, attributes: _Attributes) -> None: ...

    def end_element(self, name: str) -> None: ...


@dataclass(slots=True)
class _AttributeParser(_PartParser):
    """Collects attributes of the elements with certain names."""

    wanted: Sequence[str]
    kept: Sequence[str]
    found: list[tuple[str, _Attributes]] = field(default_factory=list)

    def start_element(self, name: str, attributes: _Attributes) -> None:
        if name not in self.wanted:
            return
        if len(self.found) == MAX_SHEETS:
            raise WorkbookError("workbook_has_many_sheets", most=MAX_SHEETS)
        kept = {
            key: text[:_LONGEST_NAME]
            for key, text in attributes.items()
            if key.rpartition(":")[2] in self.kept
        }
        self.found.append((name, kept))


@dataclass(slots=True)
class _StyleParser(_PartParser):
    """Collects the cell styles that format a number as a date."""

    days: set[str] = field(default_factory=set)
    formats: set[str] = field(default_factory=set)
    style_count: int = 0
    in_cell_styles: bool = False

    def start_element(self, name: str, attributes: _Attributes) -> None:
        if name == "numFmt" and _shows_day(attributes.get("formatCode", "")):
            self.formats.add(attributes.get("numFmtId", "")[:_LONGEST_REFERENCE])
            self._refuse_many(len(self.formats))
        elif name == "cellXfs":
            self.in_cell_styles = True
        elif name == "xf" and self.in_cell_styles:
            form = attributes.get("numFmtId", "")
            is_known = form.isdecimal() and len(form) < 4 and int(form) in _DAY_FORMATS
            if is_known or form in self.formats:
                self.days.add(str(self.style_count))
            self.style_count += 1
            self._refuse_many(self.style_count)

    def _refuse_many(self, styles: int) -> None:
        if styles > MAX_STYLES:
            raise WorkbookError("workbook_has_many_styles", most=MAX_STYLES)

    def end_element(self, name: str) -> None:
        if name == "cellXfs":
            self.in_cell_styles = False


def _shows_day(code: str) -> bool:
    """Return whether a number format contains a year or a day.

    >>> _shows_day("dd/mm/yyyy"), _shows_day('0.00" days"'), _shows_day("[Red]h:mm")
    (True, False, False)
    """
    return any(letter in "yYdD" for letter in _QUOTED.sub("", code[:200]))


@dataclass(slots=True)
class _TextParser(_PartParser):
    """Joins the runs of a text, without phonetic readings of Asian scripts."""

    joined: str = field(default="", init=False)
    in_phonetic: bool = field(default=False, init=False)

    def start_element(self, name: str, attributes: _Attributes) -> None:
        if name in ("si", "is"):
            self.joined = ""
        elif name == "rPh":
            self.in_phonetic = True

    def end_element(self, name: str) -> None:
        if name == "t" and not self.in_phonetic:
            joined = self.joined + self.text
            self.joined = joined[: self.workbook.limits.longest_cell]
        elif name == "rPh":
            self.in_phonetic = False


@dataclass(slots=True)
class _SharedStrings(_TextParser):
    """The shared strings, by number."""

    found: list[str] = field(default_factory=list)
    kept: int = 0

    def end_element(self, name: str) -> None:
        _TextParser.end_element(self, name)
        if name == "si":
            self.found.append(self.joined)
            self.kept += len(self.joined) + _OF_A_STRING
            if self.kept > self.workbook.limits.strings:
                raise _too_large()


@dataclass(slots=True)
class Cells(_TextParser):
    """The rows of a sheet as they are read, and at the end which cells are merged.

    *hidden* are the numbers of hidden rows and the letters of hidden columns.

    *bytes_read* of *size* is the progress; the size is what the file declares.
    """

    part: str
    merged: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    bytes_read: int = 0
    done: list[SheetRow] = field(default_factory=list, init=False)
    number: int = field(default=0, init=False)
    row: list[str] = field(default_factory=list, init=False)
    uncalculated: list[str] = field(default_factory=list, init=False)
    uncalculated_total: int = field(default=0, init=False)
    cell: _Attributes = field(default_factory=dict, init=False)
    value: str = field(default="", init=False)
    has_formula: bool = field(default=False, init=False)
    has_value: bool = field(default=False, init=False)

    @property
    def size(self) -> int:
        return self.workbook.size_of(self.part)

    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows; files omit rows without cells."""
        try:
            for taken in self.parse(self.part):
                self.bytes_read = taken
                yield from self.done
                self.done.clear()
        except Exception as error:
            raise _refusal(error) from error

    def start_element(self, name: str, attributes: _Attributes) -> None:
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
        elif name == "mergeCell" and len(self.merged) < MAX_ODD_CELLS:
            self.merged.append(attributes.get("ref", "")[:_LONGEST_REFERENCE])
        else:
            _TextParser.start_element(self, name, attributes)

    def end_element(self, name: str) -> None:
        if name == "v":
            self.value, self.has_value = self.text, True
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self.done.append(SheetRow(self.number, self.row, tuple(self.uncalculated)))
            self.row, self.uncalculated = [], []
        else:
            _TextParser.end_element(self, name)

    def _note_hidden(self, attributes: _Attributes, name: str) -> None:
        is_hidden = attributes.get("hidden") in ("1", "true")
        if is_hidden and len(self.hidden) < MAX_ODD_CELLS:
            self.hidden.append(name)

    def _begin_row(self, number: str | None) -> None:
        self.number = max(int(number or 0), self.number + 1)
        self.row, self.uncalculated = [], []
        most = self.workbook.limits.rows
        if self.number > most:
            raise WorkbookError("workbook_has_many_rows", most=most)

    def _end_cell(self) -> None:
        reference, row = self.cell.get("r", "")[:_LONGEST_REFERENCE], self.row
        is_empty_text = self.has_value and self.cell.get("t") == "str"
        if self.has_formula and not self.value and not is_empty_text:
            self._note_uncalculated(reference)
        place = _place(reference, len(row))
        if place < self.workbook.limits.columns:
            missing = place - len(row)
            self.workbook.count_cells(missing + 1)
            if missing:
                row += [""] * missing
            row.append(self._value())

    def _note_uncalculated(self, reference: str) -> None:
        self.uncalculated_total += 1
        if self.uncalculated_total <= MAX_ODD_CELLS or not self.uncalculated:
            self.uncalculated.append(reference)

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
    """Return the letters of a column counted from 1, or "" if invalid.

    >>> _column_letters("3"), _column_letters("28"), _column_letters("x")
    ('C', 'AB', '')
    """
    is_column = number.isdecimal() and len(number) < 6 and int(number) > 0
    return column_letters(int(number) - 1) if is_column else ""


def _place(reference: str, next_place: int) -> int:
    """Return the column of "C7" counted from 0; cells may omit the reference."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return next_place
    place = 0
    for letter in found[1]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return max(place - 1, next_place)
