"""Tables of quads and round robins."""

from collections import Counter
from itertools import combinations

import pytest

from events.formats.round_robin import (
    MAX_PLAYERS,
    ScheduledGame,
    round_robin_rounds,
    scheduled_game,
)

SIZES = range(3, MAX_PLAYERS + 1)


def table(players):
    pairs = combinations(range(1, players + 1), 2)
    return tuple(sorted(scheduled_game(low, high, players) for low, high in pairs))


@pytest.mark.parametrize("players", SIZES)
def test_all_players_meet_once_and_play_once_a_round(players):
    games = table(players)
    met = sorted(tuple(sorted((game.white, game.black))) for game in games)
    assert met == list(combinations(range(1, players + 1), 2))
    busy = Counter(
        (game.round_number, number)
        for game in games
        for number in (game.white, game.black)
    )
    assert set(busy.values()) == {1}
    rounds = {game.round_number for game in games}
    assert rounds == set(range(1, round_robin_rounds(players) + 1))


@pytest.mark.parametrize("players", SIZES)
def test_colors_differ_by_at_most_one(players):
    games = table(players)
    whites = Counter(game.white for game in games)
    blacks = Counter(game.black for game in games)
    off = {number: whites[number] - blacks[number] for number in range(1, players + 1)}
    assert set(off.values()) <= ({0} if players % 2 else {-1, 1})


def test_quad_is_paired_as_quads_are():
    assert table(4) == (
        ScheduledGame(1, 1, 4),
        ScheduledGame(1, 2, 3),
        ScheduledGame(2, 3, 1),
        ScheduledGame(2, 4, 2),
        ScheduledGame(3, 1, 2),
        ScheduledGame(3, 3, 4),
    )


def test_six_players_follow_the_berger_table():
    rounds = [
        {(game.white, game.black) for game in table(6) if game.round_number == number}
        for number in range(1, 6)
    ]
    assert rounds == [
        {(1, 6), (2, 5), (3, 4)},
        {(6, 4), (5, 3), (1, 2)},
        {(2, 6), (3, 1), (4, 5)},
        {(6, 5), (1, 4), (2, 3)},
        {(3, 6), (4, 2), (5, 1)},
    ]


@pytest.mark.parametrize(("one", "other"), [(1, 1), (0, 2), (1, 5), (-1, 3)])
def test_players_outside_the_table_have_no_opponent(one, other):
    with pytest.raises(ValueError, match="do not meet"):
        scheduled_game(one, other, players=4)
