"""Reads a file in a separate process, to test that it stays within its limits."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import BinaryIO

from .csv_games import read_csv
from .history_loader import LoadedHistory, load_history
from .open_games import is_open_games, read_open_games
from .pgn_tags import read_pgn
from .records import MAX_GAMES

BEGIN = 4096


def read_text(content: bytes) -> LoadedHistory:
    """Read a table of games or PGN, depending on its beginning."""
    return read_stream(BytesIO(content), content[:BEGIN])


def read_stream(
    stream: BinaryIO, begin: bytes, *, max_games: int = MAX_GAMES
) -> LoadedHistory:
    """Read the same from a stream of any size; *begin* is its beginning."""
    if begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return load_history(read_pgn(stream, max_games=max_games))
    reader = read_open_games if is_open_games(begin) else read_csv
    return load_history(reader(stream, max_games=max_games))


def main() -> None:
    read_text(sys.stdin.buffer.read())


if __name__ == "__main__":
    main()
