"""Games from a table: a line each, under a first line that names the columns."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import BinaryIO, Final

from ratings.laboratory.words import _

from .findings import Effect, Findings
from .lines import LONGEST_LINE, decoded, numbered_lines
from .making import Told, record_of
from .records import MOST_GAMES, GameRecord, Reading, first_games
from .values import minutes_of

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
    "white_born": "white born, white birth year, white year of birth, white birth date"
    ", white date of birth, white birthday, white yob",
    "black_born": "black born, black birth year, black year of birth, black birth date"
    ", black date of birth, black birthday, black yob",
    "minutes": "minutes, time control, tc, control",
}


def read_csv(stream: BinaryIO, *, most_games: int = MOST_GAMES) -> Reading:
    """Return the games of a table, read as they are asked for.

    The first line names the columns, in any order and many spellings: date, white,
    black and result; and if there are such, event, white ID, white rating, white born,
    the same of Black, and minutes for 60 moves or a time control. Columns are parted by
    commas, semicolons, tabs or bars. Bad content never raises; it is told in findings.

    >>> from io import BytesIO
    >>> table = b"Date;White;Black;Result\\n2024-05-04;Ann;Bob;1-0\\n;Ann;Bob;0-1\\n"
    >>> reading = read_csv(BytesIO(table))
    >>> [(game.white, game.points) for game in reading]
    [('Ann', 1.0)]
    >>> print(*reading.findings)
    Line 3: The game has no date. The game was left out. Add the day on which it was \
played.
    """
    findings = Findings()
    return Reading(
        first_games(_records(stream, findings), most_games, findings), findings
    )


def _records(stream: BinaryIO, findings: Findings) -> Iterator[GameRecord]:
    lines = numbered_lines(stream)
    table = _table(lines, findings)
    if table is None:
        return
    for number, line in lines:
        told = table.told(number, line)
        if told is not None:
            record = record_of(told, number, findings, minutes_of)
            if record is not None:
                yield record


class _Table:
    """How the columns of a table lie, and what its lines say."""

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
                for field in Told._fields
            )
        )

    def told(self, number: int, line: bytes) -> Told | None:
        """Return what a line says; None if it is empty or cannot be parted."""
        if len(line) > LONGEST_LINE:
            self._leave_out(
                number,
                "long_line",
                _("The line is longer than {most:,} bytes."),
                most=LONGEST_LINE,
            )
            return None
        text = decoded(line, number, self.findings)
        if not text.strip():
            return None
        try:
            cells = cells_of(text, self.delimiter)
        except csv.Error:
            self._leave_out(
                number, "quotation", _("A quotation mark opens and does not close.")
            )
            return None
        missing = self.width + 1 - len(cells)
        if missing > 0:
            cells.extend([""] * missing)
        elif any(cells[self.width :]):
            self._leave_out(
                number,
                "cells",
                _("The line has {cells} cells, but there are {columns} columns."),
                _("Put names that hold a comma into quotation marks."),
                cells=len(cells),
                columns=self.width,
            )
            return None
        return Told._make(self._pick(cells))

    def _leave_out(
        self, number: int, kind: str, pattern: str, hint: str = "", **values: object
    ) -> None:
        self.findings.add(kind, Effect.LEFT_OUT, number, pattern, hint, **values)


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
    """Return how the table is made, from the first lines; None if it has no such."""
    delimiters = DELIMITERS
    for number, line in lines:
        if b"\x00" in line or len(line) > LONGEST_LINE:
            findings.add(
                "no_text",
                Effect.REMARK,
                number,
                _("This is not text in lines; nothing was read."),
                _("Save the table as CSV in UTF-8."),
            )
            return None
        text = decoded(line, number, findings).lstrip("\ufeff")
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
        findings.add(
            "columns",
            Effect.REMARK,
            number,
            _("No column is named {missing}, so nothing was read."),
            _("Let the first line name the columns: date, white, black, result."),
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
    """Return what each column holds, empty where it is not used."""
    columns: list[str] = []
    for heading in headings:
        field = _MEANING.get(plain(heading), "")
        if field in columns:
            field = ""
        if not field and heading:
            findings.add(
                "unused_column",
                Effect.REMARK,
                number,
                _("The column “{heading}” is not used."),
                heading=heading,
            )
        columns.append(field)
    while columns and not columns[-1]:
        # Programs end each line with a delimiter; what it ends is no column.
        if headings[len(columns) - 1]:
            break
        columns.pop()
    return columns


def plain(text: str) -> str:
    """Return a heading as it is compared: small letters and digits only.

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
