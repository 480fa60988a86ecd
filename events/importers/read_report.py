"""The front door for rating reports: what each uploaded file is, and who reads it.

A file is told by its content; its name is asked only where the content says nothing.
Whatever is uploaded, ``read_report`` raises nothing and stops at no fault: it returns
what could be read, and findings. What can still be seen in the report itself (missing
results, wrong dates ...) is left to ``checks``, so that it goes away when it is put
right; findings made here concern the files and stay with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from events.importers.archive import printable, unpack
from events.importers.chess_results.read import (
    looks_like_chess_results,
    read_chess_results,
)
from events.importers.control_spellings import with_office_controls
from events.importers.dbf.layout_2c import Role
from events.importers.dbf.read import DbfFiles, looks_like_dbf, read_dbf, sort_files
from events.importers.findings import Collector, Finding, Place, Severity
from events.importers.json.read import looks_like_json, read_json
from events.importers.pgn.read import looks_like_pgn, read_pgn
from events.importers.records import ReportedEvent
from events.importers.swisssys.event import looks_like_event, read_event
from events.importers.swisssys.web import looks_like_web, read_web
from events.importers.tables.grids import looks_like_text, looks_like_xlsx
from events.importers.tables.read import ColumnAnswer, ColumnQuestion, read_tables
from events.importers.trf.lines import looks_like_trf
from events.importers.trf.read import read_tournaments
from events.importers.unread import certain_kind, foreign_kind, likely_kind
from players.importers.workbooks import looks_like_zip

MAX_FILES = 10
MAX_FILE_BYTES = 10_000_000
MAX_UPLOAD_BYTES = 20_000_000

_Content = tuple[str, bytes]


class Format(StrEnum):
    """What is read. Where files of several come together, the first of them is."""

    DBF = "DBF"
    SWISSSYS = "SWISSSYS"
    TRF = "TRF"
    JSON = "JSON"
    SWISSSYS_WEB = "SWISSSYS_WEB"
    CHESS_RESULTS = "CHESS_RESULTS"
    PGN = "PGN"
    TABLE = "TABLE"


@dataclass(frozen=True, slots=True)
class AcceptedFile:
    """A file that became part of the report, with its part or its format."""

    name: str
    role: Role | Format


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What is reported, if it can be read, the findings in order, and the files used.

    With a question it is still without entries: somebody has to say which
    column of a table is which.
    """

    reported: ReportedEvent | None
    findings: list[Finding] = field(default_factory=list)
    accepted_files: tuple[AcceptedFile, ...] = ()
    question: ColumnQuestion | None = None
    format: Format | None = None


@dataclass(frozen=True, slots=True)
class _Reader:
    """How files of a format are told, and what reads them: all, or the first."""

    looks_like: Callable[[str, bytes], bool]
    read: Callable[[Sequence[_Content], Collector], ReportedEvent | None]
    reads_several: bool = False


# By the order in which a content is tried: our JSON is any document that has braces.
_READERS = {
    Format.SWISSSYS: _Reader(
        looks_like_event, lambda files, findings: read_event(*files[0], findings)
    ),
    Format.SWISSSYS_WEB: _Reader(
        looks_like_web, lambda files, findings: read_web(*files[0], findings)
    ),
    Format.TRF: _Reader(
        lambda _, data: looks_like_trf(data), read_tournaments, reads_several=True
    ),
    Format.JSON: _Reader(
        looks_like_json, lambda files, findings: read_json(*files[0], findings)
    ),
    Format.CHESS_RESULTS: _Reader(
        looks_like_chess_results, read_chess_results, reads_several=True
    ),
    Format.PGN: _Reader(looks_like_pgn, read_pgn, reads_several=True),
}


def read_report(
    files: Sequence[tuple[str, bytes]],
    answer: ColumnAnswer | None = None,
    today: date | None = None,
) -> ReadResult:
    """Return what the uploaded *files* (name and content) say.

    The report is None when nothing of it can be read; the findings then hold at least
    one error. The files may come in ZIP archives or not, under any names. For tables
    *answer* says of their columns what the headings do not. Dates with two readings are
    compared with *today*, the day of the upload.

    >>> result = read_report([("may.swt", b"\\x01\\x00")])
    >>> result.reported is None
    True
    >>> print(result.findings[0].message)
    may.swt is a tournament of Swiss-Chess. Such files are not read here.
    """
    findings = Collector(today)
    contents = _contents(files, findings)
    if not contents:
        if all(one.severity is not Severity.ERROR for one in findings.in_order()):
            findings.add("upload.empty", Place())
        return ReadResult(None, findings.in_order())
    by_format: dict[Format | None, list[_Content]] = {}
    for content in contents:
        by_format.setdefault(_format_of(*content), []).append(content)
    result = _read(by_format, findings, answer)
    if result.reported is not None:
        reported = with_office_controls(result.reported, findings)
        result = replace(result, reported=reported)
    return replace(result, findings=findings.in_order())


def _format_of(name: str, data: bytes) -> Format | None:
    if not data.strip() or certain_kind(data):
        return None
    if looks_like_dbf(name, data):
        return Format.DBF
    for format_, reader in _READERS.items():
        if reader.looks_like(name, data):
            return format_
    is_text = looks_like_text(data) and not foreign_kind(name, data)
    is_table = looks_like_xlsx(data) or is_text
    return Format.TABLE if is_table else None


def _read(
    by_format: dict[Format | None, list[_Content]],
    findings: Collector,
    answer: ColumnAnswer | None,
) -> ReadResult:
    """Read the files of the first format that is there, and tell of the others."""
    dbf = sort_files(by_format.pop(Format.DBF, ()), findings)
    others = [content for contents in by_format.values() for content in contents]
    result = None if dbf.there else _of_others(by_format, findings, answer)
    if result is None:
        return _of_dbf(dbf, others, findings)
    _tell_left_aside(others, result, findings)
    return result


def _of_others(
    by_format: dict[Format | None, list[_Content]],
    findings: Collector,
    answer: ColumnAnswer | None,
) -> ReadResult | None:
    """Return what the files say that are not DBF, None where none is a report."""
    for format_ in Format:
        if format_ in _READERS and format_ in by_format:
            return _of_format(format_, by_format[format_], findings)
    return _of_tables(by_format.get(Format.TABLE, ()), findings, answer)


def _of_format(
    format_: Format, files: Sequence[_Content], findings: Collector
) -> ReadResult:
    reader = _READERS[format_]
    used = files if reader.reads_several else files[:1]
    accepted = tuple(AcceptedFile(name, format_) for name, _ in used)
    return ReadResult(reader.read(used, findings), [], accepted, format=format_)


def _of_tables(
    files: Sequence[_Content], findings: Collector, answer: ColumnAnswer | None
) -> ReadResult | None:
    """Return what the tables say, None where none is among the files."""
    tables = read_tables(files, findings, answer)
    if tables is None:
        return None
    accepted = tuple(AcceptedFile(name, Format.TABLE) for name, _ in tables.files)
    return ReadResult(tables.reported, [], accepted, tables.question, Format.TABLE)


def _of_dbf(
    dbf: DbfFiles, others: Sequence[_Content], findings: Collector
) -> ReadResult:
    """Return what the DBF files say; without any, say what the other files are."""
    complete = not dbf.missing
    if dbf.there or dbf.unreadable:
        for role in dbf.missing:
            findings.add("file.missing", Place(file=f"{role}.DBF"), role=role)
    for name, reason in dbf.unreadable:
        # Beside a complete report, a stray file is nobody's fault.
        kind = "file.ignored/unreadable" if complete else "file.not_dbf"
        findings.add(kind, Place(file=name), name=name, reason=reason)
    accepted = tuple(
        AcceptedFile(dbf.by_role[role].name, role)
        for role in Role
        if role in dbf.by_role
    )
    result = ReadResult(read_dbf(dbf.by_role, findings), [], accepted)
    if complete:
        _tell_left_aside(others, result, findings)
    else:
        _tell_unread(others, findings)
    return replace(result, format=Format.DBF if accepted else None)


def _tell_left_aside(
    contents: Sequence[_Content], result: ReadResult, findings: Collector
) -> None:
    """Say which files came beside those of the report."""
    if result.reported is None:
        return
    used = [file.name for file in result.accepted_files]
    for name, _ in contents:
        if name not in used:
            findings.add("file.ignored", Place(file=name), name=name, other=used[0])


def _tell_unread(contents: Sequence[_Content], findings: Collector) -> None:
    for name, data in contents:
        kind = likely_kind(name, data)
        finding = f"file.not_read/{kind}" if kind else "file.not_read"
        findings.add(finding, Place(file=name), name=name)


def _contents(
    files: Sequence[tuple[str, bytes]], findings: Collector
) -> list[tuple[str, bytes]]:
    """Return the files, archives unpacked, without those that are too large."""
    if len(files) > MAX_FILES:
        findings.add("upload.too_many_files", Place(), files=len(files))
        return []
    if sum(len(data) for _, data in files) > MAX_UPLOAD_BYTES:
        findings.add(
            "upload.too_large", Place(), max_upload_bytes=MAX_UPLOAD_BYTES // 1000000
        )
        return []
    contents: list[tuple[str, bytes]] = []
    for raw_name, data in files:
        name = printable(raw_name.replace("\\", "/").rpartition("/")[2]) or "file"
        is_document = looks_like_xlsx(data) or certain_kind(data)
        if looks_like_zip(data) and not (is_document or foreign_kind(name, data)):
            members, problems = unpack(name, data)
            findings.extend(problems)
            contents.extend(members)
        else:
            contents.append((name, data))
    return [item for item in contents if _small_enough(*item, findings)]


def _small_enough(name: str, data: bytes, findings: Collector) -> bool:
    if len(data) <= MAX_FILE_BYTES:
        return True
    findings.add(
        "file.too_large",
        Place(file=name),
        name=name,
        megabytes=len(data) / 1000000,
        max_file_bytes=MAX_FILE_BYTES // 1000000,
    )
    return False
