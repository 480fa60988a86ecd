"""The games of a reported section as rated records store them: round and outcomes."""

from collections.abc import Iterator
from dataclasses import dataclass

from events.formats.circle_method import circle_method_round
from events.formats.games import (
    ReportedGame,
    UnplayedCell,
    section_games,
    unplayed_cells,
)
from events.formats.report import ReportedSection

# N, S and R are a win, loss and draw for one side only (events.formats.result_codes).
OUTCOMES = {"W": "W", "L": "L", "D": "D", "N": "W", "S": "L", "R": "D"}
HALF_POINTS = {"W": 2, "D": 1, "L": 0}
# Codes of unplayed rounds in rated records; a round without a code has no row.
STORED_UNPLAYED_CODES = frozenset("BHXFZ")
FORFEITS = frozenset("XFZ")


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game by pairing numbers; the first side has the lower one."""

    round_number: int
    leg: int
    first: int
    second: int
    first_color: str
    first_outcome: str
    second_outcome: str


def round_count(section: ReportedSection) -> int:
    """Return how many rounds the section has, in a round robin by opponents too."""
    if section.has_opponent_columns:
        players = len(section.entries)
        return players - 1 if players % 2 == 0 else players
    longest = max((len(entry.cells) for entry in section.entries), default=0)
    return max(section.rounds or 0, longest)


def played_games(section: ReportedSection) -> Iterator[PlayedGame]:
    """Yield every game that both sides report, in the order of rounds and entries."""
    for game in section_games(section):
        yield PlayedGame(
            round_number=_round(section, game),
            leg=game.game_number,
            first=game.first,
            second=game.second,
            first_color=game.first_color,
            first_outcome=OUTCOMES[game.first_code],
            second_outcome=OUTCOMES[game.second_code],
        )


def _round(section: ReportedSection, game: ReportedGame) -> int:
    if section.has_opponent_columns:
        return circle_method_round(
            game.first, game.second, players=len(section.entries)
        )
    return game.first_round


def unplayed_rounds(section: ReportedSection) -> Iterator[tuple[int, UnplayedCell]]:
    """Yield the round and cell of every bye and forfeit."""
    for cell in unplayed_cells(section):
        if cell.code not in STORED_UNPLAYED_CODES:
            continue
        if not section.has_opponent_columns:
            yield cell.round_number, cell
        elif cell.round_number != cell.pairing_number and (
            cell.round_number <= len(section.entries)  # no number is beyond them
        ):
            yield (
                circle_method_round(
                    cell.pairing_number, cell.round_number, players=len(section.entries)
                ),
                cell,
            )


def forfeit_opponent(cell: UnplayedCell) -> int | None:
    """Return the opponent in a forfeit. A bye has none, even if its cell names one."""
    return cell.opponent if cell.code in FORFEITS else None
