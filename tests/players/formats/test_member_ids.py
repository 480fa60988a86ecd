"""The patterns of member IDs that an office may have."""

import pytest

from players.formats.member_ids import EIGHT_DIGITS, MemberIdFormat


@pytest.mark.parametrize(
    "pattern",
    [
        *("", "^$", r"\d{6}", r"^\d{6}", r"\d{6}$", "^.*$", r"^\d+$"),
        r"^\d{4}$",  # ratings and pairing numbers
        r"^\d{9}$",  # longer than the columns
        r"^\d{6,8}$",  # which zeros are missing is not known
        *(r"^\d{6}$|^X$", r"^(A|B)\d{5}$", r"^\d{6}.$", r"^ ?\d{6}$", r"^\d{6}\Z"),
        *("^[9-0][0-9]{5}$", "^[A-Z]{6}$", "^[a-z][0-9]{5}$", "^[^A][0-9]{5}$"),
        *("^A[0-9]{7}$", "^[A-Z0-9][0-9]{7}$"),  # affiliates
        "^NEW-[0-9]{4}$",  # new members in a report
    ],
)
def test_what_could_be_something_else_is_refused(pattern):
    with pytest.raises(ValueError, match="It looks like"):
        MemberIdFormat(pattern)


@pytest.mark.parametrize(
    ("pattern", "ids", "others"),
    [
        (r"^\d{6}$", ["000001", "123456"], ["000000", "12345", "1234567", "12345A"]),
        ("^[1-9][0-9]{6}$", ["1234567"], ["0123456", "12345678", "١٢٣٤٥٦٧"]),
        (r"^[A-Z]\d{5}$", ["A12345"], ["a12345", "A1234", "12345A", "A12345\n"]),
        ("^[0-9]{6}[A-K]$", ["000001A"], ["000001L"]),
    ],
)
def test_an_id_has_the_characters_of_each_place(pattern, ids, others):
    office = MemberIdFormat(pattern)
    assert list(filter(office.whole.fullmatch, [*ids, *others])) == ids


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\d{6}$", "Lee, Bo 012345 (20240504)", "012345"),
        (r"^\d{6}$", "Lee, Bo 20240504", None),
        (r"^[A-Z]\d{5}$", "LEEA12345 1 B23456", "B23456"),
        (r"^[A-Z]\d{5}$", "A123456 lee", None),
        (r"^[A-Z]\d{5}$", "lee, bo b23456", "B23456"),
        ("^[1-9][0-9]{6}$", "Lee, Bo, A5000408", None),
        (EIGHT_DIGITS, "Lee, Bo ID12345678", "12345678"),
        *(
            (r"^\d{5}$", text, found)
            for text, found in [
                ("Lee, Bo, 12 Main St, Springfield, IL 62704", None),
                ("Lee, Bo, Springfield, IL 62704-1234", None),
                ("Lee, Bo, San Juan 00926-1234, 54321", "54321"),
                ("Springfield, IL 62704, Lee, Bo 54321", "54321"),
                ("Lee, Bo 54321, Springfield, IL 62704", "54321"),
                # States and hyphens before and after IDs, and no address.
                ("Lee, Bo OH 54321", "54321"),
                ("Lee, Bo, OH, 54321", "54321"),
                ("LEE, AL 54321", "54321"),
                ("Lee, Bo, ZZ 54321", "54321"),
                ("OH | 54321 / R: 1500", "54321"),
                ("Lee, Bo 54321-15", "54321"),
            ]
        ),
        (r"^\d{6}$", "Lee, Bo, Springfield, IL 627041", "627041"),
    ],
)
def test_an_id_is_found_in_a_line_as_a_word(pattern, text, found):
    assert MemberIdFormat(pattern).find(text) == (found or "")


@pytest.mark.parametrize(
    ("pattern", "written", "member_id"),
    [
        (r"^\d{6}$", "77", "000077"),
        (r"^\d{6}$", "1234.0", "001234"),
        (r"^\d{6}$", "0", "0"),
        (r"^\d{6}$", "", ""),
        ("^[1-9][0-9]{5}$", "77", "77"),
        (r"^[A-Z]\d{5}$", "'b12345", "B12345"),
        (r"^[A-Z]\d{5}$", "12345", "12345"),
        ("^[0-9]{6}[A-K]$", "000001A", "000001A"),
    ],
)
def test_what_programs_do_to_an_id_is_undone(pattern, written, member_id):
    assert MemberIdFormat(pattern).clean(written) == member_id
