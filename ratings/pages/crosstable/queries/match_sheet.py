"""A match game by game, with the running score."""

from collections.abc import Iterator
from dataclasses import dataclass

from events.models import Section
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.pages.crosstable.queries.crosstable import (
    Cell,
    Change,
    Crosstable,
    CrosstableRow,
    Side,
)


@dataclass(frozen=True, slots=True)
class MatchGame:
    """A game from both sides; unplayed games have no colors.

    Scores are in half points, *running* after the game.
    """

    number: int
    colors: tuple[str, str]
    scores: tuple[int, int]
    running: tuple[int, int]
    is_played: bool


@dataclass(frozen=True, slots=True)
class MatchSide:
    """A player of the match, with the rating changes."""

    row: CrosstableRow
    changes: list[tuple[System, Change]]


@dataclass(frozen=True, slots=True)
class MatchSheet:
    """The match with its two players and its rating limits."""

    sides: tuple[MatchSide, MatchSide]
    games: list[MatchGame]
    rules: Rules


def match_sheet(table: Crosstable, rules: Rules) -> MatchSheet | None:
    """Return the match of a crosstable, or None if it is not of a match between two."""
    if table.section.kind != Section.Kind.MATCH or len(table.rows) != 2:
        return None
    one, other = sorted(table.rows, key=lambda row: row.number)
    return MatchSheet(
        sides=(_side(one, table), _side(other, table)),
        games=list(_games(one, other)),
        rules=rules,
    )


def _side(row: CrosstableRow, table: Crosstable) -> MatchSide:
    lines = zip(table.systems, row.changes, strict=True)
    return MatchSide(row, [(system, line) for system, line in lines if line])


def _games(one: CrosstableRow, other: CrosstableRow) -> Iterator[MatchGame]:
    ours = theirs = 0
    for number in sorted({*one.cells, *other.cells}):
        cells = one.cells.get(number), other.cells.get(number)
        scores = _half_points(cells[0]), _half_points(cells[1])
        ours, theirs = ours + scores[0], theirs + scores[1]
        is_played = isinstance(cells[0], Side)
        colors = _color(cells[0]), _color(cells[1])
        yield MatchGame(number, colors, scores, (ours, theirs), is_played)


def _half_points(cell: Cell | None) -> int:
    return cell.half_points if cell else 0


def _color(cell: Cell | None) -> str:
    return cell.color if isinstance(cell, Side) else ""
