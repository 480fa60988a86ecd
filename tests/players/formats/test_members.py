"""The reader of tables of members: accepted and refused input."""

import csv
import io
import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from players.formats import table_reader
from players.formats.errors import InputRefused
from players.formats.member_words import Answers
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
    ("cells", "born"),
    [
        ("2/13/2001,0000", (date(2001, 2, 13), 2001)),
        ("2/13/2001,0", (date(2001, 2, 13), 2001)),
        (",0000", (None, None)),
        ("1900-01-01,2001", (None, 2001)),
        ("12/30/1899,2001", (None, 2001)),
        ("1900-01-01,1900", "birth_date_too_early"),
        ("1900-01-01,0000", "birth_date_too_early"),
        ("1900-01-01,2027", "birth_year_impossible"),
        ("2/13/2001,2002", "birth_year_contradicts"),
    ],
)
def test_a_placeholder_beside_a_birth_date_or_year_is_ignored(tmp_path, cells, born):
    [row] = read(tmp_path, f"ID,Last name,DOB,Birth year\n12345678,Adams,{cells}\n")
    if isinstance(row, RefusedRow):
        assert row.reason.code == born
    else:
        assert (row.birth_date, row.birth_year) == born


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
        ("State", "Texas", ""),
        ("State", "dc", ""),
        ("Sex", "?", ""),
        ("Status", "Vanished", "status_unknown"),
        ("Status", "DuplicateId", "status_is_duplicate"),
        ("Status", "Expired", ""),
        ("Country", "United States", ""),
        ("Country", "Atlantis", "no_country"),
        ("FIDE ID", "2O16192", "no_fide_id"),
        ("Email", "ada at example.org", ""),
        ("Guardian email", "ada@example", ""),
        ("Expires", "9999-12-31", ""),
        ("Membership", "Life", ""),
        ("Membership", "Adult", "membership_without_end"),
        ("First name", "12", "no_name"),
        ("First name", "JosÃ©", ""),
        ("First name", "Jos\ufffd", "letters_garbled"),
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
        (b"ID,Last name\n12345678,\x00\n", "file_is_no_text"),
        (b"PK\x03\x04rest", "workbook_unreadable"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "file_is_an_old_spreadsheet"),
        (b"ID,Member number\n12345678,12345679\n", "column_twice"),
    ],
)
def test_what_is_no_table_of_members_is_refused_as_a_whole(tmp_path, content, code):
    assert refusal_of(tmp_path, content) == code


XML = b'<?xml version="1.0"?>\n<playerslist>\n<player><fideid>1</fideid></player>'


def zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize("name", ["players_list_foa.txt", "standard_rating_list.txt"])
def test_a_fide_list_is_recognized_in_each_of_its_forms(tmp_path, name):
    text = Path("tests/data/member-exports/61_fide_list.txt").read_bytes()
    for content in (
        text,
        text.replace(b" SRtng SGm SK RRtng RGm Rk BRtng BGm BK", b" OCT26 Gms K"),
        zipped(name, text),
        XML,
        zipped(name.replace(".txt", ".xml"), XML),
    ):
        assert refusal_of(tmp_path, content) == "file_is_a_fide_list"


def test_a_table_that_begins_like_a_fide_list_is_read(tmp_path):
    [row] = read(tmp_path, "ID Number,Name,Fed\n12345678,Adams Ada,USA\n")
    assert row.reason.code == "name_without_comma"


def test_headings_that_mean_nothing_are_named(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("ID,Coach,Last name\n12345678,Bob,Adams\n")
    table, _ = read_members(path, MemberColumns(TODAY))
    assert table.passed_over == ["Coach"]


def test_a_blank_status_has_no_meaning_of_its_own(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("ID,Last name,Status\n12345678,Adams,\n")
    answers = Answers(words={"": "deceased"})
    [row] = read_members(path, MemberColumns(TODAY, answers=answers))[1]
    assert row.status == ""


def test_a_long_status_is_asked_about_and_answered_by_its_first_40_letters(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text(f"ID,Last name,Status\n12345678,Adams,{'ß' * 39} so what\n")
    [row] = read_members(path, MemberColumns(TODAY))[1]
    word = row.reason.kind.partition(":")[2]
    assert word == "S" * 40
    answers = Answers(words={word: "inactive"})
    [row] = read_members(path, MemberColumns(TODAY, answers=answers))[1]
    assert row.status == "inactive"


@pytest.mark.parametrize("write", [str, as_xlsx])
def test_members_whose_names_begin_like_a_total_are_read(tmp_path, write):
    text = (
        "Last name,First name,ID\nSummers,Ada,12345678\nSumter,,12345679\n"
        "Counts,Ben,12345670.0\nTotal,Tom,123456\nSum,Li,1234567\n"
        "Total members,2,\nEnd of list,,\n"
    )
    path = tmp_path / "members"
    path.write_bytes(write(text).encode() if write is str else write(text))
    table, rows = read_members(path, MemberColumns(TODAY))
    assert [row.line for row in rows] == [2, 3, 4, 6]
    assert [
        (note.code, note.values["line"], note.values["cell"])
        for note in table.all_notes()
    ] == [
        ("total_skipped", "5", "Total, Tom, 123456"),
        ("total_skipped", "7", "Total members, 2"),
        ("total_skipped", "8", "End of list"),
    ]


def test_a_guardian_in_the_file_is_found_however_the_id_is_written(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("ID,Last name,Guardian ID\n12345678,Adams,#12345679.0\n")
    columns = MemberColumns(TODAY)
    list(read_members(path, columns)[1])
    assert columns.guardians == {"12345679"}


@pytest.mark.parametrize("rows", [1, 30, 100])
@pytest.mark.parametrize("place", ["last", "first"])
def test_a_stray_quotation_mark_swallows_no_rows(tmp_path, rows, place):
    """In the last column, a quotation mark may join all rows into one cell."""
    heads, stray, plain = "ID,Last name,City", 'Adams,"Dover', "Adams,Dover"
    if place == "first":
        heads, stray, plain = "City,Last name,ID", '"Dover', "Dover"
    lines = [heads]
    for number in range(rows):
        city = stray if number == 0 else plain
        text = f"{12345678 + number}"
        lines.append(f"{text},{city}" if place == "last" else f"{city},Adams,{text}")
    found = read(tmp_path, "\n".join(lines) + "\n")
    assert [row.line for row in found] == list(range(2, rows + 2))


def test_rows_joined_by_two_stray_quotation_marks_are_parted(tmp_path):
    text = (
        'ID,Last name,City\n12345678,Adams,"Dover\n\n12345679,Baker,"Rome"\n'
        "12345670,Cruz,Kent\n"
    )
    assert [row.line for row in read(tmp_path, text)] == [2, 4, 5]


@pytest.mark.parametrize(
    "cell", ["brother of\n12345679, Baker, Bo, twin", "Kent\n12345679,Baker,Bo,Ames"]
)
@pytest.mark.parametrize(
    "before", ["", '12345677,Ash,Al,"a "b" c\n12345676,Elm,Ed,x"\n']
)
def test_a_line_in_quotation_marks_that_may_be_a_row_is_named(tmp_path, cell, before):
    text = f'ID,Last name,First name,Notes\n{before}12345678,Adams,Ada,"{cell}"\n'
    refused, last = read(tmp_path, f"{text}12345680,Cruz,Cy,Rome\n")[-2:]
    assert isinstance(refused, RefusedRow)
    line = 4 if before else 2
    assert (refused.line, refused.reason.code) == (line, "rows_joined")
    assert refused.reason.values == {"line": str(line + 1)}
    assert (last.line, last.member_id) == (line + 2, "12345680")


def test_an_address_of_several_lines_with_commas_is_one_cell(tmp_path):
    text = (
        'ID,Last name,Address\n12345678,Adams,"Apt 4\n12 Main St, Rome, NY"\n'
        "12345679,Baker,Dover\n"
    )
    assert [row.line for row in read(tmp_path, text)] == [2, 4]


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_file_cut_off_within_quotation_marks_says_so(tmp_path, ending):
    text = 'ID,Last name,City\n12345678,Adams,"Dover"\n12345679,Baker,"Line 1\nLine 2'
    rows = read(tmp_path, text + ending)
    assert [getattr(row, "reason", None) and row.reason.code for row in rows] == [
        None,
        "row_breaks_off",
    ]


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
    path.write_text("Nummer,Zuname,State,ST\n12345678,Adams,TX,TX\n12345679,Bo,,\n")
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
