"""A rating system simple enough to follow by hand, and short histories for it."""

from dataclasses import dataclass
from datetime import date

from ratings.laboratory.history import NO_EVENT, History, HistoryBuilder
from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    UNKNOWN,
    About,
    Shape,
    Standing,
    Status,
    System,
    Table,
)


@dataclass(frozen=True)
class SimpleParameters:
    gain: float = parameter(10.0, "Gain", low=1, high=100)
    rounded: bool = parameter(False, "Rounded")
    rounds: int = parameter(3, "Rounds", low=1)
    kind: str = parameter("plain", "Kind", choices=("plain", "fancy"))


class SimpleTable(Table):
    """A win is worth *gain* points, and players begin at 1000 with their first game.

    Expects 60 % for the higher rated, and remembers every call.
    """

    def __init__(self, size, gain):
        self.gain = gain
        self.ratings = [None] * size
        self.games = [0] * size
        self.calls = []

    def predict(self, games, moment):
        self.calls.append(("predict", moment.day, len(games)))
        return [
            self._expected(self.ratings[white], self.ratings[black])
            for white, black in zip(games.white, games.black, strict=True)
        ]

    def _expected(self, white, black):
        if white is None or black is None:
            return UNKNOWN
        return 0.5 if white == black else 0.6 if white > black else 0.4

    def update(self, games, moment):
        self.calls.append(("update", moment.day, len(games)))
        for white, black, points in zip(
            games.white, games.black, games.points, strict=True
        ):
            for player, score in ((white, points), (black, 1 - points)):
                before = self.ratings[player]
                before = 1000.0 if before is None else before
                self.ratings[player] = before + self.gain * (2 * score - 1)
                self.games[player] += 1

    def standing(self, player):
        rating = self.ratings[player]
        return None if rating is None else Standing(rating, self.games[player])

    def seed(self, player, standing):
        self.calls.append(("seed", player, standing.rating))
        self.ratings[player] = standing.rating
        self.games[player] = standing.games


class SimpleSystem(System):
    parameters = SimpleParameters

    def __init__(self, shape=Shape.PER_GAME, key="simple"):
        self.about = About(
            key, "Simple", "today", "A win is worth 10.", shape, Status.OFFICIAL, ()
        )

    def begin(self, pool, parameters=None):
        used = parameters or SimpleParameters()
        return SimpleTable(pool.size, used.gain)

    def expected(self, player, opponent):
        return 0.5

    def on_elo_scale(self, rating):
        return rating * 2

    def from_elo_scale(self, rating):
        return rating / 2


def day(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def games_to_history(*games: tuple) -> History:
    """Return a history of (white, black, points, day, event) with letters for players.

    The event is a letter too, or left out.
    """
    builder = HistoryBuilder()
    for white, black, points, on, *event in games:
        builder.game(
            builder.player(white),
            builder.player(black),
            points,
            day(on),
            builder.event(event[0]) if event else NO_EVENT,
        )
    return builder.build()
