from __future__ import annotations

from events.formats.played_games import (
    ReportedGame,
    UnplayedCell,
    section_games,
    unplayed_cells,
)
from events.formats.report import ReportedEntry
from tests.events.formats.samples import cells, section


def test_each_game_of_a_section_is_listed_once() -> None:
    assert list(section_games(section())) == [
        ReportedGame(1, 4, 1, 1, 1, "W", "L", "W"),
        ReportedGame(2, 3, 1, 1, 1, "W", "L", "W"),
        ReportedGame(1, 3, 2, 2, 1, "W", "L", "B"),
        ReportedGame(2, 4, 2, 2, 1, "L", "W", "B"),
        ReportedGame(1, 2, 3, 3, 1, "D", "D", "W"),
    ]
    assert list(unplayed_cells(section())) == [
        UnplayedCell(3, 3, "H", None, 1),
        UnplayedCell(4, 3, "B", None, 2),
    ]


def test_double_round_gives_two_games() -> None:
    doubles = section(
        kind_letter="2",
        entries=(
            ReportedEntry(1, cells=cells("#2B", "X0")),
            ReportedEntry(2, cells=cells("D1W", "F0")),
        ),
    )
    assert list(section_games(doubles)) == [
        ReportedGame(1, 2, 1, 1, 1, "W", "L", "B"),
        ReportedGame(1, 2, 1, 1, 2, "D", "D", "W"),
    ]
    assert list(unplayed_cells(doubles)) == [
        UnplayedCell(1, 2, "X", None, 4),
        UnplayedCell(2, 2, "F", None, 0),
    ]


def test_split_double_round_needs_the_color_of_one_side_only() -> None:
    doubles = section(
        kind_letter="2",
        entries=(
            ReportedEntry(1, cells=cells("W2")),
            ReportedEntry(2, cells=cells("W1W")),
        ),
    )
    assert list(section_games(doubles)) == [
        ReportedGame(1, 2, 1, 1, 1, "L", "W", "B"),
        ReportedGame(1, 2, 1, 1, 2, "W", "L", "W"),
    ]


def test_round_robin_by_opponents_pairs_row_and_column() -> None:
    table = section(
        kind_letter="R",
        entries=(
            ReportedEntry(1, cells=cells("U0", "W2W", "L3B")),
            ReportedEntry(2, cells=cells("L1B", "U0", "D3W")),
            ReportedEntry(3, cells=cells("W1W", "D2B", "U0")),
        ),
    )
    assert list(section_games(table)) == [
        ReportedGame(1, 2, 2, 1, 1, "W", "L", "W"),
        ReportedGame(1, 3, 3, 1, 1, "L", "W", "B"),
        ReportedGame(2, 3, 3, 2, 1, "D", "D", "W"),
    ]


def test_asymmetric_game_keeps_both_results() -> None:
    odd = section(
        entries=(
            ReportedEntry(1, cells=cells("R2W")),
            ReportedEntry(2, cells=cells("S1B")),
        ),
    )
    assert list(section_games(odd)) == [ReportedGame(1, 2, 1, 1, 1, "R", "S", "W")]


def test_games_on_which_the_cells_disagree_are_no_games() -> None:
    torn = section(
        entries=(
            ReportedEntry(1, cells=cells("W2W")),
            ReportedEntry(2, cells=cells("H0")),
        ),
    )
    assert list(section_games(torn)) == []
