"""The games of a reported section as rated records store them."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.played_games import (
    PlayedGame,
    UnplayedCell,
    forfeit_opponent,
    played_games,
    round_count,
    unplayed_rounds,
)
from events.formats.report import ReportedEntry, ReportedSection, parse_cell
from tests.hypothesis_settings import example_count


def section(rows: list[str], kind: str = "S", **fields) -> ReportedSection:
    return ReportedSection(
        1,
        kind_letter=kind,
        entries=tuple(
            ReportedEntry(number, cells=tuple(map(parse_cell, row.split())))
            for number, row in enumerate(rows, start=1)
        ),
        **fields,
    )


def unplayed(reported: ReportedSection) -> list[tuple[int, int, str]]:
    return [
        (number, cell.pairing_number, cell.code)
        for number, cell in unplayed_rounds(reported)
    ]


def test_game_is_listed_once_with_the_lower_number_first():
    assert list(played_games(section(["L2B", "W1W"]))) == [
        PlayedGame(1, 1, 1, 2, "B", "L", "W")
    ]


def test_color_comes_from_either_cell():
    assert [game.first_color for game in played_games(section(["W2", "L1B"]))] == ["W"]
    assert [game.first_color for game in played_games(section(["W2", "L1"]))] == [""]


def test_one_sided_results_become_separate_outcomes():
    [game] = played_games(section(["N2W", "R1B"]))
    assert (game.first_outcome, game.second_outcome) == ("W", "D")


def test_only_games_in_both_cells_count():
    assert list(played_games(section(["W2W", "U0"]))) == []
    assert list(played_games(section(["W2W", "L3B", "W2W"]))) == [
        PlayedGame(1, 1, 2, 3, "B", "L", "W")
    ]


def test_byes_and_forfeits_are_kept_and_empty_rounds_are_not():
    report = section(["B0 H0 X2 Z0 U0", "U0 U0 F1 Z0 I0"])
    assert list(played_games(report)) == []
    assert unplayed(report) == [
        (1, 1, "B"),
        (2, 1, "H"),
        (3, 1, "X"),
        (4, 1, "Z"),
        (3, 2, "F"),
        (4, 2, "Z"),
    ]


def test_forfeit_names_its_opponent_and_a_bye_has_none():
    assert forfeit_opponent(UnplayedCell(1, 1, "X", 2, 2)) == 2
    assert forfeit_opponent(UnplayedCell(1, 1, "Z", None, 0)) is None
    assert forfeit_opponent(UnplayedCell(1, 1, "B", 1, 2)) is None


def test_rounds_are_the_reported_ones_or_the_longest_row():
    assert round_count(section(["W2W", "L1B U0 U0"], rounds=2)) == 3
    assert round_count(section(["W2W", "L1B"], rounds=5)) == 5
    assert round_count(section(["W2W", "L1B"])) == 1


def test_round_robin_by_opponents_has_the_rounds_of_the_circle():
    rows = ["U0 W2W D3W", "L1B U0 W3W", "D1B L2B U0"]
    assert round_count(section(rows, "R")) == 3  # an odd number has a bye each
    assert (
        round_count(section([*[row + " H0" for row in rows], "H0 H0 H0 U0"], "R")) == 3
    )
    games = played_games(section(rows, "R"))
    assert sorted((game.round_number, game.first, game.second) for game in games) == [
        (1, 1, 2),
        (2, 1, 3),
        (3, 2, 3),
    ]


def test_columns_beyond_the_players_of_a_round_robin_hold_no_round():
    rows = ["U0 W2W W3W D4W B0", "L1B U0 W3W W4W", "L1B L2B U0 D4W", "D1B L2B D3B U0"]
    assert unplayed(section(rows, "R")) == []
    rows[0] = "U0 W2W W3W H0"
    assert unplayed(section(rows, "R")) == [(3, 1, "H")]


cells = st.builds(
    "{}{}{}".format,
    st.sampled_from("WLDNSRXFZBHUI$#%"),
    st.integers(0, 6),
    st.sampled_from(["W", "B", ""]),
)
tables = st.lists(st.lists(cells, max_size=6).map(" ".join), min_size=0, max_size=5)


@settings(max_examples=example_count(200), deadline=None)
@given(tables, st.sampled_from("SR2DM?"), st.sampled_from([None, 0, 3, 99]))
def test_any_table_can_be_read_and_recorded(rows, kind, rounds):
    report = section(rows, kind, rounds=rounds)
    numbers = {entry.pairing_number for entry in report.entries}
    assert round_count(report) >= 0
    for game in played_games(report):
        assert {game.first, game.second} <= numbers
        assert game.first < game.second
        assert {game.first_outcome, game.second_outcome} <= set("WLD")
        assert (game.leg in (1, 2), game.round_number >= 1) == (True, True)
    places = [(number, cell.pairing_number) for number, cell in unplayed_rounds(report)]
    assert len(places) == len(set(places))


def test_double_round_keeps_both_games():
    games = list(played_games(replace(section(["#2W", "D1B"]), kind_letter="2")))
    assert [(game.leg, game.first_outcome, game.second_outcome) for game in games] == [
        (1, "W", "L"),
        (2, "D", "D"),
    ]
