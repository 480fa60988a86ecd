from datetime import date

import pytest

from ratings.engine.inputs import (
    AssignedRating,
    Competitor,
    Game,
    Kind,
    RatingInput,
    Record,
)
from ratings.engine.results import Formula
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.special import prior, special_rating
from ratings.engine.standard import standard_result
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control
from tests.ratings.engine.factories import MAY_2024, rated, rating_input

RULES = rules_in_force(MAY_2024)


class TestSteps:
    def test_step_5_uses_the_opponents_step_4_ratings(self):
        section = rating_input(
            [Competitor(1, 1500.0, 50), Competitor(2, 1700.0, 50)], [(1, 2, 1)]
        )
        result = rated(section)
        expected = standard_result(
            1500.0, result[1].k, 1.0, [result[2].intermediate], None
        )
        assert result[1].post == expected.rating
        assert result[1].intermediate == (
            standard_result(1500.0, result[1].k, 1.0, [1700.0], None).rating
        )
        assert result[2].intermediate != 1700.0

    def test_step_3_is_for_newcomers_without_games_and_counts_them_as_one_game(self):
        section = rating_input(
            [
                Competitor(1, None, birth_date=date(2004, 5, 4)),
                Competitor(2, None, initial=AssignedRating(1000.0, 3)),
                Competitor(3, 1400.0, 60),
            ],
            [(1, 3, 1), (1, 2, 0.5)],
        )
        result = rated(section)
        start = result[1].initial
        expected = special_rating(
            prior(start, 1.0, Record.NONE), 1.5, [1400.0, 1000.0], RULES
        )
        assert result[1].first_estimate == expected
        assert [result[2].first_estimate, result[3].first_estimate] == [None, None]

    def test_step_4_meets_newcomers_at_step_3_and_assigned_ones_at_step_1(self):
        section = rating_input(
            [
                Competitor(1, None, birth_date=date(2004, 5, 4)),
                Competitor(2, None, initial=AssignedRating(1000.0, 3)),
                Competitor(3, 1400.0, 60),
            ],
            [(1, 3, 1), (2, 3, 0)],
        )
        result = rated(section)
        strengths = [result[1].first_estimate, 1000.0]
        expected = standard_result(1400.0, result[3].k, 1.0, strengths, None)
        assert result[3].intermediate == expected.rating

    def test_100_is_the_least_between_the_steps(self):
        section = rating_input(
            [Competitor(1, 101.0, 20), Competitor(2, 110.0, 20)],
            [(1, 2, 0)] * 2,
        )
        result = rated(section)
        assert result[1].intermediate == 100.0
        assert result[1].before_floor < 100.0
        assert result[1].post == 100.0

    def test_floors_do_not_apply_between_the_steps(self):
        def intermediate_of(floor):
            players = [
                Competitor(1, 1500.0, 50, floor=floor),
                Competitor(2, 1500.0, 50),
            ]
            return rated(rating_input(players, [(1, 2, 0)]))

        with_floor, without = intermediate_of(1500), intermediate_of(None)
        assert with_floor[1].post == 1500.0
        assert with_floor[1].intermediate == without[1].intermediate < 1500.0
        assert with_floor[2] == without[2]


class TestFormula:
    @pytest.mark.parametrize(
        ("games", "record", "formula"),
        [
            (8, Record.MIXED, Formula.SPECIAL),
            (9, Record.MIXED, Formula.STANDARD),
            (300, Record.ALL_WINS, Formula.SPECIAL),
            (300, Record.ALL_LOSSES, Formula.SPECIAL),
            (300, Record.NONE, Formula.STANDARD),
        ],
    )
    def test_of_rated_players(self, games, record, formula):
        section = rating_input(
            [Competitor(1, 500.0, games, record), Competitor(2, 500.0, 50)],
            [(1, 2, 1)],
        )
        assert rated(section)[1].formula is formula

    def test_more_than_8_games_are_counted_not_effective(self):
        section = rating_input(
            [Competitor(1, 100.0, 200), Competitor(2, 500.0, 50)], [(1, 2, 1)]
        )
        result = rated(section)[1]
        assert result.effective_games < 8
        assert result.formula is Formula.STANDARD

    @pytest.mark.parametrize(
        ("games", "formula"), [(8, Formula.SPECIAL), (9, Formula.STANDARD)]
    )
    def test_assigned_games_decide_for_newcomers_and_nothing_shifts(
        self, games, formula
    ):
        newcomer = Competitor(
            1, None, record=Record.ALL_WINS, initial=AssignedRating(1200.0, games)
        )
        rival = Competitor(2, 1300.0, 50)
        result = rated(rating_input([newcomer, rival], [(1, 2, 1)]))[1]
        same = Competitor(1, 1200.0, games, Record.MIXED)
        as_rated = rated(rating_input([same, rival], [(1, 2, 1)]))[1]
        assert (result.formula, result.post) == (formula, as_rated.post)
        assert result.post_games == games + 1


class TestResult:
    def test_results_come_in_the_order_of_the_card(self):
        section = rating_input(
            [Competitor(number, 1500.0, 30) for number in (7, "x", 3)], [(3, 7, 1)]
        )
        assert [result.id for result in rate_section(section, RULES)] == [7, "x", 3]

    def test_a_player_without_games_keeps_the_rating(self):
        players = [
            Competitor(1, 1654.31, 31, floor=1700, ceiling=1600),
            Competitor(2, None, adult=True),
        ]
        result = rated(rating_input(players, []))
        assert (result[1].post, result[1].post_games) == (1654.31, 31)
        assert (result[2].post, result[2].post_games) == (None, 0)
        assert (result[1].formula, result[1].intermediate) == (None, None)
        assert (result[1].floor, result[1].ceiling) == (None, None)

    def test_post_games_are_those_before_plus_those_played(self):
        players = [Competitor(1, 1500.0, 31), Competitor(2, None, adult=True)]
        result = rated(rating_input(players, [(1, 2, 1)] * 3))
        assert (result[1].post_games, result[2].post_games) == (34, 3)

    def test_asymmetric_results_count_for_each_as_given(self):
        players = (Competitor(1, 1500.0, 50), Competitor(2, 1500.0, 50))
        section = RatingInput(
            System.OTBR,
            Kind.SWISS,
            parse_time_control("G/90;d5"),
            MAY_2024,
            MAY_2024,
            players,
            (Game(1, 2, 0, 1),),
        )
        result = rated(section)
        assert (result[1].score, result[2].score) == (0, 1)

    def test_only_the_special_formula_has_no_k_expectation_and_bonus(self):
        players = [Competitor(1, 1500.0, 5), Competitor(2, 1500.0, 50)]
        result = rated(rating_input(players, [(1, 2, 1)]))
        assert (result[1].k, result[1].expected, result[1].bonus) == (None, None, None)
        assert None not in (result[2].k, result[2].expected, result[2].bonus)


class TestDual:
    @pytest.mark.parametrize(
        ("system", "control", "is_lower"),
        [
            (System.OTBR, "G/25;d4", False),
            (System.OTBR, "G/25;d5", True),
            (System.OTBR, "G/60;d5", True),
            (System.OTBR, "G/61;d5", False),
            (System.OTBQ, "G/60;d5", False),
            (System.OLR, "G/60;d5", False),
        ],
    )
    def test_k_is_lower_only_for_regular_in_dual_rated_sections(
        self, system, control, is_lower
    ):
        players = [Competitor(1, 2300.0, 100), Competitor(2, 2200.0, 100)]
        section = rating_input(
            players, [(1, 2, 1)], system=system, time_control=control
        )
        result = rated(section)
        full = 800 / (result[1].effective_games + 1)
        assert result[1].k == pytest.approx(full * (0.75 if is_lower else 1))
        assert result[2].k == 800 / (result[2].effective_games + 1)


class TestBonus:
    def test_meeting_one_person_three_times_rules_it_out(self):
        players = [Competitor(number, 1500.0, 50) for number in range(5)]
        twice = [(0, 1, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1)]
        thrice = [(0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 3, 1)]
        assert rated(rating_input(players, twice))[0].bonus > 0
        assert rated(rating_input(players, thrice))[0].bonus == 0

    def test_a_match_has_none(self):
        players = [Competitor(0, 1500.0, 50), Competitor(1, 1900.0, 50)]
        games = [(0, 1, 1), (0, 1, 1)]
        assert rated(rating_input(players, games, kind=Kind.MATCH))[0].bonus == 0


class TestMissingRules:
    def test_a_2015_section_of_rated_players_can_be_rated(self):
        players = [Competitor(1, 1500.0, 50), Competitor(2, 1500.0, 5)]
        section = rating_input(players, [(1, 2, 1)], day=date(2015, 6, 1))
        assert rated(section)[1].post > 1500.0

    def test_effective_games_before_may_2013_are_not_known(self):
        players = [Competitor(1, 1500.0, 50), Competitor(2, 1500.0, 5)]
        section = rating_input(players, [(1, 2, 1)], day=date(2013, 5, 7))
        with pytest.raises(NoRuleInForce, match="May 7, 2013"):
            rated(section)


def test_a_game_with_a_stranger_is_refused():
    with pytest.raises(ValueError, match="Player 9 has a game"):
        rated(rating_input([Competitor(1, 1500.0, 50)], [(1, 9, 1)]))
