"""Round robins with points: the columns are opponents, the cells 1, ½ and 0."""

from __future__ import annotations

from collections.abc import Sequence

from events.importers.findings import Collector
from events.importers.records import BLANK, Cell
from events.importers.tables.crosstables import (
    LONGEST_RAW,
    Crosstable,
    Table,
    result_columns,
)
from events.importers.tables.grids import TableRow
from events.importers.tables.results import read_result
from events.importers.tables.score_lines import (
    FEWEST_PLAYERS,
    POINTS,
    is_nobody,
    is_points,
)


def own_columns(table: Table) -> dict[TableRow, int]:
    """Return the column of each player of a table by opponents; nothing for others.

    There a row says "X" in one column, the player's own, and mostly points in the rest.
    """
    columns = [*result_columns(table.headings).values()]
    rows = [row for row in table.rows if any(row.cell(index) for index in columns)]
    if len(rows) != len(columns) or len(rows) < FEWEST_PLAYERS:
        return {}
    own: dict[TableRow, int] = {}
    points = others = 0
    for place, row in enumerate(rows):
        texts = [row.cell(index) for index in columns]
        found = [column for column, text in enumerate(texts) if is_nobody(text)]
        column = found[0] if len(found) == 1 else place
        if column >= len(columns) or not _may_be_own(texts[column]):
            return {}
        own[row] = column
        points += sum(map(is_points, texts)) - len(found)
        others += sum(read_result(text).opponent is not None for text in texts)
    is_whole = len(set(own.values())) == len(columns)
    return own if is_whole and points > 2 * others else {}


def _may_be_own(text: str) -> bool:
    return is_nobody(text) or not text.strip("-–— ")


class ScoreTable(Crosstable):
    """Reads a round robin of one game each; the players' numbers are their columns."""

    def __init__(self, table: Table, findings: Collector) -> None:
        super().__init__(table, findings)
        self.columns = [*self.rounds.values()]
        self.own = own_columns(table)
        self.rows = {column: row for row, column in self.own.items()}

    @property
    def round_count(self) -> int:
        return len(self.columns)

    def _numbers(
        self, rows: Sequence[TableRow], cells: Sequence[tuple[Cell, ...]]
    ) -> list[int]:
        return [self.own.get(row, -1) + 1 for row in rows]

    def _cells(self, row: TableRow) -> tuple[Cell, ...]:
        return tuple(self._score(row, column) for column in range(len(self.columns)))

    def _score(self, row: TableRow, column: int) -> Cell:
        text = row.cell(self.columns[column])
        own = self.own.get(row)
        if not text or column == own:
            return BLANK
        code = POINTS.get(text.upper())
        if code is None:
            self._tell_no_result(row, self.columns[column])
            return Cell(raw=text[:LONGEST_RAW].strip())
        if code == "F" and own is not None:
            answer = self.rows[column].cell(self.columns[own])
            code = "Z" if POINTS.get(answer) == "F" else "F"
        return Cell(code, column + 1)
