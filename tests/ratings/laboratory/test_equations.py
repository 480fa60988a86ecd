"""The equations of systems that rate a whole pool at once."""

import random

import pytest

from ratings.laboratory.equations import (
    PlayerGames,
    components,
    eligible_game_counts,
    solve,
)


def pool(players, games, seed=1):
    randomness = random.Random(seed)
    pairs = [randomness.sample(range(players), 2) for _ in range(games)]
    return [one for one, _ in pairs], [other for _, other in pairs]


def test_every_players_own_equation_holds():
    first, second = pool(40, 300)
    meetings = PlayerGames(40, first, second)
    weights = meetings.weights([1 + place % 3 for place in range(300)])
    diagonal = [sum(one) + 2.5 for one in weights]
    known = [float(player * player) for player in range(40)]
    found = solve(meetings, diagonal, weights, known, [0.0] * 40, 1e-9)
    opponent_sums = meetings.opponent_sums(weights, found)
    for player in range(40):
        left = diagonal[player] * found[player] - opponent_sums[player]
        assert left == pytest.approx(known[player], abs=1e-5)


def test_the_guess_does_not_matter():
    first, second = pool(30, 150)
    meetings = PlayerGames(30, first, second)
    weights = meetings.weights([1.0] * 150)
    diagonal = [sum(one) + 1.0 for one in weights]
    known = [float(player) for player in range(30)]
    low, high = (
        solve(meetings, diagonal, weights, known, [guess] * 30, 1e-8)
        for guess in (-5000.0, 5000.0)
    )
    assert low == pytest.approx(high, abs=1e-5)


def test_no_players_to_solve_for():
    assert solve(PlayerGames(0, [], []), [], [], [], [], 1e-6) == []


def test_leaving_out_one_player_may_leave_out_the_next():
    # 0, 1 and 2 met one another; 3 has two games, one of them against 4.
    first, second = [0, 1, 2, 3, 3], [1, 2, 0, 0, 4]
    assert eligible_game_counts(5, first, second, [1.0] * 5, 2.0) == {
        0: 2.0,
        1: 2.0,
        2: 2.0,
    }


def test_players_with_a_given_rating_stay():
    counts = eligible_game_counts(3, [0, 0], [1, 2], [1.0, 1.0], 2.0, {1, 2})
    assert counts == {0: 2.0, 1: 1.0, 2: 1.0}


def test_groups_that_never_met():
    first, second = [0, 1, 5, 6], [1, 2, 6, 7]
    assert components(range(9), first, second) == [[0, 1, 2], [5, 6, 7], [3], [4], [8]]
