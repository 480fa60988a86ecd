"""The rounds of a round robin by the circle method."""

from itertools import combinations

import pytest

from events.formats.played_games import circle_method_round


@pytest.mark.parametrize("players", range(2, 21))
def test_all_players_meet_and_play_once_a_round(players):
    rounds: dict[int, list[int]] = {}
    for one, other in combinations(range(1, players + 1), 2):
        number = circle_method_round(one, other, players=players)
        assert number == circle_method_round(other, one, players=players)
        rounds.setdefault(number, []).extend([one, other])
    assert set(rounds) == set(range(1, players + players % 2))
    for seated in rounds.values():
        assert len(seated) == len(set(seated)) == players - players % 2
