import math
from array import array
from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.engine.initialization import (
    Basis,
    SourceShare,
    _blend,
    age_rating,
    starting_point,
)
from ratings.engine.inputs import AssignedRating, Competitor, Record, SourceRating
from ratings.engine.replay import kernel
from ratings.engine.replay.rule_rows import rule_row
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import Body, System
from tests.ratings.engine.factories import rating_input

END = date(2024, 5, 4)
RULES = rules_in_force(END)
BORN = date(2000, 7, 1)


def start_of(competitor, *, system=System.OTBR, day=END, control="G/90;d5"):
    section = rating_input(
        [competitor], [], system=system, day=day, time_control=control
    )
    return starting_point(competitor, section, rules_in_force(day))


def newcomer(*sources, **values):
    values.setdefault("birth_date", BORN)
    return Competitor(1, None, record=Record.NONE, sources=sources, **values)


def source(system, rating, games=30, day=END):
    return SourceRating(system, rating, games, day)


@st.composite
def blends(draw):
    """Sources of a blend; many are ties, with equal weights about a half."""
    weight = st.floats(0.05, 10, allow_nan=False)
    if draw(st.booleans()):
        middle, same = draw(st.integers(600, 2400)) + 0.5, draw(weight)
        off = draw(st.lists(st.integers(0, 300), min_size=1, max_size=3))
        pairs = [(same, middle + side * one) for one in off for side in (-1, 1)]
    else:
        pairs = draw(
            st.lists(
                st.tuples(weight, st.floats(100, 2800).map(lambda one: round(one, 2))),
                min_size=1,
                max_size=7,
            )
        )
    return [
        SourceShare(
            source(System.OTBQ, rating), rating, 5, 0, 0.0, Basis.AGE, 0.0, 1.0, weight
        )
        for weight, rating in pairs
    ]


class TestAgeStart:
    @pytest.mark.parametrize(
        ("days_old", "rating"),
        [
            (1096, 50 * 1096 / 365.25),  # just over 3 years
            (3650, 50 * 3650 / 365.25),
            (9496, 50 * 9496 / 365.25),  # the last day before 26
            (9497, 1300.0),
            (20000, 1300.0),
        ],
    )
    def test_fifty_points_a_year_until_26_and_not_rounded(self, days_old, rating):
        born = END - timedelta(days=days_old)
        assert age_rating(born, False, END, RULES) == (
            pytest.approx(rating, abs=1e-9),
            Basis.AGE,
        )

    @pytest.mark.parametrize(
        "born", [None, END - timedelta(days=1095), date(2030, 1, 1)]
    )
    @pytest.mark.parametrize(
        ("adult", "expected"),
        [(True, (1300.0, Basis.ADULT)), (False, (750.0, Basis.CHILD))],
    )
    def test_without_a_credible_birth_date_membership_decides(
        self, born, adult, expected
    ):
        assert age_rating(born, adult, END, RULES) == expected

    def test_a_newcomer_without_sources_starts_at_the_age_based_rating(self):
        start = start_of(newcomer(birth_date=date(2010, 5, 4)))
        assert (start.rating, start.games) == (pytest.approx(50 * 5114 / 365.25), 0)


class TestBlend:
    def test_papers_example(self):
        player = newcomer(
            source(System.OTBR, 1759, day=date(2018, 3, 25)),
            source(System.OTBQ, 1643, day=date(2018, 1, 13)),
            source(System.OTBB, 1658, day=date(2016, 7, 16)),
        )
        start = start_of(
            player, system=System.OLB, day=date(2020, 9, 1), control="G/5;d0"
        )
        assert (start.rating, start.games, start.basis) == (1702.0, 10, Basis.BLEND)
        assert round(start.total_weight, 2) == 12.87
        assert [
            (
                share.game_factor,
                share.staleness_days,
                round(share.age_rating, 2),
                round(share.strength, 2),
                round(share.staleness_factor, 2),
                round(share.weight, 2),
            )
            for share in start.shares
        ] == [
            (10, 891, 886.52, 2.49, 0.60, 5.98),
            (5, 962, 876.80, 2.19, 0.55, 2.74),
            (10, 1508, 802.05, 2.45, 0.41, 4.15),
        ]

    @pytest.mark.parametrize(
        ("target", "control", "factors"),
        [
            (System.OTBQ, "G/25;d0", {"OTBR": 10, "OTBB": 5, "OLQ": 5}),
            (System.OLB, "G/5;d0", {"OTBR": 10, "OTBB": 10, "OTBQ": 5}),
            (System.OLQ, "G/15;d0", {"OTBR": 10, "OTBQ": 10, "OTBB": 5}),
            (System.OLR, "G/60;d0", {"OTBR": 10, "OTBQ": 5, "OTBB": 5}),
        ],
    )
    def test_game_factors(self, target, control, factors):
        player = newcomer(*(source(System(name), 1500) for name in factors))
        start = start_of(player, system=target, control=control)
        assert {
            share.source.source: share.game_factor for share in start.shares
        } == factors

    def test_game_factor_is_never_more_than_the_games(self):
        start = start_of(newcomer(source(System.OTBQ, 1500, games=2)))
        assert (start.shares[0].game_factor, start.games) == (2, 2)

    def test_a_us_source_without_games_is_ignored(self):
        assert start_of(newcomer(source(System.OTBQ, 1500, games=0))).shares == ()

    @pytest.mark.parametrize(
        ("body", "rating", "factor"),
        [(Body.FIDE, 2000, 5), (Body.FIDE, 2000.5, 10), (Body.CFC, 2400, 5)],
    )
    def test_foreign_ratings_count_whatever_their_games(self, body, rating, factor):
        start = start_of(newcomer(source(body, rating, games=0)))
        assert [share.game_factor for share in start.shares] == [factor]
        assert start.games == factor

    @pytest.mark.parametrize(
        ("day", "rating"),
        [(date(2024, 2, 29), 1684.0), (date(2024, 3, 1), 1433.9)],
    )
    def test_fide_conversion_is_that_of_the_start_day(self, day, rating):
        fide = source(Body.FIDE, 1600, day=date(2024, 1, 1))
        start = start_of(newcomer(fide), day=day)
        expected = {1684.0: 180 + 0.94 * 1600, 1433.9: -1073 + 1.5667 * 1600}[rating]
        assert start.shares[0].converted == pytest.approx(expected)

    def test_strong_for_the_age_never_goes_stale(self):
        child = newcomer(
            source(System.OTBQ, 2700, day=date(2020, 5, 4)),
            birth_date=date(2013, 5, 4),
        )
        share = start_of(child).shares[0]
        assert (share.strength, share.staleness_factor) == (6, 1.0)

    def test_age_is_that_on_the_day_of_the_source(self):
        child = newcomer(
            source(System.OTBQ, 800, day=date(2020, 1, 1)),
            birth_date=date(2022, 1, 1),
        )
        share = start_of(child).shares[0]
        assert (share.age_rating, share.age_basis) == (750.0, Basis.CHILD)

    def test_blend_is_rounded_halves_up_and_its_games_upwards(self):
        start = start_of(
            newcomer(
                source(System.OTBQ, 1500, games=1), source(System.OTBB, 1501, games=1)
            )
        )
        assert (start.blended, start.rating, start.games) == (1500.5, 1501.0, 2)

    @pytest.mark.parametrize("rating", [1696.5, 1697.25])
    def test_one_source_gives_its_own_rating_to_the_bit(self, rating):
        start = start_of(
            newcomer(
                source(System.OTBR, rating, games=7, day=date(2020, 10, 24)),
                birth_date=date(1990, 1, 1),
            ),
            system=System.OTBQ,
            day=date(2025, 9, 1),
            control="G/25;d0",
        )
        assert (start.blended, start.rating) == (rating, 1697.0)

    @given(blends())
    def test_halves_go_up_as_in_exact_fractions(self, blend):
        """Engine and kernel agree to the bit, and with fractions on the whole."""
        start = _blend(tuple(blend), most_games=10)
        weights = [Fraction(share.weight) for share in blend]
        points = [
            weight * Fraction(share.converted)
            for weight, share in zip(weights, blend, strict=True)
        ]
        exact = sum(points) / sum(weights)
        assert start.blended == pytest.approx(float(exact), abs=1e-9)
        from_half = abs(exact - Fraction(math.floor(exact * 2), 2))
        if len(set(points)) == 1 or from_half == 0 or from_half > 1e-9:
            assert start.rating == math.floor(exact + Fraction(1, 2))
        paper = kernel.Buffers(*(array("d", [0.0] * 9) for _ in kernel.Buffers._fields))
        for place, share in enumerate(blend):
            paper.terms[place], paper.products[place] = share.weight, share.converted
        row = array("d", rule_row(RULES))
        assert kernel.blended(paper, row, len(blend)) == (start.rating, start.games)

    def test_an_old_source_still_counts_as_one_game(self):
        old = source(System.OTBQ, 400, day=date(1990, 1, 1))
        assert start_of(newcomer(old)).games == 1

    def test_no_blend_is_known_before_june_2020(self):
        with pytest.raises(NoRuleInForce, match="May 31, 2020"):
            start_of(newcomer(source(System.OTBQ, 1500)), day=date(2020, 5, 31))


def test_a_rated_player_ignores_other_sources():
    player = Competitor(
        1,
        1654.31,
        31,
        initial=AssignedRating(500, 0),
        sources=(source(System.OTBQ, 9),),
    )
    start = start_of(player)
    assert (start.rating, start.games, start.basis) == (1654.31, 31, Basis.RATED)


def test_an_assigned_start_replaces_step_1():
    start = start_of(
        newcomer(source(System.OTBQ, 9), initial=AssignedRating(1234.5, 9))
    )
    assert (start.rating, start.games, start.basis) == (1234.5, 9, Basis.ASSIGNED)
