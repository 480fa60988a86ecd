"""What came out of a variant, as bytes: four columns, one behind the other."""

import zlib
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from ratings.laboratory.history import column_bytes


class Columns(NamedTuple):
    """Predictions and ratings of each game, and the final rating of each player."""

    predictions: array
    white_ratings: array
    black_ratings: array
    final_ratings: array


def pack(columns: Sequence[array]) -> bytes:
    """Return columns as bytes, which `unpack` reads."""
    packer = zlib.compressobj(1)
    packed = [packer.compress(column_bytes("d", one)) for one in columns]
    return b"".join([*packed, packer.flush()])


def unpack(data: bytes, games: int) -> Columns:
    """Return the columns of so many *games*, unpacked one after the other."""
    unpacker = zlib.decompressobj()
    found = []
    for _column in range(3):
        if games:  # zlib takes a limit of 0 for none
            found.append(_column_of(unpacker.decompress(data, 8 * games)))
            data = unpacker.unconsumed_tail
        else:
            found.append(array("d"))
    return Columns(*found, _column_of(unpacker.decompress(data)))


def _column_of(content: bytes) -> array:
    column = array("d")
    column.frombytes(content)
    return column
