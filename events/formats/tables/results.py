"""The results that people and programs write into crosstables and game lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from events.formats.byes import bye_code
from events.formats.report import BLANK, MAX_PAIRING_NUMBER, Cell, parse_cell

_DASHES = str.maketrans("–—−‒", "----")
# In addition to the words for a bye that state its points.
_UNPLAYED = {
    **dict.fromkeys(("BYE", "1 BYE", "BYE 1", "SPIELFREI"), "B"),
    **dict.fromkeys(("½", "HALF"), "H"),
    **dict.fromkeys(("0 BYE", "NONE"), "U"),
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
def parse_result(text: str) -> Cell:
    """Return the cell for *text*; the text itself if it is not a result.

    >>> [str(parse_result(text).opponent) for text in ("W12", "12L", "+12b", "D 5 (w)")]
    ['12', '12', '12', '5']
    >>> parse_result("+12b")
    Cell(code='W', opponent=12, color='B', raw='')
    >>> [parse_result(text).code for text in ("B--", "H---", "½", "--", "bye")]
    ['B', 'H', 'H', 'U', 'B']
    >>> parse_result("12w½")
    Cell(code='D', opponent=12, color='W', raw='')
    """
    cell = parse_cell(text)
    if not cell.raw:
        return cell
    written = " ".join(text.upper().translate(_DASHES).replace("-BYE", " BYE").split())
    if code := _UNPLAYED.get(written) or bye_code(text):
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
    parsed = parse_cell(text)
    return parsed if parsed.code and parsed != BLANK else None


def _cell(code: str, opponent: str, color: str) -> Cell | None:
    number = int(opponent)
    if number > MAX_PAIRING_NUMBER:
        return None
    return Cell(code, number or None, color)


_TALLY_LABEL = re.compile(
    r"[^,]*:|[0-9 ]*(?:games|totals?|sum|summary|partien|partidas|parties|summe)[ (]*",
    re.ASCII | re.IGNORECASE,
)
_TALLY = re.compile(r"([+=-])[0-9]{1,5}", re.ASCII)
_SUM_LABEL = re.compile(
    r"[\W\d_]*(?:(?:grand |sub)?totals?|sums?|averages?|avg|mean|count|summary|points"
    r"|games|summe|gesamt|durchschnitt|suma|promedio|total de puntos|moyenne)[\W\d_]*",
    re.IGNORECASE,
)
_SUM = re.compile(r"[0-9]{1,5}(?:[.,][0-9]{1,2})?[½%]?|½", re.ASCII)


def is_tally(label: str, results: Sequence[str]) -> bool:
    """Return whether *results* are totals, as of wins, draws and losses.

    >>> is_tally("6 games:", ["+2", "=2", "-2"]), is_tally("1 Ash", ["+2", "=3", "-4"])
    (True, False)
    >>> is_tally("Total", ["4", "3.5"]), is_tally("Total", ["W4", "3"])
    (True, False)
    """
    are_sums = all(_SUM.fullmatch(text.strip()) for text in results)
    if results and are_sums and _SUM_LABEL.fullmatch(label):
        return True
    signs = [match[1] for text in results if (match := _TALLY.fullmatch(text.strip()))]
    is_count = len(signs) == len(results) == len(set(signs)) > 1
    return is_count and _TALLY_LABEL.fullmatch(label.strip()) is not None


# White's and Black's codes; a bye where there is no opponent.
_GAME = {
    **dict.fromkeys(("1-0", "1", "W", "WHITE", "WHITE WON", "WHITE WINS"), ("W", "L")),
    **dict.fromkeys(
        ("0-1", "0", "L", "B", "BLACK", "BLACK WON", "BLACK WINS"), ("L", "W")
    ),
    **dict.fromkeys(("½-½", "½", "=", "=-=", "D", "DRAW", "DRAWN"), ("D", "D")),
    **dict.fromkeys(("+--", "+-", "1-0F", "1F-0F", "1X-0F"), ("X", "F")),
    **dict.fromkeys(("--+", "-+", "0-1F", "0F-1F", "0F-1X"), ("F", "X")),
    **dict.fromkeys(("---", "--", "0-0", "0F-0F"), ("Z", "Z")),
}
_BYES = {
    **dict.fromkeys(("1", "B", "BYE", "FULL", "W", "1 BYE"), "B"),
    **dict.fromkeys(("½", "H", "HALF", "D", "="), "H"),
    **dict.fromkeys(("0", "U", "-", "--", "L", "0 BYE"), "U"),
}


def parse_game_result(text: str) -> tuple[str, str] | None:
    """Return White's and Black's result codes, None if *text* is no result.

    >>> [parse_game_result(text) for text in ("1-0", "0.5 - 0.5", "1-0F", "won")]
    [('W', 'L'), ('D', 'D'), ('X', 'F'), None]
    """
    return _GAME.get(_points(text))


def parse_bye(text: str) -> str | None:
    """Return the code of a round without an opponent, None if *text* is no bye.

    >>> parse_bye("1"), parse_bye("half bye"), parse_bye(""), parse_bye("1-0")
    ('B', 'H', 'B', None)
    """
    return _BYES.get(_points(text) or "BYE") or bye_code(text) or None


def _points(text: str) -> str:
    text = " ".join(text.upper().translate(_DASHES).split())
    for half in ("1/2", "0.5", "0,5", ".5"):
        text = text.replace(half, "½")
    text = text.replace("1.0", "1").replace("0.0", "0").replace(":", "-")
    return re.sub(r"\s*([-/])\s*", r"\1", text).replace("/", "-")
