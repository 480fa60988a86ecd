"""Real TRF files, compared with a small independent reader of columns."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.findings import Severity
from events.formats.foreign.reader import read_foreign
from events.formats.report import Cell, ReportedEvent
from events.formats.report_reader import ReadResult, read_report
from events.formats.result_codes import SINGLE
from events.formats.trf.writer import write_trf, write_trf_files
from tests.hypothesis_settings import example_count

FOLDER = Path(__file__).parents[2] / "data" / "real-files" / "trf"
FILES = sorted(path.name for path in FOLDER.iterdir())

# From the format's own table: half points, and the office's code.
RESULTS = {
    "1": (2, "W"),
    "=": (1, "D"),
    "0": (0, "L"),
    "+": (2, "X"),
    "-": (0, "F"),
    "H": (1, "H"),
    "F": (2, "B"),
    "U": (2, "B"),
    "Z": (0, "U"),
    " ": (0, "U"),
}
# Wrong in the file itself: a point without a result.
WRONG_POINTS = {("online-team-cup.trf", 41)}


@cache
def text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def player_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("001")]


def slots(line: str, shift: int = 0) -> list[str]:
    return [line[at : at + 10].ljust(10) for at in range(91 + shift, len(line), 10)]


def read(text: str | bytes) -> ReadResult:
    return read_report([("real.trf", text.encode() if isinstance(text, str) else text)])


def played(cells: tuple[Cell, ...]) -> list[tuple[str, int | None, str]]:
    """Return the cells up to the last round that is not unpaired."""
    rounds = [(cell.code, cell.opponent, cell.color) for cell in cells]
    while rounds and rounds[-1] == ("U", None, ""):
        rounds.pop()
    return rounds


def by_columns(line: str) -> list[tuple[str, int | None, str]]:
    cells = []
    for slot in slots(line):
        opponent = int(slot[:4].strip() or 0) or None
        color = slot[5].upper() if slot[5] in "wb" else ""
        cells.append((RESULTS[slot[7]][1], opponent, color))
    while cells and cells[-1] == ("U", None, ""):
        cells.pop()
    return cells


@pytest.mark.parametrize("name", FILES)
def test_every_cell_of_every_player_is_read(name):
    lines = player_lines(text_of(name))
    entries = read(text_of(name)).reported.sections[0].entries
    assert [entry.pairing_number for entry in entries] == [
        int(line[4:8]) for line in lines
    ]
    assert [(entry.name, played(entry.cells)) for entry in entries] == [
        (line[14:47].strip(), by_columns(line)) for line in lines
    ]


@pytest.mark.parametrize("name", FILES)
def test_points_are_the_sum_of_the_cells(name):
    result = read(text_of(name))
    entries = result.reported.sections[0].entries
    for line, entry in zip(player_lines(text_of(name)), entries, strict=True):
        stated = float(line[80:84]) * 2
        counted = sum(RESULTS[slot[7]][0] for slot in slots(line))
        assert sum(SINGLE[cell.code].half_points for cell in entry.cells) == counted
        known = (name, entry.pairing_number) in WRONG_POINTS
        assert (stated == counted) is not known
    assert {
        (name, finding.place.pairing_number)
        for finding in result.findings
        if finding.code == "trf.points"
    } == {wrong for wrong in WRONG_POINTS if wrong[0] == name}


HEADINGS = {
    "2021-03.trf": ("2020-06-26", "2020-06-26", "S"),
    "example-trf16.trf": ("2005-07-28", "2005-07-31", "S"),
    "example-trf26.trf": ("2024-01-01", "2024-01-14", "S"),
    "example1.trf": ("2005-07-28", "2005-07-31", "S"),
    "online-team-cup.trf": ("2024-11-23", "2024-11-24", "S"),
    "trf-import-test.trf": ("2025-09-13", "2025-09-14", "S"),
}
TEAMS = {"example-trf26.trf", "online-team-cup.trf"}


@pytest.mark.parametrize("name", FILES)
def test_heading_is_read_and_nothing_is_called_strange(name):
    result = read(text_of(name))
    report = result.reported
    assert (str(report.starts), str(report.ends)) == HEADINGS[name][:2]
    assert report.sections[0].kind_letter == HEADINGS[name][2]
    codes = {finding.code for finding in result.findings}
    assert codes.isdisjoint({"trf.unknown_line", "trf.shifted", "trf.line_short"})
    assert ("trf.teams" in codes) is (name in TEAMS)
    # The results agree, so none was read as another player's.
    assert not [one for one in check_report(report) if one.code.startswith("result.")]


@pytest.mark.parametrize("name", FILES)
def test_reader_of_events_abroad_sees_the_same_games(name):
    lines = player_lines(text_of(name))
    report = read_foreign(text_of(name).encode())
    assert [
        [(game.round_number, game.color, game.half_points) for game in player.games]
        for player in report.players
    ] == [
        [
            (number, slot[5].upper(), RESULTS[slot[7]][0])
            for number, slot in enumerate(slots(line), start=1)
            if slot[7] in "1=0"
        ]
        for line in lines
    ]
    assert not [one for player in report.players for one in player.remarks]
    assert (str(report.event.starts), str(report.event.ends)) == HEADINGS[name][:2]


@pytest.mark.parametrize("name", FILES)
def test_birth_dates_are_dropped(name):
    """Those in kept lines of other federations are dropped, too."""
    kept = str(read(text_of(name)).reported.to_json())
    born = {line[69:79].strip() for line in player_lines(text_of(name))} - {""}
    assert [day for day in born if day in kept] == []


REFORMED = {
    "tabs in the heading": lambda text: re.sub(r"(?m)^(\d\d2) ", "\\1\t", text),
    "line ends of DOS": lambda text: text.replace("\n", "\r\n"),
    "line ends of old": lambda text: text.replace("\n", "\r"),
    "byte order mark": lambda text: "\ufeff" + text,
    "blanks cut": lambda text: re.sub(r"(?m)[ ]+$", "", text),
    "ruler above": lambda text: (
        f"{'1234567890' * 9}\nDDD SSSS sTTT NNNNN RRRR FFF\n{text}"
    ),
    "comments between": lambda text: text.replace("\n001", "\n### a note\n001"),
    "shifted by four": lambda text: re.sub(
        r"(?m)^(001.{44})(.*)$", lambda m: f"{m[1]}    {m[2]}", text
    ),
}


@pytest.mark.parametrize("how", REFORMED)
def test_other_ways_of_writing_the_same_file_are_the_same_report(how):
    text = text_of("trf-import-test.trf")
    plain, reformed = read(text), read(REFORMED[how](text))
    assert reformed.reported.sections[0].entries == plain.reported.sections[0].entries
    assert (reformed.reported.starts, reformed.reported.name) == (
        plain.reported.starts,
        plain.reported.name,
    )
    assert "trf.unknown_line" not in {finding.code for finding in reformed.findings}


def test_fields_set_apart_by_tabs_are_found_by_their_contents():
    line = "001\t7\tm\t\tEk, Bo\t1810\tSWE\t1700001\t\t1.5\t2\t3 w 1\t4 b =\t5 w 0"
    entry = read(f"012 Open\n{line}").reported.sections[0].entries[0]
    assert (entry.pairing_number, entry.name) == (7, "Ek, Bo")
    assert (entry.fide_id, entry.fide_rating) == ("1700001", "1810")
    assert played(entry.cells) == [("W", 3, "W"), ("D", 4, "B"), ("L", 5, "W")]


# Writing again, and other programs' requirements


@pytest.mark.parametrize("name", FILES)
def test_both_editions_that_we_write_say_the_same(name):
    report = read(text_of(name)).reported
    backs = {}
    for layout in ("TRF16", "TRF26"):
        written = write_trf_files(report, layout)
        backs[layout] = read_report(list(written.items())).reported
    assert [one.layout for one in backs.values()] == ["TRF16", "TRF26"]
    assert without_lines(backs["TRF16"]) == without_lines(backs["TRF26"])
    entries = backs["TRF26"].sections[0].entries
    assert entries == report.sections[0].entries


def without_lines(report: ReportedEvent) -> ReportedEvent:
    """Return the report without data that only one edition has."""
    section = replace(report.sections[0], trf_lines=(), online=False)
    return replace(report, layout="", program="", sections=(section,))


@pytest.mark.parametrize("layout", ["TRF16", "TRF26"])
@pytest.mark.parametrize("name", FILES)
def test_written_files_pass_the_rules_of_a_pairing_program(name, layout):
    report = read(text_of(name)).reported
    written = write_trf(report, report.sections[0], layout).decode()
    assert written.count("\r\n") == written.count("\n")
    lines = player_lines(written)
    assert len(lines) == len(report.sections[0].entries)
    stated = float(lines[0][80:84])
    assert stated == sum(RESULTS[slot[7]][0] for slot in slots(lines[0])) / 2
    assert [fault for line in lines for fault in faults_of(line)] == []


def faults_of(line: str) -> list[str]:
    """Return faults of a player line in a pairing program that reads by columns.

    The rules are those that such programs document: points are required, no color
    without an opponent, no result of a game without a color, no bye with an opponent,
    nothing after the last round.
    """
    number = line[4:8].strip()
    faults = [] if number.isdecimal() and int(number) else ["number"]
    if not re.fullmatch(r" *[0-9]{1,2}\.[05]", line[80:84]):
        faults.append("points")
    if not re.fullmatch(r" *[0-9]*", line[48:52]):
        faults.append("rating")
    for at in range(91, len(line), 10):
        slot = line[at : at + 10]
        if not slot.strip():
            continue
        other, color, result = slot[:4].strip().lstrip("0"), slot[5:6], slot[7:8]
        sound = (
            len(slot) >= 8
            and (not other or (other.isdecimal() and other != number))
            and slot[4] == slot[6] == " "
            and not slot[8:].strip()
            and color in "wb- "
            and result in RESULTS
        )
        if not sound:
            faults.append(f"slot {slot!r}")
        if (not other and color in "wb") or (other and result in "HFUZ "):
            faults.append(f"nobody {slot!r}")
        if result in "1=0" and color not in "wb":
            faults.append(f"no color {slot!r}")
    return faults


# Damaged, shifted and cut real lines

_LETTERS = "0123456789 =+-wbHUZ.,/ABé²\t"


@st.composite
def torn(draw: st.DrawFn, line: str) -> str:
    """Draw the line with pieces removed, inserted, overwritten, or cut off."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(4, len(line)))
        how = draw(st.sampled_from(["cut", "shift", "replace", "end"]))
        piece = draw(st.text(_LETTERS, min_size=1, max_size=4))
        if how == "cut":
            line = line[:at] + line[at + len(piece) :]
        elif how == "shift":
            line = line[:at] + " " * len(piece) + line[at:]
        elif how == "replace":
            line = line[:at] + piece + line[at + len(piece) :]
        else:
            line = line[: max(at, 4)]
    return line


@st.composite
def torn_files(draw: st.DrawFn) -> list[str]:
    lines = text_of(draw(st.sampled_from(FILES))).splitlines()
    for _ in range(draw(st.integers(1, 12))):
        at = draw(st.integers(0, len(lines) - 1))
        if draw(st.integers(0, 3)) == 0 and len(lines) > 1:
            del lines[at]
        elif len(lines[at]) > 4:
            lines[at] = draw(torn(lines[at]))
    return lines


@settings(max_examples=example_count(120), deadline=None)
@given(torn_files())
def test_torn_real_files_are_read_without_losing_a_player(lines):
    result = read("\n".join(lines))
    if result.reported is None:
        assert Severity.ERROR in {finding.severity for finding in result.findings}
        return
    assert len(result.reported.sections[0].entries) == len(
        player_lines("\n".join(lines))
    )
    check_report(result.reported)


@settings(max_examples=example_count(1800), deadline=None)
@given(
    st.sampled_from(FILES)
    .flatmap(lambda name: st.sampled_from(player_lines(text_of(name))))
    .flatmap(torn)
)
def test_no_round_of_a_damaged_line_is_lost(line):
    """Each round is read as written, or an error shows it."""
    result = read(f"012 Open\n{line}")
    if result.reported is None:
        assert Severity.ERROR in {finding.severity for finding in result.findings}
        return
    entry = result.reported.sections[0].entries[0]
    codes = {finding.code for finding in result.findings}
    line = line.replace("\t", " ").rstrip()
    missing = {
        finding.place.round_number
        for finding in result.findings
        if finding.code == "trf.no_result"
    }
    if "trf.shifted" in codes:
        # After points and place, all numbers except results are opponents.
        tail = re.split(
            r"\s[0-9]{1,2}[.,][05](?:\s+[0-9]{1,4}(?=\s|$))?", line, maxsplit=1
        )
        opponents = [cell.opponent or 0 for cell in entry.cells]
        assert all(str(one) in tail[1] for one in opponents if one)
        return
    # Letters lost before the rounds move them by a column or two, and a file in which
    # columns are bytes the other way.
    assert any(
        all(
            _is_as_written(
                entry.cell(number),
                slot,
                number in missing or not entry.cells[number - 1 :],
            )
            for number, slot in enumerate(slots(line, shift), start=1)
        )
        for shift in (0, -1, -2, 1, 2)
    )


def _is_as_written(cell: Cell, slot: str, is_missing: bool) -> bool:
    if not slot.strip():
        return cell in (Cell("U"), Cell())
    if cell.raw:
        blanks = " " * cell.raw.count(" ")
        letters = slot.replace(" ", "").strip("?") + blanks
        return sorted(cell.raw.strip("?")) == sorted(letters)
    if cell.is_blank:
        return is_missing
    if cell.opponent is None:
        if slot[:4].strip(" 0") and slot[7:].strip().upper() != "D":
            return False
    elif str(cell.opponent) not in slot:
        return False
    return cell.code not in "WDL" or "1=0"["WDL".index(cell.code)] in slot[6:]
