"""What came out of a variant, as bytes: four columns, one behind the other."""

import zlib
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from ratings.laboratory.history import column_bytes
from ratings.models import ExperimentVariant
from ratings_site.common.database.bulk import read_bytes, write_bytes


class Columns(NamedTuple):
    """Predictions and ratings of each game, and the final rating of each player."""

    predictions: array
    white_ratings: array
    black_ratings: array
    final_ratings: array


def keep_outcome(
    variant: ExperimentVariant,
    *,
    result: dict[str, Any],
    digest: str,
    predictions: bytes,
    replay: bytes | None = None,
) -> None:
    """Store what came out of a variant, all of it or nothing; *variant* stays as it is.

    Of ten million games it is 200 megabytes, which only the database has then.
    """
    packed = {"predictions": predictions}
    if replay is not None:
        packed["replay"] = replay
    with transaction.atomic():
        write_bytes(variant, **packed)
        ExperimentVariant.objects.filter(pk=variant.pk).update(
            result=result, digest=digest, finished_at=timezone.now()
        )


def columns_of(variant: ExperimentVariant, games: int) -> Columns:
    """Read what `keep_outcome` has stored of so many *games*."""
    return unpack(read_bytes(variant, "predictions"), games)


def replay_of(variant: ExperimentVariant) -> bytes:
    """Read all else of a replay of our books."""
    return read_bytes(variant, "replay")


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
