"""Read a list of players: pasted lines, or a table with or without headings.

Each row names a player by member ID, name, or both. ``python -m`` reads one file from
stdin and writes its rows as JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from events.formats.dbf.tables import VERSIONS, InvalidDbf
from events.formats.dbf.tables import read_table as read_dbf
from events.formats.tables.grids import (
    UnreadableTable,
    looks_like_text,
    looks_like_xlsx,
    read_grids,
)
from events.formats.tables.headings import Column, normalize_text, parse_heading
from events.formats.translatable_text import (
    error_text,
    from_json,
    to_json,
    translatable,
)
from players.formats.member_ids import LONGEST, MEMBER_ID
from players.formats.places import STATES
from players.formats.xlsx_reader import looks_like_zip

# Rows above the headings, at most.
MAX_TITLE_ROWS = 10

_LINE_NUMBER = re.compile(r"#?[0-9]{1,4}[.)]?(?=\s|$)", re.ASCII)
_DAY = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}", re.ASCII
)
_COLUMNS = {
    Column.MEMBER_ID: "member_id",
    Column.NAME: "name",
    Column.FAMILY_NAME: "family_name",
    Column.GIVEN_NAME: "given_name",
    Column.STATE: "state",
}
_OWN_COLUMNS = {
    **dict.fromkeys(["day", "date", "event day", "event date", "fecha"], "day"),
    **dict.fromkeys(["birth year", "year of birth", "yob"], "birth_year"),
}
_IDENTIFYING = {"member_id", "name", "family_name"}


@dataclass(frozen=True, slots=True)
class RosterRow:
    """A row as written. ``number`` is its line in the file, or position in a list."""

    number: int
    member_id: str = ""
    name: str = ""
    day: str = ""
    state: str = ""
    birth_year: str = ""


def read_roster(data: bytes) -> list[RosterRow]:
    """Return the rows of a file or a pasted text; raises UnreadableTable.

    >>> read_roster(b"12345678 Adams, Ana")
    [RosterRow(number=1, member_id='12345678', name='Adams, Ana', day='', ...)]
    >>> [(row.member_id, row.name) for row in read_roster(b"ID,Last,First\\n,Ek,Bo")]
    [('', 'Ek, Bo')]
    """
    lines = list(_lines(data))
    for at, (_number, cells) in enumerate(lines[:MAX_TITLE_ROWS]):
        columns = [_column(cell) for cell in cells]
        if _IDENTIFYING.intersection(columns):
            below = lines[at + 1 :]
            return [_by_heading(number, columns, cells) for number, cells in below]
    return [_by_content(number, cells) for number, cells in lines]


def _lines(data: bytes) -> Iterator[tuple[int, Sequence[str]]]:
    if data[:1] in VERSIONS and not looks_like_text(data):
        try:
            table = read_dbf(data, file_name="")
        except InvalidDbf:
            raise UnreadableTable(
                translatable("This DBF file can’t be read. Export it again.")
            ) from None
        yield 0, [field.name for field in table.fields]
        for position, row in zip(table.positions, table.rows, strict=True):
            yield position, [row.get(field.name, "") for field in table.fields]
        return
    is_text = looks_like_text(data) and not looks_like_zip(data)
    if not is_text and not looks_like_xlsx(data):
        raise UnreadableTable(
            translatable("This file is not a table. Save it as CSV or XLSX.")
        )
    for grid in read_grids("", data):
        if not grid.is_hidden:
            yield from ((row.number, row.cells) for row in grid.rows if any(row.cells))
            return


def _column(heading: str) -> str:
    """Return the meaning of a heading, "" for others; DBF fields begin with D_."""
    text = heading[2:] if heading.startswith("D_") else heading
    found = parse_heading(text).column
    return (
        _COLUMNS.get(found, "") if found else _OWN_COLUMNS.get(normalize_text(text), "")
    )


def _by_heading(number: int, columns: Sequence[str], cells: Sequence[str]) -> RosterRow:
    said: dict[str, str] = {}
    for column, cell in zip(columns, cells, strict=False):
        if column and cell.strip():
            said.setdefault(column, cell.strip())
    family, given = said.pop("family_name", ""), said.pop("given_name", "")
    name = ", ".join(filter(None, (family, given)))
    said["member_id"] = MEMBER_ID.restore(said.get("member_id", ""))
    return RosterRow(number, **{"name": name, **said})


def _by_content(number: int, cells: Sequence[str]) -> RosterRow:
    """Tell the cells of a row without headings apart by what they look like."""
    texts = [cell.strip() for cell in cells if cell.strip()]
    day = next((text for text in texts if _DAY.fullmatch(text)), "")
    state = next((text for text in texts[1:] if re.fullmatch("[A-Z]{2}", text)), "")
    line = ", ".join(text for text in texts if text not in (day, state))
    found = _member_id_in(line)
    if found:
        line = f"{line[: found.start()]} {line[found.end() :]}"
    name = _LINE_NUMBER.sub("", line.strip(" ,"), count=1) if found else line
    name = re.sub(r"[\s,]*,[\s,]*", ", ", " ".join(name.split())).strip(" ,.")
    *before, last = name.split() or [""]
    if not state and len(before) > 1 and last in STATES:
        name, state = " ".join(before).strip(" ,"), last
    if not found and re.fullmatch(r"[0-9 ]+", name, re.ASCII):
        return RosterRow(number, name, day=day, state=state)  # an ID with a typo
    member_id = MEMBER_ID.restore(found[1]) if found else ""
    return RosterRow(number, member_id, name, day, state)


def _member_id_in(line: str) -> re.Match[str] | None:
    found = re.search(rf"{MEMBER_ID.within.pattern}(?:\.0+(?![0-9]))?", line)
    if found or len(MEMBER_ID.places) < LONGEST:
        return found  # shorter numbers are ratings, years or ZIP codes
    # An ID with a digit too few or too many.
    return re.search(rf"{MEMBER_ID.start}([0-9]{{7}}|[0-9]{{9}})(?![0-9])", line)


def result_from_json(data: str | bytes) -> list[RosterRow]:
    """Return the rows that the process wrote; raises UnreadableTable."""
    said = json.loads(data)
    if "error" in said:
        raise UnreadableTable(from_json(said["error"]))
    return [RosterRow(**row) for row in said["rows"]]


def main() -> None:
    try:
        MEMBER_ID.use(*sys.argv[1:])
        rows = read_roster(sys.stdin.buffer.read())
        said: dict[str, object] = {"rows": [asdict(row) for row in rows]}
    except UnreadableTable as error:
        said = {"error": to_json(error_text(error))}
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
