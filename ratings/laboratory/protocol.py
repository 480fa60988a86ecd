"""The protocol of a rating system: its definition, and the pool it is run on.

A `System` has a description and parameters, and begins a `Table`: the ratings of one
pool of players. An experiment hands the table one batch of games after the other, first
to predict and then to learn from.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

from ratings.engine.numbers import official

from .words import _

UNKNOWN = math.nan
"""The prediction for a game whose players the system cannot compare yet."""


class Shape(StrEnum):
    """How many games a system rates at once."""

    PER_GAME = "per_game"
    PER_EVENT = "per_event"
    PER_PERIOD = "per_period"
    WHOLE_POOL = "whole_pool"


class Status(StrEnum):
    """How far a system's definition can be trusted to be the real one."""

    OFFICIAL = "official"
    HISTORICAL = "historical"
    RECONSTRUCTION = "reconstruction"
    RECONSTRUCTION_IN_PART = "reconstruction_in_part"
    UNDEFINED = "undefined"
    USES_THE_FUTURE = "uses_the_future"
    YARDSTICK = "yardstick"


class Direction(StrEnum):
    """Whether the stronger player has the higher or the lower number."""

    HIGHER_IS_BETTER = "higher"
    LOWER_IS_BETTER = "lower"


class Source(NamedTuple):
    """The source of a definition: a title, and a URL if there is one."""

    title: str
    address: str = ""


class Standing(NamedTuple):
    """A system's state of one player, in the system's own units.

    *games* is the number of games the rating is based on, *evaluations* that of events
    or lists; *deviation* and *volatility* are None where a system has none.
    """

    rating: float
    games: int = 0
    deviation: float | None = None
    volatility: float | None = None
    evaluations: int = 0


class Moment(NamedTuple):
    """When a batch is predicted or rated.

    *day* is the ordinal (`date.toordinal`) of the last day of the period or event;
    *period* numbers the experiment's periods from 0.
    """

    day: int
    period: int


class OnlineFacts(NamedTuple):
    """What a file says of an online game for the rules of FIDE Online Arena.

    *control* is minutes and seconds a move, None if unknown; *white_lists* and
    *black_lists* are FIDE ratings (standard, rapid, blitz; None where there is none),
    *white_change* and *black_change* the points of a list announced since the player's
    last game, *white_away* and *black_away* the seconds of a disconnection.
    """

    control: tuple[int, int] | None = None
    white_lists: tuple[float | None, ...] = (None, None, None)
    black_lists: tuple[float | None, ...] = (None, None, None)
    white_change: float = 0.0
    black_change: float = 0.0
    white_away: int = 0
    black_away: int = 0

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> OnlineFacts:
        """Return the facts that were stored as JSON.

        >>> facts = OnlineFacts((5, 3), (None, 1800.0, None))
        >>> OnlineFacts.from_row([[5, 3], [None, 1800.0, None], *facts[2:]]) == facts
        True
        """
        return cls._make(tuple(one) if isinstance(one, list) else one for one in row)


@dataclass(frozen=True, slots=True)
class Games:
    """Games of one batch as parallel columns, in the order they were played.

    *white* and *black* are players' numbers in the pool from 0, *points* White's score
    (1.0, 0.5 or 0.0), *days* ordinals, *events* numbers of the events; *minutes* is the
    time for 60 moves, 0 where unknown. *colored* is 0 for a game whose colors are not
    known, where *white* is only the first side; empty, all are known. *online* is empty
    unless a file has facts for FIDE Online Arena.
    """

    white: Sequence[int]
    black: Sequence[int]
    points: Sequence[float]
    days: Sequence[int]
    events: Sequence[int]
    minutes: Sequence[int]
    colored: Sequence[int] = ()
    online: Sequence[OnlineFacts | None] = ()

    @classmethod
    def on(
        cls,
        day: int,
        white: Sequence[int],
        black: Sequence[int],
        points: Sequence[float],
        minutes: int = 0,
        colored: Sequence[int] = (),
    ) -> Games:
        """Return games of one event and *day*, in the order given."""
        count = len(white)
        days, events = [day] * count, [0] * count
        return cls(white, black, points, days, events, [minutes] * count, colored)

    def __len__(self) -> int:
        return len(self.white)

    def part(self, start: int, stop: int) -> Games:
        """Return the games from *start* up to, not including, *stop*."""
        return Games(*(column[start:stop] for column in self.columns()))

    def select(self, numbers: Sequence[int]) -> Games:
        """Return the games with these *numbers*, in their order."""
        return Games(*(select(column, numbers) for column in self.columns()))

    def columns(self) -> tuple[Sequence[Any], ...]:
        """Return all columns, in the order in which they are defined."""
        return tuple(getattr(self, one.name) for one in fields(self))

    def advantages(self, points: float) -> list[float]:
        """Return White's advantage in each game: 0 where colors are unknown.

        *points* is the advantage where the colors are known, in any unit.

        >>> Games([0, 1], [1, 0], [1, 0], [9, 9], [0, 0], [0, 0], [1, 0]).advantages(30)
        [30, 0.0]
        """
        if not self.colored:
            return [points] * len(self)
        return [points if known else 0.0 for known in self.colored]


def select(column: Any, numbers: Sequence[int]) -> Any:
    """Return the values of these *numbers*, an array of an array; none of no column."""
    values = map(column.__getitem__, numbers if column else ())
    return (
        array(column.typecode, values) if isinstance(column, array) else tuple(values)
    )


@dataclass(frozen=True)
class Pool:
    """The players: how many there are, and their years of birth where known."""

    size: int
    birth_years: Sequence[int | None] = ()

    def birth_year(self, player: int) -> int | None:
        return self.birth_years[player] if self.birth_years else None

    def age(self, player: int, day: int) -> int | None:
        """Return the year of an ordinal *day* less that of birth; None if unknown."""
        born = self.birth_year(player)
        return None if born is None else date.fromordinal(day).year - born


@dataclass(frozen=True)
class About:
    """The description of a system in a list; its texts are marked with `_`.

    *key* is its name on the command line and in addresses, letters, digits, dots and
    underscores; *years* when and where it was in use.
    """

    key: str
    label: str
    years: str
    summary: str
    shape: Shape
    status: Status
    sources: tuple[Source, ...]
    direction: Direction = Direction.HIGHER_IS_BETTER

    @property
    def is_upper_bound(self) -> bool:
        """Whether this only shows the possible gain and is no candidate."""
        return self.status in (Status.USES_THE_FUTURE, Status.YARDSTICK)


@dataclass(frozen=True)
class Example:
    """A worked example that a system's page runs: one player, one event, the outcome.

    *games* are opponents, in the system's own units, with the score against each;
    *printed* is the new rating that *source* gives, as it is printed there.
    """

    player: Standing | None
    games: tuple[tuple[Standing, float], ...]
    printed: str
    source: Source
    birth_year: int | None = None
    parameters: dict[str, Any] = field(default_factory=dict)


class Table(ABC):
    """One system's ratings of one pool, while an experiment runs.

    The columns have a place for each player; a rating that is not a number is unrated.
    *counts* are games, *evaluations* events or periods. *bonus_points* is the sum of
    points that entered the pool beyond the formula.
    """

    bonus_points: float = 0.0

    def __init__(self, pool: Pool, parameters: Any) -> None:
        self.pool = pool
        self.parameters = parameters
        self.ratings = [UNKNOWN] * pool.size
        self.counts = [0] * pool.size
        self.evaluations = [0] * pool.size

    def load_future_games(self, games: Games) -> None:  # noqa: B027, most do nothing here
        """Take in all games before the first is predicted.

        Only an upper bound that `USES_THE_FUTURE` gets them.
        """

    @abstractmethod
    def predict(self, games: Games, moment: Moment) -> list[float]:
        """Return White's expected score of each game, from the games before it.

        `UNKNOWN` stands for a game that the system cannot predict, for example
        because a player is unrated. Changes nothing.
        """

    @abstractmethod
    def update(self, games: Games, moment: Moment) -> None:
        """Learn from a batch: one event (`PER_EVENT`), else all games of a period."""

    def standing(self, player: int) -> Standing | None:
        """Return the standing of *player*; None while unrated."""
        rating = self.ratings[player]
        if rating != rating:
            return None
        count, evaluations = self.counts[player], self.evaluations[player]
        return Standing(rating, count, self.deviation(player), None, evaluations)

    def deviation(self, player: int) -> float | None:
        """Return the deviation of a rated *player*; None where there is none."""
        return None

    def seed(self, player: int, standing: Standing) -> None:
        """Give *player* a rating to begin with, instead of the newcomer rule."""
        self.ratings[player] = standing.rating
        self.counts[player] = standing.games
        self.evaluations[player] = standing.evaluations

    def count(self, games: Games) -> None:
        """Count the games of both players."""
        for column in (games.white, games.black):
            for player in column:
                self.counts[player] += 1

    def finish(self) -> None:  # noqa: B027, most do nothing here
        """Give the ratings their final form, after the last period."""

    def at_floor(self, player: int) -> bool:
        """Return whether *player*'s rating is at the lowest it may be."""
        return False


class System(ABC):
    """A rating system: description, parameters and predictions.

    *uses_birth_years* means that years of birth may change its ratings: then its
    numbers may reveal a player's age and are not public one by one.
    """

    about: ClassVar[About]
    parameters: ClassVar[type[Any]]
    table: ClassVar[type[Table]]
    uses_birth_years: ClassVar[bool] = False
    example: ClassVar[Example | None] = None

    def begin(self, pool: Pool, parameters: Any = None) -> Any:
        """Return a table without rated players; None takes the defaults."""
        return self.table(pool, parameters or self.parameters())

    @abstractmethod
    def expected(self, player: Standing, opponent: Standing) -> float:
        """Return the score *player* may expect in one game, colors unknown."""

    def display(self, rating: float) -> str:
        """Return *rating* as this system publishes it.

        Whole numbers, halves up, unless a system says otherwise.
        """
        return str(official(rating))

    def on_elo_scale(self, rating: float) -> float:
        """Return *rating* in today's rating points, to compare it with others."""
        return rating

    def from_elo_scale(self, rating: float) -> float:
        """Return a rating of today in this system's own units."""
        return rating


SHAPES = {
    Shape.PER_GAME: _("after each game"),
    Shape.PER_EVENT: _("after each event"),
    Shape.PER_PERIOD: _("after each period"),
    Shape.WHOLE_POOL: _("all players at once"),
}
STATUSES = {
    Status.OFFICIAL: _("official"),
    Status.HISTORICAL: _("historical"),
    Status.RECONSTRUCTION: _("reconstruction"),
    Status.RECONSTRUCTION_IN_PART: _("partial reconstruction"),
    Status.UNDEFINED: _("definition not published"),
    Status.USES_THE_FUTURE: _("uses the future"),
    Status.YARDSTICK: _("our own benchmark"),
}
