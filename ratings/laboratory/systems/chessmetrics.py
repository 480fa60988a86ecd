"""Chessmetrics: all games of four years, all players at once (Sonas; section 21).

Each monthly list is made from the games of 48 months, recent ones weighing more. All
ratings are found together, so that a player's rating agrees with the ratings, on the
same list, of all opponents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, NamedTuple

from ratings.engine.numbers import exact_sum
from ratings.laboratory.cases import Case, each
from ratings.laboratory.equations import PlayerGames, WindowTable, solve
from ratings.laboratory.history import month_of
from ratings.laboratory.parameters import parameter
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

MONTHS: Final = 48
POINTS_PER_SCORE: Final = 850.0
"""Rating points for the whole score: 10 percent are 85 points."""
PADDING_GAMES: Final = 3
AVERAGE_GAMES: Final = 4
LIFT: Final = 43.0
HISTORICAL_LEVEL: Final = 2300.0

_CALIBRATED_RANKS: Final = slice(2, 20)
_TOLERANCE: Final = 1e-4

FORMULAS: Final = Source(
    _("Jeff Sonas: Chessmetrics, formulas"),
    "http://chessmetrics.com/cm/CM2/Formulas.asp",
)


# --- The formulas ---


def weight(months: int) -> float:
    """Return the weight of a game that is so many whole months old (section 21).

    >>> [round(weight(months), 2) for months in (0, 24, 47, 48)]
    [1.0, 0.5, 0.02, 0.0]
    """
    return max(0.0, 1.0 - months / MONTHS)


def performance(average: float, score: float, games: float) -> float:
    """Return the performance rating against opponents rated *average*.

    >>> performance(2400, 3, 5)
    2485.0
    >>> round(performance(2733, 8, 12), 2)
    2874.67
    """
    return average + (score / games - 0.5) * POINTS_PER_SCORE


def padded(
    performed: float, games: float, average: float, level: float = HISTORICAL_LEVEL
) -> float:
    """Return the rating of a performance in *games* (weighted) games.

    It is padded with four games at the opponents' average and three at *level*.

    >>> round(padded(performance(2733, 8, 12), 12, 2733), 2)
    2797.11
    """
    total = performed * games + average * AVERAGE_GAMES + level * PADDING_GAMES
    return total / (games + AVERAGE_GAMES + PADDING_GAMES) + LIFT


def performances(
    meetings: PlayerGames,
    weights: Sequence[tuple[float, ...]],
    scores: Sequence[float],
    ratings: Sequence[float],
) -> list[float]:
    """Return all performances against opponents of these *ratings*.

    This is one round of the simultaneous calculation.

    >>> pair = PlayerGames(2, [0], [1])
    >>> performances(pair, pair.weights([1.0]), [1.0, 0.0], [2400.0, 2500.0])
    [2925.0, 1975.0]
    """
    counts = [exact_sum(one) for one in weights]
    opponent_sums = meetings.opponent_sums(weights, ratings)
    return [
        performance(total / count, score, count)
        for total, score, count in zip(opponent_sums, scores, counts, strict=True)
    ]


def expected_score(lead: float) -> float:
    """Return the expected score of a player *lead* points ahead.

    >>> expected_score(85.0), expected_score(-1000.0)
    (0.6, 0.0)
    """
    return min(1.0, max(0.0, 0.5 + lead / POINTS_PER_SCORE))


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    padding: str = parameter(
        "median",
        _("Padding level"),
        _(
            "Every rating includes three extra games at this level: the pool’s "
            "median, or the fixed level below, as in the historical lists."
        ),
        choices=(_("median"), _("level")),
    )
    level: float = parameter(
        HISTORICAL_LEVEL,
        _("Fixed padding level"),
        _("In rating points. The historical lists used 2300."),
        low=0,
        high=3000,
    )
    first_median: float = parameter(
        1500.0,
        _("Median of the first list"),
        _("In rating points. Used when padding is at the pool’s median."),
        low=0,
        high=3000,
    )
    least_games: float = parameter(
        5.0,
        _("Minimum weighted games"),
        _(
            "Players with fewer games in four years against others on the list are "
            "not listed."
        ),
        low=1,
        high=50,
    )


class _List(NamedTuple):
    """The inputs of a list: the players to solve for, and their games.

    *first* and *second* are places in *players*; *weights* are those games'. *counts*,
    *scores* and *fixed* are weighted: games, points, and the ratings, added up, of
    opponents whose rating is given.
    """

    players: list[int]
    first: list[int]
    second: list[int]
    weights: list[float]
    counts: list[float]
    scores: list[float]
    fixed: list[float]


class ChessmetricsTable(WindowTable):
    """The games of four years, and the newest list.

    A rating given by `seed` fixes the level of the opponents until it changes.
    """

    parameters: Parameters

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings = self.ratings
        predictions = []
        for white, black in zip(games.white, games.black, strict=True):
            lead = ratings[white] - ratings[black]
            expected = 0.5 + lead / POINTS_PER_SCORE
            if expected > 1.0:
                expected = 1.0
            elif expected < 0.0:
                expected = 0.0
            predictions.append(expected)
        return predictions

    def update(self, games: Games, moment: Moment) -> None:
        now = month_of(moment.day)
        self.remember(games, map(month_of, games.days))
        self.forget_until(now - MONTHS)
        table = [weight(months) for months in range(MONTHS)]
        weights = [table[now - month] for month in self.columns[3]]
        self._publish(self._collect(weights))

    def _collect(self, weights: Sequence[float]) -> _List:
        """Choose the players of the list, and add up their results."""
        counts, players, place_of = self.choose(weights)
        chosen = _List(
            players,
            [],
            [],
            [],
            [counts[player] for player in players],
            [0.0] * len(players),
            [0.0] * len(players),
        )
        self._add_games(chosen, place_of, weights)
        if self.given:
            self._add_given(chosen, place_of, weights)
        return chosen

    def _add_games(
        self, chosen: _List, place_of: Sequence[int], weights: Sequence[float]
    ) -> None:
        """Add the games between two players who are solved for."""
        _, first, second, kept, _, scores, _ = chosen
        for white, black, points, worth in zip(*self.columns[:3], weights, strict=True):
            one, other = place_of[white], place_of[black]
            if one >= 0 and other >= 0:
                first.append(one)
                second.append(other)
                kept.append(worth)
                won = worth * points
                scores[one] += won
                scores[other] += worth - won

    def _add_given(
        self, chosen: _List, place_of: Sequence[int], weights: Sequence[float]
    ) -> None:
        """Add the games against players whose rating was given."""
        for white, black, points, worth in zip(*self.columns[:3], weights, strict=True):
            for player, opponent, score in (
                (white, black, points),
                (black, white, 1.0 - points),
            ):
                place = place_of[player]
                if place >= 0 and opponent in self.given:
                    chosen.scores[place] += worth * score
                    chosen.fixed[place] += worth * self.given[opponent]

    def _publish(self, chosen: _List) -> None:
        level = self._padding_level()
        guess = self.first_guess(chosen.players, level)
        solved = simultaneous(chosen, level, guess)
        ranking = sorted(range(len(solved)), key=lambda place: (-solved[place], place))
        listed = [chosen.players[place] for place in ranking]
        shift = self._shift(listed, [solved[place] for place in ranking])
        self.publish(chosen.players, [rating + shift for rating in solved])
        self.listed = listed

    def _padding_level(self) -> float:
        if self.parameters.padding == "level":
            return self.parameters.level
        if self.given:
            return median(self.given.values())
        if self.listed:
            return median(self.ratings[player] for player in self.listed)
        return self.parameters.first_median

    def _shift(self, listed: Sequence[int], ratings: Sequence[float]) -> float:
        """Return the shift that makes the new list comparable with the last one.

        Those ranked 3 to 20 on both keep their average. A first list of a pool without
        a level of its own gets its median; ratings that were given fix the level.
        """
        if self.given or not listed:
            return 0.0
        if not self.listed:
            if self.parameters.padding == "level":
                return 0.0
            return self.parameters.first_median - median(ratings)
        before = frozenset(self.listed[_CALIBRATED_RANKS])
        now = dict(
            zip(listed[_CALIBRATED_RANKS], ratings[_CALIBRATED_RANKS], strict=True)
        )
        both = [player for player in now if player in before]
        if not both:
            return 0.0
        return exact_sum([self.ratings[p] - now[p] for p in both]) / len(both)


def simultaneous(chosen: _List, level: float, guess: Sequence[float]) -> list[float]:
    """Return the ratings that agree with one another, each `padded` at *level*.

    With n weighted games the formula is n(n + 7)/(n + 4) × rating − the opponents'
    weighted ratings = n/(n + 4) × the terms that do not depend on any rating.
    """
    diagonal, known = [], []
    for count, score, fixed in zip(
        chosen.counts, chosen.scores, chosen.fixed, strict=True
    ):
        games = count + AVERAGE_GAMES + PADDING_GAMES
        share = count / (count + AVERAGE_GAMES)
        points = (score - count / 2.0) * POINTS_PER_SCORE
        diagonal.append(share * games)
        known.append(share * (points + level * PADDING_GAMES + LIFT * games) + fixed)
    meetings = PlayerGames(len(chosen.players), chosen.first, chosen.second)
    weights = meetings.weights(chosen.weights)
    return solve(meetings, diagonal, weights, known, guess, _TOLERANCE)


class Chessmetrics(System):
    about = About(
        key="chessmetrics",
        label=_("Chessmetrics"),
        years=_("2005; lists back to 1843"),
        summary=_(
            "Weighted results of four years, solved for all players at once. "
            "Made to compare the world’s best players through history."
        ),
        shape=Shape.WHOLE_POOL,
        status=Status.HISTORICAL,
        sources=(FORMULAS,),
    )
    parameters = Parameters
    table = ChessmetricsTable
    example = Example(
        player=None,
        games=tuple(
            (Standing(2733.0), score) for score in (1.0,) * 5 + (0.5,) * 6 + (0.0,)
        ),
        printed="2797",
        source=FORMULAS,
        parameters={"padding": "level"},
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_score(player.rating - opponent.rating)


# --- Published cases ---


def _rating_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    average, games = inputs["avg_opp"], inputs["games"]
    performed = performance(average, inputs["score"], games)
    level = inputs.get("padding_level", HISTORICAL_LEVEL)
    return {
        "performance": performed,
        "rating": padded(performed, games, average, level),
    }


def _simultaneous_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Iterate the performances of a round robin, the mean being held.

    The key of the scores says how many games each played, and whether it was double.
    """
    key = next(key for key in inputs if key.startswith("scores_of_"))
    scores, cycles = list(inputs[key].values()), 2.0 if "double" in key else 1.0
    size = len(scores)
    pairs = [(one, other) for one in range(size) for other in range(one)]
    meetings = PlayerGames(
        size, [one for one, _ in pairs], [other for _, other in pairs]
    )
    weights = meetings.weights([cycles] * len(pairs))
    ratings, mean = list(inputs["initial"]), inputs["calibrate_mean_to"]
    after = {}
    for step in range(1, 9):
        performed = performances(meetings, weights, scores, ratings)
        shift = mean - exact_sum(performed) / size
        ratings = [rating + shift for rating in performed]
        after[f"after_{step}"] = ratings
    return after


def _weight_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"weight": each(weight, inputs["months_old"])}


SYSTEMS: tuple[System, ...] = (Chessmetrics(),)
CASES: Mapping[str, Case] = {
    "chessmetrics": _rating_case,
    "chessmetrics.performance": _rating_case,
    "chessmetrics.simultaneous": _simultaneous_case,
    "chessmetrics.weight": _weight_case,
}
