"""The inputs of the rating of one section in one system.

A `RatingInput` is complete: with the rules of its start day it decides every rating.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from .matches import MatchChange
from .systems import Source, System
from .time_controls import TimeControl

PlayerId = int | str


class Record(StrEnum):
    """All the games a player has had in this system before the section."""

    MIXED = "mixed"
    ALL_WINS = "all_wins"
    ALL_LOSSES = "all_losses"
    NONE = "none"


class Kind(StrEnum):
    """How a section was paired. Only a match is rated differently."""

    SWISS = "swiss"
    ROUND_ROBIN = "round_robin"
    DOUBLE_SWISS = "double_swiss"
    DOUBLE_ROUND_ROBIN = "double_round_robin"
    MATCH = "match"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class SourceRating:
    """A rating in another system that can go into a newcomer's start.

    *games* caps the weight of US Chess sources only; for FIDE and CFC it is 0. *day* is
    the day the rating was computed: the end of its section, or the first day of the
    FIDE list.
    """

    source: Source
    rating: float
    games: int
    day: date


@dataclass(frozen=True, slots=True)
class AssignedRating:
    """An assigned start, in place of step 1."""

    rating: float
    games: int


@dataclass(frozen=True, slots=True)
class Competitor:
    """One person in the section, with the state before it.

    A re-entered member is one competitor with all their games. *rating* is None for an
    unrated player; then *sources*, *birth_date* and *adult* give the start, unless
    *initial* replaces it. *floor* and *ceiling* apply once, after the last step; no
    floor means the 100 of every rating. *match_changes* are the player's earlier
    matches in this system; they count in a match only.
    """

    id: PlayerId
    rating: float | None
    games: int = 0
    record: Record = Record.MIXED
    floor: float | None = None
    ceiling: float | None = None
    birth_date: date | None = None
    adult: bool = False
    initial: AssignedRating | None = None
    sources: tuple[SourceRating, ...] = ()
    match_changes: tuple[MatchChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """One played game. Scores are in half points: 0, 1 or 2.

    The two scores may add up to less or more than a point, where a ruling gave
    the players different results.
    """

    a: PlayerId
    b: PlayerId
    score_a: int
    score_b: int


@dataclass(frozen=True, slots=True)
class RatingInput:
    """A section as it is rated in one system.

    The start day decides the rules, the end day the ages and the staleness.
    """

    system: System
    kind: Kind
    time_control: TimeControl
    start_date: date
    end_date: date
    competitors: tuple[Competitor, ...]
    games: tuple[Game, ...]
