"""A match game by game, with the running score."""

from collections.abc import Iterator
from typing import Any

from events.models import Section
from ratings.engine.rules import Rules
from ratings.pages.crosstable.queries.crosstable import (
    Cell,
    Crosstable,
    CrosstableRow,
    Side,
)


def match_sheet(table: Crosstable, rules: Rules) -> dict[str, Any] | None:
    """Return the match of a crosstable, or None if it is not of a match between two."""
    if table.section.kind != Section.Kind.MATCH or len(table.rows) != 2:
        return None
    one, other = sorted(table.rows, key=lambda row: row.number)
    return {
        "sides": [_side(one, table), _side(other, table)],
        "games": list(_games(one, other)),
        "rules": rules,
    }


def _side(row: CrosstableRow, table: Crosstable) -> dict[str, Any]:
    """Return a player of the match, with the rating changes."""
    lines = zip(table.systems, row.changes, strict=True)
    return {"row": row, "changes": [(system, line) for system, line in lines if line]}


def _games(one: CrosstableRow, other: CrosstableRow) -> Iterator[dict[str, Any]]:
    """Yield each game from both sides; unplayed games have no colors.

    Scores are in half points, *running* after the game.
    """
    ours = theirs = 0
    for number in sorted({*one.cells, *other.cells}):
        cells = one.cells.get(number), other.cells.get(number)
        scores = _half_points(cells[0]), _half_points(cells[1])
        ours, theirs = ours + scores[0], theirs + scores[1]
        yield {
            "number": number,
            "colors": (_color(cells[0]), _color(cells[1])),
            "scores": scores,
            "running": (ours, theirs),
            "is_played": isinstance(cells[0], Side),
        }


def _half_points(cell: Cell | None) -> int:
    return cell.half_points if cell else 0


def _color(cell: Cell | None) -> str:
    return cell.color if isinstance(cell, Side) else ""
