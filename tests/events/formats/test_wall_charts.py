"""Pasted wall charts: complete, with header lines, several, and damaged."""

from __future__ import annotations

import html
import re
from datetime import date
from pathlib import Path

import pytest

from events.formats.checks.report import check_report
from events.formats.findings import Severity
from events.formats.report import ReportedSection, format_cell
from events.formats.report_reader import ReadResult, read_report
from events.formats.result_codes import SINGLE
from events.formats.tables.reader import PASTED

REAL = Path("tests/data/real-files/wall-chart/msa-64-players.txt").read_text()
PLAYERS = 64
_RATINGS = re.compile(r"R: +([0-9]{3,4})?[^>]*-> *([0-9]{3,4})")
_FACT = "Time Control: G/90;d5"


def read(text: str, name: str = PASTED) -> ReadResult:
    return read_report([(name, text.encode())])


def sections_of(result: ReadResult) -> tuple[ReportedSection, ...]:
    assert result.reported is not None
    return result.reported.sections


def errors_of(result: ReadResult) -> list[str]:
    return [one.code for one in result.findings if one.severity is Severity.ERROR]


def lines_between(text: str, more: str) -> str:
    """Return the chart with a line after its 10th player."""
    at = text.index("   11 |")
    return f"{text[:at]}{more}\n{text[at:]}"


def as_page(text: str) -> str:
    body = html.escape(text).replace("VEMU PAI", "<a href='x?1'>VEMU PAI</a>")
    return f"<html><body><b>Crosstable</b><br><pre>\n{body}</pre></body></html>"


MUTATED = {
    "as it is": REAL,
    "fact above": f"{_FACT}\n{REAL}",
    "facts above": f"Event: May Open\nSection 1 - OPEN\nRounds: 7\n{_FACT}\n\n{REAL}",
    "fact without colon above": f"Time Control G/90 d5\n{REAL}",
    "fact between": lines_between(REAL, _FACT),
    "section between": lines_between(REAL, "Section: Open"),
    "words between": lines_between(REAL, "continued on the next page"),
    "fact below": f"{REAL}\n{_FACT}\n",
    "CRLF": REAL.replace("\n", "\r\n"),
    "entities": html.escape(REAL).replace(" ", "&nbsp;"),
    "tabs": REAL.replace("  ", "\t"),
    "cut rulers": re.sub("-{80,}", "-----", REAL),
    "no rulers": re.sub("-{80,}\n", "", REAL),
    "web page": as_page(REAL),
    "empty lines": REAL.replace("\n", "\n\n"),
    "no last bars": re.sub(r"\| *$", "", REAL, flags=re.M),
}


@pytest.mark.parametrize("text", MUTATED.values(), ids=MUTATED)
def test_chart_of_the_federation_is_read_whole(text: str) -> None:
    result = read(text)
    [section] = sections_of(result)
    assert len(section.entries) == PLAYERS
    assert errors_of(result) == []
    unmirrored = [
        (entry.pairing_number, format_cell(cell))
        for entry in section.entries
        for column, cell in enumerate(entry.cells, start=1)
        if cell.opponent
        and format_cell(section.entry(cell.opponent).cell(column))[:1]
        != SINGLE[cell.code].mirror
    ]
    assert unmirrored == []
    # The federation's text next to each name.
    totals = [float(total) for total in re.findall(r"\|([0-9]\.[05]) +\|", REAL)]
    points = [
        sum(SINGLE[cell.code].half_points for cell in entry.cells) / 2
        for entry in section.entries
    ]
    assert points == totals
    ratings = [(entry.rating, entry.rating_after) for entry in section.entries]
    assert ratings == _RATINGS.findall(REAL)
    assert section.entries[0].name == "VEMU PAI"
    assert [entry.state for entry in section.entries[:2]] == ["ON", "MI"]
    assert format_cell(section.entries[63].cells[6]) == "L54B"


def test_facts_around_a_chart_are_taken_in() -> None:
    for name in ("facts above", "fact between", "fact below"):
        [section] = sections_of(read(MUTATED[name]))
        assert section.time_control == "G/90;d5", name
    [section] = sections_of(read(MUTATED["facts above"]))
    assert (section.name, section.rounds) == ("OPEN", 7)


def test_two_charts_of_the_federation_are_two_sections() -> None:
    five_rounds = re.sub(r"\|[^|\n]*\|[^|\n]*\| *$", "|", REAL, flags=re.M)
    result = read(f"Section 1 - OPEN\n{REAL}\nSection 2 - U1800\n{five_rounds}")
    first, second = sections_of(result)
    assert (first.name, len(first.entries), first.rounds) == ("OPEN", PLAYERS, 7)
    assert (second.name, len(second.entries), second.rounds) == ("U1800", PLAYERS, 5)
    assert errors_of(result) == []


SUMMARY = """Event Summary
\tEvent\t2020 Spring Open (202005293212)
\tLocation\tDAYTON, OH  45402
\tEvent Date(s)\t2020-05-29 thru 2020-05-31
\tSponsoring Affiliate\tDAYTON CHESS CLUB (A5000408)
\tChief TD\tANN LEE (12345678)
Section 1 - OPEN
\tSection Date(s)\t2020-05-30 thru 2020-05-31
\tStats\t7 Rounds, 64 Players; K Factor: F  Rating Sys: R  Tnmt Type: S
\tTime Control: G/90;d5
"""


def test_summary_above_the_federations_chart_is_taken_in() -> None:
    event = read(SUMMARY + REAL).reported
    [section] = event.sections
    assert event.name == "2020 Spring Open (202005293212)"
    assert (event.starts, event.ends) == (date(2020, 5, 29), date(2020, 5, 31))
    assert (event.affiliate_id, event.chief_td_id) == ("A5000408", "12345678")
    assert (section.starts, section.ends) == (date(2020, 5, 30), date(2020, 5, 31))
    assert (section.name, section.time_control) == ("OPEN", "G/90;d5")
    assert len(section.entries) == PLAYERS


BLANKS = """ 1  Reyes, Ana      12345671  1650  W   4  D   3  W   2
 2  Cohen, Levi     12345672  1602  W   3  W   4  L   1
 3  Adeyemi, Tolu   12345673  1540  L   2  D   1  H---
 4  Novak, Petra    12345674  1200  L   1  L   2  B
"""
SHORTER = """ 1  Ek, Bo      12345675  1100  W   2
 2  Ito, Cy     12345676  1000  L   1
"""


@pytest.mark.parametrize(
    "between", ["", "\n", "U1200\n", "Section: U1200\n", " #  Name  ID  Rtng  Rd 1\n"]
)
def test_charts_one_after_the_other_are_sections(between: str) -> None:
    first, second = sections_of(read(f"{BLANKS}{between}{SHORTER}"))
    assert [len(first.entries), first.rounds] == [4, 3]
    assert [len(second.entries), second.rounds] == [2, 1]


def test_chart_goes_on_behind_a_page_break() -> None:
    lines = BLANKS.splitlines()
    text = "\n".join([*lines[:2], " #  Name  Rd 1  Rd 2  Rd 3", "Page 2", *lines[2:]])
    [section] = sections_of(read(text))
    assert [entry.pairing_number for entry in section.entries] == [1, 2, 3, 4]


def test_section_named_between_those_who_did_not_meet_begins_one() -> None:
    text = (
        BLANKS
        + "Section: U1200\n"
        + SHORTER.replace(" 1  Ek", " 5  Ek")
        .replace(" 2  Ito", " 6  Ito")
        .replace("W   2", "W   6")
        .replace("L   1", "L   5")
    )
    assert [s.name for s in sections_of(read(text))] == ["", "U1200"]


@pytest.mark.parametrize(
    "line",
    [
        "Time Control: G/90;d5",
        "Time control G/90 d5",
        "40/90, SD/30 +5",
        "Rounds 1-3 G/60 d5, round 4 G/90 +30",
        "90 min +30",
        "TC: G/25 +5",
        "U1200",
        "Section U1200",
    ],
)
def test_time_control_is_no_player(line: str) -> None:
    result = read(f"{line}\n{BLANKS}{line}\n")
    [section] = sections_of(result)
    assert [len(section.entries), section.rounds] == [4, 3]
    assert errors_of(result) == []


def test_name_before_a_draw_is_no_time_control() -> None:
    text = BLANKS.replace("Adeyemi, Tolu ", "Kim, Min G    ").replace(
        "1540  L   2", "1540  D   2"
    )
    [section] = sections_of(read(text))
    assert section.entries[2].name == "Kim, Min G"
    assert format_cell(section.entries[2].cells[0]) == "D2"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("D   3", "??", "result.unreadable"),
        ("D   3", "and many more words", "table.row_left_out"),
        (" 3  Adeyemi, Tolu   12345673  1540 ", "", "table.row_left_out"),
    ],
)
def test_no_result_of_a_damaged_line_is_lost(old: str, new: str, code: str) -> None:
    result = read(BLANKS.replace(old, new, 1))
    findings = [*result.findings, *check_report(result.reported)]
    errors = [one.code for one in findings if one.severity is Severity.ERROR]
    assert code in errors
    [section] = sections_of(result)
    assert format_cell(section.entries[0].cells[0]) == "W4"


def test_player_of_the_federations_chart_without_the_second_line_is_kept() -> None:
    lines = [line for line in REAL.splitlines() if "13716940" not in line]
    [section] = sections_of(read("\n".join(lines)))
    assert len(section.entries) == PLAYERS
    assert section.entries[1].name == "NEBRSING GINUJE"
    assert section.entries[1].member_id == ""


def test_line_without_its_bars_is_named() -> None:
    line = next(line for line in REAL.splitlines() if "NEBRSING" in line)
    result = read(REAL.replace(line, line.replace("|", " ")))
    [finding] = [f for f in result.findings if f.severity is Severity.ERROR]
    assert finding.code == "table.row_left_out"
    assert "NEBRSING" in finding.message


def test_ids_in_lines_below_are_taken_in() -> None:
    lines = BLANKS.splitlines()
    text = "\n".join(
        f"{line[:20]}   {line[30:]}\n     {line[20:28]}   OH   1.0  1.5  2.5"
        for line in lines
    )
    result = read(f"Wall Chart. Section: OPEN\n{text}")
    [section] = sections_of(result)
    assert section.name == "OPEN"
    assert [entry.member_id for entry in section.entries] == [
        *("12345671", "12345672", "12345673", "12345674")
    ]
    assert {entry.state for entry in section.entries} == {"OH"}
    assert result.findings == []


@pytest.mark.parametrize("rating", ["950", "1650"])
@pytest.mark.parametrize("blanks", [" ", "  ", "   "])
def test_initial_before_a_rating_is_no_result(rating: str, blanks: str) -> None:
    text = BLANKS.replace("Levi     12345672  1602", f"Levi L{blanks}{rating}")
    entry = sections_of(read(text))[0].entries[1]
    assert (entry.name, entry.rating) == ("Cohen, Levi L", rating)
    assert [format_cell(cell) for cell in entry.cells] == ["W3", "W4", "L1"]


def test_places_before_names_are_no_part_of_them() -> None:
    text = "\n".join(
        f"{' # Place Name' if not at else ''}\n {number} {at + 1} {line[4:]}"
        for at, (number, line) in enumerate(
            zip((1, 3, 2, 4), sorted(BLANKS.splitlines()), strict=True)
        )
    )
    # With pairing numbers 1, 3, 2, 4 no results agree; opponents are places.
    [section] = sections_of(read(text))
    assert [entry.pairing_number for entry in section.entries] == [1, 2, 3, 4]
    assert [entry.name for entry in section.entries] == [
        "Reyes, Ana",
        "Cohen, Levi",
        "Adeyemi, Tolu",
        "Novak, Petra",
    ]


@pytest.mark.parametrize("text", ["-----", "|\n ---- \n", "=====\n\n"])
def test_rulers_alone_are_no_report(text: str) -> None:
    result = read(text)
    assert result.reported is None
    assert [one.code for one in result.findings] != []


def test_line_of_a_table_within_a_chart_is_named() -> None:
    result = read(f"{BLANKS}\n5,12345675,Ona,CA,1500,W2,L3,H\n")
    [finding] = [one for one in result.findings if one.severity is Severity.ERROR]
    assert finding.code == "table.row_left_out"
    assert "12345675" in finding.message


def test_event_that_is_called_like_a_result_makes_no_chart_of_its_table() -> None:
    facts = "Event,Group 2W\nCity,Group 2W\nTime control,G/60;d5\n"
    result = read(f"{facts}No.,Member ID,Name,Rd 1\n1,12345671,Ana,W2\n2,,Bo,L1\n")
    assert result.reported.name == "Group 2W"
    [section] = sections_of(result)
    assert [format_cell(one.cells[0]) for one in section.entries] == ["W2", "L1"]


@pytest.mark.parametrize("name", ["Bye, Bob J", "Half, Di", "BYE, ANN"])
def test_name_that_is_a_word_for_a_bye_is_no_result(name: str) -> None:
    [section] = sections_of(read(f"1 Ash, Ann  W 2\n2 {name}  L 1\n"))
    assert [
        (entry.name, *map(format_cell, entry.cells)) for entry in section.entries
    ] == [
        ("Ash, Ann", "W2"),
        (name, "L1"),
    ]


@pytest.mark.parametrize("opponent", [1, 3])
def test_player_without_a_readable_result_is_an_error(opponent: int) -> None:
    result = read(f"1 Ash, Ann   won?\n2 Birch, Bob  L {opponent}\n3 Cedar, Cy  W 2\n")
    [error] = [one for one in result.findings if one.severity is Severity.ERROR]
    assert (error.place.field, "won?" in error.message) == ("line 1", True)


def test_score_at_the_end_of_a_line_next_to_a_chart_is_an_error() -> None:
    result = read("9 Ash, Ann   1-0\n2 Birch, Bob  L 3\n3 Cedar, Cy  W 2\n")
    assert [
        one.place.field for one in result.findings if one.severity is Severity.ERROR
    ] == ["line 1"]


def test_line_of_forfeits_alone_is_a_players() -> None:
    lines = (
        "1 Ash  X 4  F 4",
        "2 Birch  W 3  L 3",
        "3 Cedar  L 2  W 2",
        "4 Elm  F 1  X 1",
    )
    [section] = sections_of(read("\n".join(lines)))
    assert [[*map(format_cell, entry.cells)] for entry in section.entries] == [
        ["X4", "F4"],
        ["W3", "L3"],
        ["L2", "W2"],
        ["F1", "X1"],
    ]


@pytest.mark.parametrize("unreadable", ["1-0", "??", "#REF!", "½?", "W99?"])
def test_first_result_that_cannot_be_read_is_shown_with_its_line(unreadable):
    lines = [
        "1 Ash, Ann   30000001  W 2  X 2",
        f"2 Birch, Bob 30000002  {unreadable}  F 1",
    ]
    result = read_report([("pasted.txt", "\n".join(lines).encode())])
    [error] = [one for one in result.findings if one.code == "table.row_left_out"]
    assert error.severity is Severity.ERROR
    assert f"Birch, Bob {unreadable}" in error.message


def test_short_line_of_a_player_with_a_number_in_the_name_is_no_error():
    lines = ["1 Ash, Ann 3rd 1500  W 2  D 2", "2 Birch, Bob    1400  L 1"]
    result = read_report([("pasted.txt", "\n".join(lines).encode())])
    assert "table.row_left_out" not in {one.code for one in result.findings}


def test_total_and_forfeit_of_a_chart_are_no_points_of_a_round_robin():
    lines = [
        "1 Ash, Ann      2.0  W 2  W 2",
        "2 Birch, Bob    0.0  L 1  L 1",
        "3 Cedar, Cy     1.5  X 4  H--",
        "4 Dogwood, Di   1.0  F 3  W 5",
        "5 Elm, Eve      1.0  B--  L 4",
    ]
    result = read_report([("pasted.txt", "\n".join(lines).encode())])
    entries = result.reported.sections[0].entries
    assert [[format_cell(cell) for cell in entry.cells] for entry in entries] == [
        ["W2", "W2"],
        ["L1", "L1"],
        ["X4", "H0"],
        ["F3", "W5"],
        ["B0", "L4"],
    ]


def test_forfeits_that_two_players_share_are_no_points_of_a_round_robin():
    lines = [
        "1 Ash, Ann      0.0  F 2",
        "2 Birch, Bob    1.0  X 1",
        "3 Cedar, Cy     1.0  X 4",
        "4 Dogwood, Di   0.0  F 3",
    ]
    result = read_report([("pasted.txt", "\n".join(lines).encode())])
    entries = result.reported.sections[0].entries
    assert [format_cell(entry.cells[0]) for entry in entries] == [
        "F2",
        "X1",
        "X4",
        "F3",
    ]


@pytest.mark.parametrize("total", ["", "1.0"])
def test_name_that_ends_in_x_beside_shared_forfeits_is_no_line_of_points(total):
    lines = [
        f"1 Lee, X        {total:3}  B--",
        "2 Birch, Bob    1.0  X 3",
        "3 Cedar, Cy     0.0  F 2",
        "4 Dogwood, Di   0.0  F 5",
        "5 Elm, Eve      1.0  X 4",
    ]
    result = read_report([("pasted.txt", "\n".join(lines).encode())])
    entries = result.reported.sections[0].entries
    assert [(entry.name, format_cell(entry.cells[0])) for entry in entries] == [
        ("Lee, X", "B0"),
        ("Birch, Bob", "X3"),
        ("Cedar, Cy", "F2"),
        ("Dogwood, Di", "F5"),
        ("Elm, Eve", "X4"),
    ]


@pytest.mark.parametrize("name", ["Lee, X", "Malcolm X"])
def test_unreadable_result_against_a_name_that_ends_in_x_is_an_error(name):
    lines = [
        "1 Ash, Ann         0.0  F 3",
        "2 Birch, Bob       1.0  B--",
        "3 Cedar, Cy        1.0  X 1",
        f"4 {name:15}  0.0  L 5",
        "5 Elm, Eve         1.0  won?",
    ]
    result = read_report([("pasted.txt", "\n".join(lines).encode())])
    entries = result.reported.sections[0].entries
    assert (entries[3].name, format_cell(entries[3].cells[0])) == (name, "L5")
    [error] = [one for one in result.findings if one.severity == "error"]
    assert error.place.field == "line 5"


def test_player_who_seems_to_have_met_themselves_changes_no_numbers() -> None:
    text = (
        "Section: Open\n\n  1 Ash, Ann      12345671   1-0\n"
        "  2 Birch, Bob    12345672   D 1\n  3 Cedar, Cy     12345673   B--\n"
    )
    result = read_report([("pasted.txt", text.encode())])
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    assert [(one.pairing_number, one.name) for one in entries] == [
        (2, "Birch, Bob"),
        (3, "Cedar, Cy"),
    ]
    assert "table.row_left_out" in {one.code for one in result.findings}
