"""Lines of a round robin with points: "1 Smith, John  2100  X 1 ½ 1  2.5".

The columns are opponents. Every line has a mark in its player's own column, one place
further to the right than the line above; by that such lines are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NOBODY = frozenset(("X", "XX", "XXX", "*", "**", "***", "■", "■■", "□", "●", "#", "\\"))
POINTS = {
    **dict.fromkeys(("1", "1.0", "1,0", "W", "1-0"), "W"),
    **dict.fromkeys(("½", "1/2", "0.5", "0,5", ".5", "=", "D", "½-½"), "D"),
    **dict.fromkeys(("0", "0.0", "0,0", "L", "0-1"), "L"),
    **dict.fromkeys(("+", "1F", "+F"), "X"),
    **dict.fromkeys(("-", "–", "−", "0F", "-F"), "F"),
}
FEWEST_PLAYERS = 3

_TOKEN = re.compile(r"\S+")

_Run = list[tuple[int, str]]


def is_nobody(text: str) -> bool:
    return text.upper() in NOBODY


def is_points(text: str) -> bool:
    return text.upper() in POINTS or is_nobody(text)


def score_runs(lines: Sequence[str]) -> dict[int, _Run]:
    """Return the cells of each line of such tables, with their places in the line.

    >>> runs = score_runs(["1 Ana X 1 ½", "2 Bo  0 X 1", "3 Cy  ½ 0 X"])
    >>> [[text for _, text in run] for run in runs.values()]
    [['X', '1', '½'], ['0', 'X', '1'], ['½', '0', 'X']]
    """
    found: dict[int, _Run] = {}
    table: dict[int, _Run] = {}
    for at, line in enumerate(lines):
        if run := _run_in(line, len(table)):
            table[at] = run
        elif run := _run_in(line, 0):
            found |= _if_whole(table)
            table = {at: run}
    return found | _if_whole(table)


def _if_whole(table: dict[int, _Run]) -> dict[int, _Run]:
    """Return the table without its totals, if it has a column for each line."""
    size = len(table)
    if size < FEWEST_PLAYERS or any(len(run) < size for run in table.values()):
        return {}
    return {at: run[:size] for at, run in table.items()}


def _run_in(line: str, own: int) -> _Run:
    """Return the run of points in a line whose mark for nobody has the place *own*."""
    run: _Run = []
    for token in _TOKEN.finditer(line):
        if not is_points(token[0]):
            if _own_place(run) == own:
                return run
            run = []
            continue
        run.append((token.start(), token[0]))
    return run if _own_place(run) == own else []


def _own_place(run: _Run) -> int:
    places = [place for place, (_, text) in enumerate(run) if is_nobody(text)]
    return places[0] if len(places) == 1 else -1
