"""Builds a history from a file's games, with findings about it."""

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

from .findings import Findings
from .records import GameRecord, Reading

MAX_PLAYERS: Final = 1_000_000
MAX_EVENTS: Final = 1_000_000
MIN_GAMES_FOR_SHARE: Final = 100
"""Of fewer games one player may well be in most."""
MAX_BREAK_DAYS: Final = 60
"""Days without a game after which the same name means another event."""
MAX_EVENT_DAYS: Final = 366
"""What goes on for longer is no event but a name that games have in common."""


@dataclass
class LoadedHistory:
    """A history that was read from a file, and findings about it.

    *ratings* are the players' ratings before their first game in the file.
    """

    history: History
    findings: Findings
    ratings: dict[int, float] = field(default_factory=dict)


def load_history(reading: Reading) -> LoadedHistory:
    """Read everything and return the history of it, with all findings.

    A game without an event is rated on its own day. An event whose name returns after
    more than two months without a game is another event of that name.
    """
    loading = _HistoryLoader(reading.findings)
    for record in reading:
        loading.add(record)
    return loading.finish()


class _HistoryLoader(HistoryBuilder):
    """Builds a history from records, which it takes one by one, and checks it."""

    def __init__(self, findings: Findings) -> None:
        super().__init__()
        self.findings = findings
        self.has_id = bytearray()
        self.rated_on = array("i")
        self.first_ratings = array("d")
        self.player_lines = array("i")
        self.event_lines = array("i")
        self.lines = array("i")

    def add(self, record: GameRecord) -> None:
        white = self._player(record, record.white, record.white_id)
        black = self._player(record, record.black, record.black_id)
        if white is None or black is None:
            return
        if white == black:
            self.findings.skip(
                "same_player",
                record.line,
                _("Both players are “{name}”."),
                _("Correct one of the names."),
                name=record.white or record.white_id,
            )
            return
        self._note_birth_year(record, white, record.white_birth_year)
        self._note_birth_year(record, black, record.black_birth_year)
        self._note_rating(record.day, white, record.white_rating)
        self._note_rating(record.day, black, record.black_rating)
        self.lines.append(record.line)
        self.game(
            white,
            black,
            record.points,
            record.day,
            self._event(record) if record.event else NO_EVENT,
            record.minutes,
            record.is_colored,
            record.online,
        )

    def _player(self, record: GameRecord, name: str, id: str) -> int | None:
        key = id or name
        number = self._players.get(key)
        if number is None:
            if len(self._players) >= MAX_PLAYERS:
                self.findings.skip(
                    "players",
                    record.line,
                    _("The file has more than {most:,} players."),
                    _("Send part of the file."),
                    most=MAX_PLAYERS,
                )
                return None
            number = self.player(key, name)
            self.has_id.append(bool(id))
            self.player_lines.append(record.line)
            self.rated_on.append(0)
            self.first_ratings.append(0.0)
        return number

    def _event(self, record: GameRecord) -> int:
        number = self._events.get(record.event)
        if number is None:
            if len(self._events) >= MAX_EVENTS:
                self.findings.drop(
                    "events",
                    record.line,
                    _("The file has more than {most:,} events."),
                    most=MAX_EVENTS,
                )
                return NO_EVENT
            number = self.event(record.event, record.event)
            self.event_lines.append(record.line)
        return number

    def _note_birth_year(
        self, record: GameRecord, player: int, year: int | None
    ) -> None:
        known = self._birth_years[player]
        if year is None or year == known:
            return
        played = date.fromordinal(record.day).year
        if year > played:
            pattern = _("“{name}” has a birth year of {year}, which is after the game.")
        elif known:
            pattern = _(
                "“{name}” has a birth year of {year} here, but {before} earlier in "
                "the file."
            )
        else:
            self._birth_years[player] = year
            return
        self.findings.drop(
            "born",
            record.line,
            pattern,
            _("Use the same birth year everywhere."),
            name=self._names[player],
            year=str(year),
            before=str(known or 0),
        )

    def _note_rating(self, day: int, player: int, rating: float | None) -> None:
        rated_on = self.rated_on[player]
        if rating is not None and (rated_on == 0 or day < rated_on):
            self.rated_on[player] = day
            self.first_ratings[player] = rating

    # --- Findings about the whole file ---

    def finish(self) -> LoadedHistory:
        self._split_events()
        self._check_players()
        self._check_namesakes()
        self._check_shares()
        self._check_days()
        ratings = {
            player: self.first_ratings[player]
            for player, day in enumerate(self.rated_on)
            if day
        }
        return LoadedHistory(self.build(), self.findings, ratings)

    def _split_events(self) -> None:
        """Make each part of an event that follows a long break an event of its own."""
        names = self._event_names
        days: list[set[int]] = [set() for _name in names]
        for event, day in zip(self._of_event, self._days, strict=True):
            if event != NO_EVENT:
                days[event].add(day)
        self._events, self._event_names, self._last_days = {}, [], array("i")
        found: dict[tuple[int, int], int] = {}
        for event, name in enumerate(names):
            for part in _split_at_gaps(sorted(days[event])):
                number = self._part_number(name, part, self.event_lines[event])
                found.update(((event, day), number) for day in part)
        for game, event in enumerate(self._of_event):
            if event != NO_EVENT:
                self._of_event[game] = found[event, self._days[game]]

    def _part_number(self, name: str, days: Sequence[int], line: int) -> int:
        if days[-1] - days[0] <= MAX_EVENT_DAYS:
            number = self.event(f"{name} {days[0]}", name)
            self._last_days[number] = max(self._last_days[number], days[-1])
            return number
        self.findings.remark(
            "long_event",
            line,
            _("“{name}” lasts {days:,} days, so it is rated day by day."),
            _("Give each event its own name."),
            name=name,
            days=days[-1] - days[0] + 1,
        )
        return NO_EVENT

    def _check_players(self) -> None:
        named = {
            name: number
            for number, name in enumerate(self._names)
            if name and not self.has_id[number]
        }
        for number, name in enumerate(self._names):
            if self.has_id[number] and name in named:
                self.findings.remark(
                    "with_and_without_id",
                    self.player_lines[named.pop(name)],
                    _(
                        "“{name}” has an ID in other games but not here. These are "
                        "treated as two players."
                    ),
                    _("Enter the ID in every game or in none."),
                    name=name,
                )

    def _check_namesakes(self) -> None:
        """Report one name under two IDs: possibly one player."""
        ids = list(self._players)
        first: dict[str, int] = {}
        for number, name in enumerate(self._names):
            if not name or not self.has_id[number]:
                continue
            other = first.setdefault(name, number)
            if other != number:
                self.findings.remark(
                    "two_ids",
                    self.player_lines[number],
                    _(
                        "“{name}” has the ID {second} here and {first} earlier. "
                        "These are treated as two players."
                    ),
                    _("If this is one player, use one ID in every game."),
                    name=name,
                    first=ids[other],
                    second=ids[number],
                )

    def _check_shares(self) -> None:
        """Report a player who is in most games, which makes the others uncertain."""
        games = Counter(self._white)
        games.update(self._black)
        if len(self._days) < MIN_GAMES_FOR_SHARE:
            return
        player, count = games.most_common(1)[0]
        if 2 * count > len(self._days):
            self.findings.remark(
                "one_player",
                self.player_lines[player],
                _(
                    "“{name}” plays in {count:,} of {games:,} games. Results "
                    "will be uncertain because they depend on one player."
                ),
                _("Check that the right column holds the players."),
                name=self._names[player] or list(self._players)[player],
                count=count,
                games=len(self._days),
            )

    def _check_days(self) -> None:
        if not self._days:
            self.findings.remark(
                "no_games",
                0,
                _("The file has no games to rate."),
            )
            return
        self._check_order()
        self._check_same_day()
        first_lines = dict(zip(reversed(self._days), reversed(self.lines), strict=True))
        days = sorted(first_lines)
        if len(days) == 1:
            self.findings.remark(
                "one_day",
                first_lines[days[0]],
                _(
                    "All games are on one day, so there are no earlier games to "
                    "predict them from."
                ),
            )
        for before, after in pairwise(days):
            self._check_gap(before, after, first_lines[after])

    def _check_order(self) -> None:
        for place, (before, after) in enumerate(pairwise(self._days), start=1):
            if after < before:
                self.findings.remark(
                    "order",
                    self.lines[place],
                    _("This game is older than the one before it in the file."),
                    _("All games were sorted by date."),
                )
                return

    def _check_same_day(self) -> None:
        played = array("i", [0]) * len(self._players)
        first_line = count = 0
        sides = zip(self._white, self._black, strict=True)
        for game, (white, black) in enumerate(sides):
            day = self._days[game]
            if played[white] == day or played[black] == day:
                count += 1
                first_line = first_line or self.lines[game]
            played[white] = played[black] = day
        if count:
            self.findings.remark(
                "same_day",
                first_line,
                _(
                    "A player has more than one game on this day. Such games: "
                    "{count:,}."
                ),
                _("Games on the same day were read in file order."),
                count=count,
            )

    def _check_gap(self, before: int, after: int, line: int) -> None:
        """Report whole months without a game: empty periods."""
        first, last = date.fromordinal(before), date.fromordinal(after)
        months = (last.year - first.year) * 12 + last.month - first.month - 1
        if months > 0:
            self.findings.remark(
                "gap",
                line,
                _("Months without a game since {before}: {months:,}."),
                _("Check whether games are missing."),
                months=months,
                before=first.isoformat(),
            )


def _split_at_gaps(days: Sequence[int]) -> Iterator[list[int]]:
    """Yield the days, given upward, in parts that are far from each other.

    >>> list(_split_at_gaps([1, 8, 100, 101]))
    [[1, 8], [100, 101]]
    """
    part = [days[0]]
    for day in days[1:]:
        if day - part[-1] > MAX_BREAK_DAYS:
            yield part
            part = []
        part.append(day)
    yield part
