"""Whole-History Rating: all careers at once (Coulom 2008; section 26).

A game is decided as Bradley and Terry have it; between two days of games a strength
moves at random (a Wiener process). The ratings are the most likely courses of all
strengths: for each player in turn Newton's method finds theirs, all others being held,
and the result no longer depends on the order of the games.

`BradleyTerry` fits the same model to all games, the future too: no system can know
that, so it is a bound for systems and no candidate.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ratings.laboratory.parameters import parameter, white_advantage
from ratings.laboratory.protocol import (
    UNKNOWN,
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

SCALE: Final = 400.0 / math.log(10.0)
"""Rating points of one unit of the natural scale, on which strengths are kept."""

CENTER: Final = 1500.0
PRIOR_GAMES: Final = 0.5
# No strength moves further in one step (350 rating points), so as not to overshoot.
_MAX_STEP: Final = 2.0
# Strengths that move by less than a thousandth of a rating point have settled.
_TOLERANCE: Final = 0.001 / SCALE

PAPER: Final = Source(
    _("Rémi Coulom: Whole-History Rating, a Bayesian rating system (2008)"),
    "https://www.remi-coulom.fr/WHR/",
)
BY_HAND: Final = Source(_("Calculated by hand from the paper’s equations"))

Meeting = tuple[int, float, float]
"""A game at a point of a career: the opponent's point, the score, and by how much the
own color is an advantage."""


# --- The formulas ---


def expected_score(lead: float) -> float:
    """Return the score of a player *lead* ahead, on the natural scale.

    >>> expected_score(0.0), round(expected_score(400.0 / SCALE), 4)
    (0.5, 0.9091)
    """
    return 0.5 + 0.5 * math.tanh(0.5 * lead)


def newton_step(
    gradient: Sequence[float], diagonal: Sequence[float], links: Sequence[float]
) -> tuple[list[float], float]:
    """Solve the tridiagonal H x = g of one career; return x and the last variance.

    *diagonal* is minus the Hessian's, *links* what joins a point with the next, 1/σ².
    The variance is that of the newest strength given all the others' (paper, section
    2.2 and appendix B): the inverse of the last pivot.

    >>> step, variance = newton_step([1.0, 0.0], [3.0, 1.0], [1.0])
    >>> [round(value, 6) for value in step], round(variance, 6)
    ([0.5, 0.5], 1.5)
    """
    pivots, values = [diagonal[0]], [gradient[0]]
    for place, link in enumerate(links, start=1):
        share = link / pivots[-1]
        pivots.append(diagonal[place] - share * link)
        values.append(gradient[place] + share * values[-1])
    step = [values[-1] / pivots[-1]]
    for place in range(len(links) - 1, -1, -1):
        step.append((values[place] + links[place] * step[-1]) / pivots[place])
    step.reverse()
    return step, 1.0 / pivots[-1]


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    drift: float = parameter(
        14.0,
        _("Drift (w²)"),
        _("Variance of playing strength per day, in squared rating points."),
        low=0.01,
        high=1000,
    )
    prior_games: float = parameter(
        PRIOR_GAMES,
        _("Virtual games of a new player"),
        _(
            "Each new player starts with this many virtual wins and losses at "
            "the starting level, so that ratings with only wins stay finite. One "
            "half equals a deviation of 347."
        ),
        low=0.01,
        high=50,
    )
    first_rating: float = parameter(
        CENTER, _("Rating of a new player"), low=0, high=3000
    )
    white_advantage: float = white_advantage(label=_("White’s advantage"))
    sweeps: int = parameter(
        3,
        _("Passes over a period’s players"),
        _("How many times the histories of players in the period are fitted after it."),
        low=1,
        high=50,
    )
    everybody: int = parameter(
        1,
        _("Passes over all players"),
        _("How many times all histories are fitted after each period. 0 is fastest."),
        low=0,
        high=50,
    )
    last_sweeps: int = parameter(
        50,
        _("Passes at the end"),
        _(
            "The maximum number of times all histories are fitted after the last "
            "period."
        ),
        low=0,
        high=1000,
    )


class WholeHistoryTable(Table):
    """Careers as points in time: a day, a strength, and the games of that day.

    Points of all players are numbered through; `_careers` has those of each player.
    A game that is dated before the player's newest point counts at that point.
    """

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._careers: list[list[int]] = [[] for _ in range(pool.size)]
        self._levels = [UNKNOWN] * pool.size
        self._priors = [parameters.prior_games] * pool.size
        self._variances = [0.0] * pool.size
        self._days: list[int] = []
        self._strengths: list[float] = []
        self._met: list[list[Meeting]] = []

    def predict(self, games: Games, moment: Moment) -> list[float]:
        return [
            expected_score(self._newest(white) - self._newest(black) + advantage)
            for white, black, advantage in zip(
                games.white, games.black, self._advantages(games), strict=True
            )
        ]

    def _advantages(self, games: Games) -> list[float]:
        return games.advantages(self.parameters.white_advantage / SCALE)

    def _newest(self, player: int) -> float:
        career = self._careers[player]
        return self._strengths[career[-1]] if career else self._levels[player]

    def update(self, games: Games, moment: Moment) -> None:
        if not len(games):
            return
        players = self._add_games(games)
        for _round in range(self.parameters.sweeps):
            self._fit(players)
        for _round in range(self.parameters.everybody):
            self._fit(range(len(self._careers)))

    def finish(self) -> None:
        self._fit_until_converged(self.parameters.last_sweeps)

    def _fit_until_converged(self, most: int) -> None:
        """Fit all careers until none changes any more, at most so many times."""
        everybody = [player for player, one in enumerate(self._careers) if one]
        for _round in range(most):
            if self._fit(everybody) <= _TOLERANCE:
                break

    def _add_games(self, games: Games) -> list[int]:
        """Store the games, and return the numbers of their players.

        They are put in one order whatever order they come in.
        """
        rows = zip(
            games.days,
            games.white,
            games.black,
            games.points,
            self._advantages(games),
            strict=True,
        )
        players: set[int] = set()
        for day, white, black, points, advantage in sorted(rows):
            one, other = self._point(white, day), self._point(black, day)
            self._met[one].append((other, points, advantage))
            self._met[other].append((one, 1.0 - points, -advantage))
            self.counts[white] += 1
            self.counts[black] += 1
            players.update((white, black))
        return sorted(players)

    def _point(self, player: int, day: int) -> int:
        """Return the newest point of a career, a new one if the day is new."""
        career = self._careers[player]
        if career and day <= self._days[career[-1]]:
            return career[-1]
        if self._levels[player] != self._levels[player]:
            self._levels[player] = (self.parameters.first_rating - CENTER) / SCALE
        self._strengths.append(self._newest(player))
        self._days.append(day)
        self._met.append([])
        career.append(len(self._days) - 1)
        return career[-1]

    def _fit(self, players: Iterable[int]) -> float:
        """Take one Newton step for each player; return the longest."""
        return max((self._fit_one(player) for player in players), default=0.0)

    def _fit_one(self, player: int) -> float:
        career, strengths = self._careers[player], self._strengths
        if not career:
            return 0.0
        links = self._links(career)
        gradient, diagonal = self._slopes(player, links)
        step, self._variances[player] = newton_step(gradient, diagonal, links)
        longest = max(map(abs, step))
        share = _MAX_STEP / longest if longest > _MAX_STEP else 1.0
        for point, change in zip(career, step, strict=True):
            strengths[point] += share * change
        return longest

    def _links(self, career: Sequence[int]) -> list[float]:
        days = self._days
        precision = SCALE * SCALE / self.parameters.drift
        return [
            precision / (days[career[place]] - days[career[place - 1]])
            for place in range(1, len(career))
        ]

    def _slopes(
        self, player: int, links: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """Return the gradient of a career's log-likelihood, and minus its curvature."""
        strengths, met, tanh = self._strengths, self._met, math.tanh
        gradient, diagonal = [], []
        career = self._careers[player]
        for point in career:
            own, up, steep = strengths[point], 0.0, 0.0
            for opponent, score, advantage in met[point]:
                half = 0.5 * tanh(0.5 * (own - strengths[opponent] + advantage))
                up += score - 0.5 - half
                steep += 0.25 - half * half
            gradient.append(up)
            diagonal.append(steep)
        half = 0.5 * tanh(0.5 * (strengths[career[0]] - self._levels[player]))
        gradient[0] -= 2.0 * self._priors[player] * half
        diagonal[0] += 2.0 * self._priors[player] * (0.25 - half * half)
        for place, link in enumerate(links):
            pull = link * (strengths[career[place + 1]] - strengths[career[place]])
            gradient[place] += pull
            gradient[place + 1] -= pull
            diagonal[place] += link
            diagonal[place + 1] += link
        return gradient, diagonal

    def rating_history(self, player: int) -> list[tuple[int, float]]:
        """Return a player's whole career: days as ordinals, and ratings."""
        return [
            (self._days[point], CENTER + SCALE * self._strengths[point])
            for point in self._careers[player]
        ]

    def standing(self, player: int) -> Standing | None:
        strength = self._newest(player)
        if strength != strength:
            return None
        variance = self._variances[player] or 2.0 / self._priors[player]
        deviation = SCALE * math.sqrt(variance)
        career = self._careers[player]
        rating = CENTER + SCALE * strength
        return Standing(rating, self.counts[player], deviation, evaluations=len(career))

    def seed(self, player: int, standing: Standing) -> None:
        self._levels[player] = (standing.rating - CENTER) / SCALE
        self.counts[player] = standing.games
        if standing.deviation is not None:
            self._priors[player] = 2.0 * (SCALE / max(standing.deviation, 0.01)) ** 2


class WholeHistory(System):
    about = About(
        key="whole_history",
        label=_("Whole-History Rating"),
        years=_("2008 to today, mostly for Go"),
        summary=_(
            "The most likely course of each player’s strength over a whole "
            "career, fitted to all past games at once."
        ),
        shape=Shape.WHOLE_POOL,
        status=Status.OFFICIAL,
        sources=(
            PAPER,
            Source(
                _("whole-history-rating, a free implementation"),
                "https://pypi.org/project/whole-history-rating/",
            ),
        ),
    )
    parameters = Parameters
    table = WholeHistoryTable
    example = Example(
        player=None,
        games=((Standing(CENTER, deviation=1.0), 1.0),),
        printed="1690.8",
        source=BY_HAND,
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_score((player.rating - opponent.rating) / SCALE)


# --- The upper bound that uses the future ---


@dataclass(frozen=True)
class BoundParameters(Parameters):
    last_sweeps: int = parameter(
        200,
        _("Passes over all histories"),
        _("The maximum number of times all histories are fitted."),
        low=1,
        high=5000,
    )


class BradleyTerryTable(WholeHistoryTable):
    """Careers fitted once to all games; a period shows them as they were in it."""

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._knows_all = False
        self._reached = [-1] * pool.size

    def load_future_games(self, games: Games) -> None:
        self._add_games(games)
        self._fit_until_converged(self.parameters.last_sweeps)
        self.counts = [0] * len(self.counts)
        self._knows_all = True

    def predict(self, games: Games, moment: Moment) -> list[float]:
        if not self._knows_all:
            return super().predict(games, moment)
        return [
            expected_score(self._on(white, day) - self._on(black, day) + advantage)
            for white, black, day, advantage in zip(
                games.white,
                games.black,
                games.days,
                self._advantages(games),
                strict=True,
            )
        ]

    def _on(self, player: int, day: int) -> float:
        career = self._careers[player]
        return self._strengths[career[self._place(player, day)]]

    def _place(self, player: int, day: int) -> int:
        """Return the place in a career of the last point up to *day*."""
        career = self._careers[player]
        return max(0, bisect_right(career, day, key=self._days.__getitem__) - 1)

    def update(self, games: Games, moment: Moment) -> None:
        if not self._knows_all:
            self._add_games(games)
            self._fit_until_converged(self.parameters.last_sweeps)
            return
        rows = zip(games.white, games.black, games.days, strict=True)
        for white, black, day in rows:
            for player in (white, black):
                self.counts[player] += 1
                place = self._place(player, day)
                self._reached[player] = max(self._reached[player], place)

    def finish(self) -> None:
        """All is known from the beginning."""

    def standing(self, player: int) -> Standing | None:
        if not self._knows_all:
            return super().standing(player)
        reached = self._reached[player]
        if reached < 0:
            return None
        strength = self._strengths[self._careers[player][reached]]
        return Standing(CENTER + SCALE * strength, self.counts[player])

    def seed(self, player: int, standing: Standing) -> None:
        if not self._knows_all:
            super().seed(player, standing)


class BradleyTerry(WholeHistory):
    about = About(
        key="bradley_terry",
        label=_("Bradley-Terry, using future games"),
        years=_("1952; benchmark, not a rating system"),
        summary=_(
            "The most likely strengths, fitted to all games, including those to "
            "predict. It shows how much improvement is possible, and it can’t "
            "win a comparison."
        ),
        shape=Shape.WHOLE_POOL,
        status=Status.USES_THE_FUTURE,
        sources=(
            Source(
                _(
                    "Bradley and Terry: Rank analysis of incomplete block designs, "
                    "Biometrika 39 (1952)"
                ),
                "https://doi.org/10.2307/2334029",
            ),
            PAPER,
        ),
    )
    parameters = BoundParameters
    table = BradleyTerryTable


SYSTEMS: tuple[System, ...] = (WholeHistory(), BradleyTerry())
