"""Our own rules as a laboratory system: editions, changes, newcomers, floors."""

import math
import random
from datetime import date

import pytest

from ratings.engine.inputs import Competitor, Game, Kind, RatingInput
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control
from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.us_chess import SYSTEMS, Parameters

BY_KEY = {system.about.key: system for system in SYSTEMS}
JULY = BY_KEY["uschess.2025_07"]
DAY = date(2025, 3, 1)
FOUR_WINS = [(0, n, 1.0) for n in range(1, 5)]


def event(rows, day=DAY, minutes=0):
    white, black, points = zip(*rows, strict=True)
    days = [day.toordinal()] * len(rows)
    zeros, times = [0] * len(rows), [minutes] * len(rows)
    return Games(list(white), list(black), list(points), days, zeros, times)


def rated(rows, seeds, *, system=JULY, day=DAY, minutes=0, born=(), **changed):
    table = system.begin(Pool(len(seeds), born), Parameters(**changed))
    for player, seed in enumerate(seeds):
        if seed is not None:
            table.seed(player, Standing(*seed))
    table.update(event(rows, day, minutes), Moment(day.toordinal(), 0))
    return table


def by_the_text(bonus_multiplier):
    """Four wins of a 1700 (N 30) against 1700s (N 30), worked by hand."""
    effective = 50 / math.sqrt(0.662 + 0.00000739 * (2569 - 1700) ** 2)
    opponent = 1700 - 800 / (effective + 1) * 0.5
    k = 800 / (effective + 4)
    change = k * (4 - 4 / (1 + 10 ** ((opponent - 1700) / 400)))
    return 1700 + 2 * change - bonus_multiplier * 2


@pytest.mark.parametrize(
    ("key", "day", "multiplier"),
    [
        ("uschess.2020", date(2022, 7, 1), 14),
        ("uschess.2025_02", date(2023, 1, 31), 14),
        ("uschess.2025_02", date(2023, 2, 1), 12),
        ("uschess.2025_02", date(2025, 3, 1), 12),
        ("uschess.2025_07", date(2024, 12, 31), 12),
        ("uschess.2025_07", date(2025, 1, 1), 10),
    ],
)
def test_the_bonus_is_that_of_the_edition_and_the_day(key, day, multiplier):
    table = rated(FOUR_WINS, [(1700, 30)] * 5, system=BY_KEY[key], day=day)
    assert table.ratings[0] == pytest.approx(by_the_text(multiplier))
    assert table.bonus_points == pytest.approx(
        (table.ratings[0] - 1700 - 2 * multiplier) / 2
    )


@pytest.mark.parametrize("key", BY_KEY)
def test_the_example_of_the_page_is_the_worked_one(key):
    system = BY_KEY[key]
    multiplier = {"uschess.2020": 14, "uschess.2025_02": 12, "uschess.2025_07": 10}[key]
    assert system.example.printed == system.display(by_the_text(multiplier))


def test_an_event_is_what_the_engine_makes_of_it():
    randomness = random.Random(5)
    seeds = [
        (randomness.uniform(800, 2300), randomness.choice((6, 40))) for _ in range(12)
    ]
    rows = [
        (*randomness.sample(range(12), 2), randomness.choice((0.0, 0.5, 1.0)))
        for _ in range(30)
    ]
    competitors = tuple(Competitor(n, *seed) for n, seed in enumerate(seeds))
    games = tuple(Game(w, b, int(2 * s), 2 - int(2 * s)) for w, b, s in rows)
    control = parse_time_control("G/120;d0")
    rating_input = RatingInput(
        System.OTBR, Kind.SWISS, control, DAY, DAY, competitors, games
    )
    table = rated(rows, seeds, floors=False)
    for result in rate_section(rating_input, rules_in_force(DAY)):
        assert table.ratings[result.id] == result.post
        assert table.counts[result.id] == result.post_games


class TestChanges:
    def test_of_the_bonus_multiplier(self):
        table = rated(FOUR_WINS, [(1700, 30)] * 5, bonus_multiplier=6)
        assert table.ratings[0] == pytest.approx(by_the_text(6))

    def test_of_k(self):
        seeds = [(1700, 30)] * 2
        whole = rated([(0, 1, 1.0)], seeds).ratings[0] - 1700
        half = rated([(0, 1, 1.0)], seeds, k_numerator=400).ratings[0] - 1700
        assert whole / half == pytest.approx(2, rel=0.05)

    def test_of_the_least_games_for_a_bonus(self):
        table = rated(FOUR_WINS, [(1700, 30)] * 5, bonus_from_games=5)
        assert table.bonus_points == 0

    def test_of_the_effective_games(self):
        seeds = [(1700, 60)] * 2
        slow = rated([(0, 1, 1.0)], seeds, most_effective_games=100).ratings[0]
        assert slow < rated([(0, 1, 1.0)], seeds).ratings[0]

    def test_of_the_lower_k_of_dual_rated_events(self):
        seeds = [(2400, 100)] * 2
        low, high, slow = (
            rated([(0, 1, 1.0)], seeds, minutes=minutes, lower_k=lower).ratings[0]
            for minutes, lower in ((60, True), (60, False), (90, True))
        )
        assert low < high == slow
        by_post = rated([(0, 1, 1.0)], seeds, minutes=99999).ratings[0]
        assert by_post == slow

    def test_of_the_year_of_the_rules(self):
        table = rated(FOUR_WINS, [(1700, 30)] * 5, day=DAY, rules_year=2022)
        assert table.ratings[0] == pytest.approx(by_the_text(14))

    def test_reach_the_days_without_rules(self):
        seeds, early = [(1700, 30)] * 5, date(1999, 5, 1)
        with pytest.raises(NoRuleInForce):
            rated(FOUR_WINS, seeds, day=early)
        assert rated(FOUR_WINS, seeds, day=early, rules_year=2025).ratings[0] > 1700


class TestNewcomers:
    def start(self, born=None, **changed):
        """Return where a newcomer ends who drew with an equal: at the start."""
        table = rated([(0, 1, 0.5)], [None, None], born=[born, born], **changed)
        return table.ratings[0]

    def test_begin_by_age(self):
        middle_of_the_year = (DAY - date(2010, 7, 1)).days / 365.25
        assert self.start(2010) == pytest.approx(50 * middle_of_the_year)
        assert self.start(1980) == 1300

    def test_of_unknown_age_count_as_fifteen(self):
        assert self.start() == 750
        assert self.start(unknown_age="adult") == 1300

    def test_may_all_begin_with_one_number(self):
        assert self.start(2010, newcomers="fixed", fixed_initial=1000) == 1000

    def test_with_a_given_rating_begin_there_with_no_games(self):
        table = rated([(0, 1, 0.5)], [(1650, 0), (1650, 0)])
        assert table.standing(0) == Standing(1650, 1, evaluations=1)

    def test_cannot_be_predicted(self):
        table = JULY.begin(Pool(2))
        games = event([(0, 1, 1.0)])
        assert math.isnan(table.predict(games, Moment(DAY.toordinal(), 0))[0])
        assert table.standing(0) is None


class TestFloors:
    LOSSES = tuple((0, n, 0.0) for n in range(1, 7))

    def test_under_the_highest_established_rating_stop_a_fall(self):
        table = rated(self.LOSSES, [(1405, 26), *[(900, 40)] * 6], k_numerator=4000)
        assert table.ratings[0] == 1200
        assert table.at_floor(0)
        assert not table.at_floor(1)

    def test_may_be_switched_off(self):
        seeds = [(1405, 26), *[(900, 40)] * 6]
        table = rated(self.LOSSES, seeds, k_numerator=4000, floors=False)
        assert table.ratings[0] < 1200
        assert not table.at_floor(0)

    def test_need_an_established_rating(self):
        table = rated(self.LOSSES, [(1405, 25), *[(900, 40)] * 6], k_numerator=4000)
        assert table.ratings[0] < 1200

    def test_are_absolute_with_wins_draws_and_events_of_three_games(self):
        rows = [(0, 1, 1.0), (0, 2, 0.5), *[(0, n, 0.0) for n in range(3, 7)]]
        seeds = [(110, 40), *[(300, 40)] * 6]
        table = rated(rows, seeds)
        assert table.floors[0] == 100 + 4 + 2 + 1
        assert table.floors[3] == 100 + 4

    def test_have_a_lowest_rating_of_all(self):
        table = rated(self.LOSSES, [None, *[(400, 40)] * 6], lowest_rating=600)
        assert table.ratings[0] == 600


def test_a_perfect_record_takes_the_special_formula():
    table = rated([(0, 1, 1.0)], [None, (1000, 40)])
    first = table.ratings[0]
    for _ in range(9):
        table.update(event([(0, 1, 1.0)]), Moment(DAY.toordinal(), 0))
    # Ten wins and nothing else: still special, so no K, and no limit but 400 above.
    assert table.counts[0] == 10
    assert table.records[0].value == "all_wins"
    assert table.ratings[0] > first
