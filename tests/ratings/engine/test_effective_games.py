import math
from datetime import date

import pytest

from ratings.engine.effective_games import effective_games, most_effective_games
from ratings.engine.rules import rules_in_force

FORMULA = rules_in_force(date(2025, 2, 10)).effective_games


def test_papers_example():
    assert effective_games(1700, 30, FORMULA) == pytest.approx(20.01178674737454)


def test_never_more_than_the_games_played():
    assert effective_games(1700, 12, FORMULA) == 12.0


@pytest.mark.parametrize(
    ("rating", "expected"),
    [
        (2355.0, 50 / math.sqrt(0.662 + 0.00000739 * 214**2)),
        (math.nextafter(2355, 3000), 50.0),
        (2900.0, 50.0),
    ],
)
def test_full_weight_begins_above_2355(rating, expected):
    assert most_effective_games(rating, FORMULA) == pytest.approx(expected, abs=1e-12)


def test_lower_ratings_are_worth_fewer_games():
    worth = [most_effective_games(rating, FORMULA) for rating in range(100, 2356, 5)]
    assert worth == sorted(worth)
