"""What comes out of the rating of one section: one record per competitor."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from .cards import PlayerId


class Formula(StrEnum):
    """Which of the two formulas rated a player (section 4)."""

    SPECIAL = "special"
    STANDARD = "standard"


class Rated(NamedTuple):
    """A competitor after the section.

    Ratings are in rating points and never rounded. *score* is in half points.
    *expected*, *k* and *bonus* are step 5's and None under the special formula.
    *first_estimate* is step 3, *intermediate* step 4, both after the 100.
    *before_floor* is step 5 as the formula gave it; *floor* and *ceiling* are
    the values that then acted, else None. Without games nothing is computed:
    *formula* is None, *post* the rating before (None if unrated).
    """

    id: PlayerId
    initial: float
    initial_games: int
    effective_games: float
    formula: Formula | None
    score: int
    games: int
    expected: float | None
    k: float | None
    bonus: float | None
    first_estimate: float | None
    intermediate: float | None
    before_floor: float | None
    floor: float | None
    ceiling: float | None
    floor_request: bool
    post: float | None
    post_games: int
