"""The arithmetic of the DWZ: expectations, development, new and first ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from ratings.engine.numbers import official, round_change
from ratings.laboratory.tables import expectation
from ratings.laboratory.words import _

NEW, OLD = _("current"), "2014"
EDITIONS: Final = (NEW, OLD)

ADULT_AGE: Final = 26
YOUTH_AGE: Final = 20
FOREIGN_INDEX: Final = 6
"""The index of a rating that was copied from another list."""

_SPREAD: Final = 200 * math.sqrt(2)
_NORMAL: Final = NormalDist(sigma=_SPREAD)
MAX_DIFFERENCE: Final = 3000


def expected_score(difference: float) -> float:
    """Return the expected score P(D), by the normal curve (annex 2).

    >>> round(expected_score(270), 3)
    0.83
    """
    return 0.5 + math.erf(difference / (_SPREAD * math.sqrt(2))) / 2


SHARES: Final = tuple(
    expected_score(gap) for gap in range(-MAX_DIFFERENCE, MAX_DIFFERENCE + 1)
)
OLD_SHARES: Final = tuple(
    expectation(gap) / 100 for gap in range(-MAX_DIFFERENCE, MAX_DIFFERENCE + 1)
)


def difference_of(share: float) -> int:
    """Return the whole difference at which *share*, inside 0 to 1, is expected.

    Halves go away from zero, so that the table is the same for both players.

    >>> difference_of(7 / 9), difference_of(11.5 / 13), difference_of(0.25)
    (216, 339, -191)
    """
    return round_change(_NORMAL.inv_cdf(share))


def expected_total(own: int, opponents: Sequence[int], edition: str = NEW) -> float:
    """Return We, the expected score of an event (3.3).

    The older edition read each game's from FIDE's table.

    >>> round(expected_total(1700, [1900, 1900, 1800, 1650, 1500]), 4)
    2.1717
    """
    shares = SHARES if edition == NEW else OLD_SHARES
    gaps = [
        max(-MAX_DIFFERENCE, min(MAX_DIFFERENCE, own - rating)) for rating in opponents
    ]
    return math.fsum([shares[gap + MAX_DIFFERENCE] for gap in gaps])


def age_factor(age: int | None) -> int:
    """Return J: 5 up to 20 years, 10 up to 25, 15 above and where nothing is known.

    >>> age_factor(20), age_factor(21), age_factor(26), age_factor(None)
    (5, 10, 15, 15)
    """
    if age is None or age >= ADULT_AGE:
        return 15
    return 5 if age <= YOUTH_AGE else 10


def development(
    rating: int,
    age: int | None,
    score: float,
    expected: float,
    index: int,
    edition: str = NEW,
) -> int:
    """Return the coefficient E of an event (annex 1.2).

    *age* is the year less the year of birth, None for an adult; *index* the number of
    events rated before, 1 for a rating from another list.

    >>> development(1530, 40, 1, 2, 10), development(2200, 30, 1, 0.5, 2)
    (20, 10)
    >>> development(1600, 18, 2, 1, 10), development(1600, 18, 1, 2, 10)
    (9, 12)
    >>> development(800, 30, 0, 1, 10), development(900, 12, 0, 1, 10)
    (42, 19)
    """
    basic = (rating / 1000) ** 4 + age_factor(age)
    is_young = age is not None and age <= YOUTH_AGE
    factor = 1.0
    if is_young and score >= expected:
        factor = max(0.5, min(1.0, rating / 2000))
    brake = 0.0
    below = score < expected if edition == NEW else score <= expected
    if rating < 1300 and below:
        brake = math.exp((1300 - rating) / 150) - 1
    by_index = 5 * index if index <= 5 else 30
    highest = 150 if brake > 0 else by_index
    return max(5, min(highest, official(basic * factor + brake)))


def new_rating(
    rating: int, score: float, expected: float, coefficient: int, games: int
) -> float:
    """Return R0 + 800 × (W − We) ÷ (E + n), not rounded (3.3).

    >>> round(new_rating(1011, 6.5, 5.146, 5, 7))
    1101
    """
    return rating + 800 * (score - expected) / (coefficient + games)


# --- First ratings ---


class Newcomer(NamedTuple):
    """What a first rating is found from.

    *known* are ratings of opponents with the score against each; *others* are places
    in the list of newcomers, with the score against each.
    """

    known: Sequence[tuple[float, float]]
    others: Sequence[tuple[int, float]] = ()


def performance(games: Sequence[tuple[float, float]]) -> float:
    """Return the rating at which the score of *games* is the expected one.

    *games* are opponents' ratings with the score against each. Raises ValueError if
    every game was won or every game lost, because no rating fits then.

    >>> round(performance([(1300, 1), (1540, .5), (1200, 0), (1290, 1), (1400, 1)]), 2)
    1505.49
    """
    score = math.fsum([points for _rating, points in games])
    if not 0 < score < len(games):
        raise ValueError("There is no rating for only wins or only losses.")
    ratings = [rating for rating, _points in games]
    low, high = min(ratings) - MAX_DIFFERENCE, max(ratings) + MAX_DIFFERENCE
    rating = math.fsum(ratings) / len(ratings)
    while True:
        surplus = math.fsum([expected_score(rating - other) for other in ratings])
        surplus -= score
        if surplus > 0:
            high = rating
        else:
            low = rating
        slope = math.fsum([_NORMAL.pdf(rating - other) for other in ratings])
        guess = rating - surplus / slope if slope > 0 else low
        # Newton's step, unless it leaves the interval that holds the solution.
        if not low < guess < high:
            guess = (low + high) / 2
        if abs(guess - rating) < 1e-9 or not low < guess < high:
            return guess
        rating = guess


def first_ratings(newcomers: Sequence[Newcomer]) -> list[float]:
    """Return the ratings at which all newcomers score as expected (3.4).

    They are found together, because newcomers who met each other depend on each other:
    each in turn is set right until nothing moves. Every newcomer needs a score against
    the known opponents that is neither nothing nor all.

    >>> pair = [Newcomer([(1500, 1), (1500, 0)], [(1, 1)]),
    ...         Newcomer([(1500, 1), (1500, 0)], [(0, 0)])]
    >>> first, second = first_ratings(pair)
    >>> round((first + second) / 2, 3), first > second
    (1500.0, True)
    """
    ratings = [performance(newcomer.known) for newcomer in newcomers]
    coupled = [place for place, one in enumerate(newcomers) if one.others]
    moved = 1.0 if coupled else 0.0
    while moved > 1e-6:
        moved = 0.0
        for place in coupled:
            known, others = newcomers[place]
            met = [(ratings[other], score) for other, score in others]
            rating = performance([*known, *met])
            moved = max(moved, abs(rating - ratings[place]))
            ratings[place] = rating
    return ratings


def corrected_low(rating: int) -> float:
    """Return a first rating up to 800 as lifted by the correction: 700 + R ÷ 8.

    >>> corrected_low(400), corrected_low(800), corrected_low(801)
    (750.0, 800.0, 801.0)
    """
    return 700 + rating / 8 if rating <= 800 else float(rating)
