"""Games from the office's own open data: the table `games`.

It names no days: the first eight digits of an event ID are the last day of the event.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

from ratings.laboratory.words import _

from .csv_games import cells_of
from .findings import Findings
from .lines import decode_line, numbered_lines
from .record_builder import RawGame, build_record
from .records import MAX_GAMES, GameRecord, Reading, read_records
from .value_parsers import minutes_of

HEAD: Final = (
    "event_id,section,round,leg,first_id,second_id,first_color,first_result,"
    "second_result"
)
_COLOR: Final = HEAD.split(",").index("first_color")
_RESULTS: Final = {"WL": "1-0", "LW": "0-1", "DD": "1/2-1/2"}
_TURNED: Final = {"1-0": "0-1", "0-1": "1-0"}


def is_open_games(begin: bytes) -> bool:
    """Return whether a file's first bytes are those of the open table of games.

    >>> is_open_games(HEAD.encode() + b"\\r\\n"), is_open_games(b"date,white,black")
    (True, False)
    """
    return begin.removeprefix(b"\xef\xbb\xbf").startswith(HEAD.encode())


def read_open_games(stream: BinaryIO, *, max_games: int = MAX_GAMES) -> Reading:
    """Return the games of the table, read lazily.

    A section is an event. Where no color is reported the sides are those of the table,
    and the game has no colors.

    >>> from io import BytesIO
    >>> row = "\\n202405041234,2,1,1,12600001,12600002,B,W,L"
    >>> [(one.white_id, one.points, one.event) for one in
    ...  read_open_games(BytesIO((HEAD + row).encode()))]
    [('12600002', 0.0, '202405041234/2')]
    """
    return read_records(_records, stream, max_games)


def _records(stream: BinaryIO, findings: Findings) -> Iterator[GameRecord]:
    lines = numbered_lines(stream)
    next(lines, None)
    for number, line in lines:
        cells = cells_of(decode_line(line, number, findings), ",")
        if len(cells) != HEAD.count(",") + 1:
            if any(cells):
                findings.skip(
                    "cells",
                    number,
                    _("The line has {cells} cells, but there are {columns} columns."),
                    cells=len(cells),
                    columns=HEAD.count(",") + 1,
                )
            continue
        record = build_record(_raw_game(cells), number, findings, minutes_of)
        if record is not None:
            yield record._replace(is_colored=bool(cells[_COLOR]))


def _raw_game(cells: list[str]) -> RawGame:
    event, section, _round, _leg, first, second, color, one, other = cells
    result = _RESULTS.get(one + other, f"{one}-{other}")
    if color == "B":
        first, second, result = second, first, _TURNED.get(result, result)
    return RawGame(
        date=f"{event[:4]}-{event[4:6]}-{event[6:8]}",
        white="",
        black="",
        result=result,
        event=f"{event}/{section}",
        white_id=first,
        black_id=second,
    )
