"""Stephenson: Glicko with three additions (Stephenson 2012; rating-systems, 26).

Alec Stephenson won the FIDE prize of the Deloitte/FIDE Chess Rating Challenge. His
system adds uncertainty per game (h), a bonus per game (b) and a pull toward the
opponents' level (λ). Without them it is Glicko.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratings.laboratory.cases import Case
from ratings.laboratory.parameters import again, parameter, white_advantage
from ratings.laboratory.protocol import (
    About,
    Example,
    Games,
    Moment,
    Pool,
    Shape,
    Standing,
    Status,
    System,
)
from ratings.laboratory.words import _

from . import glicko
from .glicko import (
    PACKAGE,
    GlickoTable,
    Q,
    add_up,
    against,
    predicted_score,
    rated_by_months,
)


def new_variance(variance: float, h: float, games: int, precision: float) -> float:
    """Return RD² after a period (v*, section 26).

    *variance* is RD² at its beginning, h in rating points per root of a game,
    *precision* the information of the games (1/d²).

    >>> round(math.sqrt(new_variance(200.0 ** 2, 0.0, 3, 1 / 53685.7429)), 6)
    151.398902
    """
    return 1.0 / (1.0 / (variance + h * h * games) + precision)


def pull(rating: float, opponents_mean: float, strength: float) -> float:
    """Return the points toward the opponents' level; *strength* is λ in percent.

    >>> pull(1500.0, 1550.0, 2.0)
    1.0
    """
    return strength / 100.0 * (opponents_mean - rating)


@dataclass(frozen=True)
class Parameters(glicko.Parameters):
    c: float = parameter(
        9.0,
        _("Growth of the deviation with time (c)"),
        _("Rating points per period: RD² grows by c² for each period without games."),
        low=0,
        high=200,
    )
    first_deviation: float = again(glicko.Parameters, "first_deviation", 300.0)
    lowest_deviation: float = parameter(
        0.0, _("Lowest deviation"), _("0 means no limit."), low=0, high=200
    )
    white_advantage: float = white_advantage(30.0)
    h: float = parameter(
        9.0,
        _("Growth of the deviation with games (h)"),
        _("RD² grows by h² for each game of the period."),
        low=0,
        high=200,
    )
    b: float = parameter(
        0.0,
        _("Bonus per game (b)"),
        _("In hundredths of a point, added to every result."),
        low=-20,
        high=20,
    )
    strength: float = parameter(
        2.0,
        _("Pull toward the opponents (λ)"),
        _("As a percentage of the distance to the opponents’ average rating."),
        low=0,
        high=50,
    )
    update_advantage: float = parameter(
        0.0,
        _("White’s advantage in updates (γ)"),
        _("In rating points. The authors use it only in predictions."),
        low=0,
        high=100,
    )


class StephensonTable(GlickoTable):
    """Glicko's columns, and per update: games, Σk and the opponents' ratings added."""

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._met = [0.0] * pool.size
        self._weight = [0.0] * pool.size
        self._played = [0] * pool.size

    def update(self, games: Games, moment: Moment) -> None:
        players = self.open_period(games, moment.period)
        sums = (
            self.curvature,
            self.gain,
            self.counts,
            self.parameters.update_advantage,
        )
        add_up(games, Q, self.ratings, self.g_of, *sums)
        self._add_opponents(games)
        for player in players:
            self._rate(player)

    def _add_opponents(self, games: Games) -> None:
        ratings, g_of = self.ratings, self.g_of
        met, weight, played = self._met, self._weight, self._played
        for white, black in zip(games.white, games.black, strict=True):
            met[white] += ratings[black]
            met[black] += ratings[white]
            weight[white] += g_of[black]
            weight[black] += g_of[white]
            played[white] += 1
            played[black] += 1

    def _rate(self, player: int) -> None:
        change, rating = self.parameters, self.ratings[player]
        games = self._played[player]
        precision = Q * Q * self.curvature[player]
        variance = new_variance(self.variances[player], change.h, games, precision)
        bonus = Q * variance * self._weight[player] * change.b / 100.0
        drawn = pull(rating, self._met[player] / games, change.strength)
        self.bonus_points += bonus
        self.ratings[player] = rating + Q * variance * self.gain[player] + bonus + drawn
        self.variances[player] = max(variance, change.lowest_deviation**2)
        self.curvature[player] = self.gain[player] = 0.0
        self._met[player] = self._weight[player] = 0.0
        self._played[player] = 0


class Stephenson(System):
    about = About(
        key="stephenson",
        label=_("Stephenson"),
        years=_("2012 to today"),
        summary=_(
            "Glicko with added uncertainty and a bonus for each game, and a pull "
            "toward the opponents’ level. It won a contest in predicting "
            "results."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(PACKAGE,),
    )
    parameters = Parameters
    table = StephensonTable
    example = Example(
        player=Standing(1500.0, deviation=200.0),
        games=glicko.PAPER_GAMES,
        printed="1464.11",
        source=PACKAGE,
        parameters={"c": 0.0, "h": 0.0, "b": 0.0, "strength": 0.0},
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return predicted_score(player, opponent, highest=300.0)


# --- Published cases ---


def _case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    changed = Parameters(
        c=inputs.get("c", Parameters.c),
        h=inputs.get("h", Parameters.h),
        b=inputs.get("b", Parameters.b),
        strength=inputs.get("lambda", Parameters.strength),
        update_advantage=inputs.get("gamma", 0.0),
        first_deviation=inputs.get("RDmax", 350.0),
    )
    if "initial" in inputs:
        return rated_by_months(Stephenson(), changed, inputs)
    opponents = inputs["opponents"]
    pool, games = against(opponents)
    table = Stephenson().begin(pool, changed)
    given = [(inputs["r"], inputs["RD"]), *((r, rd) for r, rd, _score in opponents)]
    idle = 1 if inputs.get("inflate_all_by_c_first") else 0
    for player, (rating, deviation) in enumerate(given):
        grown = glicko.inflated(
            deviation * deviation, idle, changed.c, changed.first_deviation
        )
        table.seed(player, Standing(rating, deviation=math.sqrt(grown)))
    table.update(games, Moment(0, 0))
    return {"r": table.ratings[0], "RD": math.sqrt(table.variances[0])}


SYSTEMS: tuple[System, ...] = (Stephenson(),)
CASES: Mapping[str, Case] = {"stephenson": _case}
