"""The records of a dBASE table, one after the other: a million stay on disk.

Reports of events have a reader of their own, which mends what programs broke.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO

from players.formats.errors import InputRefused

_SIZES = struct.Struct("<IHH")  # records, header length, record length
_HEADER_LENGTH = _FIELD_LENGTH = 32
_VERSIONS = frozenset(b"\x03\x04\x05\x30\x31\x32\x83\x8b\xf5\xfb")
_DELETED = b"*"
# Code pages by the byte that names them; programs that name none wrote Windows-1252.
CODE_PAGES = {
    0x01: "cp437",
    0x02: "cp850",
    0x03: "cp1252",
    0x57: "cp1252",
    0x64: "cp852",
    0x65: "cp866",
    0x66: "cp865",
    0xC8: "cp1250",
    0xC9: "cp1251",
}


def is_dbf(start: bytes) -> bool:
    """Return whether a file begins as a dBASE table: version, day, field names."""
    if len(start) < _HEADER_LENGTH + _FIELD_LENGTH or start[0] not in _VERSIONS:
        return False
    _, header, record = _SIZES.unpack_from(start, 4)
    is_sized = header > _HEADER_LENGTH + _FIELD_LENGTH and record > 1
    return 1 <= start[2] <= 12 and 1 <= start[3] <= 31 and is_sized


def read_dbf(
    file: IO[bytes],
) -> tuple[list[str], Iterator[tuple[int, list[str]]], int]:
    """Return the names of the fields, the records with their numbers, and their count.

    Deleted records are left out.
    """
    head = file.read(_HEADER_LENGTH)
    count, header_length, record_length = _SIZES.unpack_from(head, 4)
    encoding = CODE_PAGES.get(head[29], "cp1252")
    fields = file.read(header_length - _HEADER_LENGTH)
    names, widths = [], []
    for at in range(0, len(fields) - _FIELD_LENGTH + 1, _FIELD_LENGTH):
        if fields[at] == 0x0D:
            break
        name = fields[at : at + 11].partition(b"\0")[0]
        names.append(name.decode("ascii", "replace").strip())
        widths.append(fields[at + 16])
    if not names or sum(widths) + 1 > record_length:
        raise InputRefused("dbf_unreadable")
    return names, _records(file, count, record_length, widths, encoding), count


def _records(
    file: IO[bytes], count: int, length: int, widths: list[int], encoding: str
) -> Iterator[tuple[int, list[str]]]:
    for number in range(1, count + 1):
        record = file.read(length)
        if len(record) < length:
            return
        if record[:1] == _DELETED:
            continue
        cells, at = [], 1
        for width in widths:
            text = record[at : at + width].decode(encoding, "replace")
            cells.append(text.replace("\0", " ").strip())
            at += width
        yield number, cells
