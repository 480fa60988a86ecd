from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable
from datetime import date
from pathlib import Path

import dbf as dbf_oracle
import dbfread
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.dbf.tables import (
    MAX_CELLS,
    MAX_FIELDS,
    MAX_RECORDS,
    Field,
    InvalidDbf,
    TooManyRecords,
    read_table,
    stored_text,
    write_table,
)
from tests.cpu_time import cpu_time
from tests.hypothesis_settings import example_count

FIELDS = [Field("D_NAME", "C", 10), Field("D_RATING", "C", 4)]
ROWS = [
    {"D_NAME": "REYES, ANA", "D_RATING": "1500"},
    {"D_NAME": "COHEN", "D_RATING": ""},
    {"D_NAME": "NOVAK", "D_RATING": "987"},
]
TABLE = write_table(FIELDS, ROWS, written=date(2024, 5, 5))
HEADER_LENGTH = 32 + 2 * 32 + 1
RECORD_LENGTH = 15


def read(data: bytes):
    return read_table(data, file_name="TDEXPORT.DBF")


def codes(data: bytes) -> list[str]:
    return [finding.code for finding in read(data).findings]


def patched(offset: int, replacement: bytes, data: bytes = TABLE) -> bytes:
    return data[:offset] + replacement + data[offset + len(replacement) :]


def test_written_bytes_are_those_of_dbase_iii() -> None:
    # By hand, from the published layout of the format.
    fields, day = [Field("S_FIDE", "C", 2)], date(2026, 9, 19)
    assert write_table(fields, [{"S_FIDE": "N"}], written=day) == (
        b"\x03" + bytes([126, 9, 19])
        + b"\x01\0\0\0" + b"\x41\0" + b"\x03\0" + bytes(20)
        + b"S_FIDE\0\0\0\0\0" + b"C" + bytes(4) + b"\x02" + bytes(15)
        + b"\r" + b" N " + b"\x1a"
    )  # fmt: skip


def test_table_survives_a_round_trip() -> None:
    table = read(TABLE)
    assert table.rows == ROWS
    assert table.positions == [1, 2, 3]
    assert table.fields == tuple(FIELDS)
    assert (table.encoding, table.findings) == ("ascii", [])


@pytest.mark.parametrize("version", [0x03, 0x04, 0x30, 0x83, 0x8B])
def test_versions_are_read_alike(version: int) -> None:
    assert read(patched(0, bytes([version]))).rows == ROWS


def test_missing_end_mark_does_not_matter() -> None:
    assert read(TABLE[:-1]).rows == ROWS
    assert codes(TABLE[:-1]) == []


def test_table_cut_in_a_record_is_read_as_far_as_it_goes() -> None:
    table = read(TABLE[: HEADER_LENGTH + RECORD_LENGTH + 6])
    assert table.rows == ROWS[:1]
    [finding] = table.findings
    assert finding.code == "dbf.truncated"
    assert str(finding) == (
        "TDEXPORT.DBF: the file ends in the middle of record 2. Copy or export it "
        "again. We read everything before that point."
    )


def test_table_cut_between_records_is_an_error_too() -> None:
    table = read(TABLE[: HEADER_LENGTH + 2 * RECORD_LENGTH])
    assert table.rows == ROWS[:2]
    assert [finding.message for finding in table.findings] == [
        "The file should have 3 records, but it ends after 2."
    ]


def test_table_cut_in_its_header_is_rejected() -> None:
    with pytest.raises(InvalidDbf, match="is cut off in its header"):
        read(TABLE[:80])
    with pytest.raises(InvalidDbf, match="is cut off in its header"):
        read(TABLE[:40])


@pytest.mark.parametrize("count", [0, 2, MAX_RECORDS + 1, 4_294_967_295])
def test_wrong_record_count_is_reported_and_the_records_read(count: int) -> None:
    data = patched(4, struct.pack("<I", count))
    with cpu_time() as spent:
        table = read(data)
    assert spent.seconds < 0.5
    assert table.rows == ROWS
    assert [finding.code for finding in table.findings] == ["dbf.record_count"]


def test_deleted_records_are_left_out_and_counted() -> None:
    table = read(patched(HEADER_LENGTH + RECORD_LENGTH, b"*"))
    assert table.rows == [ROWS[0], ROWS[2]]
    assert table.positions == [1, 3]
    [finding] = table.findings
    assert (finding.code, finding.message) == (
        "dbf.deleted",
        "We skipped 1 record that is marked as deleted.",
    )


@pytest.mark.parametrize("length", [0, 33, HEADER_LENGTH - 1, HEADER_LENGTH + 1, 65535])
def test_wrong_header_length_is_corrected(length: int) -> None:
    data = patched(8, struct.pack("<H", length))
    table = read(data)
    assert table.rows == ROWS
    assert "dbf.header" in codes(data)


@pytest.mark.parametrize("length", [0, 1, RECORD_LENGTH - 1, RECORD_LENGTH + 1])
def test_wrong_record_length_is_corrected(length: int) -> None:
    data = patched(10, struct.pack("<H", length))
    table = read(data)
    assert table.rows == ROWS
    assert "dbf.header" in codes(data)


def test_missing_mark_after_the_fields_does_not_matter() -> None:
    spoilt = patched(HEADER_LENGTH - 1, b"\0")
    assert read(spoilt).rows == ROWS
    absent = TABLE[: HEADER_LENGTH - 1] + TABLE[HEADER_LENGTH:]
    absent = patched(8, struct.pack("<H", HEADER_LENGTH - 1), absent)
    assert read(absent).rows == ROWS


def test_foxpro_leaves_a_path_between_fields_and_records() -> None:
    data = TABLE[:HEADER_LENGTH] + bytes(263) + TABLE[HEADER_LENGTH:]
    data = patched(8, struct.pack("<H", HEADER_LENGTH + 263), data)
    assert read(b"\x30" + data[1:]).rows == ROWS
    assert codes(data) == []


def test_nul_padded_text() -> None:
    data = patched(HEADER_LENGTH + 1, b"REYES\0ANA\0")
    assert read(data).rows[0]["D_NAME"] == "REYES"


def test_tab_in_a_name_becomes_a_space() -> None:
    data = patched(HEADER_LENGTH + 1, b"REYES,\tANA")
    assert read(data).rows[0]["D_NAME"] == "REYES, ANA"


def with_types(*fields: tuple[str, str, int], record: bytes) -> bytes:
    described = [Field(name, type_, width) for name, type_, width in fields]
    data = write_table(described, [{}])
    return data[: -len(record) - 1] + record + b"\x1a"


def test_values_of_every_type_are_text() -> None:
    data = with_types(
        ("A", "N", 6),
        ("B", "D", 8),
        ("C", "L", 1),
        ("D", "F", 5),
        ("E", "I", 4),
        record=b"  12.020240504T 7,50\x2a\0\0\0",
    )
    assert read(data).rows == [
        {"A": "12.0", "B": "20240504", "C": "T", "D": "7,50", "E": "42"}
    ]
    assert codes(data) == []


def test_nonsense_in_typed_fields_is_kept_as_text() -> None:
    data = with_types(
        ("A", "N", 4), ("B", "D", 8), ("C", "L", 1), record=b"ab\0\x002024/5/4?"
    )
    assert read(data).rows == [{"A": "ab", "B": "2024/5/4", "C": "?"}]


def test_stars_of_an_overflow_are_no_number() -> None:
    data = with_types(("A", "N", 4), ("B", "C", 4), record=b"********")
    table = read(data)
    assert table.rows == [{"A": "", "B": "****"}]
    [finding] = table.findings
    assert finding.message == "In record 1, the number in A is too long for its field."


def test_memo_without_its_file() -> None:
    data = with_types(("A", "M", 10), ("B", "C", 2), record=b"         7OK")
    table = read(b"\x83" + data[1:])
    assert table.rows == [{"A": "", "B": "OK"}]
    assert [finding.code for finding in table.findings] == ["dbf.memo"]


def test_unknown_type_is_read_as_text() -> None:
    data = with_types(("A", "?", 3), record=b"abc")
    assert read(data).rows == [{"A": "abc"}]
    assert codes(data) == ["dbf.field_type"]


def test_repeated_field_keeps_both_values() -> None:
    data = with_types(("A", "C", 2), ("A", "C", 2), record=b"onTW")
    assert read(data).rows == [{"A": "on", "A_2": "TW"}]
    assert codes(data) == ["dbf.field_repeated"]


def test_damaged_field_description_ends_the_fields() -> None:
    data = patched(64, b"\xff\xfe\xfd")
    table = read(data)
    assert [field.name for field in table.fields] == ["D_NAME"]
    assert "dbf.field_damaged" in codes(data)


@pytest.mark.parametrize(
    ("code_page", "raw", "text", "encoding", "guessed"),
    [
        (0x00, "PEÑA ÉVA".encode("cp1252"), "PEÑA ÉVA", "cp1252", True),
        (0x00, "PEÑA éva".encode("cp437"), "PEÑA éva", "cp437", True),
        (0x00, "PEÑA ÉV".encode(), "PEÑA ÉV", "utf-8", True),
        (0x03, "PEÑA ÉVA".encode("cp1252"), "PEÑA ÉVA", "cp1252", False),
        (0x01, "PEÑA éva".encode("cp437"), "PEÑA éva", "cp437", False),
        (0xC8, "ŠKODA".encode("cp1250"), "ŠKODA", "cp1250", False),
        (0xFF, "PEÑA ÉVA".encode("cp1252"), "PEÑA ÉVA", "cp1252", True),
    ],
)
def test_code_pages(
    code_page: int, raw: bytes, text: str, encoding: str, guessed: bool
) -> None:
    data = patched(HEADER_LENGTH + 1, raw.ljust(10))
    table = read(patched(29, bytes([code_page]), data))
    assert table.rows[0]["D_NAME"] == text
    assert table.encoding == encoding
    assert [finding.code for finding in table.findings] == (
        ["dbf.encoding"] if guessed else []
    )


def test_character_truncated_by_the_field_does_not_break_utf8() -> None:
    data = patched(HEADER_LENGTH + 1, "PEÑA ABCÉ".encode()[:10])
    data = patched(HEADER_LENGTH + 1 + RECORD_LENGTH, "ÉVA".encode().ljust(10), data)
    table = read(data)
    assert table.encoding == "utf-8"
    assert table.rows[1]["D_NAME"] == "ÉVA"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"name,rating\r\nReyes,1500\r\n" * 5, "not a DBF file"),
        (b"0,name,rating\r\n1,Reyes,1500\r\n" * 5, "not a DBF file"),
        (b"\x03" + bytes(200), "its first field has no name"),
        (b"\x03" + bytes(31) + b"\r" + bytes(40), "it has no fields"),
        (bytes(range(256)) * 4, "not a DBF file"),
    ],
    ids=["empty", "csv", "csv with 0", "zeros", "no field", "bytes"],
)
def test_other_data_is_rejected_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidDbf, match=reason):
        read(data)


def test_more_fields_or_records_than_any_report_are_rejected() -> None:
    many = write_table([Field(f"F{n}", "C", 1) for n in range(MAX_FIELDS + 1)], [{}])
    with pytest.raises(InvalidDbf, match=f"more than {MAX_FIELDS} fields"):
        read(many)
    long = write_table([Field("A", "C", 1)], [{}] * (MAX_RECORDS + 1))
    with pytest.raises(TooManyRecords, match=r"more than 6,000 records"):
        read(long)
    wide = [Field(f"F{n}", "C", 1) for n in range(200)]
    with pytest.raises(InvalidDbf, match="too large for a rating report"):
        read(write_table(wide, [{}] * (MAX_CELLS // 200 + 1)))


_values = st.text(
    "ABCXYZabcxyz0123456789 ,.-'éÉñß€½", max_size=12
).map(lambda text: text.strip(" "))  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Field], list[dict[str, str]]]:
    widths = draw(st.lists(st.integers(12, 40), min_size=1, max_size=6))
    fields = [Field(f"F_{n}", "C", width) for n, width in enumerate(widths)]
    names = [field.name for field in fields]
    row = st.fixed_dictionaries(dict.fromkeys(names, _values))
    return fields, draw(st.lists(row, max_size=5))


@settings(max_examples=example_count(80), deadline=None)
@given(tables())
def test_round_trip(table: tuple[list[Field], list[dict[str, str]]]) -> None:
    fields, rows = table
    back = read_table(write_table(fields, rows), file_name="x.dbf")
    assert back.rows == rows
    assert back.findings == []


@settings(max_examples=example_count(40), deadline=None)
@given(table=tables())
def test_dbfread_reads_the_same_from_our_files(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[Field], list[dict[str, str]]],
) -> None:
    fields, rows = table
    path = tmp_path_factory.mktemp("dbf") / "table.dbf"
    path.write_bytes(write_table(fields, rows))
    assert [dict(row) for row in dbfread.DBF(path, encoding="cp1252")] == rows


@settings(max_examples=example_count(20), deadline=None)
@given(table=tables())
def test_files_of_the_dbf_package_are_readable(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[Field], list[dict[str, str]]],
) -> None:
    fields, rows = table
    path = tmp_path_factory.mktemp("dbf") / "table.dbf"
    described = "; ".join(f"{field.name} C({field.width})" for field in fields)
    oracle = dbf_oracle.Table(str(path), described, codepage="cp1252", dbf_type="db3")
    with oracle.open(mode=dbf_oracle.READ_WRITE):
        for row in rows:
            oracle.append({name.lower(): value for name, value in row.items()})
    back = read_table(path.read_bytes(), file_name="table.dbf")
    assert back.rows == rows
    assert back.findings == []


def test_dbf_package_reads_our_files(tmp_path: Path) -> None:
    path = tmp_path / "table.dbf"
    path.write_bytes(TABLE)
    with dbf_oracle.Table(str(path)).open() as oracle:
        assert [
            {"D_NAME": row.d_name.strip(), "D_RATING": row.d_rating.strip()}
            for row in oracle
        ] == ROWS


@settings(max_examples=example_count(200), deadline=None)
@given(st.text(max_size=30), st.integers(1, 30))
def test_stored_text_is_the_text_read_back(text: str, width: int) -> None:
    field = Field("A", "C", width)
    back = read_table(write_table([field], [{"A": text}]), file_name="x").rows
    assert back == [{"A": stored_text(text, width)}]
    assert stored_text(stored_text(text, width), width) == stored_text(text, width)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("PEÑA, ÉVA", "PEÑA, ÉVA"),
        ("Őri Łukasz Đoko", "Ori Lukasz Doko"),
        ("王 Wang", "? Wang"),
        ("ﬁne\nprint", "fine print"),
        ("ABCDEFGHIJKLMNOPQRST", "ABCDEFGHIJKLMNOP"),
    ],
)
def test_characters_missing_from_the_code_page(text: str, kept: str) -> None:
    assert stored_text(text, 16) == kept


def survives(data: bytes) -> bool:
    """Read *data*: the result is a table or a rejection, in bounded time.

    CPU time counts, because other processes may be running.
    """
    with cpu_time() as spent, contextlib.suppress(InvalidDbf):
        read(data)
    return spent.seconds < 1


@settings(max_examples=example_count(150), deadline=None)
@given(st.binary(max_size=400), st.sampled_from([b"", b"\x03", b"\x30", TABLE[:32]]))
def test_random_bytes_never_break_the_reader(data: bytes, start: bytes) -> None:
    assert survives(start + data)


@settings(max_examples=example_count(300), deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(TABLE) - 1), st.integers(0, 255)), max_size=8
    ),
    st.integers(0, len(TABLE)),
    st.binary(max_size=20),
)
def test_mutated_tables_never_break_the_reader(
    changes: list[tuple[int, int]], end: int, tail: bytes
) -> None:
    data = bytearray(TABLE)
    for offset, byte in changes:
        data[offset] = byte
    assert survives(bytes(data[:end]) + tail)
    assert survives(bytes(data) + tail)


@pytest.mark.parametrize(
    "make",
    [
        lambda size: TABLE[:32] + b"\xff" * size,
        lambda size: TABLE[:HEADER_LENGTH] + b" " * size,
        lambda size: patched(4, b"\xff" * 8) + b"*" * size,
        lambda size: b"\x03" + b"A" * size,
    ],
    ids=["fields of 255", "blank records", "deleted records", "all letters"],
)
def test_large_files_are_read_or_rejected_within_a_second(
    make: Callable[[int], bytes],
) -> None:
    assert survives(make(10_000_000))
