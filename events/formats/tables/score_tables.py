"""Round robins with points: the columns are opponents, the cells 1, ½ and 0.

A double round robin has two games in each cell, such as "1½".
"""

from __future__ import annotations

from collections.abc import Sequence

from events.formats.findings import Collector
from events.formats.report import BLANK, Cell
from events.formats.round_robin import round_robin_rounds, scheduled_game
from events.formats.tables.crosstables import (
    MAX_RAW_LENGTH,
    Crosstable,
    Table,
    result_columns,
)
from events.formats.tables.dialects import Dialect
from events.formats.tables.grids import TableRow
from events.formats.tables.results import parse_result
from events.formats.tables.score_lines import (
    MIN_PLAYERS,
    is_own_cell,
    is_score,
    score_codes,
)


def own_columns(table: Table) -> dict[TableRow, int]:
    """Return the column of each player of a table by opponents; none for others.

    A row there has "X" in one column, the player's own, and mostly points in the rest.
    """
    columns = [*result_columns(table.headings).values()]
    rows = [row for row in table.rows if any(row.cell(index) for index in columns)]
    if len(rows) != len(columns) or len(rows) < MIN_PLAYERS:
        return {}
    own: dict[TableRow, int] = {}
    points = others = 0
    for place, row in enumerate(rows):
        texts = [row.cell(index) for index in columns]
        marked = [column for column, text in enumerate(texts) if is_own_cell(text)]
        column = marked[0] if len(marked) == 1 else place
        if column >= len(columns) or not _can_be_own_cell(texts[column]):
            return {}
        own[row] = column
        points += sum(map(is_score, texts)) - len(marked)
        others += sum(parse_result(text).opponent is not None for text in texts)
    is_whole = len(set(own.values())) == len(columns)
    return own if is_whole and points > 2 * others else {}


def _can_be_own_cell(text: str) -> bool:
    return is_own_cell(text) or not text.strip("-–— ")


class ScoreTable(Crosstable):
    """Reads a round robin; the players' numbers are their columns.

    With one game in a cell, the columns of the report are the opponents. With two, both
    halves are laid out in rounds, because the report cannot have two columns for one
    opponent.
    """

    def __init__(self, table: Table, findings: Collector, dialect: Dialect) -> None:
        super().__init__(table, findings, dialect)
        self.columns = [*self.rounds.values()]
        self.own = own_columns(table)
        self.rows = {column: row for row, column in self.own.items()}
        self.is_double = any(
            len(score_codes(row.cell(index))) == 2
            for row in self.own
            for index in self.columns
        )

    @property
    def kind_letter(self) -> str:
        return "D" if self.is_double else "R"

    @property
    def round_count(self) -> int:
        players = len(self.columns)
        return 2 * round_robin_rounds(players) if self.is_double else players

    def _numbers(
        self, rows: Sequence[TableRow], cells: Sequence[tuple[Cell, ...]]
    ) -> list[int]:
        return [self.own.get(row, -1) + 1 for row in rows]

    def _cells(self, row: TableRow) -> tuple[Cell, ...]:
        columns = range(len(self.columns))
        if not self.is_double:
            return tuple(self._score(row, column) for column in columns)
        # With an odd number, one player is idle in each round.
        own, cells = self.own.get(row), [Cell("U")] * self.round_count
        for column in columns:
            if own is not None and column != own:
                at = scheduled_game(own + 1, column + 1, len(columns)).round_number - 1
                second = at + self.round_count // 2
                cells[at], cells[second] = self._two_scores(row, column)
        return tuple(cells)

    def _two_scores(self, row: TableRow, column: int) -> tuple[Cell, Cell]:
        """Return both games of a cell; anything else blocks the report."""
        text = row.cell(self.columns[column])
        if not text:
            return BLANK, BLANK
        codes = score_codes(text)
        if len(codes) == 2:
            first, second = (Cell(code, column + 1) for code in codes)
            return first, second
        self._report_unreadable_result(row, self.columns[column])
        return Cell(raw=text[:MAX_RAW_LENGTH].strip()), BLANK

    def _score(self, row: TableRow, column: int) -> Cell:
        text = row.cell(self.columns[column])
        own = self.own.get(row)
        if not text or column == own:
            return BLANK
        codes = score_codes(text)
        if not codes:
            self._report_unreadable_result(row, self.columns[column])
            return Cell(raw=text[:MAX_RAW_LENGTH].strip())
        [code] = codes
        if code == "F" and own is not None:
            answer = self.rows[column].cell(self.columns[own])
            code = "Z" if score_codes(answer) == ("F",) else "F"
        return Cell(code, column + 1)
