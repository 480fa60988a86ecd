"""Lines of a round robin with points: "1 Smith, John  2100  X 1 ½ 1  2.5".

The columns are opponents. Every line has a mark in its player's own column, and every
column has one; by that such lines are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

NOBODY = frozenset(("X", "XX", "XXX", "*", "**", "***", "■", "■■", "□", "●", "#", "\\"))
POINTS = {
    **dict.fromkeys(("1", "1.0", "1,0", "W", "1-0"), "W"),
    **dict.fromkeys(("½", "1/2", "0.5", "0,5", ".5", "=", "D", "½-½"), "D"),
    **dict.fromkeys(("0", "0.0", "0,0", "L", "0-1"), "L"),
    **dict.fromkeys(("+", "1F", "+F"), "X"),
    **dict.fromkeys(("-", "–", "−", "0F", "-F"), "F"),
}
FEWEST_PLAYERS = 3

# Two games against one opponent in one cell: "1½", "1 ½", "1/½".
_OF_ONE_GAME = r"(1/2|½|0[.,]5|[.,]5|[10=WLD])"
_OF_TWO_GAMES = re.compile(rf"{_OF_ONE_GAME} ?[/|]? ?{_OF_ONE_GAME}")
# The marks of nobody that are not the heading of a column of numbers.
_MARKS = NOBODY - {"#"}
# What may be meant for points, such as "1½?" or "2".
_LIKE_POINTS = re.compile(r"[0-9½=+?!*()/.,–−-]{1,6}|[WLD]{1,3}")

_TOKEN = re.compile(r"\S+")
_GAME = re.compile(r"\b[WLD] {0,3}[0-9]", re.IGNORECASE)

_Run = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class ScoreLines:
    """The cells of each line of such tables with their places, and lines astray.

    What is astray looks like such a line, but its table is not whole.
    """

    cells: dict[int, _Run]
    astray: frozenset[int]


def is_nobody(text: str) -> bool:
    return text.upper() in NOBODY


def is_points(text: str) -> bool:
    return text.upper() in POINTS or is_nobody(text)


def games_in(text: str) -> tuple[str, ...]:
    """Return the codes of the games that a cell holds: one, two, or none it knows.

    >>> games_in("½"), games_in("1½"), games_in("1/½"), games_in("1/2"), games_in("2")
    (('D',), ('W', 'D'), ('W', 'D'), ('D',), ())
    """
    if code := POINTS.get(text.upper()):
        return (code,)
    two = _OF_TWO_GAMES.fullmatch(text.upper())
    return tuple(POINTS[one] for one in two.groups()) if two else ()


def is_score(text: str) -> bool:
    """Tell whether a cell holds points of one game or of two."""
    return bool(games_in(text)) or is_nobody(text)


def score_lines(lines: Sequence[str]) -> ScoreLines:
    """Return what of the *lines* are tables of points.

    >>> found = score_lines(["1 Ana X 1 ½", "2 Bo  0 X 1", "3 Cy  ½ 0 X", "1 Di X 1 0"])
    >>> [[text for _, text in run] for run in found.cells.values()], found.astray
    ([['X', '1', '½'], ['0', 'X', '1'], ['½', '0', 'X']], frozenset({3}))
    """
    single = _whole_tables(lines, is_points)
    others = ["" if at in single.cells else line for at, line in enumerate(lines)]
    double = _whole_tables(others, is_score)
    cells = single.cells | double.cells
    doubtful = {at for at, line in enumerate(others) if _may_hold_two_games(line)}
    astray = (single.astray | doubtful) - cells.keys()
    return ScoreLines(cells, frozenset(astray))


def _may_hold_two_games(line: str) -> bool:
    """Tell whether somebody's line has two games in a cell, whatever else is in it."""
    run = _run_in(line, _may_be_points)
    if not any(text.upper() in _MARKS for _, text in run):
        return False
    return any(len(games_in(text)) == 2 for _, text in run)


def _may_be_points(text: str) -> bool:
    return is_score(text) or bool(_LIKE_POINTS.fullmatch(text.upper()))


def _whole_tables(lines: Sequence[str], fits: Callable[[str], bool]) -> ScoreLines:
    cells: dict[int, _Run] = {}
    astray: set[int] = set()
    for table in _tables(lines, fits):
        size = len(table)
        of_players = {at: run[:size] for at, run in table.values()}
        has_all_columns = all(len(run) == size for run in of_players.values())
        if FEWEST_PLAYERS <= size == max(table) + 1 and has_all_columns:
            cells |= of_players
        else:
            astray |= of_players.keys()
    return ScoreLines(cells, frozenset(astray))


def _tables(
    lines: Sequence[str], fits: Callable[[str], bool]
) -> Iterator[dict[int, tuple[int, _Run]]]:
    """Yield line and run of each player of a table, by the place of the own column."""
    table: dict[int, tuple[int, _Run]] = {}
    for at, line in enumerate(lines):
        if run := _run_in(line, fits):
            place = _own_place(run)
            if place in table:
                yield table
                table = {}
            table[place] = at, run
    if table:
        yield table


def _run_in(line: str, fits: Callable[[str], bool]) -> _Run:
    """Return the run of points in a line in which one stands for nobody."""
    if NOBODY.isdisjoint(line.upper().split()) or _GAME.search(line):
        return []
    tokens = [(token.start(), token[0]) for token in _TOKEN.finditer(line)]
    groups = groupby(tokens, lambda token: fits(token[1]))
    runs = ([*group] for of_points, group in groups if of_points)
    fitting = (run for run in runs if _own_place(run) >= 0)
    return next((run for run in fitting if len(run) >= FEWEST_PLAYERS), [])


def _own_place(run: _Run) -> int:
    places = [place for place, (_, text) in enumerate(run) if is_nobody(text)]
    return places[0] if len(places) == 1 else -1
