"""Dialects of programs: detected for the whole file, and named in a note."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.findings import Severity
from events.formats.report import format_cell
from events.formats.report_reader import ReadResult, read_report
from tests.events.formats.field_cases import field_case
from tests.hypothesis_settings import example_count

_NAMES = ("Ash, Ann", "Birch, Bob", "Cedar, Cy", "Dogwood, Di")
_MIRROR = {"W": "L", "L": "W", "D": "D", "X": "F", "F": "X"}
_HALF_POINTS = {"W": 2, "D": 1, "X": 2, "B": 2, "H": 1}

Rows = list[list[tuple[str, int, str]]]  # code, opponent, color


@st.composite
def rows_of_four(draw: st.DrawFn, codes: str) -> Rows:
    """Draw three rounds of four players; players with B or H have no game."""
    rows: Rows = [[] for _ in _NAMES]
    for _ in range(3):
        order = draw(st.permutations(range(4)))
        for white, black in (order[:2], order[2:]):
            code = draw(st.sampled_from(codes))
            if code in "BHU":
                rows[white].append((code, 0, ""))
                rows[black].append((code, 0, ""))
            else:
                played = code in "WLD"
                rows[white].append((code, black + 1, "W" if played else ""))
                rows[black].append((_MIRROR[code], white + 1, "B" if played else ""))
    return rows


def _read(name: str, text: str) -> tuple[dict[str, list[str]], ReadResult]:
    result = read_report([(name, text.encode())])
    assert result.reported is not None
    [section] = result.reported.sections
    cells = {
        entry.name: [format_cell(cell) for cell in entry.cells]
        for entry in section.entries
    }
    return cells, result


def _expected(rows: Rows, *, colors: bool) -> dict[str, list[str]]:
    return {
        name: [
            f"{code}{opponent}{color if colors else ''}"
            for code, opponent, color in row
        ]
        for name, row in zip(_NAMES, rows, strict=True)
    }


def _score(row: list[tuple[str, int, str]]) -> float:
    return sum(_HALF_POINTS.get(code, 0) for code, _, _ in row) / 2


_FOOTERS = (
    "",
    "6 games: +2 =2 -2",
    "6 games +2 =2 -2",
    "Total: +2 -2",
    "12 partidas: +10 =0 -2",
)


@given(rows=rows_of_four("WLD"), footer=st.sampled_from(_FOOTERS), of=st.booleans())
@settings(max_examples=example_count(200), deadline=None)
def test_scid_crosstable_has_wins_and_losses_and_no_player_in_its_footer(
    rows: Rows, footer: str, *, of: bool
) -> None:
    signs = {"W": "+", "L": "-", "D": "="}
    lines = ["Maple Open", "  Rtng  Score  1  2  3", "-" * 60]
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=True), start=1):
        cells = "  ".join(
            f"{opponent:3}{color.lower()}{signs[code]}" for code, opponent, color in row
        )
        score = f"{_score(row)} /  3" if of else f"{_score(row)}"
        lines.append(f" {number}: {name:20} 15{number}2  {score}  {cells}  83.3%")
    lines += ["-" * 60, footer]
    cells, result = _read("pasted.txt", "\n".join(lines))
    has_signs = any(code in "WL" for row in rows for code, _, _ in row)
    assert cells == _expected(rows, colors=True)
    if has_signs:
        assert "table.dialect" in {finding.code for finding in result.findings}
    assert Severity.ERROR not in {finding.severity for finding in result.findings}


@given(rows=rows_of_four("WLDXFBHU"), apart=st.sampled_from(("\t", "  ", " \t ")))
@settings(max_examples=example_count(200), deadline=None)
def test_swiss_perfect_export(rows: Rows, apart: str) -> None:
    spelled = {"X": "+", "F": "-", "B": "W", "H": "D", "U": ""}
    lines = [
        apart.join(("No", f"{'Name':12}", "Loc Id", "Total", " 1  ", " 2  ", " 3  "))
    ]
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=True), start=1):
        cells = (f"{opponent}:{spelled.get(code, code)}" for code, opponent, _ in row)
        lines.append(
            apart.join((f"{number} ", f"{name:12}", "564 ", f"{_score(row)}", *cells))
        )
    cells, _ = _read("export.txt", "\n".join(lines))
    assert [*cells.values()] == [*_expected(rows, colors=False).values()]


@given(rows=rows_of_four("WLDBH"), has_id=st.booleans(), score_first=st.booleans())
@settings(max_examples=example_count(200), deadline=None)
def test_column_of_colors_gives_colors_and_no_name(
    rows: Rows, *, has_id: bool, score_first: bool
) -> None:
    # A table of byes alone has no results to rate, and is refused.
    assume(any(color for row in rows for _, _, color in row))
    lines = []
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=True), start=1):
        colors = "".join(color.lower() or "x" for _, _, color in row)
        cells = " ".join(f"{code}{opponent or '--'}" for code, opponent, _ in row)
        member_id = f" 1200000{number}" if has_id else ""
        rating = f"{_score(row)} 1500" if score_first else f"1500 {_score(row)}"
        lines.append(f"{number}. {name}{member_id} {rating} {colors} {cells}")
    cells, _ = _read("pasted.txt", "\n".join(lines))
    assert cells == _expected(rows, colors=True)


@pytest.mark.parametrize(
    ("other", "expected"), [("3w1", ("X2", "F1")), ("3w=", ("W2W", "L1B"))]
)
def test_signs_are_forfeits_where_any_game_of_the_file_has_points(
    other: str, expected: tuple[str, str]
) -> None:
    """The game with points is in another section of the same file."""
    section = "Section: {}\nNo.,Name,Rd 1\n1,Ann,{}\n2,Bob,{}\n\n"
    text = section.format("A", "2w+", "1b-") + section.format("B", other, "")
    result = read_report([("may.csv", text.encode())])
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    assert tuple(format_cell(entry.cells[0]) for entry in entries) == expected


def test_own_signs_are_read_as_games_and_named() -> None:
    cells, result = _read("may.csv", "No,Name,Rd 1\n1,Ann,+2\n2,Bob,-1\n")
    assert cells == {"Ann": ["W2"], "Bob": ["L1"]}
    [note] = result.findings
    assert (note.code, note.severity) == ("table.dialect", Severity.NOTE)


@pytest.mark.parametrize("label", ["Total", "Totals:", "Average", "Sum", "Points (2)"])
@pytest.mark.parametrize("sums", ["2,2", "1.5,0.5", "2,", "50%,50%"])
def test_row_of_sums_is_no_player(label: str, sums: str) -> None:
    rows = "No,Name,Round 1,Round 2\n1,Ash,+2,-2\n2,Birch,-1,+1\n"
    cells, result = _read("may.csv", f"{rows},{label},{sums}\n")
    assert cells == {"Ash": ["W2", "L2"], "Birch": ["L1", "W1"]}
    assert "table.row_left_out" in {one.code for one in result.findings}


def test_field_case_scid_footer() -> None:
    cells, _ = field_case("06-scid-crosstable-footer.txt")
    assert cells == {
        "Ash, Ann": ["W4W", "D2B", "W3W"],
        "Birch, Bob": ["W3B", "D1W", "D4B"],
        "Cedar, Cy": ["L2W", "W4B", "L1B"],
        "Dogwood, Di": ["L1B", "L3W", "D2W"],
    }


def test_field_case_swiss_perfect() -> None:
    cells, _ = field_case("22-swissperfect-export.txt")
    assert cells == {
        "Ash, Ann": ["W4", "D2", "W3"],
        "Birch, Bob": ["W3", "D1", "D4"],
        "Cedar, Cy": ["L2", "B0", "L1"],
        "Dogwood, Di": ["L1", "H0", "D2"],
    }


def _column(heading: str, *texts: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return ID and name of each player of a table with one more column."""
    rows = [
        f"{number},{name},{text},{result}"
        for number, name, text, result in zip(
            (1, 2), ("Ash", "Birch"), texts, ("W2", "L1"), strict=True
        )
    ]
    table = "\n".join([f"No,Name,{heading},Rd 1", *rows])
    result = read_report([("may.csv", table.encode())])
    assert result.reported is not None
    [section] = result.reported.sections
    players = [(entry.member_id, entry.name) for entry in section.entries]
    return players, [one.code for one in result.findings]


@pytest.mark.parametrize("heading", ["Loc Id", "LocID", "Local ID", "Nat Id"])
@pytest.mark.parametrize(
    ("texts", "member_ids", "codes"),
    [
        (("12345671", "12345672"), ["12345671", "12345672"], []),
        (("12345671", "10692"), ["12345671", ""], ["table.local_ids"]),
        (("193", "5601"), ["", ""], ["table.local_ids"]),
        (("0", ""), ["", ""], []),
        (("123456789", "IRL 564"), ["", ""], ["table.local_ids"]),
    ],
)
def test_ids_of_a_program_are_member_ids_if_they_have_eight_digits(
    heading: str, texts: tuple[str, str], member_ids: list[str], codes: list[str]
) -> None:
    players, found_codes = _column(heading, *texts)
    assert players == [*zip(member_ids, ("Ash", "Birch"), strict=True)]
    assert found_codes == codes


def test_own_column_of_member_ids_comes_before_ids_of_a_program() -> None:
    text = "No,Name,ID,Loc Id,Rd 1\n1,Ash,12345671,99999999,W2\n2,Birch,,7,L1\n"
    result = read_report([("may.csv", text.encode())])
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    assert [entry.member_id for entry in entries] == ["12345671", ""]


# Colors of four players in three rounds, as charts print them.
_COLORS = {
    "word": ("wbw", "bwb", "wbw", "bwb"),
    "capitals": ("WBW", "BWB", "WBW", "BWB"),
    "blanks": ("w b w", "b w b", "w b w", "b w b"),
    "dashes": ("W-B-W", "B-W-B", "W-B-W", "B-W-B"),
    "slashes": ("w/b/w", "b/w/b", "w/b/w", "b/w/b"),
    "German": ("wsw", "sws", "wsw", "sws"),
    "Spanish": ("bnb", "nbn", "bnb", "nbn"),
}
_COLORED = {
    "Ash, Ann": ["W2W", "W3B", "W4W"],
    "Birch, Bob": ["L1B", "W4W", "D3B"],
    "Cedar, Cy": ["W4W", "L1B", "D2W"],
    "Bruce, Jan B": ["L3B", "L2W", "L1B"],
}
_ROWS = ("W2  W3  W4", "L1  W4  D3", "W4  L1  D2", "L3  L2  L1")


def _chart(colors: tuple[str, ...], rows: tuple[str, ...] = _ROWS) -> str:
    return "\n".join(
        f"{number:2}  {name:18} 1800  {color}  {row}"
        for number, (name, color, row) in enumerate(
            zip(_COLORED, colors, rows, strict=True), start=1
        )
    )


def _cells_of(text: str, name: str = "may.txt") -> dict[str, list[str]]:
    result = read_report([(name, text.encode())])
    assert result.reported is not None
    [section] = result.reported.sections
    return {
        entry.name: [format_cell(cell) for cell in entry.cells]
        for entry in section.entries
    }


@pytest.mark.parametrize("colors", _COLORS.values(), ids=_COLORS.keys())
def test_column_of_colors_gives_the_colors_and_is_not_part_of_a_name(
    colors: tuple[str, ...],
) -> None:
    assert _cells_of(_chart(colors)) == _COLORED


def test_colors_of_fewer_rounds_are_those_of_the_first() -> None:
    cells = _cells_of(_chart(("wb", "bw", "wb", "bw")))
    assert cells == {name: [*row[:2], row[2][:2]] for name, row in _COLORED.items()}


def test_colors_of_more_rounds_are_left_out_of_the_name() -> None:
    cells = _cells_of(_chart(("wbwb", "bwbw", "wbwb", "bwbw")))
    assert cells == {name: [cell[:2] for cell in row] for name, row in _COLORED.items()}


def test_rounds_without_a_color_are_no_table_of_points() -> None:
    rows = ("H--  H--  H--", "H--  H--  H--", "W4  W4  W4", "L3  L3  L3")
    cells = _cells_of(_chart(("xxx", "xxx", "www", "bbb"), rows))
    assert [*cells.values()] == [
        *(["H0", "H0", "H0"], ["H0", "H0", "H0"]),
        *(["W4W", "W4W", "W4W"], ["L3B", "L3B", "L3B"]),
    ]


def test_lone_bye_after_colors_with_blanks_is_a_result() -> None:
    rows = ("B  W3  W4", "H  W4  D3", "W4  L1  D2", "L3  L2  L1")
    cells = _cells_of(_chart(("x b w", "x w b", "w b w", "b w b"), rows))
    assert cells["Ash, Ann"] == ["B0", "W3B", "W4W"]
    assert cells["Birch, Bob"] == ["H0", "W4W", "D3B"]


@pytest.mark.parametrize("heading", ["Colors", "Colour", "Col", "Farben"])
@pytest.mark.parametrize("colors", _COLORS.values(), ids=_COLORS.keys())
def test_column_named_colors_gives_the_colors(
    heading: str, colors: tuple[str, ...]
) -> None:
    lines = [
        f'{number},"{name}",{color},{row.replace("  ", ",")}'
        for number, (name, color, row) in enumerate(
            zip(_COLORED, colors, _ROWS, strict=True), start=1
        )
    ]
    text = "\n".join([f"No,Name,{heading},Rd 1,Rd 2,Rd 3", *lines])
    assert _cells_of(text, "may.csv") == _COLORED


@pytest.mark.parametrize(
    ("texts", "cells", "code"),
    [
        (("1.5", "0.5"), ([], []), "table.extra_column"),
        (("--", ""), ([], []), "table.extra_column"),
        (("?", "paid"), ([], []), "table.extra_column"),
        (("W2", "L1"), (["W2"], ["L1"]), "result.beyond_rounds"),
        (("H", "--"), (["H0"], ["U0"]), "result.beyond_rounds"),
        (("W2x", "--"), (["W2x"], ["U0"]), "result.unreadable"),
    ],
)
@pytest.mark.parametrize("stated", ["Rounds", "Number of rounds"])
def test_column_after_the_stated_rounds_needs_results_to_count(
    texts: tuple[str, str],
    cells: tuple[list[str], list[str]],
    code: str,
    stated: str,
) -> None:
    text = (
        f"{stated},2\nNo,Name,1,2,3\n1,Ash,W2,D2,{texts[0]}\n2,Birch,L1,D1,{texts[1]}\n"
    )
    result = read_report([("may.csv", text.encode())])
    assert result.reported is not None
    [section] = result.reported.sections
    rows = [[format_cell(cell) for cell in entry.cells] for entry in section.entries]
    assert rows == [["W2", "D2", *cells[0]], ["L1", "D1", *cells[1]]]
    found_codes = {
        one.code for one in (*result.findings, *check_report(result.reported))
    }
    assert code in found_codes


def test_field_case_colors_column() -> None:
    cells, _ = field_case("21-chart-with-colors-column.txt")
    assert cells == {
        "Ash, Ann": ["W4W", "D2B", "W3W"],
        "Birch, Bob": ["W3B", "D1W", "D4B"],
        "Cedar, Cy": ["L2W", "B0", "L1B"],
        "Dogwood, Di": ["L1B", "H0", "D2W"],
    }
