"""TrueSkill Through Time (Dangauthier, Herbrich, Minka, and Graepel 2007; section 26).

A player's strength is a normal curve in each period, and moves at random from one to
the next. A game is won by more than a margin in form, or else drawn. All that is known
is passed along as messages: from games to players, forward in time, and in the end
backward too, so that an opponent's later results correct an early rating.

Predictions use the forward messages only. TrueSkill is a trademark of Microsoft, whose
patents on the method are named on its page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, NamedTuple

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

from . import openskill
from .glicko import deviation_of
from .openskill import BETA, FIRST_DEVIATION, FIRST_MEAN, TAU

DRAWS: Final = 0.3

_ELO_CENTER: Final = 1500.0
# β is a class of 200 points of Elo's, whose curve is the normal one, too.
_ELO_PER_POINT: Final = 200.0 / BETA
_ROOT_HALF: Final = math.sqrt(0.5)
_DENSITY: Final = 1.0 / math.sqrt(2.0 * math.pi)
# Beyond so many deviations a result is a wonder, and the curve's tail is its limit.
_TAIL_LIMIT: Final = 25.0
_MIN_PRECISION: Final = 1e-12

PAPER: Final = Source(
    _(
        "Dangauthier, Herbrich, Minka, and Graepel: TrueSkill Through Time, revisiting "
        "the history of chess (2007)"
    ),
    "https://papers.nips.cc/paper/3331-trueskill-through-time-revisiting-the-history-of-chess",
)
PACKAGE: Final = Source(
    _("trueskill, a free implementation without the time model"),
    "https://trueskill.org/",
)


# --- The formulas ---


def normal_pdf(x: float) -> float:
    """Return the standard normal density."""
    return _DENSITY * math.exp(-0.5 * x * x)


def normal_cdf(x: float) -> float:
    """Return the standard normal distribution: the probability of less than *x*.

    >>> normal_cdf(0.0), round(normal_cdf(1.96), 3)
    (0.5, 0.975)
    """
    return 0.5 * math.erfc(-x * _ROOT_HALF)


def draw_margin(share: float, beta: float) -> float:
    """Return the margin (ε) by which a *share* of games between equals is drawn.

    >>> round(draw_margin(0.1, 25 / 6), 4), draw_margin(0.0, 25 / 6)
    (0.7405, 0.0)
    """
    return NormalDist().inv_cdf(0.5 * (share + 1.0)) * math.sqrt(2.0) * beta


def win(t: float, margin: float) -> tuple[float, float]:
    """Return v and w of a won game: the size of the change, and its information.

    *t* is the expected lead, *margin* that of draws, both in deviations.

    >>> [round(value, 4) for value in win(0.0, 0.0)]
    [0.7979, 0.6366]
    """
    lead = t - margin
    if lead < -_TAIL_LIMIT:
        return -lead, 1.0
    v = normal_pdf(lead) / normal_cdf(lead)
    return v, v * (v + lead)


def draw(t: float, margin: float) -> tuple[float, float]:
    """Return v and w of a drawn game.

    >>> [round(value, 4) for value in draw(1.0, 0.2)]
    [-0.9868, 0.9868]
    """
    high, low = margin - t, -margin - t
    chance = normal_cdf(high) - normal_cdf(low)
    if chance < 1e-300 or high < -_TAIL_LIMIT or low > _TAIL_LIMIT:
        return (high if t > 0.0 else low), 1.0
    v = (normal_pdf(low) - normal_pdf(high)) / chance
    return v, v * v + (high * normal_pdf(high) - low * normal_pdf(low)) / chance


def expected_score(lead: float, deviation: float, margin: float) -> float:
    """Return the expected score: a win counts one, a draw a half.

    >>> expected_score(0.0, 5.0, 1.0), round(expected_score(5.0, 5.0, 0.0), 4)
    (0.5, 0.8413)
    """
    won = normal_cdf((lead - margin) / deviation)
    return 0.5 * (won + normal_cdf((lead + margin) / deviation))


class Gaussian(NamedTuple):
    """A normal curve as a message: its precision, and precision times mean.

    Of two messages about the same thing both numbers are added.
    """

    precision: float = 0.0
    weighted: float = 0.0

    def times(self, other: Gaussian) -> Gaussian:
        return Gaussian(self.precision + other[0], self.weighted + other[1])

    def without(self, other: Gaussian) -> Gaussian:
        return Gaussian(self.precision - other[0], self.weighted - other[1])

    def later(self, variance: float) -> Gaussian:
        """Return the same after the strength has moved by this *variance*."""
        precision = self.precision / (1.0 + self.precision * variance)
        return Gaussian(precision, self.weighted / self.precision * precision)

    @property
    def mean(self) -> float:
        return self.weighted / self.precision

    @property
    def variance(self) -> float:
        return 1.0 / self.precision


NOTHING: Final = Gaussian()
"""The message that says nothing."""


def curve(mean: float, variance: float) -> Gaussian:
    return Gaussian(1.0 / variance, mean / variance)


def game_messages(
    white: Gaussian, black: Gaussian, points: float, model: Model
) -> tuple[Gaussian, Gaussian]:
    """Return a game's messages about White and about Black.

    *white* and *black* are their strengths without this game.

    >>> newcomer = curve(25.0, (25 / 3) ** 2)
    >>> model = Model(25 / 6, draw_margin(0.1, 25 / 6), 0.0)
    >>> told = game_messages(newcomer, newcomer, 1.0, model)[0]
    >>> won = newcomer.times(told)
    >>> round(won.mean, 3), round(math.sqrt(won.variance), 3)
    (29.396, 7.171)
    """
    one, other = white.variance, black.variance
    squared = one + other + 2.0 * model.beta * model.beta
    deviation = math.sqrt(squared)
    t = (white.mean - black.mean + model.advantage) / deviation
    margin = model.margin / deviation
    if points == 0.5:
        v, w = draw(t, margin)
    elif points > 0.5:
        v, w = win(t, margin)
    else:
        v, w = win(-t, margin)
        v = -v
    return (
        _message(white, one, v, w, deviation, squared),
        _message(black, other, -v, w, deviation, squared),
    )


def _message(
    known: Gaussian,
    variance: float,
    v: float,
    w: float,
    deviation: float,
    squared: float,
) -> Gaussian:
    """Return the curve that brings *known* to the moments given by v and w."""
    left = max(1.0 - variance / squared * w, 1e-9)
    precision = known.precision / left
    mean = known.mean + variance / deviation * v
    told = max(precision - known.precision, _MIN_PRECISION)
    return Gaussian(told, mean * (known.precision + told) - known.weighted)


class Model(NamedTuple):
    """The model of a game: spread of form, margin of draws, White's advantage."""

    beta: float
    margin: float
    advantage: float


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    gamma: float = parameter(
        TAU,
        _("Drift per period (γ)"),
        _("In points on this scale, each worth 48 rating points."),
        low=0,
        high=5,
    )
    beta: float = again(openskill.Parameters, "beta")
    draws: float = parameter(
        DRAWS,
        _("Share of draws between equals"),
        _("Sets the margin needed to win a game."),
        low=0,
        high=0.9,
    )
    first_mean: float = again(openskill.Parameters, "first_mean")
    first_deviation: float = again(openskill.Parameters, "first_deviation")
    white_advantage: float = white_advantage(label=_("White’s advantage"))
    passes: int = parameter(
        3,
        _("Passes over the games of a period"),
        _("The maximum number of times a period’s games are processed again."),
        low=1,
        high=100,
    )
    smoothing: int = parameter(
        5,
        _("Passes through time at the end"),
        _("Backward and forward over all periods. 0 keeps the forward ratings."),
        low=0,
        high=100,
    )

    @property
    def model(self) -> Model:
        return Model(
            self.beta,
            draw_margin(self.draws, self.beta),
            self.white_advantage / _ELO_PER_POINT,
        )


class TimeSlice:
    """A player in one period: messages from before, from games and from after."""

    __slots__ = ("after", "before", "games", "period")

    def __init__(self, period: int, before: Gaussian) -> None:
        self.period = period
        self.before = before
        self.games = NOTHING
        self.after = NOTHING

    @property
    def known(self) -> Gaussian:
        return self.before.times(self.games).times(self.after)


class GameFactor:
    """A game between two slices, and its message to each."""

    __slots__ = ("black", "model", "points", "to_black", "to_white", "white")

    def __init__(
        self, white: TimeSlice, black: TimeSlice, points: float, model: Model
    ) -> None:
        self.white, self.black, self.points = white, black, points
        self.model = model
        self.to_white = self.to_black = NOTHING

    def send(self) -> float:
        """Send both messages again; return how far the greater moved a mean."""
        white, black = self.white, self.black
        known_white, known_black = white.known, black.known
        to_white, to_black = game_messages(
            known_white.without(self.to_white),
            known_black.without(self.to_black),
            self.points,
            self.model,
        )
        white.games = white.games.without(self.to_white).times(to_white)
        black.games = black.games.without(self.to_black).times(to_black)
        self.to_white, self.to_black = to_white, to_black
        return max(
            abs(white.known.mean - known_white.mean),
            abs(black.known.mean - known_black.mean),
        )


class TrueSkillTable(Table):
    """For each player their slices, and for each period its games."""

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._model = parameters.model
        self._careers: list[list[TimeSlice]] = [[] for _ in range(pool.size)]
        self._starts: list[Gaussian | None] = [None] * pool.size
        self._periods: list[list[GameFactor]] = []
        # Who plays in each: their careers, and the place of the slice in them.
        self._entries: list[list[tuple[list[TimeSlice], int]]] = []

    def predict(self, games: Games, moment: Moment) -> list[float]:
        model = self._model
        form = 2.0 * model.beta**2
        players = {*games.white, *games.black}
        now = {player: self._now(player, moment.period) for player in players}
        found = []
        for white, black, advantage in zip(
            games.white, games.black, games.advantages(model.advantage), strict=True
        ):
            (mean, variance), (other, more) = now[white], now[black]
            lead = mean - other + advantage
            deviation = math.sqrt(variance + more + form)
            found.append(expected_score(lead, deviation, model.margin))
        return found

    def _now(self, player: int, period: int) -> tuple[float, float]:
        """Return mean and variance of a player in a period; unknown if unrated."""
        career, start = self._careers[player], self._starts[player]
        if not career:
            return (start.mean, start.variance) if start else (UNKNOWN, 1.0)
        newest = career[-1]
        idle = max(0, period - newest.period)
        known = newest.known
        return known.mean, known.variance + idle * self.parameters.gamma**2

    def update(self, games: Games, moment: Moment) -> None:
        if not len(games):
            return
        colored, colorless = self._model, self._model._replace(advantage=0.0)
        rows = sorted(
            (black, white, 1.0 - points, known)
            if white > black and not known
            else (white, black, points, known)
            for white, black, points, known in zip(
                games.white,
                games.black,
                games.points,
                games.advantages(1.0),
                strict=True,
            )
        )
        slices = {
            player: self._slice(player, moment.period)
            for player in sorted({*games.white, *games.black})
        }
        played = [
            GameFactor(
                slices[one], slices[two], points, colored if known else colorless
            )
            for one, two, points, known in rows
        ]
        self.count(games)
        self._periods.append(played)
        careers = [self._careers[player] for player in slices]
        self._entries.append([(career, len(career) - 1) for career in careers])
        _iterate_period(played, self.parameters.passes)

    def _slice(self, player: int, period: int) -> TimeSlice:
        """Return a player's slice of a period, a new one if there is none."""
        career = self._careers[player]
        if career and career[-1].period >= period:
            return career[-1]
        if career:
            before = self._later(career[-1], period)
        else:
            before = self._starts[player] or self._newcomer()
        career.append(TimeSlice(period, before))
        return career[-1]

    def _newcomer(self) -> Gaussian:
        start = self.parameters
        return curve(start.first_mean, start.first_deviation**2)

    def _later(self, slice: TimeSlice, period: int) -> Gaussian:
        moved = self.parameters.gamma**2 * (period - slice.period)
        return slice.before.times(slice.games).later(moved)

    def finish(self) -> None:
        """Send messages backward and forward through time, a few times."""
        for _round in range(self.parameters.smoothing):
            for place in reversed(range(len(self._periods))):
                self._backward_pass(place)
                _iterate_period(self._periods[place], 1)
            for place in range(len(self._periods)):
                self._forward_pass(place)
                _iterate_period(self._periods[place], 1)

    def _backward_pass(self, place: int) -> None:
        """Take in the messages of later periods to the players of this one."""
        for career, number in self._entries[place]:
            own = career[number]
            for later in career[number + 1 : number + 2]:
                told = later.games.times(later.after)
                moved = self.parameters.gamma**2 * (later.period - own.period)
                own.after = told.later(moved)

    def _forward_pass(self, place: int) -> None:
        """Take in the messages of earlier periods to the players of this one."""
        for career, number in self._entries[place]:
            if number:
                own = career[number]
                own.before = self._later(career[number - 1], own.period)

    def standing(self, player: int) -> Standing | None:
        mean, variance = self._now(player, -1)
        if mean != mean:
            return None
        periods = len(self._careers[player])
        deviation = math.sqrt(variance)
        return Standing(mean, self.counts[player], deviation, evaluations=periods)

    def rating_history(self, player: int) -> list[tuple[int, float, float]]:
        """Return a player's periods with mean and deviation in each."""
        return [
            (one.period, one.known.mean, math.sqrt(one.known.variance))
            for one in self._careers[player]
        ]

    def seed(self, player: int, standing: Standing) -> None:
        deviation = deviation_of(standing, self.parameters.first_deviation)
        self._starts[player] = curve(standing.rating, max(deviation**2, 1e-9))
        self.counts[player] = standing.games


def _iterate_period(played: Sequence[GameFactor], passes: int) -> None:
    """Send the messages of a period's games, until no mean moves any more."""
    for _round in range(passes):
        if max(game.send() for game in played) < 1e-6:
            break


class TrueSkill(System):
    about = About(
        key="trueskill_through_time",
        label=_("TrueSkill Through Time"),
        years=_("2007 to today"),
        summary=_(
            "Strengths are normal curves that move with time. Draws fall within "
            "a margin. Final ratings use opponents’ later results."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(PAPER, PACKAGE),
    )
    parameters = Parameters
    table = TrueSkillTable
    example = Example(
        player=Standing(FIRST_MEAN, deviation=FIRST_DEVIATION),
        games=((Standing(FIRST_MEAN, deviation=FIRST_DEVIATION), 1.0),),
        printed="29.40",
        source=PACKAGE,
        parameters={"draws": 0.1},
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        squared = 2.0 * BETA * BETA
        for one in (player, opponent):
            squared += deviation_of(one, FIRST_DEVIATION) ** 2
        margin = draw_margin(DRAWS, BETA)
        return expected_score(
            player.rating - opponent.rating, math.sqrt(squared), margin
        )

    def display(self, rating: float) -> str:
        return f"{rating:.2f}"

    def on_elo_scale(self, rating: float) -> float:
        """Return a mean in rating points: β is a class of 200 points.

        >>> TrueSkill().on_elo_scale(25.0), round(TrueSkill().on_elo_scale(30.0))
        (1500.0, 1740)
        """
        return _ELO_CENTER + (rating - FIRST_MEAN) * _ELO_PER_POINT

    def from_elo_scale(self, rating: float) -> float:
        return FIRST_MEAN + (rating - _ELO_CENTER) / _ELO_PER_POINT


SYSTEMS: tuple[System, ...] = (TrueSkill(),)
