"""A list of games, one row each, as the entries of a section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from events.formats.byes import bye_code, can_be_username, is_no_player
from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.findings import Collector
from events.formats.pairings import PairedPlayer, enter_game, last_round
from events.formats.pgn.unplayed import (
    AS_FORFEIT,
    is_doubtful_remark,
    is_unplayed_remark,
)
from events.formats.report import MAX_PAIRING_NUMBER, Cell, ReportedEntry
from events.formats.tables.crosstables import (
    MAX_NAME_LENGTH,
    EntryReader,
    Table,
    extract_member_id,
    name_without_id,
    parse_whole_number,
)
from events.formats.tables.dates import is_spreadsheet_date
from events.formats.tables.grids import TableRow
from events.formats.tables.headings import Column, normalize_text
from events.formats.tables.results import parse_bye, parse_game_result

# The bye for a player's side of a game without an opponent.
_BYE_CODES = {"W": "B", "X": "B", "D": "H", "Z": "U"}


class GameList(EntryReader):
    """Reads the entries of one list of games.

    Players are identified by member ID, else by name, else by pairing number, and
    numbered in order of appearance unless the list has numbers. A player without a row
    in a round was not paired.
    """

    def __init__(self, table: Table, findings: Collector) -> None:
        super().__init__(table, findings)
        self.players: dict[str, PairedPlayer] = {}
        # A word that may be a bye or a name is a player if it won a game.
        self.handles = {
            normalize_text(name) for name in self._winners() if can_be_username(name)
        }
        self.by_number = _has_only_numbers(
            table.text(row, column)
            for row in table.rows
            for column in (Column.WHITE, Column.BLACK)
        )

    @property
    def round_count(self) -> int:
        return last_round(list(self.players.values()))

    def _winners(self) -> Iterator[str]:
        for row in self.table.rows:
            codes = parse_game_result(self._result(row)) or ("", "")
            for column, code in zip((Column.WHITE, Column.BLACK), codes, strict=True):
                if code == "W":
                    yield self.table.text(row, column)

    def entries(self) -> list[ReportedEntry]:
        for row in self.table.rows:
            self._read(row)
            self._report_trailing_results(row)
        rounds = self.round_count
        players = sorted(self.players.values(), key=lambda player: player.number)
        return [player.entry(rounds) for player in players]

    def _read(self, row: TableRow) -> None:
        round_number = parse_whole_number(self.table.text(row, Column.ROUND)) or 0
        if not 1 <= round_number <= MAX_ROUNDS:
            shown = self.table.text(row, Column.ROUND)[:20]
            self._skip_row(row, Column.ROUND, "/round", written=shown)
            return
        white = self._player(row, Column.WHITE, Column.WHITE_ID)
        black = self._player(row, Column.BLACK, Column.BLACK_ID)
        if white is not None and black is not None:
            self._game(row, round_number, white, black)
        elif alone := white or black:
            self._bye(row, round_number, alone, is_white=white is not None)
        else:
            self._skip_row(row, Column.WHITE, "/nobody")

    def _report_trailing_results(self, row: TableRow) -> None:
        """Report results that an extra cell moved beyond the last heading."""
        for index, text in enumerate(row.cells):
            if self.table.is_game_after_headings(index, text):
                self.add("table.row_left_out/column", row, index, row=text[:60])

    def _game(
        self, row: TableRow, round_number: int, white: PairedPlayer, black: PairedPlayer
    ) -> None:
        codes = parse_game_result(self._result(row))
        if codes is None:
            why = "/day" if is_spreadsheet_date(self._result(row)) else ""
            self._skip_row(row, Column.RESULT, why, written=self._result(row)[:20])
        elif white is black:
            self._skip_row(row, Column.BLACK, "/one_player")
        elif self._is_free(row, round_number, white, black):
            enter_game(round_number, white, black, self._codes_by_remark(row, codes))

    def _codes_by_remark(
        self, row: TableRow, codes: tuple[str, str]
    ) -> tuple[str, str]:
        """Return the codes of a forfeit if another column says there was no game."""
        for index, text in enumerate(row.cells):
            if self._heading(index) is not None or codes[0] not in AS_FORFEIT:
                continue
            if is_unplayed_remark(text):
                self.add("table.unplayed", row, index, reason=text[:60])
                return AS_FORFEIT[codes[0]]
            if is_doubtful_remark(text):
                self.add("table.unplayed/doubtful", row, index, reason=text[:60])
        return codes

    def _heading(self, index: int) -> Column | None:
        headings = self.table.headings
        return headings[index].column if index < len(headings) else None

    def _bye(
        self, row: TableRow, round_number: int, player: PairedPlayer, *, is_white: bool
    ) -> None:
        column = Column.BLACK if is_white else Column.WHITE
        other = self.table.text(row, column)
        named = "" if not _is_word(other) else bye_code(other)
        if named is None or _is_result(other):
            self._skip_row(row, column, "/unknown", written=other[:20])
            return
        code = _bye_result(self._result(row), named, is_white=is_white)
        if code is None:
            shown = self._result(row)[:20]
            self._skip_row(row, Column.RESULT, "/bye", written=shown)
        elif self._is_free(row, round_number, player):
            player.rounds[round_number] = Cell(code)
            if can_be_username(other):
                self.add("table.bye_word", row, column, written=other[:20])

    def _result(self, row: TableRow) -> str:
        return self.table.text(row, Column.RESULT)

    def _is_free(
        self, row: TableRow, round_number: int, *players: PairedPlayer
    ) -> bool:
        for player in players:
            if round_number in player.rounds:
                shown = player.name or player.member_id or player.number
                values = {"player": shown, "round_number": round_number}
                self._skip_row(row, Column.ROUND, "/taken", **values)
                return False
        return True

    def _skip_row(
        self, row: TableRow, column: Column, why: str, /, **values: object
    ) -> None:
        self.add(f"table.game_left_out{why}", row, column, **values)

    def _player(
        self, row: TableRow, column: Column, id_column: Column
    ) -> PairedPlayer | None:
        text = self.table.text(row, column)
        given_id = self.table.text(row, id_column)
        if (
            (is_no_player(text) or _is_result(text))
            and not given_id
            and normalize_text(text) not in self.handles
        ):
            return None
        if self.by_number and not given_id:
            return self._numbered(parse_whole_number(text) or 0)
        member_id = extract_member_id(given_id or text)
        if not given_id and not member_id.isdigit():
            member_id = ""
        name = name_without_id(text)[:MAX_NAME_LENGTH].rstrip()
        name = "" if name.isdigit() else name
        key = member_id or normalize_text(name) or text
        player = self.players.get(key)
        if player is None:
            player = PairedPlayer(len(self.players) + 1, member_id, name)
            self.players[key] = player
        player.name = player.name or name
        return player

    def _numbered(self, number: int) -> PairedPlayer:
        return self.players.setdefault(str(number), PairedPlayer(number, "", ""))


def _is_word(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _is_result(text: str) -> bool:
    """Return whether a missing cell moved the result into a player's column."""
    return len(text) > 2 and not _is_word(text) and parse_game_result(text) is not None


def _bye_result(text: str, named: str, *, is_white: bool) -> str | None:
    """Return the code of a bye, which may be written as a game without an opponent.

    *named* is the bye that the opponent's name stands for. None if the two disagree, or
    if *text* is not the result of a bye.

    >>> _bye_result("1-0", "", is_white=True), _bye_result("0-1", "B", is_white=False)
    ('B', 'B')
    >>> _bye_result("", "H", is_white=True), _bye_result("1-0", "H", is_white=True)
    ('H', None)
    """
    if not text:
        return named or parse_bye(text)
    code = parse_bye(text)
    if code is None and (game := parse_game_result(text)):
        code = _BYE_CODES.get(game[0 if is_white else 1])
    return code if named in ("", code) else None


def _has_only_numbers(texts: Iterable[str]) -> bool:
    """Return whether the list names its players by pairing numbers."""
    numbers = [parse_whole_number(text) for text in texts if not is_no_player(text)]
    return bool(numbers) and all(
        number is not None and 1 <= number <= MAX_PAIRING_NUMBER for number in numbers
    )
