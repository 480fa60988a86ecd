"""Elo-MMR: ratings for contests of many players (Ebtekar and Liu 2021; section 26).

A contest says who did better than whom. From it each player gets a performance, the
one that explains the place among these opponents best; the rating is a robust average
of a player's performances, in which an odd one counts less and old ones fade.

The paper does not define a contest in chess, so there are two systems: a game between
two players, or a whole event with its final order, by shares of points because not all
play equally many games.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ratings.laboratory.cases import Case
from ratings.laboratory.parameters import again, parameter, white_advantage
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

from . import glicko

CENTER: Final = 1500.0
LIMIT: Final = 80.0
SHARE: Final = 0.2
BETA: Final = LIMIT * math.sqrt(1.0 + 1.0 / SHARE)
FIRST_DEVIATION: Final = 350.0

_LOGISTIC: Final = math.pi / math.sqrt(3.0)
_ELO_PER_POINT: Final = 400.0 / math.log(10.0) * _LOGISTIC / (math.sqrt(2.0) * BETA)
_TOLERANCE: Final = 1e-9
_MAX_ITERATIONS: Final = 100

PAPER: Final = Source(
    _("Ebtekar and Liu: Elo-MMR, a rating system for massive multiplayer games (2021)"),
    "https://arxiv.org/abs/2101.00400",
)
PACKAGE: Final = Source(
    _("elo-mmr-py, a free implementation"), "https://pypi.org/project/elo-mmr-py/"
)


# --- The formulas ---


class Rival(NamedTuple):
    """An opponent in a contest.

    *mean* is the rating, *spread* the standard deviation of a performance (δ), *score*
    1 where they did worse, 0 where they did better, ½ where level.
    """

    mean: float
    spread: float
    score: float


def performance(own: Rival, rivals: Sequence[Rival]) -> float:
    """Return the performance that explains a place best (paper, equation 7).

    The player is level with themselves: that is the prior. The sum falls as the
    performance rises, so there is one zero, which Newton's steps find between two ends.

    >>> even = Rival(1500.0, 400.0, 0.5)
    >>> performance(even, [even]), performance(even, [even._replace(score=1.0)]) > 1600
    (1500.0, True)
    """
    terms = [
        (one.mean, _LOGISTIC / one.spread, 2.0 * one.score - 1.0)
        for one in (own, *rivals)
    ]
    reach = 20.0 * max(own.spread, *(one.spread for one in rivals))
    low = min(own.mean, *(one.mean for one in rivals)) - reach
    high = max(own.mean, *(one.mean for one in rivals)) + reach
    guess, tanh = own.mean, math.tanh
    for _step in range(_MAX_ITERATIONS):
        value = slope = 0.0
        for mean, weight, won in terms:
            level = tanh(0.5 * weight * (guess - mean))
            # A level game is a win and a loss at once, so it counts twice.
            times = weight if won else 2.0 * weight
            value += won * weight - times * level
            slope += 0.5 * weight * times * (1.0 - level * level)
        low, high = (guess, high) if value > 0.0 else (low, guess)
        step = value / slope if slope > 0.0 else math.inf
        if abs(step) < _TOLERANCE:
            break
        guess += step
        if not low < guess < high:
            guess = 0.5 * (low + high)
    return guess


class PlayerState:
    """The state of a player: a normal curve, and the newest performances.

    *normal* and *weight* are mean and precision of the curve, *mean* and *variance*
    those of the rating. Each performance has its precision, which fades.
    """

    __slots__ = ("mean", "normal", "performances", "variance", "weight")

    def __init__(self, mean: float, variance: float) -> None:
        self.mean = self.normal = mean
        self.variance = variance
        self.weight = 1.0 / variance
        self.performances: deque[tuple[float, float]] = deque()

    def diffuse(self, drift: float, robustness: float) -> None:
        """Let the past fade before a contest (algorithm 2).

        *drift* is added to the variance. Each performance loses weight, a part of it
        to the normal curve: the less robust, the more.
        """
        kept = self.variance / (self.variance + drift)
        stays = kept**robustness
        self.variance += drift
        moved = sum(weight for _, weight in self.performances) + self.weight
        moved *= 1.0 - stays
        total = stays * self.weight + moved
        self.normal = (stays * self.weight * self.normal + moved * self.mean) / total
        self.weight = kept * total
        self.performances = deque(
            (value, weight * stays * kept) for value, weight in self.performances
        )

    def learn(self, performed: float, beta: float, most: int) -> None:
        """Take in a performance and find the rating again (algorithm 3).

        Beyond *most* performances the oldest goes into the normal curve.
        """
        if len(self.performances) >= most:
            value, weight = self.performances.popleft()
            total = self.weight + weight
            self.normal = (self.weight * self.normal + weight * value) / total
            self.weight = total
        precision = 1.0 / (beta * beta)
        self.performances.append((performed, precision))
        self.variance = 1.0 / (1.0 / self.variance + precision)
        self.mean = self._average(beta)

    def _average(self, beta: float) -> float:
        """Return the zero of w₀(x − p₀) + Σ w(β²/β̄)·tanh((x − p)/2β̄), β̄ = β√3/π."""
        width, height = 2.0 * beta / _LOGISTIC, beta * _LOGISTIC
        guess, tanh = self.mean, math.tanh
        values = [self.normal, *(value for value, _ in self.performances)]
        low, high = min(values), max(values)
        for _step in range(_MAX_ITERATIONS):
            gap = self.weight * (guess - self.normal)
            slope = self.weight
            for value, weight in self.performances:
                level = tanh((guess - value) / width)
                gap += weight * height * level
                slope += weight * height / width * (1.0 - level * level)
            low, high = (low, guess) if gap > 0.0 else (guess, high)
            step = gap / slope
            if abs(step) < _TOLERANCE:
                break
            guess -= step
            if not low <= guess <= high:
                guess = 0.5 * (low + high)
        return guess


def expected_score(lead: float, variance: float) -> float:
    """Return the score of a player *lead* ahead; *variance* is that of both together.

    The logistic curve with the same variance, as the performances have it.

    >>> expected_score(0.0, 80_000.0), round(expected_score(200.0, 80_000.0), 3)
    (0.5, 0.783)
    """
    return 0.5 + 0.5 * math.tanh(0.5 * _LOGISTIC * lead / math.sqrt(variance))


# --- The systems ---


@dataclass(frozen=True)
class Parameters:
    limit: float = parameter(
        LIMIT,
        _("Deviation after many contests"),
        _("In points on this scale."),
        low=1,
        high=500,
    )
    share: float = parameter(
        SHARE,
        _("Weight of a contest after many contests"),
        _(
            "The share by which the variance grows before a contest. With the "
            "deviation, it sets how far one performance may be off (β)."
        ),
        low=0.001,
        high=10,
    )
    robustness: float = parameter(
        1.0,
        _("Rate at which performances become a plain average (ρ)"),
        _("0 keeps the average robust. Large values make it work like Elo."),
        low=0,
        high=100,
    )
    history: int = parameter(
        16,
        _("Performances kept"),
        _("Older ones have little weight and become part of the normal curve."),
        low=1,
        high=1000,
    )
    first_rating: float = again(glicko.Parameters, "first_rating", CENTER)
    first_deviation: float = parameter(
        FIRST_DEVIATION,
        _("Deviation of a new player"),
        _("In points on this scale."),
        low=30,
        high=1000,
    )
    white_advantage: float = white_advantage()

    @property
    def drift(self) -> float:
        """The variance that a contest adds (γ²)."""
        return self.share * self.limit**2

    @property
    def beta(self) -> float:
        """The deviation of a performance, with which deviations end at the limit."""
        return self.limit * math.sqrt(1.0 + 1.0 / self.share)


class EloMmrTable(Table):
    """A career for each player with games; a contest is a game."""

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._careers: list[PlayerState | None] = [None] * pool.size

    def predict(self, games: Games, moment: Moment) -> list[float]:
        rules, careers = self.parameters, self._careers
        advantages = games.advantages(rules.white_advantage / _ELO_PER_POINT)
        noise = 2.0 * (rules.beta**2 + rules.drift)
        found = []
        for white, black, advantage in zip(
            games.white, games.black, advantages, strict=True
        ):
            one, other = careers[white], careers[black]
            if one is None or other is None:
                found.append(UNKNOWN)
            else:
                lead = one.mean - other.mean + advantage
                variance = one.variance + other.variance + noise
                found.append(expected_score(lead, variance))
        return found

    def update(self, games: Games, moment: Moment) -> None:
        self.count(games)
        rows = zip(games.white, games.black, games.points, strict=True)
        for white, black, points in rows:
            self._rate({white: points, black: 1.0 - points})

    def _rate(self, scores: Mapping[int, float]) -> None:
        """Rate a contest: the higher score wins."""
        rules = self.parameters
        contest = []
        for player, score in sorted(scores.items()):
            career = self._career(player)
            career.diffuse(rules.drift, rules.robustness)
            spread = math.sqrt(career.variance + rules.beta**2)
            contest.append((career, Rival(career.mean, spread, score)))
            self.evaluations[player] += 1
        performed = [
            performance(own._replace(score=0.5), _rivals_of(place, contest))
            for place, (_career, own) in enumerate(contest)
        ]
        for (career, _own), value in zip(contest, performed, strict=True):
            career.learn(value, rules.beta, rules.history)

    def _career(self, player: int) -> PlayerState:
        career = self._careers[player]
        if career is None:
            start = self.parameters
            career = PlayerState(start.first_rating, start.first_deviation**2)
            self._careers[player] = career
        return career

    def standing(self, player: int) -> Standing | None:
        career = self._careers[player]
        if career is None:
            return None
        deviation = math.sqrt(career.variance)
        contests = self.evaluations[player]
        return Standing(career.mean, self.counts[player], deviation, None, contests)

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        deviation = glicko.deviation_of(standing, self.parameters.first_deviation)
        self._careers[player] = PlayerState(standing.rating, max(deviation**2, 1e-6))


def _rivals_of(place: int, contest: Iterable[tuple[PlayerState, Rival]]) -> list[Rival]:
    """Return the others of a contest with the score against each."""
    rivals = [one for _career, one in contest]
    own = rivals[place].score
    return [
        one._replace(score=0.5 * ((own > one.score) - (own < one.score)) + 0.5)
        for number, one in enumerate(rivals)
        if number != place
    ]


class EloMmrEventsTable(EloMmrTable):
    """A contest is an event: its players in the order of their shares of points."""

    def update(self, games: Games, moment: Moment) -> None:
        self.count(games)
        scores: dict[int, float] = {}
        played: dict[int, int] = {}
        rows = zip(games.white, games.black, games.points, strict=True)
        for white, black, points in rows:
            for player, score in ((white, points), (black, 1.0 - points)):
                scores[player] = scores.get(player, 0.0) + score
                played[player] = played.get(player, 0) + 1
        if scores:
            self._rate({one: score / played[one] for one, score in scores.items()})


class EloMmr(System):
    about = About(
        key="elo_mmr.games",
        label=_("Elo-MMR, game by game"),
        years=_("2021 to today, programming contests"),
        summary=_(
            "A robust average of performances that fade with time. One unusual "
            "result moves a rating less than in Elo. Each game is a contest of "
            "two players."
        ),
        shape=Shape.PER_GAME,
        status=Status.OFFICIAL,
        sources=(PAPER, PACKAGE),
    )
    parameters = Parameters
    table = EloMmrTable
    example = Example(
        player=Standing(CENTER, deviation=FIRST_DEVIATION),
        games=((Standing(CENTER, deviation=FIRST_DEVIATION), 1.0),),
        printed="1629",
        source=PACKAGE,
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        variance = 2.0 * (BETA**2 + Parameters().drift)
        for one in (player, opponent):
            variance += glicko.deviation_of(one, FIRST_DEVIATION) ** 2
        return expected_score(player.rating - opponent.rating, variance)

    def on_elo_scale(self, rating: float) -> float:
        """Return a rating in points of Elo's curve: equal leads expect equally.

        >>> SYSTEMS[0].on_elo_scale(1500.0), round(SYSTEMS[0].on_elo_scale(1600.0), 1)
        (1500.0, 1613.7)
        """
        return CENTER + (rating - CENTER) * _ELO_PER_POINT

    def from_elo_scale(self, rating: float) -> float:
        return CENTER + (rating - CENTER) / _ELO_PER_POINT


class EloMmrEvents(EloMmr):
    about = About(
        key="elo_mmr.events",
        label=_("Elo-MMR, event by event"),
        years=_("2021 to today, programming contests"),
        summary=_(
            "The same, but a contest is a whole event with its final standings, "
            "as in the paper. Works best for round robins."
        ),
        shape=Shape.PER_EVENT,
        status=Status.OFFICIAL,
        sources=(PAPER, PACKAGE),
    )
    table = EloMmrEventsTable


# --- Published cases ---


def _case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """One game between two new players; numbers are whole, as the program's."""
    table = EloMmrTable(Pool(2), Parameters())
    for player in (0, 1):
        table.seed(player, Standing(inputs["mu"], deviation=inputs["sigma"]))
    table._rate({0: 1.0, 1: 0.0})
    found = {}
    for player, name in enumerate(("winner", "loser")):
        career = table._career(player)
        found[name] = [career.mean, math.sqrt(career.variance)]
    return found


SYSTEMS: tuple[System, ...] = (EloMmr(), EloMmrEvents())
CASES: Mapping[str, Case] = {"elo_mmr": _case}
