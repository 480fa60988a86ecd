"""Small spreadsheets that expand: each is read in bounded time and memory."""

from __future__ import annotations

import io
import itertools
import string
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace

import pytest

from events.formats.foreign.reader import read_foreign
from events.formats.foreign.xlsx import LIMITS, read_sheets
from events.formats.report_reader import read_report
from players.formats.xlsx_reader import (
    MAX_DEPTH,
    MAX_NAMES,
    MAX_ODD_CELLS,
    MAX_SHEETS,
    MAX_STYLES,
    Workbook,
    WorkbookError,
)
from players.formats.xlsx_writer import write_xlsx
from tests.cpu_time import cpu_time
from tests.events.formats.samples import rezipped

SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
WORKBOOK = "xl/workbook.xml"
# The largest have 140,000 cells, as many as 20 reports of 500 players.
MAX_SECONDS = 2
MAX_BYTES = 100_000_000
PLAIN = write_xlsx([("Name", "Rd 1"), ("Ana", "B")])


def sheet(rows: bytes, after: bytes = b"") -> bytes:
    return b"<worksheet><sheetData>" + rows + b"</sheetData>" + after + b"</worksheet>"


def book(rows: bytes, after: bytes = b"") -> bytes:
    return rezipped(PLAIN, SHEET, sheet(rows, after))


def strings(*texts: str, rows: bytes) -> bytes:
    items = "".join(f"<si><t>{text}</t></si>" for text in texts)
    return rezipped(book(rows), STRINGS, f"<sst>{items}</sst>".encode())


def row_with_attributes(count: int) -> bytes:
    names = itertools.product(string.ascii_letters, repeat=4)
    texts = (f'{"".join(name)}=""' for name in itertools.islice(names, count))
    return f"<row {' '.join(texts)}/>".encode()


def named_often(data: bytes) -> bytes:
    """Return a workbook with its one sheet under twenty names."""
    many = "".join(f'<sheet name="S{n}" r:id="rId1"/>' for n in range(20))
    text = f'<workbook xmlns:r="x"><sheets>{many}</sheets></workbook>'
    return rezipped(data, WORKBOOK, text.encode())


def declared_as(data: bytes, size: int) -> bytes:
    """Change the sheet's size in the directory and in its own header."""
    changed = bytearray(data)
    for mark, length_at, name_at, size_at in (
        (b"PK\x03\x04", 26, 30, 22),
        (b"PK\x01\x02", 28, 46, 24),
    ):
        at = changed.find(mark)
        while at >= 0:
            (length,) = struct.unpack_from("<H", changed, at + length_at)
            if changed[at + name_at : at + name_at + length] == SHEET.encode():
                struct.pack_into("<L", changed, at + size_at, size)
            at = changed.find(mark, at + 1)
    return bytes(changed)


def long_directory() -> bytes:
    """Return a directory of 200,000 members that declares only one."""
    start = b"PK\x03\x04" + WORKBOOK.encode()
    member = b"PK\x01\x02" + bytes(24) + struct.pack("<H", 1) + bytes(16) + b"a"
    members = member * 200_000
    end = (b"PK\x05\x06", 0, 0, 1, 1, len(members), len(start), 0)
    return start + members + struct.pack("<4s4H2LH", *end)


ROW_OF_TEXTS = b"<row>" + b'<c t="s"><v>0</v></c>' * 199 + b"</row>"
EMPTY_CELLS = b"<row>" + b"<c/>" * 1_600_000 + b"</row>"

HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a cell in the far corner": (
        lambda: book(b'<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'),
        "table.unreadable",
    ),
    "a wide sheet with two cells": (
        lambda: book(b'<row/><row r="20000"><c r="GR20000"><v>2</v></c></row>'),
        "table.not_found",
    ),
    "huge dimensions that are only declared": (
        lambda: rezipped(
            PLAIN,
            SHEET,
            b'<worksheet><dimension ref="A1:XFD1048576"/><sheetData/></worksheet>',
        ),
        "table.not_found",
    ),
    "a bomb": (lambda: book(b" " * 30_000_000), "table.unreadable"),
    "a bomb that says it is small": (
        lambda: declared_as(book(b" " * 30_000_000), 1_000),
        "table.unreadable",
    ),
    "empty cells": (lambda: book(EMPTY_CELLS), "table.unreadable"),
    "one sheet under many names": (
        lambda: named_often(book(b"<row>" + b"<c/>" * 30_000 + b"</row>")),
        "table.unreadable",
    ),
    "wide rows in many sheets": (
        lambda: named_often(book(b'<row><c r="GR1"/></row>' * 7_000)),
        "table.unreadable",
    ),
    "merged cells": (
        lambda: book(b"", b'<mergeCell ref="A1:B1"/>' * 290_000),
        "table.not_found",
    ),
    "formulas that nobody worked out": (
        lambda: book(b"<row>" + b"<c><f>1</f></c>" * 140_000 + b"</row>"),
        "table.not_found",
    ),
    "elements in elements": (
        lambda: rezipped(PLAIN, SHEET, b"<a>" * 1_100_000),
        "table.unreadable",
    ),
    "attributes": (
        lambda: book(row_with_attributes(499_000)),
        "table.unreadable",
    ),
    "as many attributes as may be": (
        lambda: book(row_with_attributes(299_000)),
        "table.unreadable",
    ),
    "30 MB of texts": (
        lambda: strings("x" * 30_000_000, rows=ROW_OF_TEXTS),
        "table.unreadable",
    ),
    "a long text that many cells name": (
        lambda: strings("\u200b\t😀" * 3_000, rows=ROW_OF_TEXTS * 700),
        "table.columns_unknown",
    ),
    "texts of many lines": (
        lambda: book(b"<row><c><v>" + b"ab\n" * 3_000_000 + b"</v></c></row>"),
        "table.not_found",
    ),
    "a long table of contents": (long_directory, "table.unreadable"),
    "broken XML": (lambda: book(b"<row><c>"), "table.unreadable"),
    "a text that there is not": (
        lambda: strings("a", rows=b'<row><c t="s"><v>7</v></c></row>'),
        "table.unreadable",
    ),
}


def codes_and_seconds(name: str) -> tuple[list[str], float]:
    data = HOSTILE[name][0]()
    assert len(data) < 10_000_000
    with cpu_time() as spent:
        findings = read_report([("a.xlsx", data)]).findings
    return [finding.code for finding in findings], spent.seconds


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_workbook_is_answered_soon(name: str) -> None:
    codes, seconds = codes_and_seconds(name)
    assert codes == [HOSTILE[name][1]]
    assert seconds < MAX_SECONDS


@pytest.mark.fuzz
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_workbook_uses_little_memory(name: str) -> None:
    data = HOSTILE[name][0]()
    for read in (lambda: read_report([("a.xlsx", data)]), lambda: read_foreign(data)):
        tracemalloc.start()
        read()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < MAX_BYTES


def styles(text: str) -> bytes:
    return rezipped(PLAIN, "xl/styles.xml", f"<styleSheet>{text}</styleSheet>".encode())


def sheets(count: int) -> bytes:
    named = f'<sheet name="{"n" * 300}" r:id="rId1"/>' * count
    text = f'<workbook xmlns:r="x"><sheets>{named}</sheets></workbook>'
    return rezipped(PLAIN, WORKBOOK, text.encode())


def nested(depth: int) -> bytes:
    inner = depth - 2  # a sheet, and its data
    return book(b"<a>" * inner + b"</a>" * inner)


def names(count: int) -> bytes:
    return book(b"".join(b"<a%d/>" % number for number in range(count)))


def cell_styles(count: int) -> bytes:
    return styles(f"<cellXfs>{'<xf/>' * count}</cellXfs>")


def formats(count: int) -> bytes:
    return styles(
        "".join(f'<numFmt numFmtId="{n}" formatCode="y"/>' for n in range(count))
    )


# Short content with many items, the limit, and the error.
MEMBERS = replace(LIMITS, bytes=MAX_BYTES, elements=10_000_000, attributes=10_000_000)
BOUNDED = [
    (sheets, MAX_SHEETS, "workbook_has_many_sheets"),
    (cell_styles, MAX_STYLES, "workbook_has_many_styles"),
    (formats, MAX_STYLES, "workbook_has_many_styles"),
    (nested, MAX_DEPTH, "workbook_nested_deeply"),
]


def refused_as(data: bytes) -> str:
    try:
        workbook = Workbook(io.BytesIO(data), MEMBERS)
        list(workbook.cells_of(workbook.sheets[0]).rows())
    except WorkbookError as fault:
        return fault.code
    return ""


@pytest.mark.parametrize(("write", "most", "code"), BOUNDED)
def test_memory_for_a_workbook_is_bounded(
    write: Callable[[int], bytes], most: int, code: str
) -> None:
    assert refused_as(write(most)) == ""
    assert refused_as(write(most + 1)) == code
    [remark] = read_foreign(write(most + 1)).remarks
    assert remark.fatal


@pytest.mark.parametrize(
    "write", [names, lambda count: book(row_with_attributes(count))]
)
def test_names_in_a_sheet_are_bounded(write: Callable[[int], bytes]) -> None:
    assert refused_as(write(MAX_NAMES - 20)) == ""
    assert refused_as(write(MAX_NAMES + 1)) == "workbook_has_many_names"


def test_names_of_sheets_and_references_are_cut() -> None:
    workbook = Workbook(io.BytesIO(sheets(1)), MEMBERS)
    assert len(workbook.sheets[0].name) == 255
    [sheet_] = read_sheets(book(b"", b'<mergeCell ref="%s"/>' % (b"A" * 3_000)))
    assert len(sheet_.merged[0]) == 30


def test_foreign_report_in_a_hostile_workbook_is_rejected() -> None:
    data = HOSTILE["a cell in the far corner"][0]()
    assert read_foreign(data).remarks[0].fatal


def test_as_many_entries_as_a_report_may_have_are_read() -> None:
    rounds = [f"Rd {number}" for number in range(1, 10)]
    heading = ("No", "ID", "Name", "State", "Rating", *rounds)
    rows = [
        (str(n), f"1{n:07}", f"Player, Number {n}", "OH", "1500", *["U"] * 9)
        for n in range(1, 6_001)
    ]
    result = read_report([("a.xlsx", write_xlsx([heading, *rows]))])
    assert result.reported is not None
    [section] = result.reported.sections
    assert len(section.entries) == 6_000
    assert result.findings == []


def test_merged_cells_and_formulas_are_kept_up_to_a_limit() -> None:
    merged = b'<mergeCell ref="A1:B1"/>' * (MAX_ODD_CELLS + 1)
    formulas = b"<row>" + b'<c r="A1"><f>1</f></c>' * (MAX_ODD_CELLS + 1) + b"</row>"
    [sheet_] = read_sheets(book(formulas, merged))
    assert len(sheet_.merged) == len(sheet_.uncalculated) == MAX_ODD_CELLS


def test_workbook_is_read_under_any_prefix_and_without_readings() -> None:
    text = (
        '<x:worksheet xmlns:x="y"><x:sheetData><x:row><x:c t="inlineStr"><x:is>'
        "<x:r><x:t>山</x:t></x:r><x:r><x:t>田</x:t></x:r>"
        "<x:rPh><x:t>ヤマダ</x:t></x:rPh></x:is></x:c></x:row></x:sheetData></x:worksheet>"
    )
    data = rezipped(PLAIN, SHEET, text.encode())
    assert read_sheets(data)[0].rows == [["山田"]]


def test_files_that_are_not_workbooks_are_rejected() -> None:
    """Encrypted and old spreadsheets have the same container, which is not a ZIP."""
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000)
    codes = [f.code for f in read_report([("a.xlsx", container)]).findings]
    assert codes == ["file.not_read"]
    assert read_foreign(container).remarks[0].fatal


def test_archive_of_another_kind_is_no_workbook() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("content.xml", "<office/>")
    assert read_foreign(out.getvalue()).remarks[0].fatal
