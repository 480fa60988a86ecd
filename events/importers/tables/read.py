"""Crosstables and game lists, from CSV, spreadsheets or pasted text, as a report.

Headings are recognized in many spellings. Where a needed column is not recognized, the
answer holds a question instead of entries: which column is which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from events.importers.days import choose_days
from events.importers.dbf.layout_2c import MAX_SECTIONS
from events.importers.dbf.tables import MAX_RECORDS
from events.importers.findings import Collector, Place
from events.importers.records import ReportedEntry, ReportedEvent, ReportedSection
from events.importers.sentences import said_by, say, say_day, say_list
from events.importers.tables.crosstables import (
    Crosstable,
    Table,
    result_columns,
    tell,
    whole,
)
from events.importers.tables.european import Dialect, dialect_of
from events.importers.tables.facts import (
    TELLS_EVENTS_APART,
    Fact,
    facts_in,
    label_and_value,
)
from events.importers.tables.game_lists import GameList
from events.importers.tables.grids import (
    Grid,
    TableRow,
    UnreadableTable,
    grids_of,
    looks_like_text,
    looks_like_xlsx,
)
from events.importers.tables.headings import (
    Column,
    Heading,
    heading_of,
    headings_of,
    is_game_list,
    missing_columns,
)
from events.importers.tables.results import read_result
from events.importers.tables.score_lines import is_score
from events.importers.tables.score_tables import ScoreTable, own_columns

PASTED = "pasted.txt"

_GAMES = "WLDXF"
_SAMPLES = 3
_HEADING_WITHIN = 40
_FEWEST_COLUMNS = 3
_TABLE_NAMES = (".csv", ".tsv", ".xlsx", PASTED)


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """A table whose columns are not all known: what its form has to show."""

    place: str
    missing: tuple[str, ...]
    headings: tuple[str, ...]
    guesses: tuple[Column | None, ...]
    samples: tuple[tuple[str, ...], ...]
    headed: bool


@dataclass(frozen=True, slots=True)
class ColumnAnswer:
    """What each column of such a table holds, "" for nothing of use.

    ``headed`` is False where the first row shown is a player's or a game's already.
    """

    meanings: tuple[str, ...]
    headed: bool = True

    def headings(self, texts: Sequence[str] = ()) -> tuple[Heading, ...]:
        """Return what each column holds; *texts* may tell the rounds' numbers."""
        rounds = [heading_of(text).round_number for text in texts]
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
class TablesRead:
    """The report, the files it came from with their rows, and perhaps a question."""

    reported: ReportedEvent | None
    files: tuple[tuple[str, int], ...] = ()
    question: ColumnQuestion | None = None


def read_tables(
    contents: Sequence[tuple[str, bytes]],
    findings: Collector,
    answer: ColumnAnswer | None = None,
) -> TablesRead | None:
    """Return what the tables among *contents* say, None if there is none."""
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
        name = "table.not_found" + _pasted(claimed[0])
        findings.add(name, Place(file=claimed[0]), name=claimed[0])
    return TablesRead(None)


def _pasted(name: str) -> str:
    """Return what a finding's name ends with if no file is meant."""
    return "/pasted" if name == PASTED else ""


@dataclass(slots=True)
class _Part:
    """One section under way: what is said of it, and its table."""

    facts: dict[str, Any] = field(default_factory=dict)
    grid: Grid | None = None
    headings: tuple[Heading, ...] = ()
    begins: int = 0
    rows: list[TableRow] = field(default_factory=list)
    numbers: set[int | None] = field(default_factory=set)
    met: set[int | None] = field(default_factory=set)  # opponents' numbers

    def add(self, table: Table, row: TableRow) -> None:
        self.rows.append(row)
        self.numbers.add(whole(table.text(row, Column.NUMBER)))
        columns = result_columns(table.headings).values()
        self.met |= {read_result(row.cell(column)).opponent for column in columns}

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """Take in what is said between or below the rows; what is above them counts."""
        self.facts = {**facts, **self.facts}


class _Reader:
    def __init__(self, findings: Collector, answer: ColumnAnswer | None) -> None:
        self.findings = findings
        self.answer = answer
        self.event: dict[str, Any] = {"send_crosstable": "N"}
        self.day_texts = {"starts": "", "ends": ""}
        self.parts: list[_Part] = []
        self.pending = _Part()
        self.questions: list[tuple[Grid, TableRow]] = []
        # Rows with results that no table could take in.
        self.lost: list[tuple[Grid, TableRow]] = []
        self.files: dict[str, int] = {}
        # What tells events apart, and the file that stated it first.
        self.stated: dict[str, tuple[str, Any]] = {}
        self.refused = False
        self.dialect = Dialect()

    def read_file(self, name: str, data: bytes, *, is_table: bool) -> None:
        try:
            grids = grids_of(name, data)
        except UnreadableTable as reason:
            self.refused = is_table or self.refused
            if is_table:
                self.findings.add(
                    "table.unreadable" + _pasted(name),
                    Place(file=name),
                    name=name,
                    reason=said_by(reason),
                )
            return
        for grid in grids:
            if grid.is_hidden:
                place = Place(file=name, field=grid.sheet)
                self.findings.add("table.hidden_sheet", place, name=grid.sheet)
            else:
                self._read_grid(grid)

    def _read_grid(self, grid: Grid) -> None:
        before = len(self.parts)
        asked = self._asked(grid)
        if asked is not None and self.answer is None:
            self.questions.append((grid, asked))
        for row in grid.rows:
            if row is asked and self.answer is not None:
                self._begin(grid, row, self.answer.headings(row.cells))
                if not self.answer.headed:
                    self.parts[-1].rows.append(row)
            elif not row.blank:
                self._row(grid, row)
        if len(self.parts) > before:
            self.files[grid.file] = self.files.get(grid.file, 0) + len(grid.rows)
            self._tell_doubts(grid, self.parts[before].begins)
            self.parts[-1].add_facts(self._pending_facts())

    def _asked(self, grid: Grid) -> TableRow | None:
        """Return the row that is likeliest the heading, if none can be used as one."""
        if any(_is_heading(row) for row in grid.rows):
            return None
        wide = [row for row in grid.rows if len(row.filled) >= _FEWEST_COLUMNS]
        if len(wide) < 2:
            return None
        return max(wide[:_HEADING_WITHIN], key=_known_headings)

    def _begin(self, grid: Grid, row: TableRow, headings: tuple[Heading, ...]) -> None:
        part, self.pending = self.pending, _Part()
        part.grid, part.headings, part.begins = grid, headings, row.number
        if grid.sheet:
            part.facts.setdefault("name", grid.sheet.removeprefix("sheet "))
        self.parts.append(part)

    def _row(self, grid: Grid, row: TableRow) -> None:
        """Take in a row: a player's first of all, so that no line swallows one."""
        if row.rest:
            name = "table.row_left_out/rest"
            tell(self.findings, name, grid, row, None, row=row.rest)
        table = self._under_way(grid)
        if table and _is_entry(table, row):
            self._add(table, row)
        elif self._fact(grid, row):
            return
        elif _is_heading(row):
            self._begin(grid, row, headings_of(row.cells))
            self._tell_repeated(grid, row)
        elif table and (not self.pending.facts or _goes_on(table, row)):
            self._add(table, row)
        elif row.holds_results:
            self.lost.append((grid, row))

    def _under_way(self, grid: Grid) -> Table | None:
        """Return the last table of the *grid* so far, None if there is none."""
        if not self.parts or self.parts[-1].grid is not grid:
            return None
        return Table(grid, self.parts[-1].headings, ())

    def _add(self, table: Table, row: TableRow) -> None:
        """Add a row to the last part, or to a new one if a section was named."""
        part = self.parts[-1]
        if self.pending.facts:
            if self._is_of_next_section(part, table, row):
                self._begin(table.grid, row, part.headings)
            else:
                part.add_facts(self._pending_facts())
        self.parts[-1].add(table, row)

    def _is_of_next_section(self, part: _Part, table: Table, row: TableRow) -> bool:
        """Whether a section was named, and not one whose players go on meeting."""
        named = self.pending.facts.get("name")
        if not named or named == part.facts.get("name"):
            return False
        starts_over = whole(table.text(row, Column.NUMBER)) in part.numbers
        return starts_over or (bool(part.rows) and part.met <= {None, *part.numbers})

    def _pending_facts(self) -> dict[str, Any]:
        facts, self.pending.facts = self.pending.facts, {}
        return facts

    def _tell_repeated(self, grid: Grid, row: TableRow) -> None:
        seen: set[Heading] = set()
        for index, heading in enumerate(self.parts[-1].headings):
            if heading.column is not None and heading in seen:
                tell(
                    self.findings,
                    "table.column_twice",
                    grid,
                    row,
                    index,
                    column=row.cell(index)[:40],
                )
            seen.add(heading)

    def _fact(self, grid: Grid, row: TableRow) -> bool:
        """Take in a line that says something of the event or of the next section."""
        facts = facts_in(*label_and_value(row.cells))
        for meaning, of_section, value in facts:
            self._take_in(grid, row, meaning, of_section=of_section, value=value)
        return bool(facts)

    def _take_in(
        self, grid: Grid, row: TableRow, meaning: Fact, *, of_section: bool, value: str
    ) -> None:
        facts = self.pending.facts if of_section else self.event
        try:
            told = meaning.read(value)
            before = facts.get(meaning.field, ())
            if not of_section and meaning.field in TELLS_EVENTS_APART:
                self._tell_other_event(grid, meaning, told)
            facts[meaning.field] = (*before, told) if meaning.repeats else told
            if not of_section and meaning.field in self.day_texts:
                self.day_texts[meaning.field] = value
        except ValueError:
            tell(
                self.findings,
                "table.fact_unreadable",
                grid,
                row,
                1,
                written=value[:40],
                label=say(meaning.label),
            )

    def _tell_other_event(self, grid: Grid, meaning: Fact, told: Any) -> None:
        """Say that a file states the event otherwise than a file before it did."""
        file, before = self.stated.setdefault(meaning.field, (grid.file, told))
        if file != grid.file and told and told != before:
            self.findings.add(
                "file.other_event",
                Place(file=grid.file, field=meaning.field),
                name=grid.file,
                label=say(meaning.label),
                told=told,
                before=before,
            )

    def _tell_doubts(self, grid: Grid, begins: int) -> None:
        """Say what is odd, but not of a title above the tables."""
        for row, finding in grid.doubts:
            if row >= begins or not grid.is_spreadsheet:
                self.findings.take(finding)

    def result(self) -> TablesRead:
        question = None
        if self.questions and not self.parts:
            question = _question(*self.questions[0])
            self._tell_question(question)
        else:
            self._tell_lost()
        sections = list(self._sections()) if self.parts else []
        facts = {**self.event, **self._days(), "sections": tuple(sections)}
        report = ReportedEvent(**facts, total_sections=len(sections))
        files = tuple(self.files.items()) or tuple(
            (grid.file, len(grid.rows)) for grid, _ in self.questions
        )
        return TablesRead(report, files, question)

    def _days(self) -> dict[str, date]:
        """Return the event's days in the one order of their parts that fits best.

        Americans put the month first, so only an event of more than a week, or a year
        of two digits, leaves a doubt.
        """
        texts = list(self.day_texts.values())
        chosen = choose_days(texts, today=self.findings.today)
        known = [day for day in chosen.days if day]
        is_long = known and max(known) - min(known) > timedelta(days=7)
        for name, text, day, other in zip(
            self.day_texts, texts, chosen.days, chosen.others or (), strict=False
        ):
            is_doubtful = is_long or not re.search("[0-9]{4}", text)
            if day and other and day != other and is_doubtful:
                self.findings.add(
                    "value.date_spelling/unclear_text",
                    Place(field=name),
                    written=text,
                    day=say_day(day),
                    other=say_day(other),
                )
        days = zip(self.day_texts, chosen.days, strict=True)
        return {field: day for field, day in days if day}

    def _tell_lost(self) -> None:
        for grid, row in self.lost:
            shown = " ".join(row.filled)[:60]
            name = "table.row_left_out/results"
            tell(self.findings, name, grid, row, None, row=shown)

    def _tell_question(self, question: ColumnQuestion) -> None:
        self.findings.add(
            "table.columns_unknown",
            Place(file=self.questions[0][0].file),
            place=question.place,
            listed=say_list(question.missing),
        )

    def _sections(self) -> Iterable[ReportedSection]:
        entries = number = 0
        self._decide_dialect()
        for part in self.parts:
            for table, name in _by_section(part):
                number += 1
                section = self._section(part, table, name, number)
                entries += len(section.entries)
                if number > MAX_SECTIONS or entries > MAX_RECORDS:
                    self.findings.add(
                        "table.too_large",
                        Place(file=table.grid.file),
                        max_sections=MAX_SECTIONS,
                        max_records=MAX_RECORDS,
                    )
                    return
                yield section

    def _decide_dialect(self) -> None:
        """Decide how the results of all tables are spelled, and name it in a note."""
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
        self, part: _Part, table: Table, name: str, number: int
    ) -> ReportedSection:
        reading = _reading(table, self.findings, self.dialect)
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
        said = {key: value for key, value in part.facts.items() if value is not None}
        section = ReportedSection(
            **{**facts, **said, **kind, "entries": tuple(entries)}
        )
        return replace(section, name=name) if name else section


def _reading(
    table: Table, findings: Collector, dialect: Dialect
) -> Crosstable | GameList:
    if is_game_list(table.headings):
        return GameList(table, findings)
    if own_columns(table):
        return ScoreTable(table, findings, dialect)
    return Crosstable(table, findings, dialect)


def _highest(entries: Sequence[ReportedEntry]) -> int | None:
    return max((entry.pairing_number for entry in entries), default=None)


def _by_section(part: _Part) -> Iterable[tuple[Table, str]]:
    """Yield the part's table, taken apart if a column names sections."""
    assert part.grid is not None  # noqa: S101 - a part is begun with its grid
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
    headings = headings_of(row.cells)
    return not missing_columns(headings)


def _is_entry(table: Table, row: TableRow) -> bool:
    """Whether a row with words of a heading or of a fact is a player of the *table*.

    Somebody may be called "Id" or "To"; under a number and beside results it is a name.
    """
    columns = result_columns(table.headings).values()
    results = [read_result(row.cell(index)) for index in columns]
    if any(result.opponent and result.code in _GAMES for result in results):
        return True
    is_numbered = whole(table.text(row, Column.NUMBER)) is not None
    filled = any(row.cell(index) for index in columns)
    return is_numbered and filled and not any(result.raw for result in results)


def _goes_on(table: Table, row: TableRow) -> bool:
    """Whether a row behind a fact still belongs to the *table* before it."""
    number = table.text(row, Column.NUMBER) or table.text(row, Column.RANK)
    number = number or table.text(row, Column.ROUND)
    if row.holds_results or (whole(number) is not None and len(row.filled) > 2):
        return True
    texts = [row.cell(index) for index in result_columns(table.headings).values()]
    held = any(read_result(text).code or is_score(text) for text in texts)
    return held and len(row.filled) > sum(map(bool, texts))


def _known_headings(row: TableRow) -> int:
    return sum(heading.column is not None for heading in headings_of(row.cells))


def _question(grid: Grid, row: TableRow) -> ColumnQuestion:
    width = len(row.cells)
    headings = headings_of(row.cells)
    after = [other for other in grid.rows if other.number > row.number]
    samples = [other for other in after if not other.blank][:_SAMPLES]
    return ColumnQuestion(
        place=grid.row_said(row),
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
    """Tell member IDs and results by what they look like."""
    if all(re.fullmatch("[1-9][0-9]{7}", text, re.ASCII) for text in texts):
        return Column.MEMBER_ID if texts else None
    cells = [read_result(text) for text in texts]
    is_result = all(cell.code and not cell.raw for cell in cells)
    return Column.ROUND_RESULT if is_result and any(c.opponent for c in cells) else None


def answer_problem(answer: ColumnAnswer) -> str:
    """Say in words what an answer still lacks, "" if the table can be read with it."""
    headings = answer.headings()
    if missing := missing_columns(headings):
        return say("No column is chosen for these: {listed}.", listed=say_list(missing))
    columns = [heading.column for heading in headings]
    for column in set(columns) - {None, Column.ROUND_RESULT}:
        if columns.count(column) > 1:
            return say("Two columns have the same meaning; only results may repeat.")
    return (
        "" if is_game_list(headings) or result_columns(headings) else say("No results.")
    )
