"""The special rating formula (2025 paper, section 4.1), solved exactly.

The objective function f rises in straight pieces from knot to knot and never falls, so
its zeros are one point or one interval. The text searches for one of them step by step
from R′₀, and such a search ends at the zero nearest R′₀. Here that zero is computed,
without steps and without a limit on them.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from .inputs import Record
from .numbers import TOLERANCE, exact_sum
from .rules import Rules

# Comparing a rating with a knot (R ± 400, rounded) as floats is only safe this far
# from the knot, in rating points. It is also how far past a knot the zero can be
# when f is within the text's tolerance of zero at the knot.
_CLEAR_OF_KNOTS = 1e-3


class Prior(NamedTuple):
    """A player's prior: R′₀ in points, N′, and the games credited as won.

    *credit* is S′ − S: all of N′ after only wins, nothing after only losses, half of it
    otherwise.
    """

    rating: float
    games: float
    credit: float


class Zeros(NamedTuple):
    """The ratings at which f is zero: from *low* to *high*, which may be infinite."""

    low: float
    high: float


def prior(rating: float, games: float, record: Record, shift: float = 400.0) -> Prior:
    """Return R′₀ and the credit for a rated player's past.

    >>> prior(1200.0, 6.0, Record.ALL_WINS)
    Prior(rating=800.0, games=6.0, credit=6.0)
    >>> prior(1200.0, 6.0, Record.MIXED)
    Prior(rating=1200.0, games=6.0, credit=3.0)
    """
    if record is Record.ALL_WINS:
        return Prior(rating - shift, games, games)
    if record is Record.ALL_LOSSES:
        return Prior(rating + shift, games, 0.0)
    return Prior(rating, games, games / 2.0)


def provisional_expectancy(
    rating: float, opponent: float, reach: float = 400.0
) -> float:
    """Return the provisional winning expectancy of one game (PWe), in points.

    >>> [provisional_expectancy(r, 1500) for r in (1000, 1400, 1500, 1900)]
    [0.0, 0.375, 0.5, 1.0]
    """
    share = 0.5 + (rating - opponent) / (2.0 * reach)
    return min(1.0, max(0.0, share))


def objective(
    rating: float,
    start: Prior,
    score: float,
    opponents: Sequence[float],
    reach: float = 400.0,
) -> float:
    """Return f: expected minus attained points of a player rated *rating*.

    >>> objective(1550.0, Prior(1600.0, 0.0, 0.0), 1.5, [1200.0, 1500.0, 2400.0])
    0.0
    """
    terms = [provisional_expectancy(rating, other, reach) for other in opponents]
    terms.append(start.games * provisional_expectancy(rating, start.rating, reach))
    terms.append(-score)
    terms.append(-start.credit)
    return exact_sum(terms)


def zeros(
    start: Prior, score: float, opponents: Sequence[float], reach: float = 400.0
) -> Zeros:
    """Return all ratings that balance *score* (in points) against *opponents*.

    The order of the opponents does not matter. Raises ValueError without games.

    >>> zeros(Prior(1000.0, 0.0, 0.0), 4.0, [400.0] * 4)
    Zeros(low=800.0, high=inf)
    """
    if not opponents:
        raise ValueError("The special formula needs at least one game.")
    rating = _balance(start, score, opponents, True, 0, 0.0, reach)
    clear = reach - _CLEAR_OF_KNOTS
    if max(opponents) - clear < rating < min(opponents) + clear and (
        start.games == 0.0 or abs(rating - start.rating) < clear
    ):
        # Every game is on its slope: there is one zero and this is it.
        return Zeros(rating, rating)
    return _search(start, score, opponents, reach)


def special_rating(
    start: Prior, score: float, opponents: Sequence[float], rules: Rules
) -> float:
    """Return the rating of the special formula: the zero nearest R′₀, at most 2700.

    *score* is in points. The 100 of the text is not applied here.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> start = prior(1500.0, 6.0, Record.MIXED)
    >>> round(special_rating(start, 1.5, [1400.0, 1550.0, 1650.0], rules), 6)
    1511.111111
    """
    found = zeros(start, score, opponents, rules.provisional_reach)
    return min(nearest_zero(found, start.rating), rules.special_cap)


def nearest_zero(found: Zeros, rating: float) -> float:
    """Return the zero nearest a rating (R′₀).

    >>> nearest_zero(Zeros(800.0, math.inf), 1000.0), nearest_zero(Zeros(1.0, 2.0), 0.0)
    (1000.0, 1.0)
    """
    return max(found.low, min(found.high, rating))


def _search(
    start: Prior, score: float, opponents: Sequence[float], reach: float
) -> Zeros:
    """Find the zeros in the pieces around the first knot where f is not negative."""
    pieces = _Pieces(start, score, opponents, reach)
    first = pieces.first_not_negative()
    numbers = range(first, pieces.last_starting_near(first) + 1)
    for number in numbers:
        if pieces.is_zero_throughout(number):
            return Zeros(*pieces.ends(number))
    for number in numbers:
        rating = pieces.zero_of(number)
        if rating is not None:
            return Zeros(rating, rating)
    # f is zero at this knot, up to the rounding of floats.
    return Zeros(pieces.edges[first], pieces.edges[first])


class _Pieces:
    """The straight pieces of f, numbered by the knot at their right end.

    A piece is flat when no game is on its slope there. Its height is then a sum of
    half games and of N′, half of it or nothing, which floats add without error.
    """

    def __init__(
        self, start: Prior, score: float, opponents: Sequence[float], reach: float
    ) -> None:
        self.start = start
        self.score = score
        self.reach = reach
        self.opponents = sorted(opponents)
        self.entries = [opponent - reach for opponent in self.opponents]
        self.exits = [opponent + reach for opponent in self.opponents]
        knots = self.entries + self.exits
        if start.games > 0.0:
            knots += [start.rating - reach, start.rating + reach]
        self.edges = sorted(set(knots))

    def first_not_negative(self) -> int:
        """Return the number of the first knot where f is at least (nearly) zero.

        Adding up slope by slope is not exact, but near enough to know where to look.
        """
        steepness = [(knot, 1.0) for knot in self.entries]
        steepness += [(knot, -1.0) for knot in self.exits]
        if self.start.games > 0.0:
            middle, games = self.start.rating, self.start.games
            steepness.append((middle - self.reach, games))
            steepness.append((middle + self.reach, -games))
        steepness.sort()
        height = -2.0 * self.reach * (self.score + self.start.credit)
        lowest = -2.0 * self.reach * TOLERANCE
        slope = 0.0
        before = steepness[0][0]
        for knot, change in steepness:
            height += slope * (knot - before)
            if height >= lowest:
                return bisect_left(self.edges, knot)
            slope += change
            before = knot
        return len(self.edges) - 1

    def last_starting_near(self, first: int) -> int:
        """Return the last piece that begins at knot *first* or hardly above it."""
        return bisect_right(self.edges, self.edges[first] + _CLEAR_OF_KNOTS)

    def ends(self, number: int) -> tuple[float, float]:
        left = self.edges[number - 1] if number > 0 else -math.inf
        right = self.edges[number] if number < len(self.edges) else math.inf
        return left, right

    def is_zero_throughout(self, number: int) -> bool:
        left = self.ends(number)[0]
        won = bisect_right(self.exits, left)
        if self._prior_on_slope(left) or bisect_right(self.entries, left) != won:
            return False
        height = won - self.score - (self.start.credit - self._prior_won(left))
        return abs(height) <= TOLERANCE

    def zero_of(self, number: int) -> float | None:
        """Return where a rising piece crosses zero, None if beyond its right end."""
        left, right = self.ends(number)
        won = bisect_right(self.exits, left)
        on_slope = self.opponents[won : bisect_right(self.entries, left)]
        prior_on_slope = self._prior_on_slope(left)
        if not on_slope and not prior_on_slope:
            return None
        rating = _balance(
            self.start,
            self.score,
            on_slope,
            prior_on_slope,
            won,
            self._prior_won(left),
            self.reach,
        )
        return max(left, rating) if rating <= right else None

    def _prior_on_slope(self, left: float) -> bool:
        middle = self.start.rating
        entered = left >= middle - self.reach
        return entered and self.start.games > 0.0 and left < middle + self.reach

    def _prior_won(self, left: float) -> float:
        has_left = left >= self.start.rating + self.reach
        return self.start.games if has_left else 0.0


def _balance(
    start: Prior,
    score: float,
    on_slope: Sequence[float],
    prior_on_slope: bool,
    won: int,
    prior_won: float,
    reach: float,
) -> float:
    """Solve f = 0 for games all on their slope, after *won* games surely won.

    With every game on its slope this is the text's first estimate M.
    """
    weight = float(len(on_slope))
    terms = list(on_slope)
    if prior_on_slope:
        weight += start.games
        terms.append(start.games * start.rating)
    terms.append(2.0 * reach * (score - won))
    terms.append(2.0 * reach * (start.credit - prior_won))
    terms.append(-reach * weight)
    return exact_sum(terms) / weight
