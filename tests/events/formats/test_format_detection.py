"""Detection of a file's format by its content."""

from pathlib import Path

import pytest

from events.formats.dbf.writer import write_report
from events.formats.report_reader import Format, read_report
from events.formats.unsupported_files import detect_kind
from players.formats.xlsx_writer import write_xlsx
from tests.events.formats.samples import report, zipped

REAL = Path(__file__).parents[2] / "data/real-files"
ACCESS = b"\x00\x01\x00\x00Standard Jet DB\x00" + bytes(500)
SWISS_MANAGER = b"\x93\xff\x89\x44" + bytes(500)
OPEN_DOCUMENT = (
    b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.text"
)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("may.papi", ACCESS, "access"),
        ("TDEXPORT.DBF", ACCESS, "access"),
        ("may.txt", SWISS_MANAGER, "swiss_manager"),
        ("may.SWT", b"\x02\x00\x00", "swiss_chess"),
        ("may.trf", b"%PDF-1.7", "pdf"),
        ("may.csv", b"\xff\xd8\xff\xe0", "picture"),
        ("may.json", b"{\\rtf1 Round 1}", "document"),
        ("may.ods", OPEN_DOCUMENT, "open_document"),
        ("may.zip", b"7z\xbc\xaf\x27\x1c", "archive"),
        ("may.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "old_office"),
        ("may.html", b"\n<!DOCTYPE html><p>May Open", "web_page"),
        ("may.pgn", b"", "empty"),
        ("notes.txt", b"Round 1 was fun.", "text"),
        ("may.bin", bytes(100), ""),
        ("may.numbers", zipped({"Index/Document.iwa": b"x" * 9}), "iwork"),
        ("May.Numbers", zipped({"Index.zip": b"x"}), "iwork"),
        ("may.zip", zipped({"Index/Tables/DataList-8.iwa": b"x"}), "iwork"),
        (
            "may.ndjson",
            b'{"id": "a", "rank": 1}\n{"id": "b", "rank": 2}\n',
            "json_lines",
        ),
        ("may.json", b'\n{"id": "a"}\r\n\r\n{"id": {"b": 2}}\r\n', "json_lines"),
        ("may.tur", b"Rd 1, Rd 2, Rd 3\n1, 2, 3\n", "swiss_manager"),
        ("may.tum", b"\x01\x02\x00", "swiss_manager"),
        ("may.exe", b"MZ\x90\x00\x03", "program"),
        ("read.py", b"a, b, c = 1, 2, 3\nd, e, f = 4, 5, 6\n", "program"),
        ("read", b"#!/usr/bin/python\na, b, c = 1, 2, 3\n", "program"),
        (
            "read.txt",
            b"import csv\n\ndef read(a, b, c):\n    return a, b, c\n",
            "program",
        ),
        ("may.txt", b"const a = [1, 2, 3];\nfunction b(c, d, e) {\n", "program"),
        ("may.sql", b"INSERT INTO a VALUES (1, 2, 3);\n" * 2, "program"),
        ("may.yaml", b"a: [1, 2, 3]\nb: [4, 5, 6]\n", "program"),
        ("may.txt", b"BEGIN:VCARD\nN:Ash;Ann;;\nORG:a;b;c\nEND:VCARD\n", "calendar"),
    ],
)
def test_each_kind_of_file_that_is_not_read_is_named(name, data, kind):
    result = read_report([(name, data)])
    assert [one.code for one in result.findings] == ["file.not_read"]
    assert detect_kind(name, data) == kind
    assert result.findings[0].message.startswith(f"{name} is ")
    assert (result.reported, result.format) == (None, None)


@pytest.mark.parametrize(
    ("name", "data", "format_"),
    [
        ("may.py", b"No,Name,Rd 1\n1,Ann,W2\n2,Bob,L1\n", None),
        ("may.txt", b"No,Name,Rd 1\n1,Ann,W2\n2,Bob,L1\n", Format.TABLE),
        ("may.log", b"1 Ash, Ann W2 W3\n2 Birch, Bob L1 D3\n", Format.TABLE),
        ("may.json", b'{"name": "May Open", "sections": []}', Format.JSON),
        ("may.tur", b"012 May Open\n042 2026/11/21\n001    1", Format.TRF),
    ],
)
def test_foreign_names_count_only_where_the_content_says_nothing(name, data, format_):
    assert read_report([(name, data)]).format == format_


def test_unreadable_file_is_an_error_only_if_files_are_missing():
    files = write_report(report())
    picture = ("holiday.jpg", b"\xff\xd8\xff")
    whole = read_report([*files.items(), picture])
    assert [(one.code, one.severity) for one in whole.findings] == [
        ("file.ignored", "note")
    ]
    assert whole.format == Format.DBF
    part = read_report([("TDEXPORT.DBF", files["TDEXPORT.DBF"]), picture])
    assert {"file.missing", "file.not_read"} <= {one.code for one in part.findings}


@pytest.mark.parametrize(
    ("place", "format_"),
    [
        ("swisssys-event", Format.SWISSSYS),
        ("swisssys-web", Format.SWISSSYS_WEB),
        ("trf", Format.TRF),
        ("wall-chart", Format.TABLE),
    ],
)
@pytest.mark.parametrize("name", ["{name}", "download"])
def test_real_files_are_recognized_by_their_content(place, format_, name):
    files = sorted((REAL / place).iterdir())
    results = [
        read_report([(name.format(name=file.name), file.read_bytes())])
        for file in files
    ]
    assert [result.format for result in results] == [format_] * len(files)
    assert all(result.reported.sections for result in results)


@pytest.mark.parametrize(
    ("data", "format_"),
    [
        (b'[Event "May"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n', Format.PGN),
        (b"<?xml version='1.0'?><chessresults></chessresults>", Format.CHESS_RESULTS),
    ],
)
def test_files_of_other_programs_are_recognized_under_any_name(data, format_):
    assert read_report([("download", data)]).format == format_


def test_spreadsheet_in_an_archive_is_read():
    rows = [["Name", "Rd 1", "Rd 2"], ["Ana", "W2", "B"], ["Bo", "L1", "H"]]
    packed = zipped({"tables/may.xlsx": write_xlsx(rows), "readme.txt": b"Hello."})
    result = read_report([("may.zip", packed)])
    assert result.format == Format.TABLE
    entries = result.reported.sections[0].entries
    assert [entry.name for entry in entries] == ["Ana", "Bo"]
