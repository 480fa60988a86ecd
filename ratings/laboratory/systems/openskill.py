"""OpenSkill: ratings by the models of Weng and Lin (2011; rating-systems, 26).

Every player's strength is a normal curve of mean μ and deviation σ, moved after each
game by a formula without iteration. The paper's models differ in how many sides are
ranked at once. Between two, the Plackett-Luce model and the full Bradley-Terry model
are identical, to the last term, so one system represents both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ratings.laboratory.cases import Case
from ratings.laboratory.parameters import parameter, white_advantage
from ratings.laboratory.protocol import (
    About,
    Example,
    Games,
    Moment,
    Shape,
    Source,
    Standing,
    Status,
    System,
)
from ratings.laboratory.words import _

from .glicko import VarianceTable, deviation_of

FIRST_MEAN: Final = 25.0
FIRST_DEVIATION: Final = FIRST_MEAN / 3.0
BETA: Final = FIRST_MEAN / 6.0
TAU: Final = FIRST_MEAN / 300.0

_NATURAL: Final = 400.0 / math.log(10.0)
_ELO_CENTER: Final = 1500.0
_ELO_PER_POINT: Final = _NATURAL / (math.sqrt(2.0) * BETA)

PAPER: Final = Source(
    _(
        "Weng and Lin: A Bayesian approximation method for online ranking, Journal of "
        "Machine Learning Research 12 (2011)"
    ),
    "https://www.jmlr.org/papers/v12/weng11a.html",
)
PACKAGE: Final = Source(
    _("OpenSkill, a free implementation of these models"), "https://openskill.me/"
)


# --- The formulas ---


class Belief(NamedTuple):
    """A player's strength: mean and variance, in points of the paper."""

    mean: float
    variance: float


def expected_score(lead: float, uncertainty: float) -> float:
    """Return the score of a player *lead* points ahead: e^(μi/c)/(e^(μi/c) + e^(μj/c)).

    *uncertainty* is c. Written as a hyperbolic tangent, which no lead overflows.

    >>> round(expected_score(4.0, 11.124), 3), expected_score(0.0, 11.124)
    (0.589, 0.5)
    """
    return 0.5 + 0.5 * math.tanh(0.5 * lead / uncertainty)


def rate(
    player: Belief, opponent: Belief, score: float, beta: float, least: float
) -> Belief:
    """Return *player* after a game (paper, algorithms 1 and 4, two sides).

    *beta* is the spread of a player's form, *least* the least share of the variance
    that one game leaves.

    >>> newcomer = Belief(25.0, (25.0 / 3) ** 2)
    >>> won = rate(newcomer, newcomer, 1.0, 25 / 6, 1e-4)
    >>> round(won.mean, 4), round(math.sqrt(won.variance), 4)
    (27.6352, 8.0655)
    """
    squared = player.variance + opponent.variance + 2.0 * beta * beta
    uncertainty = math.sqrt(squared)
    expected = expected_score(player.mean - opponent.mean, uncertainty)
    share = math.sqrt(player.variance) / uncertainty
    known = share**3 * expected * (1.0 - expected)
    return Belief(
        player.mean + player.variance / uncertainty * (score - expected),
        player.variance * max(1.0 - known, least),
    )


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    tau: float = parameter(
        TAU,
        _("Growth of the deviation per game (τ)"),
        _("Each game first adds τ² to σ², which keeps ratings moving."),
        low=0,
        high=5,
    )
    beta: float = parameter(
        BETA,
        _("Spread of a player’s form (β)"),
        _("In points on this scale: how far one game may be from a player’s strength."),
        low=0.5,
        high=50,
    )
    first_mean: float = parameter(
        FIRST_MEAN, _("Mean of a new player"), low=-50, high=100
    )
    first_deviation: float = parameter(
        FIRST_DEVIATION, _("Deviation of a new player"), low=0.5, high=100
    )
    least: float = parameter(
        1e-4,
        _("Minimum share of variance left after a game (κ)"),
        low=1e-9,
        high=1,
    )
    white_advantage: float = white_advantage()


class OpenSkillTable(VarianceTable):
    """μ and σ² as columns; a μ that is not a number is unrated."""

    parameters: Parameters
    min_variance = 1e-9

    def predict(self, games: Games, moment: Moment) -> list[float]:
        means, variances = self.ratings, self.variances
        form = 2.0 * self.parameters.beta**2
        worth = self.parameters.white_advantage / _ELO_PER_POINT
        sqrt, tanh = math.sqrt, math.tanh
        return [
            0.5
            + 0.5
            * tanh(
                0.5
                * (means[white] - means[black] + advantage)
                / sqrt(variances[white] + variances[black] + form)
            )
            for white, black, advantage in zip(
                games.white, games.black, games.advantages(worth), strict=True
            )
        ]

    def update(self, games: Games, moment: Moment) -> None:
        means, variances, counts = self.ratings, self.variances, self.counts
        growth, beta = self.parameters.tau**2, self.parameters.beta
        least = self.parameters.least
        for white, black, points in zip(
            games.white, games.black, games.points, strict=True
        ):
            one = self._grown(white, growth)
            other = self._grown(black, growth)
            means[white], variances[white] = rate(one, other, points, beta, least)
            means[black], variances[black] = rate(other, one, 1.0 - points, beta, least)
            counts[white] += 1
            counts[black] += 1

    def _grown(self, player: int, growth: float) -> Belief:
        mean, variance = self.ratings[player], self.variances[player]
        if mean != mean:
            start = self.parameters
            mean, variance = start.first_mean, start.first_deviation**2
        return Belief(mean, variance + growth)


class OpenSkill(System):
    about = About(
        key="openskill",
        label=_("OpenSkill (Weng and Lin)"),
        years=_("2011 to today, video games"),
        summary=_(
            "A mean and a deviation after each game, free of patents. For two "
            "players, the Plackett-Luce and Bradley-Terry models are the same."
        ),
        shape=Shape.PER_GAME,
        status=Status.OFFICIAL,
        sources=(PAPER, PACKAGE),
    )
    parameters = Parameters
    table = OpenSkillTable
    example = Example(
        player=Standing(FIRST_MEAN, deviation=FIRST_DEVIATION),
        games=((Standing(FIRST_MEAN, deviation=FIRST_DEVIATION), 1.0),),
        printed="27.64",
        source=PACKAGE,
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        squared = 2.0 * BETA * BETA
        for one in (player, opponent):
            squared += deviation_of(one, FIRST_DEVIATION) ** 2
        return expected_score(player.rating - opponent.rating, math.sqrt(squared))

    def display(self, rating: float) -> str:
        return f"{rating:.2f}"

    def on_elo_scale(self, rating: float) -> float:
        """Return μ in rating points: 25 is 1500, and equal leads expect equally.

        >>> OpenSkill().on_elo_scale(25.0), round(OpenSkill().on_elo_scale(30.0))
        (1500.0, 1647)
        """
        return _ELO_CENTER + (rating - FIRST_MEAN) * _ELO_PER_POINT

    def from_elo_scale(self, rating: float) -> float:
        return FIRST_MEAN + (rating - _ELO_CENTER) / _ELO_PER_POINT


# --- Published cases ---


def _case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """One game between two new players, won and drawn."""
    variance = inputs["sigma"] ** 2 + TAU * TAU
    player = Belief(inputs["mu"], variance)
    found = {
        name: rate(player, player, score, BETA, Parameters.least)
        for name, score in (("winner", 1.0), ("loser", 0.0), ("draw", 0.5))
    }
    return {name: [one.mean, math.sqrt(one.variance)] for name, one in found.items()}


SYSTEMS: tuple[System, ...] = (OpenSkill(),)
CASES: Mapping[str, Case] = {
    "openskill.plackett_luce": _case,
    "openskill.bradley_terry_full": _case,
}
