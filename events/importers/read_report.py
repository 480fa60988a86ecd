"""Reading of an uploaded rating report: DBF, TRF, JSON or tables, in a ZIP or not.

Whatever is uploaded, ``read_report`` raises nothing and stops at no fault: it returns
what it could read, and findings. What can still be seen in the report itself (missing
results, wrong dates ...) is left to ``checks``, so that it goes away when it is put
right; findings made here concern the files and stay with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from events.importers.archive import printable, unpack
from events.importers.dbf.layout_2c import (
    EXPECTED,
    MAX_ROUNDS,
    MAX_SECTIONS,
    PREFIX,
    RECORD_FIELDS,
    Role,
    parse_date,
    parse_number,
    round_columns,
)
from events.importers.dbf.legacy import MISSING_FIELDS, completed, is_legacy, of_event
from events.importers.dbf.tables import (
    MAX_RECORDS,
    NotADbf,
    Table,
    TooManyRecords,
    read_table,
)
from events.importers.findings import Collector, Finding, Place, Severity
from events.importers.json.read import looks_like_json, read_json
from events.importers.records import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from events.importers.sentences import said_by, say
from events.importers.tables.grids import looks_like_text, looks_like_xlsx
from events.importers.tables.read import (
    ColumnAnswer,
    ColumnQuestion,
    TablesRead,
    read_tables,
)
from events.importers.trf.lines import looks_like_trf
from events.importers.trf.read import read_tournaments
from players.importers.workbooks import looks_like_zip

TRF = "TRF"
JSON = "JSON"
TABLE = "TABLE"
MAX_FILES = 10
MAX_FILE_BYTES = 10_000_000
MAX_UPLOAD_BYTES = 20_000_000

_YES = frozenset("YGT1")  # one writer marks a Grand Prix with G


@dataclass(frozen=True, slots=True)
class AcceptedFile:
    """A file that became part of the report."""

    name: str
    role: Role | str
    records: int


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What is reported, if it can be read, the findings in order, and the files used.

    With a question it is still without entries: somebody has to say which
    column of a table is which.
    """

    reported: ReportedEvent | None
    findings: list[Finding]
    accepted_files: tuple[AcceptedFile, ...] = ()
    question: ColumnQuestion | None = None


@dataclass(slots=True)
class _File:
    name: str
    table: Table
    role: Role


@dataclass(slots=True)
class _Sorted:
    """The uploaded files by role, and what could not be used."""

    by_role: dict[Role, _File] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    too_long: set[Role | None] = field(default_factory=set)


def read_report(
    files: Sequence[tuple[str, bytes]], answer: ColumnAnswer | None = None
) -> ReadResult:
    """Return what the uploaded *files* (name and content) say.

    The report is None when nothing of it can be read; the findings then hold at least
    one error. Three files in any letter case, under any names, in a ZIP archive or not;
    or tables, for whose columns *answer* says what their headings do not.

    >>> result = read_report([("notes.txt", b"Round 1 was fun.")])
    >>> result.reported is None
    True
    >>> print(result.findings[1])
    THEXPORT.DBF is missing. Upload all three files of the report together.
    """
    findings = Collector()
    contents = _contents(files, findings)
    tournaments = [item for item in contents if looks_like_trf(item[1])]
    others = [item for item in contents if item not in tournaments]
    sorted_files = _sort_files(others, findings)
    if tournaments and not sorted_files.by_role:
        return _of_tournaments(tournaments, others, findings)
    for name, _ in tournaments:  # pairing programs write both; the DBF files say more
        sorted_files.unreadable.append(
            (name, say("the DBF files beside it were read."))
        )
    documents = [item for item in others if looks_like_json(*item)]
    if documents and not sorted_files.by_role and not sorted_files.too_long:
        return _of_document(documents[0], contents, findings)
    if not sorted_files.by_role and not sorted_files.too_long:
        tables = read_tables(contents, findings, answer)
        if tables is not None:
            return _of_tables(tables, sorted_files, findings)
    _report_missing(sorted_files, bool(contents), findings)
    report = _report(sorted_files.by_role, findings)
    accepted = tuple(
        AcceptedFile(file.name, role, len(file.table.rows))
        for role in Role
        if (file := sorted_files.by_role.get(role)) is not None
    )
    return ReadResult(report, findings.in_order(), accepted)


def _of_tournaments(
    tournaments: Sequence[tuple[str, bytes]],
    others: Sequence[tuple[str, bytes]],
    findings: Collector,
) -> ReadResult:
    """Read FIDE's report files; what came with them is left aside."""
    report = read_tournaments(tournaments, findings)
    for name, _ in others:
        findings.add("file.ignored", Place(file=name), name=name)
    accepted = tuple(AcceptedFile(name, TRF, 1) for name, _ in tournaments)
    return ReadResult(report, findings.in_order(), accepted if report else ())


def _of_document(
    document: tuple[str, bytes],
    contents: Sequence[tuple[str, bytes]],
    findings: Collector,
) -> ReadResult:
    """Read a JSON document; what came with it is left aside."""
    report = read_json(*document, findings)
    for name, _ in (item for item in contents if item is not document):
        findings.add(
            "file.ignored/beside_json",
            Place(file=name),
            name=name,
            document=document[0],
        )
    entries = sum(len(section.entries) for section in report.sections) if report else 0
    accepted = (AcceptedFile(document[0], JSON, entries),) if report else ()
    return ReadResult(report, findings.in_order(), accepted)


def _of_tables(tables: TablesRead, files: _Sorted, findings: Collector) -> ReadResult:
    used = dict(tables.files)
    for name, _ in files.unreadable:
        if tables.reported is not None and name not in used:
            findings.add("file.ignored/no_table", Place(file=name), name=name)
    accepted = tuple(AcceptedFile(name, TABLE, rows) for name, rows in tables.files)
    return ReadResult(tables.reported, findings.in_order(), accepted, tables.question)


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
        if looks_like_zip(data) and not looks_like_xlsx(data):
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


def _sort_files(contents: list[tuple[str, bytes]], findings: Collector) -> _Sorted:
    result = _Sorted()
    for name, data in contents:
        try:
            table = read_table(data, file_name=name)
        except TooManyRecords as reason:
            if looks_like_text(data):  # a DBF file has zero bytes in its header
                result.unreadable.append(
                    (name, say("{name} is not a DBF file.", name=name))
                )
                continue
            result.too_long.add(_role_by_name(name))
            findings.add(
                "dbf.too_many_records/unread",
                Place(file=name),
                reason=said_by(reason),
            )
            continue
        except NotADbf as reason:
            result.unreadable.append((name, said_by(reason)))
            continue
        role = _role_by_fields(table)
        if role is None:
            result.unreadable.append(
                (
                    name,
                    say("{name} has none of the fields of a rating report.", name=name),
                )
            )
        elif table.declared_records > MAX_RECORDS:
            result.too_long.add(role)
            findings.add(
                "dbf.too_many_records",
                Place(file=name),
                name=name,
                declared_records=table.declared_records,
                max_records=MAX_RECORDS,
            )
        elif role in result.by_role:
            findings.add(
                "file.twice",
                Place(file=name),
                name=name,
                other_name=result.by_role[role].name,
                role=role,
            )
        else:
            result.by_role[role] = _File(name, table, role)
            findings.extend(table.findings)
            _check_file(result.by_role[role], findings)
    return result


def _role_by_fields(table: Table) -> Role | None:
    """Tell the file by its fields: names are changed more easily than contents."""
    names = [column.name for column in table.fields]
    counts = {
        role: sum(name.startswith(prefix) for name in names)
        for role, prefix in PREFIX.items()
    }
    role = max(counts, key=lambda role: counts[role])
    has_known = any(expected in names for expected in EXPECTED[role])
    return role if has_known and counts[role] * 2 > len(names) else None


def _role_by_name(name: str) -> Role | None:
    stem = name.upper().rpartition(".")[0] or name.upper()
    for role in Role:
        if stem.endswith(role.value):
            return role
    return None


def _check_file(file: _File, findings: Collector) -> None:
    if _role_by_name(file.name) is not file.role:
        findings.add(
            "file.renamed", Place(file=file.name), name=file.name, role=file.role
        )
    names = {column.name for column in file.table.fields}
    if is_legacy(file.role, file.table.fields):
        names |= MISSING_FIELDS
    for expected in EXPECTED[file.role]:
        if expected not in names:
            findings.add(
                "file.fields_missing",
                Place(file=file.name, field=expected),
                name=file.name,
                expected=expected,
            )


def _report_missing(files: _Sorted, any_content: bool, findings: Collector) -> None:
    there = files.by_role.keys() | files.too_long
    missing = [role for role in Role if role not in there]
    if not any_content:
        if any(finding.severity is Severity.ERROR for finding in findings.in_order()):
            return  # what was uploaded is refused already
        findings.add("upload.empty", Place())
        return
    for role in missing:
        findings.add("file.missing", Place(file=f"{role}.DBF"), role=role)
    for name, reason in files.unreadable:
        # Beside a complete report, a stray file is nobody's fault.
        if missing:
            findings.add("file.not_dbf", Place(file=name), reason=reason)
        else:
            findings.add(
                "file.ignored/unreadable", Place(file=name), name=name, reason=reason
            )


def _report(files: dict[Role, _File], findings: Collector) -> ReportedEvent | None:
    if Role.ENTRIES not in files:
        return None
    event = _Event(findings).read(files.get(Role.EVENT))
    legacy = [f for f in files.values() if is_legacy(f.role, f.table.fields)]
    if legacy:
        findings.add(
            "file.legacy_layout", Place(file=legacy[0].name), name=legacy[0].name
        )
        files = _of_first_event(files, event.event_id)
    sections = _Sections(findings).read(files.get(Role.SECTIONS))
    _compare_event_ids(event.event_id, files, findings)
    sections = _Entries(findings, sections).read(files[Role.ENTRIES])
    report = replace(event, sections=tuple(sections))
    return completed(report) if legacy else report


def _of_first_event(files: dict[Role, _File], event_id: str) -> dict[Role, _File]:
    """Leave out what old sets of files hold of further events."""
    return {
        role: replace(
            file,
            table=replace(file.table, rows=of_event(file.table.rows, role, event_id)),
        )
        for role, file in files.items()
    }


def _compare_event_ids(
    event_id: str, files: dict[Role, _File], findings: Collector
) -> None:
    for role, column in (
        (Role.SECTIONS, "S_EVENT_ID"),
        (Role.ENTRIES, "D_EVENT_ID"),
    ):
        rows = files[role].table.rows if role in files else []
        others = {row.get(column, "") for row in rows} - {"", event_id}
        if event_id and others:
            findings.add(
                "event.ids_differ",
                Place(file=files[role].name, field=column),
                name=files[role].name,
                other_event_id=min(others),
                event_id=event_id,
            )


class _Rows:
    """Reads values of one file's rows; unreadable ones leave a finding."""

    def __init__(self, findings: Collector) -> None:
        self.findings = findings
        self.place = Place()

    def number(self, row: dict[str, str], name: str) -> int | None:
        text = row.get(name, "")
        try:
            return parse_number(text)
        except ValueError:
            self._unreadable("number", name, text)
            return None

    def day(self, row: dict[str, str], name: str) -> date | None:
        text = row.get(name, "")
        try:
            day = parse_date(text)
        except ValueError:
            self._unreadable("day", name, text)
            return None
        if day is not None and "/" in text:
            self.findings.add(
                "value.date_spelling",
                replace(self.place, field=RECORD_FIELDS[name]),
                name=name,
                printable=printable(text),
            )
        return day

    def _unreadable(self, wanted: str, name: str, text: str) -> None:
        self.findings.add(
            f"value.unreadable/field_{wanted}",
            replace(self.place, field=RECORD_FIELDS[name]),
            name=name,
            printable=printable(text),
        )


class _Event(_Rows):
    def read(self, file: _File | None) -> ReportedEvent:
        if file is None:
            return ReportedEvent(layout="")
        self.place = Place(file=file.name)
        rows = file.table.rows
        if len(rows) > 1:
            self.findings.add(
                "event.several", self.place, name=file.name, rows=len(rows)
            )
        if not rows:
            self.findings.add("event.no_record", self.place, name=file.name)
            return ReportedEvent(layout="")
        return self._event(rows[0])

    def _event(self, row: dict[str, str]) -> ReportedEvent:
        others = row.get("H_OTHER_TD", "").replace(";", ",").split(",")
        return ReportedEvent(
            layout=row.get("H_FORMAT", "").upper(),
            program=row.get("H_PROGRAM", ""),
            event_id=row.get("H_EVENT_ID", ""),
            name=row.get("H_NAME", ""),
            starts=self.day(row, "H_BEG_DATE"),
            ends=self.day(row, "H_END_DATE"),
            affiliate_id=row.get("H_AFF_ID", "").upper(),
            city=row.get("H_CITY", ""),
            state=row.get("H_STATE", "").upper(),
            zip_code=row.get("H_ZIPCODE", ""),
            country=row.get("H_COUNTRY", ""),
            send_crosstable=row.get("H_SENDCROS", "").upper(),
            chief_td_id=row.get("H_CTD_ID", ""),
            assistant_td_id=row.get("H_ATD_ID", ""),
            other_td_ids=tuple(text.strip() for text in others if text.strip()),
            total_sections=self.number(row, "H_TOT_SECT"),
        )


class _Sections(_Rows):
    def read(self, file: _File | None) -> list[ReportedSection]:
        if file is None:
            return []
        rows = file.table.rows
        if len(rows) > MAX_SECTIONS:
            _refuse_sections(len(rows), file, self.findings)
        sections = []
        for row in rows[:MAX_SECTIONS]:
            self.place = Place(file=file.name)
            number = self.number(row, "S_SEC_NUM") or 0
            self.place = Place(file=file.name, section=number)
            sections.append(self._section(row, number))
        return sections

    def _section(self, row: dict[str, str], number: int) -> ReportedSection:
        return ReportedSection(
            number=number,
            name=row.get("S_SEC_NAME", ""),
            system_letter=row.get("S_R_SYSTEM", "").upper(),
            time_control=row.get("S_TIMECTL", ""),
            chief_td_id=row.get("S_CTD_ID", ""),
            assistant_td_id=row.get("S_ATD_ID", ""),
            kind_letter=row.get("S_TRN_TYPE", "").upper(),
            rounds=self.number(row, "S_TOT_RNDS"),
            last_pairing_number=self.number(row, "S_LST_PAIR"),
            starts=self.day(row, "S_BEG_DATE"),
            ends=self.day(row, "S_END_DATE"),
            scholastic_level=row.get("S_SCH_LVL", "").upper(),
            grand_prix=row.get("S_GR_PRIX", "").upper() in _YES,
            grand_prix_points=self.number(row, "S_GP_PTS"),
            fide=row.get("S_FIDE", "").upper() in _YES,
            online=row.get("S_ONLINE", "").upper() in _YES,
        )


def _refuse_sections(count: int, file: _File, findings: Collector) -> None:
    findings.add(
        "event.too_many_sections",
        Place(file=file.name),
        name=file.name,
        count=count,
        max_sections=MAX_SECTIONS,
    )


@dataclass(slots=True)
class _EntryUnderWay:
    """An entry under way: its cells may come in several records."""

    entry: ReportedEntry
    cells: list[Cell]
    records: int = 1


class _Entries(_Rows):
    """Puts the detail records into their sections."""

    def __init__(self, findings: Collector, sections: list[ReportedSection]) -> None:
        super().__init__(findings)
        self.sections = sections
        self.entries: dict[int, list[_EntryUnderWay]] = {
            section.number: [] for section in sections
        }
        self.latest: dict[tuple[int, int], _EntryUnderWay] = {}

    def read(self, file: _File) -> list[ReportedSection]:
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
        self._describe_unknown(file)
        filled: set[int] = set()
        return [self._filled(section, filled) for section in self.sections]

    def _entry(self, row: dict[str, str], numeric_ids: bool) -> ReportedEntry:
        pairing_number = self.number(row, "D_PAIR_NUM") or 0
        self.place = replace(self.place, pairing_number=pairing_number)
        member_id = row.get("D_MEM_ID", "")
        if numeric_ids and member_id:
            # A numeric field loses leading zeros and may add decimals.
            member_id = member_id.partition(".")[0].zfill(8)
        return ReportedEntry(
            pairing_number=pairing_number,
            member_id=member_id,
            name=row.get("D_NAME", ""),
            state=row.get("D_STATE", "").upper(),
            rating=row.get("D_RATING", ""),
            fide_id=row.get("D_FIDE_ID", ""),
            fide_rating=row.get("D_FIDE_RTG", ""),
            cfc_id=row.get("D_CFC_ID", ""),
            cfc_rating=row.get("D_CFC_RTG", ""),
        )

    def _add(
        self, number: int, entry: ReportedEntry, cells: list[Cell], rounds: int | None
    ) -> None:
        """Add a new entry, or the further rounds of one that is there."""
        key = (number, entry.pairing_number)
        known = self.latest.get(key)
        if (
            known is not None
            and known.entry.member_id == entry.member_id
            and len(known.cells) < (rounds or 0)
        ):
            known.cells.extend(cells)
            return
        self.latest[key] = _EntryUnderWay(entry, cells)
        self.entries.setdefault(number, []).append(self.latest[key])

    def _describe_unknown(self, file: _File) -> None:
        described = {section.number for section in self.sections}
        unknown = sorted(self.entries.keys() - described)
        if len(self.sections) + len(unknown) > MAX_SECTIONS:
            _refuse_sections(len(self.sections) + len(unknown), file, self.findings)
        for number in unknown[: max(0, MAX_SECTIONS - len(self.sections))]:
            count = len(self.entries[number])
            self.findings.add(
                "section.not_described" + ("/one" if count == 1 else ""),
                Place(file=file.name, section=number),
                name=file.name,
                count=count,
                number=number,
            )
            self.sections.append(ReportedSection(number))

    def _filled(self, section: ReportedSection, filled: set[int]) -> ReportedSection:
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
    """Drop what pads a shorter section, but never a result."""
    if rounds is None:
        return tuple(cells)
    end = len(cells)
    while end > rounds and cells[end - 1].padding:
        end -= 1
    return tuple(cells[:end])
