"""The reader of tables of members: what it understands, and what it refuses."""

from datetime import date
from pathlib import Path

import pytest

from players.importers.members import MemberRow, RefusedRow, read_members
from players.importers.tables import Refused

TODAY = date(2026, 11, 22)


def read(folder: Path, content: str | bytes) -> list[MemberRow | RefusedRow]:
    path = folder / "members.csv"
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(data)
    return list(read_members(path, TODAY)[1])


def code_of(folder: Path, heading: str, text: str) -> str:
    [row] = read(folder, f'Member ID,Last Name,{heading}\n12345678,Adams,"{text}"\n')
    return row.reason.code if isinstance(row, RefusedRow) else ""


def refusal_of(folder: Path, content: str | bytes) -> str:
    with pytest.raises(Refused) as refused:
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
        ("Birth date", "13/02/2001", "no_day"),
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
        ("E-mail", "ada at example.org", "no_email"),
        ("Guardian e-mail", "ada@example", "no_email"),
        ("Expires", "9999-12-31", ""),
        ("Membership", "Life", "membership_without_end"),
        ("First name", "12", "no_name"),
        ("First name", "JosÃ©", "letters_garbled"),
        ("First name", "A" * 61, "text_too_long"),
    ],
)
def test_each_fault_of_a_cell_has_its_code(tmp_path, heading, text, code):
    assert code_of(tmp_path, heading, text) == code


def test_a_state_abroad_is_none_of_ours(tmp_path):
    [row] = read(tmp_path, "ID,Last name,State,Country\n12345678,Adams,ON,Canada\n")
    assert (row.state, row.residence) == ("ON", "CAN")


@pytest.mark.parametrize("text", ["1234567", "02345678", "123456789", "ABCDEFGH", ""])
def test_what_is_no_member_id_is_refused(tmp_path, text):
    [row] = read(tmp_path, f"ID,Last name\n{text},Adams\n")
    assert (row.reason.code, row.line) == ("no_member_id", 2)


def test_a_membership_that_ends_before_it_starts_is_refused(tmp_path):
    [row] = read(tmp_path, "ID,Starts,Expires\n12345678,2026-01-01,2025-12-31\n")
    assert row.reason.code == "membership_ends_before_it_starts"


def test_a_shifted_row_is_refused_and_the_next_one_read(tmp_path):
    first, second = read(
        tmp_path, "ID,Last name,State\n12345678,Adams,Jr,TX\n12345679,Baker,TX\n"
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
        (b"PK\x03\x04rest", "file_is_a_spreadsheet"),
        (b"ID,Member number\n12345678,12345679\n", "column_twice"),
        (b'ID,Last name\n12345678,"Adams\n', "file_breaks_off"),
    ],
)
def test_what_is_no_table_of_members_is_refused_as_a_whole(tmp_path, content, code):
    assert refusal_of(tmp_path, content) == code


def test_headings_that_mean_nothing_are_named(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("ID,Coach,Last name\n12345678,Bob,Adams\n")
    table, _ = read_members(path, TODAY)
    assert table.passed_over == ["Coach"]
