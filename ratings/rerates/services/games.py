"""Games of packed sections, gathered and laid out together for the kernel."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from events.records.packed_section import PackedColumns, column_values
from ratings.engine.replay.arrays import Program
from ratings.engine.replay.layout import LayOut
from ratings.rerates.services.players import PlayerIndex


class Seating(NamedTuple):
    """The entry in each seat of some sections; a re-entered member is one entry.

    `entry_of_seat` and `first_entry` count over all sections, `players` has the number
    in the player index of each entry.
    """

    entry_of_seat: "array[int]"
    first_entry: "array[int]"
    players: "array[int]"


class Games:
    """Sections that wait to be laid out together; they are split, but not parsed."""

    def __init__(self) -> None:
        self._first_seat = array("i", [0])
        self._first_game = array("i", [0])
        self._players: list[bytes] = []
        self._one: list[bytes] = []
        self._other: list[bytes] = []
        self._scores: list[bytes] = []

    def add(self, section: PackedColumns) -> int:
        """Add a section and return how many seats it has."""
        seats = len(section.players) // 8
        self._first_seat.append(self._first_seat[-1] + seats)
        self._first_game.append(self._first_game[-1] + len(section.scores))
        self._players.append(section.players)
        self._one.append(section.first)
        self._other.append(section.second)
        self._scores.append(section.scores)
        return seats

    def lay_out(
        self, program: Program, player_index: PlayerIndex, lay_out: LayOut
    ) -> Seating:
        """Add entries and games to the program, which has the sections' items."""
        members = column_values(b"".join(self._players), "q")
        seated = assign_seats(members, self._first_seat, player_index)
        entries, sides = len(seated.players), 2 * self._first_game[-1]
        first_side = array("q", [0]) * (entries + 1)
        opponent = array("i", [0]) * sides
        half_points = array("b", [0]) * sides
        meetings = array("i", [0]) * entries
        lay_out(
            seated.entry_of_seat,
            self._first_seat,
            seated.first_entry,
            self._first_game,
            column_values(b"".join(self._one), "H"),
            column_values(b"".join(self._other), "H"),
            bytearray().join(self._scores),
            first_side,
            opponent,
            half_points,
            meetings,
        )
        _advance(program.items.first_entry, seated.first_entry)
        _advance(program.entries.first_game, first_side)
        program.entries.player.extend(seated.players)
        program.entries.meetings.extend(meetings)
        program.sides.opponent.extend(opponent)
        program.sides.half_points.extend(half_points)
        return seated


def _advance(column: "array[int]", places: "array[int]") -> None:
    """Extend a ``first_…`` column by one that counts from 0."""
    begin = column[-1]
    column.extend(array(column.typecode, [begin + place for place in places[1:]]))


def assign_seats(
    members: "array[int]", first_seat: Sequence[int], player_index: PlayerIndex
) -> Seating:
    """Seat members (primary keys), section by section.

    In each section the entries are in the order in which they are first seated.
    """
    owner, number = player_index.owner, player_index.number
    seated = Seating(array("i"), array("i", [0]), array("i"))
    for section in range(len(first_seat) - 1):
        begin = seated.first_entry[-1]
        persons: dict[int, int] = {}
        for member in members[first_seat[section] : first_seat[section + 1]]:
            person = number[owner.get(member, member)]
            place = persons.setdefault(person, len(persons))
            seated.entry_of_seat.append(begin + place)
        seated.players.extend(persons)
        seated.first_entry.append(begin + len(persons))
    return seated
