"""Writes spreadsheets of one sheet without a library, with reproducible bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape

# Characters that no XML file may contain.
_NOT_IN_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org"
_MAIN = f"{_OFFICE}/spreadsheetml/2006/main"
_RELATIONS = f"{_OFFICE}/officeDocument/2006/relationships"
_PACKAGE = f"{_OFFICE}/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    f'ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">'
    '<sheets><sheet name="Report" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


def write_xlsx(rows: Iterable[Sequence[str | int]]) -> bytes:
    """Return a spreadsheet of one sheet; a cell is text or a whole number.

    The rows are written one by one, so they need not be in memory.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _PARTS.items():
            archive.writestr(_member(name), f"{_XML}{content}")
        with archive.open(_member("xl/worksheets/sheet1.xml"), "w") as sheet:
            sheet.write(f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for number, row in enumerate(rows, 1):
                sheet.write(_sheet_row(number, row).encode())
            sheet.write(b"</sheetData></worksheet>")
    return buffer.getvalue()


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _sheet_row(number: int, row: Sequence[str | int]) -> str:
    cells = "".join(
        _cell(f"{column_letters(index)}{number}", value)
        for index, value in enumerate(row)
        if value != ""
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, value: str | int) -> str:
    if isinstance(value, int):
        return f'<c r="{place}"><v>{value}</v></c>'
    text = escape(value.translate(_NOT_IN_XML), quote=False)
    return (
        f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
    )


@cache
def column_letters(index: int) -> str:
    """Return the letters of the column *index*, counted from 0.

    >>> column_letters(0), column_letters(25), column_letters(26)
    ('A', 'Z', 'AA')
    """
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = LETTERS[rest] + text
    return text
