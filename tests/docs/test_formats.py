"""Each page of docs/formats says what the readers do: its examples are read here.

A page shows files in fences that name them (``csv may.csv``), and behind them a fence
``result`` with what is read from them together. Tables that begin with "In the
file" are read row by row, and limits are compared with their constants.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import date
from pathlib import Path
from pkgutil import resolve_name

import pytest
from django.conf import settings

from events.formats.catalog import FINDING_KINDS
from events.formats.dbf.layout_2c import FORMAT, REPORT_FIELDS
from events.formats.dbf.tables import Field, write_table
from events.formats.findings import Severity, in_order
from events.formats.foreign.reader import read_foreign
from events.formats.foreign.report import ReportedForeignEvent, ReportedForeignPlayer
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
    format_cell,
)
from events.formats.report_reader import ReadResult, read_report
from events.formats.time_controls import read_time_control
from tests.events.formats.trf_samples import player

FOLDER = Path(settings.BASE_DIR) / "docs" / "formats"
PAGES = {page.stem: page.read_text() for page in sorted(FOLDER.glob("*.md"))}
UPLOADED = date(2024, 5, 6)
ABROAD = "foreign"

SECTIONS = (
    *("Recognized by", "Read", "Results", "Not in the file", "Not used"),
    *("Questions and errors", "Example"),
)
NO_FORMATS = {"README", "dates", "time-controls"}

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\|(.+)\|$", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")


def examples(text: str) -> Iterator[tuple[list[tuple[str, bytes]], str]]:
    """Yield the files of each example, and what the page says is read from them."""
    files: list[tuple[str, bytes]] = []
    for info, content in _FENCE.findall(text):
        kind, _, name = info.partition(" ")
        if kind == "result":
            yield files, content
            files = []
        elif name:
            data = dbf(content) if kind == "dbf" else content.encode()
            files.append((name, data))
    assert not files


def dbf(text: str) -> bytes:
    """Return the table that a page shows as lines of names and values."""
    rows = list(csv.DictReader(io.StringIO(text)))
    widths = {name: max(len(row[name]) for row in rows) for name in rows[0]}
    fields = [Field(name, "C", max(width, 1)) for name, width in widths.items()]
    return write_table(fields, rows)


def render_result(result: ReadResult) -> str:
    lines = [] if result.reported is None else list(report_lines(result.reported))
    found = [f"{one.code} ({one.severity})" for one in in_order(result.findings)]
    findings = ", ".join(dict.fromkeys(found)) or "none"
    return "\n".join([*lines, f"Findings: {findings}\n"])


def report_lines(reported: ReportedEvent) -> Iterator[str]:
    days = f"{reported.starts or '?'} to {reported.ends or '?'}"
    place = f"{reported.city} {reported.state}".strip()
    ids = [reported.affiliate_id, reported.chief_td_id]
    yield f"Event: {format_table(reported.name, days, place, *ids)}"
    for section in reported.sections:
        yield f"Section {section.number}: {section_line(section)}"
        yield from map(entry_line, section.entries)


def section_line(section: ReportedSection) -> str:
    plural = "" if section.rounds == 1 else "s"
    rounds = f"{section.rounds} round{plural}" if section.rounds else ""
    online = "online" if section.online else ""
    said = (section.kind_letter, section.time_control, rounds, online)
    return format_table(section.name, *said)


def entry_line(entry: ReportedEntry) -> str:
    fide = f"FIDE {entry.fide_id} {entry.fide_rating}" if entry.fide_id else ""
    about = format_table(entry.name, entry.member_id, entry.state, entry.rating, fide)
    cells = " ".join(format_cell(cell) or "(blank)" for cell in entry.cells)
    return f"{entry.pairing_number}. {about}: {cells}"


def format_table(*texts: str) -> str:
    return ", ".join(filter(None, texts))


def render_foreign_report(report: ReportedForeignEvent) -> str:
    event = report.event
    lines = [] if event is None else [f"Event: {event.name}, {event.starts}"]
    lines += map(render_foreign_player, report.players)
    remarks = " ".join(map(str, report.remarks)) or "none"
    return "\n".join([*lines, f"Remarks: {remarks}\n"])


def render_foreign_player(one: ReportedForeignPlayer) -> str:
    who = format_table(one.member_id, one.name, one.fide_id and f"FIDE {one.fide_id}")
    rounds = [
        f"{game.round_number} {game.half_points / 2:g} against {game.opponent_name} "
        f"({game.stated_rating})"
        for game in one.games
    ]
    rounds += [f"{off.round_number} {off.what}" for off in one.rounds_off]
    return f"{who}: {'; '.join(rounds)}"


@pytest.mark.parametrize("page", PAGES)
def test_examples_are_read_as_the_page_says(page):
    for files, said in examples(PAGES[page]):
        if page == ABROAD:
            assert (
                "".join(render_foreign_report(read_foreign(data)) for _, data in files)
                == said
            )
        else:
            assert render_result(read_report(files, today=UPLOADED)) == said


@pytest.mark.parametrize("page", sorted(set(PAGES) - NO_FORMATS))
def test_each_format_has_the_same_sections_and_an_example(page):
    assert tuple(re.findall(r"^## (.+)$", PAGES[page], re.MULTILINE)) == SECTIONS
    assert list(examples(PAGES[page]))
    assert re.search(r"^Code: `events/formats/.*Tests: `tests/", PAGES[page], re.M)


def test_the_index_links_to_every_page():
    links = set(re.findall(r"\]\(([\w-]+)\.md\)", PAGES["README"]))
    assert links >= set(PAGES) - {"README"}


# Tables of results: a file is made around each text


def rows_of(page: str, first: str) -> list[tuple[str, str, str]]:
    """Return heading, text and answer of tables whose heading begins with *first*."""
    found, heading = [], ""
    for row in _ROW.findall(PAGES[page]):
        if not row.strip("-|"):
            continue
        cells = [cell.strip() for cell in row.split(" | ")]
        if not _CODE.search(cells[0]) or cells[0].startswith(first):
            heading = cells[0]
        elif heading.startswith(first):
            texts = _CODE.findall(cells[0])
            found += [(heading, text, cells[1]) for text in texts]
    return found


def with_comma(*cells: str) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


def in_crosstable(text: str, extra_columns: str) -> tuple[str, str]:
    rows = [("No.", "Name", "Rd 1"), ("1", "Ann", text), ("2", "Bob", extra_columns)]
    return "may.csv", "".join(with_comma(*row) for row in rows)


def in_game_list(text: str, extra_columns: str) -> tuple[str, str]:
    black = "" if extra_columns else "Bob"
    return "may.csv", f"Round,White,Black,Result\n1,Ann,{black},{text}\n"


def in_trf(text: str, _extra_columns: str) -> tuple[str, str]:
    lines = [player(1, "Ann", [text]), player(2, "Bob", ["1 b 1"])]
    return "may.trf", "\n".join(["012 May", *lines])


def in_swisssys(text: str, _extra_columns: str) -> tuple[str, str]:
    players = [
        {"Pair number": 1, "Name": "Ann", "Results": [text]},
        {"Pair number": 2, "Name": "Bob", "Results": ["U;0;-"]},
    ]
    section = {"Section name": "Open", "Rounds played": 1, "Players": players}
    return "may.sjson", json.dumps({"Overview": {}, "Sections": [section]})


def in_pgn(text: str, _extra_columns: str) -> tuple[str, str]:
    tags = {"White": "Ann", "Black": "Bob", "Round": "1", "Result": text}
    return "may.pgn", "".join(f'[{key} "{tag}"]\n' for key, tag in tags.items())


def in_chess_results(text: str, extra_columns: str) -> tuple[str, str]:
    white, black, mark = (*text.replace(":", " ").split(), "")[:3]
    other = "-1" if extra_columns else "2"
    return "may.xml", (
        "<chessresults><tournament name='May'/><player no='1' lastname='Ann'/>"
        "<player no='2' lastname='Bob'/><playerpairing round='1' whiteno='1' "
        f"blackno='{other}' reswhite='{white}' resblack='{black.strip('-')}' "
        f"forfeit='{mark}'/></chessresults>"
    )


WRAPPERS: dict[str, Callable[[str, str], tuple[str, str]]] = {
    "crosstables": in_crosstable,
    "dialects": in_crosstable,
    "game-lists": in_game_list,
    "trf": in_trf,
    "swisssys": in_swisssys,
    "pgn": in_pgn,
    "chess-results": in_chess_results,
}
RESULTS = [
    (page, *row)
    for page in WRAPPERS
    if page in PAGES
    for row in rows_of(page, "In the")
]


@pytest.mark.parametrize(("page", "heading", "text", "said"), RESULTS)
def test_each_result_is_read_as_its_table_says(page, heading, text, said):
    extra_columns = next(iter(_CODE.findall(heading)), "")
    name, content = WRAPPERS[page](text, extra_columns)
    reported = read_report([(name, content.encode())], today=UPLOADED).reported
    assert reported is not None
    entries = {entry.name: entry for entry in reported.sections[0].entries}
    cells = [
        format_cell(entries[who].cell(1)) or "blank"
        for who in ("Ann", "Bob")
        if who in entries
    ]
    assert cells[: len(_CODE.findall(said))] == _CODE.findall(said)


@pytest.mark.parametrize(("heading", "text", "said"), rows_of("foreign", "In a"))
def test_each_result_abroad_is_read_as_its_table_says(heading, text, said):
    content = f"round,result\n1,{text}\n"
    if heading == "In a TRF":
        lines = [player(1, "Ann", [text]), player(2, "Bob", ["1 b 1"])]
        content = "\n".join(["012 May", *lines])
    member = read_foreign(content.encode()).players[0]
    points = [f"{game.half_points / 2:g}" for game in member.games]
    assert [*points, *(off.what for off in member.rounds_off)] == [said]


def test_every_kind_of_page_has_a_table_of_results():
    assert {page for page, *_ in RESULTS} == set(WRAPPERS)


def test_result_codes_of_the_three_files():
    rows = rows_of("dbf", "Code")
    fields = ("D_SEC_NUM", "D_PAIR_NUM", "D_MEM_ID", "D_RND01")
    lines = [",".join(fields), *(f"1,1,12345671,{text}" for _, text, _ in rows)]
    files = [("TDEXPORT.DBF", dbf("\n".join(lines)))]
    reported = read_report(files).reported
    cells = [entry.cell(1) for entry in reported.sections[0].entries]
    assert [format_cell(cell) for cell in cells] == [text for _, text, _ in rows]
    assert {cell.code for cell in cells} == set("WLDXFZBHUNSRI$#%")
    assert FORMAT in PAGES["dbf"]


# Dates, time controls, limits


@pytest.mark.parametrize(
    ("_heading", "text", "said"), rows_of("time-controls", "Written")
)
def test_each_time_control_is_read_as_its_table_says(_heading, text, said):
    reading = read_time_control(text)
    expected = _CODE.findall(said)
    assert (
        [reading.control] if reading.control else list(reading.candidates) == expected
    )
    assert bool(reading.control) == (len(expected) == 1)


@pytest.mark.parametrize(("_heading", "text", "said"), rows_of("dates", "Written"))
def test_each_date_is_read_as_its_table_says(_heading, text, said):
    days = zip(("042", "052"), text.split(" to "), strict=False)
    lines = [f"{code} {day}" for code, day in days]
    content = "\n".join(["012 May", *lines, player(1, "Ann"), player(2, "Bob")])
    result = read_report([("may.trf", content.encode())], today=UPLOADED)
    days = filter(None, (result.reported.starts, result.reported.ends))
    asked = [one for one in result.findings if one.severity is Severity.CONFIRM]
    assert " to ".join(map(str, days)) == _CODE.findall(said)[0]
    codes = [one.code for one in asked if one.code.startswith("value.")]
    assert bool(codes) == said.endswith("asked")


def limits() -> list[tuple[str, str]]:
    rows = (row.split(" | ") for row in _ROW.findall(PAGES["README"]))
    return [
        (_CODE.findall(row[2])[0], row[1].strip())
        for row in rows
        if len(row) == 3 and "events." in row[2]
    ]


@pytest.mark.parametrize(("name", "said"), limits())
def test_each_limit_is_that_of_the_code(name, said):
    number, _, unit = said.partition(" ")
    factor = 1_000_000 if unit == "MB" else 1
    assert resolve_name(name) == int(number.replace(",", "")) * factor


def test_limits_are_named():
    assert len(limits()) > 10


# Names of fields and findings


@pytest.mark.parametrize("page", PAGES)
def test_each_finding_named_is_one(page):
    codes = {name.partition("/")[0] for name in FINDING_KINDS}
    groups = {code.partition(".")[0] for code in codes}
    named = set(re.findall(r"`([a-z_]+\.[a-z_]+)`", PAGES[page]))
    named = {name for name in named if name.partition(".")[0] in groups}
    assert named <= codes


def test_every_field_of_the_three_files_is_named():
    named = set(re.findall(r"`([HSD]_[A-Z_]+)`", PAGES["dbf"]))
    known = set(REPORT_FIELDS) - {"S_EVENT_ID", "D_EVENT_ID"}
    legacy = {"D_REC_SEQ", "S_K_FACTOR", "H_RCV_DATE"}
    assert named - legacy == known


def test_every_name_of_our_json_is_named():
    records = (ReportedEvent, ReportedSection, ReportedEntry, ReportedSchedule)
    rows = [row.split(" | ") for row in _ROW.findall(PAGES["json"])]
    named = [set(_CODE.findall(row[1])) - {"rating-report"} for row in rows[2:6]]
    # What was reported before an edit is stored, and not part of files.
    known = [
        {one.name for one in fields(record)} - {"as_reported"} for record in records
    ]
    assert named == [known[0] | {"format", "version"}, *known[1:]]
