"""The English Chess Federation's monthly rating since July 2020.

An established rating moves by K(W − We) with the table of Elo and FIDE. A player with
fewer than ten games has a partial rating, a performance that includes one fictional
draw. How exactly it is computed could not be read anywhere, so that part is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case
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
    Table,
)
from ratings.laboratory.tables import difference_for, expectation
from ratings.laboratory.words import _

from .elo import EloParameters, expected_by_table, new_rating
from .harkness import HarknessParameters
from .opposition import Result, mean, results_of

FULL: Final = 10
"""Games after which a rating is no longer partial."""

MONTHLY: Final = Source(
    "ECF, The calculation of ECF grades on a monthly basis",
    "https://www.englishchess.org.uk/the-calculation-of-ecf-grades-on-a-monthly-basis/",
)
HELP: Final = Source(
    "ECF rating database, help", "https://www.ecfrating.org.uk/v2/help/help_rating.php"
)


def expected_score(rating: float, opponents: Sequence[float]) -> float:
    """Return the expected score of several games by the table (We).

    >>> expected_score(1700, [1750, 1650, 1900])
    1.24
    """
    return math.fsum(expected_by_table(rating, opponent) for opponent in opponents)


def partial_rating(opponents: Sequence[float], score: float) -> float:
    """Return a performance with one fictional draw against an average opponent.

    The share of points counts in whole hundredths, halves up. A reconstruction.
    Raises ZeroDivisionError without games.

    >>> partial_rating([1500, 1500, 1500], 3), partial_rating([1500], 0)
    (1836.0, 1307.0)
    """
    games = len(opponents) + 1
    percent = (100 * (int(2 * score) + 1) + games) // (2 * games)
    return mean(opponents) + difference_for(percent)


@dataclass(frozen=True)
class EcfParameters:
    """Parameters of the monthly rating."""

    k: float = again(EloParameters, "k", 20.0)
    junior_k: float = parameter(
        40.0,
        _("K of juniors"),
        _("The federation uses 40 for some players, mainly juniors."),
        low=1,
        high=200,
    )
    junior_below: int = parameter(
        18,
        _("Juniors are under"),
        _("Age at which a player is no longer a junior. 0 means no juniors."),
        low=0,
        high=30,
    )
    start: float = again(HarknessParameters, "start")


class EcfTable(Table):
    """Ratings of one pool; a period's games take the ratings from before it.

    Three passes: partial ratings from full ones, partial ratings again with those of
    the first pass, then the full ratings.
    """

    parameters: EcfParameters

    def __init__(self, pool: Pool, parameters: EcfParameters) -> None:
        super().__init__(pool, parameters)
        # What a partial rating is made of: opponents' ratings, and the score so far.
        self._met: list[list[float]] = [[] for _ in range(pool.size)]
        self._score = [0.0] * pool.size

    def predict(self, games: Games, moment: Moment) -> list[float]:
        shown = {
            player: official(self.ratings[player])
            for player in {*games.white, *games.black}
            if not math.isnan(self.ratings[player])
        }
        return [
            expectation(shown[white] - shown[black]) / 100
            if white in shown and black in shown
            else math.nan
            for white, black in zip(games.white, games.black, strict=True)
        ]

    def update(self, games: Games, moment: Moment) -> None:
        results = results_of(games)
        # A seeded rating is full however few games it is based on: there is nothing
        # to make it again from.
        new = [player for player in results if self._is_partial(player)]
        before = {player: self.ratings[player] for player in results}
        first = self._partial_ratings(new, results, before)
        second = self._partial_ratings(new, results, first)
        changes = {
            player: self._full_rating(player, met, second, moment.day)
            for player, met in results.items()
            if not self._is_partial(player)
        }
        for player in new:
            self._remember(player, results[player], first)
        for player, met in results.items():
            self.ratings[player] = changes.get(player, second[player])
            self.counts[player] += len(met)
            self.evaluations[player] += 1

    def _is_partial(self, player: int) -> bool:
        has_rating = not math.isnan(self.ratings[player])
        return not has_rating or 0 < len(self._met[player]) < FULL

    def _partial_ratings(
        self,
        new: Sequence[int],
        results: Mapping[int, list[Result]],
        known: Mapping[int, float],
    ) -> dict[int, float]:
        """Return *known* with the partial ratings computed from it."""
        found = dict(known)
        for player in new:
            counted = self._counted(results[player], known)
            opponents = [*self._met[player], *(rating for rating, _ in counted)]
            score = self._score[player] + math.fsum(points for _, points in counted)
            found[player] = partial_rating(opponents, score)
        return found

    def _counted(
        self, met: Sequence[Result], known: Mapping[int, float]
    ) -> list[tuple[float, float]]:
        """Return the rated opponents' ratings and the points, or all at the start."""
        rated = [
            (known[opponent], points)
            for opponent, points in met
            if not math.isnan(known[opponent])
        ]
        return rated or [(self.parameters.start, points) for _, points in met]

    def _remember(
        self, player: int, met: Sequence[Result], known: Mapping[int, float]
    ) -> None:
        counted = self._counted(met, known)
        self._met[player] += [rating for rating, _ in counted]
        self._score[player] += math.fsum(points for _, points in counted)

    def _full_rating(
        self, player: int, met: Sequence[Result], known: Mapping[int, float], day: int
    ) -> float:
        rating = self.ratings[player]
        expected = expected_score(rating, [known[opponent] for opponent, _ in met])
        score = math.fsum(points for _, points in met)
        return new_rating(rating, self._k(player, day), score, expected)

    def _k(self, player: int, day: int) -> float:
        age = self.pool.age(player, day)
        is_junior = age is not None and age < self.parameters.junior_below
        return self.parameters.junior_k if is_junior else self.parameters.k

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self._met[player] = []


class EcfMonthly(System):
    about = About(
        "ecf.monthly",
        _("ECF, monthly"),
        _("England, since July 2020"),
        _(
            "K(W − We) from the table each month. Partial ratings with fewer than "
            "ten games."
        ),
        Shape.PER_PERIOD,
        Status.RECONSTRUCTION_IN_PART,
        (MONTHLY, HELP),
    )
    parameters = EcfParameters
    table = EcfTable
    uses_birth_years = True
    example = Example(
        Standing(1700.0, games=30),
        (
            (Standing(1750.0, games=30), 1.0),
            (Standing(1650.0, games=30), 0.5),
            (Standing(1900.0, games=30), 0.0),
        ),
        "1705",
        Source(_("ECF (its formula; our calculation)"), MONTHLY.address),
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_table(player.rating, opponent.rating)


SYSTEMS: tuple[System, ...] = (EcfMonthly(),)


def _month(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    rating, games = inputs["rating"], inputs["games"]
    expected = expected_score(rating, [opponent for opponent, _ in games])
    score = math.fsum(points for _, points in games)
    k = inputs.get("k", EcfParameters.k)
    return {"We": expected, "new": new_rating(rating, k, score, expected)}


CASES: Mapping[str, Case] = {"ecf.monthly": _month}
