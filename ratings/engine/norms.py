"""Norms toward the titles of the federation's norm-based title system.

A norm of a level is a score of more than one point above the expected score of a player
of that level. Five norms of a level, or of higher ones, make the title; from Candidate
Master on it takes the rating too. The federation has published the definition of a norm
(ratings committee report, 2009), but neither the curve of the expected score nor how
often an opponent may be met: both are inferred here from averages that were printed,
and every page with a norm says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ratings.engine.numbers import TOLERANCE, exact_sum


@dataclass(frozen=True, slots=True)
class NormTitle:
    """A title, the level of its norms, and whether it takes a rating of that level."""

    name: str
    level: int
    needs_rating: bool


TITLES: Final = (
    NormTitle("Senior Life Master", 2400, needs_rating=True),
    NormTitle("Life Master", 2200, needs_rating=True),
    NormTitle("Candidate Master", 2000, needs_rating=True),
    NormTitle("1st Category", 1800, needs_rating=False),
    NormTitle("2nd Category", 1600, needs_rating=False),
    NormTitle("3rd Category", 1400, needs_rating=False),
    NormTitle("4th Category", 1200, needs_rating=False),
)
"""Highest first."""
LEVELS: Final = tuple(title.level for title in TITLES)

FIDE_NORM_GAMES: Final = 9
"""Games that a norm of a FIDE title takes (FIDE Handbook B.01, 1.4.1)."""

NORMS_FOR_TITLE: Final = 5
MIN_GAMES: Final = 4
MAX_GAMES_WITH_ONE: Final = 2
MARGIN: Final = 1.0

# Expected points by how much stronger the opponent is than the level (inferred).
_CURVE: Final = ((-200.0, 1.0), (0.0, 0.5), (200.0, 0.25), (400.0, 0.0))


@dataclass(frozen=True, slots=True)
class NormGame:
    """A game: the opponent, their rating after the event, and the points won."""

    opponent: Hashable
    rating: float
    score: float


@dataclass(frozen=True, slots=True)
class Norm:
    """A norm: the level, the score, and the expected score at that level."""

    level: int
    score: float
    expected: float


def expected_score(level: int, opponent: float) -> float:
    """Return the points a player of *level* is expected to score in one game.

    >>> [expected_score(2000, rating) for rating in (1700, 1900, 2000, 2100, 2300)]
    [1.0, 0.75, 0.5, 0.375, 0.125]
    """
    stronger_by = opponent - level
    if stronger_by <= _CURVE[0][0]:
        return 1.0
    for (left, high), (right, low) in pairwise(_CURVE):
        if stronger_by <= right:
            return high + (low - high) * (stronger_by - left) / (right - left)
    return 0.0


def is_possible(games: int, score: float) -> bool:
    """Return whether so many games and points can make a norm, against any opponents.

    The expected score is at least 0, and the margin has to be passed.

    >>> is_possible(4, 1.5), is_possible(4, 1.0), is_possible(3, 3.0)
    (True, False, False)
    """
    return games >= MIN_GAMES and score > MARGIN


def find_norm(games: Sequence[NormGame], levels: Iterable[int] = LEVELS) -> Norm | None:
    """Return the first norm of *levels* that these games of one section make, if any.

    With all levels that is the highest. Stronger opponents make each one easier.

    >>> find_norm([NormGame(number, 1500.0, 1.0) for number in range(4)])
    Norm(level=1400, score=4.0, expected=1.5)
    >>> find_norm([NormGame(number, 1500.0, 1.0) for number in range(4)], [1200])
    Norm(level=1200, score=4.0, expected=0.5)
    """
    if not _counts(games):
        return None
    score = exact_sum([game.score for game in games])
    for level in levels:
        expected = exact_sum([expected_score(level, one.rating) for one in games])
        if score - expected > MARGIN + TOLERANCE:
            return Norm(level, score, expected)
    return None


def _counts(games: Sequence[NormGame]) -> bool:
    """Return whether there are enough games, and no opponent too often."""
    met = Counter(game.opponent for game in games)
    return len(games) >= MIN_GAMES and max(met.values()) <= MAX_GAMES_WITH_ONE
