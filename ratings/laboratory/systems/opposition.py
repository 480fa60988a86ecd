"""Shared by Harkness and Ingo: a number from the opposition's average and the score.

A performance is the average number of the opponents, plus or minus so many points for
each percent scored above or below one half. *spread* is the number of points between
0 and 100 percent: 1000 for Harkness, −100 for Ingo, whose numbers fall with strength.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ratings.laboratory.protocol import Games, Moment, Table

Result = tuple[int, float]
"""An opponent's number in the pool, and the points scored against it."""


def performance(average: float, score: float, games: int, spread: float) -> float:
    """Return the performance of one event.

    Raises ZeroDivisionError without games.

    >>> round(performance(1850, 2.5, 11, spread=1000), 2)
    1577.27
    >>> round(performance(120, 7, 11, spread=-100), 2)
    106.36
    """
    return average + spread * (score / games - 0.5)


def mean(values: Sequence[float]) -> float:
    """Return the mean, with the same bits for any order of the values.

    Raises ZeroDivisionError without values.

    >>> mean([160, 160, 55, 90])
    116.25
    """
    return math.fsum(values) / len(values)


def results_of(games: Games) -> Mapping[int, list[Result]]:
    """Return each player's results in a batch, in the order they were played."""
    results: defaultdict[int, list[Result]] = defaultdict(list)
    columns = zip(games.white, games.black, games.points, strict=True)
    for white, black, points in columns:
        results[white].append((black, points))
        results[black].append((white, 1.0 - points))
    return results


def performance_against(
    numbers: Sequence[float], results: Iterable[Result], spread: float
) -> float:
    """Return a performance from opponents' *numbers*, indexed by player."""
    opponents = [numbers[opponent] for opponent, _points in results]
    score = math.fsum(points for _opponent, points in results)
    return performance(mean(opponents), score, len(opponents), spread)


def entry_numbers(
    ratings: Sequence[float],
    results: Mapping[int, list[Result]],
    start: float,
    spread: float,
) -> Mapping[int, float]:
    """Return the number with which each player counts in an event.

    Newcomers count with their performance against rated players, or, if they met only
    newcomers, with one where those count as *start*. *ratings* are not a number for
    newcomers. No text says how newcomers were treated; this is ours.
    """
    return {
        player: ratings[player]
        if not math.isnan(ratings[player])
        else _newcomers_number(ratings, met, start, spread)
        for player, met in results.items()
    }


def _newcomers_number(
    ratings: Sequence[float], met: list[Result], start: float, spread: float
) -> float:
    against_rated = [
        (opponent, points)
        for opponent, points in met
        if not math.isnan(ratings[opponent])
    ]
    if against_rated:
        return performance_against(ratings, against_rated, spread)
    return performance(start, math.fsum(points for _, points in met), len(met), spread)


class OppositionTable(Table):
    """Ratings of one pool; an event uses the numbers from before it.

    *limit* is the most by which an opponent's number may differ from the own one.
    """

    _spread: float
    _limit = math.inf

    @abstractmethod
    def _new_number(
        self, player: int, entry: Mapping[int, float], results: list[Result], day: int
    ) -> float:
        """Return a rated *player*'s number after the event."""

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings, spread = self.ratings, self._spread
        # Beyond this difference the expectation grows no more.
        reach = min(self._limit, abs(spread) / 2)
        pairs = zip(games.white, games.black, strict=True)
        differences = [ratings[white] - ratings[black] for white, black in pairs]
        return [
            0.5 + (-reach if d < -reach else reach if d > reach else d) / spread
            for d in differences
        ]

    def update(self, games: Games, moment: Moment) -> None:
        results = results_of(games)
        entry = entry_numbers(
            self.ratings, results, self.parameters.start, self._spread
        )
        for player, met in results.items():
            if math.isnan(self.ratings[player]):
                new = entry[player]
            else:
                new = self._new_number(player, entry, met, moment.day)
            self.counts[player] += len(met)
            self.evaluations[player] += 1
            self.ratings[player] = new

    def _limited(self, number: float, own: float) -> float:
        return min(max(number, own - self._limit), own + self._limit)

    def _performance(
        self, player: int, entry: Mapping[int, float], results: list[Result]
    ) -> float:
        own = entry[player]
        average = mean([self._limited(entry[other], own) for other, _ in results])
        score = math.fsum(points for _, points in results)
        return performance(average, score, len(results), self._spread)
