"""Glicko-2: volatilities, parts of periods, and the package of the same name."""

import math
import random
from dataclasses import asdict

import pytest

from ratings.laboratory.protocol import Games, Moment, Pool, Standing
from ratings.laboratory.systems.glicko2 import (
    SCALE,
    Acf,
    Glicko2,
    Lichess,
    Parameters,
    idle_deviation,
    volatility,
)
from tests.ratings.laboratory.test_glicko import batch, in_period


def table_of(*standings, **changed):
    table = Glicko2().begin(Pool(len(standings)), Parameters(**changed))
    for player, standing in enumerate(standings):
        if standing is not None:
            table.seed(player, Standing(standing[0], 0, *standing[1:]))
    return table


def example():
    return table_of((1500, 200, 0.06), (1400, 30), (1550, 100), (1700, 300))


def test_the_papers_example():
    table = example()
    table.update(batch((0, 1, 1.0), (0, 2, 0.0), (0, 3, 0.0)), in_period(0))
    new = table.standing(0)
    # The paper rounds on its way and prints 1464.06; the authors' package says .05.
    assert new.rating == pytest.approx(1464.06, abs=0.01)
    assert new.deviation == pytest.approx(151.52, abs=0.005)
    assert new.volatility == pytest.approx(0.05999, abs=0.00001)


def test_idle_players_only_become_less_certain():
    assert idle_deviation(50, 0.06) == pytest.approx(51.0749, abs=0.0001)
    table = table_of((1500, 50, 0.06), (1500, 50, 0.06))
    game = batch((0, 1, 0.5))
    table.update(game, in_period(0))
    rating, deviation = table.standing(0).rating, table.standing(0).deviation
    sigma = table.standing(0).volatility
    table.update(game, in_period(11))
    fresh = table_of(*[(rating, idle_deviation(deviation, sigma, 10), sigma)] * 2)
    fresh.update(game, in_period(0))
    assert table.standing(0).deviation == pytest.approx(fresh.standing(0).deviation)


class TestPartsOfPeriods:
    """A period of 30 days, rated day by day."""

    def rated_after(self, days):
        table = table_of((1500, 50, 0.06), (1500, 50, 0.06), period_days=30)
        table.update(batch((0, 1, 0.5)), Moment(700000, 0))
        before = table.variances[0]
        table.update(batch((0, 1, 0.5)), Moment(700000 + days, 0))
        return before, table

    def test_half_a_period_counts_half(self):
        before, table = self.rated_after(15)
        sigma = table.volatilities[0]
        gained = 1 / table.variances[0] - 1 / (before + 0.5 * sigma**2)
        same, at_once = self.rated_after(0)
        assert gained == pytest.approx(1 / at_once.variances[0] - 1 / same, rel=0.01)

    def test_a_whole_period_is_the_papers_own(self):
        table = table_of((1500, 50, 0.06), (1500, 50, 0.06))
        for period in (0, 1):
            table.update(batch((0, 1, 0.5)), in_period(period))
        _, by_days = self.rated_after(30)
        assert by_days.variances == pytest.approx(table.variances, rel=1e-12)

    def test_longer_pauses_leave_more_doubt(self):
        left = [self.rated_after(days)[1].variances[0] for days in (0, 7, 30, 90, 900)]
        assert left == sorted(left)
        assert left[0] < left[-1]


def test_surprises_raise_the_volatility_and_expected_results_lower_it():
    rows = [(0, other, 1.0) for other in range(1, 9)]
    upset = table_of((1200, 60, 0.06), *[(2000, 60)] * 8, tau=1.2)
    upset.update(batch(*rows), in_period(0))
    calm = table_of((1500, 60, 0.06), *[(1500, 60)] * 8, tau=1.2)
    calm.update(batch(*[(0, n, n % 2) for n in range(1, 9)]), in_period(0))
    assert upset.volatilities[0] > 0.061
    assert calm.volatilities[0] < 0.06


@pytest.mark.parametrize("improvement", [-8.0, -0.4839, 0.0, 2.5, 30.0])
@pytest.mark.parametrize("tau", [0.3, 0.5, 1.2])
def test_the_new_volatility_is_where_the_papers_f_is_zero(improvement, tau):
    variance, v, sigma = (200 / SCALE) ** 2, 1.77898, 0.06
    x = 2 * math.log(volatility(sigma, improvement, variance, v, tau))
    total = variance + v + math.exp(x)
    fit = math.exp(x) * (improvement**2 - total) / (2 * total**2)
    assert fit == pytest.approx((x - 2 * math.log(sigma)) / tau**2, abs=1e-4)


@pytest.mark.parametrize("lead", [5000, 8000, 20000])
def test_opponents_thousands_of_points_away(lead):
    """The limit of the formulas, where E(1 − E) is no longer a number above 0."""
    expected = table_of((1500, 200, 0.06), (1500 - lead, 200, 0.06))
    expected.update(batch((0, 1, 1.0)), in_period(0))
    new = expected.standing(0)
    assert new.rating == pytest.approx(1500)
    # Without any news the deviation grows as that of an idle player.
    grown = math.hypot(200, SCALE * 0.06)
    assert new.deviation == pytest.approx(grown)
    upset = table_of((1500, 200, 0.06), (1500 - lead, 200, 0.06))
    upset.update(batch((0, 1, 0.0)), in_period(0))
    lost = grown**2 / SCALE / math.sqrt(1 + 3 * (200 / SCALE / math.pi) ** 2)
    assert upset.standing(0).rating == pytest.approx(1500 - lost, abs=0.01)


def test_newcomers_and_unknown_predictions():
    table = table_of(None, (1500, 50))
    assert math.isnan(table.predict(batch((0, 1, 1.0)), in_period(0))[0])
    table.update(batch((0, 1, 0.5)), in_period(0))
    new = table.standing(0)
    assert new.rating == 1500
    assert 200 < new.deviation < 350
    assert new.volatility == pytest.approx(0.06, abs=0.001)


def test_predictions_flatten_with_the_time_that_has_passed():
    table = table_of((1700, 50, 0.2), (1500, 50, 0.2))
    table.update(batch((0, 1, 0.5)), in_period(0))
    game = batch((0, 1, 1.0))
    soon, late = (table.predict(game, in_period(n))[0] for n in (1, 60))
    assert soon > late > 0.5


def test_equal_to_the_package_glicko2():
    """Equal to 1e-9 once its search for σ reads φ, as the paper has it, not μ."""
    package = pytest.importorskip("glicko2")

    class Player(package.Player):
        has_played = False

        def _f(self, x, delta, v, a):
            unsteady, phi = math.exp(x), self.rd / SCALE
            spread = phi**2 + v + unsteady
            fit = unsteady * (delta**2 - spread) / (2 * spread**2)
            return fit - (x - a) / self._tau**2

    periods = periods_of(players=60, games=300, periods=12)
    theirs = [Player() for _ in range(60)]
    table = Glicko2().begin(Pool(60))
    for number, games in enumerate(periods):
        table.update(games, in_period(number))
        let_package_rate(theirs, games)
    for player, other in enumerate(theirs):
        ours = table.standing(player)
        idle = len(periods) - 1 - table.rated_at[player]
        deviation = idle_deviation(ours.deviation, ours.volatility, idle)
        assert ours.rating == pytest.approx(other.rating, abs=1e-9)
        assert deviation == pytest.approx(other.rd, abs=1e-9)
        assert ours.volatility == pytest.approx(other.vol, abs=1e-9)


def periods_of(players, games, periods):
    randomness = random.Random(7)
    found = []
    for _ in range(periods):
        rows = [
            (*randomness.sample(range(players), 2), randomness.choice((0.0, 0.5, 1.0)))
            for _ in range(games // periods)
        ]
        found.append(batch(*rows))
    return found


def let_package_rate(players, games: Games):
    before = [(player.rating, player.rd) for player in players]
    results = [[] for _ in players]
    for white, black, points in zip(
        games.white, games.black, games.points, strict=True
    ):
        results[white].append((*before[black], points))
        results[black].append((*before[white], 1 - points))
    for player, rows in zip(players, results, strict=True):
        if rows:
            player.update_player(*map(list, zip(*rows, strict=True)))
            player.has_played = True
        elif player.has_played:
            player.did_not_compete()


class TestLichess:
    """Its constants, limits and colors, by hand; two new players meet."""

    def test_a_first_game_by_hand(self):
        # φ² = (500/173.7178)² = 8.28421, so g = 1/√(1 + 3φ²/π²) = 0.53315; White is
        # 11.78 points ahead, E = 0.50904; v = 1/(g²E(1 − E)) = 14.0769. With σ = 0.09,
        # 1/φ′² = 1/(8.28421 + 0.0081) + 1/14.0769 = 0.191632, and
        # μ′ = 5.21834 · 0.53315 · 0.49096 = 1.36593.
        table = Lichess().begin(Pool(2))
        table.update(batch((0, 1, 1.0)), in_period(0))
        white, black = table.standing(0), table.standing(1)
        assert white.rating == pytest.approx(1500 + 1.36593 * SCALE, abs=0.02)
        assert black.rating == pytest.approx(1500 - 1.36593 * SCALE, abs=0.02)
        assert white.deviation == pytest.approx(SCALE * 2.28437, abs=0.01)

    def test_a_draw_costs_white_what_it_gives_black(self):
        table = Lichess().begin(Pool(2))
        table.update(batch((0, 1, 0.5)), in_period(0))
        white, black = (table.standing(player).rating for player in (0, 1))
        assert white < 1500 < black
        assert white + black == pytest.approx(3000)

    def test_values_stay_within_its_limits(self):
        table = Lichess().begin(Pool(2))
        table.seed(0, Standing(3999.9, deviation=45.0, volatility=0.0999))
        table.seed(1, Standing(3999.9, deviation=45.0, volatility=0.0999))
        for _game in range(60):
            table.update(batch((0, 1, 1.0)), in_period(0))
        assert table.standing(0).rating == 4000
        for player in (0, 1):
            assert table.standing(player).deviation >= 45
            assert table.standing(player).volatility <= 0.1
        table.seed(0, Standing(400.1, deviation=500.0, volatility=0.1))
        table.seed(1, Standing(3900, deviation=45.0, volatility=0.06))
        table.update(batch((0, 1, 1.0)), in_period(0))
        assert table.standing(0).rating == pytest.approx(1100.1)

    def test_games_are_rated_one_after_the_other(self):
        one, other = Lichess().begin(Pool(3)), Lichess().begin(Pool(3))
        one.update(batch((0, 1, 1.0), (1, 2, 1.0)), in_period(0))
        other.update(batch((0, 1, 1.0)), in_period(0))
        other.update(batch((1, 2, 1.0)), in_period(0))
        assert one.standing(2) == other.standing(2)._replace(
            evaluations=one.standing(2).evaluations
        )


def test_the_constants_that_are_not_published_stay_the_papers():
    changed = {
        name: value
        for name, value in asdict(Acf().parameters()).items()
        if value != getattr(Parameters(), name)
    }
    assert changed == {"period_days": 365.25 / 4}
