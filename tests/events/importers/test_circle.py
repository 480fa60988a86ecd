"""The rounds of a round robin by the circle method."""

from itertools import combinations

import pytest

from events.importers.circle import round_of


@pytest.mark.parametrize("players", range(2, 21))
def test_everybody_meets_everybody_and_plays_once_a_round(players):
    rounds: dict[int, list[int]] = {}
    for one, other in combinations(range(1, players + 1), 2):
        number = round_of(one, other, players=players)
        assert number == round_of(other, one, players=players)
        rounds.setdefault(number, []).extend([one, other])
    assert set(rounds) == set(range(1, players + players % 2))
    for seated in rounds.values():
        assert len(seated) == len(set(seated)) == players - players % 2
