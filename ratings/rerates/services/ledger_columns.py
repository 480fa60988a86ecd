"""The new rows of the ledger from a replay, and how its rows are stored."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from ratings.engine import ENGINE_VERSION
from ratings.engine.replay.arrays import RECORDS, Rows
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.services.players import SYSTEM_NAMES
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


@dataclass(frozen=True, slots=True)
class NewLines:
    """The *wanted* rows of a chunk as lines of the ledger.

    They get the primary keys *pks* and belong to the calculations *calculation_of*.
    *ids* are the primary keys of players, *lines* those of the lines behind all rows of
    the replay so far.
    """

    rows_of_chunk: Rows
    wanted: Sequence[int]
    pks: Sequence[int]
    calculation_of: Sequence[int]
    ids: "array[int]"
    lines: "array[int]"

    def columns(self) -> dict[str, Column]:
        """Return the columns of the ledger.

        They are copied at once, because *lines* and the rows change later.
        """
        before = select_rows(self.rows_of_chunk.previous_row, self.wanted)
        players = select_rows(self.rows_of_chunk.player, self.wanted)
        columns: dict[str, Column] = {
            "id": self.pks,
            "calculation_id": self.calculation_of,
            "player_id": array("q", map(self.ids.__getitem__, players)),
            "previous_id": array(
                "q", (self.lines[row] if row >= 0 else 0 for row in before)
            ),
        }
        for name in COPIED:
            values = select_rows(getattr(self.rows_of_chunk, name), self.wanted)
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
    ends, starts = [one.day for one in sources], [one.starts for one in sources]
    ranks = [one.rank for one in sources]
    order = (
        ends,
        ranks,
        starts,
        [one.event_id for one in sources],
        [one.number for one in sources],
    )
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
        **dict(zip(Calculation.ORDER, order, strict=True)),
        "edition": [edition] * count,
        "rules_day": starts,
        "age_day": ends,
        "engine_version": [ENGINE_VERSION] * count,
        "inputs_digest": [digest for *_, digest in calculations],
        "is_late": [0] * count,
        "is_current": [0] * count,
        "created_at": [timezone.now()] * count,
    }
