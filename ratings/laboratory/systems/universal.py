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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ratings.laboratory.cases import Case
from ratings.laboratory.equations import (
    PlayerGames,
    components,
    eligible_game_counts,
    solve,
)
from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    UNKNOWN,
    About,
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
    white_advantage: float = parameter(
        30.0,
        _("White’s advantage"),
        _("In rating points. Use 0 when colors are unknown."),
        low=0,
        high=100,
    )
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


class UniversalTable(Table):
    """The games of six years as columns, and the newest ratings.

    A rating given by `seed` does not change until the player has enough games to be
    solved for. `components` are the groups of players of the newest list between whom
    no game was played: their ratings can only be compared through the mean.
    """

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        self.parameters = parameters
        self.ratings = [UNKNOWN] * pool.size
        self.counts = [0] * pool.size
        self.given: dict[int, float] = {}
        self.components: list[list[int]] = []
        self._white: list[int] = []
        self._black: list[int] = []
        self._points: list[float] = []
        self._advantages: list[float] = []
        self._days: list[int] = []
        self._speeds: list[float] = []
        self._listed: list[int] = []

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
        self._remember(games)
        self._forget_before(moment.day - MONTHS * DAYS_PER_MONTH)
        self._solve(self._weights(moment.day))

    def _remember(self, games: Games) -> None:
        self._white.extend(games.white)
        self._black.extend(games.black)
        self._points.extend(games.points)
        self._advantages.extend(games.advantages(self.parameters.white_advantage))
        self._days.extend(games.days)
        blitz = self.parameters.blitz
        speeds = {time: speed_weight(time, blitz) for time in set(games.minutes)}
        self._speeds.extend(speeds[minutes] for minutes in games.minutes)
        for column in (games.white, games.black):
            for player in column:
                self.counts[player] += 1

    def _forget_before(self, day: float) -> None:
        kept = [place for place, when in enumerate(self._days) if when > day]
        if len(kept) < len(self._days):
            self._white = [self._white[place] for place in kept]
            self._black = [self._black[place] for place in kept]
            self._points = [self._points[place] for place in kept]
            self._advantages = [self._advantages[place] for place in kept]
            self._days = [self._days[place] for place in kept]
            self._speeds = [self._speeds[place] for place in kept]

    def _weights(self, today: int) -> list[float]:
        half_life = self.parameters.half_life
        ages = {
            day: age_weight(max(0, today - day) / DAYS_PER_MONTH, half_life)
            for day in set(self._days)
        }
        return [
            ages[day] * speed
            for day, speed in zip(self._days, self._speeds, strict=True)
        ]

    def _solve(self, weights: Sequence[float]) -> None:
        size, least, given = len(self.ratings), self.parameters.least_games, self.given
        counts = eligible_game_counts(
            size, self._white, self._black, weights, least, given
        )
        for player in [p for p in given if counts.get(p, 0.0) >= least]:
            del given[player]
        chosen = _Chosen.of(self, counts, weights)
        mean = self.parameters.mean
        guess = [self.ratings[player] for player in chosen.players]
        guess = [mean if rating != rating else rating for rating in guess]
        for player in self._listed:
            self.ratings[player] = UNKNOWN
        for player, rating in given.items():
            self.ratings[player] = rating
        solved = most_likely(chosen, self.parameters, guess)
        for player, rating in zip(chosen.players, solved, strict=True):
            self.ratings[player] = rating
        self._listed = chosen.players
        groups = components(range(len(solved)), chosen.white, chosen.black)
        self.components = [[chosen.players[place] for place in one] for one in groups]

    def standing(self, player: int) -> Standing | None:
        rating = self.ratings[player]
        return None if rating != rating else Standing(rating, self.counts[player])

    def seed(self, player: int, standing: Standing) -> None:
        self.given[player] = self.ratings[player] = standing.rating
        self.counts[player] = standing.games


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

    @classmethod
    def of(
        cls,
        table: UniversalTable,
        counts: Mapping[int, float],
        weights: Sequence[float],
    ) -> _Chosen:
        given = table.given
        players = [player for player in counts if player not in given]
        place_of = [-1] * len(table.ratings)
        for place, player in enumerate(players):
            place_of[player] = place
        chosen = cls(players, [], [], [], [], [], [])
        for white, black, points, advantage, weight in zip(
            table._white,
            table._black,
            table._points,
            table._advantages,
            weights,
            strict=True,
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

    def begin(self, pool: Pool, parameters: Parameters | None = None) -> UniversalTable:
        return UniversalTable(pool, parameters or Parameters())

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_score(player.rating - opponent.rating)


SYSTEMS: tuple[System, ...] = (Universal(),)
CASES: Mapping[str, Case] = {}
