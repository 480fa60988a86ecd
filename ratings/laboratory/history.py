"""The games an experiment runs over: players, dates and results.

Everything is a column, so that ten million games fit into memory. A game is rated when
its event is: on the event's last day. So the games are in the order of their events'
last days, and an event belongs as a whole to the period in which it ends.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, date
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from .protocol import Games, Moment, OnlineFacts, Pool, select

NO_EVENT: Final = -1
"""The event of a game that belongs to none: it is rated on its own day."""

_POINTS: Final = (0.0, 0.5, 1.0)


class Period(NamedTuple):
    """One period of an experiment: the games from *start* up to, not with, *stop*."""

    moment: Moment
    start: int
    stop: int


class EventGames(NamedTuple):
    """The games of one event, which ends on *day*; or of one day, without an event."""

    day: int
    start: int
    stop: int


@dataclass(frozen=True)
class History:
    """Players and all their games, in the order in which they are rated.

    *ids* are the players' identifiers outside, by number from 0; *names*, *birth_years*
    and *states* go with them or are empty. *games* are sorted by the last day of their
    event, then event, day and the order in which they were added; *rated_days* holds
    that last day of each game. Made with a `HistoryBuilder`.
    """

    ids: Sequence[str]
    games: Games
    rated_days: array[int]
    names: Sequence[str] = ()
    birth_years: Sequence[int | None] = ()
    states: Sequence[str] = ()
    event_names: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.games)

    @property
    def pool(self) -> Pool:
        return Pool(len(self.ids), self.birth_years)

    @property
    def first_day(self) -> int | None:
        """The ordinal of the day on which the first event ends; None without games."""
        return self.rated_days[0] if self.rated_days else None

    @property
    def last_day(self) -> int | None:
        return self.rated_days[-1] if self.rated_days else None

    def periods(
        self, months: int, first_day: int | None = None, last_day: int | None = None
    ) -> Iterator[Period]:
        """Yield the periods of so many *months*, those without games too.

        Periods are those of the calendar: with 6 months they begin in January and
        July. The first is that of *first_day* or of the first game, the last that of
        *last_day* or of the last game; games rated before or after are left out. Raises
        ValueError for less than one month.
        """
        if months < 1:
            raise ValueError("A period has at least one month.")
        first = self.first_day if first_day is None else first_day
        last = self.last_day if last_day is None else last_day
        if first is None or last is None:
            return
        start = bisect_left(self.rated_days, first)
        end = bisect_right(self.rated_days, last)
        for number, day in enumerate(_period_ends(first, last, months)):
            stop = min(end, bisect_right(self.rated_days, day, start))
            yield Period(Moment(day, number), start, stop)
            start = max(start, stop)

    def events(self, start: int, stop: int) -> Iterator[EventGames]:
        """Yield the events among the games from *start* up to, not with, *stop*.

        Games that belong to no event are grouped by day.
        """
        events, days = self.games.events, self.rated_days
        while start < stop:
            event, day = events[start], days[start]
            end = start + 1
            while end < stop and events[end] == event and days[end] == day:
                end += 1
            yield EventGames(day, start, end)
            start = end

    def between(self, first_day: int, last_day: int) -> History:
        """Return the part whose events end on one of these days or between them."""
        start = bisect_left(self.rated_days, first_day)
        stop = bisect_right(self.rated_days, last_day)
        return replace(
            self,
            games=self.games.part(start, stop),
            rated_days=self.rated_days[start:stop],
        )

    def between_players(self, players: Collection[int]) -> History:
        """Return the games in which both sides are of *players*; only those remain."""
        games = self.games
        return self.select_games(
            number
            for number in range(len(games))
            if games.white[number] in players and games.black[number] in players
        )

    def select_games(self, numbers: Iterable[int]) -> History:
        """Return the games with these *numbers*, given upward, and who played them.

        Players are numbered again; events keep their numbers and their last days.
        """
        chosen = array("i", numbers)
        games = self.games
        players = sorted(
            {games.white[number] for number in chosen}
            | {games.black[number] for number in chosen}
        )
        place = {player: new for new, player in enumerate(players)}
        return replace(
            self,
            ids=select(self.ids, players),
            names=select(self.names, players),
            birth_years=select(self.birth_years, players),
            states=select(self.states, players),
            rated_days=select(self.rated_days, chosen),
            games=replace(
                games.select(chosen),
                white=array("i", [place[games.white[number]] for number in chosen]),
                black=array("i", [place[games.black[number]] for number in chosen]),
            ),
        )

    def digest(self) -> str:
        """Return the SHA-256 of all that a rating system can see, in hexadecimal.

        The same on every machine; names of players and events do not enter.
        """
        seal = sha256()
        for texts in (self.ids, self.birth_years, self.states):
            seal.update(repr(list(texts)).encode())
        games = self.games
        for typecode, column in (
            ("i", games.white),
            ("i", games.black),
            ("d", games.points),
            ("i", games.days),
            ("i", games.events),
            ("i", games.minutes),
            ("i", self.rated_days),
            ("b", games.colored),
        ):
            seal.update(column_bytes(typecode, column))
        if games.online:
            seal.update(repr([one and tuple(one) for one in games.online]).encode())
        return seal.hexdigest()


class HistoryBuilder:
    """Collects players, events and games one by one, in any order.

    >>> builder = HistoryBuilder()
    >>> ann, bob = builder.player("A1", "Ann"), builder.player("B2", "Bob")
    >>> club = builder.event("club-2024", "Club championship")
    >>> day = date(2024, 5, 4).toordinal()
    >>> builder.game(ann, bob, 1.0, day + 7, club)
    >>> builder.game(bob, ann, 0.5, day, club)
    >>> history = builder.build()
    >>> list(history.games.points), history.rated_days[0] - day
    ([0.5, 1.0], 7)
    """

    def __init__(self) -> None:
        self._players: dict[str, int] = {}
        self._names: list[str] = []
        self._birth_years: list[int | None] = []
        self._states: list[str] = []
        self._events: dict[str, int] = {}
        self._event_names: list[str] = []
        self._last_days = array("i")
        self._white = array("i")
        self._black = array("i")
        self._points = array("d")
        self._days = array("i")
        self._of_event = array("i")
        self._minutes = array("i")
        self._colored = array("b")
        self._online: dict[int, OnlineFacts] = {}

    def player(
        self, id: str, name: str = "", birth_year: int | None = None, state: str = ""
    ) -> int:
        """Return the number of the player known outside as *id*.

        The first details of a player are kept; missing ones can be added later.
        """
        number = self._players.setdefault(id, len(self._names))
        if number == len(self._names):
            self._names.append("")
            self._birth_years.append(None)
            self._states.append("")
        self._names[number] = self._names[number] or name
        if self._birth_years[number] is None:
            self._birth_years[number] = birth_year
        self._states[number] = self._states[number] or state
        return number

    def event(self, id: str, name: str = "") -> int:
        """Return the number of the event known outside as *id*."""
        number = self._events.setdefault(id, len(self._event_names))
        if number == len(self._event_names):
            self._event_names.append(name)
            self._last_days.append(0)
        return number

    def game(
        self,
        white: int,
        black: int,
        points: float,
        day: int,
        event: int = NO_EVENT,
        minutes: int = 0,
        is_colored: bool = True,
        online: OnlineFacts | None = None,
    ) -> None:
        """Add a game with White's *points*, played on the ordinal *day*.

        *online* are facts for FIDE Online Arena. Where the colors are not known
        (*is_colored*) the sides stay as recorded. Raises ValueError for points other
        than 1, ½ and 0, and for a player who would play against themselves.
        """
        if points not in _POINTS:
            raise ValueError(f"A game gives 1, 0.5 or 0 points, not {points}.")
        if white == black:
            raise ValueError("Nobody plays against themselves.")
        self._white.append(white)
        self._black.append(black)
        self._points.append(points)
        self._days.append(day)
        self._of_event.append(event)
        self._minutes.append(minutes)
        self._colored.append(is_colored)
        if online:
            self._online[len(self._days) - 1] = online
        if event != NO_EVENT and day > self._last_days[event]:
            self._last_days[event] = day

    def build(self) -> History:
        """Return the history of all that was added."""
        rated = array(
            "i",
            (
                day if event == NO_EVENT else self._last_days[event]
                for day, event in zip(self._days, self._of_event, strict=True)
            ),
        )
        order = _order(rated, self._of_event, self._days)
        played = Games(
            self._white,
            self._black,
            self._points,
            self._days,
            self._of_event,
            self._minutes,
            self._colored,
            tuple(map(self._online.get, range(len(self._days))))
            if self._online
            else (),
        )
        return History(
            ids=tuple(self._players),
            names=tuple(self._names),
            birth_years=tuple(self._birth_years),
            states=tuple(self._states),
            event_names=tuple(self._event_names),
            games=played.select(order),
            rated_days=select(rated, order),
        )


def column_bytes(typecode: str, column: Sequence[float]) -> bytes:
    """Return a column as bytes, the lowest first, on every machine the same."""
    values = array(typecode, column)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _order(rated: array[int], events: array[int], days: array[int]) -> list[int]:
    """Return the games' places sorted by last day of event, event, day and place.

    Each key is one whole number, because ten million tuples would not fit.
    """
    count = len(rated)
    keys = [
        ((((last << 32) + event + 1) << 22) + day) * count + place
        for place, (last, event, day) in enumerate(
            zip(rated, events, days, strict=True)
        )
    ]
    keys.sort()
    return [key % count for key in keys]


@lru_cache(maxsize=65536)
def month_of(day: int) -> int:
    """Return the month of an ordinal *day*, counted from January of the year 0.

    >>> month_of(date(2024, 5, 31).toordinal()) == 2024 * 12 + 4
    True
    """
    when = date.fromordinal(day)
    return when.year * 12 + when.month - 1


def first_day_of(month: int) -> int:
    """Return the first day, an ordinal, of a month counted from January of the year 0.

    >>> date.fromordinal(first_day_of(2024 * 12 + 4)).isoformat()
    '2024-05-01'
    """
    return date(month // 12, month % 12 + 1, 1).toordinal()


def _period_ends(first: int, last: int, months: int) -> Iterator[int]:
    """Yield the last day of each period of the calendar from *first* to *last*."""
    month = month_of(first) // months * months
    day = 0
    while day < last:
        month += months
        is_over = month // 12 > MAXYEAR
        day = date.max.toordinal() if is_over else first_day_of(month) - 1
        yield day
