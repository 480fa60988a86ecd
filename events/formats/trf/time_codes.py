"""Convert time controls between the office's spelling and those of a TRF.

The file has two: free words (122), and since 2026 a code in seconds (222). Neither has
a delay, so a control with a delay is written in words with the office's spelling.
"""

from __future__ import annotations

import re

_OFFICE_PIECE = re.compile(r"(?:(G|SD|[0-9]{1,3})/([0-9]{1,4}))|([d+])([0-9]{1,3})")
_PERIOD = re.compile(r"(?:([0-9]{1,3})/)?([0-9]{1,6})(?:([+d])([0-9]{1,3}))?")


def format_seconds_code(control: str) -> str:
    """Return the code of 222 for the office's spelling, blank if there is none.

    >>> format_seconds_code("G/90;+30"), format_seconds_code("40/100,SD/30;+30")
    ('5400+30', '40/6000+30:1800+30')
    >>> format_seconds_code("G/90;d5")
    ''
    """
    periods: list[tuple[str, int]] = []
    increment = ""
    for piece in re.split(r"[,;]", control.replace(" ", "")):
        match = _OFFICE_PIECE.fullmatch(piece)
        if match is None or (match[3] == "d" and int(match[4])):
            return ""
        if match[1]:
            moves = "" if match[1] in ("G", "SD") else f"{match[1]}/"
            periods.append((moves, int(match[2]) * 60))
        elif match[3] == "+" and int(match[4]):
            increment = f"+{int(match[4])}"
    return ":".join(f"{moves}{seconds}{increment}" for moves, seconds in periods)


def parse_seconds_code(code: str) -> str:
    """Return the office's spelling of a code of 222, blank if it has none.

    A PGN tag may also have a delay (600d5).

    >>> parse_seconds_code("5400+30"), parse_seconds_code("40/6000+30:900+30")
    ('G/90;+30', '40/100,SD/15;+30')
    >>> parse_seconds_code("600d5"), parse_seconds_code("W300-B240")
    ('G/10;d5', '')
    """
    periods = [_PERIOD.fullmatch(text) for text in code.replace(" ", "").split(":")]
    pieces, per_move = [], set()
    for period in periods:
        if period is None or int(period[2]) % 60 or not int(period[2]):
            return ""
        rest = "G" if len(periods) == 1 else "SD"
        pieces.append(f"{period[1] or rest}/{int(period[2]) // 60}")
        seconds = int(period[4] or 0)
        per_move.add(f"{period[3]}{seconds}" if seconds else "d0")
    return f"{','.join(pieces)};{per_move.pop()}" if len(per_move) == 1 else ""
