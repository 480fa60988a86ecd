"""Crosstables, game lists and pasted wall charts, valid and faulty."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.findings import Severity
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    format_cell,
)
from events.formats.report_reader import ReadResult, read_report
from events.formats.tables.headings import Column
from events.formats.tables.reader import PASTED, ColumnAnswer, answer_problem
from events.formats.tables.writer import (
    template_csv,
    template_xlsx,
    write_crosstables,
)
from events.formats.translatable_text import TranslatableText
from players.formats.xlsx_writer import write_xlsx
from tests.cpu_time import cpu_time
from tests.events.formats.samples import (
    big_report,
    cells,
    is_no_control,
    report,
    section,
    texts,
)
from tests.hypothesis_settings import example_count

CHART = """May Open
Section: Open

 #  Name                 ID        Rtng  St   Rd 1   Rd 2   Rd 3   Tot
 1  Reyes, Ana           12345671  1650  OH   W   4  D   3w W   2   2.5
 2. Cohen, Levi B        12345672  1602  OH   W   3  W   4b L   1   2.0
 3  Adeyemi, Tolu        12345673  unr.       L   2  D   1b H---    1.0
 4  Novak, Petra         12345674  1200P5 OH  L   1  L   2  B       1.0
"""
FEDERATION = """
-----------------------------------------------------------------------------
 Pair | Player Name                     |Total|Round|Round|Round|
 Num  | USCF ID / Rtg (Pre->Post)       | Pts |  1  |  2  |  3  |
-----------------------------------------------------------------------------
    1 | ANA REYES                       |2.5  |W   2|D   2|H    |
   OH | 12345671 / R: 1794   ->1817     |N:2  |W    |B    |     |
-----------------------------------------------------------------------------
    2 | LEVI COHEN                      |0.5  |L   1|D   1|U    |
   MI | 12345672 / R: Unrated->1663     |     |B    |W    |     |
"""


def read(text: str, name: str = "may.csv") -> ReadResult:
    return read_report([(name, text.encode())])


def rows_of(result: ReadResult, number: int = 1) -> list[tuple[str, ...]]:
    """Each entry as number, member ID, name, state, rating and its cells."""
    assert result.reported is not None
    section = result.reported.section(number)
    assert section is not None
    return [
        (
            str(entry.pairing_number),
            entry.member_id,
            entry.name,
            entry.state,
            entry.rating,
            *map(format_cell, entry.cells),
        )
        for entry in section.entries
    ]


def codes_of(result: ReadResult) -> list[str]:
    return [finding.code for finding in result.findings]


ANA = ("1", "12345671", "Reyes, Ana", "", "", "W2")
LEVI = ("2", "12345672", "Cohen, Levi", "", "", "L1")


# Crosstables


@pytest.mark.parametrize(
    "text",
    [
        'No.,Member ID,Name,Rd 1\n1,12345671,"Reyes, Ana",W2\n'
        '2,12345672,"Cohen, Levi",L1\n',
        "#;USCF ID;Player;Round 1\n1;12345671;Reyes, Ana;W 2\n"
        "2;12345672;Cohen, Levi;L 1\n",
        "Pairing No\tMem. ID\tPLAYER NAME\t1\n1\t12345671\tReyes, Ana\t+2\n"
        "2\t12345672\tCohen, Levi\t-1\n",
        'Rank,ID,"Last Name, First Name",R1,Total\n1,12345671,"Reyes, Ana",2W,1\n'
        '2,12345672,"Cohen, Levi",1L,0\n',
        "| Pair | Id | Nombre | Ronda 1 |\n|---|---|---|---|\n"
        "| 1 | 12345671 | Reyes, Ana | W2 |\n| 2 | 12345672 | Cohen, Levi | L1 |\n",
        "Name,First Name,Surname,Id Number,Seed,Rnd 01\n,Ana,Reyes,12345671,1.,W2\n"
        ",Levi,Cohen,12345672,2.0,L1\n",
    ],
    ids=["commas", "semicolons", "tabs", "rank", "bars", "two names"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_headings_in_many_spellings(text: str, encoding: str) -> None:
    result = read_report([("any.csv", text.encode(encoding))])
    assert rows_of(result) == [ANA, LEVI]
    assert codes_of(result) == (["table.dialect"] if "+2" in text else [])


def test_facts_above_the_table_are_taken_in() -> None:
    result = read_report([("t.xlsx", template_xlsx("crosstable"))])
    expected = ReportedEvent(
        name="Spring Quad",
        starts=date(2024, 5, 4),
        ends=date(2024, 5, 4),
        affiliate_id="A1234567",
        city="Dayton",
        state="OH",
        chief_td_id="12345678",
        send_crosstable="N",
        total_sections=1,
        sections=(
            ReportedSection(
                number=1,
                name="Quad 1",
                time_control="G/60;d5",
                kind_letter="R",
                rounds=3,
                last_pairing_number=4,
                entries=tuple(
                    ReportedEntry(n, f"1234567{n}", name, state, rating, cells(*row))
                    for n, name, state, rating, *row in (
                        (1, "Reyes, Ana", "OH", "1650", "W4W", "D3B", "W2W"),
                        (2, "Cohen, Levi", "OH", "1602", "W3W", "W4B", "L1B"),
                        (3, "Adeyemi, Tolu", "IN", "1540", "L2B", "D1W", "H"),
                        (4, "Novak, Petra", "OH", "", "L1B", "L2W", "B"),
                    )
                ),
            ),
        ),
    )
    assert result.reported == expected
    assert result.findings == []
    csv = read_report([("t.csv", template_csv("crosstable"))])
    assert csv.reported == expected
    errors = [f for f in check_report(expected) if f.severity == "error"]
    assert errors == []


def test_spreadsheet_writes_days_as_numbers() -> None:
    sheet = write_xlsx([("First day", "45416"), ("Name", "Rd 1"), ("Ana", "B")])
    read_back = read_report([("t.xlsx", sheet)]).reported
    assert read_back is not None
    assert read_back.starts == date(2024, 5, 4)


def test_each_table_of_a_file_and_each_file_is_a_section() -> None:
    one = "Name,Rd 1\nAna,W2\nBo,L1\n"
    result = read_report(
        [("a.csv", f"{one}\nSection,U1200\n{one}".encode()), ("b.csv", one.encode())]
    )
    assert result.reported is not None
    assert [(s.number, s.name, len(s.entries)) for s in result.reported.sections] == [
        (1, "", 2),
        (2, "U1200", 2),
        (3, "", 2),
    ]
    assert [file.role for file in result.accepted_files] == ["TABLE", "TABLE"]


def test_column_can_name_the_sections() -> None:
    result = read("Section,No,Name,Rd 1\nA,1,Ana,W2\nA,2,Bo,L1\nB,1,Cy,B\n")
    assert result.reported is not None
    assert [(s.name, len(s.entries)) for s in result.reported.sections] == [
        ("A", 2),
        ("B", 1),
    ]


def test_places_are_named_by_line_and_column_or_by_cell() -> None:
    text = "No,Name,Rd 1,Rd 2\n1,Ana,W2,oops\n2,Bo,L1,U\n"
    [note] = read(text).findings
    assert note.message == ("Line 2, column 4: “oops” is not a result that we know.")
    rows = [line.split(",") for line in text.splitlines()]
    [note] = read_report([("t.xlsx", write_xlsx(rows))]).findings
    assert note.message == "Cell D2: “oops” is not a result that we know."
    findings = check_report(read(text).reported or ReportedEvent())
    assert "Section 1, pairing number 1, round 2: “oops” is not a result" in " ".join(
        str(finding) for finding in findings if finding.code == "result.unreadable"
    )


# Lists of games


def test_games_are_gathered_by_player() -> None:
    result = read(
        "Rd,White,Black,Result\n"
        '1,"Reyes, Ana (12345671)","Cohen, Levi",1-0\n'
        '1,Bo Ek,,bye\n2,"COHEN, LEVI","Reyes, Ana (12345671)",½-½\n'
        "3,Bo Ek,12345671,0-1F\n"
    )
    assert rows_of(result) == [
        ("1", "12345671", "Reyes, Ana", "", "", "W2W", "D2B", "X3"),
        ("2", "", "Cohen, Levi", "", "", "L1B", "D1W", "U0"),
        ("3", "", "Bo Ek", "", "", "B0", "U0", "F1"),
    ]
    assert codes_of(result) == []


def test_games_by_pairing_numbers() -> None:
    result = read("Round,White,Black,Result\n1,4,2,0-1\n1,1,3,1-0\n")
    assert [row[0] for row in rows_of(result)] == ["1", "2", "3", "4"]
    assert [row[5] for row in rows_of(result)] == ["W3W", "W4B", "L1B", "L2W"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("1,Cy,Ana,1-0", "Line 3, column 1: Ana already has a result in round 1."),
        ("x,Cy,Ana,1-0", "Line 3, column 1: “x” is not a round."),
        ("2,Cy,Ana,7-3", "Line 3, column 4: “7-3” is not a result."),
        ("2,Cy,cy,1-0", "Line 3, column 3: White and Black are the same player."),
        ("2,,,1-0", "Line 3, column 2: both players’ names are missing."),
    ],
)
def test_row_that_is_no_game_is_left_out_and_named(row: str, sentence: str) -> None:
    result = read(f"Round,White,Black,Result\n1,Ana,Bo,1-0\n{row}\n")
    assert [finding.message for finding in result.findings] == [sentence]
    assert [row[5] for row in rows_of(result)][:2] == ["W2W", "L1B"]


# Pasted wall charts


def test_pasted_chart_of_blanks() -> None:
    result = read(CHART, PASTED)
    assert rows_of(result) == [
        ("1", "12345671", "Reyes, Ana", "OH", "1650", "W4", "D3W", "W2"),
        ("2", "12345672", "Cohen, Levi B", "OH", "1602", "W3", "W4B", "L1"),
        ("3", "12345673", "Adeyemi, Tolu", "", "", "L2", "D1B", "H0"),
        ("4", "12345674", "Novak, Petra", "OH", "1200", "L1", "L2", "B0"),
    ]
    assert result.reported is not None
    assert result.reported.sections[0].name == "Open"
    assert codes_of(result) == []


def test_pasted_chart_in_the_federations_two_lines() -> None:
    assert rows_of(read(FEDERATION, PASTED)) == [
        ("1", "12345671", "ANA REYES", "OH", "1794", "W2W", "D2B", "H0"),
        ("2", "12345672", "LEVI COHEN", "MI", "", "L1B", "D1W", "U0"),
    ]


def test_text_without_a_chart_is_an_error() -> None:
    result = read("We played three rounds, and it was fun.", PASTED)
    assert result.reported is None
    assert str(result.findings[0]).startswith(
        "pasted.txt: the pasted text has neither a crosstable nor a list of games."
    )


# Questions about columns

STRANGE = "Nummer;Spieler;Verein;Runde A\n1;Ana;Ulm;W2\n2;Bo;Köln;L1\n"


def test_unknown_columns_are_asked_about_with_their_texts() -> None:
    result = read(STRANGE)
    question = result.question
    assert question is not None
    assert question.place == "Line 1"
    assert question.missing == ("Name or member ID", "Result of each round")
    assert question.headings == ("Nummer", "Spieler", "Verein", "Runde A")
    assert question.guesses == (None, None, None, Column.ROUND_RESULT)
    assert question.samples == (("1", "Ana", "Ulm", "W2"), ("2", "Bo", "Köln", "L1"))
    assert question.headed
    assert codes_of(result) == ["table.columns_unknown"]
    assert result.reported is not None
    assert result.reported.sections == ()


def test_answer_is_read() -> None:
    answer = ColumnAnswer(("number", "name", "", "round_result"))
    assert answer_problem(answer) == ""
    result = read_report([("may.csv", STRANGE.encode())], answer)
    assert rows_of(result) == [
        ("1", "", "Ana", "", "", "W2"),
        ("2", "", "Bo", "", "", "L1"),
    ]
    assert result.question is None


def test_table_without_headings_loses_no_row() -> None:
    text = "1,12345671,Ana,W2\n2,12345672,Bo,L1\n"
    question = read(text).question
    assert question is not None
    assert not question.headed
    assert question.guesses == (None, Column.MEMBER_ID, None, Column.ROUND_RESULT)
    answer = ColumnAnswer(("number", "member_id", "name", "round_result"), headed=False)
    assert [row[2] for row in rows_of(read_report([("a.csv", text.encode())], answer))]
    assert len(rows_of(read_report([("a.csv", text.encode())], answer))) == 2


@pytest.mark.parametrize(
    ("meanings", "problem"),
    [
        (("number", "", "", "round_result"), "Name or member ID"),
        (("number", "name", "", ""), "Result of each round"),
        (("white", "black", "", "result"), "Round"),
        (("name", "name", "", "round_result"), "Two columns have the same meaning"),
        (("nonsense", "name", "", "drop table"), "Result of each round"),
    ],
)
def test_insufficient_answer_is_explained(
    meanings: tuple[str, ...], problem: str
) -> None:
    assert problem in answer_problem(ColumnAnswer(meanings))


# Faulty files


def test_two_players_with_one_number_are_both_kept_and_found() -> None:
    result = read("No,Name,Rd 1\n1,Ana,W2\n1,Bo,L1\n")
    assert [row[2] for row in rows_of(result)] == ["Ana", "Bo"]
    assert result.reported is not None
    codes = [finding.code for finding in check_report(result.reported)]
    assert "entry.pairing_number_repeated" in codes


def test_cells_that_disagree_are_found() -> None:
    result = read("No,Name,Rd 1\n1,Ana,W2\n2,Bo,W1\n")
    assert result.reported is not None
    messages = [finding.message for finding in check_report(result.reported)]
    assert "A win against 2, but 2 shows a win." in messages


def sheet_with(cell_xml: str, after: str = "") -> bytes:
    """Return a spreadsheet of two players with one cell written by hand."""
    data = write_xlsx([("No", "Name", "Rd 1"), ("1", "Ana", "W2"), ("2", "Bo", "@")])
    source = zipfile.ZipFile(io.BytesIO(data))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            text = source.read(name).decode()
            if name.endswith("sheet1.xml"):
                start = text.index('<c r="C3"')
                end = text.index("</c>", start) + 4
                text = text[:start] + cell_xml + text[end:]
                text = text.replace("</sheetData>", f"</sheetData>{after}")
            archive.writestr(name, text)
    return buffer.getvalue()


def test_formula_counts_with_the_value_it_had() -> None:
    data = sheet_with('<c r="C3" t="str"><f>A1</f><v>L1</v></c>')
    result = read_report([("t.xlsx", data)])
    assert [row[5] for row in rows_of(result)] == ["W2", "L1"]
    assert codes_of(result) == []


def test_formula_that_was_never_worked_out_is_named_by_its_cell() -> None:
    result = read_report([("t.xlsx", sheet_with('<c r="C3"><f>A1&amp;B1</f></c>'))])
    assert [row[5] for row in rows_of(result)] == ["W2", ""]
    [finding] = result.findings
    assert finding.message.startswith("Cell C3 has a formula")


def test_formula_whose_result_is_an_empty_text_was_worked_out() -> None:
    data = sheet_with('<c r="C3" t="str"><f>IF(A1="","x","")</f><v></v></c>')
    result = read_report([("t.xlsx", data)])
    assert [row[5] for row in rows_of(result)] == ["W2", ""]
    assert "Cell C3" not in " ".join(str(one.message) for one in result.findings)


def test_merged_cells_are_named() -> None:
    data = sheet_with(
        '<c r="C3" t="inlineStr"><is><t>L1</t></is></c>',
        '<mergeCells><mergeCell ref="A3:B3"/></mergeCells>',
    )
    [finding] = read_report([("t.xlsx", data)]).findings
    assert finding.message.startswith("Cells A3:B3 are merged")


def test_merged_title_above_the_table_is_ignored() -> None:
    data = sheet_with(
        '<c r="C3" t="inlineStr"><is><t>L1</t></is></c>',
        '<mergeCells><mergeCell ref="A0:B0"/></mergeCells>',
    )
    assert read_report([("t.xlsx", data)]).findings == []


def test_zip_bomb_is_rejected_at_once() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", b" " * 60_000_000)
    with cpu_time() as spent:
        result = read_report([("bomb.xlsx", buffer.getvalue())])
    assert spent.seconds < 1
    assert result.reported is None
    assert result.findings[0].message == (
        "We can’t read bomb.xlsx: The spreadsheet is too large."
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b,c\n" * 20_001, "more than 20,000 lines"),
        (("x," * 150 + "\n") * 5_000, "too large for a rating report"),
        ("x" * 5_000_001, "larger than 5 MB"),
        ('"' + "x" * 200_000 + "\n", "neither a crosstable nor"),
        ('a,b,"' + "x" * 200_000 + "\na,b,c", "cut off"),
    ],
    ids=["lines", "cells", "bytes", "one long line", "an open quotation mark"],
)
def test_huge_text_is_rejected_at_once(text: str, reason: str) -> None:
    with cpu_time() as spent:
        result = read(text)
    assert spent.seconds < 3
    assert result.reported is None
    assert reason in result.findings[0].message


@pytest.mark.parametrize("line", ["W1 " * 1_500_000, " " * 4_000_000, "B " * 2_000_000])
def test_endless_pasted_line_is_read_quickly(line: str) -> None:
    with cpu_time() as spent:
        read(f"1 Ana {line} W2\n" * 1, PASTED)
    assert spent.seconds < 3


def test_more_entries_than_a_report_can_have() -> None:
    rows = "".join(f"{n},Player {n},U\n" for n in range(1, 6_100))
    result = read(f"No,Name,Rd 1\n{rows}")
    assert "table.too_large" in codes_of(result)


def test_wrong_encoding_is_read_and_named() -> None:
    text = "No,Name,Rd 1\n1,Núñez,B\n2,Bo,U\n"
    result = read_report([("a.csv", text.encode("cp1252"))])
    assert rows_of(result)[0][2] == "Núñez"
    assert [finding.message for finding in result.findings] == [
        "Line 2 is not UTF-8. We read it as Windows-1252 text."
    ]


@pytest.mark.parametrize("name", ["empty.csv", PASTED])
def test_empty_file(name: str) -> None:
    result = read_report([(name, b"")])
    assert result.reported is None
    assert result.findings[0].severity == "error"


def test_stray_text_next_to_a_table_is_skipped() -> None:
    files = [("a.csv", b"Name,Rd 1\nAna,B\n"), ("notes.txt", b"It was fun.")]
    result = read_report(files)
    assert [file.name for file in result.accepted_files] == ["a.csv"]
    assert [f.message for f in result.findings if f.code == "file.ignored"] == [
        "We read the report from a.csv and skipped notes.txt."
    ]


def test_a_name_that_is_a_word_of_headings_is_a_name() -> None:
    files = [("a.csv", b"No.,Name,ID,Rd 1\n1,Ana,,W2\n2,Id,,L1\n3,Name,,U\n")]
    [table] = read_report(files).reported.sections
    assert [entry.name for entry in table.entries] == ["Ana", "Id", "Name"]


def test_a_second_heading_begins_a_second_table() -> None:
    one = b"No.,Name,1,2\n1,Ana,W2,D2\n2,Ben,L1,D1\n"
    first, second = read_report([("a.csv", one + one)]).reported.sections
    assert first.entries == second.entries


def formula_and_merged_cells() -> bytes:
    return sheet_with(
        '<c r="C3"><f>A1&amp;B1</f></c>',
        '<mergeCells><mergeCell ref="A3:B3"/></mergeCells>',
    )


@pytest.mark.parametrize(
    ("name", "data", "codes"),
    [
        ("a.csv", b"Name,Rd 1\nAna,?!\n", ["table.no_result"]),
        ("a.csv", b"No.,Name,Rd 1\n1,Ana,B\nby Ben,,\n", ["table.row_left_out"]),
        ("a.csv", b"Name,Name,Rd 1\nAna,Bo,B\n", ["table.column_twice"]),
        ("a.csv", b"First day,soon\n\nName,Rd 1\nAna,B\n", ["table.fact_unreadable"]),
        ("a.csv", b"Name,Rd 1\nAn\xe1,B\n", ["table.encoding"]),
        ("a.xlsx", formula_and_merged_cells, ["table.formula", "table.merged_cells"]),
        ("a.csv", b"a,b\n" * 20_001, ["table.unreadable"]),
        ("a.xlsx", b"PK\x03\x04xl/workbook.xml", ["table.unreadable"]),
        ("TDEXPORT.DBF", b"\x03" + bytes(40), ["file.not_dbf"]),
    ],
)
def test_each_message_can_be_translated(name, data, codes) -> None:
    findings = read_report(
        [(name, data if isinstance(data, bytes) else data())]
    ).findings
    assert {*codes} <= {finding.code for finding in findings}
    for finding in findings:
        for text in filter(None, (finding.message, finding.hint)):
            assert isinstance(text, TranslatableText), text
            reason = text.values.get("reason", text)
            assert isinstance(reason, TranslatableText), reason


# Round trips


def test_report_survives_a_round_trip_through_csv() -> None:
    abroad = replace(
        section(2, online=True, fide=True, starts=date(2024, 5, 5)),
        entries=(
            ReportedEntry(
                1,
                "12345675",
                "=1+1",
                fide_id="2020009",
                fide_rating="2211",
                cells=cells("B0"),
            ),
        ),
        rounds=1,
        last_pairing_number=1,
        name="'Quoted', \"twice\"",
        grand_prix=True,
        grand_prix_points=10,
    )
    original = report(section(), abroad)
    written = write_crosstables(original)
    assert b"'=1+1" in written
    assert read_report([("x.csv", written)]).reported == original
    assert write_crosstables(original) == written


def test_large_report_survives_a_round_trip_quickly() -> None:
    original = big_report(500, 9)
    with cpu_time() as spent:
        result = read_report([("x.csv", write_crosstables(original))])
    assert result.reported == original
    assert spent.seconds < 3


@pytest.mark.parametrize("result", ["1-0", "0 - 1", "1/2-1/2"])
def test_game_behind_the_last_heading_blocks(result: str) -> None:
    """A crosstable's heading within a list of games shifts the columns."""
    text = f"Round,White,Black,Result\nNo,Name,Rd 1\n1,Ana,B,{result}\n2,Bo,H\n"
    [finding] = read_report([(PASTED, text.encode())]).findings
    assert (finding.code, finding.severity) == ("table.row_left_out", Severity.ERROR)
    assert result in finding.message


def test_game_that_a_cell_too_many_puts_behind_the_headings_blocks() -> None:
    text = "Round,White,Black,Result\n1,,Ana,B,1-0\n1,Cy,Di,0-1\n"
    [finding] = read_report([(PASTED, text.encode())]).findings
    assert (finding.code, finding.severity) == ("table.row_left_out", Severity.ERROR)
    assert "1-0" in finding.message


@st.composite
def plain_reports(draw: st.DrawFn) -> ReportedEvent:
    """Draw reports with ordinary texts and readable cells."""
    rounds = draw(st.integers(1, 5))
    words = texts(20).map(lambda text: text.strip())
    codes = st.sampled_from(["W2W", "L1B", "D3", "H0", "B0", "U0", "X2", "F0", "Z0"])
    entries = tuple(
        ReportedEntry(
            number,
            draw(st.sampled_from(["", "12345671", "77", "00000000"])),
            draw(words),
            draw(st.sampled_from(["", "IL"])),
            draw(st.sampled_from(["", "1500", "987"])),
            cells(*draw(st.lists(codes, min_size=rounds, max_size=rounds))),
        )
        for number in range(1, draw(st.integers(1, 4)) + 1)
    )
    one = section(
        name=draw(words),
        kind_letter=draw(st.sampled_from(["", "S", "R", "2", "M", "D"])),
        time_control=draw(words.filter(is_no_control)),
        rounds=rounds,
        last_pairing_number=len(entries),
        entries=entries,
    )
    return report(one, name=draw(words), city=draw(words), starts=draw(st.dates()))


@given(plain_reports())
@settings(max_examples=example_count(150), deadline=None)
def test_any_plain_report_survives_a_round_trip(original: ReportedEvent) -> None:
    assert read_report([("x.csv", write_crosstables(original))]).reported == original


def test_semicolons_in_values_split_no_table_with_commas() -> None:
    values = "Event,;;\nCity,;;\nTime control,;;\nSection,;;\n"
    text = values + "No.,Name,Rd 1\n1,Ash,W2\n2,Birch,L1\n"
    result = read_report([("x.csv", text.encode())])
    assert result.reported is not None
    [one] = result.reported.sections
    found = {entry.name: format_cell(entry.cells[0]) for entry in one.entries}
    assert (one.name, found) == (";;", {"Ash": "W2", "Birch": "L1"})


_SCRAPS = st.sampled_from(
    [
        *("No.", "Name", "Rd 1", "Round", "White", "Black", "Result", "Section"),
        *("1", "2", "W2", "L 1", "B--", "½", "12345671", "|", ",", "\t", "  ", "\n"),
        *("Time control", ":", '"', "First day", "2024-13-45", "\x00", "é", "-"),
    ]
)


@given(st.one_of(st.lists(_SCRAPS, max_size=60).map("".join), st.text(max_size=200)))
@settings(max_examples=example_count(300), deadline=None)
def test_no_text_stops_the_reader(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    for name in (PASTED, "x.csv"):
        result = read_report([(name, data)])
        assert result.reported is not None or result.findings
        if result.reported is not None:
            assert ReportedEvent.from_json(result.reported.to_json()) == result.reported
            check_report(result.reported)


@given(st.binary(max_size=60), st.integers(0, 2_000))
@settings(max_examples=example_count(150), deadline=None)
def test_no_damage_to_a_spreadsheet_stops_the_reader(damage: bytes, at: int) -> None:
    whole = template_xlsx("games")
    damaged = whole[:at] + damage + whole[at + len(damage) :]
    result = read_report([("x.xlsx", damaged)])
    assert result.reported is not None or result.findings
