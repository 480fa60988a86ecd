"""The sheets of a spreadsheet (XLSX) as rows of texts. The file may be hostile.

A workbook is a ZIP archive of XML parts; three of them are needed. Sizes are looked
at before anything is unpacked, and a part that defines entities is refused.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from events.importers.sentences import say

MAX_PARTS = 500
MAX_PART_BYTES = 8_000_000
MAX_SHEETS = 20
MAX_SHEETS_BYTES = 16_000_000
MAX_COLUMNS = 200
MAX_ROWS = 20_000
LONGEST_CELL = 2_000

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_RELATION_ID = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{1,7}", re.ASCII)


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
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > MAX_PARTS:
                raise UnreadableSheet(say("The spreadsheet has too many parts."))
            strings = _strings(archive)
            names = _sheet_names(archive)[:most]
            _check_sizes(archive, [part for _, part in names])
            return [_sheet(name, _part(archive, part), strings) for name, part in names]
    except UnreadableSheet:
        raise
    except Exception as error:
        # zipfile, zlib and expat raise a dozen different errors for damaged files.
        raise UnreadableSheet(say("The spreadsheet is damaged.")) from error


def _part(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    if name not in archive.namelist():
        raise UnreadableSheet(say("The spreadsheet has no part {name}.", name=name))
    if archive.getinfo(name).file_size > MAX_PART_BYTES:
        raise UnreadableSheet(say("The spreadsheet is too large."))
    with archive.open(name) as file:
        # Declared sizes can lie, and a read without a bound unpacks it all.
        content = file.read(MAX_PART_BYTES + 1)
    if len(content) > MAX_PART_BYTES:
        raise UnreadableSheet(say("The spreadsheet is too large."))
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\x00" in content:
        raise UnreadableSheet(say("The spreadsheet holds what no spreadsheet needs."))
    return ElementTree.fromstring(content)  # noqa: S314 - without a DTD, see above


def _local(element: ElementTree.Element) -> str:
    """Return an element's name without its namespace, of which there are two."""
    return element.tag.rpartition("}")[2]


def _each(parent: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (element for element in parent.iter() if _local(element) == name)


def _sheet_names(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    """Return each sheet's name and the part that holds it, in their order."""
    sheets = list(_each(_part(archive, _WORKBOOK), "sheet"))
    if not sheets:
        raise UnreadableSheet(say("The spreadsheet has no sheet."))
    parts = {
        relation.get("Id"): relation.get("Target", "")
        for relation in _each(_part(archive, _RELATIONS), "Relationship")
    }
    found = []
    for sheet in sheets:
        target = parts.get(next(filter(None, map(sheet.get, _RELATION_ID)), None))
        if target is None:
            raise UnreadableSheet(say("A sheet cannot be found in the spreadsheet."))
        part = target[1:] if target.startswith("/") else f"xl/{target}"
        found.append((sheet.get("name", ""), part))
    return found


def _check_sizes(archive: zipfile.ZipFile, parts: list[str]) -> None:
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    if sum(sizes.get(part, 0) for part in parts) > MAX_SHEETS_BYTES:
        raise UnreadableSheet(say("The spreadsheet is too large."))


def _sheet(name: str, part: ElementTree.Element, strings: list[str]) -> Sheet:
    return Sheet(
        name,
        list(_rows(part, strings)),
        tuple(cell.get("ref", "") for cell in _each(part, "mergeCell")),
        tuple(cell.get("r", "") for cell in _each(part, "c") if _is_unsolved(cell)),
    )


def _is_unsolved(cell: ElementTree.Element) -> bool:
    """Tell a formula whose value no spreadsheet program has worked out."""
    there = {_local(child) for child in cell if child.text or _local(child) == "f"}
    return "f" in there and "v" not in there


def _strings(archive: zipfile.ZipFile) -> list[str]:
    if _STRINGS not in archive.namelist():
        return []
    return [_text(item) for item in _each(_part(archive, _STRINGS), "si")]


def _text(item: ElementTree.Element) -> str:
    """Join the runs of a text; readings for Asian scripts are no part of it."""
    texts = []
    for child in item:
        if _local(child) == "t":
            texts.append(child.text or "")
        elif _local(child) == "r":
            texts += [piece.text or "" for piece in child if _local(piece) == "t"]
    return "".join(texts)[:LONGEST_CELL]


def _rows(sheet: ElementTree.Element, strings: list[str]) -> Iterator[list[str]]:
    done = 0
    for row in _each(sheet, "row"):
        # A file leaves out rows without a cell; people count them.
        number = max(int(row.get("r") or done + 1), done + 1)
        if number > MAX_ROWS:
            raise UnreadableSheet(
                say("The sheet has more than {max_rows:,} rows.", max_rows=MAX_ROWS)
            )
        yield from ([] for _ in range(done + 1, number))
        done = number
        cells: list[str] = []
        for cell in row:
            place = _place(cell.get("r"), len(cells))
            if place >= MAX_COLUMNS:
                break
            cells += [""] * (place - len(cells))
            cells[place:] = [_value(cell, strings)]
        yield cells


def _place(reference: str | None, next_place: int) -> int:
    """Return the column of "C7" counted from 0; a cell may leave it out."""
    found = _REFERENCE.fullmatch(reference or "")
    if found is None:
        return next_place
    place = 0
    for letter in found[1]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return max(place - 1, next_place)


def _value(cell: ElementTree.Element, strings: list[str]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return next((_text(one) for one in cell if _local(one) == "is"), "")
    value = next((one.text or "" for one in cell if _local(one) == "v"), "")
    if kind == "s":
        return strings[int(value)] if value else ""
    return value[:LONGEST_CELL]
