"""Lines of a round robin with points: "1 Smith, John  2100  X 1 ½ 1  2.5".

The columns are opponents. Such lines are recognized by the mark in each player's own
column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

OWN_CELL_MARKS = frozenset(
    ("X", "XX", "XXX", "*", "**", "***", "■", "■■", "□", "●", "#", "\\")
)
POINTS = {
    **dict.fromkeys(("1", "1.0", "1,0", "W", "1-0"), "W"),
    **dict.fromkeys(("½", "1/2", "0.5", "0,5", ".5", "=", "D", "½-½"), "D"),
    **dict.fromkeys(("0", "0.0", "0,0", "L", "0-1"), "L"),
    **dict.fromkeys(("+", "1F", "+F"), "X"),
    **dict.fromkeys(("-", "–", "−", "0F", "-F"), "F"),
}
MIN_PLAYERS = 3

# Two games against one opponent in one cell: "1½", "1 ½", "1/½".
_OF_ONE_GAME = r"(1/2|½|0[.,]5|[.,]5|[10=WLD])"
_OF_TWO_GAMES = re.compile(rf"{_OF_ONE_GAME} ?[/|]? ?{_OF_ONE_GAME}")
# Marks in a player's own column, without the heading of a column of numbers.
_MARKS = OWN_CELL_MARKS - {"#"}
# Possible points, such as "1½?" or "2".
_LIKE_POINTS = re.compile(r"[0-9½=+?!*()/.,–−-]{1,6}|[WLD]{1,3}")

_LAST_INITIAL = re.compile(
    r"(?<=[^\W\d_]), X(?!\S)|(?<=[^\W\d_]) X(?=\s\s)", re.IGNORECASE
)
_TOKEN = re.compile(r"\S+")
_GAME = re.compile(
    r"\b(?:[WLDF] {0,3}[0-9]|[0-9]{1,4}[WBSN][10½=+-](?!\S))", re.IGNORECASE
)

_Run = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class ScoreLines:
    """The cells of each line of such tables with their positions, and broken lines.

    A broken line looks like one of a table, but the table is incomplete.
    """

    cells: dict[int, _Run]
    broken: frozenset[int]


def is_own_cell(text: str) -> bool:
    return text.upper() in OWN_CELL_MARKS


def is_points(text: str) -> bool:
    return text.upper() in POINTS or is_own_cell(text)


def score_codes(text: str) -> tuple[str, ...]:
    """Return the codes of the games in a cell: one, two, or none if it is unknown.

    >>> [score_codes(text) for text in ("½", "1½", "1/½", "1/2", "2")]
    [('D',), ('W', 'D'), ('W', 'D'), ('D',), ()]
    """
    if code := POINTS.get(text.upper()):
        return (code,)
    two = _OF_TWO_GAMES.fullmatch(text.upper())
    return tuple(POINTS[one] for one in two.groups()) if two else ()


def is_score(text: str) -> bool:
    """Return whether a cell has the points of one game or two."""
    return bool(score_codes(text)) or is_own_cell(text)


def score_lines(lines: Sequence[str]) -> ScoreLines:
    """Find the tables of points among *lines*.

    >>> lines = ["1 Ana X 1 ½", "2 Bo  0 X 1", "3 Cy  ½ 0 X", "1 Di X 1 0"]
    >>> scores = score_lines(lines)
    >>> [[text for _, text in run] for run in scores.cells.values()], scores.broken
    ([['X', '1', '½'], ['0', 'X', '1'], ['½', '0', 'X']], frozenset({3}))
    """
    single = _whole_tables(lines, is_points)
    others = ["" if at in single.cells else line for at, line in enumerate(lines)]
    double = _whole_tables(others, is_score)
    cells = single.cells | double.cells
    may_be = _can_hold_two_games
    if single.broken - cells.keys():
        may_be = _can_be_of_broken_table
    doubtful = {at for at, line in enumerate(others) if may_be(line)}
    broken = (single.broken | doubtful) - cells.keys()
    return ScoreLines(cells, frozenset(broken))


def _can_hold_two_games(line: str) -> bool:
    """Return whether a line may have two games in a cell."""
    run = _run_in(line, _can_be_points)
    if not any(text.upper() in _MARKS for _, text in run):
        return False
    return any(len(score_codes(text)) == 2 for _, text in run)


def _can_be_of_broken_table(line: str) -> bool:
    """Return whether a line has the mark of the own column and points, even if few.

    One cell may be unreadable, even a chart's result; a line of a chart has several.
    The last letter of a name is no mark: “1 Lee, X  1.0  L 5”.
    """
    if len(_GAME.findall(line)) > 1:
        return False
    texts = _LAST_INITIAL.sub(" ", line).split()[1:]
    has_mark = any(text.upper() in _MARKS for text in texts)
    return has_mark and any(map(_can_be_points, texts))


def _can_be_points(text: str) -> bool:
    return is_score(text) or bool(_LIKE_POINTS.fullmatch(text.upper()))


def _whole_tables(lines: Sequence[str], fits: Callable[[str], bool]) -> ScoreLines:
    cells: dict[int, _Run] = {}
    broken: set[int] = set()
    for table in _tables(lines, fits):
        size = len(table)
        of_players = {at: run[:size] for at, run in table.values()}
        has_all_columns = all(len(run) == size for run in of_players.values())
        is_whole = MIN_PLAYERS <= size == max(table) + 1 and has_all_columns
        if is_whole and not _continues_table(lines, table):
            cells |= of_players
        else:
            broken |= of_players.keys()
    return ScoreLines(cells, frozenset(broken))


def _continues_table(lines: Sequence[str], table: dict[int, tuple[int, _Run]]) -> bool:
    """Return whether further columns belong to a broken line next to the table."""
    if all(len(run) <= len(table) for _, run in table.values()):
        return False
    places = [at for at, _ in table.values()]
    beside = [
        *lines[max(0, min(places) - 1) : min(places)],
        *lines[max(places) + 1 :][:1],
    ]
    return any(map(_can_be_of_broken_table, beside))


def _tables(
    lines: Sequence[str], fits: Callable[[str], bool]
) -> Iterator[dict[int, tuple[int, _Run]]]:
    """Yield line and run of each player of a table, by the index of the own column."""
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
    """Return the run of points in a line with the mark of the own column."""
    if OWN_CELL_MARKS.isdisjoint(line.upper().split()) or _GAME.search(line):
        return []
    tokens = [(token.start(), token[0]) for token in _TOKEN.finditer(line)]
    groups = groupby(tokens, lambda token: fits(token[1]))
    runs = (_without_initial(line, [*group]) for fit, group in groups if fit)
    fitting = (run for run in runs if _own_place(run) >= 0)
    return next((run for run in fitting if len(run) >= MIN_PLAYERS), [])


def _without_initial(line: str, run: _Run) -> _Run:
    """Return a run of points without the last letter of a name, such as “Lee, X”."""
    start, text = run[0]
    before = line[:start]
    is_initial = text.upper() == "X" and re.search(r"[^\W\d_],? $", before)
    return run[1:] if is_initial and _own_place(run[1:]) >= 0 else run


def _own_place(run: _Run) -> int:
    places = [place for place, (_, text) in enumerate(run) if is_own_cell(text)]
    return places[0] if len(places) == 1 else -1
