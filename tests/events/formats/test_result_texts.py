"""Spellings of results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.formats.report import Cell
from events.formats.tables.results import parse_bye, parse_game_result, parse_result


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("W12", Cell("W", 12)),
        ("W 12", Cell("W", 12)),
        ("w  12b", Cell("W", 12, "B")),
        ("W12 (w)", Cell("W", 12, "W")),
        ("L3", Cell("L", 3)),
        ("D#5", Cell("D", 5)),
        ("12W", Cell("W", 12)),
        ("12LB", Cell("L", 12, "B")),
        ("+12b", Cell("W", 12, "B")),
        ("−12", Cell("L", 12)),
        ("=7w", Cell("D", 7, "W")),
        ("12w1", Cell("W", 12, "W")),
        ("12s½", Cell("D", 12, "B")),
        ("12b-", Cell("F", 12)),
        ("X5", Cell("X", 5)),
        ("F5", Cell("F", 5)),
        ("X--", Cell("X")),
        ("B--", Cell("B")),
        ("H---", Cell("H")),
        ("U–", Cell("U")),
        ("H", Cell("H")),
        ("bye", Cell("B")),
        ("½ bye", Cell("H")),
        ("1/2-bye", Cell("H")),
        ("HPB", Cell("H")),
        ("half-point bye", Cell("H")),
        ("medio punto", Cell("H")),
        ("full point bye", Cell("B")),
        ("Not paired", Cell("U")),
        ("zero point bye", Cell("U")),
        ("----", Cell("U")),
        ("", Cell()),
    ],
)
def test_result_is_read(text: str, cell: Cell) -> None:
    assert parse_result(text) == cell


@pytest.mark.parametrize(
    "text", ["won", "12", "W1 2", "W12345", "1-0", "12B", "Q4", "?"]
)
def test_ambiguous_text_is_kept_unchanged(text: str) -> None:
    assert parse_result(text) == Cell(raw=text)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("1-0", ("W", "L")),
        ("0 : 1", ("L", "W")),
        ("½–½", ("D", "D")),
        ("1/2-1/2", ("D", "D")),
        ("0.5-0.5", ("D", "D")),
        ("1.0-0.0", ("W", "L")),
        ("1", ("W", "L")),
        ("draw", ("D", "D")),
        ("Black", ("L", "W")),
        ("+/-", ("X", "F")),
        ("1-0F", ("X", "F")),
        ("-/+", ("F", "X")),
        ("0-0", ("Z", "Z")),
        ("2-0", None),
        ("", None),
    ],
)
def test_game_is_read_from_both_sides(text: str, codes: tuple[str, str] | None) -> None:
    assert parse_game_result(text) == codes


@pytest.mark.parametrize(
    ("text", "code"), [("", "B"), ("1", "B"), ("½", "H"), ("0", "U"), ("1-0", None)]
)
def test_round_without_opponent(text: str, code: str | None) -> None:
    assert parse_bye(text) == code


@given(st.text(max_size=12))
def test_any_text_is_a_cell_or_kept(text: str) -> None:
    cell = parse_result(text)
    assert cell.raw == text.strip() or cell.code or not text.strip()
    parse_game_result(text)
    parse_bye(text)
