"""FIDE's lists as XML: ``<playerslist><player><fideid>…``, read as a stream.

A list declares no document type and no entities; a file that does is refused, because
entities can expand without limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import BinaryIO
from xml.parsers import expat

from players.formats.fide_rows import (
    FideRow,
    Problem,
    UnreadableRow,
    fide_row,
    translatable,
)

_ROOT, _PLAYER = "playerslist", "player"
_PIECE = 1 << 18
_LONGEST_TEXT = 500


class _NotFideList(Exception):
    """The document is not a FIDE list; the message says why."""


class XmlList:
    """Reads one list, with the interface of the fixed-width reader."""

    layout = "XML"
    month: date | None = None
    problem: Problem | None = None

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.bytes_read = 0
        self._found: list[tuple[dict[str, str], int, int]] = []
        self._cells: dict[str, str] | None = None
        self._tag = ""
        self._place = (0, 0)
        self._depth = 0
        self._parser = self._create_parser()

    def _create_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._refuse_declarations
        parser.EntityDeclHandler = self._refuse_declarations
        return parser

    def _refuse_declarations(self, *_: object) -> None:
        raise _NotFideList(translatable("The file isn’t one of FIDE’s lists."))

    def _start(self, tag: str, _attributes: object) -> None:
        self._depth += 1
        if self._depth == 3:
            self._tag = tag
        elif self._depth == 2 and tag == _PLAYER:
            self._cells = {}
            self._place = (
                self._parser.CurrentLineNumber,
                self._parser.CurrentByteIndex,
            )
        elif (self._depth == 1 and tag != _ROOT) or self._depth > 3:
            raise _NotFideList(translatable("The file isn’t one of FIDE’s lists."))

    def _text(self, text: str) -> None:
        if self._depth == 3 and self._cells is not None:
            known = self._cells.get(self._tag, "") + text
            self._cells[self._tag] = known[:_LONGEST_TEXT]

    def _end(self, _tag: str) -> None:
        if self._depth == 2 and self._cells is not None:
            self._found.append((self._cells, *self._place))
            self._cells = None
        self._depth -= 1

    def read(self) -> Iterator[FideRow | Problem]:
        """Yield a row or a problem for each player."""
        is_last = False
        while not is_last:
            piece = self._stream.read(_PIECE)
            is_last = not piece
            self.bytes_read += len(piece)
            failure = self._feed(piece, is_last)
            for cells, line, byte in self._found:
                yield _row_or_problem(cells, line, byte)
            self._found.clear()
            if failure is not None:
                yield failure
                return

    def _feed(self, piece: bytes, is_last: bool) -> Problem | None:
        parser = self._parser
        try:
            parser.Parse(piece, is_last)
        except _NotFideList as refusal:
            sentence = str(refusal)
            hint = translatable("Upload the list as you got it from FIDE.")
        except expat.ExpatError:
            if is_last:
                sentence = translatable("The end of the file is missing.")
            else:
                sentence = translatable("The XML is damaged.")
            hint = translatable("Download the file from FIDE again.")
        except (LookupError, ValueError):  # raised by Python's lookup of the encoding
            sentence = translatable("We can’t read the file’s encoding.")
            hint = translatable("Download the file from FIDE again.")
        else:
            return None
        return Problem(
            sentence,
            hint,
            line=parser.CurrentLineNumber,
            byte=parser.CurrentByteIndex,
            final=True,
        )


def _row_or_problem(cells: dict[str, str], line: int, byte: int) -> FideRow | Problem:
    try:
        return fide_row({name: text.strip() for name, text in cells.items()})
    except UnreadableRow as error:
        hint = translatable("Look up this player on FIDE’s site.")
        return error.problem(hint, line, byte)
