"""Check the results of a section against each other: each game is in two cells."""

from __future__ import annotations

from typing import NamedTuple

from events.formats.catalog.kinds import variant
from events.formats.dbf.layout_2c import SECTION_TYPES
from events.formats.findings import Collector, Place
from events.formats.report import Cell, ReportedEntry, ReportedSection, format_cell
from events.formats.result_codes import DOUBLE_ONLY, ResultCode, result_code
from events.formats.tables.dates import is_spreadsheet_date
from events.formats.translatable_text import translatable

CLAIMED = "result.claimed_by_opponent"
ONE_SIDED = "result.forfeit_one_sided"


class _Side(NamedTuple):
    """A player's cell in one column, with the result that it stands for."""

    entry: ReportedEntry
    column: int
    cell: Cell
    result: ResultCode | None

    @property
    def number(self) -> int:
        return self.entry.pairing_number

    @property
    def opponent(self) -> int:
        """Return the opponent's pairing number, 0 if there is none."""
        return self.cell.opponent or 0


class ResultsCheck:
    """Checks the cells of one section against each other."""

    def __init__(self, section: ReportedSection, findings: Collector) -> None:
        self.section = section
        self.findings = findings
        self.add = findings.at(Place(section=section.number))
        self.entries = section.by_number
        self.by_opponents = section.has_opponent_columns
        # One double-game code means that the TD forgot to choose the type.
        self.kind = section.codes_kind
        self.games = 0
        self.without_color = 0
        # Cells that other players contradict, each reported once for each code.
        self.claimed: set[tuple[str, int, int]] = set()

    def check(self) -> None:
        if not self.section.entries:
            return
        self._check_kind()
        columns = self._columns()
        for entry in self.section.entries:
            for column in range(1, max(columns, len(entry.cells)) + 1):
                self._check_cell(self._side(entry, column), columns)
        self._check_totals()

    def _columns(self) -> int:
        """Return how many columns must hold results; report a missing one once."""
        present = self.section.columns
        rounds = self.section.rounds or 0
        if self.by_opponents:
            return min(present, max(rounds, max(self.entries)))
        if present < rounds:
            self.add("section.rounds_differ", "rounds", rounds=rounds, present=present)
        return min(present, rounds) if rounds else present

    def _check_kind(self) -> None:
        if self.section.has_double_codes and not self.section.has_double_games:
            codes = sorted(
                {cell.code for entry in self.section.entries for cell in entry.cells}
                & DOUBLE_ONLY
            )
            self.add("section.double_codes", "kind_letter", codes=", ".join(codes))

    def _check_totals(self) -> None:
        if not self.games:
            self.add("section.no_game")
        if self.without_color:
            self.add("section.colors_missing", without_color=self.without_color)
        if (
            len(self.section.entries) == 2
            and self.section.kind_letter != "M"
            and self.games > 2  # each game is in two cells
        ):
            self.add("section.not_coded_as_match", "kind_letter")

    def _side(self, entry: ReportedEntry, column: int) -> _Side:
        cell = entry.cell(column)
        return _Side(entry, column, cell, result_code(cell.code, self.kind))

    def _opposite(self, side: _Side) -> _Side:
        """Return the opponent's side of the game; the opponent is in the section."""
        column = side.number if self.by_opponents else side.column
        return self._side(self.entries[side.opponent], column)

    def _add(self, name: str, side: _Side, /, **values: object) -> None:
        place = Place("", self.section.number, side.number, side.column)
        self.findings.add(name, place, **values)

    def _check_cell(self, side: _Side, columns: int) -> None:
        cell, column = side.cell, side.column
        diagonal = self.by_opponents and column == side.number
        if diagonal and cell.is_padding:
            return
        if cell.is_blank:
            if column <= columns:
                self._add("result.missing", side)
            return
        if side.result is None:
            self._add_unreadable(side)
            return
        if column > columns and not cell.is_padding:
            rounds, shown = self.section.rounds, format_cell(cell)
            name = "result.beyond_rounds" + {0: "/none", 1: "/one"}.get(rounds or 0, "")
            self._add(name, side, cell=shown, column=column, rounds=rounds)
        elif diagonal:
            self._add("result.diagonal", side, column=column, cell=format_cell(cell))
        self._check_result(side, side.result)

    def _add_unreadable(self, side: _Side) -> None:
        cell, kind = side.cell, SECTION_TYPES.get(self.kind, translatable("this type"))
        why = "kind" if cell.code else "day" if is_spreadsheet_date(cell.raw) else ""
        name = variant("result.unreadable", why)
        self._add(name, side, written=format_cell(cell), kind=kind)

    def _check_result(self, side: _Side, result: ResultCode) -> None:
        if result.is_asymmetric:
            meaning = translatable(result.meaning)
            self._add("result.asymmetric", side, code=side.cell.code, meaning=meaning)
        if side.cell.code == "I":
            self._add("result.in_progress", side)
        if result.is_game:
            self.games += len(result.games)
            self._check_game(side)
        elif side.cell.opponent is not None:
            self._check_unplayed(side)

    def _check_game(self, side: _Side) -> None:
        opponent = side.opponent
        if not opponent:
            self._add("result.no_opponent", side, phrase=_phrase(side.result))
        elif opponent == side.number:
            self._add("result.self_pairing", side)
        elif opponent not in self.entries:
            self._add("result.unknown_opponent/in_game", side, opponent=opponent)
        else:
            self._check_mirror(side, self._opposite(side))

    def _check_mirror(self, side: _Side, other: _Side) -> None:
        their = other.result
        if their is not None and not their.is_game:
            self._add_claimed(CLAIMED, side, other)
        if their is None:
            if other.cell.is_blank:  # unreadable text has a finding of its own
                self._add_contradiction("result.opponent_differs/silent", side, other)
        elif other.cell.opponent != side.number:
            name = "result.opponent_differs" + ("" if other.opponent else "/nobody")
            self._add_contradiction(name, side, other)
            if their.is_game:
                self._add_also_claimed(side, other)
        elif not _is_mirrored(side, other):
            if not (their.is_game and self._is_already_reported(side, other)):
                self._add_contradiction("result.not_mirrored", side, other)
        elif side.cell.color and side.cell.color == other.cell.color:
            name = (
                "result.both_white" if side.cell.color == "W" else "result.both_black"
            )
            self._add(name, side, opponent=side.opponent)
        elif not side.cell.color and not other.cell.color:
            self.without_color += 1

    def _add_claimed(self, name: str, side: _Side, other: _Side) -> None:
        """Add a finding to the opponent's cell: the player's result differs."""
        cell = (name.partition("/")[0], other.number, other.column)
        if cell not in self.claimed:
            self.claimed.add(cell)
            claim, answer = _phrase(side.result), _phrase(other.result)
            self._add(name, other, opponent=side.number, claim=claim, phrase=answer)

    def _add_also_claimed(self, side: _Side, other: _Side) -> None:
        """Add a finding to the opponent's game against a third player.

        Skip it if the third player does not confirm that game, which is an error
        already.
        """
        third = other.opponent
        if third in (0, other.number) or third not in self.entries:
            return
        if self._opposite(other).cell.opponent == other.number:
            self._add_claimed(f"{CLAIMED}/also", side, other)

    def _is_already_reported(self, side: _Side, other: _Side) -> bool:
        """Return whether the opponent, with the lower number, already has this finding.

        A game has one finding if its two cells name each other.
        """
        return other.number < side.number and self._opposite(other).cell == side.cell

    def _add_contradiction(self, name: str, side: _Side, other: _Side) -> None:
        """Add a finding: the opponent's cell differs from the player's."""
        if side.result and side.result.meaning in ("win", "loss", "draw"):
            name = variant(name, side.result.meaning)
        self._add(
            name,
            side,
            phrase=_phrase(side.result),
            opponent=side.opponent,
            answer=_phrase(other.result),
            other=other.cell.opponent,
        )

    def _check_unplayed(self, side: _Side) -> None:
        """Check a bye or forfeit; a forfeit need not name its opponent."""
        opponent = side.opponent
        is_known = opponent != side.number and opponent in self.entries
        if side.cell.code in "BHU" or not is_known:
            is_bye = side.cell.code in "BHU"
            name = "result.bye_with_opponent" if is_bye else "result.unknown_opponent"
            self._add(name, side, phrase=_phrase(side.result), opponent=opponent)
            return
        other = self._opposite(side)
        their = other.result
        names_this_player = other.cell.opponent == side.number
        if their is None:
            if other.cell.is_blank:  # unreadable text has a finding of its own
                self._add_contradiction(f"{ONE_SIDED}/silent", side, other)
        elif names_this_player and (
            their.is_game or self._is_already_reported(side, other)
        ):
            return  # a game's own cell reports the contradiction at both
        elif their.is_game or (names_this_player and not _is_mirrored(side, other)):
            name = "result.not_mirrored" + ("/against" if other.opponent else "")
            self._add_contradiction(name, side, other)
            if not names_this_player:
                self._add_also_claimed(side, other)
            elif other.cell.code in "BHU":
                self._add_claimed(CLAIMED, side, other)
        elif not names_this_player and (
            other.opponent or not _is_mirrored(side, other)
        ):
            # An error though forfeits are not rated: the cell may hide a game. None of
            # 26 real reports has a one-sided forfeit.
            name = ONE_SIDED + ("/against" if other.opponent else "")
            self._add_contradiction(name, side, other)
            self._add_claimed(f"{ONE_SIDED}/claimed", side, other)


def _is_mirrored(side: _Side, other: _Side) -> bool:
    ours, theirs = side.result, other.result
    if ours is None or theirs is None:
        return False
    if ours.is_asymmetric or theirs.is_asymmetric:
        return ours.is_game and theirs.is_game
    return theirs.code in ours.mirrors


def _phrase(result: ResultCode | None) -> str:
    if result is None:
        return ""
    if result.code == "U":
        return translatable("no game")
    if result.meaning[0].isalpha():
        return translatable("a {meaning}", meaning=translatable(result.meaning))
    return result.meaning
