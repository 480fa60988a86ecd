"""Find the numbers that identify opponents: those with which results mirror."""

from __future__ import annotations

from collections.abc import Sequence

from events.formats.report import BLANK, Cell
from events.formats.result_codes import OTHER_COLOR, SINGLE


def count_mirrored(numbers: Sequence[int], rows: Sequence[Sequence[Cell]]) -> int:
    """Return how many cells the opponents' cells confirm, if players have *numbers*.

    >>> from events.formats.report import parse_cell
    >>> rows = [[parse_cell("W7")], [parse_cell("L4")]]
    >>> count_mirrored([4, 7], rows), count_mirrored([1, 2], rows)
    (2, 0)
    """
    by_number = dict(zip(reversed(numbers), reversed(rows), strict=True))
    return sum(
        _confirms(_at(by_number.get(cell.opponent, ()), column), cell, number)
        for number, row in zip(numbers, rows, strict=True)
        for column, cell in enumerate(row)
        if cell.opponent is not None
    )


def _at(row: Sequence[Cell], column: int) -> Cell:
    return row[column] if column < len(row) else BLANK


def _confirms(answer: Cell, cell: Cell, number: int) -> bool:
    code = SINGLE.get(cell.code)
    return (
        answer.opponent == number
        and code is not None
        and answer.code in code.mirrors
        and (not answer.color or OTHER_COLOR[answer.color] == cell.color)
    )
