"""A rehearsal in a process of its own: whether a file can be read within its limits."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import BinaryIO

from .csv_games import read_csv
from .loading import Loaded, load
from .open_games import is_open_games, read_open_games
from .pgn_tags import read_pgn
from .records import MOST_GAMES

BEGIN = 4096


def read_text(content: bytes) -> Loaded:
    """Read a table of games or PGN, told by how it begins."""
    return read_stream(BytesIO(content), content[:BEGIN])


def read_stream(
    stream: BinaryIO, begin: bytes, *, most_games: int = MOST_GAMES
) -> Loaded:
    """Read the same from a stream of any size, of which *begin* is the beginning."""
    if begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return load(read_pgn(stream, most_games=most_games))
    reader = read_open_games if is_open_games(begin) else read_csv
    return load(reader(stream, most_games=most_games))


def main() -> None:
    read_text(sys.stdin.buffer.read())


if __name__ == "__main__":
    main()
