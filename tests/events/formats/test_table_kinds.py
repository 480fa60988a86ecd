"""Round robins with points, European crosstables, damaged and hidden results."""

from __future__ import annotations

import io
import zipfile
from datetime import date

import pytest

from events.formats.checks.report import check_report
from events.formats.findings import Severity
from events.formats.report import ReportedSection, format_cell
from events.formats.report_reader import ReadResult, read_report
from events.formats.tables.header_fields import EVENT_HEADER_FIELDS
from events.formats.tables.reader import PASTED
from events.formats.tables.score_lines import score_lines
from players.formats.xlsx_writer import write_xlsx


def read(text: str, name: str = "may.csv") -> ReadResult:
    return read_report([(name, text.encode())])


def section_of(result: ReadResult) -> ReportedSection:
    assert result.reported is not None
    [section] = result.reported.sections
    return section


def cells_of(result: ReadResult) -> dict[int, list[str]]:
    return {
        entry.pairing_number: [format_cell(cell) for cell in entry.cells]
        for entry in section_of(result).entries
    }


def errors_of(result: ReadResult) -> list[str]:
    return [one.code for one in result.findings if one.severity is Severity.ERROR]


def result_faults(result: ReadResult) -> list[str]:
    findings = check_report(result.reported)
    return [one.code for one in findings if one.code.startswith("result.")]


# Round robins with points

ROUND_ROBIN = [
    ["No", "Name", "Rtg", "1", "2", "3", "4", "Pts"],
    ["1", "Ana Reyes", "2100", "X", "1", "½", "1", "2.5"],
    ["2", "Bo Ek", "2000", "0", "X", "1", "½", "1.5"],
    ["3", "Cy Ito", "1900", "½", "0", "X", "1", "1.5"],
    ["4", "Di Paz", "1800", "0", "½", "0", "X", "0.5"],
]
# Written out by hand: column 2 of number 1 is the game against number 2.
BY_OPPONENT = {
    1: ["", "W2", "D3", "W4"],
    2: ["L1", "", "W3", "D4"],
    3: ["D1", "L2", "", "W4"],
    4: ["L1", "D2", "L3", ""],
}


def marked(mark: str, half: str) -> list[list[str]]:
    words = {"X": mark, "½": half}
    return [[words.get(cell, cell) for cell in row] for row in ROUND_ROBIN]


@pytest.mark.parametrize("mark", ["X", "x", "*", "■", "***", "-", ""])
@pytest.mark.parametrize("half", ["½", "1/2", "0.5", "=", "0,5"])
def test_round_robin_with_points_is_read(mark: str, half: str) -> None:
    rows = marked(mark, half)
    for name, data in (
        ("a.csv", "\n".join(";".join(row) for row in rows).encode()),
        ("a.xlsx", write_xlsx(rows)),
    ):
        result = read_report([(name, data)])
        assert cells_of(result) == BY_OPPONENT
        assert section_of(result).kind_letter == "R"
        assert section_of(result).has_opponent_columns
        assert errors_of(result) == []
        assert result_faults(result) == []


@pytest.mark.parametrize("mark", ["X", "*", "■", "***"])
@pytest.mark.parametrize("head", [True, False])
def test_round_robin_of_blanks_is_read(mark: str, head: bool) -> None:
    rows = marked(mark, "½")[not head :]
    text = "Spring Quad\n\n" + "\n".join("  ".join(row) for row in rows)
    result = read(text + "\nTime Control: G/60;d5\n", PASTED)
    assert cells_of(result) == BY_OPPONENT
    assert [entry.name for entry in section_of(result).entries][:2] == [
        "Ana Reyes",
        "Bo Ek",
    ]
    assert section_of(result).entries[0].rating == "2100"
    assert section_of(result).time_control == "G/60;d5"
    assert errors_of(result) == []


# Two games in each cell; each player's results against each, written by hand.
DOUBLE = [
    ["1", "Ana Reyes", "12345671", "X", "1½", "½½", "11", "4.5"],
    ["2", "Bo Ek", "12345672", "0½", "X", "10", "½1", "3"],
    ["3", "Cy Ito", "12345673", "½½", "01", "X", "11", "4"],
    ["4", "Di Paz", "12345674", "00", "½0", "00", "X", "0.5"],
]
GAMES_OF_DOUBLE = {
    1: ["W2 D2", "D3 D3", "W4 W4"],
    2: ["L1 D1", "W3 L3", "D4 W4"],
    3: ["D1 D1", "L2 W2", "W4 W4"],
    4: ["L1 L1", "D2 L2", "L3 L3"],
}


def double_text(between: str, parted: str = ";") -> str:
    head = ["No", "Name", "ID", "1", "2", "3", "4", "Pts"]
    rows = [
        [
            cell if at < 3 or at == 7 or cell == "X" else between.join(cell)
            for at, cell in enumerate(row)
        ]
        for row in DOUBLE
    ]
    return "\n".join(parted.join(row) for row in [head, *rows])


def by_opponents(result: ReadResult) -> dict[int, list[str]]:
    half = len(section_of(result).entries[0].cells) // 2
    return {
        number: sorted(
            (" ".join(pair) for pair in zip(cells[:half], cells[half:], strict=True)),
            key=lambda pair: pair[1],
        )
        for number, cells in cells_of(result).items()
    }


@pytest.mark.parametrize("between", ["", " ", "/", " / "])
@pytest.mark.parametrize("parted", [";", "\t"])
def test_double_round_robin_has_two_games_in_each_cell(between, parted) -> None:
    result = read(double_text(between, parted))
    assert section_of(result).kind_letter == "D"
    assert section_of(result).rounds == 6
    assert by_opponents(result) == GAMES_OF_DOUBLE
    assert errors_of(result) == []
    assert result_faults(result) == []


@pytest.mark.parametrize("head", [True, False])
def test_double_round_robin_of_blanks_is_read(head: bool) -> None:
    text = double_text("", "  ")
    result = read(text if head else text.partition("\n")[2], PASTED)
    assert by_opponents(result) == GAMES_OF_DOUBLE
    assert result_faults(result) == []


def test_idle_rounds_of_a_double_round_robin_are_known() -> None:
    rows = [
        "No;Name;1;2;3",
        "1;Ana Reyes;X;1½;11",
        "2;Bo Ek;0½;X;01",
        "3;Cy Ito;00;10;X",
    ]
    result = read("\n".join(rows))
    assert result_faults(result) == []
    assert [cells.count("U0") for cells in cells_of(result).values()] == [2, 2, 2]


@pytest.mark.parametrize("cell", ["1", "2", "1½?", "1½0"])
def test_cell_without_two_games_blocks_a_double_round_robin(cell: str) -> None:
    """A lone 1 may be one game, or half a point of two."""
    result = read(double_text("").replace("1½;", f"{cell};", 1))
    assert "table.no_result" in [one.code for one in result.findings]
    assert "result.unreadable" in result_faults(result)


@pytest.mark.parametrize(
    "spoil",
    [lambda text: text.replace("1½", "1½?"), lambda text: double_text(" ", " ")],
)
def test_lines_of_a_double_round_robin_are_not_lost(spoil) -> None:
    """Ambiguous lines are shown, one by one, and block the report."""
    result = read(spoil(double_text("", " ")), PASTED)
    shown = [one.message for one in result.findings if one.code == "table.row_left_out"]
    for name in ("Ana Reyes", "Bo Ek", "Cy Ito", "Di Paz"):
        assert any(name in message for message in shown)
    assert "table.row_left_out" in errors_of(result)


@pytest.mark.parametrize("heading", ["No. Name # 1 2 3", "No Name # 10 11 12 Total"])
def test_heading_of_numbers_is_no_line_of_a_double_round_robin(heading: str) -> None:
    assert score_lines([heading]).broken == frozenset()


def test_line_that_a_round_robin_lacks_is_not_made_up() -> None:
    for damaged in ("0  X  word  ½", "0  1  ½"):
        text = "\n".join("  ".join(row) for row in ROUND_ROBIN[1:])
        result = read(text.replace("0  X  1  ½", damaged), PASTED)
        assert errors_of(result)
        assert result.reported is None or not result.reported.sections


def test_round_robin_in_another_order_is_read() -> None:
    rows = [ROUND_ROBIN[number] for number in (0, 1, 2, 4, 3)]
    result = read("\n".join("  ".join(row) for row in rows), PASTED)
    assert cells_of(result) == BY_OPPONENT


def test_round_robin_by_place_is_numbered_by_its_columns() -> None:
    rows = [["5" + row[0], *row[1:]] for row in ROUND_ROBIN[1:]]
    text = "\n".join(";".join(row) for row in [ROUND_ROBIN[0], *rows])
    assert cells_of(read(text)) == BY_OPPONENT


def test_forfeits_and_damage_of_a_round_robin() -> None:
    rows = [list(row) for row in ROUND_ROBIN]
    rows[1][4], rows[2][3] = "+", "-"
    rows[1][5], rows[3][3] = "-", "-"
    rows[1][6] = "won"
    result = read("\n".join(";".join(row) for row in rows))
    assert cells_of(result)[1] == ["", "X2", "Z3", "won"]
    assert cells_of(result)[2][0] == "F1"
    assert "result.unreadable" in result_faults(result)


# European crosstables

EUROPEAN = [
    ["Rk.", "SNo", "", "Name", "FED", "Rtg", "1.Rd", "2.Rd", "3.Rd", "Pts.", "TB1"],
    ["1", "2", "GM", "Reyes, Ana", "USA", "2400", "3w1", "2b½", "4w+", "2,5", "4"],
    ["2", "1", "", "Ek, Bo", "SWE", "2410", "4b1", "1w½", "-½", "2", "5"],
    ["3", "4", "", "Ito, Cy", "JPN", "0", "1b0", "-1", "-0", "1", "3"],
    ["4", "3", "", "Paz, Di", "ESP", "1900", "2w0", "***", "1b-", "0", "2"],
]
BY_RANK = {
    1: ["W3W", "D2B", "X4"],
    2: ["W4B", "D1W", "H0"],
    3: ["L1B", "B0", "U0"],
    4: ["L2W", "U0", "F1"],
}
FILES = {
    "tabs": lambda rows: (PASTED, "\n".join("\t".join(row) for row in rows).encode()),
    "semicolons": lambda rows: ("a.csv", "\n".join(map(";".join, rows)).encode()),
    "spreadsheet": lambda rows: ("a.xlsx", write_xlsx(rows)),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    "headings", ["{}.Rd", "{}.Runde", "{}. Round", "Rd.{}", "Runde {}", "{}th Round"]
)
def test_european_crosstable_is_read_by_rank(kind: str, headings: str) -> None:
    first = [headings.format(cell[0]) if "Rd" in cell else cell for cell in EUROPEAN[0]]
    title = [["From the Tournament-Database"], ["Final Ranking after 3 Rounds"], [""]]
    below = [[""], ["Annotation:"], ["Tie Break1: Buchholz Tie-Breaks"]]
    result = read_report([FILES[kind]([*title, first, *EUROPEAN[1:], *below])])
    assert cells_of(result) == BY_RANK
    shown = [(entry.name, entry.rating) for entry in section_of(result).entries]
    assert shown[:3] == [("Reyes, Ana", "2400"), ("Ek, Bo", "2410"), ("Ito, Cy", "")]
    assert errors_of(result) == []


def test_european_crosstable_is_read_by_start_number_if_that_mirrors() -> None:
    by_start = {"1": "2", "2": "1", "3": "4", "4": "3"}
    rows = [
        [*row[:6], *(by_start.get(cell[0], cell[0]) + cell[1:] for cell in row[6:9])]
        for row in EUROPEAN[1:]
    ]
    result = read_report([FILES["tabs"]([EUROPEAN[0], *rows])])
    assert cells_of(result) == {
        2: ["W4W", "D1B", "X3"],
        1: ["W3B", "D2W", "H0"],
        4: ["L2B", "B0", "U0"],
        3: ["L1W", "U0", "F2"],
    }


@pytest.mark.parametrize(("white", "black"), [("w", "s"), ("b", "n"), ("w", "b")])
def test_letters_of_colors_depend_on_the_language(white: str, black: str) -> None:
    colors = str.maketrans("wb", white + black)
    rows = [[cell.translate(colors) for cell in row] for row in EUROPEAN[1:]]
    assert cells_of(read_report([FILES["tabs"]([EUROPEAN[0], *rows])])) == BY_RANK


def test_european_crosstable_of_blanks() -> None:
    lines = [
        f"{row[0]:>3}  {row[1]:>3}  {row[3]:14}  {row[4]}  {row[5]:>4}   "
        f"{'   '.join(row[6:9])}   {row[9]}"
        for row in EUROPEAN[1:]
    ]
    result = read("\n".join(lines), PASTED)
    assert cells_of(result) == BY_RANK
    assert section_of(result).entries[1].name == "Ek, Bo"
    assert section_of(result).entries[1].rating == "2410"


def test_pairing_numbers_count_if_the_results_do_not_decide() -> None:
    result = read("Rank,No,Name,Rd 1\n1,7,Ana,B\n2,9,Bo,H\n")
    assert [*cells_of(result)] == [7, 9]


def test_minus_one_is_a_loss_where_cells_are_no_european_ones() -> None:
    assert cells_of(read("No,Name,Rd 1\n1,Ana,+2\n2,Bo,-1\n")) == {1: ["W2"], 2: ["L1"]}


def test_names_behind_places() -> None:
    result = read("Place Name,Rtg,Rd 1\n1 Reyes Ana,1500,W2\n2 Ek Bo,1400,L1\n")
    assert cells_of(result) == {1: ["W2"], 2: ["L1"]}
    assert [e.name for e in section_of(result).entries] == ["Reyes Ana", "Ek Bo"]


# Results that other readers would lose


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("No,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\n\nSection,x\n3,,X,W4,W5\n", "Line 6"),
        ("W2 W3 W4\nNo,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\n", "Line 1"),
        ("No,Name,Rd 1\n1,Ana,W2,L2\n2,Bo,L1\n", "Line 2, column 4"),
        ("No,Name,Rd 1,Runde B\n1,Ana,W2,L2\n2,Bo,L1,H\n", "Line 2, column 4"),
        ("No,Name,Rd 1,Rd 1\n1,Ana,W2,L2\n2,Bo,L1,H\n", "Line 2, column 4"),
        ("No,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\n,,W1\n", "Line 4"),
        ("Round,White,Black,Result\n1,Ana,Bo,1-0\n2,Ana,Bo,7-3\n", "Line 3"),
        ("Round,White,Black,Result\n1,Ana,Bo,1-0\n2,Ana,Bo,2-Jan\n", "Line 3"),
    ],
)
def test_result_without_a_place_is_an_error(text: str, place: str) -> None:
    errors = [f for f in read(text).findings if f.severity is Severity.ERROR]
    assert errors
    assert all(finding.message.startswith(place) for finding in errors)


def test_file_with_unknown_columns_is_not_skipped_with_another() -> None:
    files = [
        ("a.csv", b"No,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\n"),
        ("b.csv", b"Nummer;Spieler;Runde A\n1;Cy;W2\n2;Di;L1\n"),
    ]
    result = read_report(files)
    assert errors_of(result) == ["table.row_left_out", "table.row_left_out"]


def test_players_behind_a_fact_are_kept() -> None:
    text = "No,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\nTime control,G/60;d5\n3,Cy,W4\n4,To,L3\n"
    result = read(text)
    assert [*cells_of(result)] == [1, 2, 3, 4]
    assert section_of(result).time_control == "G/60;d5"


@pytest.mark.parametrize(
    ("table", "cells"),
    [
        ("Name,Rd 1\nAna,W2\nBo,L1\n{}Cy,B\n", [["W2"], ["L1"], ["B0"]]),
        ("No,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\n{}?,Cy,H\n", [["W2"], ["L1"], ["H0"]]),
        (
            "Name,1,2,3\nAna,X,1,1\nBo,0,X,1\n{}Cy,0,0,X\n",
            [["", "W2", "W3"], ["L1", "", "W3"], ["L1", "L2", ""]],
        ),
    ],
)
def test_player_without_number_behind_a_fact_is_kept(
    table: str, cells: list[list[str]]
) -> None:
    assert [*cells_of(read(table.format("City,Dayton\nRounds,3\n"))).values()] == cells


@pytest.mark.parametrize("row", ["x,Cy,Di,1-0", "Cy,Di,½-½"])
def test_game_behind_a_fact_is_kept_or_named(row: str) -> None:
    text = "Round,White,Black,Result\n1,Ana,Bo,1-0\nTime control,G/60\n"
    assert errors_of(read(f"{text}{row}\n")) == ["table.game_left_out"]


def test_player_whose_name_is_a_label_is_a_player() -> None:
    result = read("Name,Rd 1\nFrom,W2\nTo,L1\n")
    assert [entry.name for entry in section_of(result).entries] == ["From", "To"]


@pytest.mark.parametrize("quoted", ['5" Bo', '"Bo', 'Bo "Bob'])
@pytest.mark.parametrize("mark", [",", "\t"])
def test_stray_quotation_mark_swallows_no_line(quoted: str, mark: str) -> None:
    rows = [["No", "Name", "Rd 1"], ["1", quoted, "W2"], ["2", quoted, "L1"]]
    for count in (2, 3):
        result = read("\n".join(map(mark.join, rows[:count])))
        assert [*cells_of(result).values()] == [["W2"], ["L1"]][: count - 1]


def test_heading_of_two_lines_in_a_cell_is_one() -> None:
    assert cells_of(read('No,Name,"Rd\n1"\n1,Ana,W2\n2,Bo,L1\n')) == {
        1: ["W2"],
        2: ["L1"],
    }


@pytest.mark.parametrize(
    "day", ["1-Jan", "2-Jan", "Jan-00", "1/1/2024", "2024-01-01", "1-ene", "2.1.2024"]
)
def test_result_that_became_a_day_is_an_error_with_an_offer(day: str) -> None:
    result = read(f"No,Name,Rd 1\n1,Ana,{day}\n2,Bo,L1\n")
    assert cells_of(result)[1] == [day]
    [fault] = [
        f for f in check_report(result.reported) if f.code == "result.unreadable"
    ]
    assert fault.severity is Severity.ERROR
    assert "½" in fault.message
    assert "1-0" in fault.message
    result = read(f"Round,White,Black,Result\n1,Ana,Bo,{day}\n1,Cy,Di,1-0\n")
    [fault] = [f for f in result.findings if f.severity is Severity.ERROR]
    assert (fault.code, "½" in fault.message) == ("table.game_left_out", True)


# Dates


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("May 29, 2020", date(2020, 5, 29)),
        ("Friday, May 29th 2020", date(2020, 5, 29)),
        ("29 May 2020", date(2020, 5, 29)),
        ("28. 07. 2005", date(2005, 7, 28)),
        ("28.7.2005", date(2005, 7, 28)),
        ("10.09.13", date(2013, 9, 10)),
        ("10/9/13", date(2013, 10, 9)),
        ("31.12.99", date(1999, 12, 31)),
        ("4 de mayo de 2024", date(2024, 5, 4)),
        ("28. Juli 2005", date(2005, 7, 28)),
        ("2024/05/04", date(2024, 5, 4)),
    ],
)
def test_days_in_many_spellings(text: str, day: date) -> None:
    result = read(f"First day: {text}\n\n 1 Ana  W2\n 2 Bo  L1\n", PASTED)
    assert result.reported.starts == day


@pytest.mark.parametrize("text", ["31.02.2024", "13/13/2024", "May 2020", "soon"])
def test_no_day(text: str) -> None:
    starts = next(fact for fact in EVENT_HEADER_FIELDS if fact.field == "starts")
    with pytest.raises(ValueError, match=r"date|day|month"):
        starts.read(text)


# Hidden sheets, rows and columns


def workbook(*states: str, sheet_xml: str = "") -> bytes:
    """Return a workbook whose sheets each have the same two players."""
    source = zipfile.ZipFile(
        io.BytesIO(
            write_xlsx([["No", "Name", "Rd 1"], ["1", "Ana", "W2"], ["2", "Bo", "L1"]])
        )
    )
    parts = {name: source.read(name).decode() for name in source.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    if sheet_xml:
        sheet = sheet.replace("<sheetData>", f"{sheet_xml}<sheetData>")
        sheet = sheet.replace('<row r="3"', '<row r="3" hidden="1"')
    listed = relations = ""
    for number, state in enumerate(states, start=1):
        part = f"worksheets/sheet{number}.xml"
        parts[f"xl/{part}"] = sheet
        listed += f'<sheet name="S{number}" state="{state}" r:id="r{number}"/>'
        relations += f'<Relationship Id="r{number}" Target="{part}"/>'
    book = parts["xl/workbook.xml"]
    start, end = book.index("<sheet "), book.index("</sheets>")
    parts["xl/workbook.xml"] = book[:start] + listed + book[end:]
    parts["xl/_rels/workbook.xml.rels"] = f"<Relationships>{relations}</Relationships>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_named_and_not_rated(state: str) -> None:
    result = read_report([("a.xlsx", workbook(state, "visible", state))])
    assert len(section_of(result).entries) == 2
    findings = [
        finding for finding in result.findings if finding.code == "table.hidden_sheet"
    ]
    assert [finding.severity for finding in findings] == [Severity.NOTE] * 2
    assert ["S1" in findings[0].message, "S3" in findings[1].message] == [True, True]


def test_workbook_of_hidden_sheets_is_rejected() -> None:
    result = read_report([("a.xlsx", workbook("hidden"))])
    assert result.reported is None
    assert errors_of(result) == ["table.unreadable"]


def test_hidden_rows_and_columns_are_read_and_named() -> None:
    columns = '<cols><col min="2" max="2" hidden="1"/></cols>'
    result = read_report([("a.xlsx", workbook("visible", sheet_xml=columns))])
    assert cells_of(result) == {1: ["W2"], 2: ["L1"]}
    [finding] = [f for f in result.findings if f.code == "table.hidden_cells"]
    assert "(B, 3)" in finding.message


def test_initial_x_of_a_name_is_not_the_players_own_column() -> None:
    result = read("1 Ana  X  1  1\n2 Bo  0  X  1\n3 Lee, X  0  0  X\n", PASTED)
    assert cells_of(result) == {
        1: ["", "W2", "W3"],
        2: ["L1", "", "W3"],
        3: ["L1", "L2", ""],
    }


def test_initial_x_in_a_crosstable_of_scid_is_not_a_column() -> None:
    lines = (
        " 1: Ash, Ann    1501  0.5 / 2  2w-  2w=",
        " 2: Lee, X      1502  1.5 / 2  1b+  1b=",
    )
    assert cells_of(read("\n".join(lines), PASTED)) == {
        1: ["L2W", "D2W"],
        2: ["W1B", "D1B"],
    }


@pytest.mark.parametrize(
    "rows",
    [
        ("1 Ana, A   X  ?  1", "2 Bo, B  0  X  1", "3 Cy, C  0  0  X"),
        ("1 Ana, A   X  1  1", "2 Bo, B  0  X  #REF!", "3 Cy, C  0  0  X"),
        ("1 Ana, A   X  1  1", "2 Bo, B  0  X  W0", "3 Cy, C  0  0  X"),
        ("1 Ana, A   X  W3?  1", "2 Bo, B  0  X  1", "3 Cy, C  0  0  X"),
        ("1 Ana, A   X  1  1", "2 Bo, B  #REF!  X  #REF!", "3 Cy, C  0  0  X"),
        (
            *("1 Ana, A   X  1  1  1", "2 Bo, B  0  X  1  1"),
            *("3 Cy, C  0  0  X  1", "4 Di, D  0  ?  0  X"),
        ),
    ],
)
def test_each_line_of_a_broken_table_of_points_is_an_error(
    rows: tuple[str, ...],
) -> None:
    result = read("\n".join(rows), PASTED)
    fields = {one.place.field for one in result.findings if one.severity == "error"}
    assert fields >= {f"line {number}" for number in range(1, len(rows) + 1)}
