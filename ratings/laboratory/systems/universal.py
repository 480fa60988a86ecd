"""Universal Rating System: our reconstruction of an unpublished method (section 22).

Its authors published: one rating per player; all games of 72 months in one pool; older
and faster games count less; all players are solved at once; no Elo ratings enter. The
decay, the weights of faster games, the regularization and the scale are not public, so
those here are ours, to be fitted to a history.

The ratings maximize Σ w[S ln p + (1 − S) ln(1 − p)] − Σ(θ − μ)²/(2τ²), where p is the
logistic expectation with White's advantage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ratings.laboratory.equations import (
    PlayerGames,
    WindowTable,
    components,
    solve,
)
from ratings.laboratory.parameters import parameter, white_advantage
from ratings.laboratory.protocol import (
    About,
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

MONTHS: Final = 72
DAYS_PER_MONTH: Final = 30.4375
SLOWEST_MINUTES: Final = 120
FASTEST_MINUTES: Final = 5

_Q: Final = math.log(10.0) / 400.0
_TOLERANCE: Final = 1e-3
_MAX_ITERATIONS: Final = 100
# No rating moves further in one step, so that the first steps cannot overshoot.
_MAX_STEP: Final = 400.0

QUESTIONS: Final = Source(
    _("Universal Rating System: questions and answers"),
    "http://universalrating.com/faqs.php",
)


# --- The formulas ---


def age_weight(months: float, half_life: float) -> float:
    """Return the weight of a game so many months old; after *half_life* it is half.

    >>> [age_weight(months, 24.0) for months in (0, 24, 48, 72)]
    [1.0, 0.5, 0.25, 0.0]
    """
    return 0.5 ** (months / half_life) if months < MONTHS else 0.0


def speed_weight(minutes: int, blitz: float) -> float:
    """Return the weight of a game with so many minutes for 60 moves.

    It rises with the logarithm of the time from *blitz* at 5 minutes to 1 at 120; a
    game of unknown speed (0) counts fully.

    >>> [round(speed_weight(minutes, 0.3), 3) for minutes in (3, 5, 25, 120, 0)]
    [0.3, 0.3, 0.654, 1.0, 1.0]
    """
    if minutes <= 0 or minutes >= SLOWEST_MINUTES:
        return 1.0
    if minutes <= FASTEST_MINUTES:
        return blitz
    range_of_time = math.log(SLOWEST_MINUTES / FASTEST_MINUTES)
    return blitz + (1.0 - blitz) * math.log(minutes / FASTEST_MINUTES) / range_of_time


def expected_score(lead: float) -> float:
    """Return the expected score of a player *lead* rating points ahead.

    >>> expected_score(0.0), round(expected_score(400.0), 4)
    (0.5, 0.9091)
    """
    return 1.0 / (1.0 + math.exp(-_Q * lead))


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    half_life: float = parameter(
        24.0,
        _("Half-life of a game"),
        _("Months until a game’s weight is half. This is our estimate."),
        low=1,
        high=120,
    )
    blitz: float = parameter(
        0.3,
        _("Weight of a blitz game"),
        _("At 5 minutes. A 2-hour game has a weight of 1. This is our estimate."),
        low=0.01,
        high=1,
    )
    spread: float = parameter(
        350.0,
        _("Spread of the pool (τ)"),
        _(
            "In rating points: how far from the mean a player is expected to be "
            "before any game. This is our estimate."
        ),
        low=50,
        high=1000,
    )
    mean: float = parameter(
        1500.0, _("Mean of the pool (μ)"), _("In rating points."), low=0, high=3000
    )
    white_advantage: float = white_advantage(30.0, _("White’s advantage"))
    least_games: float = parameter(
        5.0,
        _("Minimum weighted games"),
        _(
            "Players with fewer games in six years against others on the list are "
            "not listed."
        ),
        low=0.1,
        high=50,
    )


class UniversalTable(WindowTable):
    """The games of six years, and the newest ratings.

    `components` are the groups of players of the newest list between whom no game was
    played: their ratings can only be compared through the mean.
    """

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters, columns=6)
        self.components: list[list[int]] = []

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings, exp, q = self.ratings, math.exp, -_Q
        advantages = games.advantages(self.parameters.white_advantage)
        return [
            1.0 / (1.0 + exp(q * (ratings[white] - ratings[black] + advantage)))
            for white, black, advantage in zip(
                games.white, games.black, advantages, strict=True
            )
        ]

    def update(self, games: Games, moment: Moment) -> None:
        blitz = self.parameters.blitz
        speeds = {time: speed_weight(time, blitz) for time in set(games.minutes)}
        self.remember(
            games,
            games.days,
            games.advantages(self.parameters.white_advantage),
            (speeds[minutes] for minutes in games.minutes),
        )
        self.forget_until(moment.day - MONTHS * DAYS_PER_MONTH)
        self._solve(self._weights(moment.day))

    def _weights(self, today: int) -> list[float]:
        half_life, days = self.parameters.half_life, self.columns[3]
        ages = {
            day: age_weight(max(0, today - day) / DAYS_PER_MONTH, half_life)
            for day in set(days)
        }
        return [
            ages[day] * speed for day, speed in zip(days, self.columns[5], strict=True)
        ]

    def _solve(self, weights: Sequence[float]) -> None:
        chosen = self._chosen(weights)
        guess = self.first_guess(chosen.players, self.parameters.mean)
        solved = most_likely(chosen, self.parameters, guess)
        self.publish(chosen.players, solved)
        self.listed = chosen.players
        groups = components(range(len(solved)), chosen.white, chosen.black)
        self.components = [[chosen.players[place] for place in one] for one in groups]

    def _chosen(self, weights: Sequence[float]) -> _Chosen:
        given = self.given
        _counts, players, place_of = self.choose(weights)
        chosen = _Chosen(players, [], [], [], [], [], [])
        white_column, black_column, all_points, _days, advantages, _speeds = (
            self.columns
        )
        for white, black, points, advantage, weight in zip(
            white_column, black_column, all_points, advantages, weights, strict=True
        ):
            one, other = place_of[white], place_of[black]
            if one >= 0 and other >= 0:
                chosen.white.append(one)
                chosen.black.append(other)
                chosen.points.append(points)
                chosen.advantages.append(advantage)
                chosen.weights.append(weight)
            elif one >= 0 and black in given:
                level = given[black] - advantage
                chosen.fixed.append((one, level, points, weight))
            elif other >= 0 and white in given:
                level = given[white] + advantage
                chosen.fixed.append((other, level, 1.0 - points, weight))
        return chosen


@dataclass
class _Chosen:
    """The games that a list is made of, by places of its players.

    *fixed* are games against an opponent whose rating is given: the place, the
    opponent's rating less the advantage of the player's color, score and weight.
    """

    players: list[int]
    white: list[int]
    black: list[int]
    points: list[float]
    advantages: list[float]
    weights: list[float]
    fixed: list[tuple[int, float, float, float]]


def most_likely(
    chosen: _Chosen, parameters: Parameters, guess: Sequence[float]
) -> list[float]:
    """Return the ratings under which the results are most likely (Newton's method).

    In rating points. There is one best answer, wherever the search begins.
    """
    ratings = list(guess)
    meetings = PlayerGames(len(ratings), chosen.white, chosen.black)
    for _step in range(_MAX_ITERATIONS):
        gradient, diagonal, curvature = _slopes(chosen, parameters, ratings)
        weights = meetings.weights(curvature)
        none = [0.0] * len(ratings)
        # A step need not be more exact than it is long: the next one corrects it.
        slopes = zip(gradient, diagonal, strict=True)
        length = max((abs(up / own) for up, own in slopes), default=0.0)
        tolerance = max(_TOLERANCE, 0.01 * length)
        step = solve(meetings, diagonal, weights, gradient, none, tolerance)
        longest = max(map(abs, step), default=0.0)
        share = min(1.0, _MAX_STEP / longest) if longest else 1.0
        ratings = [
            rating + share * change
            for rating, change in zip(ratings, step, strict=True)
        ]
        if longest <= 10.0 * _TOLERANCE:
            break
    return ratings


def _slopes(
    chosen: _Chosen, parameters: Parameters, ratings: Sequence[float]
) -> tuple[list[float], list[float], list[float]]:
    """Return the gradient, and the curvature by player and by game.

    Both are divided by q, so that a Newton step is in rating points.
    """
    prior = 1.0 / (_Q * parameters.spread**2)
    exp, q = math.exp, _Q
    gradient = [prior * (parameters.mean - rating) for rating in ratings]
    diagonal = [prior] * len(ratings)
    curvature = []
    for white, black, points, advantage, weight in zip(
        chosen.white,
        chosen.black,
        chosen.points,
        chosen.advantages,
        chosen.weights,
        strict=True,
    ):
        expected = 1.0 / (1.0 + exp(q * (ratings[black] - ratings[white] - advantage)))
        surprise = weight * (points - expected)
        steepness = weight * q * expected * (1.0 - expected)
        gradient[white] += surprise
        gradient[black] -= surprise
        diagonal[white] += steepness
        diagonal[black] += steepness
        curvature.append(steepness)
    for place, level, score, weight in chosen.fixed:
        expected = 1.0 / (1.0 + exp(q * (level - ratings[place])))
        gradient[place] += weight * (score - expected)
        diagonal[place] += weight * q * expected * (1.0 - expected)
    return gradient, diagonal, curvature


class Universal(System):
    about = About(
        key="universal",
        label=_("Universal Rating System (reconstruction)"),
        years=_("2017 to today"),
        summary=_(
            "One rating from games at all speeds over six years, solved for all "
            "players at once. The real constants are not public, so we use our "
            "own."
        ),
        shape=Shape.WHOLE_POOL,
        status=Status.RECONSTRUCTION,
        sources=(
            QUESTIONS,
            Source(
                _("Universal Rating System: about us"),
                "http://universalrating.com/about-us.php",
            ),
        ),
    )
    parameters = Parameters
    table = UniversalTable

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_score(player.rating - opponent.rating)


SYSTEMS: tuple[System, ...] = (Universal(),)
