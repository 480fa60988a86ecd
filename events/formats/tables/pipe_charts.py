"""Charts with bars between columns, and one or two lines for each player.

The federation prints two lines: number, name, total and results in the first; state,
member ID, ratings and colors in the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from events.formats.byes import bye_code
from events.formats.tables.charts import (
    RULE,
    ChartLine,
    ChartPlayer,
    Item,
    split_label,
    with_headings,
)
from events.formats.tables.headings import Column, parse_heading
from events.formats.tables.results import parse_result
from events.formats.tables.wall_charts import holds_results
from players.formats.member_ids import MEMBER_ID

_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
_TOTAL = re.compile(r"[0-9]{1,2}(?:[.,][05]|½)?|½", re.ASCII)
_RATING = re.compile(r"R:\s*([0-9]{3,4})", re.ASCII)
_RATING_AFTER = re.compile(r"R:[^>]*->\s*([0-9]{3,4})", re.ASCII)
# Ratings of a player in several systems have a line each.
_OTHER_RATING = re.compile(r"\s*[A-Z]{1,2}:.*->")
# A part of a name, and not a result next to it without a bar.
_NAMED_BYE = re.compile(r"(?<=[^\W\d_]) bye$|(?<=[.,]) bye$|^bye(?=, )", re.IGNORECASE)
_NO_LINE = ChartLine(0, ())


def looks_like_pipe_chart(lines: Sequence[str]) -> bool:
    return sum(line.count("|") > 2 for line in lines) > 1


def pipe_chart_lines(lines: Sequence[str]) -> Iterator[ChartLine]:
    """Yield the rows of a table drawn with bars; two lines of a player become one."""
    rows = [
        _split_pipes(number, line)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not RULE.fullmatch(line)
    ]
    if any(
        _is_first_line(above) and _is_second_line(below)
        for above, below in pairwise(rows)
    ):
        return with_headings([*_join_two_lines(rows)])
    return iter(rows)


def _split_pipes(number: int, line: str) -> ChartLine:
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


def _join_two_lines(rows: Sequence[ChartLine]) -> Iterator[Item]:
    """Yield the players, and the other lines between them."""
    joined = False
    for row, following in zip(rows, [*rows[1:], _NO_LINE], strict=True):
        is_joined, joined = joined, False
        if _is_first_line(row):
            joined = _is_second_line(following)
            yield _player(row, following if joined else _NO_LINE)
        elif len(row.cells) == 1:
            yield split_label(row.number, row.cells[0])
        elif not is_joined and not _is_expected(row):
            yield ChartLine(row.number, ("  ".join(row.cells).strip(),))


def _is_first_line(row: ChartLine) -> bool:
    """Return whether the row has a player's results, or at least number and name."""
    if any(parse_result(cell).opponent for cell in row.cells[2:]):
        return True
    numbered = len(row.cells) > 3 and _NUMBER.fullmatch(row.cells[0]) is not None
    return numbered and _has_letters(row.cells[1])


def _has_letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _is_second_line(row: ChartLine) -> bool:
    return (
        len(row.cells) > 1
        and not row.cells[0].isdigit()
        and MEMBER_ID.within.search(row.cells[1]) is not None
        and not _is_first_line(row)
    )


def _is_expected(row: ChartLine) -> bool:
    """Return whether the line is a heading, or has a rating in another system."""
    is_heading = parse_heading(row.cells[0]).column is Column.NUMBER
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
        "Member ID": MEMBER_ID.find(about),
        "Name": row.cells[1],
        "State": state,
        "Rating": _search(_RATING, about),
        "Rating after": _search(_RATING_AFTER, about),
    }
    starts = (row.starts[1], *row.starts[first:])
    name = row.cells[1]
    shown = "" if bye_code(name) is not None else _NAMED_BYE.sub("", name)
    before = "  ".join((row.cells[0], shown, *row.cells[2:first]))
    rest = before[:60] if holds_results(before) else ""
    return ChartPlayer(row.number, head, results, starts, rest)


def _has_color(result: str, color: str) -> bool:
    return color in ("W", "B") and parse_result(result).opponent is not None


def _first_result(cells: Sequence[str]) -> int:
    """Return the index of the first result, after the total or a missing bar."""
    for index, cell in enumerate(cells[2:5], start=2):
        if _TOTAL.fullmatch(cell):
            return index + 1
        if parse_result(cell).opponent:
            return index
    return min(3, len(cells))


def _search(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""
