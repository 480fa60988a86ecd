"""What people type into the estimator, and the sentences for what cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimator.text import (
    TypedGame,
    TypedPlayer,
    TypedRating,
    Unreadable,
    Who,
    read_section,
    read_who,
)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("1654", Who("1654", ratings=(TypedRating(1654.0, 50, None),))),
        (" 1654.25p12 ", Who("1654.25p12", ratings=(TypedRating(1654.25, 12),))),
        ("1654F1600", Who("1654F1600", ratings=(TypedRating(1654.0, 50, 1600),))),
        (
            "1654P9/1598",
            Who("1654P9/1598", ratings=(TypedRating(1654.0, 9), TypedRating(1598.0))),
        ),
        ("12345678", Who("12345678", member_id="12345678")),
        ("UNR", Who("UNR")),
        ("unrated  adult", Who("unrated adult", is_adult=True)),
    ],
)
def test_player_is_read(text, who):
    assert read_who(text) == who


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "“” names no player. Write a rating such as 1654"),
        ("banana", "“banana” names no player."),
        ("02345678", "“02345678” names no player."),
        ("١٦٥٤", "names no player."),
        ("1654/1600/1500", "names no player."),
        ("99.99", "names no player."),
        ("5000", "5000 is not a rating: ratings are from 100 to 3500."),
        ("1654P0", "A rating rests on at least one game."),
        ("1654F1700", "A floor of 1700 does not go with a rating of 1654"),
    ],
)
def test_player_who_cannot_be_read_gets_a_sentence(text, sentence):
    with pytest.raises(Unreadable) as refused:
        read_who(text)
    assert sentence in str(refused.value)


def test_section_is_read_as_people_paste_it():
    """Numbers, bars, tabs, results apart, byes and forfeits."""
    section = read_section(
        "1. | 12345678 | Lind, Ada | W 3 | D2 | H---\n\n"
        "2)\t1712P14\tBen\td1\tU---\tX-\n"
        "unr adult L1 B0"
    )
    assert section.faults == []
    assert section.rows == [
        TypedPlayer(
            1,
            Who("12345678", member_id="12345678"),
            "Lind, Ada",
            (("W", 3), ("D", 2)),
        ),
        TypedPlayer(
            2, Who("1712P14", ratings=(TypedRating(1712.0, 14),)), "Ben", (("D", 1),)
        ),
        TypedPlayer(3, Who("unr adult", is_adult=True), "", (("L", 1),)),
    ]
    assert section.games == [TypedGame(1, 3, 2), TypedGame(1, 2, 1)]


def test_two_games_of_a_pair_are_two_games():
    section = read_section("1500 W2 L2\n1600 L1 W1")
    assert section.games == [TypedGame(1, 2, 2), TypedGame(1, 2, 0)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1500 W2", "A section needs at least two players, each on a line."),
        ("1500\n" * 61, "These are 61 players; at most 60 fit in here."),
        ("1500\nbanana W1", "Line 2: “banana” names no player."),
        ("1500\n7 1600", "Line 2: It has the number 7. Number the players 1, 2, 3"),
        ("1500\n2", "Line 2: There is no player behind the number."),
        ("1500 W1\n1600", "Line 1: nobody can be their own opponent."),
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
            "Line 2 has D1, so line 1 must have D2, but it says nothing of it.",
        ),
        ("1500" + " W2" * 21 + "\n1600", "Line 1: These are 21 games; at most 20."),
    ],
)
def test_what_is_wrong_in_a_section_is_said_once_and_with_its_line(text, fault):
    section = read_section(text)
    (said,) = section.faults
    assert said.startswith(fault)
    assert section.games == []


def test_lines_of_separators_only_are_no_players():
    section = read_section("1500 W2\n|\n | | \n1600 L1")
    assert (len(section.rows), section.faults) == (2, [])


@given(st.text(alphabet="WDL0123456789 PF/.|\n\tunrab-", max_size=120))
def test_any_text_gives_games_or_faults(text):
    section = read_section(text)
    if not section.faults:
        played = sum(len(row.results) for row in section.rows)
        assert played == 2 * len(section.games)
