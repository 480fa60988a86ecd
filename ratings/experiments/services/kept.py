"""What came out of a variant, as bytes: four columns, one behind the other."""

import zlib
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils import timezone

from ratings.laboratory.history import column_bytes
from ratings.models import Experiment, ExperimentVariant
from ratings_site.common.database.bulk import write_bytes


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
    **packed: bytes,
) -> None:
    """Store what came out of a variant: its *predictions*, and a *replay* if it is one.

    Only the database has them then: of ten million games they are 200 megabytes.
    """
    ExperimentVariant.objects.filter(pk=variant.pk).update(
        result=result, digest=digest, finished_at=timezone.now()
    )
    write_bytes(variant, **packed)


def without_bytes(experiment: Experiment) -> list[ExperimentVariant]:
    """Return the variants in their order; reading their bytes would take seconds."""
    return list(experiment.variants.defer("predictions", "replay"))


def columns_of(variant: ExperimentVariant, games: int) -> Columns:
    """Read what `keep_outcome` has stored of so many *games*."""
    return unpack(_stored(variant, "predictions"), games)


def replay_of(variant: ExperimentVariant) -> bytes:
    """Read all else of a replay of our books."""
    return _stored(variant, "replay")


def _stored(variant: ExperimentVariant, name: str) -> bytes:
    rows = ExperimentVariant.objects.values_list(name, flat=True)
    return bytes(rows.get(pk=variant.pk))


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
