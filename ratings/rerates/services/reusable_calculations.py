"""Which calculations of the ledger a replay may keep, by their digests."""

from array import array
from collections.abc import Iterator
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from ratings.engine.replay import INTERPRETED
from ratings.ledger.services.digests import COLUMNS, calculation_digest, gather, named
from ratings.models import Calculation, Run
from ratings.rerates.services.kernel_compiler import Loop, loop_for
from ratings.rerates.services.players import SYSTEM_NAMES, SYSTEM_NUMBER
from ratings.rerates.services.replay import Chunk, History
from ratings.rerates.services.sources import source_column

Key = tuple[int, int, int]
"""Names a calculation: rank and primary key of its source, number of the system."""


class Candidate(NamedTuple):
    """A calculation that may be kept. *is_ours* if this run has written it."""

    pk: int
    digest: str
    is_ours: bool
    is_late: bool


def read_candidates(run: Run | None, from_day: date | None) -> dict[Key, Candidate]:
    """Return the calculations that may be kept: current ones, or those of the run."""
    wanted = Q(is_current=True)
    if run is not None:
        wanted |= Q(run=run, superseded_by=None)
    calculations = Calculation.objects.filter(wanted)
    if from_day is not None:
        calculations = calculations.filter(order_date__gte=from_day)
    candidates: dict[Key, Candidate] = {}
    for pk, rank, system, *sources, digest, is_current, is_late in _in_order(
        calculations
    ):
        key = (rank, sources[rank], SYSTEM_NUMBER[system])
        candidates[key] = Candidate(pk, digest, not is_current, is_late)
    return candidates


def _in_order(calculations: QuerySet[Calculation]) -> Iterator[tuple[Any, ...]]:
    """Yield current ones first, so that those of the run replace them."""
    return (
        calculations.order_by("-is_current", "pk")
        .values_list(
            "pk",
            "order_rank",
            "system",
            *(source_column(rank) for rank in Calculation.Rank.values),
            "inputs_digest",
            "is_current",
            "is_late",
        )
        .iterator(chunk_size=5000)
    )


def chunk_digests(history: History, chunk: Chunk) -> list[str]:
    """Return the digest of each calculation of the chunk."""
    rows, ids = chunk.results.rows, history.player_index.ids
    used = chunk.results.rows_used
    columns = [
        memoryview(array("q", map(ids.__getitem__, rows.player[:used]))),
        *(memoryview(getattr(rows, name)) for name in list(COLUMNS)[1:]),
    ]
    if history.kernel is INTERPRETED:
        pieces = _split(chunk, columns)
    else:
        pieces = _gathered(chunk, columns, loop_for(gather, history.kernel))
    # Many start on the same day.
    rules_of_day = cache(lambda day: named(history.rules_on(day)))
    return [
        calculation_digest(
            source_digest=source.digest,
            system=SYSTEM_NAMES[system],
            rules=rules_of_day(source.starts),
            columns=piece,
        )
        for (source, system, _, _), piece in zip(
            chunk.calculations, pieces, strict=True
        )
    ]


def _split(chunk: Chunk, columns: list[memoryview]) -> Iterator[list[memoryview]]:
    """Yield the columns of each calculation."""
    for _, _, first, end in chunk.calculations:
        yield [column[first:end] for column in columns]


def _gathered(
    chunk: Chunk, columns: list[memoryview], gather: Loop
) -> Iterator[list[memoryview]]:
    """Yield the same as one buffer for each calculation."""
    sizes = [column.itemsize for column in columns]
    width, before = sum(sizes), 0
    first_row = chunk.results.calculations.first_row
    first_row = first_row[: chunk.results.calculations_used + 1]
    gathered = bytearray(width * first_row[-1])
    for column, size in zip(columns, sizes, strict=True):
        part = array("q", [size, before, width])
        gather(column.cast("B"), first_row, part, gathered)
        before += size
    for first, end in pairwise(first_row):
        yield [memoryview(gathered)[width * first : width * end]]
