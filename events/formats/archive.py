"""Unpacking of an uploaded ZIP archive, which may be hostile."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from events.formats.findings import Finding, Place, make_finding
from events.formats.tables.grids import looks_like_xlsx
from players.formats.xlsx_reader import directory_size, looks_like_zip, read_archive_end

MAX_MEMBERS = 50
MAX_UNPACKED_BYTES = 20_000_000
MAX_RATIO = 200  # a DBF full of spaces packs about 30 to 1
_RATIO_MATTERS_ABOVE = 1_000_000
_MAX_DIRECTORY_BYTES = 64_000
# Limits of an archive of many reports; each report also has the limits above.
MAX_FILES_OF_REPORTS = 20_000
MAX_BYTES_OF_REPORTS = 4_000_000_000
_MAX_DIRECTORY_OF_REPORTS = 4_000_000

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class BadArchive(Exception):
    """The archive cannot be unpacked. Holds the name and values of the finding."""

    def __init__(self, name: str, /, **values: Any) -> None:
        super().__init__(name)
        self.name, self.values = name, values


def unpack(name: str, data: bytes) -> tuple[list[tuple[str, bytes]], list[Finding]]:
    """Return the files in the ZIP archive *data*, and findings about it.

    Sizes, ratios and names are checked before anything is unpacked; a rejected archive
    gives no files and one finding. Nothing is ever written to a disk.
    """
    findings: list[Finding] = []
    try:
        return list(_members(name, data, findings)), findings
    except BadArchive as refusal:
        return [], [make_finding(refusal.name, Place(file=name), **refusal.values)]
    except Exception:
        # zipfile and zlib raise a dozen different errors for damaged archives.
        return [], [make_finding("zip.unreadable/damaged", Place(file=name), name=name)]


def _members(
    name: str, data: bytes, findings: list[Finding]
) -> Iterator[tuple[str, bytes]]:
    _check_directory(name, data, MAX_MEMBERS, _MAX_DIRECTORY_BYTES)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        _check_members(name, members, MAX_UNPACKED_BYTES)
        for member in members:
            if _is_clutter(member.filename):
                continue
            with archive.open(member) as file:
                # Declared sizes can lie, and a read without a bound unpacks it all.
                content = file.read(MAX_UNPACKED_BYTES)
            if looks_like_zip(content) and not looks_like_xlsx(content):
                findings.append(_nested(name, member.filename))
            else:
                yield _base_name(member.filename), content


def _check_directory(name: str, data: bytes, most: int, most_bytes: int) -> None:
    """Reject a huge directory before ``zipfile`` parses all of it."""
    directory = directory_size(data)
    if directory is None:
        raise BadArchive("zip.unreadable", name=name)
    count, size = directory
    if count > most or size > most_bytes:
        raise _many_files(name, most)


def _check_members(name: str, members: list[zipfile.ZipInfo], most: int) -> None:
    if any(member.filename == "[Content_Types].xml" for member in members):
        raise BadArchive("zip.unreadable/document", name=name)
    for member in members:
        _check_name(name, member.filename)
        if member.flag_bits & 1:
            raise BadArchive("zip.encrypted", name=name)
        if member.compress_type not in _METHODS:
            raise BadArchive("zip.unreadable/packing", name=name)
        packed = max(1, member.compress_size)
        if (
            member.file_size > _RATIO_MATTERS_ABOVE
            and member.file_size / packed > MAX_RATIO
        ):
            raise _too_large(name, most)
    if sum(member.file_size for member in members) > most:
        raise _too_large(name, most)


def _check_name(archive: str, member: str) -> None:
    path = member.replace("\\", "/")
    if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
        raise BadArchive(
            "zip.unsafe_name", archive=archive, printable=printable(member)
        )


def _many_files(name: str, most: int) -> BadArchive:
    return BadArchive("zip.too_large/many_files", name=name, max_members=most)


def _too_large(name: str, most: int) -> BadArchive:
    megabytes = most // 1_000_000
    return BadArchive("zip.too_large", name=name, megabytes=megabytes)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of one report in an archive of many: a file, a folder, an archive."""

    name: str
    members: tuple[zipfile.ZipInfo, ...]


class ReportArchive:
    """An archive of many reports, of which one at a time is unpacked.

    Opening it checks all sizes and names, and raises BadArchive if it is hostile.
    """

    def __init__(self, path: Path, name: str) -> None:
        with path.open("rb") as file:
            end = read_archive_end(file)
        _check_directory(name, end, MAX_FILES_OF_REPORTS, _MAX_DIRECTORY_OF_REPORTS)
        try:
            self._archive = zipfile.ZipFile(path)
        except Exception as error:
            raise BadArchive("zip.unreadable/damaged", name=name) from error
        entries = self._archive.infolist()
        members = [one for one in entries if not one.is_dir()]
        try:
            # The end record states the number of files, and it can lie.
            if len(entries) > MAX_FILES_OF_REPORTS:
                raise _many_files(name, MAX_FILES_OF_REPORTS)
            _check_members(name, members, MAX_BYTES_OF_REPORTS)
        except BadArchive:
            self._archive.close()
            raise
        self.bundles = _bundles(
            member for member in members if not _is_clutter(member.filename)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._archive.close()

    def files_of(self, bundle: Bundle) -> list[tuple[str, bytes]]:
        """Unpack one report; raises BadArchive if it is too large or damaged."""
        _check_members(bundle.name, list(bundle.members), MAX_UNPACKED_BYTES)
        try:
            return [
                (_base_name(member.filename), self._content(member))
                for member in bundle.members
            ]
        except Exception as error:
            raise BadArchive("zip.unreadable/damaged", name=bundle.name) from error

    def _content(self, member: zipfile.ZipInfo) -> bytes:
        with self._archive.open(member) as file:
            return file.read(MAX_UNPACKED_BYTES)


# A folder for all reports of a year or a month.
_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?:[ ._-]?[01][0-9])?", re.ASCII)
# The usual names of a report's three files, after any prefix.
_OF_THREE = re.compile(r"(.*)T[HSD]EXPORT\.DBF", re.IGNORECASE | re.DOTALL)


def _bundles(members: Iterable[zipfile.ZipInfo]) -> list[Bundle]:
    """Sort files into reports.

    Each folder is one report, and so is each top-level file and each archive. A single
    folder around all the others does not count, and in a folder that is named for a
    year, or has more files than a report can have, each file is a report.
    """
    paths = [(member.filename.replace("\\", "/"), member) for member in members]
    while paths and (top := _shared_folder(path for path, _ in paths)):
        paths = [(path[len(top) :], member) for path, member in paths]
    counts = Counter(path.rpartition("/")[0] for path, _ in paths)
    folders_of_reports = {
        folder
        for folder, count in counts.items()
        if count > MAX_MEMBERS or _YEAR.fullmatch(folder.rpartition("/")[2])
    }
    bundles: dict[str, list[zipfile.ZipInfo]] = {}
    for path, member in paths:
        bundles.setdefault(_bundle_of(path, folders_of_reports), []).append(member)
    return [
        Bundle(printable(name) or "DBF", tuple(of_one))
        for name, of_one in bundles.items()
    ]


def _shared_folder(paths: Iterable[str]) -> str:
    tops = {path.partition("/")[0] if "/" in path else "" for path in paths}
    top = tops.pop()
    return f"{top}/" if top and not tops else ""


def _bundle_of(path: str, folders_of_reports: Container[str]) -> str:
    folder, slash, base = path.rpartition("/")
    if base.lower().endswith(".zip"):
        return path
    if folder and folder not in folders_of_reports:
        return folder
    match = _OF_THREE.fullmatch(base)
    return f"{folder}{slash}{match[1] if match else base}"


def _nested(name: str, member: str) -> Finding:
    inner = _base_name(member)
    return make_finding(
        "zip.nested", Place(file=name, field=inner), inner=inner, name=name
    )


def _is_clutter(member: str) -> bool:
    """Return whether macOS or Windows added the file on its own."""
    base = _base_name(member).lower()
    return (
        member.startswith("__MACOSX/")
        or base.startswith("._")
        or base in (".ds_store", "thumbs.db", "desktop.ini")
    )


def _base_name(path: str) -> str:
    return printable(path.replace("\\", "/").rpartition("/")[2])


def printable(name: str) -> str:
    """Return *name* for display: without control characters, and cut to a length.

    >>> printable("TD\\x1bEXPORT.DBF")
    'TD?EXPORT.DBF'
    """
    shown = "".join(letter if letter.isprintable() else "?" for letter in name)
    return shown if len(shown) <= 80 else f"…{shown[-79:]}"
