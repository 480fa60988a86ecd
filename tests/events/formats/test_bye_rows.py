"""Rows of files that are byes and not players."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from events.formats.byes import bye_code
from events.formats.checks.report import check_report
from events.formats.dbf.writer import write_report
from events.formats.findings import Severity
from events.formats.json.writer import write_json
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
    format_cell,
    parse_cell,
)
from events.formats.report_reader import ReadResult, read_report
from events.formats.tables.writer import write_crosstables
from events.formats.trf.writer import write_trf_files
from tests.events.formats.samples import report as faultless_report

Files = Mapping[str, bytes]

# The bye has the second number: a win, a draw and a loss against it.
ROWS = {
    1: ("Ash, Ann", "W2W", "L4W", "D3W"),
    2: ("", "L1B", "D3B", "W4B"),
    3: ("Cedar, Cy", "W4W", "D2W", "D1B"),
    4: ("Elm, Eve", "L3B", "W1B", "L2W"),
}
EXPECTED = {
    1: ["B0", "L4W", "D3W"],
    3: ["W4W", "H0", "D1B"],
    4: ["L3B", "W1B", "U0"],
}
ALL_PLAYERS = {number: list(row[1:]) for number, row in ROWS.items()}
WORDS = (
    *("BYE", "Bye", "bye bye", "Bye #2", "(bye)", "-BYE-", "Bye Player", "No Opponent"),
    *("Spielfrei", "Freilos", "Odd man out", "Wolny los"),
)
# These may be usernames or surnames, so a row that won a game is a player's.
SINGLE_WORDS = ("Libre", "Exempt", "Descansa", "Free", "Prost", "Riposo", "Vrij")


def reported(word: str, rows: Mapping[int, tuple[str, ...]] = ROWS) -> ReportedEvent:
    entries = tuple(
        ReportedEntry(
            number,
            f"1234567{number}" if name else "",
            name or word,
            rating="1500" if name else "",
            cells=tuple(map(parse_cell, cells)),
        )
        for number, (name, *cells) in rows.items()
    )
    section = ReportedSection(
        1,
        name="OPEN",
        system_letter="R",
        time_control="G/90;d5",
        kind_letter="S",
        rounds=3,
        last_pairing_number=4,
        scholastic_level="N",
        entries=entries,
    )
    return faultless_report(section)


def _chart(event: ReportedEvent) -> Files:
    entries = event.sections[0].entries
    lines = [
        f"{entry.pairing_number:2}  {entry.member_id:8}  {entry.name:20}  "
        f"{entry.rating:4}  " + "  ".join(map(format_cell, entry.cells))
        for entry in entries
    ]
    return {"may.txt": "\n".join(lines).encode()}


def _sjson(event: ReportedEvent) -> Files:
    codes = {"W": "+", "L": "-", "D": "="}
    players = [
        {
            "Pair number": entry.pairing_number,
            "Name": entry.name,
            "ID": entry.member_id,
            "Rating": entry.rating or "0",
            "Results": [
                f"{codes[cell.code]};{cell.opponent};{cell.color};1;0;0;0"
                for cell in entry.cells
            ],
        }
        for entry in event.sections[0].entries
    ]
    section = {"Section name": "OPEN", "Rounds played": 3, "Players": players}
    return {"may.sjson": json.dumps({"Overview": {}, "Sections": [section]}).encode()}


def _web(event: ReportedEvent) -> Files:
    players = [
        {
            "name": entry.name,
            "id1": entry.member_id,
            "rating": entry.rating or "0",
            "results": [cell.code for cell in entry.cells],
            "colors": [cell.color for cell in entry.cells],
            "ops": [cell.opponent for cell in entry.cells],
        }
        for entry in event.sections[0].entries
    ]
    section = {"section": "OPEN", "rounds_played": 3, "players": players}
    page = {"NACHEventID": 1, "rounds_paired": 3, "sections": [section]}
    return {"may.json": json.dumps(page).encode()}


def _chess_results(event: ReportedEvent) -> Files:
    points = {"W": "1.0", "L": "0.0", "D": "0.5"}
    entries = event.sections[0].entries
    players = "".join(
        f'<player no="{entry.pairing_number}" lastname="{entry.name}" fed="USA" '
        f'id="{entry.member_id}" rtgnat="{entry.rating or 0}" />'
        for entry in entries
    )
    pairings = "".join(
        f'<playerpairing round="{number}" whiteno="{entry.pairing_number}" '
        f'blackno="{cell.opponent}" reswhite="{points[cell.code]}" '
        f'resblack="{1 - float(points[cell.code])}" />'
        for entry in entries
        for number, cell in enumerate(entry.cells, start=1)
        if cell.color == "W"
    )
    text = (
        '<chessresults><tournamentdata><tournament name="May" rounds="3" type="0" />'
        f"</tournamentdata><players>{players}</players>"
        f"<playerpairings>{pairings}</playerpairings></chessresults>"
    )
    return {"may.xml": text.encode()}


def _barred(event: ReportedEvent) -> Files:
    lines = [" Pair | Player Name | Total |" + "Round|" * 3]
    for entry in event.sections[0].entries:
        cells = "".join(f"{cell.code}  {cell.opponent}|" for cell in entry.cells)
        about = f" {entry.member_id} / R: {entry.rating} ->1500 "
        about = about if entry.member_id else "  "
        colors = "".join(f"{cell.color}    |" for cell in entry.cells)
        lines += [
            f" {entry.pairing_number} | {entry.name.upper()} |1.0 |{cells}",
            f" OH |{about}| |{colors}",
        ]
    return {"may.txt": "\n".join(lines).encode()}


FORMATS: dict[str, Callable[[ReportedEvent], Files]] = {
    "dbf": write_report,
    "json": lambda event: {"may.json": write_json(event)},
    "trf": lambda event: write_trf_files(event, "TRF26"),
    "table": lambda event: {"may.csv": write_crosstables(event)},
    "chart": _chart,
    "barred-chart": _barred,
    "swisssys": _sjson,
    "swisssys-web": _web,
    "chess-results": _chess_results,
}


def read(files: Files) -> tuple[dict[int, list[str]], ReadResult]:
    result = read_report([*files.items()])
    assert result.reported is not None
    [section] = result.reported.sections
    assert section.last_pairing_number == section.entries[-1].pairing_number
    return {
        entry.pairing_number: [format_cell(cell) for cell in entry.cells]
        for entry in section.entries
    }, result


def without_colors(rows: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Remove colors: the federation's charts print them only with a member ID."""
    return {number: [cell.rstrip("WB") for cell in row] for number, row in rows.items()}


@pytest.mark.parametrize("written", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("word", WORDS)
def test_row_of_a_bye_is_left_out_and_results_against_it_are_byes(
    word: str, written: Callable[[ReportedEvent], Files]
) -> None:
    cells, result = read(written(reported(word)))
    assert cells == EXPECTED
    assert not [one for one in result.findings if one.severity is Severity.ERROR]
    [note] = [one for one in result.findings if one.code == "entry.bye_row"]
    assert note.severity is Severity.NOTE
    assert result.reported is not None
    errors = {
        one.code
        for one in check_report(result.reported)
        if one.severity is Severity.ERROR
    }
    assert not {one for one in errors if one.startswith(("result.", "section.pair"))}


@pytest.mark.parametrize("written", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("word", SINGLE_WORDS)
def test_row_of_one_word_is_a_bye_if_it_won_no_game(
    word: str, written: Callable[[ReportedEvent], Files]
) -> None:
    rows = {
        **ROWS,
        2: ("", "L1B", "D3B", "D4B"),
        4: ("Elm, Eve", "L3B", "W1B", "D2W"),
    }
    cells, _ = read(written(reported(word, rows)))
    assert cells == {**EXPECTED, 4: ["L3B", "W1B", "H0"]}
    cells, _ = read(written(reported(word)))
    assert without_colors(cells) == without_colors(ALL_PLAYERS)


@pytest.mark.parametrize("written", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("name", ["Bye, Ann", "Robert Bye", "A. Bye", "Byers"])
def test_person_called_bye_stays_a_player(
    name: str, written: Callable[[ReportedEvent], Files]
) -> None:
    cells, result = read(written(reported(name)))
    assert without_colors(cells) == without_colors(ALL_PLAYERS)
    assert "entry.bye_row" not in {one.code for one in result.findings}
    assert not [one for one in result.findings if one.severity is Severity.ERROR]


@pytest.mark.parametrize("written", FORMATS.values(), ids=FORMATS.keys())
def test_member_called_bye_stays_a_player(
    written: Callable[[ReportedEvent], Files],
) -> None:
    event = reported("Bye").with_entry(1, 2, member_id="12345679", rating="1200")
    cells, result = read(written(event))
    assert cells == ALL_PLAYERS
    assert "entry.bye_row" not in {one.code for one in result.findings}


@pytest.mark.parametrize(
    "changes", [{"member_id": "12345679"}, {"rating": "1200"}, {"fide_id": "2020001"}]
)
def test_id_or_rating_makes_a_player(changes: dict[str, str]) -> None:
    event = reported("BYE").with_entry(1, 2, **changes)
    cells, _ = read({"may.json": write_json(event)})
    assert [*cells] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("against", "of_bye", "expected"),
    [
        *(("W2W", "L1B", "B0"), ("X2", "F1", "B0"), ("D2B", "D1W", "H0")),
        *(("L2W", "W1B", "U0"), ("F2", "X1", "U0"), ("Z2", "Z1", "U0")),
        *(("B2", "U0", "B0"), ("H2", "U0", "H0"), ("B0", "L1", "B0")),
        *(("", "L1B", "B0"), ("", "D1", "H0"), ("W2", "", "B0"), ("H0", "D1", "H0")),
        *(("N2", "S1", "B0"), ("R2", "S1", "H0")),
    ],
)
def test_points_say_which_bye_it_is(against: str, of_bye: str, expected: str) -> None:
    rows = {
        **ROWS,
        1: ("Ash, Ann", against, "L4W", "D3W"),
        2: ("", of_bye, "D3B", "W4B"),
    }
    cells, _ = read({"may.json": write_json(reported("BYE", rows))})
    assert cells == {**EXPECTED, 1: [expected, "L4W", "D3W"]}


@pytest.mark.parametrize("of_bye", ["L3B", "W9", "L1?"])
def test_row_with_a_result_that_no_player_reports_stays(of_bye: str) -> None:
    rows = {**ROWS, 2: ("", of_bye, "D3B", "W4B")}
    event = reported("BYE", rows)
    cells, result = read({"may.json": write_json(event)})
    assert cells == {number: list(row[1:]) for number, row in rows.items()}
    assert result.reported is not None
    places = [
        one.place
        for one in check_report(result.reported)
        if one.severity is Severity.ERROR and one.code.startswith("result.")
    ]
    assert (2, 1) in [(place.pairing_number, place.round_number) for place in places]


def test_several_players_may_have_the_bye_in_one_round() -> None:
    rows = {
        1: ("Ash, Ann", "W2W", "W3W"),
        2: ("", "L3B", "L4B"),
        3: ("Cedar, Cy", "W2W", "L1B"),
        4: ("Elm, Eve", "W2W", "W2W"),
    }
    expected = {1: ["B0", "W3W"], 3: ["B0", "L1B"], 4: ["B0", "B0"]}
    for name in ("json", "chart", "swisssys", "trf", "chess-results"):
        event = reported("BYE", rows)
        event = event.with_section(1, rounds=2)
        cells, result = read(FORMATS[name](event))
        assert {number: row[:2] for number, row in cells.items()} == expected, name
        assert "chess_results.pairing" not in {one.code for one in result.findings}


@pytest.mark.parametrize("word", SINGLE_WORDS)
def test_word_that_may_be_a_handle_is_a_player_online(word: str) -> None:
    assert bye_code(word) == ""
    rows = {
        1: ("Ash, Ann", "W2W", "L4W", "D3W"),
        2: ("", "L1B", "U0", "U0"),
        3: ("Cedar, Cy", "W4W", "H0", "D1B"),
        4: ("Elm, Eve", "L3B", "W1B", "U0"),
    }
    event = reported(word, rows)
    assert [*read({"may.json": write_json(event)})[0]] == [1, 3, 4]
    online = event.with_section(1, online=True)
    assert [*read({"may.json": write_json(online)})[0]] == [1, 2, 3, 4]


def test_double_games_against_the_bye_are_byes() -> None:
    rows = {
        1: ("Ash, Ann", "$2", "W3"),
        2: ("", "L1", "%4"),
        3: ("Cedar, Cy", "$4", "W1"),
        4: ("Elm, Eve", "L3", "%2"),
    }
    event = reported("BYE", rows).with_section(1, kind_letter="2", rounds=2)
    cells, _ = read({"may.json": write_json(event)})
    assert cells == {1: ["B0", "W3"], 3: ["$4", "W1"], 4: ["L3", "H0"]}


def test_round_robin_by_opponents_keeps_its_columns() -> None:
    rows = {
        1: ("Ash, Ann", "", "W2", "W3", "W4"),
        2: ("Birch, Bob", "L1", "", "D3", "W4"),
        3: ("Cedar, Cy", "L1", "D2", "", "W4"),
        4: ("", "L1", "L2", "L3", ""),
    }
    event = reported("BYE", rows).with_section(1, kind_letter="R")
    cells, _ = read({"may.json": write_json(event)})
    assert cells == {
        1: ["", "W2", "W3", "B0"],
        2: ["L1", "", "D3", "B0"],
        3: ["L1", "D2", "", "B0"],
    }


def test_round_robin_with_points_and_a_bye() -> None:
    text = (
        "No Name        1 2 3 4 Total\n"
        "1  Ash, Ann    X 1 1 1 3\n"
        "2  Birch, Bob  0 X = 1 1.5\n"
        "3  Cedar, Cy   0 = X 1 1.5\n"
        "4  BYE         0 0 0 X 0\n"
    )
    cells, _ = read({"may.txt": text.encode()})
    assert cells == {
        1: ["", "W2", "W3", "B0"],
        2: ["L1", "", "D3", "B0"],
        3: ["L1", "D2", "", "B0"],
    }


def test_schedules_lose_the_bye() -> None:
    event = reported("BYE").with_section(
        1, schedules=(ReportedSchedule("2-day", entries=(1, 2)),)
    )
    _, result = read({"may.json": write_json(event)})
    assert result.reported is not None
    [schedule] = result.reported.sections[0].schedules
    assert schedule.entries == (1,)


def test_bye_row_without_results_in_a_chart_is_left_out() -> None:
    event = reported("x")
    rows = [entry for entry in event.sections[0].entries if entry.pairing_number != 2]
    kept = replace(event.sections[0], entries=tuple(rows))
    [(name, data)] = _chart(replace(event, sections=(kept,))).items()
    cells, result = read({name: data + b"\n 2            BYE                  \n"})
    assert cells == EXPECTED
    assert "entry.bye_row" in {one.code for one in result.findings}


def test_byes_of_a_chart_without_names_are_results() -> None:
    text = " 1  12345671  BYE  W2\n 2  12345672  W3  L1\n 3  12345673  L2  BYE\n"
    cells, _ = read({"may.txt": text.encode()})
    assert cells == {1: ["B0", "W2"], 2: ["W3", "L1"], 3: ["L2", "B0"]}
