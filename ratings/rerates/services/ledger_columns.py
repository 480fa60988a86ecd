"""The ledger of a replay: its new rows, and the calculations that are kept."""

from array import array
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from django.db.models import Q
from django.utils import timezone

from ratings.engine import ENGINE_VERSION
from ratings.engine.replay import INTERPRETED
from ratings.engine.replay.arrays import RECORDS, Rows
from ratings.ledger.services.digests import COLUMNS, calculation_digest, gather, named
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.services.kernel_compiler import Loop, loop_for
from ratings.rerates.services.players import SYSTEM_NAMES, SYSTEM_NUMBER
from ratings.rerates.services.replay import Chunk, History
from ratings.rerates.services.sources import Source, source_column
from ratings_site.common.db.binary_copy import Column, DictionaryColumn

NEW = -1
_FORMULAS = [
    "none",
    RatingChange.Formula.SPECIAL.value,
    RatingChange.Formula.STANDARD.value,
    RatingChange.Formula.OPENING.value,
    RatingChange.Formula.ADJUSTMENT.value,
]
_RECORDS = [record.value for record in RECORDS]

# The columns of a replay that are stored unchanged, in the order of the table.
COPIED = (
    "pre_rating",
    "pre_games",
    "pre_record",
    "pre_age_start",
    "initial_rating",
    "initial_games",
    "effective_games",
    "formula",
    "half_points",
    "games",
    "expected",
    "k",
    "bonus",
    "intermediate",
    "floor_given",
    "floor_used",
    "ceiling_given",
    "ceiling_used",
    "floor_request",
    "match_net_180",
    "match_net_3y",
    "post_rating",
    "post_games",
    "record",
    "wins",
    "draws",
    "losses",
    "three_game_events",
    "peak",
    "age_start",
)
STORED_WORDS = {"pre_record": _RECORDS, "record": _RECORDS, "formula": _FORMULAS}


def line_columns(rows: Rows, wanted: Sequence[int]) -> list[list[Any]]:
    """Return the `COPIED` columns of the wanted rows as the ledger gives them back."""
    return [_stored(rows, name, wanted) for name in COPIED]


def _stored(rows: Rows, name: str, wanted: Sequence[int]) -> list[Any]:
    values = select_rows(getattr(rows, name), wanted)
    if name in STORED_WORDS:
        return list(map(STORED_WORDS[name].__getitem__, values))
    if name == "floor_request":
        return [number == 1 for number in values]
    if values.typecode == "d":
        return [None if value != value else value for value in values]
    return list(values)


def select_rows(column: "array[Any]", wanted: Sequence[int]) -> "array[Any]":
    """Return the wanted rows, each higher than the one before it.

    Nearly always they are a stretch, which is cut out at once.

    >>> column = array("i", [5, 6, 7, 8])
    >>> [list(select_rows(column, wanted)) for wanted in ([1, 2], [0, 3], [])]
    [[6, 7], [5, 8], []]
    """
    if wanted and wanted[-1] - wanted[0] == len(wanted) - 1:
        return column[wanted[0] : wanted[-1] + 1]
    return array(column.typecode, [column[row] for row in wanted])


def new_line_columns(
    rows: Rows,
    wanted: Sequence[int],
    pks: Sequence[int],
    calculation_of: Sequence[int],
    ids: "array[int]",
    lines: "array[int]",
) -> dict[str, Column]:
    """Return the *wanted* rows of a chunk as columns of the ledger.

    They get the primary keys *pks* and belong to the calculations *calculation_of*.
    *ids* are the primary keys of players, *lines* those of the lines behind all rows of
    the replay so far. All is copied at once, because *lines* and the rows change later.
    """
    before = select_rows(rows.previous_row, wanted)
    players = select_rows(rows.player, wanted)
    columns: dict[str, Column] = {
        "id": pks,
        "calculation_id": calculation_of,
        "player_id": array("q", map(ids.__getitem__, players)),
        "previous_id": array("q", (lines[row] if row >= 0 else 0 for row in before)),
    }
    for name in COPIED:
        values = select_rows(getattr(rows, name), wanted)
        words = STORED_WORDS.get(name)
        columns[name] = DictionaryColumn(words, values) if words else values
    return columns


NewCalculation = tuple[Source, int, int, int, str]
"""A calculation to write: source, system, first row and row after the last, digest."""


def calculation_columns(
    run: Run, edition: str, numbers: Sequence[int], calculations: list[NewCalculation]
) -> dict[str, Column]:
    """Return the columns of calculations of a run, with their primary keys."""
    count, sources = len(calculations), [source for source, *_ in calculations]
    # The first fields of a source are its place in rating order.
    order = {
        name: [one[at] for one in sources] for at, name in enumerate(Calculation.ORDER)
    }
    systems = [system for _, system, *_ in calculations]
    return {
        "id": numbers,
        "run_id": [run.pk] * count,
        "system": DictionaryColumn(SYSTEM_NAMES, systems),
        **{
            source_column(rank): [one.pk if one.rank == rank else 0 for one in sources]
            for rank in Calculation.Rank.values
        },
        "pass_number": [run.pass_number] * count,
        "section_version": [one.version for one in sources],
        **order,
        "edition": [edition] * count,
        "rules_day": order["order_starts"],
        "age_day": order["order_date"],
        "engine_version": [ENGINE_VERSION] * count,
        "inputs_digest": [digest for *_, digest in calculations],
        "is_late": [0] * count,
        "is_current": [0] * count,
        "created_at": [timezone.now()] * count,
    }


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
    # Current ones first, so that those of the run replace them.
    rows = calculations.order_by("-is_current", "pk").values_list(
        "pk",
        "order_rank",
        "system",
        *map(source_column, Calculation.Rank.values),
        "inputs_digest",
        "is_current",
        "is_late",
    )
    candidates: dict[Key, Candidate] = {}
    for row in rows.iterator(chunk_size=5000):
        pk, rank, system, *sources, digest, is_current, is_late = row
        key = (rank, sources[rank], SYSTEM_NUMBER[system])
        candidates[key] = Candidate(pk, digest, not is_current, is_late)
    return candidates


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
