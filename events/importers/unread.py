"""What a file is that no reader here reads: told by its content, else by its name.

Each answer is the last word of a finding ``file.not_read/…``, which says what to do;
"" that of the finding without one.
"""

from __future__ import annotations

import re

# Where in the file, what stands there, and what the file is then.
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
    # PetrMarekTytyot/swiss-manager-journey describes the files of Swiss-Manager.
    (0, b"\x93\xff\x89\x44", "swiss_manager"),
)
_BY_NAME = {
    "tunx": "swiss_manager",
    "tutx": "swiss_manager",
    "tun": "swiss_manager",
    "turx": "swiss_manager",
    "swt": "swiss_chess",
    "papi": "access",
    "veg": "vega",
    "vegx": "vega",
    "cbh": "chessbase",
    "cbv": "chessbase",
    "si4": "chessbase",
    "si5": "chessbase",
    "xls": "old_office",
    "doc": "old_office",
}
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype html|html|head|body)", re.IGNORECASE)


def certain_kind(data: bytes) -> str:
    """Return what the content says that the file is, "" if it does not say.

    >>> certain_kind(b"%PDF-1.7"), certain_kind(b"012 May Open")
    ('pdf', '')
    """
    for start, mark, kind in _BY_CONTENT:
        if data.startswith(mark, start):
            return kind
    return ""


def likely_kind(name: str, data: bytes) -> str:
    """Return what a file is in which no reader found a report, "" if nobody knows.

    >>> likely_kind("may.swt", b"\\x01\\x00"), likely_kind("notes.txt", b"Round 1")
    ('swiss_chess', 'text')
    >>> likely_kind("page.htm", b"<!DOCTYPE html><title>May Open</title>")
    'web_page'
    """
    if not data.strip():
        return "empty"
    if kind := certain_kind(data) or _BY_NAME.get(name.lower().rpartition(".")[2], ""):
        return kind
    if _WEB_PAGE.match(data[:1_000].removeprefix(b"\xef\xbb\xbf")):
        return "web_page"
    return "" if b"\x00" in data else "text"
