"""How programs spell results: decided for the whole file, and named in a note."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.importers.findings import Severity
from events.importers.read_report import ReadResult, read_report
from events.importers.records import format_cell
from tests.events.importers.field_cases import field_case
from tests.examples import tries

_NAMES = ("Ash, Ann", "Birch, Bob", "Cedar, Cy", "Dogwood, Di")
_MIRROR = {"W": "L", "L": "W", "D": "D", "X": "F", "F": "X"}
_HALF_POINTS = {"W": 2, "D": 1, "X": 2, "B": 2, "H": 1}

Rows = list[list[tuple[str, int, str]]]  # code, opponent, color


@st.composite
def rows_of_four(draw: st.DrawFn, codes: str) -> Rows:
    """Three rounds of four players; B and H pairs do not meet."""
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
@settings(max_examples=tries(200), deadline=None)
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
@settings(max_examples=tries(200), deadline=None)
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
@settings(max_examples=tries(200), deadline=None)
def test_column_of_colors_gives_colors_and_no_name(
    rows: Rows, *, has_id: bool, score_first: bool
) -> None:
    lines = []
    for number, (name, row) in enumerate(zip(_NAMES, rows, strict=True), start=1):
        colors = "".join(color.lower() or "x" for _, _, color in row)
        cells = " ".join(f"{code}{opponent or '--'}" for code, opponent, _ in row)
        member_id = f" 1200000{number}" if has_id else ""
        rating = f"{_score(row)} 1500" if score_first else f"1500 {_score(row)}"
        lines.append(f"{number}. {name}{member_id} {rating} {colors} {cells}")
    cells, _ = _read("pasted.txt", "\n".join(lines))
    if any(color for row in rows for _, _, color in row):
        assert cells == _expected(rows, colors=True)


@pytest.mark.parametrize(
    ("other", "expected"), [("3w1", ("X2", "F1")), ("3w=", ("W2W", "L1B"))]
)
def test_signs_are_forfeits_where_any_game_of_the_file_has_points(
    other: str, expected: tuple[str, str]
) -> None:
    """The game with points stands in another section of the same file."""
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


def test_field_case_colors_column() -> None:
    cells, _ = field_case("21-chart-with-colors-column.txt")
    assert cells == {
        "Ash, Ann": ["W4W", "D2B", "W3W"],
        "Birch, Bob": ["W3B", "D1W", "D4B"],
        "Cedar, Cy": ["L2W", "B0", "L1B"],
        "Dogwood, Di": ["L1B", "H0", "D2W"],
    }
