"""A list of games, one row each, as the entries of a section."""

from __future__ import annotations

from collections.abc import Iterable

from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.findings import Collector
from events.importers.pairings import PairedPlayer, enter_game, last_round
from events.importers.records import HIGHEST_PAIRING_NUMBER, Cell, ReportedEntry
from events.importers.tables.byes import bye_code, is_nobody
from events.importers.tables.crosstables import (
    LONGEST_NAME,
    Table,
    member_id_of,
    name_without_id,
    whole,
)
from events.importers.tables.days import became_day
from events.importers.tables.grids import TableRow
from events.importers.tables.headings import Column, plain
from events.importers.tables.results import read_bye, read_game

# What a player's side of a game against nobody is worth.
_BYE_CODES = {"W": "B", "X": "B", "D": "H", "Z": "U"}


class GameList:
    """Reads the entries of one list of games.

    Players are told by member ID, else by name, else by pairing number; they are
    numbered as they appear unless the list gives numbers. Who has no row in a round
    was not paired.
    """

    def __init__(self, table: Table, findings: Collector) -> None:
        self.table = table
        self.findings = findings
        self.players: dict[str, PairedPlayer] = {}
        self.by_number = _all_numbers(
            table.text(row, column)
            for row in table.rows
            for column in (Column.WHITE, Column.BLACK)
        )

    @property
    def round_count(self) -> int:
        return last_round(list(self.players.values()))

    def entries(self) -> list[ReportedEntry]:
        for row in self.table.rows:
            self._read(row)
            self._tell_behind(row)
        rounds = self.round_count
        players = sorted(self.players.values(), key=lambda player: player.number)
        return [player.entry(rounds) for player in players]

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
            self._bye(row, round_number, alone, is_white=white is not None)
        else:
            self._leave_out(row, Column.WHITE, "/nobody")

    def _tell_behind(self, row: TableRow) -> None:
        """Say which results a cell too many has put behind the last heading."""
        for index, text in enumerate(row.cells):
            if self.table.is_game_behind(index, text):
                name, shown = "table.row_left_out/column", text[:60]
                self.table.tell(self.findings, name, row, index, row=shown)

    def _game(
        self, row: TableRow, round_number: int, white: PairedPlayer, black: PairedPlayer
    ) -> None:
        codes = read_game(self._result(row))
        if codes is None:
            why = "/day" if became_day(self._result(row)) else ""
            self._leave_out(row, Column.RESULT, why, written=self._result(row)[:20])
        elif white is black:
            self._leave_out(row, Column.BLACK, "/one_player")
        elif self._free(row, round_number, white, black):
            enter_game(round_number, white, black, codes)

    def _bye(
        self, row: TableRow, round_number: int, player: PairedPlayer, *, is_white: bool
    ) -> None:
        other = self.table.text(row, Column.BLACK if is_white else Column.WHITE)
        code = _bye_result(self._result(row), bye_code(other), is_white=is_white)
        if code is None:
            shown = self._result(row)[:20]
            self._leave_out(row, Column.RESULT, "/bye", written=shown)
        elif self._free(row, round_number, player):
            player.rounds[round_number] = Cell(code)

    def _result(self, row: TableRow) -> str:
        return self.table.text(row, Column.RESULT)

    def _free(self, row: TableRow, round_number: int, *players: PairedPlayer) -> bool:
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
    ) -> PairedPlayer | None:
        text = self.table.text(row, column)
        given_id = self.table.text(row, id_column)
        if is_nobody(text) and not given_id:
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
            player = PairedPlayer(len(self.players) + 1, member_id, name)
            self.players[key] = player
        player.name = player.name or name
        return player

    def _numbered(self, number: int) -> PairedPlayer:
        return self.players.setdefault(str(number), PairedPlayer(number, "", ""))


def _bye_result(text: str, said: str, *, is_white: bool) -> str | None:
    """Return the code of a bye, which may be written as a game against nobody.

    *said* is what the word for the opponent says. None if the two disagree, or if
    *text* is no result of a bye.

    >>> _bye_result("1-0", "", is_white=True), _bye_result("0-1", "B", is_white=False)
    ('B', 'B')
    >>> _bye_result("", "H", is_white=True), _bye_result("1-0", "H", is_white=True)
    ('H', None)
    """
    if not text:
        return said or read_bye(text)
    code = read_bye(text)
    if code is None and (game := read_game(text)):
        code = _BYE_CODES.get(game[0 if is_white else 1])
    return code if said in ("", code) else None


def _all_numbers(texts: Iterable[str]) -> bool:
    """Whether the list names its players by pairing numbers."""
    numbers = [whole(text) for text in texts if not is_nobody(text)]
    return bool(numbers) and all(
        number is not None and 1 <= number <= HIGHEST_PAIRING_NUMBER
        for number in numbers
    )
