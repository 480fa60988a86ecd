"""The results of a section: one record per competitor, and the state after it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from .inputs import PlayerId, Record


class Formula(StrEnum):
    """Which of the two formulas rated a player (section 4)."""

    SPECIAL = "special"
    STANDARD = "standard"


class RatingResult(NamedTuple):
    """A competitor after the section.

    Ratings are in rating points and never rounded. *score* is in half points.
    *expected*, *k* and *bonus* are step 5's and None under the special formula.
    *first_estimate* is step 3, *intermediate* step 4, both after the 100.
    *before_floor* is the result of step 5's formula; *floor* and *ceiling* are the
    values that then applied, else None. Without games nothing is computed: *formula* is
    None, *post* the rating before (None if unrated).
    """

    id: PlayerId
    initial: float
    initial_games: int
    effective_games: float
    formula: Formula | None = None
    score: int = 0
    games: int = 0
    expected: float | None = None
    k: float | None = None
    bonus: float | None = None
    first_estimate: float | None = None
    intermediate: float | None = None
    before_floor: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    floor_request: bool = False
    post: float | None = None
    post_games: int = 0


def record_after(before: Record, games: int, wins: int, draws: int) -> Record:
    """Return whether all games so far were won, or lost, or neither.

    *games*, *wins* and *draws* are those of the section.

    >>> record_after(Record.ALL_WINS, 3, 3, 0).value
    'all_wins'
    >>> record_after(Record.ALL_WINS, 3, 2, 1).value
    'mixed'
    """
    if wins == games:
        now = Record.ALL_WINS
    elif wins == draws == 0:
        now = Record.ALL_LOSSES
    else:
        return Record.MIXED
    return now if before in (Record.NONE, now) else Record.MIXED


def peak_after(
    before: float | None, rating: float | None, games: int, established_after: int
) -> float | None:
    """Return the highest established rating so far: one on more games than that."""
    if rating is None or games <= established_after:
        return before
    return rating if before is None else max(rating, before)
