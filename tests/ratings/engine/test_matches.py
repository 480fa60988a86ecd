from datetime import date

import pytest

from ratings.engine.matches import (
    MatchChange,
    MatchPlayer,
    match_faults,
    within_match_limit,
    within_match_windows,
)
from ratings.engine.rules import rules_in_force

DAY = date(2024, 5, 4)
RULES = rules_in_force(DAY)


@pytest.mark.parametrize(
    ("computed", "result"),
    [(1849.5, 1849.5), (1850.5, 1850.0), (1750.5, 1750.5), (1700.0, 1750.0)],
)
def test_one_match_changes_at_most_50(computed, result):
    assert within_match_limit(1800.0, computed, RULES.match_limit) == result


def change(computed, *earlier):
    changes = [MatchChange(day, points) for day, points in earlier]
    return within_match_windows(1800.0, computed, DAY, changes, RULES) - 1800.0


class TestWindows:
    def test_180_days_allow_100_net(self):
        earlier = [(date(2024, 3, 1), 45.0), (date(2024, 4, 1), 40.0)]
        assert change(1845.0, *earlier) == 15.0
        assert change(1760.0, *earlier) == -40.0

    def test_gains_and_losses_cancel(self):
        earlier = [(date(2024, 3, 1), 90.0), (date(2024, 4, 1), -60.0)]
        assert change(1845.0, *earlier) == 45.0

    @pytest.mark.parametrize(
        ("day", "left"), [(date(2023, 11, 6), 45.0), (date(2023, 11, 7), 10.0)]
    )
    def test_window_of_180_days_ends(self, day, left):
        assert change(1845.0, (day, 90.0)) == left

    def test_three_years_allow_200_net(self):
        earlier = [(date(2021, 5, 5), 100.0), (date(2022, 5, 4), 80.0)]
        assert change(1845.0, *earlier) == 20.0
        too_old = [(date(2021, 5, 4), 100.0), (date(2022, 5, 4), 80.0)]
        assert change(1845.0, *too_old) == 45.0

    def test_a_net_change_over_the_limit_leaves_only_the_way_back(self):
        assert change(1845.0, (date(2024, 4, 1), 130.0)) == 0.0
        assert change(1760.0, (date(2024, 4, 1), 130.0)) == -40.0

    def test_leap_day_counts_from_28_february(self):
        leap_day = date(2024, 2, 29)
        earlier = [MatchChange(date(2021, 3, 1), 190.0)]
        result = within_match_windows(1800.0, 1845.0, leap_day, earlier, RULES)
        assert result == 1810.0


class TestEligibility:
    def test_established_players_400_points_apart_may_play(self):
        players = MatchPlayer("Ann", 1900, 26), MatchPlayer("Bob", 1500, 60)
        assert match_faults(*players, RULES) == []

    def test_everything_wrong_is_named(self):
        players = MatchPlayer("Ann", 1901, 25), MatchPlayer("Bob", 1500, 60)
        assert match_faults(*players, RULES) == [
            "Ann has no established published rating.",
            "The published ratings 1901 and 1500 are more than 400 points apart.",
        ]

    def test_an_unrated_player_may_not_play(self):
        players = MatchPlayer("Ann", None, 0), MatchPlayer("Bob", 1500, 60)
        expected = ["Ann has no established published rating."]
        assert match_faults(*players, RULES) == expected
