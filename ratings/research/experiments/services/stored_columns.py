"""The output of a variant as bytes: four columns, one after the other."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from ratings.laboratory.history import column_bytes
from ratings.models import ExperimentVariant
from ratings_site.common.db.bulk import read_bytes, write_bytes


class Columns(NamedTuple):
    """Predictions and ratings of each game, and the final rating of each player."""

    predictions: array[float]
    white_ratings: array[float]
    black_ratings: array[float]
    final_ratings: array[float]


def save_outcome(
    variant: ExperimentVariant,
    *,
    result: dict[str, Any],
    digest: str,
    predictions: bytes,
    replay: bytes | None = None,
) -> None:
    """Store the output of a variant, all of it or nothing; *variant* is not changed.

    For ten million games that is 200 megabytes, which only the database keeps.
    """
    packed = {"predictions": predictions}
    if replay is not None:
        packed["replay"] = replay
    with transaction.atomic():
        write_bytes(variant, **packed)
        ExperimentVariant.objects.filter(pk=variant.pk).update(
            result=result, digest=digest, finished_at=timezone.now()
        )


def load_columns(variant: ExperimentVariant, games: int) -> Columns:
    """Read the columns that `save_outcome` stored, of so many *games*."""
    return unpack(read_bytes(variant, "predictions"), games)


def load_replay(variant: ExperimentVariant) -> bytes:
    """Read the rest of a replay of our ledger."""
    return read_bytes(variant, "replay")


def pack(columns: Sequence[array[float]]) -> bytes:
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
    return Columns._make([*found, _column_of(unpacker.decompress(data))])


def _column_of(content: bytes) -> array[float]:
    column = array("d")
    column.frombytes(content)
    return column
