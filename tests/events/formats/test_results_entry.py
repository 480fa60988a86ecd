"""Manual entry of results, and its effects on a section."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    format_cell,
    parse_cell,
)
from events.formats.results_entry import (
    CellPosition,
    NewEntry,
    cell_for_game,
    format_points,
    format_typed_cell,
    has_fixed_pairings,
    has_played,
    parse_points,
    parse_typed_result,
    quads,
    with_new_entries,
    with_results,
    with_round,
    with_unpaired_rounds,
    without_entry,
    without_last_round,
)


def section(*rows: str, kind: str = "S", **fields) -> ReportedSection:
    return ReportedSection(
        number=1,
        kind_letter=kind,
        entries=tuple(
            ReportedEntry(number, cells=tuple(parse_cell(t) for t in row.split()))
            for number, row in enumerate(rows, start=1)
        ),
        **fields,
    )


def typed(before: ReportedSection, **cells: str) -> list[str]:
    """Type cells named such as r4c2 and return the rows."""
    places = {
        CellPosition(*map(int, name[1:].split("c"))): parse_typed_result(text)
        for name, text in cells.items()
    }
    return rows(with_results(ReportedEvent(sections=(before,)), 1, places).sections[0])


def rows(one: ReportedSection) -> list[str]:
    return [
        " ".join(format_cell(cell) or "." for cell in entry.cells)
        for entry in one.entries
    ]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("W12", "W12"),
        ("w 12 w", "W12W"),
        ("12+", "W12"),
        ("+12", "W12"),
        ("L3", "L3"),
        ("3-", "L3"),
        ("0 3", "L3"),
        ("D5", "D5"),
        ("1/2 5", "D5"),
        ("5=", "D5"),
        (".5 5b", "D5B"),
        ("1 5", "W5"),
        ("h", "H0"),
        ("1/2", "H0"),
        ("B", "B0"),
        ("u", "U0"),
        ("bye", "B0"),
        ("x4", "X4"),
        ("F4", "F4"),
        ("F", "F0"),
        ("", ""),
        ("  ", ""),
        ("$3", "$3"),
    ],
)
def test_results_are_read_as_people_type_them(text, cell):
    assert format_cell(parse_typed_result(text)) == cell


@pytest.mark.parametrize("text", ["W", "nonsense", "W123456", "5", "٣", "W-1", "💥"])
def test_other_text_is_kept_as_typed_or_has_no_opponent(text):
    cell = parse_typed_result(text)
    assert cell.opponent is None
    assert cell.raw == text or cell.code == text


@given(st.text(max_size=80))
def test_anything_typed_can_be_shown_and_typed_again(text):
    cell = parse_typed_result(text)
    assert parse_typed_result(format_typed_cell(cell)) == cell or cell.raw
    crossed = parse_points(text, 3, "W")
    assert parse_points(format_points(crossed), 3, "W") == crossed


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("1", "W4W"),
        ("0", "L4W"),
        ("½", "D4W"),
        ("5", "D4W"),
        (".5", "D4W"),
        ("1/2", "D4W"),
        ("=", "D4W"),
        ("+", "X4"),
        ("-", "F4"),
        ("2", "2"),
    ],
)
def test_square_accepts_points(text, cell):
    assert format_cell(parse_points(text, 4, "W")) == cell


# The opponent's cell


def test_empty_cell_of_the_opponent_is_filled_in():
    assert typed(section("", "", ""), r1c1="W3w") == ["W3W", "", "L1B"]


def test_different_cell_stays_and_contradicts():
    assert typed(section("", "D3", "D2"), r1c1="W3") == ["W3", "D3", "D2"]


def test_corrected_result_updates_the_opponent():
    assert typed(section("W2", "L1"), r1c1="D2") == ["D2", "D1"]


def test_corrected_opponent_clears_the_one_who_followed():
    assert typed(section("W2", "L1", ""), r1c1="W3") == ["W3", ".", "L1"]


def test_cleared_result_clears_the_opponent():
    assert typed(section("W2W", "L1B"), r1c1="") == [".", "."]


def test_result_entered_by_the_opponent_is_not_cleared():
    assert typed(section("W2", "D1"), r1c1="") == [".", "D1"]


def test_two_typed_sides_of_a_game_both_stay():
    assert typed(section("", ""), r1c1="W2", r2c1="D1") == ["W2", "D1"]


@pytest.mark.parametrize("text", ["W9", "W1", "B", "rubbish"])
def test_result_without_an_opponent_in_the_section_concerns_one_cell(text):
    assert typed(section("", ""), r1c1=text)[1] == ""


def test_forfeit_is_mirrored_too():
    assert typed(section("", ""), r1c1="X2") == ["X2", "F1"]


def test_table_by_opponents_keeps_its_columns():
    before = section(". W2 W3 D4".replace(".", "U"), "L1 U W3", "L1 L2 U", "", kind="R")
    assert before.has_opponent_columns
    after = typed(before, r4c1="D1")
    assert after[3] == "D1"
    assert after[0] == "U0 W2 W3 D4"


# Rounds, entries, sections


def test_rounds_are_added_and_empty_ones_taken_away():
    one = section("W2 B", "L1 H", rounds=2)
    more = with_round(one)
    assert more.rounds == 3
    assert rows(without_last_round(more)) == rows(one)
    assert without_last_round(more).rounds == 2


def test_late_entry_is_unpaired_in_earlier_rounds():
    late = with_new_entries(
        section("W2 B", "L1 B", rounds=3), [NewEntry("12345678", "LATE, LEO")], 3
    )
    entry = late.entries[2]
    assert (entry.pairing_number, entry.member_id, entry.name) == (
        3,
        "12345678",
        "LATE, LEO",
    )
    assert rows(late)[2] == "U0 U0"
    assert late.last_pairing_number == 3


def test_round_robin_grows_with_its_players():
    one = with_new_entries(section(kind="R", rounds=3), [NewEntry(name="A")] * 6)
    assert (one.rounds, one.last_pairing_number) == (5, 6)


def test_later_numbers_move_up_when_an_entry_goes():
    one = without_entry(section("W4 W3", "", "U L1", "L1 U"), 2)
    assert rows(one) == ["W3 W2", "U0 L1", "L1 U0"]
    assert [entry.pairing_number for entry in one.entries] == [1, 2, 3]
    assert one.last_pairing_number == 3


def test_entry_may_be_taken_out_with_all_other_numbers_kept() -> None:
    before = section("W4 W3", "", "U L1", "L1 U", last_pairing_number=4)
    one = without_entry(before, 2, keep_numbers=True)
    assert [entry.pairing_number for entry in one.entries] == [1, 3, 4]
    assert rows(one) == ["W4 W3", "U0 L1", "L1 U0"]
    assert one.last_pairing_number == 4
    last = without_entry(section("W3", "", "L1", ""), 4, keep_numbers=True)
    assert last.last_pairing_number == 3


def test_number_given_twice_has_played_if_one_of_its_entries_has() -> None:
    before = section("W2", "L1", "", "H")
    entries = list(before.entries)
    entries[3] = replace(entries[3], pairing_number=3)
    twice = replace(before, entries=tuple(entries))
    assert has_played(twice, 3)
    assert not has_played(before, 3)


def test_who_sits_out_is_marked_once_there_are_results():
    five = section("", "", "", "", "", kind="R")
    assert with_unpaired_rounds(five) == five
    begun = with_results(
        ReportedEvent(sections=(five,)),
        1,
        {cell_for_game(five, 1, 2).place: Cell("W", 2)},
    )
    marked = with_unpaired_rounds(begun.sections[0])
    idle = [
        (entry.pairing_number, column)
        for entry in marked.entries
        for column, cell in enumerate(entry.cells, start=1)
        if cell.code == "U"
    ]
    assert [number for number, _ in idle] == [1, 2]


def test_game_played_in_another_round_stays_there():
    swapped = section("W2W W4W", "L1B", "", "L1 L1B", kind="R")
    assert cell_for_game(swapped, 1, 2).place == CellPosition(1, 1)
    # The table's round for 1 and 4 is the first, where 1 has played 2.
    assert cell_for_game(
        section("W2W", "L1B", "", "", kind="R"), 1, 4
    ).place == CellPosition(1, 2)


@pytest.mark.parametrize(
    ("kind", "players", "square"),
    [("R", 4, True), ("R", 2, False), ("R", 25, False), ("S", 4, False)],
)
def test_square_is_for_round_robins_that_have_a_table(kind, players, square):
    assert has_fixed_pairings(section(*[""] * players, kind=kind)) is square


@pytest.mark.parametrize(
    ("players", "sizes"),
    [(0, [0]), (3, [3]), (4, [4]), (7, [7]), (12, [4, 4, 4]), (15, [4, 4, 7])],
)
def test_players_are_divided_into_quads(players, sizes):
    assert [len(quad) for quad in quads([NewEntry()] * players)] == sizes
