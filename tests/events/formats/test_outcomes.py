from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.formats.report import Cell, parse_cell
from events.formats.result_codes import DOUBLE, SINGLE, result_code, single_results


@pytest.mark.parametrize(
    ("code", "is_game", "half_points", "mirror"),
    [
        ("W", True, 2, "L"),
        ("L", True, 0, "W"),
        ("D", True, 1, "D"),
        ("X", False, 2, "F"),
        ("F", False, 0, "X"),
        ("Z", False, 0, "Z"),
        ("B", False, 2, ""),
        ("H", False, 1, ""),
        ("U", False, 0, ""),
    ],
)
def test_single_codes(code: str, is_game: bool, half_points: int, mirror: str) -> None:
    result = SINGLE[code]
    assert (result.is_game, result.half_points, result.mirror) == (
        is_game,
        half_points,
        mirror,
    )
    assert result.needs_opponent is is_game


@pytest.mark.parametrize(
    ("code", "half_points"), [("N", 2), ("S", 0), ("R", 1)], ids=str
)
def test_asymmetric_codes_are_rated_games(code: str, half_points: int) -> None:
    result = SINGLE[code]
    assert (result.is_game, result.is_asymmetric) == (True, True)
    assert result.half_points == half_points


@pytest.mark.parametrize(
    ("code", "half_points", "mirror"),
    [
        ("$", 4, "L"),
        ("#", 3, "D"),
        ("%", 2, "%"),
        ("W", 2, "W"),
        ("D", 1, "#"),
        ("L", 0, "$"),
    ],
)
def test_double_game_codes(code: str, half_points: int, mirror: str) -> None:
    result = DOUBLE[code]
    assert (result.half_points, result.mirror) == (half_points, mirror)
    # Two games share four half points, whatever their results.
    assert half_points + DOUBLE[mirror].half_points == 4
    assert half_points == sum(SINGLE[game].half_points for game in result.games)


@given(
    st.sampled_from("$#%WDL"),
    st.sampled_from(["W", "B", ""]),
    st.tuples(st.integers(1, 50), st.integers(51, 99)),
    st.booleans(),
)
def test_both_sides_of_a_double_game_agree(
    code: str, color: str, numbers: tuple[int, int], swap: bool
) -> None:
    ours, theirs = numbers[::-1] if swap else numbers
    other_color = {"W": "B", "B": "W", "": ""}[color]
    mine = single_results(Cell(code, theirs, color), "2", pairing_number=ours)
    yours = single_results(
        Cell(DOUBLE[code].mirror, ours, other_color), "2", pairing_number=theirs
    )
    assert [SINGLE[game.code].mirror for game in mine] == [game.code for game in yours]
    assert all(
        {my.color, your.color} in ({"W", "B"}, {""})
        for my, your in zip(mine, yours, strict=True)
    )


def test_blank_and_unreadable_cells_stand_for_no_game() -> None:
    assert single_results(parse_cell(""), "S") == ()
    assert single_results(parse_cell("won"), "S") == ()


def test_codes_depend_on_the_kind_of_section() -> None:
    assert result_code("W", "S") == SINGLE["W"]
    assert result_code("W", "2") == DOUBLE["W"]
    assert result_code("N", "2") is None
    assert result_code("", "S") is None
