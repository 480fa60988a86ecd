"""Results of a foreign event as a table: one row per round and member.

The same rows come from CSV files and from spreadsheets.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from events.formats.foreign.report import (
    MAX_ROUNDS,
    Remark,
    ReportedForeignEvent,
    ReportedForeignGame,
    ReportedForeignPlayer,
    ReportedUnplayedRound,
    rejected_report,
)
from events.formats.parsing import (
    clean_text,
    parse_federation,
    parse_fide_id,
    parse_member_id,
    parse_rating,
)
from events.formats.translatable_text import error_text
from events.formats.translatable_text import translatable as _
from players.formats.text import decode_text

COLUMNS = {
    "member_id": _("the member’s ID, or"),
    "fide_id": _("the member’s FIDE ID; leave out both if all rows are for one member"),
    "round": _("number of the round"),
    "opponent_fide_id": _("the opponent’s FIDE ID, to look up the rating"),
    "opponent_name": _("the opponent’s name"),
    "opponent_federation": _("three letters, such as FRA"),
    "opponent_rating": _("FIDE rating, used only if it isn’t on our FIDE list"),
    "color": _("w or b"),
    "result": _("1, 0, ½ (or 0.5, =), + or - for a forfeit, or bye"),
}
REQUIRED_COLUMNS = ("round", "result")
# The template's former spelling, also the British one.
COLUMN_ALIASES = {"colour": "color"}
SAMPLE = (
    ("12345678", "", "1", "1503014", "Carlsen, Magnus", "NOR", "2830", "w", "0"),
    ("12345678", "", "2", "623539", "Vachier-Lagrave, Maxime", "FRA", "2732", "b", "½"),
    ("12345678", "", "3", "", "", "", "", "", "bye"),
)
MAX_ROWS = 5_000
MAX_REMARKS = 100
LAYOUT = "table"

_RESULTS = {
    **dict.fromkeys(("1", "1.0", "w", "win"), 2),
    **dict.fromkeys(("½", "1/2", "0.5", "0,5", "=", "d", "draw"), 1),
    **dict.fromkeys(("0", "0.0", "l", "loss"), 0),
}
_UNPLAYED = {"+": "won by forfeit", "-": "lost by forfeit", "bye": "bye"}
_COLORS = {"w": "W", "white": "W", "b": "B", "black": "B", "": "", "-": ""}


def template() -> str:
    """Return the CSV file to fill in, with made-up rows that show how."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([tuple(COLUMNS), *SAMPLE])
    return text.getvalue()


def read_csv(data: bytes) -> ReportedForeignEvent:
    """Read a CSV file; commas, semicolons and tabs are understood."""
    text = decode_text(data)
    first = text.split("\n", 1)[0]
    mark = max(",;\t", key=first.count)
    try:
        rows = [row for _line, row in iter_csv_rows(text, mark)]
    except csv.Error as error:
        return rejected_report(
            LAYOUT,
            _("We can’t read this file as a table: {error}.", error=error),
            _("Save it as CSV in your spreadsheet program, and upload that file."),
        )
    return read_rows(rows)


def iter_csv_rows(text: str, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row's first line number and its cells, separated by *mark*."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


def read_rows(rows: Sequence[Sequence[str]]) -> ReportedForeignEvent:
    """Read a table whose first row names the columns."""
    if not rows:
        return rejected_report(
            LAYOUT, _("The file is empty."), _("Choose another file.")
        )
    names = [_column_name(cell) for cell in rows[0]]
    if missing := [name for name in REQUIRED_COLUMNS if name not in names]:
        return rejected_report(
            LAYOUT,
            _("The first row has no column {names}.", names=", ".join(missing)),
            _("Use the columns of the template: {names}.", names=", ".join(COLUMNS)),
            _("Row {number}", number=1),
        )
    if len(rows) > MAX_ROWS + 1:
        return rejected_report(
            LAYOUT,
            _("The file has more than {most:,} rows.", most=MAX_ROWS),
            _("Upload the members of one event only."),
        )
    return _RowReader(names).reported(rows[1:])


def _column_name(cell: str) -> str:
    name = clean_text(cell).lower().replace(" ", "_")
    return COLUMN_ALIASES.get(name, name)


_Round = ReportedForeignGame | ReportedUnplayedRound
_Kind = TypeVar("_Kind", ReportedForeignGame, ReportedUnplayedRound)


class _RowReader:
    """Reads the rows, and collects rounds by member and remarks."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        # The first row of each member, and the rounds by number.
        self.members: dict[tuple[str, str], tuple[int, dict[int, _Round]]] = {}
        self.remarks: list[Remark] = []

    def reported(self, rows: Iterable[Sequence[str]]) -> ReportedForeignEvent:
        for number, row in enumerate(rows, start=2):
            if any(cell.strip() for cell in row):
                self._read(number, dict(zip(self.names, row, strict=False)))
        players = tuple(
            ReportedForeignPlayer(
                _("Row {number}", number=first_row),
                *ids,
                games=tuple(_of_kind(ReportedForeignGame, rounds)),
                rounds_off=tuple(_of_kind(ReportedUnplayedRound, rounds)),
            )
            for ids, (first_row, rounds) in self.members.items()
        )
        return ReportedForeignEvent(
            LAYOUT, None, players, truncate_remarks(self.remarks)
        )

    def _read(self, number: int, cells: dict[str, str]) -> None:
        try:
            key = (
                parse_member_id(cells.get("member_id", "")),
                parse_fide_id(cells.get("fide_id", "")),
            )
            round_ = _parse_row(cells)
        except ValueError as fault:
            self._add_remark(
                number,
                error_text(fault),
                _("We skipped this row. Correct it, and upload the file again."),
            )
            return
        _first, rounds = self.members.setdefault(key, (number, {}))
        if rounds.setdefault(round_.round_number, round_) is not round_:
            self._add_remark(
                number,
                _("This member has round {round} twice.", round=round_.round_number),
                _("We skipped the second row. Give each game its own round number."),
            )

    def _add_remark(self, number: int, sentence: str, hint: str) -> None:
        self.remarks.append(Remark(_("Row {number}", number=number), sentence, hint))


def _of_kind(kind: type[_Kind], rounds: Mapping[int, _Round]) -> Iterator[_Kind]:
    return (one for one in rounds.values() if isinstance(one, kind))


def truncate_remarks(remarks: Sequence[Remark]) -> tuple[Remark, ...]:
    """Return the first hundred remarks, and how many more there are."""
    if len(remarks) <= MAX_REMARKS:
        return tuple(remarks)
    more = len(remarks) - MAX_REMARKS
    rest = Remark(
        "",
        _("{more:,} more issues are not shown.", more=more),
        _("Correct these first."),
    )
    return (*remarks[:MAX_REMARKS], rest)


def _parse_row(cells: dict[str, str]) -> _Round:
    """Read one row, or raise ValueError with a sentence about the error."""
    number = parse_round(cells.get("round", ""))
    result = cells.get("result", "").strip().lower()
    if result in _UNPLAYED:
        return ReportedUnplayedRound(number, _UNPLAYED[result])
    if result not in _RESULTS:
        raise ValueError(
            _("The result “{written}” isn’t 1, ½ or 0.", written=clean_text(result, 20))
        )
    return ReportedForeignGame(
        round_number=number,
        opponent_name=clean_text(cells.get("opponent_name", "")),
        opponent_fide_id=parse_fide_id(cells.get("opponent_fide_id", "")),
        opponent_federation=parse_federation(cells.get("opponent_federation", "")),
        stated_rating=parse_rating(cells.get("opponent_rating", "")),
        color=_parse_color(cells.get("color", "")),
        half_points=_RESULTS[result],
    )


def parse_round(text: str) -> int:
    number = text.strip().removesuffix(".0")
    if number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= MAX_ROUNDS:
        return int(number)
    raise ValueError(
        _("The round “{written}” isn’t a round number.", written=clean_text(text, 20))
    )


def _parse_color(text: str) -> str:
    color = text.strip().lower()
    if color not in _COLORS:
        raise ValueError(
            _("The color “{written}” isn’t w or b.", written=clean_text(text, 20))
        )
    return _COLORS[color]
