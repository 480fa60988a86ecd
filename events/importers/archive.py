"""Unpacking of an uploaded ZIP archive, which may be hostile."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from typing import Any

from events.importers.findings import Finding, Place, found

MAX_MEMBERS = 50
MAX_UNPACKED_BYTES = 20_000_000
MAX_RATIO = 200  # a DBF full of spaces packs about 30 to 1
_RATIO_MATTERS_ABOVE = 1_000_000
_MAX_DIRECTORY_BYTES = 64_000

_END_RECORD = struct.Struct("<4s4H2LH")
_ZIP64 = (0xFFFF, 0xFFFFFFFF)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class _Refused(Exception):
    def __init__(self, name: str, /, **values: Any) -> None:
        super().__init__(name)
        self.name, self.values = name, values


def looks_like_zip(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def directory_of(data: bytes) -> tuple[int, int] | None:
    """Return how many members the table of contents has and its bytes; None: no table.

    It is not parsed. Where its numbers stand elsewhere because it is so large, they are
    taken to be as large as can be.

    >>> directory_of(b"PK\\x05\\x06" + bytes(18)), directory_of(b"PK")
    ((0, 0), None)
    """
    at = data.rfind(b"PK\x05\x06")
    if at < 0 or at + _END_RECORD.size > len(data):
        return None
    if data[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        return _ZIP64
    _, _, _, _, count, size, _, _ = _END_RECORD.unpack_from(data, at)
    return count, size


def unpack(name: str, data: bytes) -> tuple[list[tuple[str, bytes]], list[Finding]]:
    """Return the files in the ZIP archive *data*, and findings about it.

    Sizes, ratios and names are looked at before anything is unpacked; a refused archive
    gives no files and one finding. Nothing is ever written to a disk.
    """
    findings: list[Finding] = []
    try:
        return list(_members(name, data, findings)), findings
    except _Refused as refusal:
        return [], [found(refusal.name, Place(file=name), **refusal.values)]
    except Exception:
        # zipfile and zlib raise a dozen different errors for damaged archives.
        return [], [found("zip.unreadable/damaged", Place(file=name), name=name)]


def _members(
    name: str, data: bytes, findings: list[Finding]
) -> Iterator[tuple[str, bytes]]:
    _check_directory(name, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        _check_members(name, members)
        for member in members:
            if _is_clutter(member.filename):
                continue
            with archive.open(member) as file:
                # Declared sizes can lie, and a read without a bound unpacks it all.
                content = file.read(MAX_UNPACKED_BYTES)
            if looks_like_zip(content):
                findings.append(_nested(name, member.filename))
            else:
                yield _base_name(member.filename), content


def _check_directory(name: str, data: bytes) -> None:
    """Refuse a huge table of contents before the library parses all of it."""
    directory = directory_of(data)
    if directory is None:
        raise _Refused("zip.unreadable", name=name)
    count, size = directory
    if count > MAX_MEMBERS or size > _MAX_DIRECTORY_BYTES:
        raise _Refused("zip.too_large/many_files", name=name, max_members=MAX_MEMBERS)


def _check_members(name: str, members: list[zipfile.ZipInfo]) -> None:
    if any(member.filename == "[Content_Types].xml" for member in members):
        raise _Refused("zip.unreadable/document", name=name)
    for member in members:
        _check_name(name, member.filename)
        if member.flag_bits & 1:
            raise _Refused("zip.encrypted", name=name)
        if member.compress_type not in _METHODS:
            raise _Refused("zip.unreadable/packing", name=name)
        packed = max(1, member.compress_size)
        if (
            member.file_size > _RATIO_MATTERS_ABOVE
            and member.file_size / packed > MAX_RATIO
        ):
            raise _too_large(name)
    if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise _too_large(name)


def _check_name(archive: str, member: str) -> None:
    path = member.replace("\\", "/")
    if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
        raise _Refused("zip.unsafe_name", archive=archive, printable=printable(member))


def _too_large(name: str) -> _Refused:
    megabytes = MAX_UNPACKED_BYTES // 1_000_000
    return _Refused("zip.too_large", name=name, megabytes=megabytes)


def _nested(name: str, member: str) -> Finding:
    inner = _base_name(member)
    return found("zip.nested", Place(file=name, field=inner), inner=inner, name=name)


def _is_clutter(member: str) -> bool:
    """Whether a Mac or Windows put the file in without being asked."""
    base = _base_name(member).lower()
    return (
        member.startswith("__MACOSX/")
        or base.startswith("._")
        or base in (".ds_store", "thumbs.db", "desktop.ini")
    )


def _base_name(path: str) -> str:
    return printable(path.replace("\\", "/").rpartition("/")[2])


def printable(name: str) -> str:
    """Return *name* fit to be shown: no control characters, not endless.

    >>> printable("TD\\x1bEXPORT.DBF")
    'TD?EXPORT.DBF'
    """
    shown = "".join(letter if letter.isprintable() else "?" for letter in name)
    return shown if len(shown) <= 80 else f"…{shown[-79:]}"
