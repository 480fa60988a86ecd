import math
from datetime import date

import pytest

from ratings.engine.floors import (
    SettledRating,
    absolute_floor,
    money_floor,
    peak_floor,
    personal_floor,
    settle,
)
from ratings.engine.inputs import Competitor
from ratings.engine.matches import MatchChange
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System

DAY = date(2024, 5, 4)
RULES = rules_in_force(DAY)


def settled(computed, *, rating=1500.0, is_match=False, **limits):
    competitor = Competitor(1, rating, 40, **limits)
    return settle(computed, competitor, RULES, DAY if is_match else None)


class TestSettle:
    def test_no_limit_applies_to_an_ordinary_result(self):
        assert settled(1480.25) == SettledRating(1480.25, None, None, None, False)

    def test_the_floor_holds_and_is_named(self):
        result = settled(1480.25, floor=1490)
        assert result == SettledRating(1490, None, 1490, None, False)

    def test_a_floor_reached_exactly_does_not_apply(self):
        assert settled(1490.0, floor=1490).floor is None

    def test_without_a_floor_100_holds(self):
        assert settled(42.0, rating=150.0) == SettledRating(
            100.0, None, 100.0, None, False
        )

    def test_a_rating_under_its_floor_is_lifted(self):
        assert settled(1410.0, rating=1400.0, floor=1500).post == 1500

    def test_the_ceiling_comes_after_the_floor(self):
        result = settled(1480.0, floor=1500, ceiling=1450)
        assert result == SettledRating(1450, None, 1500, 1450, False)

    def test_the_ceiling_caps(self):
        assert settled(1520.5, ceiling=1500) == SettledRating(
            1500, None, None, 1500, False
        )


class TestMatch:
    @pytest.mark.parametrize(("computed", "post"), [(1600.0, 1550.0), (1400.0, 1450.0)])
    def test_changes_a_rating_by_at_most_50(self, computed, post):
        result = settled(computed, is_match=True)
        assert result == SettledRating(post, post, None, None, False)

    def test_earlier_matches_use_up_the_limit(self):
        won = MatchChange(date(2024, 4, 1), 80.0)
        result = settled(1540.0, is_match=True, match_changes=(won,))
        assert result == SettledRating(1520.0, 1520.0, None, None, False)

    def test_earlier_matches_do_not_matter_outside_a_match(self):
        won = MatchChange(date(2024, 4, 1), 80.0)
        assert settled(1540.0, match_changes=(won,)).post == 1540.0

    def test_a_loss_below_the_floor_is_a_request_and_the_floor_holds(self):
        result = settled(1480.0, is_match=True, floor=1500)
        assert result == SettledRating(1500, None, 1500, None, True)

    def test_a_gain_that_stays_below_the_floor_is_no_request(self):
        result = settled(1410.0, rating=1400.0, is_match=True, floor=1500)
        assert (result.post, result.floor_request) == (1500, False)

    def test_the_floor_of_100_cannot_be_lowered(self):
        result = settled(90.0, rating=110.0, is_match=True)
        assert (result.post, result.floor_request) == (100.0, False)

    def test_a_newcomer_has_no_rating_to_change_by_50(self):
        assert settled(1600.0, rating=None, is_match=True).post == 1600.0


class TestAbsoluteFloor:
    def test_papers_example(self):
        assert absolute_floor(3, 1, 10, RULES, System.OTBR) == 124

    @pytest.mark.parametrize(
        ("wins", "draws", "events", "floor"),
        [(0, 0, 0, 100), (12, 0, 1, 149), (12, 1, 0, 150), (99, 99, 99, 150)],
    )
    def test_grows_to_150(self, wins, draws, events, floor):
        assert absolute_floor(wins, draws, events, RULES, System.OTBB) == floor

    @pytest.mark.parametrize("system", [System.OLR, System.OLQ, System.OLB])
    def test_is_100_online(self, system):
        assert absolute_floor(9, 9, 9, RULES, system) == 100

    def test_was_100_before_personal_floors(self):
        before = rules_in_force(date(2008, 8, 6))
        assert absolute_floor(9, 9, 9, before, System.OTBR) == 100


class TestPeakFloor:
    @pytest.mark.parametrize(
        ("peak", "floor"),
        [
            (1941, 1700),
            (1999.51, 1800),
            (1999.49, 1700),
            (1388, None),
            (math.nextafter(1399.5, 0), None),
            (1399.5, 1200),
            (2299.4, 2000),
            (2299.5, 2100),
            (2900, 2100),
            (None, None),
        ],
    )
    def test_two_hundred_below_the_rounded_peak(self, peak, floor):
        assert peak_floor(peak, RULES) == floor

    def test_the_lowest_was_1400_until_april_2010(self):
        before = rules_in_force(date(2010, 3, 31))
        assert [peak_floor(peak, before) for peak in (1599.4, 1600)] == [None, 1400]


@pytest.mark.parametrize(
    ("limit", "floor"), [(1800, 1800), (1801, 1900), (2000, 2000), (2200, 2000)]
)
def test_money_floor_bars_from_the_section_won(limit, floor):
    assert money_floor(limit, RULES) == floor


def test_personal_floor_is_the_highest_and_life_master_counts_in_regular_only():
    def floor(system):
        return personal_floor(
            RULES,
            system,
            absolute=150,
            peak=2000,
            office=None,
            original_life_master=True,
        )

    assert (floor(System.OTBR), floor(System.OTBQ)) == (2200, 2000)
