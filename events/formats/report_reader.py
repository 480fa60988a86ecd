"""Entry point of the readers: detect the format of uploaded files and read them.

The content of a file decides; its name counts only if the content does not.
``read_report`` never raises and continues after faults: it returns a report of all
readable data, and findings. Faults that are visible in the report itself (missing
results, wrong dates ...) are left to ``checks``, so that they disappear when they are
fixed; findings made here are about the files and stay with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from events.formats.archive import printable, unpack
from events.formats.bye_rows import without_bye_rows
from events.formats.chess_results.reader import (
    looks_like_chess_results,
    read_chess_results,
)
from events.formats.dbf.layout_2c import Role
from events.formats.dbf.reader import DbfFiles, classify_files, looks_like_dbf, read_dbf
from events.formats.findings import Collector, Finding, Place, Severity
from events.formats.json.reader import looks_like_json, read_json
from events.formats.online_play import with_online_play
from events.formats.pgn.reader import looks_like_pgn, read_pgn
from events.formats.places import with_parsed_place
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.swisssys.event import looks_like_event, read_event
from events.formats.swisssys.web import looks_like_web, read_web
from events.formats.tables.grids import looks_like_text, looks_like_xlsx
from events.formats.tables.reader import ColumnAnswer, ColumnQuestion, read_tables
from events.formats.time_controls import normalize_time_control
from events.formats.trf.lines import looks_like_trf
from events.formats.trf.reader import read_tournaments
from events.formats.unsupported_files import (
    detect_kind,
    kind_by_content,
    non_table_kind,
)
from players.formats.xlsx_reader import looks_like_zip

MAX_FILES = 10
MAX_FILE_BYTES = 10_000_000
MAX_UPLOAD_BYTES = 20_000_000

_Content = tuple[str, bytes]


class Format(StrEnum):
    """The formats. If files of several are uploaded, the first of them is read."""

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
    """A file that is part of the report, with its role or its format."""

    name: str
    role: Role | Format


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The report, if it can be read, the findings in order, and the files used.

    With a question the report has no entries yet: the user has to say which column of a
    table is which.
    """

    reported: ReportedEvent | None
    findings: list[Finding] = field(default_factory=list)
    accepted_files: tuple[AcceptedFile, ...] = ()
    question: ColumnQuestion | None = None
    format: Format | None = None


# How a format is recognized, and its reader, in the order in which they are tried: our
# JSON is any document with braces.
_READERS: Mapping[
    Format, tuple[Callable[[str, bytes], bool], Callable[..., ReportedEvent | None]]
] = {
    Format.SWISSSYS: (looks_like_event, read_event),
    Format.SWISSSYS_WEB: (looks_like_web, read_web),
    Format.TRF: (lambda _, data: looks_like_trf(data), read_tournaments),
    Format.JSON: (looks_like_json, read_json),
    Format.CHESS_RESULTS: (looks_like_chess_results, read_chess_results),
    Format.PGN: (looks_like_pgn, read_pgn),
}
# The readers of these read all files as one event, the others the first file.
_OF_SEVERAL_FILES = (Format.TRF, Format.CHESS_RESULTS, Format.PGN)


def read_report(
    files: Sequence[tuple[str, bytes]],
    answer: ColumnAnswer | None = None,
    today: date | None = None,
) -> ReadResult:
    """Read the uploaded *files* (name and content).

    The report is None if it cannot be read at all; the findings then have at least one
    error. The files may be in ZIP archives and have any names. *answer* identifies the
    columns of a table whose headings are unclear. Ambiguous dates are compared with
    *today*, the day of the upload.

    >>> result = read_report([("may.swt", b"\\x01\\x00")])
    >>> result.reported is None
    True
    >>> print(result.findings[0].message)
    may.swt is a Swiss-Chess file. We can’t read these files.
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
        reported = _with_time_controls(result.reported, findings)
        reported = _with_byes_and_venue(reported, result, findings)
        result = replace(result, reported=with_parsed_place(reported))
    return replace(result, findings=findings.in_order())


def _with_time_controls(reported: ReportedEvent, findings: Collector) -> ReportedEvent:
    """Return the report with the office's spelling of its sections' time controls."""
    sections = [_with_time_control(section, findings) for section in reported.sections]
    return replace(reported, sections=tuple(sections))


def _with_time_control(
    section: ReportedSection, findings: Collector
) -> ReportedSection:
    schedules = tuple(
        replace(
            schedule,
            time_control=_control(
                schedule.time_control, section.number, f"schedule_{place}", findings
            ),
        )
        for place, schedule in enumerate(section.schedules, start=1)
    )
    control = _control(section.time_control, section.number, "time_control", findings)
    return replace(section, time_control=control, schedules=schedules)


def _control(written: str, section: int, field: str, findings: Collector) -> str:
    control = normalize_time_control(written)
    if control in (written, f"G/{written.replace('+', ';+')}"):
        return written  # the office reads 90+30 as it is
    place = Place(section=section, field=field)
    findings.add("time_control.spelling", place, written=written, control=control)
    return control


def _with_byes_and_venue(
    report: ReportedEvent, result: ReadResult, findings: Collector
) -> ReportedEvent:
    """Return the report without rows of byes, and with online sections marked.

    A PGN has no rows and a place for each game; the TRF reader checks places itself.
    """
    accepted = [file.name for file in result.accepted_files]
    file = accepted[0] if len(accepted) == 1 else ""
    if result.format not in (Format.PGN, Format.TRF):
        report = with_online_play(report, findings, file)
    if result.format is not Format.PGN:
        report = without_bye_rows(report, findings, file)
    return report


def _format_of(name: str, data: bytes) -> Format | None:
    if not data.strip() or kind_by_content(data):
        return None
    if looks_like_dbf(name, data):
        return Format.DBF
    for format_, (looks_like, _) in _READERS.items():
        if looks_like(name, data):
            return format_
    is_text = looks_like_text(data) and not non_table_kind(name, data)
    is_table = looks_like_xlsx(data) or is_text
    return Format.TABLE if is_table else None


def _read(
    by_format: dict[Format | None, list[_Content]],
    findings: Collector,
    answer: ColumnAnswer | None,
) -> ReadResult:
    """Read the files of the first format that is present, and report the others."""
    dbf = classify_files(by_format.pop(Format.DBF, ()), findings)
    others = [content for contents in by_format.values() for content in contents]
    result = (
        None if dbf.has_report else _read_other_formats(by_format, findings, answer)
    )
    if result is None:
        return _read_dbf_files(dbf, others, findings)
    _report_ignored_files(others, result, findings)
    return result


def _read_other_formats(
    by_format: dict[Format | None, list[_Content]],
    findings: Collector,
    answer: ColumnAnswer | None,
) -> ReadResult | None:
    """Read the files that are not DBF; return None if none is a report."""
    for format_ in Format:
        if format_ in _READERS and format_ in by_format:
            return _read_format(format_, by_format[format_], findings)
    return _read_table_files(by_format.get(Format.TABLE, ()), findings, answer)


def _read_format(
    format_: Format, files: Sequence[_Content], findings: Collector
) -> ReadResult:
    _, read = _READERS[format_]
    if format_ in _OF_SEVERAL_FILES:
        reported = read(files, findings)
    else:
        files = files[:1]
        reported = read(*files[0], findings)
    accepted = tuple(AcceptedFile(name, format_) for name, _ in files)
    return ReadResult(reported, [], accepted, format=format_)


def _read_table_files(
    files: Sequence[_Content], findings: Collector, answer: ColumnAnswer | None
) -> ReadResult | None:
    """Read the tables; return None if there are none."""
    tables = read_tables(files, findings, answer)
    if tables is None:
        return None
    accepted = tuple(AcceptedFile(name, Format.TABLE) for name, _ in tables.files)
    return ReadResult(tables.reported, [], accepted, tables.question, Format.TABLE)


def _read_dbf_files(
    dbf: DbfFiles, others: Sequence[_Content], findings: Collector
) -> ReadResult:
    """Read the DBF files; without any, report the formats of the other files."""
    complete = not dbf.missing
    if dbf.has_report or dbf.unreadable:
        for role in dbf.missing:
            findings.add("file.missing", Place(file=f"{role}.DBF"), role=role)
    for name, reason in dbf.unreadable:
        # With a complete report, a stray file is not a fault.
        kind = "file.ignored/unreadable" if complete else "file.not_dbf"
        findings.add(kind, Place(file=name), name=name, reason=reason)
    accepted = tuple(
        AcceptedFile(dbf.by_role[role].name, role)
        for role in Role
        if role in dbf.by_role
    )
    result = ReadResult(read_dbf(dbf.by_role, findings), [], accepted)
    if complete:
        _report_ignored_files(others, result, findings)
    else:
        _report_unsupported_files(others, findings)
    return replace(result, format=Format.DBF if accepted else None)


def _report_ignored_files(
    contents: Sequence[_Content], result: ReadResult, findings: Collector
) -> None:
    """Report files that are not part of the report."""
    if result.reported is None:
        return
    used = [file.name for file in result.accepted_files]
    for name, _ in contents:
        if name not in used:
            findings.add("file.ignored", Place(file=name), name=name, other=used[0])


def _report_unsupported_files(
    contents: Sequence[_Content], findings: Collector
) -> None:
    for name, data in contents:
        kind = detect_kind(name, data)
        finding = f"file.not_read/{kind}" if kind else "file.not_read"
        findings.add(finding, Place(file=name), name=name)


def _contents(
    files: Sequence[tuple[str, bytes]], findings: Collector
) -> list[tuple[str, bytes]]:
    """Return the files, archives unpacked, without those that are too large."""
    if len(files) > MAX_FILES:
        findings.add("upload.too_many_files", Place(), files=len(files), most=MAX_FILES)
        return []
    if sum(len(data) for _, data in files) > MAX_UPLOAD_BYTES:
        most = MAX_UPLOAD_BYTES // 1000000
        findings.add("upload.too_large", Place(), max_upload_bytes=most)
        return []
    contents: list[tuple[str, bytes]] = []
    for raw_name, data in files:
        name = printable(raw_name.replace("\\", "/").rpartition("/")[2]) or "file"
        is_document = looks_like_xlsx(data) or kind_by_content(data)
        if looks_like_zip(data) and not (is_document or non_table_kind(name, data)):
            members, problems = unpack(name, data)
            findings.extend(problems)
            contents.extend(members)
        else:
            contents.append((name, data))
    return [item for item in contents if _is_small_enough(*item, findings)]


def _is_small_enough(name: str, data: bytes, findings: Collector) -> bool:
    if len(data) <= MAX_FILE_BYTES:
        return True
    size, most = len(data) / 1000000, MAX_FILE_BYTES // 1000000
    values = {"name": name, "megabytes": size, "max_file_bytes": most}
    findings.add("file.too_large", Place(file=name), **values)
    return False
