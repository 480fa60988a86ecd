"""Glicko: a rating with its deviation (Glickman 1995; rating-systems, 18).

A rating period is rated at once: all new ratings come from the ratings before the
period. The deviation (RD) shrinks with games and grows with time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

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

Q: Final = math.log(10.0) / 400.0
"""One rating point on the scale of natural logarithms (q)."""

SPREAD: Final = 3.0 * Q * Q / (math.pi * math.pi)
# A period later than any: a rating given by hand has not grown older yet.
NOT_YET: Final = 1 << 62

PAPER: Final = Source(
    _("Mark Glickman: The Glicko system"), "http://www.glicko.net/glicko/glicko.pdf"
)
PACKAGE: Final = Source(
    _("Stephenson and Sonas: PlayerRatings, the authors’ R package"),
    "https://cran.r-project.org/package=PlayerRatings",
)

BY_HAND: Final = Source(_("Calculated by hand from the paper’s equations"))


# --- The formulas ---


def reduction(variance: float) -> float:
    """Return by how much an opponent's uncertainty flattens the expectation (g).

    *variance* is RD², in rating points squared (section 18).

    >>> [round(reduction(deviation * deviation), 4) for deviation in (30, 100, 300)]
    [0.9955, 0.9531, 0.7242]
    """
    return 1.0 / math.sqrt(1.0 + SPREAD * variance)


def expected_score(rating: float, opponent: float, flattening: float) -> float:
    """Return the score expected against *opponent*, flattened by g (E, section 18).

    >>> g = [reduction(deviation * deviation) for deviation in (30, 100, 300)]
    >>> [round(expected_score(1500, *game), 3) for game in zip((1400, 1550, 1700), g)]
    [0.639, 0.432, 0.303]
    """
    return 1.0 / (1.0 + math.exp(-Q * flattening * (rating - opponent)))


def inflated(variance: float, periods: float, c: float, highest: float) -> float:
    """Return RD² after *periods* without games, at most *highest* squared (step 1).

    >>> inflated(340.0 * 340.0, 1, 100.0, 350.0) == 350.0 * 350.0
    True
    """
    return min(variance + c * c * periods, highest * highest)


def uncertainty_constant(deviation: float, highest: float, periods: float) -> float:
    """Return the c that lets RD grow from *deviation* to *highest* in *periods*.

    >>> round(uncertainty_constant(50, 350, 30), 1)
    63.2
    """
    return math.sqrt((highest * highest - deviation * deviation) / periods)


def interval(rating: float, deviation: float) -> tuple[float, float]:
    """Return where the true strength lies with 95 % certainty: r ± 1.96 RD.

    >>> [round(end) for end in interval(1500, 30)]
    [1441, 1559]
    """
    return rating - 1.96 * deviation, rating + 1.96 * deviation


def predicted_score(
    white: Standing, black: Standing, advantage: float = 0.0, highest: float = 350.0
) -> float:
    """Return White's expected score, with both ratings uncertain (section 18).

    *advantage* is White's, in rating points; a standing without a deviation counts as
    *highest*.

    >>> round(predicted_score(Standing(1400, 0, 80), Standing(1500, 0, 150)), 3)
    0.376
    """
    variance = deviation_of(white, highest) ** 2 + deviation_of(black, highest) ** 2
    return expected_score(white.rating + advantage, black.rating, reduction(variance))


def deviation_of(standing: Standing, highest: float) -> float:
    """Return a standing's deviation; *highest* where it has none."""
    return highest if standing.deviation is None else standing.deviation


class Outcome(NamedTuple):
    """A player's new rating and RD², and d², all in rating points or their square."""

    rating: float
    variance: float
    information: float


def update(
    rating: float, variance: float, games: Iterable[tuple[float, float, float]]
) -> Outcome:
    """Rate one player's period: *games* are (opponent's rating, RD, score) (step 2).

    >>> games = ((1400, 30, 1.0), (1550, 100, 0.0), (1700, 300, 0.0))
    >>> new = update(1500.0, 200.0 * 200.0, games)
    >>> round(new.rating, 5), round(math.sqrt(new.variance), 5)
    (1464.10646, 151.3989)
    >>> round(new.information, 2)
    53685.74
    """
    curvature = gain = 0.0
    for opponent, deviation, score in games:
        g = reduction(deviation * deviation)
        expected = expected_score(rating, opponent, g)
        curvature += g * g * expected * (1.0 - expected)
        gain += g * (score - expected)
    precision = Q * Q * curvature
    new = 1.0 / (1.0 / variance + precision)
    information = 1.0 / precision if precision else math.inf
    return Outcome(rating + Q * new * gain, new, information)


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    c: float = parameter(
        15.0,
        _("Growth of the deviation (c)"),
        _("Rating points per period: RD² grows by c² for each period without games."),
        low=0,
        high=200,
    )
    first_rating: float = parameter(
        1500.0, _("Rating of a new player"), low=0, high=3000
    )
    first_deviation: float = parameter(
        350.0,
        _("Deviation of a new player"),
        _("In rating points. A deviation can’t grow beyond it."),
        low=30,
        high=1000,
    )
    lowest_deviation: float = parameter(
        30.0,
        _("Lowest deviation"),
        _("Keeps ratings moving. The author recommends 30. 0 means no limit."),
        low=0,
        high=200,
    )
    white_advantage: float = white_advantage()


class VarianceTable(Table):
    """Ratings and RD² as columns; a rating that is not a number is unrated."""

    min_variance = 1e-6

    def __init__(self, pool: Pool, parameters: Any) -> None:
        super().__init__(pool, parameters)
        self.variances = [0.0] * pool.size

    def deviation(self, player: int) -> float:
        return math.sqrt(self.variances[player])

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        deviation = deviation_of(standing, self.parameters.first_deviation)
        self.variances[player] = max(deviation * deviation, self.min_variance)


class GlickoTable(VarianceTable):
    """Also the period in which each player was rated last."""

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        size = pool.size
        self.rated_in = [NOT_YET] * size
        # Work columns of one update: g, Σg²E(1 − E) and Σg(s − E) of each player.
        self.g_of = [0.0] * size
        self.curvature = [0.0] * size
        self.gain = [0.0] * size

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings, variances, rated_in = self.ratings, self.variances, self.rated_in
        growth = self.parameters.c**2
        highest = self.parameters.first_deviation**2
        advantages = games.advantages(self.parameters.white_advantage)
        now, spread, q = moment.period, SPREAD, -Q
        exp, sqrt = math.exp, math.sqrt
        predictions = []
        for white, black, advantage in zip(
            games.white, games.black, advantages, strict=True
        ):
            variance = variances[white]
            idle = now - rated_in[white]
            if idle > 0:
                variance += growth * idle
                if variance > highest:
                    variance = highest
            other = variances[black]
            idle = now - rated_in[black]
            if idle > 0:
                other += growth * idle
                if other > highest:
                    other = highest
            lead = ratings[white] - ratings[black] + advantage
            flattened = lead / sqrt(1.0 + spread * (variance + other))
            predictions.append(1.0 / (1.0 + exp(q * flattened)))
        return predictions

    def update(self, games: Games, moment: Moment) -> None:
        players = self.open_period(games, moment.period)
        sums = (self.curvature, self.gain, self.counts)
        add_up(games, Q, self.ratings, self.g_of, *sums)
        self._close(players)

    def open_period(self, games: Games, now: int) -> list[int]:
        """Bring all players with games to this period, and return them."""
        players = players_of(games)
        start = self.parameters
        for player in players:
            if self.ratings[player] != self.ratings[player]:
                self.ratings[player] = start.first_rating
                self.variances[player] = start.first_deviation**2
            else:
                self.variances[player] = self.variance(player, now)
            self.rated_in[player] = now
            self.evaluations[player] += 1
            self.g_of[player] = 1.0 / math.sqrt(1.0 + SPREAD * self.variances[player])
        return players

    def variance(self, player: int, now: int) -> float:
        """Return RD² in period *now*: it grows by the same each period of a pause."""
        variance, idle = self.variances[player], now - self.rated_in[player]
        if idle <= 0:
            return variance
        start = self.parameters
        return min(variance + start.c**2 * idle, start.first_deviation**2)

    def _close(self, players: Sequence[int]) -> None:
        lowest = self.parameters.lowest_deviation**2
        squared = Q * Q
        for player in players:
            precision = 1.0 / self.variances[player] + squared * self.curvature[player]
            self.ratings[player] += Q / precision * self.gain[player]
            self.variances[player] = max(1.0 / precision, lowest)
            self.curvature[player] = self.gain[player] = 0.0

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self.rated_in[player] = NOT_YET


def add_up(
    games: Games,
    q: float,
    ratings: Sequence[float],
    g_of: Sequence[float],
    curvature: list[float],
    gain: list[float],
    counts: list[int],
    advantage: float = 0.0,
) -> None:
    """Add both players' Σg²E(1 − E) and Σg(s − E) of all games to their columns.

    Nothing but the columns from before the games is read, so their order does not
    matter but for the last bits. *q* is a unit of *ratings* on the natural scale,
    *advantage* White's advantage in it.
    """
    exp = math.exp
    for white, black, points, worth in zip(
        games.white,
        games.black,
        games.points,
        games.advantages(advantage),
        strict=True,
    ):
        lead = q * (ratings[black] - ratings[white] - worth)
        g = g_of[black]
        expected = 1.0 / (1.0 + exp(g * lead))
        curvature[white] += g * g * expected * (1.0 - expected)
        gain[white] += g * (points - expected)
        g = g_of[white]
        expected = 1.0 / (1.0 + exp(-g * lead))
        curvature[black] += g * g * expected * (1.0 - expected)
        gain[black] += g * (1.0 - points - expected)
        counts[white] += 1
        counts[black] += 1


def players_of(games: Games) -> list[int]:
    """Return all players with games, in the order of their first games."""
    both = (
        player for pair in zip(games.white, games.black, strict=True) for player in pair
    )
    return list(dict.fromkeys(both))


PAPER_GAMES: Final = (
    (Standing(1400.0, deviation=30.0), 1.0),
    (Standing(1550.0, deviation=100.0), 0.0),
    (Standing(1700.0, deviation=300.0), 0.0),
)
"""The example of the paper, which systems made from Glicko use, too."""


class Glicko(System):
    about = About(
        key="glicko",
        label=_("Glicko"),
        years=_("1995 to today"),
        summary=_(
            "A rating with a deviation that shows how certain it is. Ratings of "
            "new and returning players move faster."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(PAPER, PACKAGE),
    )
    parameters = Parameters
    table = GlickoTable
    example = Example(
        player=Standing(1500.0, deviation=200.0),
        games=PAPER_GAMES,
        printed="1464",
        source=PAPER,
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return predicted_score(player, opponent)


# --- Sites with constants of their own ---


@dataclass(frozen=True)
class ChessComParameters(Parameters):
    first_rating: float = again(Parameters, "first_rating", 1200.0)


class GameByGameTable(GlickoTable):
    """Rates each game as it ends, as sites do, from the ratings after the last one."""

    def update(self, games: Games, moment: Moment) -> None:
        for number in range(len(games)):
            super().update(games.part(number, number + 1), moment)


class ChessCom(Glicko):
    """Glicko as Chess.com uses it, as far as its constants are published.

    Published: the system, and that a new player starts at 1200. Not published, so as in
    Glickman's paper: how fast RD grows, its limits, and the rating period.
    """

    about = About(
        key="glicko.chess_com",
        label=_("Glicko as on Chess.com"),
        years=_("internet, since the 2000s"),
        summary=_("Glicko after each game, starting at 1200. The rest is unpublished."),
        shape=Shape.PER_GAME,
        status=Status.RECONSTRUCTION_IN_PART,
        sources=(
            Source(
                _("Chess.com: Chess ratings, how they work"),
                "https://www.chess.com/article/view/chess-ratings---how-they-work",
            ),
            PAPER,
        ),
    )
    parameters = ChessComParameters
    table = GameByGameTable
    example = Example(
        player=Standing(1200.0, deviation=350.0),
        games=((Standing(1200.0, deviation=350.0), 1.0),),
        printed="1362",
        source=BY_HAND,
    )


# --- Published cases ---


def against(
    opponents: Sequence[Sequence[float]], period: int = 0
) -> tuple[Pool, Games]:
    """Return the pool and games of player 0, White, against one opponent a game.

    Each of *opponents* is (rating, deviation, score of player 0).
    """
    count = len(opponents)
    games = Games.on(
        period,
        [0] * count,
        list(range(1, count + 1)),
        [float(score) for *_, score in opponents],
    )
    return Pool(count + 1), games


def rated_by_months(
    system: System, parameters: Any, inputs: Mapping[str, Any]
) -> dict[str, list[float]]:
    """Rate a small pool month by month; return all ratings and deviations.

    *inputs* have the standings before (`initial`, by name) and the games (month, White,
    Black, White's score). As in PlayerRatings, the standings before are one period old
    when a player first plays, and months without any game do not count. Players without
    a standing begin as newcomers.
    """
    rows = inputs["games_month_white_black_score"]
    played_sections = [name for row in rows for name in row[1:3]]
    names = list(dict.fromkeys([*inputs["initial"], *played_sections]))
    table = system.begin(Pool(len(names)), parameters)
    for player, (rating, deviation) in enumerate(inputs["initial"].values()):
        idle = 1 if names[player] in played_sections else 0
        highest = parameters.first_deviation
        grown = inflated(deviation * deviation, idle, parameters.c, highest)
        table.seed(player, Standing(rating, deviation=math.sqrt(grown)))
    for period, month in enumerate(sorted({row[0] for row in rows})):
        played = [row for row in rows if row[0] == month]
        table.update(_month(played, names), Moment(period, period))
    standings = [table.standing(player) for player in range(len(names))]
    return {
        name: [standing.rating, deviation_of(standing, 0.0)]
        for name, standing in zip(names, standings, strict=True)
        if standing is not None
    }


def _month(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> Games:
    return Games.on(
        0,
        [names.index(row[1]) for row in rows],
        [names.index(row[2]) for row in rows],
        [float(row[3]) for row in rows],
    )


def _case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    if "initial" in inputs:
        changed = Parameters(c=inputs.get("c", Parameters.c), lowest_deviation=0.0)
        return rated_by_months(Glicko(), changed, inputs)
    if "r_j" in inputs:
        rating = inputs.get("r", 1500)
        flattenings = [reduction(deviation**2) for deviation in inputs["RD"]]
        pairs = zip(inputs["r_j"], flattenings, strict=True)
        return {
            "g": flattenings,
            "E": [expected_score(rating, *pair) for pair in pairs],
        }
    if "RD_old" in inputs:
        highest, periods = inputs.get("RDmax", 350.0), inputs.get("periods", 1)
        grown = inflated(inputs["RD_old"] ** 2, periods, inputs["c"], highest)
        return {"RD": math.sqrt(grown)}
    return _period_case(inputs)


def _period_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    opponents = inputs["opponents"]
    rating, deviation = inputs.get("r", 1500.0), inputs.get("RD", 350.0)
    pool, games = against(opponents)
    table = Glicko().begin(pool, Parameters(lowest_deviation=0.0))
    table.seed(0, Standing(rating, deviation=deviation))
    for place, (level, spread, _score) in enumerate(opponents, start=1):
        table.seed(place, Standing(level, deviation=spread))
    table.update(games, Moment(0, 0))
    return {
        "r": table.ratings[0],
        "RD": math.sqrt(table.variances[0]),
        "d2": update(rating, deviation**2, opponents).information,
    }


def _predict_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    white = inputs["white"] if "white" in inputs else (inputs["r1"], inputs["RD1"])
    black = inputs["black"] if "black" in inputs else (inputs["r2"], inputs["RD2"])
    first = Standing(white[0], deviation=white[1])
    second = Standing(black[0], deviation=black[1])
    return {"E": predicted_score(first, second, inputs.get("gamma", 0.0))}


def _constant_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    highest = inputs.get("RDmax", 350.0)
    return {"c": uncertainty_constant(inputs["RD"], highest, inputs["periods"])}


def _interval_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    low, high = interval(inputs["r"], inputs["RD"])
    return {"lo": low, "hi": high}


SYSTEMS: tuple[System, ...] = (Glicko(), ChessCom())
CASES: Mapping[str, Case] = {
    "glicko": _case,
    "glicko.predict": _predict_case,
    "glicko.c": _constant_case,
    "glicko.interval": _interval_case,
}
