"""FIDE's lists as text of fixed width, such as ``standard_rating_list.txt``.

The first line names the columns, and a column begins where its name begins. FIDE has
changed the layout before, so positions are taken from that line; unknown names are
refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import BinaryIO

from players.formats.fide_rows import (
    FideRow,
    Problem,
    UnreadableRow,
    fide_row,
    translatable,
)

# A row is about 160 bytes long, far below this limit.
LONGEST_LINE = 1000

_PERSON_COLUMNS = ("id number", "name", "fed", "sex", "tit", "wtit", "otit")
_COMBINED_COLUMNS = ("srtng", "sgm", "sk", "rrtng", "rgm", "rk", "brtng", "bgm", "bk")
_LAST_COLUMNS = ("b-day", "flag")
_SINGLE_COLUMNS = ("month", "gms", "k")
LAYOUTS = {
    (*_PERSON_COLUMNS, "foa", *_COMBINED_COLUMNS, *_LAST_COLUMNS): "combined",
    (*_PERSON_COLUMNS, *_COMBINED_COLUMNS, *_LAST_COLUMNS): "combined, without FOA",
    (*_PERSON_COLUMNS, "foa", *_SINGLE_COLUMNS, *_LAST_COLUMNS): "one kind",
    (*_PERSON_COLUMNS, *_SINGLE_COLUMNS, *_LAST_COLUMNS): "one kind, without FOA",
}
# The names that columns have in the XML lists, where they differ.
_XML_NAMES = {
    **{"id number": "fideid", "fed": "country", "tit": "title", "wtit": "w_title"},
    **{"b-day": "birthday", "month": "rating", "gms": "games"},
    **{"srtng": "rating", "sgm": "games", "sk": "k"},
    **{"rrtng": "rapid_rating", "rgm": "rapid_games"},
    **{"brtng": "blitz_rating", "bgm": "blitz_games"},
}
_COLUMN_NAME = re.compile(r"ID number|\S+", re.IGNORECASE)
_MONTH = re.compile(r"([A-Z]{3})(\d\d)", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905 (reads best as prose)


class FixedWidthList:
    """Reads one list. *problem* says why it cannot be read at all, if so.

    *month* is the first day of the month in the name of the rating column (lists of one
    rating type only), *bytes_read* the reader's progress.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.layout = ""
        self.month: date | None = None
        self.problem: Problem | None = None
        self.bytes_read = 0
        self._line = 0
        self._width = 0
        self._columns: dict[str, slice] = {}
        self._read_header()

    def _read_header(self) -> None:
        header = self._next_line().removeprefix("\xef\xbb\xbf")
        names, starts = [], []
        for found in _COLUMN_NAME.finditer(header):
            name = found.group().lower()
            if month := _month(name):
                name, self.month = "month", month
            names.append(name)
            starts.append(found.start())
        self.layout = LAYOUTS.get(tuple(names), "")
        if not self.layout:
            self.problem = Problem(
                translatable("The first line has no columns of a FIDE list: {header}"),
                translatable("Upload the list as you got it from FIDE."),
                line=1,
                byte=0,
                final=True,
                values={"header": header.strip()[:100]},
            )
            return
        ends = [*starts[1:], LONGEST_LINE]
        self._columns = {
            _XML_NAMES.get(name, name): slice(start, end)
            for name, start, end in zip(names, starts, ends, strict=True)
        }
        self._width = len(header.rstrip())

    def _next_line(self) -> str:
        # Latin-1 keeps every byte one column wide, in any encoding.
        raw = self._stream.readline(LONGEST_LINE)
        self._line += 1
        self.bytes_read += len(raw)
        return raw.decode("latin-1")

    def read(self) -> Iterator[FideRow | Problem]:
        """Yield a row or a problem for each player."""
        if self.problem is not None:
            return
        was_padded = False
        while True:
            begins = self.bytes_read
            line = self._next_line()
            if not line:
                return
            text = line.rstrip("\r\n")
            if not text.strip(" \x1a"):
                continue
            if problem := self._truncation_problem(line, text, was_padded, begins):
                yield problem
                return
            was_padded = len(text) >= self._width
            yield self._row_or_problem(text, begins)

    def _truncation_problem(
        self, line: str, text: str, was_padded: bool, begins: int
    ) -> Problem | None:
        """Return a problem if the file ends within a line, or a line never ends."""
        if line.endswith("\n"):
            return None
        if len(line) >= LONGEST_LINE:
            sentence = translatable("The line is longer than any line of a FIDE list.")
        else:
            needed = self._columns["birthday"].start + 4
            if len(text) >= (self._width if was_padded else needed):
                return None
            sentence = translatable("The file ends in the middle of this line.")
        return Problem(
            sentence,
            translatable("Download the file from FIDE again."),
            line=self._line,
            byte=begins,
            final=True,
        )

    def _row_or_problem(self, text: str, begins: int) -> FideRow | Problem:
        faults: list[UnreadableRow] = []
        for variant in self._variants(text):
            try:
                return self._row(variant)
            except UnreadableRow as error:
                faults.append(error)
        hint = translatable("Compare its columns with the first line.")
        return faults[0].problem(hint, self._line, begins)

    def _variants(self, text: str) -> Iterator[str]:
        """Yield the line unchanged, then with likely corrections."""
        yield text
        if not text.isascii():
            # Some programs align columns by characters, not by bytes.
            yield _decoded(text)
        too_long = len(text.rstrip()) - self._width
        if 0 < too_long <= 12:
            # Too many titles shift the columns to their right.
            titles = self._columns["otit"].start
            yield text[:titles] + text[titles + too_long :]

    def _row(self, text: str) -> FideRow:
        cells = {name: text[place].strip() for name, place in self._columns.items()}
        if not cells["name"].isascii():
            cells["name"] = _decoded(cells["name"])
        return fide_row(cells)


def _decoded(text: str) -> str:
    """Return text decoded as Latin-1 as UTF-8, if it is valid UTF-8."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _month(name: str) -> date | None:
    """Return the month in the name of a column such as ``OCT26``.

    >>> _month("oct26")
    datetime.date(2026, 10, 1)
    """
    found = _MONTH.fullmatch(name)
    if found is None or found.group(1).lower() not in _MONTHS:
        return None
    month = _MONTHS.index(found.group(1).lower()) + 1
    return date(2000 + int(found.group(2)), month, 1)
