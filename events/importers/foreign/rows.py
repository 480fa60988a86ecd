"""Results of a foreign event as a table: one row per round and member.

The same rows come from CSV files and from spreadsheets.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from events.importers.foreign.records import (
    MOST_ROUNDS,
    GameAbroad,
    PlayerAbroad,
    Remark,
    ReportedForeignEvent,
    RoundOff,
    federation_in,
    fide_id_in,
    member_id_in,
    rating_in,
    refused,
    tidy,
)

COLUMNS = {
    "member_id": "ID of the member; or",
    "fide_id": "FIDE ID of the member; both may be missing if all rows are of one",
    "round": "number of the round",
    "opponent_fide_id": "FIDE ID of the opponent, by which the rating is looked up",
    "opponent_name": "name of the opponent",
    "opponent_federation": "three letters, such as FRA",
    "opponent_rating": "FIDE rating, used only where the stored list cannot tell",
    "color": "w or b",
    "result": "1, 0, ½ (or 0.5, =), + or - for a forfeit, bye",
}
NEEDED = ("round", "result")
# So the template spelled it once, and so do Britons.
OTHER_NAMES = {"colour": "color"}
SAMPLE = (
    ("12345678", "", "1", "1503014", "Carlsen, Magnus", "NOR", "2830", "w", "0"),
    ("12345678", "", "2", "623539", "Vachier-Lagrave, Maxime", "FRA", "2732", "b", "½"),
    ("12345678", "", "3", "", "", "", "", "", "bye"),
)
MOST_ROWS = 5_000
MOST_REMARKS = 100
LAYOUT = "table"

_RESULTS = {
    "1": 2,
    "1.0": 2,
    "w": 2,
    "win": 2,
    "½": 1,
    "1/2": 1,
    "0.5": 1,
    "0,5": 1,
    "=": 1,
    "d": 1,
    "draw": 1,
    "0": 0,
    "0.0": 0,
    "l": 0,
    "loss": 0,
}
_OFF = {"+": "won by forfeit", "-": "lost by forfeit", "bye": "bye"}
_COLORS = {"w": "W", "white": "W", "b": "B", "black": "B", "": "", "-": ""}


def template() -> str:
    """Return the CSV file to fill in, with made-up rows that show how."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([tuple(COLUMNS), *SAMPLE])
    return text.getvalue()


def read_csv(data: bytes) -> ReportedForeignEvent:
    """Read a CSV file; commas, semicolons and tabs are understood."""
    text = decoded(data)
    first = text.split("\n", 1)[0]
    mark = max(",;\t", key=first.count)
    try:
        rows = [row for _, row in rows_of(text, mark)]
    except csv.Error as error:
        return refused(
            LAYOUT,
            f"This is not a table: {error}.",
            "Save it as CSV from your spreadsheet program, and send that file.",
        )
    return read_rows(rows)


def rows_of(text: str, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows between whose cells *mark* stands, and the line each begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


def decoded(data: bytes) -> str:
    """Return the text of a file: UTF-8, or else what Western Windows writes.

    Where only some letters are not UTF-8, each is decoded by itself, so that it never
    changes the columns of others. Byte order marks of joined files are left out.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        mixed = bool(odd_letter_lines(data))
        encoding = ("utf-8", _AS_WINDOWS) if mixed else ("cp1252", "replace")
        text = data.decode(*encoding)
    return text.replace("\ufeff", "")


def odd_letter_lines(data: bytes) -> list[int]:
    """Return the lines of a UTF-8 file that hold letters in another encoding.

    >>> odd_letter_lines("Bürch\\nMüller".encode() + b"\\nB\\xfcrch")
    [3]
    >>> odd_letter_lines(b"B\\xfcrch"), odd_letter_lines("Bürch".encode())
    ([], [])
    """
    odd, holds_utf_8 = [], False
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", data), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            odd.append(number)
        else:
            holds_utf_8 |= not line.removeprefix(codecs.BOM_UTF8).isascii()
    return odd if holds_utf_8 or data.startswith(codecs.BOM_UTF8) else []


def _windows_letter(error: UnicodeError) -> tuple[str, int]:
    """Decode one byte that is not UTF-8 as Western Windows writes it."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start : error.start + 1]
    return byte.decode("cp1252", errors="replace"), error.start + 1


_AS_WINDOWS = "windows_letters"
codecs.register_error(_AS_WINDOWS, _windows_letter)


def read_rows(rows: Sequence[Sequence[str]]) -> ReportedForeignEvent:
    """Read a table whose first row names the columns."""
    if not rows:
        return refused(LAYOUT, "The file is empty.", "Choose another file.")
    names = [_column_name(cell) for cell in rows[0]]
    if missing := [name for name in NEEDED if name not in names]:
        return refused(
            LAYOUT,
            f"The first row does not name the column {' and '.join(missing)}.",
            f"Name the columns {', '.join(COLUMNS)}; the template has them.",
            "Row 1",
        )
    if len(rows) > MOST_ROWS + 1:
        return refused(
            LAYOUT,
            f"There are {len(rows) - 1:,} rows; at most {MOST_ROWS:,} are read.",
            "Send the members of one event only.",
        )
    return _Reading(names).reported(rows[1:])


def _column_name(cell: str) -> str:
    name = tidy(cell).lower().replace(" ", "_")
    return OTHER_NAMES.get(name, name)


@dataclass
class _Member:
    """A member's rounds as they are gathered."""

    first_row: int
    games: list[GameAbroad] = field(default_factory=list)
    rounds_off: list[RoundOff] = field(default_factory=list)
    rounds: set[int] = field(default_factory=set)


class _Reading:
    """Goes through the rows, gathers rounds by member and remembers the faults."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.members: dict[tuple[str, str], _Member] = {}
        self.remarks: list[Remark] = []

    def reported(self, rows: Iterable[Sequence[str]]) -> ReportedForeignEvent:
        for number, row in enumerate(rows, start=2):
            if any(cell.strip() for cell in row):
                self._read(number, dict(zip(self.names, row, strict=False)))
        players = tuple(
            PlayerAbroad(
                f"Row {member.first_row}",
                member_id,
                fide_id,
                games=tuple(member.games),
                rounds_off=tuple(member.rounds_off),
            )
            for (member_id, fide_id), member in self.members.items()
        )
        return ReportedForeignEvent(LAYOUT, None, players, shortened(self.remarks))

    def _read(self, number: int, cells: dict[str, str]) -> None:
        try:
            who = (
                member_id_in(cells.get("member_id", "")),
                fide_id_in(cells.get("fide_id", "")),
            )
            what = _round_in(cells)
        except ValueError as fault:
            self._say(number, str(fault), "The row was left out; correct it.")
            return
        member = self.members.setdefault(who, _Member(number))
        if what.round_number in member.rounds:
            self._say(
                number,
                f"Round {what.round_number} of this member stands there already.",
                "The second row was left out. Give every game its own round number.",
            )
            return
        member.rounds.add(what.round_number)
        if isinstance(what, GameAbroad):
            member.games.append(what)
        else:
            member.rounds_off.append(what)

    def _say(self, number: int, sentence: str, hint: str) -> None:
        self.remarks.append(Remark(f"Row {number}", sentence, hint))


def shortened(remarks: Sequence[Remark]) -> tuple[Remark, ...]:
    """Return the first hundred remarks, and how many more there are."""
    if len(remarks) <= MOST_REMARKS:
        return tuple(remarks)
    more = len(remarks) - MOST_REMARKS
    rest = Remark("", f"There are {more:,} more remarks.", "Correct these first.")
    return (*remarks[:MOST_REMARKS], rest)


def _round_in(cells: dict[str, str]) -> GameAbroad | RoundOff:
    """Read one row, or raise ValueError with the sentence that says what is wrong."""
    number = round_in(cells.get("round", ""))
    result = cells.get("result", "").strip().lower()
    if result in _OFF:
        return RoundOff(number, _OFF[result])
    if result not in _RESULTS:
        raise ValueError(f"The result is {tidy(result, 20)!r}; 1, ½ or 0 is expected.")
    return GameAbroad(
        round_number=number,
        opponent_name=tidy(cells.get("opponent_name", "")),
        opponent_fide_id=fide_id_in(cells.get("opponent_fide_id", "")),
        opponent_federation=federation_in(cells.get("opponent_federation", "")),
        rating=rating_in(cells.get("opponent_rating", "")),
        color=_color_in(cells.get("color", "")),
        half_points=_RESULTS[result],
    )


def round_in(text: str) -> int:
    number = text.strip().removesuffix(".0")
    if number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= MOST_ROUNDS:
        return int(number)
    raise ValueError(
        f"The round is {tidy(text, 20)!r}; 1 to {MOST_ROUNDS} is expected."
    )


def _color_in(text: str) -> str:
    color = text.strip().lower()
    if color not in _COLORS:
        raise ValueError(f"The color is {tidy(text, 20)!r}; w or b is expected.")
    return _COLORS[color]
