"""Damaged lists of people: each line ends as a row or as a sentence, and in time."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from players.importers.fide_list import open_list
from players.importers.members import SPELLINGS, read_guardians, read_members
from players.importers.records import Problem
from players.importers.sheets import write_sheet
from players.importers.tables import Refused, ask_for_columns
from tests.effort import effort
from tests.examples import tries
from tests.players.fide.fide_files import LEGACY, Person, packed, text_list, xml_list

TODAY = date(2026, 11, 22)
PEOPLE = [
    Person(30900001 + number, f"Noether, Emmy {number}", rating=1500 + number, games=9)
    for number in range(8)
]
LISTS = {
    "text": text_list(PEOPLE),
    "legacy": text_list(PEOPLE, LEGACY),
    "xml": xml_list(PEOPLE),
    "packed": packed(text_list(PEOPLE)),
}
ROWS = [
    ["Member ID", "Last Name", "First Name", "DOB", "State", "Expires", "Guardian ID"],
    *(
        [f"1234567{n}", "Adams", f"Ada {n}", "2011-05-04", "TX", "2027-01-31", ""]
        for n in range(8)
    ),
]
TABLES = {
    "commas": "\n".join(",".join(row) for row in ROWS).encode(),
    "quotes": "\r\n".join(";".join(f'"{one}"' for one in row) for row in ROWS).encode(),
    "sheet": write_sheet(ROWS),
}
DAMAGE = st.lists(
    st.tuples(
        st.integers(0, 5_000),
        st.integers(0, 30),
        st.one_of(
            st.binary(max_size=6),
            st.sampled_from([b"\n", b"\t", b'"', b",", b";", b"<", b"&", b"\0"]),
        ),
    ),
    max_size=4,
)


def torn(data: bytes, damage: list[tuple[int, int, bytes]]) -> bytes:
    for at, size, piece in damage:
        at %= len(data) or 1
        data = data[:at] + piece + data[at + size :]
    return data


@settings(max_examples=tries(300), deadline=None)
@given(st.sampled_from(sorted(LISTS)), DAMAGE)
def test_each_line_of_a_damaged_list_is_a_row_or_a_problem(kind, damage) -> None:
    data = torn(LISTS[kind], damage)
    with TemporaryDirectory() as folder, effort() as spent:
        path = Path(folder, "list")
        path.write_bytes(data)
        with open_list(path) as (reader, _):
            found = [reader.problem] if reader.problem else list(reader.read())
    assert spent.seconds < 1
    problems = [one for one in found if isinstance(one, Problem)]
    assert all(one.sentence for one in problems)
    if kind in ("text", "legacy") and not any(one.final for one in problems):
        lines = [line for line in data.split(b"\n")[1:] if line.strip(b" \r\x1a\0")]
        assert len(found) >= len(lines)


@settings(max_examples=tries(300), deadline=None)
@given(st.sampled_from(sorted(TABLES)), DAMAGE)
def test_each_row_of_a_damaged_table_is_read_or_refused(kind, damage) -> None:
    data = torn(TABLES[kind], damage)
    with TemporaryDirectory() as folder, effort() as spent:
        path = Path(folder, "members")
        path.write_bytes(data)
        try:
            ask_for_columns(path, SPELLINGS)
            list(read_guardians(path, TODAY))
            found = list(read_members(path, TODAY)[1])
        except Refused:
            return
    assert spent.seconds < 1
    if kind == "commas" and b'"' not in data:
        lines = data.replace(b"\r", b"\n").split(b"\n")
        # What stands above the headings, such as a title, is no row.
        people = [line for line in lines if line.startswith(b"1234567")]
        assert len(found) >= len(people)
