"""What people type into the grid, and what it makes of a section.

A game stands in two cells. Typing one fills in the other where it is empty
or has followed this one before; where it says something else, both stay, and the
findings show the contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.outcomes import (
    OTHER_COLOR,
    result_code,
)
from events.importers.records import (
    BLANK,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
)
from events.importers.round_robin import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    QUAD_SIZE,
    meeting,
    rounds_for,
)
from events.importers.tables.results import read_result

ROUND_ROBIN = "R"
UNPAIRED = Cell("U")
LONGEST_TEXT = 60

_HALVES = ("1/2", "0.5", "0,5", ".5", ",5")
_SIGN_LAST = re.compile(r"([0-9]{1,4})\s*([+=½-])", re.ASCII)
_POINTS_FIRST = re.compile(r"([10½])\s+([0-9]{1,4})\s*([WB]?)", re.ASCII)
_CODE_OF = {"1": "W", "0": "L", "½": "D"}


class Place(NamedTuple):
    """A cell of a section: the row's pairing number, and the column from 1 on."""

    number: int
    column: int


# Typed results


def read_typed(text: str) -> Cell:
    """Return the cell that somebody typed; what is no result stays as it is.

    >>> [str(read_typed(text).opponent) for text in ("w12", "12+", "1/2 5", "0 7b")]
    ['12', '12', '5', '7']
    >>> [read_typed(text).code for text in ("w12", "12+", "1/2 5", "0 7b", "h", "1/2")]
    ['W', 'W', 'D', 'L', 'H', 'H']
    >>> read_typed("beat Bob").raw
    'beat Bob'
    """
    said = plain(text)
    halved = _halved(said)
    if match := _SIGN_LAST.fullmatch(halved):
        halved = f"{match[2]}{match[1]}"
    elif match := _POINTS_FIRST.fullmatch(halved.upper()):
        halved = f"{_CODE_OF[match[1]]}{match[2]}{match[3]}"
    cell = read_result(halved)
    return Cell(raw=said) if cell.raw else cell


def plain(text: str) -> str:
    """Leave out what no cell can keep."""
    return "".join(filter(str.isprintable, text)).strip()[:LONGEST_TEXT]


def _halved(text: str) -> str:
    for half in _HALVES:
        text = text.replace(half, "½")
    return text


_SQUARE = {
    **dict.fromkeys(("1", "W"), "W"),
    **dict.fromkeys(("0", "L"), "L"),
    **dict.fromkeys(("½", "5", "D", "="), "D"),
    **dict.fromkeys(("+", "X"), "X"),
    **dict.fromkeys(("-", "F"), "F"),
    "Z": "Z",
}
_SQUARE_TEXTS = {"W": "1", "L": "0", "D": "½", "X": "+", "F": "-", "Z": "Z"}


def read_points(text: str, opponent: int, color: str) -> Cell:
    """Return the cell for what is typed where two players' row and column cross.

    >>> read_points("1", 4, "W"), read_points("+", 4, "W")
    (Cell(code='W', opponent=4, color='W', raw=''), Cell(code='X', opponent=4, color='', raw=''))
    >>> read_points(".5", 4, "B").code, read_points("?", 4, "B").raw
    ('D', '?')
    """  # noqa: E501
    said = plain(text)
    if not said:
        return BLANK
    code = _SQUARE.get(_halved(said).upper())
    if code is None:
        return Cell(raw=said)
    return Cell(code, opponent, color if code in "WLD" else "")


def show_cell(cell: Cell) -> str:
    """Return a cell as people type it.

    >>> show_cell(Cell("W", 12, "B")), show_cell(Cell("H")), show_cell(BLANK)
    ('W12b', 'H', '')
    """
    if cell.raw:
        return cell.raw
    return f"{cell.code}{cell.opponent or ''}{cell.color.lower()}"


def show_points(cell: Cell) -> str:
    """Return what stands where row and column cross.

    >>> show_points(Cell("D", 4, "B")), show_points(Cell("U"))
    ('½', 'U')
    """
    return cell.raw or _SQUARE_TEXTS.get(cell.code, cell.code)


# Cells and their opposites


def columns_in(section: ReportedSection) -> int:
    """Return how many columns of results the section has, reported or announced."""
    longest = max((len(entry.cells) for entry in section.entries), default=0)
    return max(longest, min(section.rounds or 0, MAX_ROUNDS))


def is_by_numbers(section: ReportedSection) -> bool:
    """Tell whether who meets whom follows from the pairing numbers."""
    numbers = [entry.pairing_number for entry in section.entries]
    return (
        section.kind_letter == ROUND_ROBIN
        and FEWEST_PLAYERS <= len(numbers) <= MOST_PLAYERS
        and sorted(numbers) == list(range(1, len(numbers) + 1))
    )


class Crossing(NamedTuple):
    """Where the game of two players stands in the first one's row."""

    place: Place
    round_number: int
    color: str


def crossing(section: ReportedSection, one: int, other: int) -> Crossing:
    """Return where in *one*'s row the game against *other* stands, or will stand.

    What was played in another round than the table says stays there.
    """
    game = meeting(one, other, len(section.entries))
    color = "W" if game.white == one else "B"
    if section.columns_are_opponents:
        return Crossing(Place(one, other), game.round_number, color)
    column = _column_of(section, one, other) or _column_of(section, other, one)
    if column is None:
        column = _free_column(section, one, other, game.round_number)
    return Crossing(Place(one, column), column, color)


def _column_of(section: ReportedSection, one: int, other: int) -> int | None:
    entry = section.entry(one)
    for column, cell in enumerate(entry.cells if entry else (), start=1):
        if cell.opponent == other:
            return column
    return None


def _free_column(section: ReportedSection, one: int, other: int, wanted: int) -> int:
    """Return the table's round, unless either of the two plays somebody else then."""
    both = [entry for number in (one, other) if (entry := section.entry(number))]
    taken = {
        column
        for entry in both
        for column, cell in enumerate(entry.cells, start=1)
        if cell.opponent is not None
    }
    column = wanted if wanted not in taken else 1
    while column in taken:
        column += 1
    return column


def opposite(section: ReportedSection, place: Place, cell: Cell) -> Place | None:
    """Return where the opponent reports the same game, if the cell names one."""
    if cell.opponent is None or cell.opponent == place.number:
        return None
    if section.entry(cell.opponent) is None:
        return None
    column = place.number if section.columns_are_opponents else place.column
    return Place(cell.opponent, column)


def mirrored(section: ReportedSection, place: Place, cell: Cell) -> Cell | None:
    """Return what the opponent's cell has to say, if the cell tells that."""
    result = result_code(cell.code, section.codes_kind)
    if result is None or not result.mirror or result.asymmetric:
        return None
    return Cell(result.mirror, place.number, OTHER_COLOR[cell.color])


def with_typed(
    reported: ReportedEvent, number: int, typed: Mapping[Place, Cell]
) -> ReportedEvent:
    """Return the report with cells of section *number* as typed, and their opposites.

    >>> from events.importers.records import format_cell
    >>> section = ReportedSection(1, entries=(ReportedEntry(1), ReportedEntry(2)))
    >>> report = ReportedEvent(sections=(section,))
    >>> report = with_typed(report, 1, {Place(1, 1): Cell("W", 2, "W")})
    >>> format_cell(report.sections[0].entries[1].cell(1))
    'L1B'
    """
    for place, cell in typed.items():
        reported = _with_one(reported, number, place, cell, typed)
    return reported


def _with_one(
    reported: ReportedEvent,
    number: int,
    place: Place,
    cell: Cell,
    typed: Mapping[Place, Cell],
) -> ReportedEvent:
    section = _section(reported, number)
    before = _cell_at(section, place)
    follower = _follower(section, place, before)
    changed = reported.with_cell(number, *place, cell)
    there = opposite(section, place, cell)
    answer = mirrored(_section(changed, number), place, cell)
    if follower is not None and follower != there and follower not in typed:
        changed = changed.with_cell(number, *follower, BLANK)
    if there is None or answer is None or there in typed:
        return changed
    if _cell_at(section, there).blank or there == follower:
        changed = changed.with_cell(number, *there, answer)
    return changed


def _follower(section: ReportedSection, place: Place, cell: Cell) -> Place | None:
    """Return the opponent's cell, if it says just what this one makes it say."""
    there = opposite(section, place, cell)
    if there is None:
        return None
    answer = mirrored(section, place, cell)
    return there if _cell_at(section, there) == answer else None


def _cell_at(section: ReportedSection, place: Place) -> Cell:
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
    columns = columns_in(section)
    own = section.columns_are_opponents
    return sum(
        entry.cell(column).blank and not (own and column == entry.pairing_number)
        for entry in section.entries
        for column in range(1, columns + 1)
    )


# Rounds


def last_round_is_empty(section: ReportedSection) -> bool:
    last = columns_in(section)
    return last > 1 and all(entry.cell(last).blank for entry in section.entries)


def with_round(section: ReportedSection) -> ReportedSection:
    return replace(section, rounds=min(columns_in(section) + 1, MAX_ROUNDS))


def without_last_round(section: ReportedSection) -> ReportedSection:
    """Take the last round away, which must be empty."""
    last = columns_in(section)
    entries = tuple(
        replace(entry, cells=entry.cells[: last - 1]) for entry in section.entries
    )
    return replace(section, rounds=last - 1, entries=entries)


# Entries


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Somebody to be entered; without an ID, the name as it was typed."""

    member_id: str = ""
    name: str = ""
    state: str = ""
    rating: str = ""


def with_newcomers(
    section: ReportedSection, newcomers: Iterable[Newcomer], first_round: int = 1
) -> ReportedSection:
    """Add entries after the last pairing number, unpaired before *first_round*."""
    last = _last_number(section)
    missed = (UNPAIRED,) * (min(first_round, columns_in(section)) - 1)
    entries = list(section.entries)
    for number, one in enumerate(newcomers, start=last + 1):
        entries.append(
            ReportedEntry(
                pairing_number=number,
                member_id=one.member_id,
                name=one.name,
                state=one.state,
                rating=one.rating,
                cells=missed,
            )
        )
    return _counted(replace(section, entries=tuple(entries)))


def _last_number(section: ReportedSection) -> int:
    return max((entry.pairing_number for entry in section.entries), default=0)


def _counted(section: ReportedSection) -> ReportedSection:
    """Bring up to date what follows from how many play."""
    changes: dict[str, int] = {"last_pairing_number": _last_number(section)}
    if section.kind_letter == ROUND_ROBIN and len(section.entries) > 1:
        longest = max(len(entry.cells) for entry in section.entries)
        changes["rounds"] = max(rounds_for(len(section.entries)), longest)
    return replace(section, **changes)  # type: ignore[arg-type]


def has_played(section: ReportedSection, number: int) -> bool:
    """Tell whether somebody has a result, or is named in one."""
    entry = section.entry(number)
    own = entry is not None and not all(cell.padding for cell in entry.cells)
    return own or any(
        cell.opponent == number for each in section.entries for cell in each.cells
    )


def without_entry(section: ReportedSection, number: int) -> ReportedSection:
    """Take out an entry that nobody played; later pairing numbers move up by one."""
    by_opponents = section.columns_are_opponents
    entries = []
    for entry in section.entries:
        if entry.pairing_number == number:
            continue
        cells = [_moved_cell(cell, number) for cell in entry.cells]
        if by_opponents:
            del cells[number - 1 : number]
        entries.append(
            replace(
                entry,
                pairing_number=_moved(entry.pairing_number, number),
                cells=tuple(cells),
            )
        )
    schedules = tuple(
        replace(
            one, entries=tuple(_moved(n, number) for n in one.entries if n != number)
        )
        for one in section.schedules
        if one.entries != (number,)  # without players it would be everybody's
    )
    section = replace(section, entries=tuple(entries), schedules=schedules)
    return _counted(section)


def _moved(number: int, gone: int) -> int:
    return number - 1 if number > gone else number


def _moved_cell(cell: Cell, gone: int) -> Cell:
    if cell.opponent is None or cell.opponent < gone:
        return cell
    return replace(cell, opponent=cell.opponent - 1)


def with_idle_rounds(section: ReportedSection) -> ReportedSection:
    """Mark who sits out in each round of a table with an odd number of players."""
    if not is_by_numbers(section) or section.columns_are_opponents:
        return section
    if len(section.entries) % 2 == 0:
        return section
    entries = tuple(
        _with_idle_round(entry, len(section.entries)) for entry in section.entries
    )
    return replace(section, entries=entries)


def _with_idle_round(entry: ReportedEntry, players: int) -> ReportedEntry:
    number = entry.pairing_number
    met = {
        meeting(number, other, players).round_number
        for other in range(1, players + 1)
        if other != number
    }
    (idle,) = set(range(1, players + 1)) - met
    if any(not cell.blank for cell in entry.cells) and entry.cell(idle).blank:
        return entry.with_cell(idle, UNPAIRED)
    return entry


# Sections


def is_empty(section: ReportedSection) -> bool:
    """Tell whether the section has no result that somebody would miss."""
    return all(cell.padding for entry in section.entries for cell in entry.cells)


def with_new_sections(
    reported: ReportedEvent, sections: Iterable[ReportedSection]
) -> ReportedEvent:
    """Add sections at the end, numbered on."""
    return _numbered(reported, [*reported.sections, *sections])


def without_section(reported: ReportedEvent, number: int) -> ReportedEvent:
    """Take out a section; later ones move up by one."""
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


def quads(newcomers: list[Newcomer]) -> Iterator[list[Newcomer]]:
    """Divide players into quads; who is left over plays in the last one.

    >>> [len(quad) for quad in quads([Newcomer()] * 14)]
    [4, 4, 6]
    >>> [len(quad) for quad in quads([Newcomer()] * 12)]
    [4, 4, 4]
    """
    full = max(1, len(newcomers) // QUAD_SIZE)
    for index in range(full):
        end = None if index == full - 1 else (index + 1) * QUAD_SIZE
        yield newcomers[index * QUAD_SIZE : end]
