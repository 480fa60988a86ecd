"""Damaged lists: each line becomes a row or a problem, in bounded time."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from players.formats.errors import InputRefused
from players.formats.fide_list import open_list
from players.formats.fide_rows import Problem
from players.formats.members import (
    SPELLINGS,
    MemberColumns,
    read_guardians,
    read_members,
)
from players.formats.table_reader import read_column_question
from players.formats.xlsx_writer import write_xlsx
from tests.cpu_time import cpu_time
from tests.hypothesis_settings import example_count
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
    "sheet": write_xlsx(ROWS),
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


@settings(max_examples=example_count(300), deadline=None)
@given(st.sampled_from(sorted(LISTS)), DAMAGE)
def test_each_line_of_a_damaged_list_is_a_row_or_a_problem(kind, damage) -> None:
    data = torn(LISTS[kind], damage)
    with TemporaryDirectory() as folder, cpu_time() as spent:
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


@settings(max_examples=example_count(300), deadline=None)
@given(st.sampled_from(sorted(TABLES)), DAMAGE)
def test_each_row_of_a_damaged_table_is_read_or_refused(kind, damage) -> None:
    data = torn(TABLES[kind], damage)
    with TemporaryDirectory() as folder, cpu_time() as spent:
        path = Path(folder, "members")
        path.write_bytes(data)
        try:
            read_column_question(path, SPELLINGS)
            prescan = MemberColumns(TODAY)
            found = list(read_members(path, prescan)[1])
            read_guardians(path, prescan)
        except InputRefused:
            return
    assert spent.seconds < 1
    if kind == "commas" and b'"' not in data:
        lines = data.replace(b"\r", b"\n").split(b"\n")
        # Lines above the headings, such as a title, are not rows.
        people = [line for line in lines if line.startswith(b"1234567")]
        assert len(found) >= len(people)
