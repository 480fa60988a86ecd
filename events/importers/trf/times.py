"""Time controls between the office's spelling and those of FIDE's report file.

The file has two: free words (122), and since 2026 a code in seconds (222). Neither
knows a delay, so a control with a delay stands in the words as the office spells it.
"""

from __future__ import annotations

import re

_OFFICE_PIECE = re.compile(r"(?:(G|SD|[0-9]{1,3})/([0-9]{1,4}))|([d+])([0-9]{1,3})")
_PERIOD = re.compile(r"(?:([0-9]{1,3})/)?([0-9]{1,6})(?:\+([0-9]{1,3}))?")
_TYPED = re.compile(r"([0-9]{1,3})\+([0-9]{1,2})", re.ASCII)
_FEWEST_SECONDS = 180
_OFFICE_WORDS = re.compile(r"\s*(G|SD|[0-9]{1,3}\s*/)\s*/?\s*[0-9]", re.IGNORECASE)
_MAIN_AND_INCREMENT = re.compile(
    r"[^0-9]*([0-9]{1,3})(?!\s*(?:x|h|hours?)\b)[^0-9]+([0-9]{1,2})"
    r"[^0-9]*(?:move\s*(?:1|one)\D*)?",
    re.IGNORECASE,
)
_MAIN_ONLY = re.compile(r"[^0-9]*([0-9]{1,3})\s*(?:min|['′’])[^0-9]*", re.IGNORECASE)
_SEVERAL_PERIODS = re.compile(r"moves\b|/", re.IGNORECASE)


def seconds_code(control: str) -> str:
    """Return the code of 222 for the office's spelling, blank where there is none.

    >>> seconds_code("G/90;+30"), seconds_code("40/100,SD/30;+30")
    ('5400+30', '40/6000+30:1800+30')
    >>> seconds_code("G/90;d5")
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


def from_seconds_code(code: str) -> str:
    """Return the office's spelling of a code of 222, blank where it has none.

    >>> from_seconds_code("5400+30"), from_seconds_code("40/6000+30:900+30")
    ('G/90;+30', '40/100,SD/15;+30')
    >>> from_seconds_code("W300-B240"), from_seconds_code("100")
    ('', '')
    """
    periods = [_PERIOD.fullmatch(text) for text in code.replace(" ", "").split(":")]
    pieces, increments = [], set()
    for period in periods:
        if period is None or int(period[2]) % 60 or not int(period[2]):
            return ""
        rest = "G" if len(periods) == 1 else "SD"
        pieces.append(f"{period[1] or rest}/{int(period[2]) // 60}")
        increments.add(int(period[3] or 0))
    if len(increments) != 1:
        return ""
    return f"{','.join(pieces)};{_sign(increments.pop())}"


def from_typed_code(code: str) -> str:
    """Return the office's spelling of what people type instead of such a code.

    They mean minutes where the code has seconds. No tournament has games of less than
    three minutes, and hardly one has three hours at once.

    >>> from_typed_code("60+30"), from_typed_code("3+2"), from_typed_code("180+2")
    ('G/60;+30', 'G/3;+2', '')
    """
    typed = _TYPED.fullmatch(code.replace(" ", ""))
    if typed is None or not 0 < int(typed[1]) < _FEWEST_SECONDS:
        return ""
    return f"G/{int(typed[1])};{_sign(int(typed[2]))}"


def from_words(words: str) -> str:
    """Return the office's spelling of what 122 says; other words stay as they are.

    >>> from_words("90 min + 30 sec per move from move 1"), from_words("G/60;d5")
    ('G/90;+30', 'G/60;d5')
    >>> from_words("10 minutes"), from_words("40 moves in 2 h, then 1 h")
    ('G/10;d0', '40 moves in 2 h, then 1 h')
    """
    if _OFFICE_WORDS.match(words) or _SEVERAL_PERIODS.search(words):
        return words
    if match := _MAIN_AND_INCREMENT.fullmatch(words):
        return f"G/{int(match[1])};{_sign(int(match[2]))}"
    if match := _MAIN_ONLY.fullmatch(words):
        return f"G/{int(match[1])};d0"
    return words


def _sign(increment: int) -> str:
    return f"+{increment}" if increment else "d0"
