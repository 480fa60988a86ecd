"""Tiebreaks of US Chess: worked examples of published rules, and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.formats.tiebreaks import (
    Round,
    Tiebreaks,
    adjusted_score,
    cumulative,
    modified_median,
    tiebreaks,
)

BYE, HALF_BYE, ABSENT = Round(2), Round(1), Round(0)


def half_points(*points: float) -> list[int]:
    return [int(2 * point) for point in points]


def played(results: str) -> list[Round]:
    """Return the rounds of "WLD": games against other opponents each."""
    points = {"W": 2, "D": 1, "L": 0}
    return [Round(points[result], place + 2) for place, result in enumerate(results)]


@pytest.mark.parametrize(
    ("scores", "own", "rounds", "wanted"),
    [
        # bigrapidschess.github.io, "Big Rapids Chess Tie Breaks", after the rulebook
        ((1, 2, 3, 3.5, 4), 4, 5, 12.5),
        ((2, 2.5, 3, 3, 4), 4, 5, 12.5),
        ((2, 2, 3.5, 4, 5, 5, 5.5), 7, 7, 25),
        ((1, 2.5, 4, 4, 5, 5.5, 6), 7, 7, 27),
        # estima.com, WinTD's help on the tiebreaks of US Chess
        ((0, 3, 3, 4, 5), 4, 5, 15),
        ((3, 2, 5, 3, 3), 4, 5, 14),
        # Half of the points: both ends; fewer: the highest.
        ((0, 3, 3, 4, 5), 2.5, 5, 10),
        ((0, 3, 3, 4, 5), 2, 5, 10),
        # Nine rounds: two at an end.
        ((1, 2, 3, 4, 5, 6, 7, 8, 9), 6, 9, 42),
        ((1, 2, 3, 4, 5, 6, 7, 8, 9), 4.5, 9, 25),
        ((1, 2, 3, 4, 5, 6, 7, 8, 9), 3, 9, 28),
        # A section of one round has nothing left.
        ((1,), 0.5, 1, 0),
        ((), 0, 0, 0),
    ],
)
def test_modified_median_leaves_out_the_least_useful(scores, own, rounds, wanted):
    found = modified_median(half_points(*scores), own=int(2 * own), most=2 * rounds)
    assert found == 2 * wanted


@pytest.mark.parametrize(
    ("card", "wanted"),
    [
        # The rulebook's win, loss, win, draw, loss: 1 + 1 + 2 + 2.5 + 2.5.
        (played("WLWDL"), 9),
        # Saint Louis Chess Club: win, loss, win, win, draw.
        (played("WLWWD"), 10.5),
        # Renaissance Knights: bye, win, loss, draw, win.
        ([BYE, *played("WLDW")], 10),
        # Big Rapids: a bye, and the same scores over the board.
        ([BYE, *played("WLWW")], 11),
        (played("WWLWW"), 12),
        # A half-point bye is not subtracted: 0.5 + 1.5.
        ([HALF_BYE, *played("W")], 2),
    ],
)
def test_cumulative_adds_the_scores_after_each_round(card, wanted):
    assert cumulative(card) == 2 * wanted


def test_unplayed_games_of_an_opponent_count_half_a_point():
    withdrawn = [*played("WWL"), ABSENT, ABSENT]
    assert adjusted_score(withdrawn) == 2 * 3
    assert adjusted_score([BYE, *played("WL")]) == 2 * 1.5
    assert adjusted_score([Round(3, 2), Round(4)], games_per_round=2) == 2 * 2.5


def test_sonneborn_berger_of_a_double_round_robin():
    """ChessKid's example: 4.5, 3.75 and 2.25, each game counted by itself."""
    bob = [Round(0, 2), Round(2, 2), Round(2, 3), Round(2, 3)]
    mary = [Round(2, 1), Round(0, 1), Round(0, 3), Round(1, 3)]
    john = [Round(0, 1), Round(0, 1), Round(2, 2), Round(1, 2)]
    found = tiebreaks({1: bob, 2: mary, 3: john})
    assert [found[number].sonneborn_berger / 4 for number in (1, 2, 3)] == [
        4.5,
        3.75,
        2.25,
    ]


def test_own_unplayed_games_are_opponents_without_points():
    """Four players, three rounds; the third came late and the fourth withdrew.

    By hand: final scores 2.5, 2, 1 and 0.5; adjusted 2.5, 1.5, 1 and 1.
    """
    cards = {
        1: [Round(1, 4), Round(2, 3), Round(2, 2)],
        2: [BYE, Round(2, 4), Round(0, 1)],
        3: [ABSENT, Round(0, 1), BYE],
        4: [Round(1, 1), Round(0, 2), ABSENT],
    }
    assert tiebreaks(cards) == {
        1: Tiebreaks(5, 2 + 2 + 3, 1 + 3 + 5, 1 * 1 + 2 * 2 + 2 * 4),
        2: Tiebreaks(2 + 5, 0 + 2 + 5, 2 + 4 + 4 - 2, 2 * 1),
        3: Tiebreaks(0, 5, 0 + 0 + 2 - 2, 0),
        4: Tiebreaks(0 + 3, 5 + 3, 1 + 1 + 1, 1 * 5),
    }


@st.composite
def swisses(draw) -> dict[int, list[Round]]:
    """Return the cards of a section in which each round pairs some of the players."""
    players = draw(st.integers(2, 9))
    cards: dict[int, list[Round]] = {number: [] for number in range(1, players + 1)}
    for _ in range(draw(st.integers(1, 10))):
        order = draw(st.permutations(list(cards)))
        paired = draw(st.integers(0, players // 2))
        for one, other in zip(
            order[: 2 * paired : 2], order[1 : 2 * paired : 2], strict=True
        ):
            points = draw(st.integers(0, 2))
            cards[one].append(Round(points, other))
            cards[other].append(Round(2 - points, one))
        for number in order[2 * paired :]:
            cards[number].append(draw(st.sampled_from([BYE, HALF_BYE, ABSENT])))
    return cards


@given(swisses())
def test_tiebreaks_stay_within_what_was_played(cards):
    found = tiebreaks(cards)
    rounds = len(cards[1])
    for number, card in cards.items():
        one = found[number]
        assert 0 <= one.modified_median <= one.solkoff <= 2 * rounds * rounds
        score = sum(each.half_points for each in card)
        assert 0 <= one.cumulative <= score * rounds
        assert 0 <= one.sonneborn_berger <= 2 * one_sided(cards, card)


def one_sided(cards, card) -> int:
    """Return the final scores of the opponents of a card, in half points."""
    return sum(
        sum(each.half_points for each in cards[one.opponent])
        for one in card
        if one.opponent is not None
    )


@given(swisses(), st.randoms(use_true_random=False))
def test_the_order_of_players_and_of_rounds_matters_for_cumulative_only(cards, random):
    rounds = list(range(len(cards[1])))
    random.shuffle(rounds)
    numbers = list(cards)
    random.shuffle(numbers)
    shuffled = {number: [cards[number][one] for one in rounds] for number in numbers}
    before, after = tiebreaks(cards), tiebreaks(shuffled)
    for number in cards:
        assert before[number]._replace(cumulative=0) == after[number]._replace(
            cumulative=0
        )


@given(swisses())
def test_an_opponents_extra_half_point_never_lowers_a_tiebreak(cards):
    before = tiebreaks(cards)
    raised = {
        number: [
            one._replace(half_points=one.half_points + (one.opponent is not None))
            for one in card
        ]
        if number != 1
        else card
        for number, card in cards.items()
    }
    after = tiebreaks(raised)[1]
    assert all(new >= old for new, old in zip(after, before[1], strict=True))
