"""Opens FIDE's lists in every form: text or XML, zipped or not."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import BinaryIO, cast

from players.formats.fide_rows import FideRow, Problem, translatable
from players.formats.fixed_width import FixedWidthList
from players.formats.xml_list import XmlList

# The largest real list, 1.9 million players as XML, is 860 MB long.
MAX_BYTES = 2_000_000_000
_BUFFER = 1 << 18
_ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
)


class _UnreadableList:
    """A file that cannot be opened, with the problem that says why.

    All readers have the interface of :class:`FixedWidthList`.
    """

    layout = ""
    month: date | None = None
    bytes_read = 0

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def read(self) -> Iterator[FideRow | Problem]:
        yield from ()


class _ZippedList:
    """Reads a zipped list; damage in the archive is reported like any other problem."""

    def __init__(self, reader: FixedWidthList | XmlList) -> None:
        self._reader = reader
        self.layout, self.month = reader.layout, reader.month
        self.problem = reader.problem

    @property
    def bytes_read(self) -> int:
        return self._reader.bytes_read

    def read(self) -> Iterator[FideRow | Problem]:
        try:
            yield from self._reader.read()
        except _ZIP_FAULTS as error:
            yield _damaged(error, byte=self.bytes_read)


FideListReader = FixedWidthList | XmlList | _ZippedList | _UnreadableList


@contextmanager
def open_list(path: Path) -> Iterator[tuple[FideListReader, int]]:
    """Open the list at *path*; return its reader and its unpacked length in bytes."""
    with path.open("rb") as file:
        if file.peek(4)[:4] == b"PK\x03\x04":
            with _open_packed(file) as opened:
                yield opened
        else:
            size = path.stat().st_size
            if size > MAX_BYTES:
                yield _UnreadableList(_too_large(size)), 0
            else:
                yield _choose_reader(file), size


@contextmanager
def _open_packed(file: BinaryIO) -> Iterator[tuple[FideListReader, int]]:
    try:
        archive = zipfile.ZipFile(file)
    except _ZIP_FAULTS as error:
        yield _UnreadableList(_damaged(error)), 0
        return
    with archive:
        names = [one for one in archive.infolist() if not one.is_dir()]
        problem = _archive_problem(names)
        if problem is not None:
            yield _UnreadableList(problem), 0
            return
        try:
            member = archive.open(names[0])
            reader: FideListReader = _ZippedList(
                _choose_reader(io.BufferedReader(cast(io.RawIOBase, member), _BUFFER))
            )
        except _ZIP_FAULTS as error:
            reader = _UnreadableList(_damaged(error))
        yield reader, names[0].file_size


def _archive_problem(members: list[zipfile.ZipInfo]) -> Problem | None:
    if len(members) != 1:
        return Problem(
            translatable("The ZIP file has {files} files. FIDE’s ZIP files have one."),
            translatable("Upload the list as you got it from FIDE."),
            final=True,
            values={"files": len(members)},
        )
    # zipfile never reads past this size, even if the archive has more data.
    if members[0].file_size > MAX_BYTES:
        return _too_large(members[0].file_size)
    if _is_other_rating_kind(members[0].filename):
        return Problem(
            translatable("{name} has rapid or blitz ratings. We use standard ratings."),
            translatable("Upload the standard or the combined list."),
            final=True,
            values={"name": members[0].filename},
        )
    return None


def _is_other_rating_kind(name: str) -> bool:
    """Return whether the name is that of a list of rapid or blitz ratings only.

    >>> _is_other_rating_kind("rapid_rating_list.txt")
    True
    >>> _is_other_rating_kind("players_list_foa.txt")
    False
    """
    return name.lower().startswith(("rapid_", "blitz_"))


def _choose_reader(stream: BinaryIO) -> FixedWidthList | XmlList:
    """Choose the reader by the first character: XML begins with ``<``."""
    beginning: bytes = stream.peek(8)[:8]  # type: ignore[attr-defined]
    if beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        return XmlList(stream)
    return FixedWidthList(stream)


def _too_large(size: int) -> Problem:
    return Problem(
        translatable("The list has {size:,} bytes. FIDE’s have at most {most:,}."),
        translatable("Upload the list as you got it from FIDE."),
        final=True,
        values={"size": size, "most": MAX_BYTES},
    )


def _damaged(error: Exception, byte: int | None = None) -> Problem:
    return Problem(
        translatable("The ZIP file is damaged: {error}."),
        translatable("Download the file from FIDE again."),
        byte=byte,
        final=True,
        values={"error": str(error).rstrip(".")},
    )
