"""Results as a table: CSV and spreadsheets, valid, truncated and hostile."""

import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.formats.foreign.reader import MAX_FILE_BYTES, read_foreign
from events.formats.foreign.report import (
    Remark,
    ReportedForeignGame,
    ReportedUnplayedRound,
)
from events.formats.foreign.rows import MAX_ROWS, read_csv, template
from events.formats.foreign.xlsx import MAX_BYTES, UnreadableSheet, read_sheet
from tests.events.formats.samples import rezipped

HEAD = "member_id,fide_id,round,opponent_fide_id,opponent_name,opponent_rating,result"


def read(*rows, head=HEAD):
    return read_csv("\n".join([head, *rows]).encode())


def test_template_can_be_read_back():
    report = read_foreign(template().encode())
    assert report.remarks == ()
    player = report.players[0]
    assert (player.member_id, player.fide_id) == ("12345678", "")
    assert player.games == (
        ReportedForeignGame(1, "Carlsen, Magnus", "1503014", "NOR", 2830, "W", 0),
        ReportedForeignGame(
            2, "Vachier-Lagrave, Maxime", "623539", "FRA", 2732, "B", 1
        ),
    )
    assert player.rounds_off == (ReportedUnplayedRound(3, "bye"),)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_any_usual_separator_is_understood(mark):
    text = "round,result,opponent_fide_id\r\n1,1,77\r\n2,½,78\r\n".replace(",", mark)
    for encoding in ("utf-8", "utf-8-sig", "cp1252"):
        games = read_csv(text.encode(encoding)).players[0].games
        assert [(one.opponent_fide_id, one.half_points) for one in games] == [
            ("77", 2),
            ("78", 1),
        ]


@pytest.mark.parametrize("name", ["color", "Colour"])
def test_the_column_of_colors_may_be_spelled_either_way(name):
    player = read_csv(f"round,{name},result\n1,b,1".encode()).players[0]
    assert [one.color for one in player.games] == ["B"]


def test_rows_are_gathered_by_member():
    report = read(
        "12345678,,1,77,,,1",
        ",611,1,77,,,0",
        "12345678,,2,78,,,0",
    )
    assert [
        (one.place, one.member_id, one.fide_id, len(one.games))
        for one in report.players
    ] == [("Row 2", "12345678", "", 2), ("Row 3", "", "611", 1)]


@pytest.mark.parametrize(
    ("result", "half_points"),
    [("1", 2), ("0.5", 1), ('"0,5"', 1), ("=", 1), ("1/2", 1), ("L", 0), ("0.0", 0)],
)
def test_results_are_written_in_many_ways(result, half_points):
    assert read(f",,1,77,,,{result}").players[0].games[0].half_points == half_points


@pytest.mark.parametrize(
    ("result", "what"),
    [("+", "won by forfeit"), ("-", "lost by forfeit"), ("BYE", "bye")],
)
def test_forfeits_and_byes_are_no_games(result, what):
    player = read(f",,1,77,,,{result}").players[0]
    assert (player.games, player.rounds_off) == ((), (ReportedUnplayedRound(1, what),))


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("1234,,1,77,,,1", "The member ID “1234” doesn’t have eight digits."),
        (",6a,1,77,,,1", "The FIDE ID “6a” isn’t a number that FIDE uses."),
        (",,0,77,,,1", "The round “0” isn’t a round number."),
        (",,²,77,,,1", "The round “²” isn’t a round number."),
        (",,1,77,,,2", "The result “2” isn’t 1, ½ or 0."),
        (",,1,77,,9999,1", "The rating “9999” isn’t a FIDE rating."),
        (",,1,77,,,", "The result “” isn’t 1, ½ or 0."),
    ],
)
def test_row_that_makes_no_sense_is_left_out_and_the_others_stay(row, sentence):
    report = read(",,7,70,,,1", row)
    assert [one.round_number for one in report.players[0].games] == [7]
    hint = "We skipped this row. Correct it, and upload the file again."
    assert report.remarks == (Remark("Row 3", sentence, hint),)


def test_round_that_stands_twice_counts_once():
    report = read(",,1,77,,,1", ",,1,78,,,0")
    assert [one.opponent_fide_id for one in report.players[0].games] == ["77"]
    assert report.remarks[0].place == "Row 3"


def test_table_without_its_columns_is_refused():
    report = read_csv(b"ronde,points\n1,1\n")
    assert report.players == ()
    assert report.remarks[0].fatal
    assert report.remarks[0].sentence == ("The first row has no column round, result.")


def test_hundreds_of_faults_are_counted_and_not_listed():
    report = read(*[",,x,77,,,1"] * 250)
    assert len(report.remarks) == 101
    assert report.remarks[-1].sentence == "150 more issues are not shown."


def test_too_many_rows_are_refused():
    report = read(*[",,1,77,,,1"] * (MAX_ROWS + 1))
    assert report.remarks[0].fatal
    assert read_foreign(b"x" * (MAX_FILE_BYTES + 1)).remarks[0].fatal


def test_control_characters_stay_outside():
    game = read_csv(b"round,result,opponent_name\n1,1,A\x08l\xc2\xa0b\n").players[0]
    assert game.games[0].opponent_name == "Al b"
    assert read_foreign(b"round,result\n1,\x001\n").remarks[0].fatal


@given(st.text(max_size=200))
def test_reader_never_fails_on_a_text(text):
    report = read_csv(f"round,result,opponent_name\n{text}".encode())
    assert report.players or report.remarks or not any(map(str.isalnum, text))


# --- Spreadsheets ---


def workbook(rows):
    book, data = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.create_sheet("Other").append(["not", "read"])
    book.save(data)
    return data.getvalue()


def test_first_sheet_is_read_as_a_spreadsheet_program_writes_it():
    rows = [
        ["round", "result", None, "opponent_fide_id", "opponent_name"],
        [1, 1, None, 611111, "Dupont, Jean"],
        [2, 0.5, None, "622222", "Élena & Co. <b>"],
        [],
        [3, "½", None, 633333],
    ]
    assert read_sheet(workbook(rows)) == [
        ["round", "result", "", "opponent_fide_id", "opponent_name"],
        ["1", "1", "", "611111", "Dupont, Jean"],
        ["2", "0.5", "", "622222", "Élena & Co. <b>"],
        [],
        ["3", "½", "", "633333"],
    ]
    report = read_foreign(workbook([*rows, [1, 1]]))
    assert [one.half_points for one in report.players[0].games] == [2, 1, 1]
    assert [one.place for one in report.remarks] == ["Row 6"]


SHEET = "xl/worksheets/sheet1.xml"
ENTITIES = b"""<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">]>
<worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>"""
FAR = b"""<worksheet><sheetData><row r="9999999"><c><v>1</v></c></row></sheetData>
</worksheet>"""
WIDE = b"""<worksheet><sheetData><row><c r="ZZZ1"><v>1</v></c></row></sheetData>
</worksheet>"""


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "The spreadsheet has no part xl/worksheets/sheet1.xml."),
        (b"<worksheet><sheetData>", "The spreadsheet is damaged."),
        (ENTITIES, "The spreadsheet has unsafe content."),
        (ENTITIES.decode().encode("utf-16"), "has unsafe content"),
        (b" " * (MAX_BYTES + 1), "The spreadsheet is too large."),
        (FAR, "The sheet has more than 20,000 rows."),
    ],
)
def test_hostile_spreadsheet_is_refused(content, sentence):
    data = rezipped(workbook([["round", "result"]]), SHEET, content)
    with pytest.raises(UnreadableSheet, match=sentence.replace(".", r"\.")):
        read_sheet(data)
    assert read_foreign(data).remarks[0].fatal


def test_cell_far_to_the_right_is_passed_over():
    assert read_sheet(rezipped(workbook([["a"]]), SHEET, WIDE)) == [[]]


def test_spreadsheet_cut_off_is_refused():
    data = workbook([["round", "result"], [1, 1]])
    for length in (10, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(UnreadableSheet):
            read_sheet(data[:length])
