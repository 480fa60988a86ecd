"""Crosstables and game lists, from CSV, spreadsheets or pasted text, as a report.

Headings are recognized in many spellings. If a required column is not recognized, the
result has a question instead of entries: which column is which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from events.formats.ambiguous_dates import ResolvedDates, resolve_dates
from events.formats.dates import possible_dates
from events.formats.dbf.layout_2c import MAX_SECTIONS
from events.formats.dbf.tables import MAX_RECORDS
from events.formats.findings import Collector, Place
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from events.formats.schedule_text import parse_schedule, schedule_date_texts
from events.formats.tables.crosstables import (
    Crosstable,
    Table,
    parse_whole_number,
    result_columns,
)
from events.formats.tables.dialects import Dialect, dialect_of
from events.formats.tables.game_lists import GameList
from events.formats.tables.grids import (
    Grid,
    TableRow,
    UnreadableTable,
    looks_like_text,
    looks_like_xlsx,
    read_grids,
)
from events.formats.tables.header_fields import (
    IDENTIFYING_FIELDS,
    HeaderField,
    label_and_value,
    parse_header_line,
)
from events.formats.tables.headings import (
    Column,
    Heading,
    is_game_list,
    missing_columns,
    parse_heading,
    parse_headings,
)
from events.formats.tables.results import parse_result
from events.formats.tables.score_lines import is_score
from events.formats.tables.score_tables import ScoreTable, own_columns
from events.formats.translatable_text import error_text, translatable, translatable_list
from players.formats.member_ids import MEMBER_ID

PASTED = "pasted.txt"

_GAMES = "WLDXF"
_SAMPLES = 3
_MAX_HEADING_ROW = 40
_MIN_COLUMNS = 3
_TABLE_NAMES = (".csv", ".tsv", ".xlsx", PASTED)


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """A table with unknown columns, for the form that asks about them."""

    place: str
    missing: tuple[str, ...]
    headings: tuple[str, ...]
    guesses: tuple[Column | None, ...]
    samples: tuple[tuple[str, ...], ...]
    headed: bool


@dataclass(frozen=True, slots=True)
class ColumnAnswer:
    """The meaning of each column of such a table, "" for unused ones.

    ``headed`` is False if the first row shown is already a player's or a game's.
    """

    meanings: tuple[str, ...]
    headed: bool = True

    def headings(self, texts: Sequence[str] = ()) -> tuple[Heading, ...]:
        """Return the meaning of each column; *texts* may have the numbers of rounds."""
        rounds = [parse_heading(text).round_number for text in texts]
        rounds += [0] * len(self.meanings)
        known = frozenset(Column)
        return tuple(
            Heading(
                Column(meaning) if meaning in known else None,
                number if self.headed and meaning == Column.ROUND_RESULT else 0,
            )
            for meaning, number in zip(self.meanings, rounds, strict=False)
        )


@dataclass(frozen=True, slots=True)
class TablesResult:
    """The report, its files with their rows, and a question if there is one."""

    reported: ReportedEvent | None
    files: tuple[tuple[str, int], ...] = ()
    question: ColumnQuestion | None = None


def read_tables(
    contents: Sequence[tuple[str, bytes]],
    findings: Collector,
    answer: ColumnAnswer | None = None,
) -> TablesResult | None:
    """Read the tables among *contents*; return None if there are none."""
    reader = _Reader(findings, answer)
    claimed = [
        name
        for name, data in contents
        if looks_like_xlsx(data) or name.lower().endswith(_TABLE_NAMES)
    ]
    for name, data in contents:
        if looks_like_xlsx(data) or looks_like_text(data):
            reader.read_file(name, data, is_table=name in claimed)
    if reader.parts or reader.questions:
        return reader.result()
    if not claimed:
        return None
    if not reader.refused:
        name = "table.not_found" + _pasted_suffix(claimed[0])
        findings.add(name, Place(file=claimed[0]), name=claimed[0])
    return TablesResult(None)


def _pasted_suffix(name: str) -> str:
    """Return the end of a finding's name for pasted text instead of a file."""
    return "/pasted" if name == PASTED else ""


@dataclass(slots=True)
class _SectionTable:
    """A section while it is read: its fields and its table."""

    facts: dict[str, Any] = field(default_factory=dict)
    grid: Grid | None = None
    headings: tuple[Heading, ...] = ()
    begins: int = 0
    rows: list[TableRow] = field(default_factory=list)
    numbers: set[int | None] = field(default_factory=set)
    opponent_numbers: set[int | None] = field(default_factory=set)  # opponents' numbers

    def add(self, table: Table, row: TableRow) -> None:
        self.rows.append(row)
        self.numbers.add(parse_whole_number(table.text(row, Column.NUMBER)))
        columns = result_columns(table.headings).values()
        self.opponent_numbers |= {
            parse_result(row.cell(column)).opponent for column in columns
        }

    def add_header_fields(self, facts: Mapping[str, Any]) -> None:
        """Add fields from between or below the rows; those above take precedence."""
        self.facts = {**facts, **self.facts}


class _Reader:
    def __init__(self, findings: Collector, answer: ColumnAnswer | None) -> None:
        self.findings = findings
        self.answer = answer
        self.event: dict[str, Any] = {"send_crosstable": "N"}
        self.days = ResolvedDates(())
        self.parts: list[_SectionTable] = []
        self.pending = _SectionTable()
        self.questions: list[tuple[Grid, TableRow]] = []
        # Rows with results that are in no table.
        self.lost_rows: list[tuple[Grid, TableRow]] = []
        self.files: dict[str, int] = {}
        # The identifying fields of the event, and the file that stated each first.
        self.stated: dict[str, tuple[str, Any, set[Any]]] = {}
        self.refused = False
        self.dialect = Dialect()

    def _report(
        self, name: str, grid: Grid, row: TableRow, index: int | None, /, **values: Any
    ) -> None:
        self.findings.add_finding(grid.finding(name, row, index, **values))

    def read_file(self, name: str, data: bytes, *, is_table: bool) -> None:
        try:
            grids = read_grids(name, data)
        except UnreadableTable as reason:
            self.refused = is_table or self.refused
            if is_table:
                values = {"name": name, "reason": error_text(reason)}
                kind = "table.unreadable" + _pasted_suffix(name)
                self.findings.add(kind, Place(file=name), **values)
            return
        for grid in grids:
            if grid.is_hidden:
                place = Place(file=name, field=grid.sheet)
                self.findings.add("table.hidden_sheet", place, name=grid.sheet)
            else:
                self._read_grid(grid)

    def _read_grid(self, grid: Grid) -> None:
        before = len(self.parts)
        asked = self._unrecognized_heading(grid)
        if asked is not None and self.answer is None:
            self.questions.append((grid, asked))
        for row in grid.rows:
            if row is asked and self.answer is not None:
                self._start_section(grid, row, self.answer.headings(row.cells))
                if not self.answer.headed:
                    self.parts[-1].rows.append(row)
            elif not row.is_blank:
                self._row(grid, row)
        if len(self.parts) > before:
            self.files[grid.file] = self.files.get(grid.file, 0) + len(grid.rows)
            self._report_grid_findings(grid, self.parts[before].begins)
            self.parts[-1].add_header_fields(self._take_pending_fields())

    def _unrecognized_heading(self, grid: Grid) -> TableRow | None:
        """Return the likeliest row of headings, if none can be used."""
        if any(_is_heading(row) for row in grid.rows):
            return None
        wide = [row for row in grid.rows if len(row.filled) >= _MIN_COLUMNS]
        if len(wide) < 2:
            return None
        return max(wide[:_MAX_HEADING_ROW], key=_known_headings)

    def _start_section(
        self, grid: Grid, row: TableRow, headings: tuple[Heading, ...]
    ) -> None:
        part, self.pending = self.pending, _SectionTable()
        part.grid, part.headings, part.begins = grid, headings, row.number
        if grid.sheet:
            part.facts.setdefault("name", grid.sheet.removeprefix("sheet "))
        self.parts.append(part)

    def _row(self, grid: Grid, row: TableRow) -> None:
        """Add a row; check for a player first, so that none is read as other text."""
        if row.rest:
            self._report("table.row_left_out/rest", grid, row, None, row=row.rest)
        table = self._current_table(grid)
        if table and _is_entry(table, row):
            self._add(table, row)
        elif self._read_header_line(grid, row):
            return
        elif _is_heading(row):
            self._start_section(grid, row, parse_headings(row.cells))
            self._report_repeated_columns(grid, row)
        elif table and (not self.pending.facts or _continues_table(table, row)):
            self._add(table, row)
        elif row.holds_results:
            self.lost_rows.append((grid, row))

    def _current_table(self, grid: Grid) -> Table | None:
        """Return the last table of the *grid* so far, None if there is none."""
        if not self.parts or self.parts[-1].grid is not grid:
            return None
        return Table(grid, self.parts[-1].headings, ())

    def _add(self, table: Table, row: TableRow) -> None:
        """Add a row to the last part, or to a new one if a section was named."""
        part = self.parts[-1]
        if self.pending.facts:
            if self._is_next_section(part, table, row):
                self._start_section(table.grid, row, part.headings)
            else:
                part.add_header_fields(self._take_pending_fields())
        self.parts[-1].add(table, row)

    def _is_next_section(
        self, part: _SectionTable, table: Table, row: TableRow
    ) -> bool:
        """Return whether a section was named, and not one with earlier opponents."""
        named = self.pending.facts.get("name")
        if not named or named == part.facts.get("name"):
            return False
        starts_over = parse_whole_number(table.text(row, Column.NUMBER)) in part.numbers
        return starts_over or (
            bool(part.rows) and part.opponent_numbers <= {None, *part.numbers}
        )

    def _take_pending_fields(self) -> dict[str, Any]:
        facts, self.pending.facts = self.pending.facts, {}
        return facts

    def _report_repeated_columns(self, grid: Grid, row: TableRow) -> None:
        seen: set[Heading] = set()
        for index, heading in enumerate(self.parts[-1].headings):
            if heading.column is not None and heading in seen:
                name = row.cell(index)[:40]
                self._report("table.column_twice", grid, row, index, column=name)
            seen.add(heading)

    def _read_header_line(self, grid: Grid, row: TableRow) -> bool:
        """Read a line with a field of the event or of the next section."""
        facts = parse_header_line(*label_and_value(row.cells))
        for meaning, of_section, value in facts:
            facts_of = self.pending.facts if of_section else self.event
            self._store_header_field(grid, row, meaning, value, facts_of)
        return bool(facts)

    def _store_header_field(
        self,
        grid: Grid,
        row: TableRow,
        meaning: HeaderField,
        value: str,
        facts: dict[str, Any],
    ) -> None:
        try:
            parsed = meaning.read(value)
            before = facts.get(meaning.field, ())
            if facts is self.event and meaning.field in IDENTIFYING_FIELDS:
                self._report_other_event(grid, meaning, parsed, value)
            kept = value if meaning.dated and parsed else parsed
            facts[meaning.field] = (*before, kept) if meaning.repeats else kept
        except ValueError:
            shown = {"written": value[:40], "label": translatable(meaning.label)}
            self._report("table.fact_unreadable", grid, row, 1, **shown)

    def _report_other_event(
        self, grid: Grid, meaning: HeaderField, parsed: Any, value: str
    ) -> None:
        """Report a file whose event differs from that of an earlier file."""
        meant = {*possible_dates(value).values()} if meaning.dated else {parsed}
        stated = (grid.file, parsed, meant)
        file, before, meant_before = self.stated.setdefault(meaning.field, stated)
        if file != grid.file and parsed and not meant & meant_before:
            place = Place(file=grid.file, field=meaning.field)
            shown = {"label": translatable(meaning.label), "before": before}
            name = "file.other_event"
            self.findings.add(name, place, name=grid.file, told=parsed, **shown)

    def _report_grid_findings(self, grid: Grid, begins: int) -> None:
        """Add findings about the rows, but not about a title above the tables."""
        for row, finding in grid.grid_findings:
            if row >= begins or not grid.is_spreadsheet:
                self.findings.add_finding(finding)

    def result(self) -> TablesResult:
        question = None
        if self.questions and not self.parts:
            question = _question(*self.questions[0])
            self._report_question(question)
        else:
            self._report_lost_rows()
        self.days = self._choose_days()
        facts = self._dated(self.event, Place())
        sections = tuple(self._sections()) if self.parts else ()
        report = ReportedEvent(**facts, sections=sections, total_sections=len(sections))
        files = tuple(self.files.items()) or tuple(
            (grid.file, len(grid.rows)) for grid, _ in self.questions
        )
        return TablesResult(report, files, question)

    def _choose_days(self) -> ResolvedDates:
        """Read all days in the one order that fits best."""
        spans = [_span(self.event), *(_span(part.facts) for part in self.parts)]
        schedules = [
            schedule_date_texts(text)
            for part in self.parts
            for text in part.facts.get("schedules", ())
        ]
        return resolve_dates(
            spans[0],
            parts=filter(any, [*spans[1:], *schedules]),
            today=self.findings.today,
            month_first=True,
        )

    def _dated(self, facts: Mapping[str, Any], place: Place) -> dict[str, Any]:
        """Return the fields with dates instead of texts; ask about unclear ones."""
        dated = {key: value for key, value in facts.items() if value is not None}
        for name in [name for name in ("starts", "ends") if name in dated]:
            where = replace(place, field=name)
            self.days.report_if_ambiguous(self.findings, where, dated[name])
            dated[name] = self.days.day(dated[name])
        for text in dated.get("schedules", ()):
            for day in schedule_date_texts(text):
                where = replace(place, field="schedules")
                self.days.report_if_ambiguous(self.findings, where, day)
        if "schedules" in dated:
            read = (parse_schedule(text, self.days.day) for text in dated["schedules"])
            dated["schedules"] = tuple(read)
        return dated

    def _report_lost_rows(self) -> None:
        for grid, row in self.lost_rows:
            shown = " ".join(row.filled)[:60]
            self._report("table.row_left_out/results", grid, row, None, row=shown)

    def _report_question(self, question: ColumnQuestion) -> None:
        place = Place(file=self.questions[0][0].file)
        values = {
            "place": question.place,
            "listed": translatable_list(question.missing),
        }
        self.findings.add("table.columns_unknown", place, **values)

    def _sections(self) -> Iterable[ReportedSection]:
        entries = number = 0
        self._decide_dialect()
        for part in self.parts:
            for table, name in _split_by_section(part):
                number += 1
                section = self._section(part, table, name, number)
                entries += len(section.entries)
                if number > MAX_SECTIONS or entries > MAX_RECORDS:
                    limits = {"max_sections": MAX_SECTIONS, "max_records": MAX_RECORDS}
                    place = Place(file=table.grid.file)
                    self.findings.add("table.too_large", place, **limits)
                    return
                yield section

    def _decide_dialect(self) -> None:
        """Decide the dialect of all results, and name it in a note."""
        self.dialect = dialect_of(
            row.cell(column)
            for part in self.parts
            for column in result_columns(part.headings).values()
            for row in part.rows
        )
        if self.dialect.note:
            name = f"table.dialect/{self.dialect.note}"
            self.findings.add(name, Place(file=next(iter(self.files), "")))

    def _section(
        self, part: _SectionTable, table: Table, name: str, number: int
    ) -> ReportedSection:
        rounds = part.facts.get("rounds") or 0
        reading = _entry_reader(table, self.findings, self.dialect, rounds)
        entries = reading.entries()
        facts = {
            "number": number,
            "name": name,
            "rounds": reading.round_count or None,
            "last_pairing_number": _highest(entries),
        }
        kind: dict[str, Any] = {}
        if isinstance(reading, ScoreTable):
            kind["kind_letter"] = reading.kind_letter
        dated = self._dated(
            part.facts, Place(section=part.facts.get("number") or number)
        )
        section = ReportedSection(
            **{**facts, **dated, **kind, "entries": tuple(entries)}
        )
        return replace(section, name=name) if name else section


def _span(facts: Mapping[str, Any]) -> list[str]:
    return [facts.get(name) or "" for name in ("starts", "ends")]


def _entry_reader(
    table: Table, findings: Collector, dialect: Dialect, rounds: int
) -> Crosstable | GameList:
    if is_game_list(table.headings):
        return GameList(table, findings)
    if own_columns(table):
        return ScoreTable(table, findings, dialect)
    return Crosstable(table, findings, dialect, rounds)


def _highest(entries: Sequence[ReportedEntry]) -> int | None:
    return max((entry.pairing_number for entry in entries), default=None)


def _split_by_section(part: _SectionTable) -> Iterable[tuple[Table, str]]:
    """Yield the part's table, split up if a column names sections."""
    assert part.grid is not None  # noqa: S101 - a part starts with its grid
    table = Table(part.grid, part.headings, tuple(part.rows))
    if table.column(Column.SECTION) < 0:
        yield table, ""
        return
    groups: dict[str, list[TableRow]] = {}
    for row in part.rows:
        groups.setdefault(table.text(row, Column.SECTION), []).append(row)
    for name, rows in groups.items():
        yield replace(table, rows=tuple(rows)), name[:60]


def _is_heading(row: TableRow) -> bool:
    headings = parse_headings(row.cells)
    return not missing_columns(headings)


def _is_entry(table: Table, row: TableRow) -> bool:
    """Return whether a row that looks like a heading or a field is a player's.

    A player's name may be "Id" or "To", in a row with a number and results.
    """
    columns = result_columns(table.headings).values()
    results = [parse_result(row.cell(index)) for index in columns]
    if any(result.opponent and result.code in _GAMES for result in results):
        return True
    is_numbered = parse_whole_number(table.text(row, Column.NUMBER)) is not None
    filled = any(row.cell(index) for index in columns)
    return is_numbered and filled and not any(result.raw for result in results)


def _continues_table(table: Table, row: TableRow) -> bool:
    """Return whether a row after a field still belongs to the *table* before it."""
    number = table.text(row, Column.NUMBER) or table.text(row, Column.RANK)
    number = number or table.text(row, Column.ROUND)
    if row.holds_results or (
        parse_whole_number(number) is not None and len(row.filled) > 2
    ):
        return True
    texts = [row.cell(index) for index in result_columns(table.headings).values()]
    has_result = any(parse_result(text).code or is_score(text) for text in texts)
    return has_result and len(row.filled) > sum(map(bool, texts))


def _known_headings(row: TableRow) -> int:
    return sum(heading.column is not None for heading in parse_headings(row.cells))


def _question(grid: Grid, row: TableRow) -> ColumnQuestion:
    width = len(row.cells)
    headings = parse_headings(row.cells)
    after = [other for other in grid.rows if other.number > row.number]
    samples = [other for other in after if not other.is_blank][:_SAMPLES]
    return ColumnQuestion(
        place=grid.row_label(row),
        missing=tuple(missing_columns(headings)),
        headings=row.cells,
        guesses=tuple(
            heading.column or _guess([sample.cell(index) for sample in samples])
            for index, heading in enumerate(headings)
        ),
        samples=tuple(
            tuple(sample.cell(index) for index in range(width)) for sample in samples
        ),
        headed=not any(_guess([text]) for text in row.cells),
    )


def _guess(texts: Sequence[str]) -> Column | None:
    """Guess the column of member IDs or results from their texts."""
    if all(MEMBER_ID.whole.fullmatch(text) for text in texts):
        return Column.MEMBER_ID if texts else None
    cells = [parse_result(text) for text in texts]
    is_result = all(cell.code and not cell.raw for cell in cells)
    return Column.ROUND_RESULT if is_result and any(c.opponent for c in cells) else None


def answer_problem(answer: ColumnAnswer) -> str:
    """Return what is missing in an answer, in words; "" if the table can be read."""
    headings = answer.headings()
    if missing := missing_columns(headings):
        return translatable(
            "Choose a column for these: {listed}.", listed=translatable_list(missing)
        )
    columns = [heading.column for heading in headings]
    for column in set(columns) - {None, Column.ROUND_RESULT}:
        if columns.count(column) > 1:
            return translatable(
                "Two columns have the same meaning. Only results can repeat."
            )
    return (
        ""
        if is_game_list(headings) or result_columns(headings)
        else translatable("No results.")
    )
