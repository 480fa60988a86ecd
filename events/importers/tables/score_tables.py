"""Round robins with points: the columns are opponents, the cells 1, ½ and 0.

A double round robin has two games in each cell, such as "1½".
"""

from __future__ import annotations

from collections.abc import Sequence

from events.importers.findings import Collector
from events.importers.records import BLANK, Cell
from events.importers.round_robin import meeting, rounds_for
from events.importers.tables.crosstables import (
    LONGEST_RAW,
    Crosstable,
    Table,
    result_columns,
)
from events.importers.tables.european import Dialect
from events.importers.tables.grids import TableRow
from events.importers.tables.results import read_result
from events.importers.tables.score_lines import (
    FEWEST_PLAYERS,
    games_in,
    is_nobody,
    is_score,
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
        points += sum(map(is_score, texts)) - len(found)
        others += sum(read_result(text).opponent is not None for text in texts)
    is_whole = len(set(own.values())) == len(columns)
    return own if is_whole and points > 2 * others else {}


def _may_be_own(text: str) -> bool:
    return is_nobody(text) or not text.strip("-–— ")


class ScoreTable(Crosstable):
    """Reads a round robin; the players' numbers are their columns.

    Of one game each, the columns are the opponents, as such reports have it. Where a
    cell holds two games, each half is laid out in rounds, for a second column against
    the same opponent has no place among opponents.
    """

    def __init__(self, table: Table, findings: Collector, dialect: Dialect) -> None:
        super().__init__(table, findings, dialect)
        self.columns = [*self.rounds.values()]
        self.own = own_columns(table)
        self.rows = {column: row for row, column in self.own.items()}
        self.is_double = any(
            len(games_in(row.cell(index))) == 2
            for row in self.own
            for index in self.columns
        )

    @property
    def kind_letter(self) -> str:
        return "D" if self.is_double else "R"

    @property
    def round_count(self) -> int:
        players = len(self.columns)
        return 2 * rounds_for(players) if self.is_double else players

    def _numbers(
        self, rows: Sequence[TableRow], cells: Sequence[tuple[Cell, ...]]
    ) -> list[int]:
        return [self.own.get(row, -1) + 1 for row in rows]

    def _cells(self, row: TableRow) -> tuple[Cell, ...]:
        columns = range(len(self.columns))
        if not self.is_double:
            return tuple(self._score(row, column) for column in columns)
        # Of an odd number somebody is idle in each round.
        own, cells = self.own.get(row), [Cell("U")] * self.round_count
        for column in columns:
            if own is not None and column != own:
                at = meeting(own + 1, column + 1, len(columns)).round_number - 1
                second = at + self.round_count // 2
                cells[at], cells[second] = self._two_scores(row, column)
        return tuple(cells)

    def _two_scores(self, row: TableRow, column: int) -> tuple[Cell, Cell]:
        """Return both games of a cell; what is not two games holds the report up."""
        text = row.cell(self.columns[column])
        if not text:
            return BLANK, BLANK
        codes = games_in(text)
        if len(codes) == 2:
            first, second = (Cell(code, column + 1) for code in codes)
            return first, second
        self._tell_no_result(row, self.columns[column])
        return Cell(raw=text[:LONGEST_RAW].strip()), BLANK

    def _score(self, row: TableRow, column: int) -> Cell:
        text = row.cell(self.columns[column])
        own = self.own.get(row)
        if not text or column == own:
            return BLANK
        codes = games_in(text)
        if not codes:
            self._tell_no_result(row, self.columns[column])
            return Cell(raw=text[:LONGEST_RAW].strip())
        [code] = codes
        if code == "F" and own is not None:
            answer = self.rows[column].cell(self.columns[own])
            code = "Z" if games_in(answer) == ("F",) else "F"
        return Cell(code, column + 1)
