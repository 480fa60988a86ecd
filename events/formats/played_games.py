"""The games of a section's cells, and the rounds and outcomes that records store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from events.formats.report import Cell, ReportedEntry, ReportedSection
from events.formats.result_codes import OTHER_COLOR, result_code, single_results

# N, S and R are a win, loss and draw for one side only (events.formats.result_codes).
OUTCOMES = {"W": "W", "L": "L", "D": "D", "N": "W", "S": "L", "R": "D"}
HALF_POINTS = {"W": 2, "D": 1, "L": 0}
# Codes of unplayed rounds in rated records; a round without a code has no row.
STORED_UNPLAYED_CODES = frozenset("BHXFZ")
FORFEITS = frozenset("XFZ")

_CACHE_KEY = "_games"


@dataclass(frozen=True, slots=True)
class ReportedGame:
    """One game: the lower pairing number is ``first``.

    The two rounds are the cells' columns. They differ only in a round robin reported by
    opponents, where a column is not a round. ``game_number`` is 2 for the second game
    of a double-game round. The codes are single results (``result_codes.SINGLE``).
    """

    first: int
    second: int
    first_round: int
    second_round: int
    game_number: int
    first_code: str
    second_code: str
    first_color: str


@dataclass(frozen=True, slots=True)
class UnplayedCell:
    """A bye, forfeit, unpaired round or game in progress; half points of the cell."""

    pairing_number: int
    round_number: int
    code: str
    opponent: int | None
    half_points: int


def section_games(section: ReportedSection) -> tuple[ReportedGame, ...]:
    """Return every game of *section* once, in order of rounds and pairing numbers.

    Two cells are a game only if they name each other; ``checks.report`` reports the
    others.

    >>> from events.formats.report import parse_cell
    >>> white, black = parse_cell("W2W"), parse_cell("L1B")
    >>> entries = (ReportedEntry(1, cells=(white,)), ReportedEntry(2, cells=(black,)))
    >>> [game] = section_games(ReportedSection(1, kind_letter="S", entries=entries))
    >>> game.first, game.second, game.first_code, game.first_color
    (1, 2, 'W', 'W')
    """
    # Several checks need them, so the immutable section caches the answer, like its own
    # cached properties.
    remembered = vars(section)
    if _CACHE_KEY not in remembered:
        remembered[_CACHE_KEY] = tuple(_section_games(section))
    games: tuple[ReportedGame, ...] = remembered[_CACHE_KEY]
    return games


def _section_games(section: ReportedSection) -> Iterator[ReportedGame]:
    entries = {entry.pairing_number: entry for entry in section.entries}
    by_opponents = section.has_opponent_columns
    for column in range(1, section.columns + 1):
        for entry in section.entries:
            cell = entry.cell(column)
            if cell.opponent is None or cell.opponent <= entry.pairing_number:
                continue
            other = entries.get(cell.opponent)
            if other is None:
                continue
            other_column = entry.pairing_number if by_opponents else column
            other_cell = other.cell(other_column)
            if other_cell.opponent == entry.pairing_number:
                yield from _games(
                    section, entry, (column, other_column), (cell, other_cell)
                )


def _games(
    section: ReportedSection,
    entry: ReportedEntry,
    columns: tuple[int, int],
    cells: tuple[Cell, Cell],
) -> Iterator[ReportedGame]:
    first, second = entry.pairing_number, cells[0].opponent or 0
    # One side's color decides the other's, and so who won the first of two games.
    our_cell, their_cell = _with_color(*cells), _with_color(cells[1], cells[0])
    ours = single_results(our_cell, section.kind_letter, first)
    theirs = single_results(their_cell, section.kind_letter, second)
    for number, (our, their) in enumerate(zip(ours, theirs, strict=False), start=1):
        if our.is_game and their.is_game:
            yield ReportedGame(
                first, second, *columns, number, our.code, their.code, our.color
            )


def _with_color(cell: Cell, other: Cell) -> Cell:
    """Return *cell* with its color filled in from the opponent's cell."""
    if cell.color or not cell.code or not other.color:
        return cell
    return replace(cell, color=OTHER_COLOR[other.color])


def unplayed_cells(section: ReportedSection) -> Iterator[UnplayedCell]:
    """Yield the byes, forfeits and unpaired rounds of *section*, entry by entry."""
    for entry in section.entries:
        for column, cell in enumerate(entry.cells, start=1):
            result = result_code(cell.code, section.kind_letter)
            if result is not None and not result.is_game:
                yield UnplayedCell(
                    entry.pairing_number,
                    column,
                    cell.code,
                    cell.opponent,
                    result.half_points,
                )


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
    return max(section.rounds or 0, section.columns)


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


def circle_method_round(one: int, other: int, *, players: int) -> int:
    """Return the round in which two pairing numbers meet, by the circle method.

    With an even number of *players* the last one stays seated and the others
    move round the table; with an odd number that seat is the bye.

    >>> [circle_method_round(1, other, players=4) for other in (2, 3, 4)]
    [1, 2, 3]
    """
    seats = players + players % 2
    turning = seats - 1
    if seats in (one, other):
        moving = min(one, other)
        return (2 * moving - 3) % turning + 1
    return (one + other - 3) % turning + 1
