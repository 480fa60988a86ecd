"""Check the results of a section against each other: each game is in two cells."""

from __future__ import annotations

from events.formats.catalog.kinds import variant
from events.formats.dbf.layout_2c import SECTION_TYPES
from events.formats.findings import Collector, Place
from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedSection,
    format_cell,
)
from events.formats.result_codes import (
    DOUBLE_ONLY,
    ResultCode,
    result_code,
)
from events.formats.tables.dates import is_spreadsheet_date
from events.formats.translatable_text import translatable

CLAIMED = "result.claimed_by_opponent"
ONE_SIDED = "result.forfeit_one_sided"


class ResultsCheck:
    """Checks the cells of one section against each other."""

    def __init__(self, section: ReportedSection, findings: Collector) -> None:
        self.section = section
        self.findings = findings
        self.entries: dict[int, ReportedEntry] = {}
        for entry in section.entries:
            self.entries.setdefault(entry.pairing_number, entry)
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
                self._check_cell(entry, column, columns)
        self._check_totals()

    def _columns(self) -> int:
        """Return how many columns must hold results; report a missing one once."""
        present = max(len(entry.cells) for entry in self.section.entries)
        rounds = self.section.rounds or 0
        if self.by_opponents:
            return min(present, max(rounds, max(self.entries)))
        if present < rounds:
            self.findings.add(
                "section.rounds_differ",
                Place(section=self.section.number, field="rounds"),
                rounds=rounds,
                present=present,
            )
        return min(present, rounds) if rounds else present

    def _check_kind(self) -> None:
        if self.section.has_double_codes and not self.section.has_double_games:
            codes = sorted(
                {cell.code for entry in self.section.entries for cell in entry.cells}
                & DOUBLE_ONLY
            )
            self.findings.add(
                "section.double_codes",
                Place(section=self.section.number, field="kind_letter"),
                codes=", ".join(codes),
            )

    def _check_totals(self) -> None:
        place = Place(section=self.section.number)
        if not self.games:
            self.findings.add("section.no_game", place)
        if self.without_color:
            self.findings.add(
                "section.colors_missing", place, without_color=self.without_color
            )
        if (
            len(self.section.entries) == 2
            and self.section.kind_letter != "M"
            and self.games > 2  # each game is in two cells
        ):
            self.findings.add(
                "section.not_coded_as_match",
                Place(section=self.section.number, field="kind_letter"),
            )

    def _place(self, entry: ReportedEntry, column: int) -> Place:
        return Place("", self.section.number, entry.pairing_number, column)

    def _add(
        self, name: str, entry: ReportedEntry, column: int, /, **values: object
    ) -> None:
        self.findings.add(name, self._place(entry, column), **values)

    def _check_cell(self, entry: ReportedEntry, column: int, columns: int) -> None:
        cell = entry.cell(column)
        diagonal = self.by_opponents and column == entry.pairing_number
        if diagonal and cell.is_padding:
            return
        if cell.is_blank:
            if column <= columns:
                self._add("result.missing", entry, column)
            return
        result = result_code(cell.code, self.kind)
        if result is None:
            self._add_unreadable(entry, column, cell)
            return
        if column > columns and not cell.is_padding:
            self._add(
                "result.beyond_rounds"
                + {0: "/none", 1: "/one"}.get(self.section.rounds or 0, ""),
                entry,
                column,
                cell=format_cell(cell),
                column=column,
                rounds=self.section.rounds,
            )
        elif diagonal:
            self._add(
                "result.diagonal", entry, column, column=column, cell=format_cell(cell)
            )
        self._check_result(entry, column, cell, result)

    def _add_unreadable(self, entry: ReportedEntry, column: int, cell: Cell) -> None:
        kind = SECTION_TYPES.get(self.kind, translatable("this type"))
        why = "kind" if cell.code else "day" if is_spreadsheet_date(cell.raw) else ""
        name = variant("result.unreadable", why)
        self._add(name, entry, column, written=format_cell(cell), kind=kind)

    def _check_result(
        self, entry: ReportedEntry, column: int, cell: Cell, result: ResultCode
    ) -> None:
        if result.is_asymmetric:
            self._add(
                "result.asymmetric",
                entry,
                column,
                code=cell.code,
                meaning=translatable(result.meaning),
            )
        if cell.code == "I":
            self._add("result.in_progress", entry, column)
        if result.is_game:
            self.games += len(result.games)
            self._check_game(entry, column, cell, result)
        elif cell.opponent is not None:
            self._check_unplayed(entry, column, cell, result)

    def _check_game(
        self, entry: ReportedEntry, column: int, cell: Cell, result: ResultCode
    ) -> None:
        opponent = cell.opponent
        if opponent is None:
            self._add("result.no_opponent", entry, column, phrase=_phrase(result))
        elif opponent == entry.pairing_number:
            self._add("result.self_pairing", entry, column)
        elif opponent not in self.entries:
            self._add(
                "result.unknown_opponent/in_game", entry, column, opponent=opponent
            )
        else:
            self._check_mirror(entry, column, cell, result)

    def _opponent_cell(self, entry: ReportedEntry, column: int, opponent: int) -> Cell:
        other_column = entry.pairing_number if self.by_opponents else column
        return self.entries[opponent].cell(other_column)

    def _check_mirror(
        self, entry: ReportedEntry, column: int, cell: Cell, result: ResultCode
    ) -> None:
        opponent = cell.opponent or 0
        other = self._opponent_cell(entry, column, opponent)
        their = result_code(other.code, self.kind)
        if their is not None and not their.is_game:
            self._add_claimed(CLAIMED, entry, column, opponent, result, their)
        if their is None:
            if other.is_blank:  # unreadable text has a finding of its own
                name = "result.opponent_differs/silent"
                self._add_contradiction(name, entry, column, result, None, cell, other)
        elif other.opponent != entry.pairing_number:
            name = "result.opponent_differs" + ("" if other.opponent else "/nobody")
            self._add_contradiction(name, entry, column, result, their, cell, other)
            if their.is_game:
                self._add_also_claimed(entry, column, opponent, result, their)
        elif not _is_mirrored(result, their):
            is_reported = their.is_game and self._is_already_reported(
                entry, column, opponent
            )
            if not is_reported:
                name = "result.not_mirrored"
                self._add_contradiction(name, entry, column, result, their, cell, other)
        elif cell.color and cell.color == other.color:
            white = cell.color == "W"
            self._add(
                "result.both_white" if white else "result.both_black",
                entry,
                column,
                opponent=opponent,
            )
        elif not cell.color and not other.color:
            self.without_color += 1

    def _add_claimed(
        self,
        name: str,
        entry: ReportedEntry,
        column: int,
        opponent: int,
        claim: ResultCode,
        answer: ResultCode,
    ) -> None:
        """Add a finding to the opponent's cell: the player's result differs."""
        other = self.entries[opponent]
        other_column = entry.pairing_number if self.by_opponents else column
        cell = (name.partition("/")[0], opponent, other_column)
        if cell not in self.claimed:
            self.claimed.add(cell)
            self._add(
                name,
                other,
                other_column,
                opponent=entry.pairing_number,
                claim=_phrase(claim),
                phrase=_phrase(answer),
            )

    def _add_also_claimed(
        self,
        entry: ReportedEntry,
        column: int,
        opponent: int,
        claim: ResultCode,
        answer: ResultCode,
    ) -> None:
        """Add a finding to the opponent's game against a third player.

        Skip it if the third player does not confirm that game, which is an error
        already.
        """
        other = self.entries[opponent]
        other_column = entry.pairing_number if self.by_opponents else column
        third = other.cell(other_column).opponent
        if third in (None, opponent) or third not in self.entries:
            return
        if self._opponent_cell(other, other_column, third).opponent == opponent:
            name = f"{CLAIMED}/also"
            self._add_claimed(name, entry, column, opponent, claim, answer)

    def _is_already_reported(
        self, entry: ReportedEntry, column: int, opponent: int
    ) -> bool:
        """Return whether the opponent, with the lower number, already has this finding.

        A game has one finding if its two cells name each other.
        """
        other = self.entries[opponent]
        other_column = entry.pairing_number if self.by_opponents else column
        answered = self._opponent_cell(other, other_column, entry.pairing_number)
        return opponent < entry.pairing_number and answered == entry.cell(column)

    def _add_contradiction(
        self,
        name: str,
        entry: ReportedEntry,
        column: int,
        result: ResultCode,
        answer: ResultCode | None,
        cell: Cell,
        other: Cell,
    ) -> None:
        """Add a finding: the opponent's cell differs from the player's."""
        if result.meaning in ("win", "loss", "draw"):
            name = variant(name, result.meaning)
        self._add(
            name,
            entry,
            column,
            phrase=_phrase(result),
            opponent=cell.opponent or 0,
            answer=_phrase(answer) if answer else "",
            other=other.opponent,
        )

    def _check_unplayed(
        self, entry: ReportedEntry, column: int, cell: Cell, result: ResultCode
    ) -> None:
        """Check a bye or forfeit; a forfeit need not name its opponent."""
        opponent = cell.opponent or 0
        if cell.code in "BHU":
            self._add(
                "result.bye_with_opponent",
                entry,
                column,
                phrase=_phrase(result),
                opponent=opponent,
            )
            return
        if opponent == entry.pairing_number or opponent not in self.entries:
            self._add(
                "result.unknown_opponent",
                entry,
                column,
                opponent=opponent,
                phrase=_phrase(result),
            )
            return
        other = self._opponent_cell(entry, column, opponent)
        their = result_code(other.code, self.kind)
        names_this_player = other.opponent == entry.pairing_number
        if their is None:
            if other.is_blank:  # unreadable text has a finding of its own
                name = f"{ONE_SIDED}/silent"
                self._add_contradiction(name, entry, column, result, None, cell, other)
        elif names_this_player and (
            their.is_game or self._is_already_reported(entry, column, opponent)
        ):
            return  # a game's own cell reports the contradiction at both
        elif their.is_game or (names_this_player and not _is_mirrored(result, their)):
            name = "result.not_mirrored" + ("/against" if other.opponent else "")
            self._add_contradiction(name, entry, column, result, their, cell, other)
            if not names_this_player:
                self._add_also_claimed(entry, column, opponent, result, their)
        elif not names_this_player and (
            other.opponent or not _is_mirrored(result, their)
        ):
            # Only a caution, because forfeits are never rated. None of 26 real reports
            # has a one-sided forfeit.
            name = ONE_SIDED + ("/against" if other.opponent else "")
            self._add_contradiction(name, entry, column, result, their, cell, other)
            name = f"{ONE_SIDED}/claimed"
            self._add_claimed(name, entry, column, opponent, result, their)


def _is_mirrored(ours: ResultCode, theirs: ResultCode) -> bool:
    if ours.is_asymmetric or theirs.is_asymmetric:
        return ours.is_game and theirs.is_game
    return theirs.code in ours.mirrors


def _phrase(result: ResultCode) -> str:
    if result.code == "U":
        return translatable("no game")
    if result.meaning[0].isalpha():
        return translatable("a {meaning}", meaning=translatable(result.meaning))
    return result.meaning
