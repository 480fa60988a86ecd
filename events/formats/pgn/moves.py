"""The moves of a game, without comments, variations, clocks and move numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

# An unclosed comment ends with the moves.
_COMMENT = re.compile(r"\{([^}]*)(?:\}|$)|;([^\n]*)")
_PIECE = re.compile(r"\{[^}]*(?:\}|$)|;[^\n]*|[()]|[^\s(){;]+")
# Pieces have letters in other languages too, and figurines.
_MOVE = re.compile(r"[^\W\d_][^\s$]{0,4}[1-8]\b|[♔-♟][^\s$]{0,4}[1-8]\b|O-O")
_NUMBER = re.compile(r"^[0-9]+\.+", re.ASCII)
_COMMAND = re.compile(r"\[%[^\]]*\]")
_ORNAMENTS = "!?+#"


def half_moves(movetext: str, most: int = 2) -> int:
    """Return the number of half-moves, counted up to *most*.

    >>> half_moves("1. e4 {e5?} 1-0"), half_moves("1-0"), half_moves("1. e4 e5 2. Sf3")
    (1, 0, 2)
    """
    return len(list(islice(_main_line(movetext), most)))


def main_line(movetext: str) -> tuple[str, ...]:
    """Return the moves that were played.

    >>> main_line("1. e4! {[%clk 1:00]} (1. d4 d5) 1... e5 $1 2.Nf3 1-0")
    ('e4', 'e5', 'Nf3')
    """
    return tuple(_main_line(movetext))


def _main_line(movetext: str) -> Iterator[str]:
    depth = 0
    for match in _PIECE.finditer(movetext):
        piece = match[0]
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(depth - 1, 0)
        elif not depth:
            move = _NUMBER.sub("", piece).rstrip(_ORNAMENTS)
            if _MOVE.match(move):
                yield move


def comments(movetext: str) -> list[str]:
    """Return the texts of the comments, without the commands of programs.

    >>> comments("1. e4 {[%clk 1:00]} e5 {White did not appear} 1-0 ; walkover")
    ['White did not appear', 'walkover']
    """
    texts = (
        _COMMAND.sub("", match[1] or match[2] or "").strip()
        for match in _COMMENT.finditer(movetext)
    )
    return list(filter(None, texts))
