"""Player lines with unusual fields, which do not affect the other fields."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.findings import Severity
from events.formats.report import ReportedEntry
from events.formats.report_reader import ReadResult, read_report
from tests.events.formats.field_cases import field_case
from tests.hypothesis_settings import example_count

_NAMES = ("Bürch, Bøb", "Ash, Ann", "Çedar, Cy", "Dogwood, Di")
_CELLS = (
    ("2 w 1", "3 b ="),
    ("1 b 0", "4 w ="),
    ("4 b 1", "1 w ="),
    ("3 w 0", "2 b ="),
)
_POINTS = (1.5, 0.5, 1.5, 0.5)


def _lines(
    *,
    rating: str = "",
    federation: str = "",
    numbers: tuple[str, ...] = ("",) * 4,
    extra: str = "",
    rounds: int = 2,
) -> str:
    lines = ["012 Maple Open", "042 2026/11/21", "052 2026/11/21", f"XXR {rounds}"]
    for number, (name, cells) in enumerate(zip(_NAMES, _CELLS, strict=True), start=1):
        head = (
            f"001 {number:4} m    {name:33} {rating:>4} {federation:3} "
            f"{numbers[number - 1]:>11} {'':10} {_POINTS[number - 1]:4} {'':4}"
        )
        written = [*cells, extra] if number == 4 and extra else cells
        lines.append(head + "".join(f"  {cell:>8}" for cell in written))
    return "\n".join(lines)


def _read(data: bytes) -> tuple[tuple[ReportedEntry, ...], ReadResult]:
    result = read_report([("may.trf", data)])
    assert result.reported is not None
    return result.reported.sections[0].entries, result


@pytest.mark.parametrize(
    "federation",
    ["", "USA", "usa", "US", "U.S", "---", "?", "FID", "ENG", "E1", "1", "***", "ÖST"],
)
def test_unusual_federation_affects_neither_rating_nor_fide_id(federation: str) -> None:
    text = _lines(
        rating="1872",
        federation=federation,
        numbers=("2099101", "2099102", "2099103", "2099104"),
    )
    entries, result = _read(text.encode())
    assert [(entry.name, entry.fide_rating, entry.fide_id) for entry in entries] == [
        (name, "1872", f"209910{number}") for number, name in enumerate(_NAMES, start=1)
    ]
    assert result.findings == []


@pytest.mark.parametrize(
    "written",
    [
        "'2099101'",
        '"2099101"',
        "2099101.0",
        "2099101.00",
        "'2099101.0'",
        "’2099101",
        " 02099101",
    ],
)
def test_quoted_numbers_and_numbers_of_spreadsheets_are_read(written: str) -> None:
    entries, result = _read(_lines(numbers=(written, "", "", "")).encode())
    assert [entry.fide_id for entry in entries] == ["2099101", "", "", ""]
    assert result.findings == []


@pytest.mark.parametrize("written", ["Z56538", "CM1", "2099101.5", "'x'"])
def test_invalid_number_is_still_rejected(written: str) -> None:
    entries, result = _read(_lines(numbers=(written, "", "", "")).encode())
    assert entries[0].fide_id == ""
    assert [finding.code for finding in result.findings] == ["value.unreadable"]


@given(
    at=st.integers(0, 3),
    spot=st.integers(0, 3),
    letter=st.sampled_from("éøüßñ’š"),
    end=st.sampled_from(("\n", "\r\n", "\r")),
)
@settings(max_examples=example_count(200), deadline=None)
def test_one_wrong_byte_changes_only_its_own_letter(
    at: int, spot: int, letter: str, end: str
) -> None:
    """One letter has another encoding than the rest of the file."""
    name = _NAMES[at]
    torn = name[:spot] + letter + name[spot + 1 :]
    clean = _lines(rating="1872", numbers=("2099101", "", "", "")).replace("\n", end)
    before, after = clean.replace(name, torn).split(torn)
    odd = torn[:spot].encode() + letter.encode("cp1252") + torn[spot + 1 :].encode()
    data = before.encode() + odd + after.encode()
    expected, _ = _read(clean.replace(name, torn).encode())
    entries, result = _read(data)
    assert entries == expected
    assert [(finding.code, finding.place.field) for finding in result.findings] == [
        ("trf.encoding", f"line-{at + 5}")
    ]


@pytest.mark.parametrize("federation", ["USA", "", "U.S", "E1"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("counted", ["letters", "code points", "bytes"])
def test_columns_may_be_counted_in_letters_code_points_or_bytes(
    counted: str, form: str, federation: str
) -> None:
    text = _lines(
        rating="1872",
        federation=federation,
        numbers=("2099101", "2099102", "2099103", "2099104"),
    )
    expected, _ = _read(text.encode())
    for name in _NAMES:
        written = unicodedata.normalize(form, name)
        length = len({"letters": name, "bytes": written.encode()}.get(counted, written))
        text = text.replace(f"{name:33}", written + " " * (33 - length))
    entries, result = _read(text.encode())
    assert entries == expected
    assert result.findings == []


def test_file_of_western_windows_needs_no_word() -> None:
    text = _lines(rating="1872")
    entries, result = _read(text.encode("cp1252"))
    assert [entry.name for entry in entries] == [*_NAMES]
    assert result.findings == []


def test_byte_order_mark_in_the_middle_is_ignored() -> None:
    text = _lines(rating="1872")
    marked = text.replace("001    3", "\ufeff001    3").encode("utf-8-sig")
    assert _read(marked)[0] == _read(text.encode())[0]


@pytest.mark.parametrize("federation", ["", "USA"])
@pytest.mark.parametrize(
    ("numbers", "are_ours"),
    [
        (("12000001", "12000094", "30012345", ""), True),
        (("12000001.0", "'12000094'", "", ""), True),
        (("12000001", "2099102", "", ""), False),
        (("30912345", "12000094", "", ""), False),
        (("2099101", "2099102", "2099103", "2099104"), False),
    ],
)
def test_member_ids_in_the_column_of_fide_ids(
    federation: str, numbers: tuple[str, ...], *, are_ours: bool
) -> None:
    text = _lines(rating="1800", federation=federation, numbers=numbers)
    entries, result = _read(text.encode())
    plain = [number.strip("'").removesuffix(".0") for number in numbers]
    empty = [""] * 4
    assert [entry.member_id for entry in entries] == (plain if are_ours else empty)
    assert [entry.fide_id for entry in entries] == (empty if are_ours else plain)
    assert {entry.rating for entry in entries} == ({"1800"} if are_ours else {""})
    assert {entry.fide_rating for entry in entries} == ({""} if are_ours else {"1800"})
    codes = [(finding.code, finding.severity) for finding in result.findings]
    assert codes == ([("trf.member_ids", Severity.CONFIRM)] if are_ours else [])


def test_foreign_players_keep_their_fide_ids() -> None:
    text = _lines(federation="UKR", numbers=("14100000", "14100001", "", ""))
    entries, result = _read(text.encode())
    assert [entry.fide_id for entry in entries] == ["14100000", "14100001", "", ""]
    assert result.findings == []


def test_member_ids_in_the_column_of_fide_ids_of_a_table() -> None:
    text = "No,Name,FIDE ID,Rd 1\n1,Ann,'12000001',W2\n2,Bob,12000094.0,L1\n"
    entries, result = _read(text.encode())
    assert [(entry.member_id, entry.fide_id) for entry in entries] == [
        ("12000001", ""),
        ("12000094", ""),
    ]
    assert [finding.code for finding in result.findings] == ["table.member_ids"]


@pytest.mark.parametrize("extra", ["0000   -", "0000 - F", "0000 - H", "0000 - +"])
def test_column_after_the_last_round_without_opponent_is_no_round(extra: str) -> None:
    entries, result = _read(_lines(extra=extra).encode())
    assert [len(entry.cells) for entry in entries] == [2, 2, 2, 2]
    [caution] = [one for one in result.findings if one.code == "trf.extra_round"]
    place = caution.place
    assert (place.pairing_number, place.round_number) == (4, 3)
    assert caution.severity is Severity.CAUTION


def test_game_after_the_last_round_is_never_left_out() -> None:
    entries, _ = _read(_lines(extra="1 w 1").encode())
    assert [len(entry.cells) for entry in entries] == [3, 3, 3, 3]
    assert (entries[3].cells[2].code, entries[3].cells[2].opponent) == ("W", 1)


def test_field_case_quoted_fide_ids() -> None:
    _, result = field_case("25-trf-quoted-fide-ids.trf")
    assert result.reported is not None
    fide_ids = [entry.fide_id for entry in result.reported.sections[0].entries]
    assert fide_ids == ["2099101", "2099102", "2099103", "2099104"]


def test_field_case_extra_column() -> None:
    cells, result = field_case("26-trf-extra-column.trf")
    assert cells["Dogwood, Di"] == ["D3B", "L2B", "L1B"]
    assert {len(row) for row in cells.values()} == {3}
    assert "trf.extra_round" in {finding.code for finding in result.findings}


def test_field_case_member_ids() -> None:
    _, result = field_case("17-trf-member-ids-in-number-column.trf")
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    ids = [(one.member_id, one.rating, one.fide_id, one.fide_rating) for one in entries]
    assert ids == [
        ("12000001", "1800", "", ""),
        ("12000094", "1800", "", ""),
        ("12000187", "1800", "", ""),
        ("12000280", "1800", "", ""),
    ]
