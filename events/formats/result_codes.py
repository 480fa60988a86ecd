"""Result codes of a rating report's cells: meanings, scores and mirrors.

The letters N, S and R (results that differ for the two players: one side's score is
not the other's complement) are listed by the office without their meaning.
We read N as a win, S as a loss and R as a draw, after the letters of the words; as that
is inferred, every use of one asks the TD to confirm it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from events.formats.translatable_text import translatable

if TYPE_CHECKING:
    from events.formats.report import Cell

DOUBLE_GAME_KIND = "2"
OTHER_COLOR = {"W": "B", "B": "W", "": ""}


@dataclass(frozen=True, slots=True)
class ResultCode:
    """One result code.

    ``half_points`` counts half points over all games of the cell, ``mirrors`` are the
    codes the opponent may report, ``games`` the single results the code stands for.
    """

    code: str
    meaning: str
    half_points: int
    is_game: bool = False
    needs_opponent: bool = False
    mirrors: str = ""
    games: str = ""
    is_asymmetric: bool = False

    @property
    def mirror(self) -> str:
        """Return the opponent's usual code, or "" for a bye."""
        return self.mirrors[:1]


def _game(
    code: str, meaning: str, half_points: int, mirror: str, games: str = ""
) -> ResultCode:
    return ResultCode(code, meaning, half_points, True, True, mirror, games or code)


def _asymmetric(code: str, meaning: str, half_points: int) -> ResultCode:
    return ResultCode(
        code, meaning, half_points, True, True, "NSRWLD", code, is_asymmetric=True
    )


def _unplayed(code: str, meaning: str, half_points: int, mirrors: str) -> ResultCode:
    return ResultCode(code, meaning, half_points, mirrors=mirrors, games=code)


def _table(*codes: ResultCode) -> Mapping[str, ResultCode]:
    return MappingProxyType({code.code: code for code in codes})


_FORFEITS = (
    ("X", translatable("forfeit win"), 2, "F"),
    ("F", translatable("forfeit loss"), 0, "XFZ"),
    # A double forfeit is coded Z or F on either side. It gives no points.
    ("Z", translatable("double forfeit or forfeit draw"), 0, "ZF"),
)
_BYES = (
    ("B", translatable("full-point bye"), 2, ""),
    ("H", translatable("half-point bye"), 1, ""),
    ("U", translatable("unpaired"), 0, ""),
)

SINGLE: Mapping[str, ResultCode] = _table(
    _game("W", translatable("win"), 2, "L"),
    _game("L", translatable("loss"), 0, "W"),
    _game("D", translatable("draw"), 1, "D"),
    *(_unplayed(*forfeit) for forfeit in _FORFEITS),
    *(_unplayed(*bye) for bye in _BYES),
    _asymmetric("N", translatable("win, whatever the opponent’s result"), 2),
    _asymmetric("S", translatable("loss, whatever the opponent’s result"), 0),
    _asymmetric("R", translatable("draw, whatever the opponent’s result"), 1),
    _unplayed("I", translatable("correspondence game in progress"), 0, "I"),
)

# In a double-game section a cell has the score of two games, and W, D and L have other
# meanings. The order of the two games is not reported.
DOUBLE: Mapping[str, ResultCode] = _table(
    _game("$", "2–0", 4, "L", "WW"),
    _game("#", "1½–½", 3, "D", "WD"),
    _game("%", translatable("1–1 by draws"), 2, "%", "DD"),
    _game("W", translatable("1–1, each won one"), 2, "W", "WL"),
    _game("D", "½–1½", 1, "#", "LD"),
    _game("L", "0–2", 0, "$", "LL"),
    *(
        ResultCode(code, meaning, 2 * points, mirrors=mirrors, games=code * 2)
        for code, meaning, points, mirrors in (*_FORFEITS, *_BYES)
    ),
)

DOUBLE_ONLY = frozenset(DOUBLE) - frozenset(SINGLE)
ALL_CODES = frozenset(SINGLE) | frozenset(DOUBLE)


def result_code(code: str, kind: str) -> ResultCode | None:
    """Return the meaning of *code* in a section of type *kind*, or None.

    The codes that exist only for double games keep their meaning in any section.

    >>> result_code("W", "S").meaning
    'win'
    >>> result_code("W", "2").meaning
    '1–1, each won one'
    """
    if kind == DOUBLE_GAME_KIND:
        return DOUBLE.get(code)
    return SINGLE.get(code) or DOUBLE.get(code)


@dataclass(frozen=True, slots=True)
class SingleResult:
    """One player's side of one game, bye or forfeit."""

    code: str
    color: str

    @property
    def is_game(self) -> bool:
        return SINGLE[self.code].is_game

    @property
    def half_points(self) -> int:
        return SINGLE[self.code].half_points


def single_results(
    cell: Cell, kind: str, pairing_number: int | None = None
) -> tuple[SingleResult, ...]:
    """Return the one or two single results that *cell* stands for.

    *kind* is the section's type letter. A blank or unreadable cell gives nothing. In a
    double-game section colors alternate. The files do not say which of two games came
    first; so that both sides agree, a split is taken as won by White both times, and
    where colors are missing the lower pairing number counts as White (*pairing_number*
    is that of the cell's own player).

    >>> from events.formats.report import parse_cell
    >>> [(game.code, game.color) for game in single_results(parse_cell("W9B"), "2")]
    [('L', 'B'), ('W', 'W')]
    >>> [(game.code, game.color) for game in single_results(parse_cell("W9B"), "S")]
    [('W', 'B')]
    """
    result = result_code(cell.code, kind)
    if result is None:
        return ()
    if len(result.games) == 1:
        return (SingleResult(result.games, cell.color),)
    first, second = result.games[0], result.games[1]
    if first == "W" and second == "L" and not _is_white_first(cell, pairing_number):
        first, second = second, first
    return (
        SingleResult(first, cell.color),
        SingleResult(second, OTHER_COLOR[cell.color]),
    )


def _is_white_first(cell: Cell, pairing_number: int | None) -> bool:
    if cell.color:
        return cell.color == "W"
    if pairing_number is None or cell.opponent is None:
        return True
    return pairing_number < cell.opponent
