"""Manual entry of results in the grid, and its effects on a section.

A game is in two cells. Typing one fills in the other if it is empty or was filled in
from this one before; if it differs, both stay, and the findings show the contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.report import (
    BLANK,
    MAX_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
)
from events.formats.result_codes import OTHER_COLOR, result_code
from events.formats.round_robin import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    QUAD_SIZE,
    round_robin_rounds,
    scheduled_game,
)
from events.formats.tables.results import parse_result

ROUND_ROBIN = "R"
UNPAIRED = Cell("U")
MAX_TEXT_LENGTH = 60

_HALVES = ("1/2", "0.5", "0,5", ".5", ",5")
_SIGN_LAST = re.compile(r"([0-9]{1,4})\s*([+=½-])", re.ASCII)
_POINTS_FIRST = re.compile(r"([10½])\s+([0-9]{1,4})\s*([WB]?)", re.ASCII)
_CODE_OF = {"1": "W", "0": "L", "½": "D"}


class CellPosition(NamedTuple):
    """A cell of a section: the row's pairing number, and the column from 1 on."""

    number: int
    column: int


# Typed results


def parse_typed_result(text: str) -> Cell:
    """Return the cell for a typed *text*; the text itself if it is not a result.

    >>> cells = map(parse_typed_result, ("w12", "12+", "1/2 5", "0 7b", "h", "1/2"))
    >>> [(cell.code, cell.opponent) for cell in cells]
    [('W', 12), ('W', 12), ('D', 5), ('L', 7), ('H', None), ('H', None)]
    >>> parse_typed_result("beat Bob").raw
    'beat Bob'
    """
    cleaned = clean_input(text)
    halved = _with_half_signs(cleaned)
    if match := _SIGN_LAST.fullmatch(halved):
        halved = f"{match[2]}{match[1]}"
    elif match := _POINTS_FIRST.fullmatch(halved.upper()):
        halved = f"{_CODE_OF[match[1]]}{match[2]}{match[3]}"
    cell = parse_result(halved)
    return Cell(raw=cleaned) if cell.raw else cell


def clean_input(text: str) -> str:
    """Remove text that a cell cannot store."""
    return "".join(filter(str.isprintable, text)).strip()[:MAX_TEXT_LENGTH]


def _with_half_signs(text: str) -> str:
    for half in _HALVES:
        text = text.replace(half, "½")
    return text


_POINTS_CODES = {
    **dict.fromkeys(("1", "W"), "W"),
    **dict.fromkeys(("0", "L"), "L"),
    **dict.fromkeys(("½", "5", "D", "="), "D"),
    **dict.fromkeys(("+", "X"), "X"),
    **dict.fromkeys(("-", "F"), "F"),
    "Z": "Z",
}
_POINTS_TEXTS = {"W": "1", "L": "0", "D": "½", "X": "+", "F": "-", "Z": "Z"}


def parse_points(text: str, opponent: int, color: str) -> Cell:
    """Return the cell for points typed where two players' row and column cross.

    >>> parse_points("1", 4, "W")
    Cell(code='W', opponent=4, color='W', raw='')
    >>> parse_points("+", 4, "W")
    Cell(code='X', opponent=4, color='', raw='')
    >>> parse_points(".5", 4, "B").code, parse_points("?", 4, "B").raw
    ('D', '?')
    """
    cleaned = clean_input(text)
    if not cleaned:
        return BLANK
    code = _POINTS_CODES.get(_with_half_signs(cleaned).upper())
    if code is None:
        return Cell(raw=cleaned)
    return Cell(code, opponent, color if code in "WLD" else "")


def format_typed_cell(cell: Cell) -> str:
    """Return a cell as people type it.

    >>> [format_typed_cell(cell) for cell in (Cell("W", 12, "B"), Cell("H"), BLANK)]
    ['W12b', 'H', '']
    """
    if cell.raw:
        return cell.raw
    return f"{cell.code}{cell.opponent or ''}{cell.color.lower()}"


def format_points(cell: Cell) -> str:
    """Return the text of the cell where two players' row and column cross.

    >>> format_points(Cell("D", 4, "B")), format_points(Cell("U"))
    ('½', 'U')
    """
    return cell.raw or _POINTS_TEXTS.get(cell.code, cell.code)


# Cells and their opposites


def column_count(section: ReportedSection) -> int:
    """Return how many columns of results the section has, reported or announced."""
    return max(section.columns, min(section.rounds or 0, MAX_ROUNDS))


def has_fixed_pairings(section: ReportedSection) -> bool:
    """Return whether the pairing numbers decide the pairings."""
    numbers = [entry.pairing_number for entry in section.entries]
    return (
        section.kind_letter == ROUND_ROBIN
        and MIN_PLAYERS <= len(numbers) <= MAX_PLAYERS
        and sorted(numbers) == list(range(1, len(numbers) + 1))
    )


class GameCell(NamedTuple):
    """The position of two players' game in the first one's row."""

    place: CellPosition
    round_number: int
    color: str


def cell_for_game(section: ReportedSection, one: int, other: int) -> GameCell:
    """Return the position of the game against *other* in *one*'s row.

    A game that was played in another round than the table's stays there.
    """
    game = scheduled_game(one, other, len(section.entries))
    color = "W" if game.white == one else "B"
    if section.has_opponent_columns:
        return GameCell(CellPosition(one, other), game.round_number, color)
    column = _column_of(section, one, other) or _column_of(section, other, one)
    if column is None:
        column = _free_column(section, one, other, game.round_number)
    return GameCell(CellPosition(one, column), column, color)


def _column_of(section: ReportedSection, one: int, other: int) -> int | None:
    entry = section.entry(one)
    for column, cell in enumerate(entry.cells if entry else (), start=1):
        if cell.opponent == other:
            return column
    return None


def _free_column(section: ReportedSection, one: int, other: int, preferred: int) -> int:
    """Return the table's round, unless one of the two has another opponent then."""
    both = [entry for number in (one, other) if (entry := section.entry(number))]
    taken = {
        column
        for entry in both
        for column, cell in enumerate(entry.cells, start=1)
        if cell.opponent is not None
    }
    column = preferred if preferred not in taken else 1
    while column in taken:
        column += 1
    return column


def opponent_position(
    section: ReportedSection, place: CellPosition, cell: Cell
) -> CellPosition | None:
    """Return the opponent's position of the same game, if the cell names one."""
    if cell.opponent is None or cell.opponent == place.number:
        return None
    if section.entry(cell.opponent) is None:
        return None
    column = place.number if section.has_opponent_columns else place.column
    return CellPosition(cell.opponent, column)


def mirrored_cell(
    section: ReportedSection, place: CellPosition, cell: Cell
) -> Cell | None:
    """Return the matching cell of the opponent, if the cell determines it."""
    result = result_code(cell.code, section.codes_kind)
    if result is None or not result.mirror or result.is_asymmetric:
        return None
    if not 1 <= place.number <= MAX_PAIRING_NUMBER:
        return None  # reported, but no opponent can name it
    return Cell(result.mirror, place.number, OTHER_COLOR[cell.color])


def with_results(
    reported: ReportedEvent, number: int, typed: Mapping[CellPosition, Cell]
) -> ReportedEvent:
    """Return the report with cells of section *number* as typed, and their opposites.

    >>> from events.formats.report import format_cell
    >>> section = ReportedSection(1, entries=(ReportedEntry(1), ReportedEntry(2)))
    >>> report = ReportedEvent(sections=(section,))
    >>> report = with_results(report, 1, {CellPosition(1, 1): Cell("W", 2, "W")})
    >>> format_cell(report.sections[0].entries[1].cell(1))
    'L1B'
    """
    for place, cell in typed.items():
        reported = _with_result(reported, number, place, cell, typed)
    return reported


def _with_result(
    reported: ReportedEvent,
    number: int,
    place: CellPosition,
    cell: Cell,
    typed: Mapping[CellPosition, Cell],
) -> ReportedEvent:
    section = _section(reported, number)
    before = _cell_at(section, place)
    linked_position = _linked_position(section, place, before)
    changed = reported.with_cell(number, *place, cell)
    there = opponent_position(section, place, cell)
    answer = mirrored_cell(_section(changed, number), place, cell)
    is_moved = linked_position != there and linked_position not in typed
    if linked_position is not None and is_moved:
        changed = changed.with_cell(number, *linked_position, BLANK)
    if there is None or answer is None or there in typed:
        return changed
    if _cell_at(section, there).is_blank or there == linked_position:
        changed = changed.with_cell(number, *there, answer)
    return changed


def _linked_position(
    section: ReportedSection, place: CellPosition, cell: Cell
) -> CellPosition | None:
    """Return the opponent's position, if that cell exactly mirrors this one."""
    there = opponent_position(section, place, cell)
    if there is None:
        return None
    answer = mirrored_cell(section, place, cell)
    return there if _cell_at(section, there) == answer else None


def _cell_at(section: ReportedSection, place: CellPosition) -> Cell:
    entry = section.entry(place.number)
    return entry.cell(place.column) if entry else BLANK


def _section(reported: ReportedEvent, number: int) -> ReportedSection:
    section = reported.section(number)
    if section is None:
        raise NoSuchSection(number)
    return section


class NoSuchSection(LookupError):
    """The section has been deleted meanwhile."""


def missing_results(section: ReportedSection) -> int:
    """Return how many cells are still blank.

    >>> missing_results(ReportedSection(1, rounds=3, entries=(ReportedEntry(1),)))
    3
    """
    columns = column_count(section)
    own = section.has_opponent_columns
    return sum(
        entry.cell(column).is_blank and not (own and column == entry.pairing_number)
        for entry in section.entries
        for column in range(1, columns + 1)
    )


# Rounds


def is_last_round_empty(section: ReportedSection) -> bool:
    last = column_count(section)
    return last > 1 and all(entry.cell(last).is_blank for entry in section.entries)


def with_round(section: ReportedSection) -> ReportedSection:
    return replace(section, rounds=min(column_count(section) + 1, MAX_ROUNDS))


def without_last_round(section: ReportedSection) -> ReportedSection:
    """Remove the last round, which must be empty."""
    last = column_count(section)
    entries = tuple(
        replace(entry, cells=entry.cells[: last - 1]) for entry in section.entries
    )
    return replace(section, rounds=last - 1, entries=entries)


# Entries


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A player to add; without an ID, the name as it was typed."""

    member_id: str = ""
    name: str = ""
    state: str = ""
    rating: str = ""


def with_new_entries(
    section: ReportedSection, newcomers: Iterable[NewEntry], first_round: int = 1
) -> ReportedSection:
    """Add entries after the last pairing number, unpaired before *first_round*."""
    last = _last_number(section)
    missed = (UNPAIRED,) * (min(first_round, column_count(section)) - 1)
    added = (
        ReportedEntry(pairing_number=number, cells=missed, **asdict(one))
        for number, one in enumerate(newcomers, start=last + 1)
    )
    return _with_updated_counts(replace(section, entries=(*section.entries, *added)))


def _last_number(section: ReportedSection) -> int:
    return max((entry.pairing_number for entry in section.entries), default=0)


def _with_updated_counts(section: ReportedSection) -> ReportedSection:
    """Update the fields that depend on the number of players."""
    changes: dict[str, int] = {"last_pairing_number": _last_number(section)}
    if section.kind_letter == ROUND_ROBIN and len(section.entries) > 1:
        players = len(section.entries)
        changes["rounds"] = max(round_robin_rounds(players), section.columns)
    return replace(section, **changes)  # type: ignore[arg-type]


def has_played(section: ReportedSection, number: int) -> bool:
    """Return whether a number's entry has a result, or another's result names it."""
    return any(
        cell.opponent == number
        or (entry.pairing_number == number and not cell.is_padding)
        for entry in section.entries
        for cell in entry.cells
    )


def without_entry(
    section: ReportedSection, number: int, *, keep_numbers: bool = False
) -> ReportedSection:
    """Remove an entry without results.

    Later pairing numbers move up by one, unless the section *keep_numbers*.
    """
    by_opponents = section.has_opponent_columns
    removed_number = MAX_PAIRING_NUMBER + 1 if keep_numbers else number
    entries = []
    for entry in section.entries:
        if entry.pairing_number == number:
            continue
        cells = [_renumbered_cell(cell, removed_number) for cell in entry.cells]
        if by_opponents:
            del cells[removed_number - 1 : removed_number]
        entries.append(
            replace(
                entry,
                pairing_number=_renumbered(entry.pairing_number, removed_number),
                cells=tuple(cells),
            )
        )
    schedules = tuple(
        replace(
            one,
            entries=tuple(
                _renumbered(n, removed_number) for n in one.entries if n != number
            ),
        )
        for one in section.schedules
        if one.entries != (number,)  # without entries it would be for all players
    )
    section = replace(section, entries=tuple(entries), schedules=schedules)
    return _with_updated_counts(section)


def _renumbered(number: int, removed_number: int) -> int:
    return number - 1 if number > removed_number else number


def _renumbered_cell(cell: Cell, removed_number: int) -> Cell:
    if cell.opponent is None or cell.opponent < removed_number:
        return cell
    return replace(cell, opponent=cell.opponent - 1)


def with_unpaired_rounds(section: ReportedSection) -> ReportedSection:
    """Mark the player without a game in each round of a table with an odd number."""
    if not has_fixed_pairings(section) or section.has_opponent_columns:
        return section
    if len(section.entries) % 2 == 0:
        return section
    entries = tuple(
        _with_unpaired_round(entry, len(section.entries)) for entry in section.entries
    )
    return replace(section, entries=entries)


def _with_unpaired_round(entry: ReportedEntry, players: int) -> ReportedEntry:
    number = entry.pairing_number
    met = {
        scheduled_game(number, other, players).round_number
        for other in range(1, players + 1)
        if other != number
    }
    (idle,) = set(range(1, players + 1)) - met
    if any(not cell.is_blank for cell in entry.cells) and entry.cell(idle).is_blank:
        return entry.with_cell(idle, UNPAIRED)
    return entry


# Sections


def is_empty(section: ReportedSection) -> bool:
    """Return whether all cells of the section are blank or padding."""
    return all(cell.is_padding for entry in section.entries for cell in entry.cells)


def with_new_sections(
    reported: ReportedEvent, sections: Iterable[ReportedSection]
) -> ReportedEvent:
    """Add sections at the end, numbered on."""
    return _numbered(reported, [*reported.sections, *sections])


def without_section(reported: ReportedEvent, number: int) -> ReportedEvent:
    """Remove a section; later ones move up by one."""
    return _numbered(
        reported, [section for section in reported.sections if section.number != number]
    )


def _numbered(
    reported: ReportedEvent, sections: list[ReportedSection]
) -> ReportedEvent:
    numbered = tuple(
        replace(section, number=number)
        for number, section in enumerate(sections, start=1)
    )
    return reported.with_event(sections=numbered, total_sections=len(numbered))


def quads(newcomers: list[NewEntry]) -> Iterator[list[NewEntry]]:
    """Divide players into quads; leftover players join the last one.

    >>> [len(quad) for quad in quads([NewEntry()] * 14)]
    [4, 4, 6]
    >>> [len(quad) for quad in quads([NewEntry()] * 12)]
    [4, 4, 4]
    """
    full = max(1, len(newcomers) // QUAD_SIZE)
    for index in range(full):
        end = None if index == full - 1 else (index + 1) * QUAD_SIZE
        yield newcomers[index * QUAD_SIZE : end]
