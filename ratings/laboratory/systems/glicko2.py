"""Glicko-2: Glicko with a volatility (Glickman 2013; rating-systems, 19).

In addition to rating and deviation a player has a volatility: how much the strength is
expected to change from one period to the next. Columns are kept on the paper's own
scale, where a unit is 173.7178 rating points and 0 is 1500.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ratings.laboratory.cases import Case
from ratings.laboratory.parameters import again, parameter, white_advantage
from ratings.laboratory.protocol import (
    About,
    Example,
    Games,
    Moment,
    Pool,
    Shape,
    Source,
    Standing,
    Status,
    System,
    Table,
)
from ratings.laboratory.words import _

from . import glicko
from .glicko import BY_HAND, PACKAGE, add_up, against, deviation_of, players_of

SCALE: Final = 173.7178
"""Rating points in one unit of the paper's scale."""
CENTER: Final = 1500.0

_FLATTENING: Final = 3.0 / (math.pi * math.pi)
_TOLERANCE: Final = 1e-6
# From some 6000 points of difference on, E(1 − E) is too small for a float to differ
# from 0; games then carry almost no information.
_MIN_CURVATURE: Final = 1e-17
# A time later than any: a rating given by hand has not grown older yet.
_NOT_YET: Final = math.inf

PAPER: Final = Source(
    _("Mark Glickman: Example of the Glicko-2 system"),
    "http://www.glicko.net/glicko/glicko2.pdf",
)


# --- The formulas ---


def reduction(variance: float) -> float:
    """Return by how much an opponent's uncertainty flattens the expectation (g).

    *variance* is φ², on the paper's scale (section 19, step 3).

    >>> [round(reduction((rd / SCALE) ** 2), 4) for rd in (30, 100, 300)]
    [0.9955, 0.9531, 0.7242]
    """
    return 1.0 / math.sqrt(1.0 + _FLATTENING * variance)


def volatility(
    sigma: float, improvement: float, variance: float, v: float, tau: float
) -> float:
    """Return the new volatility σ′ (section 19, step 5).

    *improvement* is Δ, *variance* φ² and *v* the variance of a rating from the games
    alone, all on the paper's scale; *tau* limits how fast volatilities change. The
    search is the paper's (Illinois), and a product of exactly 0 ends as below 0.

    >>> round(volatility(0.06, -0.48393, (200 / SCALE) ** 2, 1.77898, 0.5), 6)
    0.059996
    """
    steady = sigma * sigma
    start = near = math.log(steady)
    squared, known, exp = improvement * improvement, variance + v, math.exp
    penalty = 1.0 / (tau * tau)
    spread = known + steady
    at_near = steady * (squared - spread) / (2.0 * spread * spread)
    far = math.log(squared - known) if squared > known else start - tau
    while True:
        steady = exp(far)
        spread = known + steady
        fit = steady * (squared - spread) / (2.0 * spread * spread)
        at_far = fit - (far - start) * penalty
        if at_far >= 0.0 or squared > known:
            break
        far -= tau
    while far - near > _TOLERANCE or near - far > _TOLERANCE:
        between = near + (near - far) * at_near / (at_far - at_near)
        steady = exp(between)
        spread = known + steady
        fit = steady * (squared - spread) / (2.0 * spread * spread)
        at_between = fit - (between - start) * penalty
        if at_between * at_far <= 0.0:
            near, at_near = far, at_far
        else:
            at_near /= 2.0
        far, at_far = between, at_between
    return exp(near / 2.0)


def evidence(
    rating: float, opponents: Sequence[Sequence[float]]
) -> tuple[float, float]:
    """Return v and Δ of a player's games, each (rating, RD, score) (steps 3 and 4).

    Ratings and RD are in rating points, the results on the paper's scale.

    >>> games = ((1400, 30, 1.0), (1550, 100, 0.0), (1700, 300, 0.0))
    >>> [round(value, 5) for value in evidence(1500, games)]
    [1.77898, -0.48393]
    """
    curvature = gain = 0.0
    for opponent, deviation, score in opponents:
        g = reduction((deviation / SCALE) ** 2)
        expected = 1.0 / (1.0 + math.exp(-g * (rating - opponent) / SCALE))
        curvature += g * g * expected * (1.0 - expected)
        gain += g * (score - expected)
    v = 1.0 / max(curvature, _MIN_CURVATURE)
    return v, v * gain


def idle_deviation(deviation: float, sigma: float, periods: float = 1.0) -> float:
    """Return RD, in rating points, after *periods* without games (step 6).

    Half a period counts half: the variance grows evenly.

    >>> round(idle_deviation(50, 0.06), 4)
    51.0749
    """
    return SCALE * math.sqrt((deviation / SCALE) ** 2 + periods * sigma * sigma)


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    tau: float = parameter(
        0.5,
        _("Limit on changes of volatility (τ)"),
        _("Small values keep volatilities steady. The author suggests 0.3 to 1.2."),
        low=0.05,
        high=3,
    )
    first_rating: float = again(glicko.Parameters, "first_rating")
    first_deviation: float = parameter(
        350.0, _("Deviation of a new player"), _("In rating points."), low=30, high=1000
    )
    first_volatility: float = parameter(
        0.06, _("Volatility of a new player"), low=0.001, high=1
    )
    period_days: float = parameter(
        0.0,
        _("Days in a rating period"),
        _(
            "0 uses the experiment’s periods. Otherwise deviations grow daily, "
            "as on servers that rate game by game."
        ),
        low=0,
        high=3660,
    )
    white_advantage: float = white_advantage()


class Glicko2Table(Table):
    """μ, φ² and σ as columns; a μ that is not a number is unrated."""

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        size = pool.size
        self.variances = [0.0] * size
        self.volatilities = [0.0] * size
        self.rated_at = [_NOT_YET] * size
        # Work columns of one update: g, Σg²E(1 − E), Σg(s − E), and how much of a
        # period the games cover.
        self._g = [0.0] * size
        self._curvature = [0.0] * size
        self._gain = [0.0] * size
        self._share = [1.0] * size

    def _time(self, moment: Moment) -> float:
        days = self.parameters.period_days
        return moment.day / days if days else float(moment.period)

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings, variances, rated_at = self.ratings, self.variances, self.rated_at
        volatilities, now = self.volatilities, self._time(moment)
        advantages = games.advantages(self.parameters.white_advantage / SCALE)
        spread, exp, sqrt = _FLATTENING, math.exp, math.sqrt
        predictions = []
        for white, black, advantage in zip(
            games.white, games.black, advantages, strict=True
        ):
            variance = variances[white] + variances[black]
            idle = now - rated_at[white]
            if idle > 0.0:
                variance += idle * volatilities[white] ** 2
            idle = now - rated_at[black]
            if idle > 0.0:
                variance += idle * volatilities[black] ** 2
            lag = ratings[black] - ratings[white] - advantage
            flattened = lag / sqrt(1.0 + spread * variance)
            predictions.append(1.0 / (1.0 + exp(flattened)))
        return predictions

    def update(self, games: Games, moment: Moment) -> None:
        players = players_of(games)
        self._open(players, self._time(moment))
        sums = (self._curvature, self._gain, self.counts)
        add_up(games, 1.0, self.ratings, self._g, *sums)
        self._close(players)

    def _open(self, players: Sequence[int], now: float) -> None:
        """Let deviations grow for the time without games, and compute each player's g.

        The last period before *now*, or the part of one that has passed, is left to
        step 6, which uses the new volatility.
        """
        ratings, variances, rated_at = self.ratings, self.variances, self.rated_at
        periods, share, g_of = self.evaluations, self._share, self._g
        for player in players:
            if ratings[player] != ratings[player]:
                self._enter(player)
            since = now - rated_at[player]
            if since > 1.0:
                variances[player] += (since - 1.0) * self.volatilities[player] ** 2
            share[player] = since if 0.0 <= since < 1.0 else 1.0
            rated_at[player] = now
            periods[player] += 1
            g_of[player] = 1.0 / math.sqrt(1.0 + _FLATTENING * variances[player])

    def _enter(self, player: int) -> None:
        start = self.parameters
        self.ratings[player] = (start.first_rating - CENTER) / SCALE
        self.variances[player] = (start.first_deviation / SCALE) ** 2
        self.volatilities[player] = start.first_volatility

    def _close(self, players: Sequence[int]) -> None:
        ratings, variances, sigmas = self.ratings, self.variances, self.volatilities
        curvatures, gains, share = self._curvature, self._gain, self._share
        tau = self.parameters.tau
        for player in players:
            curvature, gain = curvatures[player], gains[player]
            variance = variances[player]
            v = 1.0 / max(curvature, _MIN_CURVATURE)
            sigma = volatility(sigmas[player], v * gain, variance, v, tau)
            variance += share[player] * sigma * sigma
            variance = 1.0 / (1.0 / variance + curvature)
            ratings[player] += variance * gain
            variances[player] = variance
            sigmas[player] = sigma
            curvatures[player] = gains[player] = 0.0

    def standing(self, player: int) -> Standing | None:
        rating = self.ratings[player]
        if rating != rating:
            return None
        return Standing(
            rating=SCALE * rating + CENTER,
            games=self.counts[player],
            deviation=SCALE * math.sqrt(self.variances[player]),
            volatility=self.volatilities[player],
            evaluations=self.evaluations[player],
        )

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self._enter(player)
        self.ratings[player] = (standing.rating - CENTER) / SCALE
        if standing.deviation is not None:
            self.variances[player] = max((standing.deviation / SCALE) ** 2, 1e-9)
        if standing.volatility is not None:
            self.volatilities[player] = standing.volatility
        self.rated_at[player] = _NOT_YET


class Glicko2(System):
    about = About(
        key="glicko2",
        label=_("Glicko-2"),
        years=_("2001 to today"),
        summary=_(
            "Glicko with a volatility: the rating of a player who suddenly plays "
            "much better or worse becomes less certain and moves faster."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(
            PAPER,
            PACKAGE,
            Source(
                _("Fractional rating periods, as discussed by a chess server"),
                "https://github.com/lichess-org/lila/discussions/13738",
            ),
        ),
    )
    parameters = Parameters
    table = Glicko2Table
    example = Example(
        player=Standing(1500.0, deviation=200.0, volatility=0.06),
        games=glicko.PAPER_GAMES,
        printed="1464.05",
        source=PACKAGE,
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        """Return the expected score, with both ratings uncertain.

        >>> pair = Standing(1400, deviation=80), Standing(1500, deviation=150)
        >>> round(Glicko2().expected(*pair), 3)
        0.376
        """
        variance = 0.0
        for one in (player, opponent):
            variance += (deviation_of(one, 350.0) / SCALE) ** 2
        lead = reduction(variance) * (player.rating - opponent.rating) / SCALE
        return 1.0 / (1.0 + math.exp(-lead))


# --- Servers and federations with constants of their own ---

LICHESS: Final = Source(
    _("Lichess: source code, Glicko.scala"),
    "https://github.com/lichess-org/lila/blob/master/modules/rating/src/main/Glicko.scala",
)
LICHESS_COLORS: Final = Source(
    _("Lichess: first move advantage in ratings"),
    "https://github.com/lichess-org/scalachess/pull/755",
)


@dataclass(frozen=True)
class LichessParameters(Parameters):
    """Of Glicko.scala, but for White's advantage, which is scalachess's "standard"."""

    tau: float = again(Parameters, "tau", 0.75)
    first_deviation: float = again(Parameters, "first_deviation", 500.0)
    first_volatility: float = again(Parameters, "first_volatility", 0.09)
    # There are 0.21436 rating periods a day there.
    period_days: float = again(Parameters, "period_days", 1 / 0.21436)
    white_advantage: float = white_advantage(
        11.782457, _("White’s advantage in predictions and updates")
    )


class LichessTable(Glicko2Table):
    """Rates each game as it ends, and keeps the values within Lichess's limits."""

    RATINGS: Final = (400.0, 4000.0)
    DEVIATIONS: Final = (45.0, 500.0)
    MAX_VOLATILITY: Final = 0.1
    MAX_CHANGE: Final = 700.0

    def update(self, games: Games, moment: Moment) -> None:
        now, worth = self._time(moment), self.parameters.white_advantage / SCALE
        sums = (self._curvature, self._gain, self.counts)
        for number in range(len(games)):
            game = games.part(number, number + 1)
            players = (game.white[0], game.black[0])
            self._open(players, now)
            before = [self.ratings[player] for player in players]
            add_up(game, 1.0, self.ratings, self._g, *sums, worth)
            self._close(players)
            for player, rating in zip(players, before, strict=True):
                self._limit(player, rating)

    def _limit(self, player: int, before: float) -> None:
        change = _within(
            self.ratings[player] - before,
            -self.MAX_CHANGE / SCALE,
            self.MAX_CHANGE / SCALE,
        )
        low, high = ((end - CENTER) / SCALE for end in self.RATINGS)
        self.ratings[player] = _within(before + change, low, high)
        low, high = ((end / SCALE) ** 2 for end in self.DEVIATIONS)
        self.variances[player] = _within(self.variances[player], low, high)
        sigma = self.volatilities[player]
        self.volatilities[player] = min(sigma, self.MAX_VOLATILITY)


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


class Lichess(Glicko2):
    """Glicko-2 with the constants of Lichess.

    All are in its source code. Ours knows days only, so games of one day have no time
    between them; puzzles, bots and the crazyhouse advantage are left out.
    """

    about = About(
        key="glicko2.lichess",
        label=_("Glicko-2 as on Lichess"),
        years=_("internet, since the 2010s"),
        summary=_(
            "Glicko-2 after each game, with fractional periods, limits, and a small "
            "advantage for White."
        ),
        shape=Shape.PER_GAME,
        status=Status.OFFICIAL,
        sources=(LICHESS, LICHESS_COLORS, PAPER),
    )
    parameters = LichessParameters
    table = LichessTable
    example = Example(
        player=Standing(1500.0, deviation=500.0, volatility=0.09),
        games=((Standing(1500.0, deviation=500.0), 1.0),),
        printed="1737.29",
        source=BY_HAND,
    )


@dataclass(frozen=True)
class AcfParameters(Parameters):
    # Four lists a year.
    period_days: float = again(Parameters, "period_days", 91.3125)


class Acf(Glicko2):
    """Glicko-2 for the Australian federation, as far as its constants are published.

    Published: a modified Glicko-2 with four lists a year and a highest RD of 350. Not
    published, so as in Glickman's paper: the modification, τ, the first rating and the
    first volatility; nor are members' deviations.
    """

    about = About(
        key="glicko2.acf",
        label=_("Glicko-2 for Australia (ACF)"),
        years=_("Australia, since the 2000s"),
        summary=_(
            "Glicko-2 with a list every three months. The federation’s changes to it "
            "are unpublished."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.RECONSTRUCTION_IN_PART,
        sources=(
            Source(
                _("Chess Chat: planned rating changes, by the ACF ratings officers"),
                "http://www.chesschat.org/showthread.php?737-Planned-Rating-Changes",
            ),
            Source(
                _("Canberra’s ratings officer: about the ratings, and past lists"),
                "http://www.netspeed.com.au/ianandjan/IansPage/ratings/",
            ),
            PAPER,
        ),
    )
    parameters = AcfParameters


# --- Published cases ---


def _case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    opponents = inputs["opponents"]
    given = Standing(
        inputs.get("r", CENTER),
        deviation=inputs.get("RD", 200.0),
        volatility=inputs.get("sigma", Parameters.first_volatility),
    )
    if not opponents:
        steady = inputs.get("sigma", Parameters.first_volatility)
        periods = inputs.get("periods", 1.0)
        grown = idle_deviation(inputs.get("RD", 200.0), steady, periods)
        return {"r": given.rating, "RD": grown, "sigma": steady}
    pool, games = against(opponents)
    table = Glicko2().begin(pool, Parameters(tau=inputs.get("tau", 0.5)))
    table.seed(0, given)
    for place, (rating, deviation, _score) in enumerate(opponents, start=1):
        table.seed(place, Standing(rating, deviation=deviation))
    table.update(games, Moment(0, 0))
    after = table.standing(0) or given
    v, improvement = evidence(given.rating, opponents)
    return {
        "r": after.rating,
        "RD": after.deviation,
        "sigma": after.volatility,
        "v": v,
        "delta": improvement,
    }


SYSTEMS: tuple[System, ...] = (Glicko2(), Lichess(), Acf())
CASES: Mapping[str, Case] = {"glicko2": _case}
