"""Detect the kind of an unsupported file by its content, else by its name.

Each kind is the suffix of a finding ``file.not_read/…``, which says what to do; "" is
the finding without a suffix.
"""

from __future__ import annotations

import json
import re

# The offset in the file, the bytes there, and the kind of the file.
_BY_CONTENT = (
    (0, b"%PDF", "pdf"),
    (0, b"\x89PNG", "picture"),
    (0, b"\xff\xd8\xff", "picture"),
    (0, b"GIF8", "picture"),
    (4, b"ftyphei", "picture"),
    (8, b"WEBP", "picture"),
    (0, b"\xd0\xcf\x11\xe0", "old_office"),
    (0, b"{\\rtf", "document"),
    (30, b"mimetypeapplication/vnd.oasis.opendocument", "open_document"),
    (0, b"\x1f\x8b", "archive"),
    (0, b"Rar!", "archive"),
    (0, b"7z\xbc\xaf", "archive"),
    (4, b"Standard Jet DB", "access"),
    (4, b"Standard ACE DB", "access"),
    (0, b"SQLite format 3\x00", "database"),
    (0, b"MZ\x90", "program"),
    (0, b"\x7fELF", "program"),
    (0, b"#!", "program"),
    (0, b"BEGIN:VCALENDAR", "calendar"),
    (0, b"BEGIN:VCARD", "calendar"),
    # PetrMarekTytyot/swiss-manager-journey describes the files of Swiss-Manager.
    (0, b"\x93\xff\x89\x44", "swiss_manager"),
)
_BY_NAME = {
    ending: kind
    for kind, endings in {
        "swiss_manager": "tunx tutx tun tur turx tut tum tumx",
        "swiss_chess": "swt",
        "access": "papi",
        "vega": "veg vegx",
        "chessbase": "cbh cbv si4 si5",
        "old_office": "xls doc",
        "iwork": "numbers pages key",
        "json_lines": "ndjson jsonl",
        "calendar": "ics vcf",
        "program": "py pyc ipynb js mjs ts sh bat cmd ps1 sql c h cpp hpp cs java kt "
        "rb php pl go rs swift lua css yaml yml toml exe dll",
    }.items()
    for ending in endings.split()
}
_IWORK = re.compile(rb"Index/[A-Za-z0-9/-]{1,60}\.iwa|Index\.zip")
# Lines of source code in common programming languages.
_CODE = re.compile(
    rb"^[ \t]*(?:(?:import|from) [a-z_.]{1,40}(?: import .{1,80})?;?$"
    rb"|def \w{1,60}\(|class \w{1,60}[:({]|#include[ \t]*[<\"]"
    rb"|(?:export |async ){0,2}function \w{0,60}\(|(?:const|let|var) \w{1,60} ="
    rb"|INSERT INTO |CREATE TABLE )",
    re.MULTILINE,
)
_MIN_LINES_OF_CODE = 2
_BEGINNING = 20_000
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype html|html|head|body)", re.IGNORECASE)


def kind_by_content(data: bytes) -> str:
    """Return the kind of a file by its content, "" if it is unknown.

    >>> kind_by_content(b"%PDF-1.7"), kind_by_content(b"012 May Open")
    ('pdf', '')
    >>> kind_by_content(b'{"id": "a"}\\n{"id": "b"}\\n')
    'json_lines'
    """
    for start, mark, kind in _BY_CONTENT:
        if data.startswith(mark, start):
            return kind
    if data.startswith(b"PK") and _IWORK.search(data):
        return "iwork"
    return "json_lines" if _is_json_lines(data) else ""


def _is_json_lines(data: bytes) -> bool:
    """Return whether each of the first two lines is a JSON object."""
    lines = [line for line in data[:_BEGINNING].splitlines() if line.strip()][:2]
    if len(lines) < 2 or not all(line.lstrip().startswith(b"{") for line in lines):
        return False
    try:
        return all(isinstance(json.loads(line), dict) for line in lines)
    except (ValueError, RecursionError):
        return False


def non_table_kind(name: str, data: bytes) -> str:
    """Return the kind of a file that only looks like a table, "" if it may be one.

    >>> non_table_kind("read.py", b"a, b, c"), non_table_kind("may.txt", b"a, b, c")
    ('program', '')
    """
    if kind := _BY_NAME.get(name.lower().rpartition(".")[2], ""):
        return kind
    code = _CODE.findall(data[:_BEGINNING])
    return "program" if len(code) >= _MIN_LINES_OF_CODE else ""


def detect_kind(name: str, data: bytes) -> str:
    """Return the kind of a file without a report, "" if it is unknown.

    >>> detect_kind("may.swt", b"\\x01\\x00"), detect_kind("notes.txt", b"Round 1")
    ('swiss_chess', 'text')
    >>> detect_kind("page.htm", b"<!DOCTYPE html><title>May Open</title>")
    'web_page'
    """
    if not data.strip():
        return "empty"
    if kind := kind_by_content(data) or non_table_kind(name, data):
        return kind
    if _WEB_PAGE.match(data[:1_000].removeprefix(b"\xef\xbb\xbf")):
        return "web_page"
    return "" if b"\x00" in data else "text"
