"""Reading of the three DBF files of a rating report.

The files are recognized by their fields, because file names often change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from events.formats.ambiguous_dates import ResolvedDates, resolve_dates
from events.formats.archive import printable
from events.formats.dates import possible_dates
from events.formats.dbf.layout_2c import (
    ALL_ENTRY_FIELDS,
    ALL_SECTION_FIELDS,
    DAY,
    EVENT_FIELDS,
    FIELD_PREFIXES,
    FLAG,
    FORMAT,
    LIST,
    MAX_ROUNDS,
    MAX_SECTIONS,
    NUMBER,
    PARENT,
    REPORT_FIELDS,
    REQUIRED_FIELDS,
    TEXT,
    Column,
    Role,
    parse_number,
    round_columns,
)
from events.formats.dbf.tables import (
    MAX_RECORDS,
    VERSIONS,
    Field,
    InvalidDbf,
    Table,
    TooManyRecords,
    read_table,
)
from events.formats.findings import Collector, Place
from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from events.formats.tables.grids import looks_like_text
from events.formats.translatable_text import error_text, translatable
from players.formats.member_ids import MEMBER_ID

_YES = frozenset("YGT1")  # one writer marks a Grand Prix with G
# The layout has YYYYMMDD or MM/DD/YYYY.
_DOCUMENTED_ORDER = {("/", 4): "mdy"}


@dataclass(slots=True)
class DbfFile:
    """One file, and its part in the report."""

    name: str
    table: Table
    role: Role


@dataclass(slots=True)
class DbfFiles:
    """The uploaded DBF files by their part in a report, and unused files."""

    by_role: dict[Role, DbfFile] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)  # with its reason
    too_long: set[Role | None] = field(default_factory=set)

    @property
    def has_report(self) -> bool:
        """Return whether a report file is among them, even if it is too long."""
        return bool(self.by_role or self.too_long)

    @property
    def missing(self) -> list[Role]:
        return [
            role for role in Role if role not in self.by_role.keys() | self.too_long
        ]


def looks_like_dbf(name: str, data: bytes) -> bool:
    """Return whether the file is meant as DBF, by its content or its name.

    >>> looks_like_dbf("a.DBF", b""), looks_like_dbf("a.txt", b"0-1")
    (True, False)
    """
    header_length = int.from_bytes(data[8:10], "little")
    return name.lower().endswith(".dbf") or (
        data.startswith(VERSIONS)
        and 0 in data[:32]  # never in text
        and 64 < header_length <= len(data)
    )


def classify_files(
    contents: Sequence[tuple[str, bytes]], findings: Collector
) -> DbfFiles:
    """Return the files by their part in a report; add findings about odd ones."""
    result = DbfFiles()
    for name, data in contents:
        add = findings.at(Place(file=name))
        try:
            table = read_table(data, file_name=name)
        except TooManyRecords as reason:
            if looks_like_text(data):  # a DBF file has zero bytes in its header
                why = translatable("{name} is not a DBF file.", name=name)
                result.unreadable.append((name, why))
                continue
            result.too_long.add(_role_by_name(name))
            add("dbf.too_many_records/unread", reason=error_text(reason))
            continue
        except InvalidDbf as reason:
            result.unreadable.append((name, error_text(reason)))
            continue
        role = _role_by_fields(table)
        if role is None:
            why = translatable(
                "{name} has none of the fields of a rating report.", name=name
            )
            result.unreadable.append((name, why))
        elif table.declared_records > MAX_RECORDS:
            result.too_long.add(role)
            declared, most = table.declared_records, MAX_RECORDS
            limits = {"declared_records": declared, "max_records": most}
            add("dbf.too_many_records", name=name, **limits)
        elif role in result.by_role:
            other_name = result.by_role[role].name
            add("file.twice", name=name, other_name=other_name, role=role)
        else:
            result.by_role[role] = DbfFile(name, table, role)
            findings.extend(table.findings)
            _check_file(result.by_role[role], findings)
    return result


def _role_by_fields(table: Table) -> Role | None:
    """Return the file's role by its fields, None if they do not decide it."""
    names = [column.name for column in table.fields]
    counts = {
        role: sum(name.startswith(prefix) for name in names)
        for role, prefix in FIELD_PREFIXES.items()
    }
    role = max(counts, key=lambda role: counts[role])
    has_known = any(expected in names for expected in REQUIRED_FIELDS[role])
    return role if has_known and counts[role] * 2 > len(names) else None


def _role_by_name(name: str) -> Role | None:
    stem = name.upper().rpartition(".")[0] or name.upper()
    for role in Role:
        if stem.endswith(role.value):
            return role
    return None


def _check_file(file: DbfFile, findings: Collector) -> None:
    add = findings.at(Place(file=file.name))
    if _role_by_name(file.name) is not file.role:
        add("file.renamed", name=file.name, role=file.role)
    names = {column.name for column in file.table.fields}
    if is_legacy(file.role, file.table.fields):
        names.add("S_TIMECTL")  # there is a K factor instead
    for expected in REQUIRED_FIELDS[file.role]:
        if expected not in names:
            add("file.fields_missing", expected, name=file.name, expected=expected)


def read_dbf(files: dict[Role, DbfFile], findings: Collector) -> ReportedEvent | None:
    """Return the report in *files*, None where the one with the entries is missing."""
    if Role.ENTRIES not in files:
        return None
    days = _resolve_dates(files, findings.today)
    event = _Event(findings, days).read(files.get(Role.EVENT))
    legacy = [f for f in files.values() if is_legacy(f.role, f.table.fields)]
    if legacy:
        name = legacy[0].name
        findings.add("file.legacy_layout", Place(file=name), name=name)
        files = _first_event_files(files, event.event_id)
    sections = _Sections(findings, days).read(files.get(Role.SECTIONS))
    _compare_event_ids(event.event_id, files, findings)
    sections = _Entries(findings, days, sections).read(files[Role.ENTRIES])
    report = replace(event, sections=tuple(sections))
    return with_legacy_defaults(report) if legacy else report


def _resolve_dates(files: dict[Role, DbfFile], today: date | None) -> ResolvedDates:
    """Return the dates of the event and of all its sections in their best order."""
    rows = {role: file.table.rows for role, file in files.items()}
    event = next(iter(rows.get(Role.EVENT, ())), {})
    sections = event_rows(
        rows.get(Role.SECTIONS, ()), Role.SECTIONS, event.get("H_EVENT_ID", "")
    )
    return resolve_dates(
        [event.get(name, "") for name in ("H_BEG_DATE", "H_END_DATE")],
        parts=[
            [row.get(name, "") for name in ("S_BEG_DATE", "S_END_DATE")]
            for row in sections[:MAX_SECTIONS]
        ],
        today=today,
        official=_DOCUMENTED_ORDER,
    )


def _first_event_files(
    files: dict[Role, DbfFile], event_id: str
) -> dict[Role, DbfFile]:
    """Drop the rows of further events, which old sets of files may hold."""
    return {
        role: replace(
            file,
            table=replace(file.table, rows=event_rows(file.table.rows, role, event_id)),
        )
        for role, file in files.items()
    }


def _compare_event_ids(
    event_id: str, files: dict[Role, DbfFile], findings: Collector
) -> None:
    for role in (Role.SECTIONS, Role.ENTRIES):
        column = EVENT_ID_FIELDS[role]
        rows = files[role].table.rows if role in files else []
        others = {row.get(column, "") for row in rows} - {"", event_id}
        if event_id and others:
            name = files[role].name
            ids = {"other_event_id": min(others), "event_id": event_id}
            findings.add(
                "event.ids_differ", Place(name, field=column), name=name, **ids
            )


class _Rows:
    """Reads values of one file's rows; adds findings for unreadable ones."""

    def __init__(self, findings: Collector, days: ResolvedDates) -> None:
        self.findings = findings
        self.days = days
        self.place = Place()

    def values(
        self, row: dict[str, str], columns: Iterable[Column], **known: Any
    ) -> dict[str, Any]:
        """Return the values of a record's own fields, *known* ones as they are."""
        return known | {
            column.field: self._value(row, column)
            for column in columns
            if column.kind != PARENT and column.field not in known
        }

    def _value(self, row: dict[str, str], column: Column) -> Any:
        text = row.get(column.name, "")
        if column.kind == TEXT:
            return text
        if column.kind == NUMBER:
            return self.number(row, column.name)
        if column.kind == DAY:
            return self.day(row, column.name)
        if column.kind == FLAG:
            return text.upper() in _YES
        if column.kind == LIST:
            parts = text.replace(";", ",").split(",")
            return tuple(part.strip() for part in parts if part.strip())
        return text.upper()

    def number(self, row: dict[str, str], name: str) -> int | None:
        text = row.get(name, "")
        try:
            return parse_number(text)
        except ValueError:
            self._report("value.unreadable/field_number", name, text)
            return None

    def day(self, row: dict[str, str], name: str) -> date | None:
        text = row.get(name, "")
        day = self.days.day(text)
        if day is None:
            if text.strip("0 /-."):
                self._report("value.unreadable/field_day", name, text)
            return None
        if self.days.other(text):
            place = replace(self.place, field=REPORT_FIELDS[name])
            self.days.report_if_ambiguous(self.findings, place, text)
        elif possible_dates(text).get("mdy") == day:
            self._report("value.date_spelling", name, text)
        return day

    def _report(self, finding: str, name: str, text: str) -> None:
        """Add a finding about the *text* of a field."""
        place = replace(self.place, field=REPORT_FIELDS[name])
        self.findings.add(finding, place, name=name, printable=printable(text))


class _Event(_Rows):
    def read(self, file: DbfFile | None) -> ReportedEvent:
        if file is None:
            return ReportedEvent(layout="")
        self.place = Place(file=file.name)
        rows = file.table.rows
        if len(rows) > 1:
            count = len(rows)
            self.findings.add("event.several", self.place, name=file.name, rows=count)
        if not rows:
            self.findings.add("event.no_record", self.place, name=file.name)
            return ReportedEvent(layout="")
        return ReportedEvent(**self.values(rows[0], EVENT_FIELDS))


class _Sections(_Rows):
    def read(self, file: DbfFile | None) -> list[ReportedSection]:
        if file is None:
            return []
        rows = file.table.rows
        if len(rows) > MAX_SECTIONS:
            _report_too_many_sections(len(rows), file, self.findings)
        sections = []
        for row in rows[:MAX_SECTIONS]:
            self.place = Place(file=file.name)
            number = self.number(row, "S_SEC_NUM") or 0
            self.place = Place(file=file.name, section=number)
            values = self.values(row, ALL_SECTION_FIELDS, number=number)
            sections.append(ReportedSection(**values))
        return sections


def _report_too_many_sections(count: int, file: DbfFile, findings: Collector) -> None:
    place, sizes = Place(file=file.name), {"count": count, "max_sections": MAX_SECTIONS}
    findings.add("event.too_many_sections", place, name=file.name, **sizes)


@dataclass(slots=True)
class _PartialEntry:
    """An entry while it is read: its cells may come in several records."""

    entry: ReportedEntry
    cells: list[Cell]
    records: int = 1


class _Entries(_Rows):
    """Assigns the detail records to their sections."""

    def __init__(
        self, findings: Collector, days: ResolvedDates, sections: list[ReportedSection]
    ) -> None:
        super().__init__(findings, days)
        self.sections = sections
        self.entries: dict[int, list[_PartialEntry]] = {
            section.number: [] for section in sections
        }
        self.latest: dict[tuple[int, int], _PartialEntry] = {}

    def read(self, file: DbfFile) -> list[ReportedSection]:
        columns = round_columns(file.table.fields)[:MAX_ROUNDS]
        numeric_ids = any(
            column.name == "D_MEM_ID" and column.type in "NFI"
            for column in file.table.fields
        )
        rounds = {section.number: section.rounds for section in self.sections}
        for row in file.table.rows:
            self.place = Place(file=file.name)
            number = self.number(row, "D_SEC_NUM") or 0
            self.place = Place(file=file.name, section=number)
            entry = self._entry(row, numeric_ids)
            cells = [parse_cell(row[column]) for column in columns]
            self._add(number, entry, cells, rounds.get(number))
        self._add_undescribed_sections(file)
        filled: set[int] = set()
        return [self._with_entries(section, filled) for section in self.sections]

    def _entry(self, row: dict[str, str], numeric_ids: bool) -> ReportedEntry:
        pairing_number = self.number(row, "D_PAIR_NUM") or 0
        self.place = replace(self.place, pairing_number=pairing_number)
        member_id = row.get("D_MEM_ID", "")
        if numeric_ids and member_id:
            # A numeric field loses leading zeros and may add decimals.
            member_id = MEMBER_ID.with_zeros(member_id.partition(".")[0])
        known = {"pairing_number": pairing_number, "member_id": member_id}
        return ReportedEntry(**self.values(row, ALL_ENTRY_FIELDS, **known))

    def _add(
        self, number: int, entry: ReportedEntry, cells: list[Cell], rounds: int | None
    ) -> None:
        """Add a new entry, or further rounds of an existing one."""
        key = (number, entry.pairing_number)
        known = self.latest.get(key)
        if (
            known is not None
            and known.entry.member_id == entry.member_id
            and len(known.cells) < (rounds or 0)
        ):
            known.cells.extend(cells)
            return
        self.latest[key] = _PartialEntry(entry, cells)
        self.entries.setdefault(number, []).append(self.latest[key])

    def _add_undescribed_sections(self, file: DbfFile) -> None:
        unknown = sorted(self.entries.keys() - {one.number for one in self.sections})
        total = len(self.sections) + len(unknown)
        if total > MAX_SECTIONS:
            _report_too_many_sections(total, file, self.findings)
        for number in unknown[: max(0, MAX_SECTIONS - len(self.sections))]:
            count = len(self.entries[number])
            name = "section.not_described" + ("/one" if count == 1 else "")
            place, sizes = Place(file.name, number), {"count": count, "number": number}
            self.findings.add(name, place, name=file.name, **sizes)
            self.sections.append(ReportedSection(number))

    def _with_entries(
        self, section: ReportedSection, filled: set[int]
    ) -> ReportedSection:
        """Give *section* its entries (the first one, if two have its number)."""
        if section.number in filled:
            return section
        filled.add(section.number)
        entries = self.entries[section.number]
        return replace(
            section,
            entries=tuple(
                replace(item.entry, cells=_without_padding(item.cells, section.rounds))
                for item in entries
            ),
        )


def _without_padding(cells: list[Cell], rounds: int | None) -> tuple[Cell, ...]:
    """Drop the padding of a shorter section, but never a result."""
    if rounds is None:
        return tuple(cells)
    end = len(cells)
    while end > rounds and cells[end - 1].is_padding:
        end -= 1
    return tuple(cells[:end])


# The layout of the 1990s: the same three files before time controls were reported.
# THEXPORT has no format name and no chief TD, TSEXPORT a K factor instead of a time
# control, TDEXPORT no names and ten rounds to a record. The files are recognized by
# their fields. One set may hold several events.

# Fields that only the old layout has, and fields that it never has.
_LEGACY_FIELDS = {
    Role.EVENT: frozenset({"H_RCV_DATE", "H_ENT_DATE", "H_SCHOLAST", "H_SECREC01"}),
    Role.SECTIONS: frozenset({"S_K_FACTOR", "S_DTLREC01", "S_STATUS"}),
    Role.ENTRIES: frozenset({"D_REC_SEQ"}),
}
_MODERN_FIELDS = frozenset({"H_FORMAT", "S_TIMECTL", "D_NAME"})
EVENT_ID_FIELDS = {role: f"{prefix}EVENT_ID" for role, prefix in FIELD_PREFIXES.items()}


def is_legacy(role: Role, fields: Sequence[Field]) -> bool:
    """Return whether a file has the old layout, by its fields.

    >>> is_legacy(Role.ENTRIES, [Field("D_REC_SEQ", "C", 1)])
    True
    """
    names = {column.name for column in fields}
    return bool(names & _LEGACY_FIELDS[role]) and not names & _MODERN_FIELDS


def event_rows(
    rows: Sequence[dict[str, str]], role: Role, event_id: str
) -> list[dict[str, str]]:
    """Return the rows of one event; rows without an ID belong to every event."""
    name = EVENT_ID_FIELDS[role]
    return [row for row in rows if row.get(name, "") in ("", event_id)]


def with_legacy_defaults(reported: ReportedEvent) -> ReportedEvent:
    """Return *reported* with the values that the old layout has in other places.

    The sections name the chief TD; if they agree, the event has the same.
    """
    chiefs = {section.chief_td_id for section in reported.sections} - {""}
    return replace(
        reported,
        layout=FORMAT,
        chief_td_id=reported.chief_td_id or (chiefs.pop() if len(chiefs) == 1 else ""),
    )
