"""Writes spreadsheets of one sheet without a library, with reproducible bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from html import escape

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


def write_xlsx(rows: Sequence[Sequence[str]]) -> bytes:
    """Return a spreadsheet of one sheet in which every cell is text."""
    sheet = "".join(_sheet_row(number, row) for number, row in enumerate(rows, 1))
    parts = {
        **_PARTS,
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{sheet}'
        "</sheetData></worksheet>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, f"{_XML}{content}")
    return buffer.getvalue()


def _sheet_row(number: int, row: Sequence[str]) -> str:
    cells = "".join(
        f'<c r="{column_letters(index)}{number}" '
        't="inlineStr"><is><t xml:space="preserve">'
        f"{escape(text, quote=False)}</t></is></c>"
        for index, text in enumerate(row)
        if text
    )
    return f'<row r="{number}">{cells}</row>'


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
