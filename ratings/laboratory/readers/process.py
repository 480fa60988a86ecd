"""A rehearsal in a process of its own: whether a file can be read within its limits."""

from __future__ import annotations

import sys
from io import BytesIO

from .csv_games import read_csv
from .loading import Loaded, load
from .pgn_tags import read_pgn


def read_text(content: bytes) -> Loaded:
    """Read a table of games or PGN, told by how it begins."""
    is_pgn = content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return load((read_pgn if is_pgn else read_csv)(BytesIO(content)))


def main() -> None:
    read_text(sys.stdin.buffer.read())


if __name__ == "__main__":
    main()
