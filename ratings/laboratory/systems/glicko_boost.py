"""Glicko-Boost: Glickman's entry in a contest of predictions (rating-systems, 26).

It is Glicko with White's advantage, with all players rated twice, the second time
against the opponents' new ratings, and with a larger deviation for those who did
exceptionally well. The note prints a period of eight players with all its steps. Our
numbers are those of the note but for one: its larger deviation of player H follows from
no reading of the formula for z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

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
)
from ratings.laboratory.words import _

from . import glicko
from .glicko import SPREAD, GlickoTable, Q, predicted_score

NOTE: Final = Source(
    _("Mark Glickman: Glicko-Boost, Deloitte/FIDE Chess Rating Challenge"),
    "http://www.glicko.net/glicko/glicko-boost.pdf",
)
HIGHEST: Final = 250.0
"""The deviation of a newcomer, and the highest of all (RD_unr)."""

_GROWTH: Final = (5.83733, -1.75374e-04, -7.080124e-05, 0.001733792, 0.00026706)


# --- The formulas ---


def growth(rating: float, deviation: float) -> float:
    """Return by how much RD² grows in a month (section 2.3).

    >>> round(math.sqrt(103.4**2 + growth(2230, 103.4)), 1)
    105.0
    """
    level, (a, b, c, d, e) = rating / 1000.0, _GROWTH
    return math.exp(
        a + b * deviation + c * deviation * level + d * level + e * level * level
    )


def boosted(deviation: float, z: float, k: float, b1: float, b2: float) -> float:
    """Return the deviation after an exceptional performance (section 2.2).

    *z* is by how many standard deviations the score was better than expected.

    >>> round(boosted(120, 2.606, 1.96, 0.20139, 17.5), 1)
    153.1
    >>> boosted(120, 1.9, 1.96, 0.20139, 17.5)
    120
    """
    return (1.0 + (z - k) * b1) * deviation + b2 if z > k else deviation


# --- The system ---


@dataclass(frozen=True)
class Parameters(glicko.Parameters):
    c: float = parameter(
        1.0,
        _("Growth of the deviation with time"),
        _("As a multiple of the note’s growth per period, about 18 points per month."),
        low=0,
        high=20,
    )
    first_deviation: float = again(glicko.Parameters, "first_deviation", HIGHEST)
    lowest_deviation: float = parameter(
        0.0, _("Lowest deviation"), _("0 means no limit."), low=0, high=200
    )
    white_advantage: float = white_advantage(30.0, _("White’s advantage (η)"))
    k: float = parameter(
        1.96,
        _("Threshold for exceptional results (k)"),
        _("A performance this many standard deviations above expected is exceptional."),
        low=0,
        high=10,
    )
    b1: float = parameter(
        0.20139,
        _("Boost per standard deviation (B₁)"),
        _("The share by which the deviation grows for each one above the threshold."),
        low=0,
        high=5,
    )
    b2: float = parameter(
        17.5, _("Boost in points (B₂)"), _("In rating points."), low=0, high=200
    )


class Pass:
    """One update of all players with games: new ratings and RD²."""

    def __init__(self, size: int) -> None:
        self.ratings = [0.0] * size
        self.variances = [0.0] * size


class GlickoBoostTable(GlickoTable):
    """Glicko's columns, and how much the RD² of each player grows in a period."""

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._growth = [0.0] * pool.size
        self._first, self._second = Pass(pool.size), Pass(pool.size)

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings, now = self.ratings, moment.period
        advantages = games.advantages(self.parameters.white_advantage)
        found = []
        for white, black, advantage in zip(
            games.white, games.black, advantages, strict=True
        ):
            variance = self.variance(white, now) + self.variance(black, now)
            lead = ratings[white] - ratings[black] + advantage
            flattened = Q * lead / math.sqrt(1.0 + SPREAD * variance)
            found.append(1.0 / (1.0 + math.exp(-flattened)))
        return found

    def variance(self, player: int, now: int) -> float:
        variance, idle = self.variances[player], now - self.rated_in[player]
        if idle <= 0:
            return variance
        highest = self.parameters.first_deviation
        return min(variance + idle * self._growth[player], highest * highest)

    def update(self, games: Games, moment: Moment) -> None:
        players = self.open_period(games, moment.period)
        self.count(games)
        first, second = self._first, self._second
        self._pass(games, players, self.ratings, self.variances, first)
        self._pass(games, players, first.ratings, first.variances, second)
        if self._boost(games, players):
            self._pass(games, players, self.ratings, self.variances, first)
            self._pass(games, players, first.ratings, first.variances, second)
        self._close(players)

    def _pass(
        self,
        games: Games,
        players: Sequence[int],
        ratings: Sequence[float],
        variances: Sequence[float],
        into: Pass,
    ) -> None:
        """Rate all players from before the period, against these *ratings*."""
        self._sum(games, players, ratings, variances)
        for player in players:
            known = 1.0 / self.variances[player] + Q * Q * self.curvature[player]
            into.ratings[player] = self.ratings[player] + Q / known * self.gain[player]
            into.variances[player] = 1.0 / known
            self.curvature[player] = self.gain[player] = 0.0

    def _sum(
        self,
        games: Games,
        players: Sequence[int],
        ratings: Sequence[float],
        variances: Sequence[float],
    ) -> None:
        """Add Σg(s − E) and Σg²E(1 − E); the second without the colors, as printed."""
        g_of, gain, curvature = self.g_of, self.gain, self.curvature
        for player in players:
            g_of[player] = 1.0 / math.sqrt(1.0 + SPREAD * variances[player])
        own, exp = self.ratings, math.exp
        advantages = games.advantages(Q * self.parameters.white_advantage)
        for white, black, points, advantage in zip(
            games.white, games.black, games.points, advantages, strict=True
        ):
            g = g_of[black]
            lead = Q * (own[white] - ratings[black])
            gain[white] += g * (points - 1.0 / (1.0 + exp(-g * (lead + advantage))))
            even = 1.0 / (1.0 + exp(-g * lead))
            curvature[white] += g * g * even * (1.0 - even)
            g = g_of[white]
            lead = Q * (own[black] - ratings[white])
            expected = 1.0 / (1.0 + exp(-g * (lead - advantage)))
            gain[black] += g * (1.0 - points - expected)
            even = 1.0 / (1.0 + exp(-g * lead))
            curvature[black] += g * g * even * (1.0 - even)

    def _boost(self, games: Games, players: Sequence[int]) -> bool:
        """Raise deviations after exceptional scores; return whether there were any."""
        rules, second = self.parameters, self._second
        self._sum(games, players, second.ratings, second.variances)
        has_changed = False
        for player in players:
            curvature = self.curvature[player]
            z = self.gain[player] / math.sqrt(curvature) if curvature > 0 else 0.0
            self.curvature[player] = self.gain[player] = 0.0
            before = math.sqrt(self.variances[player])
            deviation = boosted(before, z, rules.k, rules.b1, rules.b2)
            if deviation != before:
                deviation = min(deviation, max(rules.first_deviation, before))
                self.variances[player] = deviation * deviation
                has_changed = True
        return has_changed

    def _close(self, players: Sequence[int]) -> None:
        lowest = self.parameters.lowest_deviation**2
        for player in players:
            self.ratings[player] = self._second.ratings[player]
            self.variances[player] = max(self._second.variances[player], lowest)
            self._set_growth(player)

    def _set_growth(self, player: int) -> None:
        deviation = math.sqrt(self.variances[player])
        self._growth[player] = self.parameters.c * growth(
            self.ratings[player], deviation
        )

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self._set_growth(player)


class GlickoBoost(System):
    about = About(
        key="glicko_boost",
        label=_("Glicko-Boost"),
        years=_("2011, in a contest"),
        summary=_(
            "Glicko with two passes per period, White’s advantage, and faster "
            "changes for players who do exceptionally well."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.RECONSTRUCTION_IN_PART,
        sources=(NOTE,),
    )
    parameters = Parameters
    table = GlickoBoostTable
    example = Example(
        player=None,
        games=((Standing(1500.0, deviation=1.0), 1.0),),
        printed="1618.5",
        source=Source(_("Calculated by hand from the note’s equations")),
        parameters={"white_advantage": 0.0},
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return predicted_score(player, opponent, highest=HIGHEST)


SYSTEMS: tuple[System, ...] = (GlickoBoost(),)
