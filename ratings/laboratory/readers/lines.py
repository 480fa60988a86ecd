"""The lines of a file of any size, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

from ratings.laboratory.words import _

from .findings import Findings

MAX_LINE_LENGTH: Final = 10_000
"""Bytes of a line that are read; of a longer one only its beginning is handed on."""
_BLOCK: Final = 1 << 18


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    r"""Yield the number, from 1, and the bytes of each line, without its end.

    Lines end as on any system, in \n, \r\n or \r. Memory stays bounded whatever the
    file holds: a line that is too long comes with one byte more than `MAX_LINE_LENGTH`.

    >>> from io import BytesIO
    >>> list(numbered_lines(BytesIO(b"one\r\ntwo\rthree")))
    [(1, b'one'), (2, b'two'), (3, b'three')]
    """
    number = 0
    rest = b""
    while block := stream.read(_BLOCK):
        lines = (rest + block).splitlines(keepends=True)
        # The last line may go on in the next block, and its \r may be half of \r\n.
        rest = b"" if lines[-1].endswith(b"\n") else _truncated(lines.pop())
        for line in lines:
            number += 1
            yield number, line.rstrip(b"\r\n")[: MAX_LINE_LENGTH + 1]
    if rest:
        yield number + 1, rest.rstrip(b"\r")[: MAX_LINE_LENGTH + 1]


def _truncated(line: bytes) -> bytes:
    """Return the part to keep of a line that is too long."""
    if len(line) <= MAX_LINE_LENGTH + 2:
        return line
    end = b"\r" if line.endswith(b"\r") else b""
    return line[: MAX_LINE_LENGTH + 1] + end


def decode_line(line: bytes, number: int, findings: Findings) -> str:
    """Return a line as text: UTF-8, else Windows-1252."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        findings.remark(
            "encoding",
            number,
            _("This line is not UTF-8. It was read as Windows-1252."),
            _("Check the names."),
        )
        return line.decode("cp1252", errors="replace")
