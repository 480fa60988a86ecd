from random import Random
from statistics import fmean

import pytest

from ratings.laboratory.drift import DriftObserver, Group, level_range, mean_and_spread
from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.history import HistoryBuilder
from tests.ratings.laboratory.simple import (
    SimpleSystem,
    SimpleTable,
    day,
    games_to_history,
)
from tests.ratings.laboratory.synthetic import Federation, generate_history


def observe_drift(history, system=None, **how):
    drift = DriftObserver(history, system or SimpleSystem(), **how)
    run(system or SimpleSystem(), None, history, Plan(), [drift])
    return drift.snapshots


def test_level_and_spread_after_each_period():
    """A win is worth 10; shown on today's scale a rating is twice as high."""
    history = games_to_history(
        ("a", "b", 1.0, "2024-01-10"),
        ("a", "b", 1.0, "2024-02-10"),
        ("a", "c", 0.5, "2024-02-10"),
    )
    january, february = observe_drift(history)
    assert january.all_players == Group(None, None, 2, 2000, 20, 0)
    assert (january.day, january.period) == (day("2024-01-31"), 0)
    # 1020, 980 and 1000, twice: the mean square of 40, 40 and 0.
    assert february.all_players[:4] == (None, None, 3, 2000)
    assert february.all_players.spread == pytest.approx((3200 / 3) ** 0.5)


def test_players_are_in_the_class_of_that_day():
    history = games_to_history(
        ("a", "b", 1.0, "2024-01-10"), *[("a", "b", 1.0, "2024-02-10")] * 10
    )
    january, february = observe_drift(history)
    assert [(one.low, one.high, one.players) for one in january.classes] == [
        (1800, 2000, 1),
        (2000, 2200, 1),
    ]
    assert [(one.low, one.high, one.players) for one in february.classes] == [
        (1600, 1800, 1),
        (2200, 2400, 1),
    ]


def test_who_has_not_played_for_a_year_is_not_counted():
    history = games_to_history(
        ("a", "b", 1.0, "2023-01-31"),
        ("a", "c", 1.0, "2023-06-10"),
        ("d", "e", 1.0, "2024-02-10"),
    )
    by_day = {one.day: one.all_players.players for one in observe_drift(history)}
    assert by_day[day("2023-12-31")] == 3
    assert by_day[day("2024-01-31")] == 3  # b played 365 days ago
    assert by_day[day("2024-02-29")] == 4  # and no longer counts, but d and e do


def test_ages_are_those_of_the_year():
    builder = HistoryBuilder()
    ann = builder.player("a", birth_year=2014)
    bob, carl = builder.player("b", birth_year=1990), builder.player("c")
    builder.game(ann, bob, 1.0, day("2023-12-10"))
    builder.game(carl, bob, 1.0, day("2024-01-10"))
    december, january = observe_drift(builder.build())
    assert [one[:3] for one in december.ages] == [(None, 10, 1), (26, 40, 1)]
    assert [one[:3] for one in january.ages] == [
        (10, 13, 1),
        (26, 40, 1),
        (None, None, 1),
    ]


def test_snapshots_can_be_fewer_than_periods():
    history = games_to_history(
        *[("a", "b", 1.0, f"2024-{month:02}-10") for month in range(1, 8)]
    )
    assert [one.period for one in observe_drift(history, every=3)] == [2, 5]


def test_bonus_points_and_floors_are_the_tables():
    class Floored(SimpleTable):
        def update(self, games, moment):
            super().update(games, moment)
            self.bonus_points += 2.5

        def at_floor(self, player):
            return self.ratings[player] < 1000

    class FlooredSystem(SimpleSystem):
        def begin(self, pool, parameters=None):
            return Floored(pool.size, 10.0)

    history = games_to_history(
        ("a", "b", 1.0, "2024-01-10"), ("a", "c", 1.0, "2024-02-10")
    )
    january, february = observe_drift(history, system=FlooredSystem())
    assert [january.bonus_points, february.bonus_points] == [2.5, 5.0]
    assert [january.all_players.at_floor, february.all_players.at_floor] == [1, 2]


def test_groups_add_up_to_all_players():
    snapshots = observe_drift(
        generate_history(Federation(players=80, months=6)).history
    )
    assert len(snapshots) == 6
    for one in snapshots:
        for groups in (one.classes, one.ages):
            assert sum(group.players for group in groups) == one.all_players.players
            together = sum(group.players * group.mean for group in groups)
            assert together / one.all_players.players == pytest.approx(
                one.all_players.mean
            )


def test_a_pool_without_ratings_has_no_level():
    history = games_to_history(("a", "b", 1.0, "2024-01-10"))
    drift = DriftObserver(history, SimpleSystem())
    system = SimpleSystem()
    # Only February is run, without games or rated players.
    run(
        system,
        None,
        history,
        Plan(first_day=day("2024-02-01"), last_day=day("2024-02-29")),
        [drift],
    )
    [february] = drift.snapshots
    assert february.all_players == Group(None, None, 0, None, None, 0)
    assert february.classes == february.ages == ()


def test_the_range_of_a_level_holds_that_of_all_players():
    """So many of one kind are drawn, and 95 of 100 ranges hold the mean of the kind."""
    randomness = Random(4)
    held = []
    for _ in range(600):
        pool = [randomness.gauss(1400.0, 250.0) for _ in range(25)]
        level = level_range(25, *mean_and_spread(pool))
        held.append(level.low <= 1400.0 <= level.high)
    assert 0.93 <= fmean(held) <= 0.97


@pytest.mark.parametrize(
    ("players", "mean", "spread", "low"),
    [(0, None, None, None), (1, 1500.0, 0.0, None), (2, 1500.0, 0.0, 1500.0)],
)
def test_a_level_of_at_most_one_player_has_no_range(players, mean, spread, low):
    level = level_range(players, mean, spread)
    assert (level and level.low) == low
