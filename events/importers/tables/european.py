"""Results as European programs print them: "12w1", opponent, color and points.

In a table of such cells "-1" is a bye of a point, not a loss against number 1, and the
letters of the colors depend on the language: b is Black beside w, but White beside n.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from events.importers.records import HIGHEST_PAIRING_NUMBER, Cell
from events.importers.tables.results import read_result

_GAME = re.compile(r"([0-9]{1,5}) ?([WBSN]) ?([10½=+-]|1/2|0[.,]5)", re.ASCII)
_BYES = {"-1": "B", "-½": "H", "-=": "H", "-0": "U", "-1/2": "H", "-0.5": "H"}
_NOBODY = ("*", "**", "***")
_CODES = {"1": "W", "0": "L", "+": "X", "-": "F"}
_DASHES = str.maketrans("–—−‒", "----")


def colors_in(texts: Iterable[str]) -> dict[str, str]:
    """Return the color that each letter means, nothing if *texts* are no such cells.

    >>> colors_in(["12w1", "3b½"]), colors_in(["12b1", "3n0"]), colors_in(["W12"])
    ({'W': 'W', 'B': 'B'}, {'B': 'W', 'N': 'B'}, {})
    """
    games = (_GAME.fullmatch(_written(text)) for text in texts)
    letters = {game[2] for game in games if game}
    if "N" in letters and "W" not in letters:
        return {"B": "W", "N": "B"}
    if "S" in letters:
        return {"W": "W", "S": "B"}
    return {"W": "W", "B": "B"} if letters else {}


def read_european(text: str, colors: dict[str, str]) -> Cell:
    """Return the cell that *text* means in a table with such *colors*.

    >>> read_european("12s0", {"W": "W", "S": "B"})
    Cell(code='L', opponent=12, color='B', raw='')
    >>> [read_european(text, {}).code for text in ("-1", "-½", "-0", "***")]
    ['B', 'H', 'U', 'U']
    """
    written = _written(text)
    if code := _BYES.get(written):
        return Cell(code)
    if written in _NOBODY:
        return Cell("U")
    game = _GAME.fullmatch(written)
    if game is None or game[2] not in colors:
        return read_result(text)
    opponent = int(game[1])
    code = _CODES.get(game[3], "D")
    if not 1 <= opponent <= HIGHEST_PAIRING_NUMBER:
        return Cell(raw=text)
    return Cell(code, opponent, colors[game[2]] if code in "WLD" else "")


def _written(text: str) -> str:
    return " ".join(text.upper().translate(_DASHES).split())
