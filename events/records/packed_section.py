"""A section in packed form: the input of replays, ten times faster than rows.

The bytes hold only the facts that decide a section's ratings: kind, dates, time
control, the member of each pairing number, and the games. Little-endian, no padding:

    version   1 byte
    kind      1 byte, position in ``KINDS``
    online    1 byte
    starts    4 bytes, day number (``date.toordinal``)
    ends      4 bytes
    entries   2 bytes, their number n
    games     4 bytes, their number g
    control   1 byte, the length of the time control's text
    text      the time control, UTF-8
    players   n times 8 bytes: the member of each pairing number, in order
    first     g times 2 bytes: the entry (0 to n − 1) on the first side of each game
    second    g times 2 bytes: the entry on the opponent
    scores    g times 1 byte: half points of the first side × 3 + those of the other
"""

import hashlib
import struct
import sys
from array import array
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

LAYOUT = 1
KINDS = ("swiss", "double_swiss", "round_robin", "double_round_robin", "match", "other")
_HEAD = struct.Struct("<BBBiiHIB")
# The number of entries alone.
_ENTRIES = struct.Struct("<11xH")


@dataclass(frozen=True, slots=True)
class UnpackedSection:
    """An unpacked section. *first* and *second* are positions in *players*.

    *players* has one member (primary key) per pairing number; a re-entered member is
    there twice. *scores* are half points of both sides, as ``3 × a + b``.
    """

    kind: str
    is_online: bool
    starts: date
    ends: date
    time_control: str
    players: "array[int]"
    first: "array[int]"
    second: "array[int]"
    scores: bytes


def pack(section: UnpackedSection) -> bytes:
    """Return the bytes of a section; equal sections give equal bytes."""
    control = section.time_control.encode()
    head = _HEAD.pack(
        LAYOUT,
        KINDS.index(section.kind),
        section.is_online,
        section.starts.toordinal(),
        section.ends.toordinal(),
        len(section.players),
        len(section.first),
        len(control),
    )
    columns = (section.players, section.first, section.second)
    return b"".join(
        [head, control, *(_little_endian(c).tobytes() for c in columns), section.scores]
    )


class PackedColumns(NamedTuple):
    """A packed section in slices; the columns are still bytes."""

    kind: str
    is_online: bool
    starts: int
    ends: int
    time_control: str
    players: bytes
    first: bytes
    second: bytes
    scores: bytes


def split_columns(data: bytes) -> PackedColumns:
    """Slice the output of ``pack``. Raise ValueError for anything else."""
    try:
        layout, kind, online, starts, ends, entries, games, length = _HEAD.unpack_from(
            data
        )
    except struct.error as error:
        raise ValueError("A packed section is cut off.") from error
    if layout != LAYOUT:
        raise ValueError(f"Packed sections of layout {layout} are not known here.")
    players = _HEAD.size + length
    first = players + 8 * entries
    second = first + 2 * games
    scores = second + 2 * games
    if len(data) != scores + games:
        raise ValueError(
            f"A packed section has {len(data)} bytes, not {scores + games}."
        )
    return PackedColumns(
        KINDS[kind],
        bool(online),
        starts,
        ends,
        data[_HEAD.size : players].decode(),
        data[players:first],
        data[first:second],
        data[second:scores],
        data[scores:],
    )


def unpack(data: bytes | memoryview) -> UnpackedSection:
    """Read the output of ``pack``. Raise ValueError for anything else."""
    slices = split_columns(bytes(data))
    return UnpackedSection(
        kind=slices.kind,
        is_online=slices.is_online,
        starts=date.fromordinal(slices.starts),
        ends=date.fromordinal(slices.ends),
        time_control=slices.time_control,
        players=column_values(slices.players, "q"),
        first=column_values(slices.first, "H"),
        second=column_values(slices.second, "H"),
        scores=slices.scores,
    )


def column_values(data: bytes, code: str) -> "array[int]":
    """Return the numbers of a column, or of several concatenated ones."""
    column = array(code)
    column.frombytes(data)
    return _little_endian(column)


def packed_players(data: bytes) -> "array[int]":
    """Return the members by pairing number without unpacking the rest."""
    entries, length = _ENTRIES.unpack_from(data)[0], data[_HEAD.size - 1]
    at = _HEAD.size + length
    return column_values(data[at : at + 8 * entries], "q")


def digest_of(data: bytes) -> str:
    """Return the digest of a packed section."""
    return hashlib.sha256(data).hexdigest()


def _little_endian(column: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column
