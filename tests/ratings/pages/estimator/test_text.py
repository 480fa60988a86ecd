"""Parsing the input of the estimator, and the messages for invalid input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.pages.estimator.parsing import (
    ParseError,
    PlayerSpec,
    TypedGame,
    TypedPlayer,
    TypedRating,
    parse_player_spec,
    parse_section,
)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("1654", PlayerSpec("1654", ratings=(TypedRating(1654.0, 50, None),))),
        (" 1654.25p12 ", PlayerSpec("1654.25p12", ratings=(TypedRating(1654.25, 12),))),
        (
            "1654F1600",
            PlayerSpec("1654F1600", ratings=(TypedRating(1654.0, 50, 1600),)),
        ),
        (
            "1654P9/1598",
            PlayerSpec(
                "1654P9/1598", ratings=(TypedRating(1654.0, 9), TypedRating(1598.0))
            ),
        ),
        ("12345678", PlayerSpec("12345678", member_id="12345678")),
        ("UNR", PlayerSpec("UNR")),
        ("unrated  adult", PlayerSpec("unrated adult", is_adult=True)),
    ],
)
def test_player_is_read(text, who):
    assert parse_player_spec(text) == who


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "“” is not a player. Enter a rating such as 1654"),
        ("banana", "“banana” is not a player."),
        ("02345678", "“02345678” is not a player."),
        ("١٦٥٤", "is not a player."),
        ("1654/1600/1500", "is not a player."),
        ("99.99", "is not a player."),
        ("5000", "5000 is not a rating. Ratings are from 100 to 3500."),
        ("1654P0", "A provisional rating is based on at least one game."),
        ("1654F1700", "A floor of 1700 does not fit a rating of 1654"),
    ],
)
def test_player_who_cannot_be_read_gets_a_sentence(text, sentence):
    with pytest.raises(ParseError) as refused:
        parse_player_spec(text)
    assert sentence in str(refused.value)


def test_section_is_read_as_people_paste_it():
    """Numbers, bars, tabs, results apart, byes and forfeits."""
    section = parse_section(
        "1. | 12345678 | Lind, Ada | W 3 | D2 | H---\n\n"
        "2)\t1712P14\tBen\td1\tU---\tX-\n"
        "unr adult L1 B0"
    )
    assert section.faults == []
    assert section.rows == [
        TypedPlayer(
            1,
            PlayerSpec("12345678", member_id="12345678"),
            "Lind, Ada",
            (("W", 3), ("D", 2)),
        ),
        TypedPlayer(
            2,
            PlayerSpec("1712P14", ratings=(TypedRating(1712.0, 14),)),
            "Ben",
            (("D", 1),),
        ),
        TypedPlayer(3, PlayerSpec("unr adult", is_adult=True), "", (("L", 1),)),
    ]
    assert section.games == [TypedGame(1, 3, 2), TypedGame(1, 2, 1)]


def test_two_games_of_a_pair_are_two_games():
    section = parse_section("1500 W2 L2\n1600 L1 W1")
    assert section.games == [TypedGame(1, 2, 2), TypedGame(1, 2, 0)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1500 W2", "A section needs at least two players, each on a line."),
        ("1500\n" * 61, "You entered 61 players; the limit is 60."),
        ("1500\nbanana W1", "Line 2: “banana” is not a player."),
        ("1500\n7 1600", "Line 2: It has the number 7. Number the players 1, 2, 3"),
        ("1500\n2", "Line 2: There is no player after the line number."),
        ("1500 W1\n1600", "Line 1: a player cannot be their own opponent."),
        (
            "1500 W9\n1600",
            "Line 1: W9 names a player on line 9, but there are 2 lines.",
        ),
        ("1500 W0\n1600", "Line 1: W0 names a player on line 0"),
        (
            "1500 W2\n1600 D1",
            "Line 1 has W2, so line 2 must have L1, but it has D1. Correct one of",
        ),
        (
            "1500\n1600 D1",
            "Line 2 has D1, so line 1 must have D2, but it has no such result.",
        ),
        (
            "1500" + " W2" * 21 + "\n1600",
            "Line 1: There are 21 games; the limit is 20.",
        ),
    ],
)
def test_what_is_wrong_in_a_section_is_said_once_and_with_its_line(text, fault):
    section = parse_section(text)
    (said,) = section.faults
    assert said.startswith(fault)
    assert section.games == []


def test_lines_of_separators_only_are_no_players():
    section = parse_section("1500 W2\n|\n | | \n1600 L1")
    assert (len(section.rows), section.faults) == (2, [])


@given(st.text(alphabet="WDL0123456789 PF/.|\n\tunrab-", max_size=120))
def test_any_text_gives_games_or_faults(text):
    section = parse_section(text)
    if not section.faults:
        played = sum(len(row.results) for row in section.rows)
        assert played == 2 * len(section.games)
