"""Damaged real files: bounded time and memory, and no result lost silently.

Details of one format are tested with its reader; here are the guarantees of all
readers, and the results of DBF and of our own JSON.
"""

from __future__ import annotations

import json
import re
import struct
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.dbf.writer import write_report
from events.formats.findings import Severity
from events.formats.foreign.reader import read_foreign
from events.formats.json.writer import write_json
from events.formats.report import ReportedEvent, format_cell
from events.formats.report_reader import ReadResult, read_report
from events.formats.tables.writer import write_crosstables
from events.formats.trf.writer import write_trf
from tests.cpu_time import cpu_time
from tests.events.formats.pgn_samples import CHESSBASE, game
from tests.events.formats.samples import big_report
from tests.events.formats.section_files import FORMATS, large_section
from tests.events.formats.test_chess_results import document as chess_results
from tests.events.formats.test_swisssys import (
    CUTS,
    DONE,
    EVENTS,
    REAL,
    damaged,
    pointer,
    texts,
)
from tests.hypothesis_settings import is_search_profile

MAX_BYTES = 100_000_000
SETS = sorted((REAL / "swisssys-report").iterdir())
# Each real file as it is uploaded.
REAL_UPLOADS: dict[str, list[tuple[str, bytes]]] = {
    **{
        str(path.relative_to(REAL)): [(path.name, path.read_bytes())]
        for path in sorted(REAL.rglob("*.*"))
        if path.parent != REAL and path.suffix != ".DBF"
    },
    **{
        path.name: [(one.name, one.read_bytes()) for one in sorted(path.glob("*.DBF"))]
        for path in SETS
    },
}
# Files of the formats without a real one.
SAMPLES = {
    "games": [("games.pgn", CHESSBASE.encode())],
    "chess-results": [("may.xml", chess_results())],
}
UPLOADS = REAL_UPLOADS | SAMPLES


def test_every_real_file_is_damaged_below() -> None:
    files = [path for path in REAL.rglob("*") if path.is_file()]
    assert sum(map(len, REAL_UPLOADS.values())) == len(files) - 2  # README and facts


DAMAGE = st.lists(
    st.tuples(
        st.integers(0, 10**6),
        st.integers(0, 40),
        st.one_of(
            st.binary(max_size=8),
            st.sampled_from([b"\n", b"\r\n", b"\t", b'"', b"<", b"\xff\xfe", b"\0"]),
        ),
        st.sampled_from(["put", "over", "twice", "move"]),
    ),
    min_size=1,
    max_size=5,
)


def torn(data: bytes, damage: list[tuple[int, int, bytes, str]]) -> bytes:
    """Return *data* with pieces removed, inserted, overwritten, repeated or moved."""
    for at, size, piece, how in damage:
        at %= len(data) or 1
        before, out, after = data[:at], data[at : at + size], data[at + size :]
        data = {
            "put": before + piece + out + after,
            "over": before + piece + after,
            "twice": before + out + out + after,
            "move": before + after + out,
        }[how]
    return data


@st.composite
def uploads(draw: st.DrawFn) -> list[tuple[str, bytes]]:
    files = list(UPLOADS[draw(st.sampled_from(sorted(UPLOADS)))])
    at = draw(st.integers(0, len(files) - 1))
    files[at] = files[at][0], torn(files[at][1], draw(DAMAGE))
    return files


def is_answer(result: ReadResult) -> bool:
    """Return whether it has a report that can be stored and shown, or an error."""
    if result.reported is None or result.question is not None:
        return bool(errors_of(result))
    assert "\0" not in str(result.reported.to_json())
    json.dumps(result.reported.to_json()).encode()
    findings = [*result.findings, *check_report(result.reported)]
    return (
        all(one.message and "\0" not in one.message for one in findings)
        and ReportedEvent.from_json(result.reported.to_json()) == result.reported
    )


def errors_of(result: ReadResult) -> list:
    return [one for one in result.findings if one.severity is Severity.ERROR]


@settings(max_examples=900 if is_search_profile() else 40, deadline=None)
@given(uploads())
def test_any_damage_to_a_real_file_is_answered_at_once(files) -> None:
    with cpu_time() as spent:
        result = read_report(files)
    assert is_answer(result)
    assert spent.seconds < 1


@pytest.mark.fuzz
@settings(max_examples=60, deadline=None)
@given(uploads())
def test_damaged_files_use_little_memory(files) -> None:
    assert memory(lambda: read_report(files)) < MAX_BYTES


@settings(max_examples=300 if is_search_profile() else 25, deadline=None)
@given(uploads())
def test_any_damaged_file_is_answered_where_results_from_abroad_are_read(files) -> None:
    for _, data in files:
        with cpu_time() as spent:
            parsed = read_foreign(data)
        assert parsed.players or parsed.remarks
        assert spent.seconds < 1


def memory(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# Results of DBF records and of our own JSON


_DECISIVE = re.compile(r"[WLD] *[1-9][0-9]*[WB]?")


def records_of(data: bytes) -> list[dict[str, str]]:
    """Read the table by its header alone, following the published format."""
    count, start, width = struct.unpack_from("<IHH", data, 4)
    heads = [data[at : at + 32] for at in range(32, start - 1, 32)]
    names = [head[:11].partition(b"\0")[0].decode() for head in heads]
    ends = list(accumulate(head[16] for head in heads))
    rows = [data[at : at + width] for at in range(start, len(data), width)][:count]
    return [
        {
            name: row[1 + end - head[16] : 1 + end].decode("latin-1").strip(" \0")
            for name, head, end in zip(names, heads, ends, strict=True)
        }
        for row in rows
        if row[:1] != b"*"
    ]


def results_in(row: dict[str, str]) -> list[str]:
    return [
        text.replace(" ", "")
        for name, text in row.items()
        if re.fullmatch("D_RND[0-9]+", name) and _DECISIVE.fullmatch(text)
    ]


@settings(max_examples=600 if is_search_profile() else 60, deadline=None)
@given(
    st.sampled_from(SETS),
    st.lists(st.tuples(st.integers(0, 10**6), st.binary(min_size=1, max_size=6))),
    st.none() | st.integers(0, 10**6),
)
def test_no_result_of_a_damaged_record_is_lost_silently(folder, written, end) -> None:
    files = dict(UPLOADS[folder.name])
    whole = bytearray(files["TDEXPORT.DBF"])
    start = struct.unpack_from("<H", whole, 8)[0]
    for at, piece in written:
        at = start + at % (len(whole) - start)
        whole[at : at + len(piece)] = piece[: len(whole) - at]
    if end is not None:
        del whole[start + end % (len(whole) - start) :]
    files["TDEXPORT.DBF"] = bytes(whole)
    result = read_report(list(files.items()))
    entries = [one for section in result.reported.sections for one in section.entries]
    cells = Counter(format_cell(cell) for one in entries for cell in one.cells)
    there = Counter(one for row in records_of(whole) for one in results_in(row))
    assert errors_of(result) or not there - cells


@cache
def as_json(name: str) -> bytes:
    return write_json(read_report(UPLOADS[name]).reported)


@settings(max_examples=300 if is_search_profile() else 25, deadline=None)
@given(st.sampled_from(EVENTS), DONE, CUTS)
def test_no_cell_of_a_damaged_document_is_lost_silently(name, done, cut) -> None:
    data = damaged(as_json(name), done, cut)
    result = read_report([("may.json", data)])
    error_fields = [f"{one.place.field}/" for one in errors_of(result)]
    if result.reported is None:
        assert error_fields
        return
    cells = Counter(
        cell.raw or format_cell(cell)
        for section in result.reported.sections
        for entry in section.entries
        for cell in entry.cells
    )
    there = Counter()
    for path, text in texts(json.loads(data)):
        place = f"{pointer(path)}/"
        if "cells" in path and _DECISIVE.fullmatch(text):
            there[text] += not any(place.startswith(one) for one in error_fields)
    assert not there - cells


# 500 players: a second and 100 MB

BIG = big_report(500, 9)


def grown(name: str, key: str, players: str) -> bytes:
    """Return a real document with its players repeated until there are 500."""
    document = json.loads((REAL / name).read_text())
    document[key] = document[key][:1]
    there = document[key][0][players]
    document[key][0][players] = (there * (500 // len(there) + 1))[:500]
    return json.dumps(document).encode()


def of_games() -> bytes:
    names = [f"Player, Number {number}" for number in range(500)]
    return "".join(
        game("1. e4 e5 1-0", White=white, Black=black, Result="1-0", Round=str(number))
        for number in range(1, 10)
        for white, black in zip(names[::2], names[1::2], strict=True)
    ).encode()


def of_lines(name: str, times: int) -> bytes:
    return (REAL / name).read_bytes() * times


LARGE: dict[str, Callable[[], list[tuple[str, bytes]]]] = {
    "DBF": lambda: list(write_report(BIG).items()),
    "TRF16": lambda: [("a.trf", write_trf(BIG, BIG.sections[0], "TRF16"))],
    "TRF26": lambda: [("a.trf", write_trf(BIG, BIG.sections[0], "TRF26"))],
    "JSON": lambda: [("a.json", write_json(BIG))],
    "CSV": lambda: [("a.csv", write_crosstables(BIG))],
    "SwissSys": lambda: [
        (
            "a.sjson",
            grown("swisssys-event/senior-open-2025.sjson", "Sections", "Players"),
        )
    ],
    "web page": lambda: [
        ("a.json", grown("swisssys-web/april-open-2026-04.json", "sections", "players"))
    ],
    "games": lambda: [("a.pgn", of_games())],
    "wall charts": lambda: [("a.txt", of_lines("wall-chart/msa-64-players.txt", 8))],
    "chess-results": lambda: [
        (
            "a.xml",
            chess_results((), [{"no": str(n), "lastname": "A"} for n in range(500)]),
        )
    ],
}


SECTION = large_section(500, 9)
LARGE |= {
    name: lambda kind=kind: kind.write([SECTION])
    for name, kind in FORMATS.items()
    if not kind.by_opponents
}


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", LARGE)
def test_500_players_take_a_second_and_100_megabytes(kind: str) -> None:
    files = LARGE[kind]()
    with cpu_time() as spent:
        result = read_report(files)
    assert sum(len(one.entries) for one in result.reported.sections) >= 500
    assert spent.seconds < 1
    assert memory(lambda: read_report(files)) < MAX_BYTES
