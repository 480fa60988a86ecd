"""Each result in a file becomes a cell of the report, or an error that shows it.

Sections are made up, one cell of each is changed, and each reader of rows or pairings
gets the section in its own format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.importers.checks.report import check_report
from events.importers.findings import Finding, Severity
from events.importers.read_report import read_report
from tests.examples import tries

Row = list[tuple[str, int, str]]  # code, opponent or 0, color

_NAMES = ("Ash, Ann", "Birch, Bob", "Cedar, Cy", "Dogwood, Di", "Elm, Eve", "Fir, Flo")
_MIRROR = {"W": "L", "L": "W", "D": "D"}
_UNPLAYED = ("H", "B", "U", "Z", "")


@dataclass(frozen=True)
class Torn:
    """Rows of results, of which one side of one game says something else."""

    rows: tuple[Row, ...]
    claimant: int
    silent: int
    round_number: int


@st.composite
def torn_sections(draw: st.DrawFn) -> Torn:
    count = draw(st.sampled_from((4, 6)))
    rounds = draw(st.integers(2, 4))
    rows: tuple[Row, ...] = tuple([] for _ in range(count))
    for _ in range(rounds):
        order = draw(st.permutations(range(count)))
        for white, black in zip(order[::2], order[1::2], strict=True):
            code = draw(st.sampled_from("WLD"))
            rows[white].append((code, black + 1, "w"))
            rows[black].append((_MIRROR[code], white + 1, "b"))
    silent = draw(st.integers(1, count))
    at = draw(st.integers(1, rounds))
    claimant = rows[silent - 1][at - 1][1]
    rows[silent - 1][at - 1] = (draw(st.sampled_from(_UNPLAYED)), 0, "-")
    return Torn(rows, claimant, silent, at)


def _trf(rows: tuple[Row, ...]) -> tuple[str, str]:
    """Write the rows in the columns of a tournament report file."""
    codes = {"W": "1", "L": "0", "D": "=", "B": "F", "H": "H", "U": "Z", "Z": "-"}
    lines = ["012 Maple Open", "042 2026/11/21", f"XXR {len(rows[0])}"]
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=False), start=1):
        cells = "".join(
            f"  {opponent or '0000':>4} {color} {codes[code]}" if code else " " * 10
            for code, opponent, color in row
        )
        head = f"001 {number:4} m    {name:33} {'':4} USA {'':11} {'':10}  0.0 {'':4}"
        lines.append(head + cells)
    return "may.trf", "\n".join(lines)


def _csv(rows: tuple[Row, ...]) -> tuple[str, str]:
    rounds = ",".join(f"Rd {number}" for number in range(1, len(rows[0]) + 1))
    lines = [f"No,Name,{rounds}"]
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=False), start=1):
        cells = ",".join(f"{code}{opponent or ''}" for code, opponent, _ in row)
        lines.append(f'{number},"{name}",{cells}')
    return "may.csv", "\n".join(lines)


def _european(rows: tuple[Row, ...]) -> tuple[str, str]:
    codes = {"W": "1", "L": "0", "D": "½"}
    byes = {"H": "-½", "B": "-1", "U": "-0", "Z": "-0", "": ""}
    rounds = "\t".join(f"{number}.Rd" for number in range(1, len(rows[0]) + 1))
    lines = [f"No.\tName\t{rounds}"]
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=False), start=1):
        cells = "\t".join(
            f"{opponent}{color}{codes[code]}" if opponent else byes[code]
            for code, opponent, color in row
        )
        lines.append(f"{number}\t{name}\t{cells}")
    return "pasted.txt", "\n".join(lines)


def _chart(rows: tuple[Row, ...]) -> tuple[str, str]:
    lines = []
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=False), start=1):
        cells = "  ".join(
            f"{code} {opponent}" if opponent else f"{code or 'U'}--"
            for code, opponent, _ in row
        )
        lines.append(f"{number:3} {name:20} 15{number}0  {cells}")
    return "pasted.txt", "\n".join(lines)


FORMATS = (_trf, _csv, _european, _chart)


def _findings(name: str, text: str) -> tuple[dict[tuple[int, int], str], list[Finding]]:
    """Return the cells that a file gives, by number and round, and all findings."""
    result = read_report([(name, text.encode())])
    reported = result.reported
    if reported is None:
        return {}, result.findings
    [section] = reported.sections
    cells = {
        (entry.pairing_number, number): f"{cell.code}{cell.opponent or 0}"
        for entry in section.entries
        for number, cell in enumerate(entry.cells, start=1)
    }
    return cells, [*result.findings, *check_report(reported)]


@pytest.mark.parametrize("write", FORMATS)
@given(torn=torn_sections())
@settings(max_examples=tries(300), deadline=None)
def test_game_that_one_side_claims_is_never_lost(
    write: Callable[[tuple[Row, ...]], tuple[str, str]], torn: Torn
) -> None:
    cells, findings = _findings(*write(torn.rows))
    claims = {
        (number, at): f"{code}{opponent}"
        for number, row in enumerate(torn.rows, start=1)
        for at, (code, opponent, _) in enumerate(row, start=1)
        if opponent
    }
    assert {place: cells.get(place) for place in claims} == claims
    errors = {
        finding.place.pairing_number
        for finding in findings
        if finding.severity is Severity.ERROR
        and finding.place.round_number == torn.round_number
    }
    assert errors == {torn.claimant, torn.silent}


def test_tournament_file_with_a_color_but_no_opponent_is_a_game_without_one() -> None:
    rows: tuple[Row, ...] = ([("W", 0, "w")], [("L", 0, "b")], [("D", 0, "w")])
    cells, findings = _findings(*_trf(rows))
    assert cells == {(1, 1): "W0", (2, 1): "L0", (3, 1): "D0"}
    assert [
        finding.place.pairing_number
        for finding in findings
        if finding.code == "result.no_opponent"
    ] == [1, 2, 3]


_GAME_ROWS = st.lists(
    st.tuples(
        st.sampled_from(("1", "2", "0", "x", "")),
        st.sampled_from((*_NAMES[:3], "Bye", "")),
        st.sampled_from((*_NAMES[:3], "Bye", "", "half-point bye", "Bye #2")),
        st.sampled_from(("1-0", "0-1", "½-½", "0.5-0.5", "+--", "1", "0", "?", "")),
    ),
    min_size=1,
    max_size=6,
)


@given(rows=_GAME_ROWS)
@settings(max_examples=tries(600), deadline=None)
def test_each_row_of_a_list_of_games_is_a_cell_or_an_error(
    rows: list[tuple[str, str, str, str]],
) -> None:
    lines = ["Round,White,Black,Result", '9,"Gum, Gil","Haw, Hal",1-0']
    lines += [f'{at},"{white}","{black}",{result}' for at, white, black, result in rows]
    result = read_report([("may.csv", "\n".join(lines).encode())])
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    by_name = {entry.name: entry for entry in entries}
    told = {finding.place.field.split(",")[0] for finding in result.findings}
    for number, (at, white, black, said) in enumerate(rows, start=3):
        if not (said and {white, black} & set(_NAMES)) or f"line {number}" in told:
            continue
        if {white, black} <= set(_NAMES):
            ours, theirs = by_name[white], by_name[black]
            met = ours.cell(int(at)).opponent, theirs.cell(int(at)).opponent
            assert met == (theirs.pairing_number, ours.pairing_number)
        else:
            alone = by_name[white if white in _NAMES else black]
            assert alone.cell(int(at)).code in "BHU"


_PAIRINGS = st.lists(
    st.tuples(
        st.sampled_from(("1", "2", "0", "")),
        st.sampled_from(("1", "2", "3", "4", "9", "")),
        st.sampled_from(("1", "2", "3", "4", "-1", "-2", "9", "")),
        st.sampled_from(("1.0", "0.5", "0.0", "", "2")),
        st.sampled_from(("1.0", "0.5", "0.0", "", "x")),
        st.sampled_from(("", "K", "D", "H", "?")),
    ),
    max_size=5,
)


@given(pairings=_PAIRINGS)
@settings(max_examples=tries(600), deadline=None)
def test_each_pairing_of_chess_results_is_a_cell_or_an_error(
    pairings: list[tuple[str, ...]],
) -> None:
    players = "".join(
        f'<player no="{number}" lastname="{name}" fed="USA" />'
        for number, name in enumerate(_NAMES[:4], start=1)
    )
    keys = ("round", "whiteno", "blackno", "reswhite", "resblack", "forfeit")
    lines = "\n".join(
        "<playerpairing "
        + " ".join(f'{key}="{value}"' for key, value in zip(keys, one, strict=True))
        + " />"
        for one in pairings
    )
    text = (
        '<chessresults><tournamentdata><tournament name="May" rounds="2" />'
        f"</tournamentdata><players>{players}</players>"
        f"<playerpairings>\n{lines}\n</playerpairings></chessresults>"
    )
    cells, findings = _findings("may.xml", text)
    told = {
        finding.place.field
        for finding in findings
        if finding.severity is Severity.ERROR
    }
    missing = {
        (finding.place.pairing_number, finding.place.round_number)
        for finding in findings
        if finding.code == "result.missing"
    }
    for line, (at, white, black, *_) in enumerate(pairings, start=2):
        if f"line {line}" in told:
            continue
        place = int(white), int(at)
        if not cells.get(place) or cells[place] == "0":
            assert place in missing or int(at) > max((n for _, n in cells), default=0)
        elif int(black) > 0:
            assert cells[place].endswith(black)
            assert cells[int(black), int(at)].endswith(white)
