"""FIDE's lists as text of fixed width, such as ``standard_rating_list.txt``.

The first line names the columns, and a column begins where its name begins. FIDE has
changed the layout before, so the places are taken from that line; names that we do not
know are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import BinaryIO

from players.importers.records import FideRow, Problem, Unreadable, fide_row

# A row is about 160 bytes long; no line of a list is ever near this.
LONGEST_LINE = 1000

_PEOPLE = ("id number", "name", "fed", "sex", "tit", "wtit", "otit")
_COMBINED = ("srtng", "sgm", "sk", "rrtng", "rgm", "rk", "brtng", "bgm", "bk")
_END = ("b-day", "flag")
_ONE_KIND = ("month", "gms", "k")
LAYOUTS = {
    (*_PEOPLE, "foa", *_COMBINED, *_END): "combined",
    (*_PEOPLE, *_COMBINED, *_END): "combined, without FOA",
    (*_PEOPLE, "foa", *_ONE_KIND, *_END): "one kind",
    (*_PEOPLE, *_ONE_KIND, *_END): "one kind, without FOA",
}
_NAMED = re.compile(r"ID number|\S+", re.IGNORECASE)
_MONTH = re.compile(r"([A-Z]{3})(\d\d)", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905 (reads best as prose)
_NO_COLUMN = slice(0, 0)


class FixedWidthList:
    """Reads one list. *problem* says why it cannot be read at all, if so.

    *month* is the first day of the month that the column of ratings is named after
    (lists of one kind only), *bytes_read* how far the reading has come.
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
        for found in _NAMED.finditer(header):
            name = found.group().lower()
            if month := _month(name):
                name, self.month = "month", month
            names.append(name)
            starts.append(found.start())
        self.layout = LAYOUTS.get(tuple(names), "")
        if not self.layout:
            self.problem = Problem(
                "The first line does not name the columns of a FIDE list: "
                f"{header.strip()[:100]!r}.",
                "Send the file as FIDE gives it, text or XML, packed as ZIP or not.",
                line=1,
                byte=0,
                final=True,
            )
            return
        ends = [*starts[1:], LONGEST_LINE]
        self._columns = {
            name: slice(start, end)
            for name, start, end in zip(names, starts, ends, strict=True)
        }
        self._width = len(header.rstrip())

    def _next_line(self) -> str:
        # Latin-1 keeps every byte one column wide, whatever it means.
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
            if problem := self._cut_off(line, text, was_padded, begins):
                yield problem
                return
            was_padded = len(text) >= self._width
            yield self._row_or_problem(text, begins)

    def _cut_off(
        self, line: str, text: str, was_padded: bool, begins: int
    ) -> Problem | None:
        """Tell whether the file ends, or goes on for ever, in the middle of a line."""
        if line.endswith("\n"):
            return None
        if len(line) >= LONGEST_LINE:
            sentence = f"Line {self._line:,} is longer than any line of a FIDE list."
        else:
            needed = self._columns["b-day"].start + 4
            if len(text) >= (self._width if was_padded else needed):
                return None
            sentence = (
                f"The file ends in the middle of line {self._line:,}, "
                f"after {self.bytes_read:,} bytes."
            )
        return Problem(
            sentence,
            "Load the file from FIDE again.",
            line=self._line,
            byte=begins,
            final=True,
        )

    def _row_or_problem(self, text: str, begins: int) -> FideRow | Problem:
        first_fault = ""
        for variant in self._variants(text):
            try:
                return self._row(variant)
            except Unreadable as error:
                first_fault = first_fault or str(error)
        return Problem(
            first_fault,
            "Do the columns stand where the first line names them?",
            line=self._line,
            byte=begins,
        )

    def _variants(self, text: str) -> Iterator[str]:
        """Yield the line as it is, then as it may have been meant."""
        yield text
        if not text.isascii():
            # Some programs count the letters of a line, not its bytes.
            yield _decoded(text)
        too_long = len(text.rstrip()) - self._width
        if 0 < too_long <= 12:
            # Too many titles push everything to their right out of its columns.
            titles = self._columns["otit"].start
            yield text[:titles] + text[titles + too_long :]

    def _row(self, text: str) -> FideRow:
        columns = self._columns
        place = columns.get

        def cell(name: str) -> str:
            return text[place(name, _NO_COLUMN)].strip()

        name = cell("name")
        if not name.isascii():
            name = _decoded(name)
        if "month" in columns:
            rating, games, k = cell("month"), cell("gms"), cell("k")
        else:
            rating, games, k = cell("srtng"), cell("sgm"), cell("sk")
        return fide_row(
            fide_id=cell("id number"),
            name=name,
            federation=cell("fed"),
            sex=cell("sex"),
            title=cell("tit"),
            women_title=cell("wtit"),
            birth_year=cell("b-day"),
            flag=cell("flag"),
            rating=rating,
            games=games,
            k=k,
            rapid=cell("rrtng"),
            rapid_games=cell("rgm"),
            blitz=cell("brtng"),
            blitz_games=cell("bgm"),
        )


def _decoded(text: str) -> str:
    """Return what was read as Latin-1 as UTF-8, if it can be that."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _month(name: str) -> date | None:
    """Return the month that a column such as ``OCT26`` is named after.

    >>> _month("oct26")
    datetime.date(2026, 10, 1)
    """
    found = _MONTH.fullmatch(name)
    if found is None or found.group(1).lower() not in _MONTHS:
        return None
    month = _MONTHS.index(found.group(1).lower()) + 1
    return date(2000 + int(found.group(2)), month, 1)
