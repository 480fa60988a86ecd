"""Games from a table: a line each, under a first line that names the columns."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import BinaryIO, Final

from ratings.laboratory.words import _

from .findings import Findings
from .lines import MAX_LINE_LENGTH, decode_line, numbered_lines
from .online_facts import COLUMNS as ONLINE_COLUMNS
from .online_facts import read_facts
from .record_builder import RawGame, build_record
from .records import MAX_GAMES, GameRecord, Reading, read_records
from .value_parsers import minutes_of

DELIMITERS: Final = ",;\t|"
NEEDED: Final = ("date", "white", "black", "result")

_SPELLINGS: Final = {
    "date": "date, day, played, played on, game date, utc date, fecha, datum",
    "white": "white, white name, white player, name white, whites, blancas, weiss",
    "black": "black, black name, black player, name black, blacks, negras, schwarz",
    "result": "result, score, points, outcome, white score, white points, white result"
    ", game result, resultado, ergebnis",
    "event": "event, event name, event id, tournament, section, torneo, turnier",
    "white_id": "white id, white fide id, white member id, white uscf id, id white",
    "black_id": "black id, black fide id, black member id, black uscf id, id black",
    "white_rating": "white rating, white elo, white rtg, rating white, elo white",
    "black_rating": "black rating, black elo, black rtg, rating black, elo black",
    "white_birth_year": "white born, white birth year, white year of birth, "
    "white birth date, white date of birth, white birthday, white yob",
    "black_birth_year": "black born, black birth year, black year of birth, "
    "black birth date, black date of birth, black birthday, black yob",
    "minutes": "minutes, time control, tc, control",
    **{name: name for name in ONLINE_COLUMNS},
}


def read_csv(stream: BinaryIO, *, max_games: int = MAX_GAMES) -> Reading:
    """Return the games of a table, read lazily.

    The first line names the columns, in any order and many spellings: date, white,
    black and result; and if there are such, event, white ID, white rating, white born,
    the same of Black, and minutes for 60 moves or a time control; for FIDE Online Arena
    those of `online_facts`. Columns are separated by commas, semicolons, tabs or bars.
    Bad content never raises; it is reported in findings.

    >>> from io import BytesIO
    >>> table = b"Date;White;Black;Result\\n2024-05-04;Ann;Bob;1-0\\n;Ann;Bob;0-1\\n"
    >>> reading = read_csv(BytesIO(table))
    >>> [(game.white, game.points) for game in reading]
    [('Ann', 1.0)]
    >>> print(*reading.findings)
    Line 3: The game has no date. The game was left out. Add the date of the \
game.
    """
    return read_records(_records, stream, max_games)


def _records(stream: BinaryIO, findings: Findings) -> Iterator[GameRecord]:
    lines = numbered_lines(stream)
    table = _table(lines, findings)
    if table is None:
        return
    for number, line in lines:
        cells = table.cells(number, line)
        if cells is not None:
            record = build_record(table.raw_game(cells), number, findings, minutes_of)
            if record is not None:
                facts = read_facts(table.online(cells), number, findings)
                yield record._replace(online=facts) if facts else record


class _Table:
    """The columns of a table, and its lines."""

    def __init__(
        self, delimiter: str, columns: Sequence[str], findings: Findings
    ) -> None:
        self.delimiter = delimiter
        self.width = len(columns)
        self.findings = findings
        # A column that is not there is read from an empty cell after the last one.
        self._pick = itemgetter(
            *(
                columns.index(field) if field in columns else self.width
                for field in RawGame._fields
            )
        )
        self._online = {
            name: columns.index(name) for name in ONLINE_COLUMNS if name in columns
        }

    def cells(self, number: int, line: bytes) -> list[str] | None:
        """Return the cells of a line; None if it is empty or cannot be split."""
        if len(line) > MAX_LINE_LENGTH:
            self.findings.skip(
                "long_line",
                number,
                _("The line is longer than {most:,} bytes."),
                most=MAX_LINE_LENGTH,
            )
            return None
        text = decode_line(line, number, self.findings)
        if not text.strip():
            return None
        try:
            cells = cells_of(text, self.delimiter)
        except csv.Error:
            self.findings.skip(
                "quotation", number, _("A quotation mark is not closed.")
            )
            return None
        missing = self.width + 1 - len(cells)
        if missing > 0:
            cells.extend([""] * missing)
        elif any(cells[self.width :]):
            self.findings.skip(
                "cells",
                number,
                _("The line has {cells} cells, but there are {columns} columns."),
                _("Put names with a comma in quotation marks."),
                cells=len(cells),
                columns=self.width,
            )
            return None
        return cells

    def raw_game(self, cells: Sequence[str]) -> RawGame:
        return RawGame._make(self._pick(cells))

    def online(self, cells: Sequence[str]) -> dict[str, str]:
        """Return the cells of columns for FIDE Online Arena, by column."""
        return {name: cells[place] for name, place in self._online.items()}


def cells_of(text: str, delimiter: str) -> list[str]:
    """Return the cells of one line, without blanks around them.

    Raises csv.Error where a quotation mark is not closed.

    >>> cells_of('2024-05-04, "Lee, Ann",Bob', ",")
    ['2024-05-04', 'Lee, Ann', 'Bob']
    """
    if '"' not in text:
        return [cell.strip() for cell in text.split(delimiter)]
    rows = csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=True)
    return [cell.strip() for cell in next(rows)]


def _table(lines: Iterator[tuple[int, bytes]], findings: Findings) -> _Table | None:
    """Return the table's dialect and columns from its first lines; None if unknown."""
    delimiters = DELIMITERS
    for number, line in lines:
        if b"\x00" in line or len(line) > MAX_LINE_LENGTH:
            findings.remark(
                "no_text",
                number,
                _("This is not a text file, so no games were read."),
                _("Save the table as CSV in UTF-8."),
            )
            return None
        text = decode_line(line, number, findings).lstrip("\ufeff")
        if text[:4].casefold() == "sep=" and len(text.strip()) == 5:
            delimiters = text[4]
        elif text.strip():
            return _headed(text, number, delimiters, findings)
    return None


def _headed(
    text: str, number: int, delimiters: str, findings: Findings
) -> _Table | None:
    delimiter = max(delimiters, key=lambda one: _known(_headings(text, one)))
    headings = _headings(text, delimiter)
    columns = _columns(headings, number, findings)
    missing = [
        one for one in NEEDED if one not in columns and f"{one}_id" not in columns
    ]
    if missing:
        findings.remark(
            "columns",
            number,
            _("The file has no column named {missing}, so no games were read."),
            _("Name the columns in the first line: date, white, black, result."),
            missing=", ".join(missing),
        )
        return None
    return _Table(delimiter, columns, findings)


def _headings(text: str, delimiter: str) -> list[str]:
    try:
        return cells_of(text, delimiter)
    except csv.Error:
        return []


def _known(headings: Sequence[str]) -> int:
    return sum(plain(heading) in _MEANING for heading in headings)


def _columns(headings: Sequence[str], number: int, findings: Findings) -> list[str]:
    """Return the field of each column, empty where it is not used."""
    columns: list[str] = []
    for heading in headings:
        field = _MEANING.get(plain(heading), "")
        if field in columns:
            field = ""
        if not field and heading:
            findings.remark(
                "unused_column",
                number,
                _("The column “{heading}” was ignored."),
                heading=heading,
            )
        columns.append(field)
    while columns and not columns[-1]:
        # Some programs end each line with a delimiter, which ends no column.
        if headings[len(columns) - 1]:
            break
        columns.pop()
    return columns


def plain(text: str) -> str:
    """Return a heading for comparison: lower case letters and digits only.

    >>> plain("White_ELO "), plain("Weiß"), plain("Año")
    ('whiteelo', 'weiss', 'ano')
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(filter(str.isalnum, letters))


_MEANING: Final = {
    plain(spelling): field
    for field, spellings in _SPELLINGS.items()
    for spelling in spellings.split(",")
}
