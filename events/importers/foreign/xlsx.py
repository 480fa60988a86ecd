"""The sheets of a spreadsheet (XLSX) as rows of texts. The file may be hostile.

A workbook is a ZIP archive of XML parts; a few of them are needed. Each is read through
once and no tree is kept, so that a small file cannot grow: what a workbook may hold is
counted over all its parts, and a part that defines entities is refused.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, field
from typing import Self
from xml.parsers import expat

from events.importers.archive import directory_of
from events.importers.sentences import say

MAX_PARTS = 500
MAX_BYTES = 10_000_000
MAX_ELEMENTS = 300_000  # 6,000 entries with 14 cells of three each are 252,000
MAX_ATTRIBUTES = 300_000
MAX_CELLS = 400_000
MAX_SHEETS = 20
MAX_COLUMNS = 200
MAX_ROWS = 20_000
LONGEST_CELL = 200
MOST_ODD_CELLS = 500  # of each sheet; nobody reads on

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_SHORTEST_MEMBER = 46  # bytes in the table of contents, and the name besides
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{1,7}", re.ASCII)

_Attributes = dict[str, str]


class UnreadableSheet(ValueError):
    """The spreadsheet cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its rows, merged ranges (B2:C2), and formulas without a value."""

    name: str
    rows: list[list[str]]
    merged: tuple[str, ...] = ()
    unsolved: tuple[str, ...] = ()


def read_sheet(data: bytes) -> list[list[str]]:
    """Return the first sheet's rows, each cell as text, blank ones as "".

    Numbers are as the file writes them (0.5, 2210). Raises UnreadableSheet.
    """
    return read_sheets(data, most=1)[0].rows


def read_sheets(data: bytes, *, most: int = MAX_SHEETS) -> list[Sheet]:
    """Return the first sheets, at most *most* of them. Raises UnreadableSheet."""
    try:
        _check_directory(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _sheets(_Workbook(archive), most)
    except UnreadableSheet:
        raise
    except Exception as error:
        # zipfile, zlib and expat raise a dozen different errors for damaged files.
        raise UnreadableSheet(say("The spreadsheet is damaged.")) from error


def _check_directory(data: bytes) -> None:
    """Refuse a huge table of contents before the library parses all of it."""
    members, size = directory_of(data) or (0, 0)
    if max(members, size // _SHORTEST_MEMBER) > MAX_PARTS:
        raise UnreadableSheet(say("The spreadsheet has too many parts."))


@dataclass(slots=True)
class _Workbook:
    """The parts, and how much all of them together may still hold."""

    archive: zipfile.ZipFile
    bytes_left: int = MAX_BYTES
    elements_left: int = MAX_ELEMENTS
    attributes_left: int = MAX_ATTRIBUTES
    cells_left: int = MAX_CELLS

    def has(self, name: str) -> bool:
        return name in self.archive.NameToInfo

    def part(self, name: str) -> bytes:
        if not self.has(name):
            raise UnreadableSheet(say("The spreadsheet has no part {name}.", name=name))
        with self.archive.open(name) as file:
            # Declared sizes can lie, and a read without a bound unpacks it all.
            content = file.read(self.bytes_left + 1)
        self.bytes_left -= len(content)
        # The parser keeps the name of each, long before it tells of them.
        self.attributes_left -= content.count(b"=")
        if self.bytes_left < 0 or self.attributes_left < 0:
            raise _too_large()
        return content

    def count_element(self) -> None:
        self.elements_left -= 1
        if self.elements_left < 0:
            raise _too_large()

    def count_cells(self, cells: int) -> None:
        self.cells_left -= cells
        if self.cells_left < 0:
            raise _too_large()


def _too_large() -> UnreadableSheet:
    return UnreadableSheet(say("The spreadsheet is too large."))


def _sheets(workbook: _Workbook, most: int) -> list[Sheet]:
    strings = _Strings(workbook)
    if workbook.has(_STRINGS):
        strings.read(_STRINGS)
    sheets = []
    for name, part in _sheet_names(workbook)[:most]:
        cells = _Cells(workbook, strings.found).read(part)
        found = tuple(cells.merged), tuple(cells.unsolved)
        sheets.append(Sheet(name, cells.rows, *found))
    return sheets


def _sheet_names(workbook: _Workbook) -> list[tuple[str, str]]:
    """Return each sheet's name and the part that holds it, in their order."""
    sheets = _Named(workbook, "sheet").read(_WORKBOOK).found
    if not sheets:
        raise UnreadableSheet(say("The spreadsheet has no sheet."))
    relations = _Named(workbook, "Relationship").read(_RELATIONS).found
    parts = {relation.get("Id"): relation.get("Target", "") for relation in relations}
    found = []
    for sheet in sheets:
        target = parts.get(_relation_id(sheet))
        if target is None:
            raise UnreadableSheet(say("A sheet cannot be found in the spreadsheet."))
        part = target[1:] if target.startswith("/") else f"xl/{target}"
        found.append((sheet.get("name", ""), part))
    return found


def _relation_id(sheet: _Attributes) -> str | None:
    """Return the attribute r:id; there are two namespaces, under any prefix."""
    return next((sheet[name] for name in sheet if name.endswith(":id")), None)


@dataclass(slots=True)
class _Walk:
    """Goes through one part, and keeps only what a subclass takes up."""

    workbook: _Workbook
    text: str = field(default="", init=False)  # of the element that ends

    def read(self, part: str) -> Self:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._begin
        parser.CharacterDataHandler = self._add
        parser.EndElementHandler = self._end
        parser.Parse(self.workbook.part(part), True)
        return self

    def _refuse(self, *_: object) -> None:
        sentence = say("The spreadsheet holds what no spreadsheet needs.")
        raise UnreadableSheet(sentence)

    def _begin(self, name: str, attributes: _Attributes) -> None:
        self.workbook.count_element()
        self.text = ""
        self.begins(name.rpartition(":")[2], attributes)

    def _add(self, text: str) -> None:
        if len(self.text) < LONGEST_CELL:
            self.text += text[:LONGEST_CELL]

    def _end(self, name: str) -> None:
        self.ends(name.rpartition(":")[2])
        self.text = ""

    def begins(self, name: str, attributes: _Attributes) -> None: ...

    def ends(self, name: str) -> None: ...


@dataclass(slots=True)
class _Named(_Walk):
    """The attributes of each element of one name."""

    name: str
    found: list[_Attributes] = field(default_factory=list)

    def begins(self, name: str, attributes: _Attributes) -> None:
        if name == self.name:
            self.found.append(attributes)


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
            self.joined = (self.joined + self.text)[:LONGEST_CELL]
        elif name == "rPh":
            self.in_reading = False


@dataclass(slots=True)
class _Strings(_Texts):
    """The texts that cells name by their numbers."""

    found: list[str] = field(default_factory=list)

    def ends(self, name: str) -> None:
        _Texts.ends(self, name)
        if name == "si":
            self.found.append(self.joined)


@dataclass(slots=True)
class _Cells(_Texts):
    """The rows of a sheet, and what was odd about it."""

    strings: list[str]
    rows: list[list[str]] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    unsolved: list[str] = field(default_factory=list)
    cell: _Attributes = field(default_factory=dict, init=False)
    value: str = field(default="", init=False)
    has_formula: bool = field(default=False, init=False)

    def begins(self, name: str, attributes: _Attributes) -> None:
        if name == "c":
            self.cell, self.value, self.has_formula = attributes, "", False
        elif name == "f":
            self.has_formula = True
        elif name == "row":
            self._begin_row(attributes.get("r"))
        elif name == "mergeCell" and len(self.merged) < MOST_ODD_CELLS:
            self.merged.append(attributes.get("ref", ""))
        else:
            _Texts.begins(self, name, attributes)

    def ends(self, name: str) -> None:
        _Texts.ends(self, name)
        if name == "v":
            self.value = self.text[:LONGEST_CELL]
        elif name == "c":
            self._end_cell()

    def _begin_row(self, number: str | None) -> None:
        # A file leaves out rows without a cell; people count them.
        missing = max(int(number or 0) - len(self.rows), 1)
        if len(self.rows) + missing > MAX_ROWS:
            raise UnreadableSheet(
                say("The sheet has more than {max_rows:,} rows.", max_rows=MAX_ROWS)
            )
        self.rows += [[] for _ in range(missing)]

    def _end_cell(self) -> None:
        reference, row = self.cell.get("r", ""), self.rows[-1]
        if self.has_formula and not self.value and len(self.unsolved) < MOST_ODD_CELLS:
            self.unsolved.append(reference)
        place = _place(reference, len(row))
        if place < MAX_COLUMNS:
            added = [""] * (place - len(row)) + [self._value()]
            self.workbook.count_cells(len(added))
            row += added

    def _value(self) -> str:
        kind = self.cell.get("t", "n")
        if kind == "inlineStr":
            return self.joined
        if kind == "s":
            return self.strings[int(self.value)] if self.value else ""
        return self.value


def _place(reference: str, next_place: int) -> int:
    """Return the column of "C7" counted from 0; a cell may leave it out."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return next_place
    place = 0
    for letter in found[1]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return max(place - 1, next_place)
