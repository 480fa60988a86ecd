"""The first sheet of a spreadsheet (XLSX) as rows of texts. The file may be hostile.

A workbook is a ZIP archive of XML parts; three of them are needed. Sizes are looked
at before anything is unpacked, and a part that defines entities is refused.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

MAX_PARTS = 500
MAX_PART_BYTES = 8_000_000
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


def read_sheet(data: bytes) -> list[list[str]]:
    """Return the first sheet's rows, each cell as text, blank ones as "".

    Numbers are as the file writes them (0.5, 2210). Raises UnreadableSheet.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > MAX_PARTS:
                raise UnreadableSheet("The spreadsheet has too many parts.")
            strings = _strings(archive)
            return list(_rows(_part(archive, _first_sheet(archive)), strings))
    except UnreadableSheet:
        raise
    except Exception as error:
        # zipfile, zlib and expat raise a dozen different errors for damaged files.
        raise UnreadableSheet("The spreadsheet is damaged.") from error


def _part(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    if name not in archive.namelist():
        raise UnreadableSheet(f"The spreadsheet has no part {name}.")
    if archive.getinfo(name).file_size > MAX_PART_BYTES:
        raise UnreadableSheet("The spreadsheet is too large.")
    with archive.open(name) as file:
        # Declared sizes can lie, and a read without a bound unpacks it all.
        content = file.read(MAX_PART_BYTES + 1)
    if len(content) > MAX_PART_BYTES:
        raise UnreadableSheet("The spreadsheet is too large.")
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\x00" in content:
        raise UnreadableSheet("The spreadsheet holds what no spreadsheet needs.")
    return ElementTree.fromstring(content)  # noqa: S314 - without a DTD, see above


def _local(element: ElementTree.Element) -> str:
    """Return an element's name without its namespace, of which there are two."""
    return element.tag.rpartition("}")[2]


def _each(parent: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (element for element in parent.iter() if _local(element) == name)


def _first_sheet(archive: zipfile.ZipFile) -> str:
    sheet = next(_each(_part(archive, _WORKBOOK), "sheet"), None)
    if sheet is None:
        raise UnreadableSheet("The spreadsheet has no sheet.")
    wanted = next(filter(None, map(sheet.get, _RELATION_ID)), None)
    for relation in _each(_part(archive, _RELATIONS), "Relationship"):
        if relation.get("Id") == wanted:
            target = relation.get("Target", "")
            return target[1:] if target.startswith("/") else f"xl/{target}"
    raise UnreadableSheet("The first sheet cannot be found in the spreadsheet.")


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
            raise UnreadableSheet(f"The sheet has more than {MAX_ROWS:,} rows.")
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
