"""The history that is made of a file's games, and what there is to say about it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Final

from ratings.laboratory.history import NO_EVENT, History, HistoryBuilder
from ratings.laboratory.words import _

from .findings import Effect, Findings
from .records import GameRecord, Reading

MOST_PLAYERS: Final = 1_000_000
MOST_EVENTS: Final = 1_000_000
FEWEST_TO_SHARE: Final = 100
"""Of fewer games one player may well be in most."""
LONGEST_BREAK: Final = 60
"""Days without a game after which the same name means another event."""
LONGEST_EVENT: Final = 366
"""What goes on for longer is no event but a name that games have in common."""


@dataclass
class Loaded:
    """A history that was read from a file, and what there is to say about it.

    *ratings* are what the file says of players before their first game in it.
    """

    history: History
    findings: Findings
    ratings: dict[int, float] = field(default_factory=dict)


def load(reading: Reading) -> Loaded:
    """Read everything and return the history of it, with all findings.

    A game without an event is rated on its own day. An event whose name returns after
    more than two months without a game is another event of that name.
    """
    loading = _Loading(reading.findings)
    for record in reading:
        loading.add(record)
    return loading.finish()


class _Loading:
    """Takes records one by one and makes a history of them in the end."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.players: dict[str, int] = {}
        self.names: list[str] = []
        self.born = array("i")
        self.has_id = bytearray()
        self.rated_on = array("i")
        self.first_ratings = array("d")
        self.player_lines = array("i")
        self.events: dict[str, int] = {}
        self.event_lines = array("i")
        self.white = array("i")
        self.black = array("i")
        self.points = array("d")
        self.days = array("i")
        self.of_event = array("i")
        self.minutes = array("i")
        self.colored = array("b")
        self.lines = array("i")

    def add(self, record: GameRecord) -> None:
        white = self._player(record, record.white, record.white_id)
        black = self._player(record, record.black, record.black_id)
        if white is None or black is None:
            return
        if white == black:
            self._leave_out(
                "same_player",
                record,
                _("Both players are “{name}”."),
                _("Write who played."),
                name=record.white or record.white_id,
            )
            return
        self._note_born(record, white, record.white_born)
        self._note_born(record, black, record.black_born)
        self._note_rating(record.day, white, record.white_rating)
        self._note_rating(record.day, black, record.black_rating)
        self.white.append(white)
        self.black.append(black)
        self.points.append(record.points)
        self.days.append(record.day)
        self.of_event.append(self._event(record) if record.event else NO_EVENT)
        self.minutes.append(record.minutes)
        self.colored.append(record.is_colored)
        self.lines.append(record.line)

    def _player(self, record: GameRecord, name: str, id: str) -> int | None:
        key = id or name
        number = self.players.get(key)
        if number is None:
            if len(self.players) >= MOST_PLAYERS:
                self._leave_out(
                    "players",
                    record,
                    _("There are more than {most:,} players."),
                    _("Send a part of the file."),
                    most=MOST_PLAYERS,
                )
                return None
            number = self.players[key] = len(self.players)
            self.names.append(name)
            self.born.append(0)
            self.has_id.append(bool(id))
            self.player_lines.append(record.line)
            self.rated_on.append(0)
            self.first_ratings.append(0.0)
        return number

    def _event(self, record: GameRecord) -> int:
        number = self.events.get(record.event)
        if number is None:
            if len(self.events) >= MOST_EVENTS:
                self.findings.add(
                    "events",
                    Effect.PARTLY,
                    record.line,
                    _("There are more than {most:,} events."),
                    most=MOST_EVENTS,
                )
                return NO_EVENT
            number = self.events[record.event] = len(self.events)
            self.event_lines.append(record.line)
        return number

    def _note_born(self, record: GameRecord, player: int, year: int | None) -> None:
        if year is None or self.born[player] == year:
            return
        played = date.fromordinal(record.day).year
        if year > played:
            pattern = _("“{name}” is born in {year}, after the game.")
        elif self.born[player]:
            pattern = _("“{name}” is born in {year} here and in {before} before.")
        else:
            self.born[player] = year
            return
        self.findings.add(
            "born",
            Effect.PARTLY,
            record.line,
            pattern,
            _("Write the same year of birth everywhere."),
            name=self.names[player],
            year=str(year),
            before=str(self.born[player]),
        )

    def _note_rating(self, day: int, player: int, rating: float | None) -> None:
        rated_on = self.rated_on[player]
        if rating is not None and (rated_on == 0 or day < rated_on):
            self.rated_on[player] = day
            self.first_ratings[player] = rating

    def _leave_out(
        self, kind: str, record: GameRecord, pattern: str, hint: str, **values: object
    ) -> None:
        self.findings.add(kind, Effect.LEFT_OUT, record.line, pattern, hint, **values)

    # --- What can be said when everything was read ---

    def finish(self) -> Loaded:
        builder = HistoryBuilder()
        for number, (id, name) in enumerate(zip(self.players, self.names, strict=True)):
            builder.player(id, name, self.born[number] or None)
        events = self._cut_events(builder)
        for game, (event, day) in enumerate(zip(self.of_event, self.days, strict=True)):
            builder.game(
                self.white[game],
                self.black[game],
                self.points[game],
                day,
                NO_EVENT if event == NO_EVENT else events[event, day],
                self.minutes[game],
                bool(self.colored[game]),
            )
        self._look_at_players()
        self._look_at_namesakes()
        self._look_at_shares()
        self._look_at_days()
        ratings = {
            player: self.first_ratings[player]
            for player, day in enumerate(self.rated_on)
            if day
        }
        return Loaded(builder.build(), self.findings, ratings)

    def _cut_events(self, builder: HistoryBuilder) -> dict[tuple[int, int], int]:
        """Return the history's event of each event's name and day."""
        names = list(self.events)
        days: list[set[int]] = [set() for _name in names]
        for event, day in zip(self.of_event, self.days, strict=True):
            if event != NO_EVENT:
                days[event].add(day)
        found: dict[tuple[int, int], int] = {}
        for event, name in enumerate(names):
            for part in _without_breaks(sorted(days[event])):
                number = self._event_number(
                    builder, name, part, self.event_lines[event]
                )
                found.update(((event, day), number) for day in part)
        return found

    def _event_number(
        self, builder: HistoryBuilder, name: str, days: Sequence[int], line: int
    ) -> int:
        if days[-1] - days[0] <= LONGEST_EVENT:
            return builder.event(f"{name} {days[0]}", name)
        self.findings.add(
            "long_event",
            Effect.REMARK,
            line,
            _("“{name}” goes on for {days:,} days, so it is rated day by day."),
            _("Give each event a name of its own."),
            name=name,
            days=days[-1] - days[0] + 1,
        )
        return NO_EVENT

    def _look_at_players(self) -> None:
        named = {
            name: number
            for number, name in enumerate(self.names)
            if name and not self.has_id[number]
        }
        for number, name in enumerate(self.names):
            if self.has_id[number] and name in named:
                self.findings.add(
                    "with_and_without_id",
                    Effect.REMARK,
                    self.player_lines[named.pop(name)],
                    _("“{name}” has no ID here, but elsewhere; these are two players."),
                    _("Give the ID in every game, or in none."),
                    name=name,
                )

    def _look_at_namesakes(self) -> None:
        """Tell of one name under two IDs: one player, perhaps, under two numbers."""
        ids = list(self.players)
        first: dict[str, int] = {}
        for number, name in enumerate(self.names):
            if not name or not self.has_id[number]:
                continue
            other = first.setdefault(name, number)
            if other != number:
                self.findings.add(
                    "two_ids",
                    Effect.REMARK,
                    self.player_lines[number],
                    _(
                        "“{name}” has the ID {second} here and {first} before; these "
                        "are taken as two players."
                    ),
                    _("If it is one player, give one ID in every game."),
                    name=name,
                    first=ids[other],
                    second=ids[number],
                )

    def _look_at_shares(self) -> None:
        """Tell of a player who is in most games: nothing is then sure of the others."""
        games = Counter(self.white)
        games.update(self.black)
        if len(self.days) < FEWEST_TO_SHARE:
            return
        player, count = games.most_common(1)[0]
        if 2 * count > len(self.days):
            self.findings.add(
                "one_player",
                Effect.REMARK,
                self.player_lines[player],
                _(
                    "“{name}” plays in {count:,} of {games:,} games, so ranges will be "
                    "wide: they are about one player."
                ),
                _("Look whether the column of players is the right one."),
                name=self.names[player] or list(self.players)[player],
                count=count,
                games=len(self.days),
            )

    def _look_at_days(self) -> None:
        if not self.days:
            self.findings.add(
                "no_games",
                Effect.REMARK,
                0,
                _("The file has no game that can be rated."),
            )
            return
        self._look_at_order()
        self._look_at_same_day()
        first_lines = dict(zip(reversed(self.days), reversed(self.lines), strict=True))
        days = sorted(first_lines)
        if len(days) == 1:
            self.findings.add(
                "one_day",
                Effect.REMARK,
                first_lines[days[0]],
                _("All games are of one day, so none can be predicted from others."),
            )
        for before, after in pairwise(days):
            self._look_at_gap(before, after, first_lines[after])

    def _look_at_order(self) -> None:
        for place, (before, after) in enumerate(pairwise(self.days), start=1):
            if after < before:
                self.findings.add(
                    "order",
                    Effect.REMARK,
                    self.lines[place],
                    _("This game is older than the one before it in the file."),
                    _("All games were put in the order of their days."),
                )
                return

    def _look_at_same_day(self) -> None:
        played = array("i", [0]) * len(self.players)
        first_line = count = 0
        for game, (white, black) in enumerate(zip(self.white, self.black, strict=True)):
            day = self.days[game]
            if played[white] == day or played[black] == day:
                count += 1
                first_line = first_line or self.lines[game]
            played[white] = played[black] = day
        if count:
            self.findings.add(
                "same_day",
                Effect.REMARK,
                first_line,
                _("A player has played on this day already; games like it: {count:,}."),
                _("Games of one day were taken in the order of the file."),
                count=count,
            )

    def _look_at_gap(self, before: int, after: int, line: int) -> None:
        """Tell of whole months without a game: periods in which nothing happens."""
        first, last = date.fromordinal(before), date.fromordinal(after)
        months = (last.year - first.year) * 12 + last.month - first.month - 1
        if months > 0:
            self.findings.add(
                "gap",
                Effect.REMARK,
                line,
                _("Months without any game from {before} to this one: {months:,}."),
                _("Look whether games are missing."),
                months=months,
                before=first.isoformat(),
            )


def _without_breaks(days: Sequence[int]) -> Iterator[list[int]]:
    """Yield the days, given upward, in parts that are far from each other.

    >>> list(_without_breaks([1, 8, 100, 101]))
    [[1, 8], [100, 101]]
    """
    part = [days[0]]
    for day in days[1:]:
        if day - part[-1] > LONGEST_BREAK:
            yield part
            part = []
        part.append(day)
    yield part
