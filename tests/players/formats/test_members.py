"""The reader of tables of members: accepted and refused input."""

import csv
from dataclasses import replace
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from players.formats import table_reader
from players.formats.errors import InputRefused
from players.formats.members import (
    SPELLINGS,
    MemberColumns,
    MemberRow,
    RefusedRow,
    read_members,
)
from players.formats.table_reader import ColumnMapping, read_column_question
from players.formats.xlsx_writer import write_xlsx

TODAY = date(2026, 11, 22)


def read(folder: Path, content: str | bytes) -> list[MemberRow | RefusedRow]:
    path = folder / "members.csv"
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(data)
    return list(read_members(path, MemberColumns(TODAY))[1])


def as_xlsx(text: str) -> bytes:
    return write_xlsx(list(csv.reader(text.splitlines())))


@pytest.fixture
def book(tmp_path):
    """A workbook as spreadsheet programs write it, read after saving."""
    made = openpyxl.Workbook()

    def read_book() -> list[MemberRow | RefusedRow]:
        path = tmp_path / "members.xlsx"
        made.save(path)
        return list(read_members(path, MemberColumns(TODAY))[1])

    made.read = read_book
    return made


def codes_of(folder: Path, heading: str, text: str) -> set[str]:
    """Return the refusal codes of one cell, in CSV and in a spreadsheet."""
    table = f'Member ID,Last Name,{heading}\n12345678,Adams,"{text}"\n'
    rows = [*read(folder, table), *read(folder, as_xlsx(table))]
    return {row.reason.code if isinstance(row, RefusedRow) else "" for row in rows}


def refusal_of(folder: Path, content: str | bytes) -> str:
    with pytest.raises(InputRefused) as refused:
        read(folder, content)
    return refused.value.reason.code


def test_a_row_is_read_under_the_names_that_membership_systems_use(tmp_path):
    [row] = read(
        tmp_path,
        "USCF ID;FirstName;Last_Name;DOB;Sex;State;Country;Membership Type;"
        "Effective;Expiration Date;FIDE ID;Parent Email\n"
        "12345678;Ada;Adams;2/13/2011;female;tx;US;Youth;1/1/2026;2026-12-31;0;"
        "parent@example.org\n",
    )
    assert isinstance(row, MemberRow)
    assert (row.given_name, row.family_name) == ("Ada", "Adams")
    assert (row.birth_date, row.birth_year) == (date(2011, 2, 13), 2011)
    assert (row.gender, row.state, row.residence) == ("F", "TX", "USA")
    assert row.membership == "Youth"
    assert (row.starts, row.expires) == (date(2026, 1, 1), date(2026, 12, 31))
    assert (row.fide_id, row.guardian_email) == ("", "parent@example.org")


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-8-sig", ","), ("utf-16", "\t"), ("utf-8", ";")]
)
def test_encodings_and_separators_are_told_apart(tmp_path, encoding, mark):
    text = mark.join(["ID", "Name"]) + "\n" + mark.join(["12345678", '"Núñez, Ana"'])
    [row] = read(tmp_path, text.encode(encoding))
    assert (row.family_name, row.given_name) == ("Núñez", "Ana")


@pytest.mark.parametrize(
    ("heading", "text", "code"),
    [
        ("Birth date", "1899-12-31", "birth_date_too_early"),
        ("Birth date", "1900-01-01", "birth_date_too_early"),
        ("Birth date", "1900-01-02", ""),
        ("Birth date", "2026-11-23", "birth_date_to_come"),
        ("Birth date", "2026-11-22", ""),
        ("Birth date", "2027", "birth_year_impossible"),
        ("Birth date", "13/13/2001", "no_day"),
        ("Birth date", "2/30/2001", "no_day"),
        ("Birth date", "36935", ""),
        ("Birth date", "yesterday", "no_day"),
        ("State", "ZZ", "state_unknown"),
        ("State", "Texas", "state_unknown"),
        ("State", "dc", ""),
        ("Sex", "?", "gender_unknown"),
        ("Status", "Vanished", "status_unknown"),
        ("Status", "DuplicateId", "status_is_duplicate"),
        ("Status", "Expired", ""),
        ("Country", "United States", ""),
        ("Country", "Atlantis", "no_country"),
        ("FIDE ID", "2O16192", "no_fide_id"),
        ("Email", "ada at example.org", "no_email"),
        ("Guardian email", "ada@example", "no_email"),
        ("Expires", "9999-12-31", ""),
        ("Membership", "Life", "membership_without_end"),
        ("First name", "12", "no_name"),
        ("First name", "JosÃ©", "letters_garbled"),
        ("First name", "A" * 61, "text_too_long"),
        ("First name", "A" * 501, "cell_too_long"),
        ("First name", "#REF!", "cell_is_an_error"),
    ],
)
def test_each_fault_of_a_cell_has_its_code(tmp_path, heading, text, code):
    assert codes_of(tmp_path, heading, text) == {code}


def test_a_state_abroad_is_not_a_us_state(tmp_path):
    [row] = read(tmp_path, "ID,Last name,State,Country\n12345678,Adams,ON,Canada\n")
    assert (row.state, row.residence) == ("ON", "CAN")


@pytest.mark.parametrize("text", ["1234567", "02345678", "123456789", "ABCDEFGH", ""])
def test_what_is_no_member_id_is_refused(tmp_path, text):
    [row] = read(tmp_path, f"ID,Last name\n{text},Adams\n")
    assert (row.reason.code, row.line) == ("no_member_id", 2)


def test_a_membership_that_ends_before_it_starts_is_refused(tmp_path):
    [row] = read(tmp_path, "ID,Starts,Expires\n12345678,2026-01-01,2025-12-31\n")
    assert row.reason.code == "membership_ends_before_it_starts"


@pytest.mark.parametrize("write", [str, as_xlsx])
def test_a_shifted_row_is_refused_and_the_next_one_read(tmp_path, write):
    first, second = read(
        tmp_path,
        write("ID,Last name,State\n12345678,Adams,Jr,TX\n12345679,Baker,TX\n"),
    )
    assert first.reason.code == "too_many_cells"
    assert first.cells == ("12345678", "Adams", "Jr", "TX")
    assert (second.line, second.member_id) == (3, "12345679")


def test_lines_are_counted_as_in_the_file(tmp_path):
    rows = read(tmp_path, 'ID,Last name\n\n12345678,"Adams\nJr"\n12345679,Baker\n')
    assert [row.line for row in rows] == [3, 5]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file_is_empty"),
        (b"Last name,State\nAdams,TX\n", "columns_missing"),
        (b"ID,Last name\n12345678,N\xfa\xf1ez\n", "file_is_not_utf8"),
        (b"ID,Last name\n12345678,\x00\n", "file_is_no_text"),
        (b"PK\x03\x04rest", "workbook_unreadable"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "file_is_an_old_spreadsheet"),
        (b"ID,Member number\n12345678,12345679\n", "column_twice"),
        (b'ID,Last name\n12345678,"Adams\n', "file_breaks_off"),
    ],
)
def test_what_is_no_table_of_members_is_refused_as_a_whole(tmp_path, content, code):
    assert refusal_of(tmp_path, content) == code


def test_headings_that_mean_nothing_are_named(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("ID,Coach,Last name\n12345678,Bob,Adams\n")
    table, _ = read_members(path, MemberColumns(TODAY))
    assert table.passed_over == ["Coach"]


# Spreadsheets


def test_cells_are_read_as_a_spreadsheet_program_shows_them(book):
    sheet = book.active
    sheet.append(["ID", "Last name", "Birth date", "Expires", "FIDE ID"])
    sheet.append([12345678, "Adams", date(1924, 8, 20), date(2026, 12, 31), 2000016])
    [row] = book.read()
    assert isinstance(row, MemberRow)
    # The date's serial number is 9,000: without its cell format it would be a year.
    assert (row.birth_date, row.expires) == (date(1924, 8, 20), date(2026, 12, 31))
    assert (row.member_id, row.fide_id) == ("12345678", "2000016")


def test_a_text_that_is_blank_is_not_that_of_the_cell_before(book):
    book.active.append(["ID", "Last name", "First name"])
    book.active.append([12345678, "Adams", ""])
    [row] = book.read()
    assert (row.family_name, row.given_name) == ("Adams", "")


def test_days_are_counted_from_1904_where_the_workbook_says_so(book):
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.active.append(["ID", "Last name", "Birth date"])
    book.active.append([12345678, "Adams", date(1991, 4, 5)])
    [row] = book.read()
    assert row.birth_date == date(1991, 4, 5)


@pytest.mark.parametrize(
    ("number", "code"), [(0, "birth_date_too_early"), (1, "birth_date_too_early")]
)
def test_spreadsheet_epoch_dates_are_no_birth_dates(book, number, code):
    book.active.append(["ID", "Last name", "Birth date"])
    book.active.append([12345678, "Adams", number])
    book.active["C2"].number_format = "dd/mm/yyyy"
    [row] = book.read()
    assert row.reason.code == code


def test_one_visible_sheet_is_read_and_the_others_are_named(book, tmp_path):
    hidden, empty, shown, other = book.active, *map(book.create_sheet, "BCD")
    hidden.append(["ID", "Last name"])
    hidden.append([10000000, "Hidden"])
    hidden.sheet_state = "hidden"
    shown.append(["ID", "Last name"])
    shown.append([12345678, "Adams"])
    other.append(["ID", "Last name"])
    book.active = empty
    book.read()
    table, rows = read_members(tmp_path / "members.xlsx", MemberColumns(TODAY))
    assert [row.family_name for row in rows] == ["Adams"]
    assert (table.source.sheet, table.source.others) == ("C", ["B", "D"])


def test_a_formula_that_was_never_worked_out_is_refused(book):
    book.active.append(["ID", "Last name"])
    book.active.append([12345678, '="Ad"&"ams"'])
    book.active.append([12345679, "Baker"])
    first, second = book.read()
    assert (first.reason.code, first.reason.values) == (
        "cell_not_worked_out",
        {"cell": "B2"},
    )
    assert (second.line, second.family_name) == (3, "Baker")


def test_a_title_above_the_headings_is_left_out(book):
    book.active.append(["Members of the Example Federation"])
    book.active.append([])
    book.active.append(["ID", "Last name"])
    book.active.append([12345678, "Adams"])
    [row] = book.read()
    assert (row.line, row.family_name) == (4, "Adams")


def test_a_spreadsheet_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    small = replace(table_reader.LIMITS, bytes=100_000, rows=50)
    monkeypatch.setattr(table_reader, "LIMITS", small)
    many = [["ID"], *([str(12345678 + number)] for number in range(60))]
    assert refusal_of(tmp_path, write_xlsx(many)) == "workbook_has_many_rows"
    wide = [["ID", "Last name"], ["12345678", "x" * 100_000]]
    assert refusal_of(tmp_path, write_xlsx(wide)) == "workbook_too_large"


# Column mapping


def test_columns_are_guessed_by_headings_and_by_what_stands_below(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("Nummer,Nachname,State,ST\n12345678,Adams,TX,TX\n12345679,Bo,,\n")
    asked = read_column_question(path, SPELLINGS)
    assert asked.guesses == ("member_id", "", "state", "")
    assert asked.samples == (
        ("12345678", "Adams", "TX", "TX"),
        ("12345679", "Bo", "", ""),
    )
    assert asked.headed


@pytest.mark.parametrize("write", [str.encode, as_xlsx])
def test_column_answers_override_the_headings(tmp_path, write):
    path = tmp_path / "members"
    path.write_bytes(write("Name,Nummer,ID\nAdams,12345678,7\n"))
    said = ColumnMapping(("family_name", "member_id"))
    table, rows = read_members(path, MemberColumns(TODAY), said)
    [row] = rows
    assert (row.member_id, row.family_name) == ("12345678", "Adams")
    assert (table.columns, table.passed_over) == (
        ["family_name", "member_id", ""],
        ["ID"],
    )


def test_a_file_without_headings_is_read_after_column_answers(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("12345678,Adams\n12345679,Baker\n")
    assert not read_column_question(path, SPELLINGS).headed
    said = ColumnMapping(("member_id", "family_name"), headed=False)
    table, rows = read_members(path, MemberColumns(TODAY), said)
    assert [row.family_name for row in rows] == ["Adams", "Baker"]
    assert table.headings == ["member_id", "family_name"]
