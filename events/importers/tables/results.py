"""The results that people and programs write into crosstables and game lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from events.importers.records import BLANK, HIGHEST_PAIRING_NUMBER, Cell, parse_cell

_DASHES = str.maketrans("–—−‒", "----")
_UNPLAYED = {
    "BYE": "B",
    "FULL BYE": "B",
    "1 BYE": "B",
    "BYE 1": "B",
    "PAB": "B",
    "SPIELFREI": "B",
    "FPB": "B",
    "½": "H",
    "½ BYE": "H",
    "1/2 BYE": "H",
    "BYE ½": "H",
    "HALF": "H",
    "HALF BYE": "H",
    "HPB": "H",
    "0 BYE": "U",
    "ZERO BYE": "U",
    "ZPB": "U",
    "NONE": "U",
    "+": "X",
}
# "12w1", as European programs print it: opponent, color (s for schwarz), points.
_EUROPEAN = re.compile(r"([0-9]{1,5})([WBS])([10½=+-])", re.ASCII)
_NUMBER_FIRST = re.compile(r"([0-9]{1,5})([WLDXF])([WB]?)", re.ASCII)
_SIGN_FIRST = re.compile(r"([+=½-])([0-9]{1,5})([WB]?)")
_NOBODY = re.compile(r"([WLDBHUXFZ])(?:-+|\.+)")
_TWO_NUMBERS = re.compile(r"[0-9] +[0-9]")
_CODES = {"1": "W", "0": "L", "½": "D", "=": "D", "+": "W", "-": "L"}
_FORFEITS = {"+": "X", "-": "F"}


@lru_cache(maxsize=8192)
def read_result(text: str) -> Cell:
    """Return the cell that *text* means; the text itself where it means nothing.

    >>> [str(read_result(text).opponent) for text in ("W12", "12L", "+12b", "D 5 (w)")]
    ['12', '12', '12', '5']
    >>> read_result("+12b")
    Cell(code='W', opponent=12, color='B', raw='')
    >>> [read_result(text).code for text in ("B--", "H---", "½", "--", "bye")]
    ['B', 'H', 'H', 'U', 'B']
    >>> read_result("12w½")
    Cell(code='D', opponent=12, color='W', raw='')
    """
    cell = parse_cell(text)
    if not cell.raw:
        return cell
    written = " ".join(text.upper().translate(_DASHES).replace("-BYE", " BYE").split())
    if code := _UNPLAYED.get(written):
        return Cell(code)
    tight = re.sub(r"[ #()]", "", written)
    if tight and not tight.strip("-"):
        return Cell("U")
    if match := _NOBODY.fullmatch(tight):
        return Cell(match[1])
    if _TWO_NUMBERS.search(written):
        return cell
    return _with_opponent(tight) or cell


def _with_opponent(text: str) -> Cell | None:
    if match := _EUROPEAN.fullmatch(text):
        color = "W" if match[2] == "W" else "B"
        if match[3] in _FORFEITS:
            return _cell(_FORFEITS[match[3]], match[1], "")
        return _cell(_CODES[match[3]], match[1], color)
    if match := _NUMBER_FIRST.fullmatch(text):
        return _cell(match[2], match[1], match[3])
    if match := _SIGN_FIRST.fullmatch(text):
        return _cell(_CODES[match[1]], match[2], match[3])
    found = parse_cell(text)
    return found if found.code and found != BLANK else None


def _cell(code: str, opponent: str, color: str) -> Cell | None:
    number = int(opponent)
    if number > HIGHEST_PAIRING_NUMBER:
        return None
    return Cell(code, number or None, color)


_TALLY_LABEL = re.compile(
    r"[^,]*:|[0-9 ]*(?:games|totals?|sum|summary|partien|partidas|parties|summe)[ (]*",
    re.ASCII | re.IGNORECASE,
)
_TALLY = re.compile(r"([+=-])[0-9]{1,5}", re.ASCII)


def is_tally(label: str, results: Sequence[str]) -> bool:
    """Tell a count of all wins, draws and losses from a player's results.

    >>> is_tally("6 games:", ["+2", "=2", "-2"]), is_tally("1 Ash", ["+2", "=3", "-4"])
    (True, False)
    """
    signs = [match[1] for text in results if (match := _TALLY.fullmatch(text.strip()))]
    is_count = len(signs) == len(results) == len(set(signs)) > 1
    return is_count and _TALLY_LABEL.fullmatch(label.strip()) is not None


# White's and Black's codes; a bye where there is no opponent.
_GAME = {
    "1-0": ("W", "L"),
    "0-1": ("L", "W"),
    "½-½": ("D", "D"),
    "1": ("W", "L"),
    "0": ("L", "W"),
    "½": ("D", "D"),
    "=": ("D", "D"),
    "=-=": ("D", "D"),
    "W": ("W", "L"),
    "L": ("L", "W"),
    "B": ("L", "W"),
    "D": ("D", "D"),
    "WHITE": ("W", "L"),
    "WHITE WON": ("W", "L"),
    "WHITE WINS": ("W", "L"),
    "BLACK": ("L", "W"),
    "BLACK WON": ("L", "W"),
    "BLACK WINS": ("L", "W"),
    "DRAW": ("D", "D"),
    "DRAWN": ("D", "D"),
    "+--": ("X", "F"),
    "+-": ("X", "F"),
    "1-0F": ("X", "F"),
    "1F-0F": ("X", "F"),
    "1X-0F": ("X", "F"),
    "--+": ("F", "X"),
    "-+": ("F", "X"),
    "0-1F": ("F", "X"),
    "0F-1F": ("F", "X"),
    "0F-1X": ("F", "X"),
    "---": ("Z", "Z"),
    "--": ("Z", "Z"),
    "0-0": ("Z", "Z"),
    "0F-0F": ("Z", "Z"),
}
_BYES = {
    **dict.fromkeys(("1", "B", "BYE", "FULL", "W", "1 BYE", "FPB", "PAB"), "B"),
    **dict.fromkeys(("½", "H", "HALF", "½ BYE", "HALF BYE", "HPB", "D", "="), "H"),
    **dict.fromkeys(("0", "U", "-", "--", "L", "0 BYE", "ZERO BYE", "ZPB"), "U"),
}


def read_game(text: str) -> tuple[str, str] | None:
    """Return White's and Black's result codes, None if *text* is no result.

    >>> read_game("1-0"), read_game("0.5 - 0.5"), read_game("1-0F"), read_game("won")
    (('W', 'L'), ('D', 'D'), ('X', 'F'), None)
    """
    return _GAME.get(_points(text))


def read_bye(text: str) -> str | None:
    """Return the code of a round without an opponent, None if *text* is no bye.

    >>> read_bye("1"), read_bye("half bye"), read_bye(""), read_bye("1-0")
    ('B', 'H', 'B', None)
    """
    return _BYES.get(_points(text) or "BYE")


def _points(text: str) -> str:
    text = " ".join(text.upper().translate(_DASHES).split())
    for half in ("1/2", "0.5", "0,5", ".5"):
        text = text.replace(half, "½")
    text = text.replace("1.0", "1").replace("0.0", "0").replace(":", "-")
    return re.sub(r"\s*([-/])\s*", r"\1", text).replace("/", "-")
