"""Norms toward the titles of the federation's norm-based title system.

The rules are those of Mark E. Glickman, "The US Chess Title System" (February 2016).
A norm of a level is a score of more than one point above the expected score of a player
of that level, in four games or more. In three games, with a fourth that was a
full-point bye or a forfeit win, it takes two points above it, at least. Five norms of a
level, or of higher ones, make the title; from Candidate Master on it takes the rating
too.
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
MIN_ROUNDS: Final = 4
MIN_GAMES: Final = 4
MAX_GAMES_WITH_ONE: Final = 2
MARGIN: Final = 1.0
"""A score of four games or more has to be above it."""

THREE_GAMES: Final = 3
MARGIN_OF_THREE: Final = 2.0
"""A score of three games and a full-point bye or forfeit win has to reach it."""

# Expected points by how much stronger the opponent is than the level.
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

    The expected score is at least 0. Three games need a fourth that was not played.

    >>> is_possible(4, 1.5), is_possible(4, 1.0), is_possible(3, 2.0), is_possible(3, 1)
    (True, False, True, False)
    """
    return _is_enough(games, score)


def find_norm(
    games: Sequence[NormGame],
    levels: Iterable[int] = LEVELS,
    *,
    has_free_point: bool = False,
) -> Norm | None:
    """Return the first norm of *levels* that these games of one section make, if any.

    With all levels that is the highest. Stronger opponents make each one easier.
    *has_free_point* means a full-point bye or a forfeit win, which three games need.

    >>> find_norm([NormGame(number, 1500.0, 1.0) for number in range(4)])
    Norm(level=1400, score=4.0, expected=1.5)
    >>> find_norm([NormGame(number, 1500.0, 1.0) for number in range(4)], [1200])
    Norm(level=1200, score=4.0, expected=0.5)
    >>> three = [NormGame(number, 1600.0, 1.0) for number in range(3)]
    >>> find_norm(three), find_norm(three, has_free_point=True)
    (None, Norm(level=1400, score=3.0, expected=0.75))
    """
    if len(games) == THREE_GAMES and not has_free_point:
        return None
    if not games or _most_with_one(games) > MAX_GAMES_WITH_ONE:
        return None
    score = exact_sum([game.score for game in games])
    for level in levels:
        expected = exact_sum([expected_score(level, one.rating) for one in games])
        if _is_enough(len(games), score - expected):
            return Norm(level, score, expected)
    return None


def _is_enough(games: int, lead: float) -> bool:
    """Return whether *lead* points above the expected score make a norm."""
    if games == THREE_GAMES:
        return lead >= MARGIN_OF_THREE - TOLERANCE
    return games >= MIN_GAMES and lead > MARGIN + TOLERANCE


def _most_with_one(games: Sequence[NormGame]) -> int:
    return max(Counter(game.opponent for game in games).values())
