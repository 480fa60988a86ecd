"""Result spellings of programs and countries, detected once for the whole file.

- European programs print "12w1": opponent, color and points. There "-1" is a bye of a
  point, not a loss against number 1, "4w+" is a forfeit win, and the letters of the
  colors depend on the language: b is Black next to w, but White next to n.
- Scid and ChessDB print "4w+" for a win and "4w-" for a loss, never points.
- SwissPerfect prints "4:W" for a win, "0:W" for a bye and "7:+" for a forfeit win.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from events.formats.report import MAX_PAIRING_NUMBER, Cell
from events.formats.tables.results import parse_result

_GAME = re.compile(r"([0-9]{1,5}) ?([WBSN]) ?([10½=+-]|1/2|0[.,]5)", re.ASCII)
_BYES = {"-1": "B", "-½": "H", "-=": "H", "-0": "U", "-1/2": "H", "-0.5": "H"}
_NOBODY = ("*", "**", "***")
_CODES = {"1": "W", "0": "L", "+": "X", "-": "F"}
_DASHES = str.maketrans("–—−‒", "----")


_SWISS_PERFECT = re.compile(r"([0-9]{1,4}):([WLD+-]?)", re.ASCII)
_SWISS_PERFECT_CODES = {"+": "X", "-": "F"}
_SWISS_PERFECT_BYES = {"W": "B", "D": "H", "+": "B"}
_SIGNED = re.compile(r"\+[0-9]{1,4}[WB]?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file spells its results.

    *colors* maps the letters of European cells. *signs_are_games* means that + and -
    after them are wins and losses. *note* is the end of the name of its finding.
    """

    colors: tuple[tuple[str, str], ...] = ()
    signs_are_games: bool = False
    note: str = ""


def dialect_of(texts: Iterable[str]) -> Dialect:
    """Return the dialect of all results of a file.

    >>> dialect_of(["4w+", "2b=", "1b-"]).signs_are_games
    True
    >>> dialect_of(["4w1", "2b+"]).signs_are_games, dialect_of(["4:W", "0:D"]).note
    (False, 'swissperfect')
    >>> dialect_of(["12b1", "3n0"]).colors, dialect_of(["W12"])
    ((('B', 'W'), ('N', 'B')), Dialect(colors=(), signs_are_games=False, note=''))
    """
    written = {_normalized(text) for text in texts}
    games = [game for text in written if (game := _GAME.fullmatch(text))]
    if games:
        points = {game[3] for game in games}
        has_signs = bool(points & {"+", "-"})
        signs_are_games = has_signs and points <= {"+", "-", "="}
        note = "scid" if signs_are_games else "forfeits" if has_signs else ""
        return Dialect(_colors({game[2] for game in games}), signs_are_games, note)
    if any(map(_SWISS_PERFECT.fullmatch, written)):
        return Dialect(note="swissperfect")
    if any(map(_SIGNED.fullmatch, written)):
        return Dialect(note="signs")
    return Dialect()


def _colors(letters: set[str]) -> tuple[tuple[str, str], ...]:
    if "N" in letters and "W" not in letters:
        return (("B", "W"), ("N", "B"))
    return (("W", "W"), ("S" if "S" in letters else "B", "B"))


def read_in_dialect(text: str, dialect: Dialect) -> Cell:
    """Return the cell for *text* in a file of this *dialect*.

    >>> read_in_dialect("12s0", dialect_of(["1w1", "12s0"]))
    Cell(code='L', opponent=12, color='B', raw='')
    >>> european, scid = dialect_of(["1w1"]), dialect_of(["4w+", "1b-"])
    >>> [read_in_dialect(text, european).code for text in ("-1", "-½", "-0", "***")]
    ['B', 'H', 'U', 'U']
    >>> read_in_dialect("4w+", european).code, read_in_dialect("4w+", scid).code
    ('X', 'W')
    >>> swiss_perfect = dialect_of(["4:W"])
    >>> [read_in_dialect(text, swiss_perfect).code for text in ("4:L", "0:D", "0:")]
    ['L', 'H', 'U']
    """
    if dialect.note == "swissperfect":
        return _read_swiss_perfect(text)
    if not dialect.colors:
        return parse_result(text)
    written = _normalized(text)
    if code := _BYES.get(written):
        return Cell(code)
    if written in _NOBODY:
        return Cell("U")
    game = _GAME.fullmatch(written)
    colors = dict(dialect.colors)
    if game is None or game[2] not in colors:
        return parse_result(text)
    opponent = int(game[1])
    code = _CODES.get(game[3], "D")
    if dialect.signs_are_games:
        code = {"X": "W", "F": "L"}.get(code, code)
    if not 1 <= opponent <= MAX_PAIRING_NUMBER:
        return Cell(raw=text)
    return Cell(code, opponent, colors[game[2]] if code in "WLD" else "")


def _read_swiss_perfect(text: str) -> Cell:
    match = _SWISS_PERFECT.fullmatch(_normalized(text))
    if match is None:
        return parse_result(text)
    opponent = int(match[1])
    if not opponent:
        return Cell(_SWISS_PERFECT_BYES.get(match[2], "U"))
    code = _SWISS_PERFECT_CODES.get(match[2], match[2])
    if not code or opponent > MAX_PAIRING_NUMBER:
        return Cell(raw=text)
    return Cell(code, opponent)


def _normalized(text: str) -> str:
    return " ".join(text.upper().translate(_DASHES).split())
