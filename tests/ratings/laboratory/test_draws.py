"""Davidson's ties and the ICCF's system: published numbers, and examples by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.draws import (
    SCALE,
    Davidson,
    Iccf,
    IccfParameters,
    chances,
    evidence,
    predicted_chances,
)
from ratings.laboratory.systems.elo import expected_by_logistic

# Tables 1 and 2 of the paper: β₀ and β₁.
FITTED, ADOPTED = (0.35338, 0.57041), (1.09861, 0.17037)
DAY = 738_000


def batch(*rows):
    white, black, points = zip(*rows, strict=True)
    zeros = [0] * len(rows)
    return Games(white, black, points, zeros, zeros, zeros)


def table_of(system, *standings, **changed):
    table = system.begin(Pool(len(standings)), system.parameters(**changed))
    for player, (rating, deviation) in enumerate(standings):
        table.seed(player, Standing(rating, deviation=deviation))
    return table


# --- The model ---


@pytest.mark.parametrize(
    ("parameters", "rating", "printed"),
    [
        (FITTED, 1500, 0.416),
        (FITTED, 2500, 0.950),
        (ADOPTED, 1500, 0.6),
        (ADOPTED, 2500, 0.8),
    ],
)
def test_draws_between_equals_are_as_the_paper_prints(parameters, rating, printed):
    assert chances(rating, rating, *parameters).draw == pytest.approx(printed, abs=5e-4)


def test_the_adopted_values_are_the_defaults():
    usual = IccfParameters()
    assert (usual.draws, usual.draws_growth) == ADOPTED
    # τ = 0.14391, and 120 points = 0.691, 250 points = 1.439, 1800 = 1.727.
    assert usual.growth / SCALE == pytest.approx(0.14391, abs=5e-6)
    assert usual.growth_limit / SCALE == pytest.approx(0.691, abs=5e-4)
    assert usual.first_deviation / SCALE == pytest.approx(1.439, abs=5e-4)
    assert (usual.first_rating - 1500) / SCALE == pytest.approx(1.727, abs=5e-4)


def test_davidsons_probabilities_by_hand():
    # π = 4 and 1, ν = 2: weights 4, 2·√4 = 4 and 1, so 4/9, 4/9 and 1/9.
    found = chances(1500 + SCALE * math.log(4), 1500, math.log(2))
    assert tuple(found) == pytest.approx((4 / 9, 4 / 9, 1 / 9))
    assert found.score == pytest.approx(2 / 3)


@given(st.floats(-800, 800))
def test_with_two_draws_for_two_decisive_games_it_is_elos_for_half_the_lead(lead):
    found = chances(1500 + lead, 1500, math.log(2)).score
    assert found == pytest.approx(expected_by_logistic(lead / 2, 0))


@given(st.floats(-800, 800))
def test_without_draws_it_is_elos(lead):
    found = chances(1500 + lead, 1500, -600.0).score
    assert found == pytest.approx(expected_by_logistic(lead, 0))


@given(
    st.sampled_from([1.0, 0.5, 0.0]),
    st.floats(800, 2600),
    st.floats(800, 2600),
    st.floats(0, 350),
)
def test_derivatives_are_those_of_the_likelihood(score, own, other, deviation):
    opponent = Standing(other, deviation=deviation)

    def likelihood(theta):
        place = {1.0: 0, 0.5: 1, 0.0: 2}[score]
        both = (other - deviation, other + deviation)
        rating = own + SCALE * theta
        return math.log(sum(chances(rating, one, *ADOPTED)[place] for one in both) / 2)

    found = evidence(own, opponent, score, *ADOPTED)
    step = 1e-3
    low, middle, high = (likelihood(theta) for theta in (-step, 0.0, step))
    assert found.slope == pytest.approx((high - low) / (2 * step), abs=1e-5)
    bend = (high - 2 * middle + low) / step**2
    assert found.curvature == pytest.approx(bend, abs=1e-4)


def test_uncertain_ratings_draw_expected_scores_to_the_middle():
    sure, unsure = (
        predicted_chances(Standing(1900, 0, rd), Standing(1500, 0, rd), *ADOPTED).score
        for rd in (0, 250)
    )
    assert 0.5 < unsure < sure


# --- Periods ---


def test_one_win_by_hand_under_davidson():
    # ν = 2: slope ½, curvature −⅛; σ² = 8, so θ rises by ½ / (⅛ + ⅛) = 2.
    wide = math.sqrt(8) * SCALE
    table = table_of(Davidson(), (1500, wide), (1500, 1e-3), draws=2.0)
    table.update(batch((0, 1, 1.0)), Moment(DAY, 0))
    new = table.standing(0)
    assert new.rating == pytest.approx(1500 + 2 * SCALE, abs=1e-3)
    assert new.deviation == pytest.approx(2 * SCALE, abs=1e-3)
    assert (new.games, new.evaluations) == (1, 1)


def test_one_game_by_hand_under_the_iccf():
    # Weights 1 : 3 : 1; slopes ±½ and β₁/2 less their mean 0.6 · β₁/2.
    for score, slope in ((1.0, 0.448889), (0.5, 0.034074), (0.0, -0.551111)):
        table = table_of(Iccf(), (1500, 100), (1500, 1e-3))
        table.update(batch((0, 1, score)), Moment(DAY, 0))
        gained = SCALE * slope / ((SCALE / 100) ** 2 + 0.101742)
        assert table.standing(0).rating == pytest.approx(1500 + gained, abs=1e-3)


def test_each_of_a_periods_players_meets_the_others_as_they_were():
    one = table_of(Iccf(), (1800, 100), (1700, 80), (1600, 60))
    one.update(batch((0, 1, 1.0), (1, 2, 0.5), (2, 0, 0.0)), Moment(DAY, 0))
    other = table_of(Iccf(), (1800, 100), (1700, 80), (1600, 60))
    other.update(batch((2, 0, 0.0), (0, 1, 1.0), (1, 2, 0.5)), Moment(DAY, 0))
    for player in range(3):
        assert one.standing(player).rating == pytest.approx(
            other.standing(player).rating
        )


def test_a_deviation_grows_by_25_points_squared_in_three_months_up_to_120():
    table = table_of(Iccf(), (1500, 350), (1500, 1e-3))
    table.update(batch((0, 1, 0.5)), Moment(DAY, 0))
    assert table.deviation(0) > 120
    # A second game a year later finds the deviation where the first left it.
    before = SCALE**2 / table.variances[0]
    table.update(batch((0, 1, 0.5)), Moment(DAY + 365, 0))
    assert SCALE**2 / table.variances[0] - before == pytest.approx(0.1017, abs=4e-3)
    steady = table_of(Iccf(), (1500, 100), (1500, 1e-3))
    for _quarter in range(2):
        steady.update(batch((0, 1, 0.5)), Moment(DAY, 0))
    other = table_of(Iccf(), (1500, 100), (1500, 1e-3))
    other.update(batch((0, 1, 0.5)), Moment(DAY, 0))
    for player in (0, 1):
        grown = math.sqrt(other.variances[player] + 25**2)
        other.seed(player, other.standing(player)._replace(deviation=grown))
    other.update(batch((0, 1, 0.5)), Moment(DAY, 0))
    late = table_of(Iccf(), (1500, 100), (1500, 1e-3), period_days=91)
    for quarter in range(2):
        late.update(batch((0, 1, 0.5)), Moment(DAY + 91 * quarter, 0))
    assert late.deviation(0) == pytest.approx(other.deviation(0))
    assert late.deviation(0) > steady.deviation(0)


def test_davidson_learns_how_often_games_are_drawn():
    table = table_of(Davidson(), *[(1500, 30)] * 2, draws=0.5, draws_weight=1.0)
    for period in range(40):
        results = [0.5] * 6 + [1.0, 0.0]
        games = batch(*[(0, 1, points) for points in results])
        table.update(games, Moment(DAY, period))
    # Three of four: ν / (ν + 2) = ¾.
    assert math.exp(table.draws) == pytest.approx(6.0, rel=0.05)


def test_davidsons_draws_stay_with_a_heavy_start():
    table = table_of(Davidson(), *[(1500, 30)] * 2, draws=0.5, draws_weight=1e9)
    table.update(batch((0, 1, 0.5), (0, 1, 0.5)), Moment(DAY, 0))
    assert math.exp(table.draws) == pytest.approx(0.5, abs=1e-6)


def test_games_never_make_a_rating_less_certain():
    table = table_of(Davidson(), (1500, 100), *[(1500, 1000)] * 8, draws=0.001)
    table.update(batch(*[(0, player, 1.0) for player in range(1, 9)]), Moment(DAY, 0))
    assert table.standing(0).deviation <= 100
    assert math.isfinite(table.standing(0).rating)
