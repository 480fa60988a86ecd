"""Systems that model a draw: Davidson's ties, and Glickman's system for the ICCF.

Both give a win, a draw and a loss a probability each. Davidson (1970) has one number ν
for how often equal players draw. Glickman (2025) lets draws grow with the strength of
the players; the International Correspondence Chess Federation has rated by it since
2023. Ratings are normal curves, as in Glicko. Each period is rated at once, by
Glickman's closed form: the opponents as they were before it (section 4.1 of the paper),
two points of each opponent's curve (4.2), and one Newton step for each player (4.3).

Two misprints of the paper are corrected here: the sum under the probabilities (3.1)
divides only the advantage of White by 4, and the variance (4.11) needs a minus sign.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ratings.laboratory.parameters import again, parameter
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

from . import glicko, glicko2
from .glicko import BY_HAND, VarianceTable, players_of

SCALE: Final = 400.0 / math.log(10.0)
"""Rating points of one unit of strength θ (Glickman 2025, equation 6.1)."""

CENTER: Final = 1500.0

# Three points of a normal curve, in deviations, and their weights (section 5).
_NODES: Final = ((-math.sqrt(3.0), 1 / 6), (0.0, 2 / 3), (math.sqrt(3.0), 1 / 6))
# A rating given by hand has not grown older yet.
_NOT_YET: Final = math.inf

PAPER: Final = Source(
    _(
        "Mark Glickman: Rating competitors in games with strength-dependent tie "
        "probabilities (Journal of Data Science, 2025)"
    ),
    "https://doi.org/10.6339/25-JDS1209",
)
DAVIDSON: Final = Source(
    _(
        "Roger Davidson: On extending the Bradley-Terry model to accommodate ties in "
        "paired comparison experiments (1970)"
    ),
    "https://doi.org/10.1080/01621459.1970.10481082",
)


# --- The formulas ---


class Chances(NamedTuple):
    """The probabilities of a player's win, draw and loss; they sum to 1."""

    win: float
    draw: float
    loss: float

    @property
    def score(self) -> float:
        """The expected score."""
        return self.win + self.draw / 2


def chances(
    rating: float,
    opponent: float,
    draws: float,
    growth: float = 0.0,
) -> Chances:
    """Return the chances of a player in one game (Glickman 2025, equation 3.1).

    Ratings are in rating points; *draws* is β₀, the logarithm of Davidson's ν, and
    *growth* β₁, both without unit. With *growth* 0 this is Davidson's model (1970). The
    advantage of White (α₀ and α₁) is left out, as the ICCF decided. Raises
    OverflowError for ratings more than 200,000 points apart.

    The ICCF's numbers, at 1500 and at 2500, and those fitted to its games:

    >>> [round(chances(r, r, 1.09861, 0.17037).draw, 3) for r in (1500, 2500)]
    [0.6, 0.8]
    >>> [round(chances(r, r, 0.35338, 0.57041).draw, 3) for r in (1500, 2500)]
    [0.416, 0.95]
    """
    win = math.exp((rating - opponent) / (2.0 * SCALE))
    mean = (rating + opponent - 2.0 * CENTER) / (2.0 * SCALE)
    draw = math.exp(draws + growth * mean)
    total = win + draw + 1.0 / win
    return Chances(win / total, draw / total, 1.0 / (win * total))


def predicted_chances(
    player: Standing,
    opponent: Standing,
    draws: float,
    growth: float = 0.0,
) -> Chances:
    """Return the chances with both ratings uncertain (section 5, nine points).

    Ratings and deviations are in rating points; one without a deviation is certain.
    The other arguments are those of `chances`, and so are the errors.

    >>> even = predicted_chances(Standing(1500, 0, 90), Standing(1500, 0, 90), 0.0)
    >>> round(even.score, 9), even.draw < chances(1500, 1500, 0.0).draw
    (0.5, True)
    """
    sums = [0.0, 0.0, 0.0]
    for here, weight in _NODES:
        own = player.rating + here * (player.deviation or 0.0)
        for there, share in _NODES:
            other = opponent.rating + there * (opponent.deviation or 0.0)
            for place, chance in enumerate(chances(own, other, draws, growth)):
                sums[place] += weight * share * chance
    return Chances(*sums)


class Evidence(NamedTuple):
    """The first and second derivative of a game's log likelihood, per unit of θ."""

    slope: float
    curvature: float


def evidence(
    rating: float,
    opponent: Standing,
    score: float,
    draws: float,
    growth: float = 0.0,
) -> Evidence:
    """Return what one game says about a player's strength (sections 4.2 and 4.3).

    *score* is 1, ½ or 0; ratings are in rating points, a missing deviation is 0. The
    likelihood is the mean of two points of the opponent's curve, one deviation below
    and above. The other arguments are those of `chances`, and so are the errors.

    A draw is half a win where every fourth game of equals is won and half are drawn:

    >>> equal = Standing(1500, deviation=0)
    >>> [evidence(1500, equal, score, math.log(2)).slope for score in (1, 0.5, 0)]
    [0.5, 0.0, -0.5]
    >>> round(evidence(1500, equal, 1, math.log(2)).curvature, 9)
    -0.125
    """
    deviation = opponent.deviation or 0.0
    total = slope = bend = 0.0
    for level in (opponent.rating - deviation, opponent.rating + deviation):
        win, draw, loss = chances(rating, level, draws, growth)
        # By how much θ raises the logarithm of each outcome's weight, less a half.
        outcome = {1.0: (win, 0.5), 0.5: (draw, growth / 2), 0.0: (loss, -0.5)}
        chance, push = outcome[score]
        mean = (win - loss) / 2 + draw * growth / 2
        spread = (win + loss + draw * growth * growth) / 4 - mean * mean
        total += chance
        slope += chance * (push - mean)
        bend += chance * ((push - mean) ** 2 - spread)
    slope /= total
    return Evidence(slope, bend / total - slope * slope)


def update(standing: Standing, games: Iterable[Evidence]) -> tuple[float, float]:
    """Return rating and deviation after a period, in rating points (4.10 and 4.11).

    One Newton step from the rating before. Games never make a rating less certain than
    it was: where an opponent's uncertainty would, the deviation stays (ours; it needs
    an opponent with a deviation of 350 or more). The standing needs a deviation, else
    TypeError.

    A deviation of √8 units and one win: θ rises by ½ ÷ (⅛ + ⅛) = 2 units.

    >>> wide = Standing(1500, deviation=math.sqrt(8) * SCALE)
    >>> rating, deviation = update(wide, [Evidence(0.5, -0.125)])
    >>> round((rating - 1500) / SCALE, 9), round(deviation / SCALE, 9)
    (2.0, 2.0)
    """
    known = (SCALE / standing.deviation) ** 2  # type: ignore[operator]
    slope, precision = 0.0, known
    for one in games:
        slope += one.slope
        precision -= one.curvature
    precision = max(precision, known)
    return (
        standing.rating + SCALE * slope / precision,
        SCALE / math.sqrt(precision),
    )


def grown_variance(
    variance: float, periods: float, growth: float, limit: float
) -> float:
    """Return RD² after so many *periods*, in squared rating points (4.3 and 6.2).

    It grows by *growth*² in each period that begins with RD below *limit*, both in
    rating points; then it no longer grows.

    >>> [round(math.sqrt(grown_variance(100.0**2, n, 25, 120)), 1) for n in (1, 7, 9)]
    [103.1, 119.9, 122.5]
    >>> grown_variance(250.0**2, 4, 25, 120) == 250.0**2
    True
    """
    if variance >= limit * limit or not growth:
        return variance
    longest = math.ceil((limit * limit - variance) / (growth * growth))
    return variance + growth * growth * min(periods, longest)


# --- The systems ---


@dataclass(frozen=True)
class DavidsonParameters:
    draws: float = parameter(
        0.5,
        _("Draws (ν)"),
        _(
            "How much a draw weighs between equal players: they draw ν of ν + 2 games. "
            "The system learns it from the games; this is where it starts."
        ),
        low=0.001,
        high=1000,
    )
    draws_weight: float = parameter(
        100.0,
        _("Weight of the starting ν"),
        _("Measured in games between equal players. Large values keep ν fixed."),
        low=0.001,
        high=1e9,
    )
    growth: float = parameter(
        15.0,
        _("Growth of the deviation (τ)"),
        _("Rating points per period: RD² grows by τ² for each period."),
        low=0,
        high=200,
    )
    first_rating: float = again(glicko.Parameters, "first_rating")
    first_deviation: float = again(glicko.Parameters, "first_deviation")
    growth_limit: float = parameter(
        350.0,
        _("Deviation at which growth stops"),
        _("In rating points. From there on, a break makes a rating no less certain."),
        low=30,
        high=1000,
    )
    period_days: float = again(glicko2.Parameters, "period_days")


@dataclass(frozen=True)
class IccfParameters:
    draws: float = parameter(
        1.09861,
        _("Draws (β₀)"),
        _("The logarithm of how much a draw weighs between players rated 1500."),
        low=-10,
        high=10,
    )
    draws_growth: float = parameter(
        0.17037,
        _("Growth of draws with strength (β₁)"),
        _("Stronger players draw more if it is above 0."),
        low=-1,
        high=2,
    )
    growth: float = again(DavidsonParameters, "growth", 25.0)
    first_rating: float = again(glicko.Parameters, "first_rating", 1800.0)
    first_deviation: float = again(glicko.Parameters, "first_deviation", 250.0)
    growth_limit: float = again(DavidsonParameters, "growth_limit", 120.0)
    period_days: float = again(glicko2.Parameters, "period_days", 91.3125)


class DrawTable(VarianceTable):
    """Ratings and RD², in rating points, and how often games are drawn."""

    def __init__(self, pool: Pool, parameters: Any) -> None:
        super().__init__(pool, parameters)
        self.rated_at = [_NOT_YET] * pool.size
        self.draws, self.draws_growth = self._draws()

    def _draws(self) -> tuple[float, float]:
        """Return β₀ and β₁ at the beginning."""
        return self.parameters.draws, self.parameters.draws_growth

    def _time(self, moment: Moment) -> float:
        days = self.parameters.period_days
        return moment.day / days if days else float(moment.period)

    def _at(self, players: Iterable[int], now: float) -> dict[int, Standing]:
        """Return the standings of *players* at a time; NaN for the unrated."""
        rules, found = self.parameters, {}
        for player in players:
            periods = max(0.0, now - self.rated_at[player])
            variance = grown_variance(
                self.variances[player], periods, rules.growth, rules.growth_limit
            )
            deviation = math.sqrt(variance)
            found[player] = Standing(self.ratings[player], deviation=deviation)
        return found

    def _chances(self, games: Games, known: Mapping[int, Standing]) -> list[Chances]:
        model = self.draws, self.draws_growth
        return [
            predicted_chances(known[white], known[black], *model)
            for white, black in zip(games.white, games.black, strict=True)
        ]

    def predict(self, games: Games, moment: Moment) -> list[float]:
        known = self._at({*games.white, *games.black}, self._time(moment))
        return [one.score for one in self._chances(games, known)]

    def update(self, games: Games, moment: Moment) -> None:
        players, now = players_of(games), self._time(moment)
        for player in players:
            if self.ratings[player] != self.ratings[player]:
                start = self.parameters
                rating, deviation = start.first_rating, start.first_deviation
                self.seed(player, Standing(rating, deviation=deviation))
        known = self._at(players, now)
        for player, one in self._evidence(games, known).items():
            self.ratings[player], deviation = update(known[player], one)
            self.variances[player] = deviation * deviation
            self.rated_at[player] = now
            self.evaluations[player] += 1
        self._learn(games, known)
        self.count(games)

    def _evidence(
        self, games: Games, known: Mapping[int, Standing]
    ) -> dict[int, list[Evidence]]:
        """Return what the games say about each player, the others as they were."""
        found: dict[int, list[Evidence]] = {player: [] for player in known}
        model = self.draws, self.draws_growth
        columns = zip(games.white, games.black, games.points, strict=True)
        for white, black, points in columns:
            one, other = known[white], known[black]
            found[white].append(evidence(one.rating, other, points, *model))
            found[black].append(evidence(other.rating, one, 1.0 - points, *model))
        return found

    def _learn(self, games: Games, known: Mapping[int, Standing]) -> None:
        """Learn how often games are drawn, where a system does."""

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self.rated_at[player] = _NOT_YET


class DavidsonTable(DrawTable):
    """Learns ν too: after each period, one Newton step on all games so far."""

    def _draws(self) -> tuple[float, float]:
        start = self.parameters
        share = start.draws / (start.draws + 2.0)
        self._known_draws = start.draws_weight * share * (1.0 - share)
        return math.log(start.draws), 0.0

    def _learn(self, games: Games, known: Mapping[int, Standing]) -> None:
        expected = [one.draw for one in self._chances(games, known)]
        surplus = math.fsum(
            (points == 0.5) - draw
            for points, draw in zip(games.points, expected, strict=True)
        )
        self._known_draws += math.fsum(draw * (1.0 - draw) for draw in expected)
        self.draws += surplus / self._known_draws


class Davidson(System):
    about = About(
        key="davidson",
        label=_("Davidson, with draws"),
        years=_("model of 1970"),
        summary=_(
            "Bradley and Terry’s model with a probability for a draw, which is learned "
            "from the games. A baseline for systems that model draws."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.RECONSTRUCTION_IN_PART,
        sources=(DAVIDSON, PAPER),
    )
    parameters = DavidsonParameters
    table = DavidsonTable
    example = Example(
        player=Standing(1500.0, deviation=math.sqrt(8.0) * SCALE),
        games=((Standing(1500.0, deviation=0.001), 1.0),),
        printed="1847.44",
        source=BY_HAND,
        parameters={"draws": 2.0},
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return predicted_chances(
            player, opponent, math.log(self.parameters.draws)
        ).score


class Iccf(System):
    about = About(
        key="iccf",
        label=_("ICCF"),
        years=_("correspondence play, since 2023"),
        summary=_(
            "Glickman’s system with draws: stronger players are expected to draw more, "
            "so a draw among them means less."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(
            PAPER,
            Source("ICCF, message 1597", "https://www.iccf.com/message?message=1597"),
            Source("ICCF, message 1632", "https://www.iccf.com/message?message=1632"),
        ),
    )
    parameters = IccfParameters
    table = DrawTable
    example = Example(
        player=Standing(1500.0, deviation=100.0),
        games=((Standing(1500.0, deviation=0.001), 1.0),),
        printed="1525.00",
        source=BY_HAND,
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        """Return the expected score, colors unknown, both ratings uncertain.

        >>> round(Iccf().expected(Standing(1700), Standing(1500)), 3)
        0.608
        """
        usual = self.parameters
        return predicted_chances(
            player, opponent, usual.draws, usual.draws_growth
        ).score


SYSTEMS: Sequence[System] = (Davidson(), Iccf())
