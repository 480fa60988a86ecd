"""Elo's system, with four curves from the difference of ratings to the expectation.

New = old + K(W − We): the score, less the expected score, times K. The curves are Elo's
own table, his straight line for work without a table, the logistic curve and the normal
curve. The line and the table are Elo 1978, the curves are by later authors.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case, each, score_of
from ratings.laboratory.parameters import parameter
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
from ratings.laboratory.tables import MAX_DIFFERENCE, SHARES, expectation
from ratings.laboratory.words import _

CAPS: Final = (_("none"), "350", "400")
"""How far apart two players may count as being, in rating points."""

ELO_BOOK: Final = Source(
    "Arpad E. Elo, The Rating of Chessplayers, Past and Present, Arco, 1978"
)
WIKIPEDIA: Final = Source(
    "Wikipedia, Chess rating system (version of February 2020)",
    "https://en.wikipedia.org/w/index.php?title=Chess_rating_system&oldid=941738882",
)
ELO_ARTICLE: Final = Source(
    "Wikipedia, Elo rating system", "https://en.wikipedia.org/wiki/Elo_rating_system"
)


def cap_of(choice: str) -> float:
    """Return one of `CAPS` in rating points.

    >>> cap_of("350"), cap_of("none")
    (350.0, inf)
    """
    return math.inf if choice == "none" else float(choice)


def expected_by_table(rating: float, opponent: float) -> float:
    """Return the expected score by Elo's table (8.1.2 of FIDE's Handbook).

    The table has whole differences, so the ratings count as they are displayed.

    >>> expected_by_table(2635, 2600)
    0.55
    """
    return expectation(official(rating) - official(opponent)) / 100


def expected_by_line(rating: float, opponent: float) -> float:
    """Return the expected score by Elo's straight line: half, and d/800 for d points.

    Below 0 and above 1 beyond 400 points, as the formula has it.

    >>> expected_by_line(1600, 1500), expected_by_line(1550, 1100)
    (0.625, 1.0625)
    """
    return 0.5 + (rating - opponent) / 800


def expected_by_logistic(rating: float, opponent: float) -> float:
    """Return the expected score by the logistic curve of base 10 and scale 400.

    >>> round(expected_by_logistic(1613, 1609), 4)
    0.5058
    """
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


def expected_by_normal(rating: float, opponent: float) -> float:
    """Return the expected score by the normal curve, 200√2 points wide.

    Each player's form varies by one class of 200 points, so a difference of two by
    200√2; Φ(d/(200√2)) is half of 1 + erf(d/400).

    >>> round(expected_by_normal(1700, 1500), 4)
    0.7602
    """
    return (1 + math.erf((rating - opponent) / 400)) / 2


def new_rating(rating: float, k: float, score: float, expected: float) -> float:
    """Return the rating after an event, not rounded (Elo 1978, page 37).

    >>> round(new_rating(2635, 10, 10.5, 9.66), 2)
    2643.4
    """
    return rating + k * (score - expected)


def linear_rating(
    rating: float,
    k: float,
    wins: float,
    losses: float,
    differences: float,
    class_interval: float = 200.0,
) -> float:
    """Return the rating after an event by the linear formula (Elo 1978, page 28).

    A draw is half a win and half a loss; *differences* is the sum of the opponents'
    ratings less the own one. The book prints 2645.75 for this example by mistake.

    >>> linear_rating(2635, 10, 10.5, 4.5, -1620)
    2644.75
    """
    return rating + k / 2 * (wins - losses + differences / class_interval / 2)


@dataclass(frozen=True)
class EloParameters:
    """Parameters of Elo's system, for any curve."""

    k: float = parameter(
        32.0,
        _("K"),
        _("Rating points gained for scoring one point more than expected."),
        low=1,
        high=200,
    )
    cap: str = parameter(
        "none",
        _("Maximum rating difference"),
        _("Larger differences are treated as this many points."),
        choices=CAPS,
    )
    start: float = parameter(
        1500.0,
        _("Rating of a new player"),
        _("The rating an unrated player starts the first event with."),
        low=0,
        high=3000,
    )


class EloTable(Table):
    """Ratings of one pool by one curve; every event is rated from those before it."""

    def __init__(self, pool: Pool, parameters: EloParameters) -> None:
        super().__init__(pool, parameters)
        self._surplus = [0.0] * pool.size

    @abstractmethod
    def _update_expectations(self, differences: list[float]) -> list[float]:
        """Return the expected scores for the update."""

    def _expected(self, differences: list[float]) -> list[float]:
        """Return the expected scores as probabilities."""
        return self._update_expectations(differences)

    def _differences(self, games: Games) -> list[float]:
        """Return White's rating less Black's, not a number where one has none."""
        ratings, cap = self._comparison_ratings(), cap_of(self.parameters.cap)
        pairs = zip(games.white, games.black, strict=True)
        differences = [ratings[white] - ratings[black] for white, black in pairs]
        if cap == math.inf:
            return differences
        return [-cap if d < -cap else cap if d > cap else d for d in differences]

    def _comparison_ratings(self) -> Sequence[float]:
        """Return the ratings as the curve compares them."""
        return self.ratings

    def predict(self, games: Games, moment: Moment) -> list[float]:
        return self._expected(self._differences(games))

    def update(self, games: Games, moment: Moment) -> None:
        players, rules = {*games.white, *games.black}, self.parameters
        for player in players:
            if math.isnan(self.ratings[player]):
                self._rate(player, rules.start)
        surplus, count = self._surplus, self.counts
        expected = self._update_expectations(self._differences(games))
        columns = zip(games.white, games.black, games.points, expected, strict=True)
        for white, black, points, share in columns:
            gain = points - share
            surplus[white] += gain
            surplus[black] -= gain
            count[white] += 1
            count[black] += 1
        for player in players:
            self._rate(player, self.ratings[player] + rules.k * surplus[player])
            surplus[player] = 0.0
            self.evaluations[player] += 1

    def _rate(self, player: int, rating: float) -> None:
        self.ratings[player] = rating

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self._rate(player, standing.rating)


class ByTable(EloTable):
    """Ratings by Elo's table, both exact and as displayed."""

    def __init__(self, pool: Pool, parameters: EloParameters) -> None:
        super().__init__(pool, parameters)
        self._shown = [math.nan] * pool.size

    def _comparison_ratings(self) -> Sequence[float]:
        return self._shown

    def _rate(self, player: int, rating: float) -> None:
        self.ratings[player] = rating
        self._shown[player] = float(official(rating))

    def _update_expectations(self, differences: list[float]) -> list[float]:
        # Differences are floats, and are compared faster with one.
        shares, reach = SHARES, float(MAX_DIFFERENCE)
        # Beyond its range the table ends at 0 and 1; NaN stays NaN.
        return [
            shares[int(d) + MAX_DIFFERENCE]
            if -reach <= d <= reach
            else d
            if d != d
            else float(d > 0)
            for d in differences
        ]


class ByLine(EloTable):
    """Ratings by Elo's straight line, which the update follows beyond 0 and 1."""

    def _update_expectations(self, differences: list[float]) -> list[float]:
        return [0.5 + d / 800 for d in differences]

    def _expected(self, differences: list[float]) -> list[float]:
        return [
            0.0 if d < -400 else 1.0 if d > 400 else 0.5 + d / 800 for d in differences
        ]


class ByLogistic(EloTable):
    """Ratings by the logistic curve."""

    def _update_expectations(self, differences: list[float]) -> list[float]:
        return [1 / (1 + 10 ** (d / -400)) for d in differences]


class ByNormal(EloTable):
    """Ratings by the normal curve."""

    def _update_expectations(self, differences: list[float]) -> list[float]:
        erf = math.erf
        return [(1 + erf(d / 400)) / 2 for d in differences]


_TOURNAMENT: Final = tuple(
    (Standing(float(rating)), score)
    for rating, score in ((1609, 0.0), (1477, 0.5), (1388, 1.0), (1586, 1.0), (1720, 0))
)
# Only the sum of the differences matters to the line: −1620 in Portisch's tournament,
# so fifteen opponents of its average replace the fifteen unpublished ones.
_PORTISCH: Final = tuple((Standing(2527.0), score) for score in [1.0] * 6 + [0.5] * 9)


class EloSystem(System):
    """Elo's system by one of the curves."""

    parameters = EloParameters
    example = Example(Standing(1613.0), _TOURNAMENT, "1601", ELO_ARTICLE)


class EloByTable(EloSystem):
    table = ByTable
    about = About(
        "elo.table",
        _("Elo, table"),
        _("1960 to today; United States, then worldwide"),
        _("New = old + K(W − We), with the expected score from Elo’s table."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (ELO_BOOK, WIKIPEDIA, ELO_ARTICLE),
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_table(player.rating, opponent.rating)


class EloByLine(EloSystem):
    table = ByLine
    example = Example(
        Standing(2635.0), _PORTISCH, "2644.75", WIKIPEDIA, parameters={"k": 10.0}
    )
    about = About(
        "elo.linear",
        _("Elo, linear"),
        _("published in 1978, for hand calculation"),
        _("Elo’s approximation for hand calculation: 12½% for each 100 points."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (ELO_BOOK, WIKIPEDIA),
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        share = expected_by_line(player.rating, opponent.rating)
        return min(max(share, 0.0), 1.0)


class EloByLogistic(EloSystem):
    table = ByLogistic
    about = About(
        "elo.logistic",
        _("Elo, logistic curve"),
        _("today; United States and most playing sites"),
        _("New = old + K(W − We), with the expected score from the logistic curve."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (ELO_ARTICLE, ELO_BOOK),
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_logistic(player.rating, opponent.rating)


class EloByNormal(EloSystem):
    table = ByNormal
    about = About(
        "elo.normal",
        _("Elo, normal curve"),
        _("since 1960; the theory behind the table"),
        _("New = old + K(W − We), with the expected score from Elo’s bell curve."),
        Shape.PER_EVENT,
        Status.HISTORICAL,
        (ELO_BOOK, ELO_ARTICLE),
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_normal(player.rating, opponent.rating)


SYSTEMS: tuple[System, ...] = (
    EloByTable(),
    EloByLine(),
    EloByLogistic(),
    EloByNormal(),
)


def _by_line(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the formula's value, which may be below 0 or above 1."""
    k, interval = inputs.get("K", EloParameters.k), inputs.get("C", 200)
    if "sum_opp_minus_own" in inputs:
        sums = (inputs["W"], inputs["L"], inputs["sum_opp_minus_own"])
        return {"new": linear_rating(inputs["rating"], k, *sums, interval)}
    found = dict(_case(EloByLine(), inputs))
    opponents = inputs.get("opponents", [inputs.get("opponent")])
    if "new" in found:
        rating, score = inputs["rating"], score_of(inputs)
        apart = math.fsum(opponent - rating for opponent in opponents)
        sums = (score, len(opponents) - score, apart)
        found["new"] = linear_rating(rating, k, *sums, interval)
    return found


def _case(system: EloSystem, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the result of a difference, one opponent, a whole event, or its sums."""

    def expected(rating: float, opponent: float) -> float:
        return system.expected(Standing(rating), Standing(opponent))

    if "D" in inputs:
        return {"P": each(lambda difference: expected(difference, 0.0), inputs["D"])}
    rating, k = inputs["rating"], inputs.get("K", EloParameters.k)
    if "We" in inputs:
        return {"new": new_rating(rating, k, inputs["W"], inputs["We"])}
    opponents = inputs.get("opponents", [inputs.get("opponent")])
    total = math.fsum(expected(rating, opponent) for opponent in opponents)
    found = {"expected_sum": total, "expected": total}
    if "score" in inputs or "scores" in inputs:
        found["new"] = new_rating(rating, k, score_of(inputs), total)
    return found


CASES: Mapping[str, Case] = {
    "elo.table": partial(_case, EloByTable()),
    "elo.linear": _by_line,
    "elo.logistic": partial(_case, EloByLogistic()),
    "elo.normal": partial(_case, EloByNormal()),
}
