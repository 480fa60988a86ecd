"""Charts whose columns bars part: one line a player, or two as the federation prints.

In the second kind number, name, total and results stand above; state, member ID,
ratings and colors below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from events.importers.tables.charts import (
    MEMBER_ID,
    RULE,
    ChartLine,
    ChartPlayer,
    Item,
    labeled,
    under_headings,
)
from events.importers.tables.headings import Column, heading_of
from events.importers.tables.results import read_result
from events.importers.tables.wall_charts import holds_results

_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
_TOTAL = re.compile(r"[0-9]{1,2}(?:[.,][05]|½)?|½", re.ASCII)
_RATING = re.compile(r"R:\s*([0-9]{3,4})", re.ASCII)
_RATING_AFTER = re.compile(r"R:[^>]*->\s*([0-9]{3,4})", re.ASCII)
# Where somebody has ratings in several systems, each has a line of its own.
_OTHER_RATING = re.compile(r"\s*[A-Z]{1,2}:.*->")
_NOTHING = ChartLine(0, ())


def looks_barred(lines: Sequence[str]) -> bool:
    return sum(line.count("|") > 2 for line in lines) > 1


def barred_lines(lines: Sequence[str]) -> Iterator[ChartLine]:
    """Yield the rows of a table drawn with bars; two lines of a player become one."""
    rows = [
        _barred(number, line)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not RULE.fullmatch(line)
    ]
    if any(_is_player(above) and _is_below(below) for above, below in pairwise(rows)):
        return under_headings([*_of_two_lines(rows)])
    return iter(rows)


def _barred(number: int, line: str) -> ChartLine:
    cells, starts, at = [], [], 0
    for piece in line.split("|"):
        cells.append(piece.strip())
        starts.append(at + len(piece) - len(piece.lstrip()) + 1)
        at += len(piece) + 1
    if len(cells) > 1 and line.lstrip().startswith("|"):
        del cells[0], starts[0]
    if len(cells) > 1 and line.rstrip().endswith("|"):
        del cells[-1], starts[-1]
    return ChartLine(number, cells, starts)


def _of_two_lines(rows: Sequence[ChartLine]) -> Iterator[Item]:
    """Yield the players, and what else stands between them."""
    joined = False
    for row, following in zip(rows, [*rows[1:], _NOTHING], strict=True):
        is_joined, joined = joined, False
        if _is_player(row):
            joined = _is_below(following)
            yield _player(row, following if joined else _NOTHING)
        elif len(row.cells) == 1:
            yield labeled(row.number, row.cells[0])
        elif not is_joined and not _is_expected(row):
            yield ChartLine(row.number, ("  ".join(row.cells).strip(),))


def _is_player(row: ChartLine) -> bool:
    """Whether somebody's results stand here, or at least number and name."""
    if any(read_result(cell).opponent for cell in row.cells[2:]):
        return True
    numbered = len(row.cells) > 3 and _NUMBER.fullmatch(row.cells[0]) is not None
    return numbered and _knows_letters(row.cells[1])


def _knows_letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _is_below(row: ChartLine) -> bool:
    return (
        len(row.cells) > 1
        and not row.cells[0].isdigit()
        and MEMBER_ID.search(row.cells[1]) is not None
        and not _is_player(row)
    )


def _is_expected(row: ChartLine) -> bool:
    """Whether the line is a heading, or tells of a rating in another system."""
    is_heading = heading_of(row.cells[0]).column is Column.NUMBER
    return is_heading or _OTHER_RATING.match(row.cells[1]) is not None


def _player(row: ChartLine, below: ChartLine) -> ChartPlayer:
    first = _first_result(row.cells)
    results = row.cells[first:]
    if len(below.cells) == len(row.cells):
        results = [
            f"{result}{color}" if _has_color(result, color) else result
            for result, color in zip(results, below.cells[first:], strict=True)
        ]
    state, about, *_ = (*below.cells, "", "")
    head = {
        "No.": row.cells[0],
        "Member ID": _found(MEMBER_ID, about),
        "Name": row.cells[1],
        "State": state,
        "Rating": _found(_RATING, about),
        "Rating after": _found(_RATING_AFTER, about),
    }
    starts = (row.starts[1], *row.starts[first:])
    before = "  ".join(row.cells[:first])
    rest = before[:60] if holds_results(before) else ""
    return ChartPlayer(row.number, head, results, starts, rest)


def _has_color(result: str, color: str) -> bool:
    return color in ("W", "B") and read_result(result).opponent is not None


def _first_result(cells: Sequence[str]) -> int:
    """Return where the results begin: behind the total, wherever a bar is missing."""
    for index, cell in enumerate(cells[2:5], start=2):
        if _TOTAL.fullmatch(cell):
            return index + 1
        if read_result(cell).opponent:
            return index
    return min(3, len(cells))


def _found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""
