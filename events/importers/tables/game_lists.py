"""A list of games, one row each, as the entries of a section."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.findings import Collector
from events.importers.records import HIGHEST_PAIRING_NUMBER, Cell, ReportedEntry
from events.importers.tables.crosstables import (
    LONGEST_NAME,
    Table,
    member_id_of,
    name_without_id,
    whole,
)
from events.importers.tables.grids import TableRow
from events.importers.tables.headings import Column, plain
from events.importers.tables.results import read_bye, read_game


@dataclass(slots=True)
class _Player:
    number: int
    member_id: str
    name: str
    # The code, the opponent if there is one, and the color of each round.
    rounds: dict[int, tuple[str, _Player | None, str]] = field(default_factory=dict)


class GameList:
    """Reads the entries of one list of games.

    Players are told by member ID, else by name, else by pairing number; they are
    numbered as they appear unless the list gives numbers. Who has no row in a round
    was not paired.
    """

    def __init__(self, table: Table, findings: Collector) -> None:
        self.table = table
        self.findings = findings
        self.players: dict[str, _Player] = {}
        self.by_number = _all_numbers(
            table.text(row, column)
            for row in table.rows
            for column in (Column.WHITE, Column.BLACK)
        )

    @property
    def round_count(self) -> int:
        rounds = (max(p.rounds, default=0) for p in self.players.values())
        return max(rounds, default=0)

    def entries(self) -> list[ReportedEntry]:
        for row in self.table.rows:
            self._read(row)
        rounds = self.round_count
        players = sorted(self.players.values(), key=lambda player: player.number)
        return [
            ReportedEntry(
                player.number,
                player.member_id,
                player.name,
                cells=tuple(_cell(player, n) for n in range(1, rounds + 1)),
            )
            for player in players
        ]

    def _read(self, row: TableRow) -> None:
        round_number = whole(self.table.text(row, Column.ROUND)) or 0
        if not 1 <= round_number <= MAX_ROUNDS:
            shown = self.table.text(row, Column.ROUND)[:20]
            self._leave_out(row, Column.ROUND, "/round", written=shown)
            return
        white = self._player(row, Column.WHITE, Column.WHITE_ID)
        black = self._player(row, Column.BLACK, Column.BLACK_ID)
        if white is not None and black is not None:
            self._game(row, round_number, white, black)
        elif alone := white or black:
            self._bye(row, round_number, alone)
        else:
            self._leave_out(row, Column.WHITE, "/nobody")

    def _game(
        self, row: TableRow, round_number: int, white: _Player, black: _Player
    ) -> None:
        codes = read_game(self._result(row))
        if codes is None:
            self._leave_out(row, Column.RESULT, "", written=self._result(row)[:20])
        elif white is black:
            self._leave_out(row, Column.BLACK, "/one_player")
        elif self._free(row, round_number, white, black):
            played = codes[0] in "WLD"
            colors = ("W", "B") if played else ("", "")
            white.rounds[round_number] = (codes[0], black, colors[0])
            black.rounds[round_number] = (codes[1], white, colors[1])

    def _bye(self, row: TableRow, round_number: int, player: _Player) -> None:
        code = read_bye(self._result(row))
        if code is None:
            shown = self._result(row)[:20]
            self._leave_out(row, Column.RESULT, "/bye", written=shown)
        elif self._free(row, round_number, player):
            player.rounds[round_number] = (code, None, "")

    def _result(self, row: TableRow) -> str:
        return self.table.text(row, Column.RESULT)

    def _free(self, row: TableRow, round_number: int, *players: _Player) -> bool:
        for player in players:
            if round_number in player.rounds:
                shown = player.name or player.member_id or player.number
                self._leave_out(
                    row,
                    Column.ROUND,
                    "/taken",
                    player=shown,
                    round_number=round_number,
                )
                return False
        return True

    def _leave_out(
        self, row: TableRow, column: Column, why: str, /, **values: object
    ) -> None:
        name = f"table.game_left_out{why}"
        self.table.tell(self.findings, name, row, column, **values)

    def _player(
        self, row: TableRow, column: Column, id_column: Column
    ) -> _Player | None:
        text = self.table.text(row, column)
        given_id = self.table.text(row, id_column)
        if plain(text) in ("", "bye", "none") and not given_id:
            return None
        if self.by_number and not given_id:
            return self._numbered(whole(text) or 0)
        member_id = member_id_of(given_id or text)
        if not given_id and not member_id.isdigit():
            member_id = ""
        name = name_without_id(text)[:LONGEST_NAME].rstrip()
        name = "" if name.isdigit() else name
        key = member_id or plain(name) or text
        player = self.players.get(key)
        if player is None:
            player = _Player(len(self.players) + 1, member_id, name)
            self.players[key] = player
        player.name = player.name or name
        return player

    def _numbered(self, number: int) -> _Player:
        return self.players.setdefault(str(number), _Player(number, "", ""))


def _all_numbers(texts: Iterable[str]) -> bool:
    """Whether the list names its players by pairing numbers."""
    numbers = [whole(text) for text in texts if plain(text) not in ("", "bye", "none")]
    return bool(numbers) and all(
        number is not None and 1 <= number <= HIGHEST_PAIRING_NUMBER
        for number in numbers
    )


def _cell(player: _Player, round_number: int) -> Cell:
    if round_number not in player.rounds:
        return Cell("U")
    code, opponent, color = player.rounds[round_number]
    return Cell(code, opponent.number if opponent else None, color)
