"""Running one system over a history: predict each period, then learn from it."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from .history import History, Period, column_bytes
from .protocol import UNKNOWN, Games, Moment, Shape, Standing, Status, System, Table
from .white_advantage import apply_white_advantage, has_white_advantage, parameters_with

LABORATORY_VERSION: Final = "3"
"""Changes whenever the same recipe could give other numbers than before."""

Observer = Callable[[Moment, Table], None]
"""Is called after each period; raising an exception ends the experiment."""


COMMON_START: Final = 1500.0
"""Where all begin with `Newcomers.COMMON`, in rating points."""


class Newcomers(StrEnum):
    """The initial ratings of players without games.

    With OURS and COMMON all systems start level; with OWN a comparison measures each
    system's rule for newcomers too.
    """

    OURS = "ours"
    COMMON = "common"
    OWN = "own"


@dataclass(frozen=True)
class Plan:
    """The plan of an experiment; days are ordinals, None the first or last of all.

    Games rated before *first_day* or after *last_day* are left out. A game counts for
    the measures when there is evidence of both players, who had *least_games* games
    before its period, and when it is not of the training: rated on *first_test_day* or
    later, or, without that, after the first *training* share of all games and
    *warm_up_days* after the first. *months* is the length of a period.

    With `Newcomers.OURS` each player in *seeds* begins with that rating, in rating
    points of our own scale; who is not there begins as the system's own rule says.
    *white_advantage* is what White is worth under every system, in rating points; None
    leaves each its own.
    """

    months: int = 1
    first_day: int | None = None
    last_day: int | None = None
    first_test_day: int | None = None
    warm_up_days: int = 0
    training: float = 0.0
    newcomers: Newcomers = Newcomers.OWN
    seeds: Mapping[int, float] = field(default_factory=dict)
    least_games: int = 0
    white_advantage: float | None = None

    def start_of(self, player: int) -> float | None:
        """Return the rating *player* begins with; None by the system's own rule."""
        if self.newcomers is Newcomers.COMMON:
            return COMMON_START
        return self.seeds.get(player) if self.newcomers is Newcomers.OURS else None

    def record(self) -> dict[str, Any]:
        """Return the plan as plain values that can be kept as JSON.

        >>> Plan.from_record(Plan(months=3, seeds={7: 1500.5}).record()).seeds
        {7: 1500.5}
        """
        record = asdict(self)
        record["newcomers"] = self.newcomers.value
        record["seeds"] = [list(pair) for pair in sorted(self.seeds.items())]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Plan:
        """Return the plan that `record` described."""
        values = dict(record)
        values["newcomers"] = Newcomers(values["newcomers"])
        values["seeds"] = dict(values["seeds"])
        return cls(**values)


@dataclass(frozen=True)
class Outcome:
    """The predictions, and all that is needed to repeat them bit for bit.

    *predictions* has one number for each game of the history: White's expected score,
    or nan where the game does not count or could not be predicted. *white_ratings* and
    *black_ratings* are what the players had before the game's period, in rating points
    of today's scale, nan while unrated; they are empty unless asked for.
    """

    system: str
    parameters: Any
    plan: Plan
    history_digest: str
    predictions: array[float]
    table: Table
    players: int
    periods: int
    white_ratings: array[float] = field(default_factory=lambda: array("d"))
    black_ratings: array[float] = field(default_factory=lambda: array("d"))
    version: str = LABORATORY_VERSION

    def standings(self) -> list[Standing | None]:
        """Return each player's final standing, in the system's own units."""
        return [self.table.standing(player) for player in range(self.players)]

    def recipe(self) -> dict[str, Any]:
        """Return the inputs for the same outcome, as plain values."""
        return {
            "version": self.version,
            "system": self.system,
            "parameters": asdict(self.parameters),
            "plan": self.plan.record(),
            "history": self.history_digest,
        }

    def digest(self) -> str:
        """Return the SHA-256 of recipe, predictions and standings, in hexadecimal."""
        seal = sha256(repr(self.recipe()).encode())
        seal.update(column_bytes("d", self.predictions))
        seal.update(repr(self.standings()).encode())
        return seal.hexdigest()


def run(
    system: System,
    parameters: Any,
    history: History,
    plan: Plan,
    observers: Sequence[Observer] = (),
    *,
    keep_ratings: bool = False,
) -> Outcome:
    """Run *system* over *history* as *plan* says and return its predictions.

    Each period is predicted from the games before it, then learned from: event by event
    or all at once, as the system's shape asks. *parameters* None takes the system's
    defaults, and the plan's advantage of White where it has such a parameter; given
    ones are kept. Systems without it have their predictions shifted. With
    *keep_ratings* the outcome holds the players' ratings before each game that counts.
    The same input gives the same bits.
    """
    if parameters is None:
        used = parameters_with(system, {}, plan.white_advantage)
    else:
        used = parameters
    table = system.begin(history.pool, used)
    under_way = _Run(system, table, history, plan, keep_ratings)
    spans = list(history.periods(plan.months, plan.first_day, plan.last_day))
    if spans and system.about.status is Status.USES_THE_FUTURE:
        table.load_future_games(history.games.part(spans[0].start, spans[-1].stop))
    for period in spans:
        under_way.take(period)
        for observe in observers:
            observe(period.moment, table)
    table.finish()
    return Outcome(
        system=system.about.key,
        parameters=used,
        plan=plan,
        history_digest=history.digest(),
        predictions=under_way.predictions,
        table=table,
        players=len(history.ids),
        periods=len(spans),
        white_ratings=under_way.white_ratings,
        black_ratings=under_way.black_ratings,
    )


def games_before(history: History, plan: Plan) -> tuple[array[int], array[int]]:
    """Return how many games White and Black had before the period of each game.

    Games that *plan* leaves out count nothing and show 0.
    """
    white, black = history.games.white, history.games.black
    before_white = array("i", [0]) * len(history)
    before_black = array("i", [0]) * len(history)
    played = [0] * len(history.ids)
    for period in history.periods(plan.months, plan.first_day, plan.last_day):
        for game in range(period.start, period.stop):
            before_white[game] = played[white[game]]
            before_black[game] = played[black[game]]
        _count(played, history.games.part(period.start, period.stop))
    return before_white, before_black


class _Run:
    """One system on its way through a history."""

    def __init__(
        self,
        system: System,
        table: Table,
        history: History,
        plan: Plan,
        keep_ratings: bool,
    ) -> None:
        self.system = system
        self.table = table
        self.history = history
        self.plan = plan
        self.test_start = first_test_game(history, plan)
        self.shift = 0.0 if has_white_advantage(system) else plan.white_advantage or 0.0
        self.predictions = _unknown(len(history))
        kept = len(history) if keep_ratings else 0
        self.white_ratings = _unknown(kept)
        self.black_ratings = _unknown(kept)
        self.played = [0] * len(history.ids)
        self.seen = bytearray(len(history.ids))

    def take(self, period: Period) -> None:
        """Predict a period, then learn from it."""
        games = self.history.games.part(period.start, period.stop)
        if self.plan.newcomers is not Newcomers.OWN:
            self._seed(games)
        if period.stop > max(period.start, self.test_start):
            self._predict(period, games)
        self._update(period, games)
        if self.plan.least_games:
            _count(self.played, games)

    def _seed(self, games: Games) -> None:
        for column in (games.white, games.black):
            for player in column:
                if not self.seen[player]:
                    self.seen[player] = 1
                    seed = self.plan.start_of(player)
                    if seed is not None:
                        own = self.system.from_elo_scale(seed)
                        self.table.seed(player, Standing(own))

    def _predict(self, period: Period, games: Games) -> None:
        predicted = self.table.predict(games, period.moment)
        if len(predicted) != len(games):
            raise ValueError(f"{self.system.about.key} predicts too many or too few.")
        if self.shift:
            predicted = apply_white_advantage(predicted, games, self.shift)
        if self.plan.least_games:
            predicted = self._with_enough_games(games, predicted)
        first = max(period.start, self.test_start)
        kept = array("d", predicted)[first - period.start :]
        self.predictions[first : period.stop] = kept
        if self.white_ratings:
            self._keep_ratings(first, period.stop)

    def _with_enough_games(self, games: Games, predicted: list[float]) -> list[float]:
        least, played = self.plan.least_games, self.played
        return [
            value if played[white] >= least and played[black] >= least else UNKNOWN
            for value, white, black in zip(
                predicted, games.white, games.black, strict=True
            )
        ]

    def _keep_ratings(self, start: int, stop: int) -> None:
        games = self.history.games
        known: dict[int, float] = {}
        for number in range(start, stop):
            for column, ratings in (
                (games.white, self.white_ratings),
                (games.black, self.black_ratings),
            ):
                player = column[number]
                if player not in known:
                    known[player] = self._rating(player)
                ratings[number] = known[player]

    def _rating(self, player: int) -> float:
        standing = self.table.standing(player)
        return (
            UNKNOWN if standing is None else self.system.on_elo_scale(standing.rating)
        )

    def _update(self, period: Period, games: Games) -> None:
        if self.system.about.shape is not Shape.PER_EVENT:
            self.table.update(games, period.moment)
            return
        number = period.moment.period
        for event in self.history.events(period.start, period.stop):
            part = self.history.games.part(event.start, event.stop)
            self.table.update(part, Moment(event.day, number))


def first_test_game(history: History, plan: Plan) -> int:
    """Return the number of the first game that is not of the training.

    A day is never split.
    """
    day = plan.first_test_day
    if day is None:
        first = history.first_day if plan.first_day is None else plan.first_day
        day = (first or 0) + plan.warm_up_days
        trained = math.ceil(plan.training * len(history))
        if trained:
            day = max(day, history.rated_days[trained - 1] + 1)
    return bisect_left(history.rated_days, day)


def _unknown(count: int) -> array[float]:
    return array("d", [UNKNOWN]) * count


def _count(played: list[int], games: Games) -> None:
    for column in (games.white, games.black):
        for player in column:
            played[player] += 1
