"""Each shape of a member file ends as docs/imports.md says."""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from players.formats.errors import InputRefused
from players.formats.member_words import NO_EXPIRY, Answers
from players.formats.members import (
    LEAVE_BLANK,
    MemberColumns,
    MemberRow,
    RefusedRow,
    read_members,
)
from players.imports.services.answers import answers_to
from players.imports.services.runner import QUESTION_CODES

EXPORTS = Path("tests/data/member-exports")
TODAY = date(2026, 11, 29)
_ROW = re.compile(r"\| (\d\d_\S+) \|.*\| (\d+|file) \| (\d+|file) \| (\d+|file) \|")
SHAPES = [
    match.groups()
    for line in Path("docs/imports.md").read_text().splitlines()
    if (match := _ROW.fullmatch(line))
]


def read(name: str, answers: Answers = Answers()):  # noqa: B008 (immutable)
    table, rows = read_members(EXPORTS / name, MemberColumns(TODAY, {}, answers))
    return table, list(rows)


def members(name: str, answers: Answers = Answers()) -> list[MemberRow]:  # noqa: B008
    return [row for row in read(name, answers)[1] if isinstance(row, MemberRow)]


def outcome(row: MemberRow | RefusedRow) -> str:
    if isinstance(row, MemberRow):
        return "accepted"
    is_asked = all(answers_to(reason.kind) for reason in row.reasons)
    return "asked" if is_asked else "refused"


def outcomes(name: str) -> tuple[str, str, str]:
    try:
        counts = Counter(map(outcome, read(name)[1]))
    except InputRefused as refusal:
        is_asked = refusal.reason.code in QUESTION_CODES
        return ("0", "file", "0") if is_asked else ("0", "0", "file")
    return tuple(str(counts[one]) for one in ("accepted", "asked", "refused"))


def test_the_table_has_each_file():
    assert sorted(shape[0] for shape in SHAPES) == sorted(
        path.name for path in EXPORTS.iterdir()
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape[0])
def test_each_shape_ends_as_the_table_says(shape):
    name, *expected = shape
    assert outcomes(name) == tuple(expected)


def test_the_same_members_come_from_each_shape():
    plain = {
        (row.member_id, row.family_name, row.given_name, row.birth_date)
        for row in members("32_nbsp.csv")
    }
    for name in (
        "01_dates_two_digit_year.csv",
        "03_dates_german_dots.csv",
        "04_dates_with_midnight.csv",
        "06_ids_as_floats.csv",
        "12_pipes.txt",
        "24_utf16_tabs.txt",
        "27_trailing_commas.csv",
        "28_totals_row.csv",
        "31_leading_apostrophe.csv",
        "40_title_merged.xlsx",
    ):
        found = {
            (row.member_id, row.family_name, row.given_name, row.birth_date)
            for row in members(name)
        }
        assert found <= plain, name
        assert len(found) >= 10, name


def test_a_date_is_the_same_in_all_spellings():
    found = {row.birth_date for row in members("50_dates_in_all_spellings.csv")}
    assert found == {date(2011, 2, 13)}


def test_the_century_of_two_digit_years_is_shown():
    table, _rows = read("01_dates_two_digit_year.csv")
    [note] = table.all_notes()
    assert note.code == "years_of_two_digits"
    assert note.values == {"column": "birth_date", "last": "2026", "first": "1927"}


def test_letters_of_windows_are_kept_and_told():
    table, rows = read("52_latin1_umlauts.csv")
    assert [(row.family_name, row.given_name) for row in rows] == [
        ("Müller", "Jörg"),
        ("Peña", "Íñigo"),
    ]
    assert [note.code for note in table.all_notes()] == ["read_as_windows_1252"]


def test_totals_and_repeated_headings_are_skipped_and_told():
    table, rows = read("51_title_and_semicolons.csv")
    assert [row.line for row in rows] == [4, 5, 7]
    assert {note.code: note.values["line"] for note in table.all_notes()} == {
        "headings_repeated": "6",
        "total_skipped": "8",
    }


def test_names_are_parted():
    assert [
        (row.family_name, row.given_name, row.suffix) for row in members("53_names.csv")
    ] == [
        ("ADAMS", "ADA", "Jr"),
        ("BAKER", "BEN", "Jr"),
        ("CRUZ", "CAL", "III"),
        ("DAVIS", "DI", ""),
        ("O'HARA", "HAL", ""),
        ("JONES", "JACK", "Jr"),
    ]
    [ada, ben] = members("56_middle_names.csv")
    assert (ada.given_name, ada.family_name, ada.suffix) == ("Ada Maria", "Adams", "Jr")
    assert ben.given_name == "Ben"


def test_answers_about_names_import_them():
    fixes = {
        "name_says_deceased": "deceased",
        "name_says_duplicate": "without",
        "name_without_comma": "last_word",
    }
    found = {
        row.family_name: (row.given_name, row.status)
        for row in members("53_names.csv", Answers(fixes=fixes))
    }
    assert found["EVANS"] == ("ED", "deceased")
    assert found["FOX"] == ("FAY", "")
    assert found["Irving"] == ("Ida", "")


def test_a_status_word_means_what_was_answered():
    words = {"LAPSED": "inactive", "GRACE": ""}
    rows = members("14_status_words.csv", Answers(words=words))
    status = {row.cells[7]: row.status for row in rows}
    assert (status["Lapsed"], status["Grace"]) == ("inactive", "")
    assert (status["Life"], status["Expired"]) == ("active", "active")


def test_life_and_never_have_no_last_day():
    ends = {row.family_name: row.expires for row in members("54_life_and_never.csv")}
    assert ends == dict.fromkeys(["Adams", "Baker", "Cruz", "Davis"], NO_EXPIRY)


def test_a_row_has_all_its_faults():
    _table, rows = read("55_several_faults.csv")
    assert [[reason.code for reason in row.reasons] for row in rows] == [
        ["no_day", "state_unknown"],
        ["name_without_comma", "birth_date_too_early"],
        ["no_day"],
    ]


def test_a_kind_of_fault_can_leave_its_field_blank():
    answers = Answers(fixes={"no_day:birth_date": LEAVE_BLANK})
    [row] = members("55_several_faults.csv", answers)
    assert (row.family_name, row.birth_date, row.email) == ("Cruz", None, "c@x.example")


def test_bad_addresses_and_genders_leave_the_field_blank():
    emails = {row.cells[7]: row.email for row in members("16_emails.csv")}
    assert emails == {
        "n/a": "",
        "none": "",
        "-": "",
        "refused": "",
        "bounced:ada@x.example": "",
        "ada@x": "",
        "a@x.example;b@x.example": "a@x.example",
        "a@x.example, b@x.example": "a@x.example",
        "Ada <ada@x.example>": "ada@x.example",
        "ADA@X.EXAMPLE": "ADA@X.EXAMPLE",
    }
    genders = {row.cells[4]: row.gender for row in members("21_gender_words.csv")}
    assert genders["Hombre"] == genders["Mr"] == "M"
    assert genders["Female"] == genders["W"] == "F"
    assert genders["Non-binary"] == genders["Decline"] == genders["1"] == ""


def test_states_and_countries_are_codes():
    found = {
        row.cells[5:7]: (row.state, row.residence)
        for row in members("17_states_countries.csv")
    }
    assert found["California", "United States"] == ("CA", "USA")
    assert found["Calif.", "USA"] == ("CA", "USA")
    assert found["Ontario", "Canada"] == ("ON", "CAN")
    assert found["", "Germany"] == ("", "GER")
    assert found["BY", "DE"] == ("BY", "GER")
    assert found["", "UK"] == ("", "GBR")
    assert found["NSW", "Australia"] == ("", "AUS")


def test_stray_quotation_marks_join_no_rows():
    assert [row.given_name for row in members("58_stray_quotes.csv")] == [
        "Ada",
        "Ben B",
        "Cal",
    ]


def test_a_dbf_table_is_read_without_its_deleted_records():
    assert [
        (row.member_id, row.family_name, row.expires)
        for row in members("59_members.dbf")
    ] == [
        ("13000001", "MÜLLER", date(2026, 10, 28)),
        ("13000004", "MOLISSON", date(2028, 4, 24)),
    ]
