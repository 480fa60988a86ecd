"""The columns of the ledger's tables, and the rows of a replay as they are stored."""

from array import array
from collections.abc import Sequence
from typing import Any

from ratings.engine.replay.arrays import RECORDS, Rows
from ratings.models import Calculation, RatingChange
from ratings.rerates.services.sources import source_column
from ratings_site.common.db.binary_copy import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    Column,
    DictionaryColumn,
    NumberColumn,
    numpy,
)

_FORMULAS = [
    "none",
    RatingChange.Formula.SPECIAL.value,
    RatingChange.Formula.STANDARD.value,
    RatingChange.Formula.OPENING.value,
    RatingChange.Formula.ADJUSTMENT.value,
]
_RECORDS = [record.value for record in RECORDS]

CALCULATION_COLUMNS = (
    "id",
    "run_id",
    "system",
    *(source_column(rank) for rank in Calculation.Rank.values),
    "pass_number",
    "section_version",
    *Calculation.ORDER,
    "edition",
    "rules_day",
    "age_day",
    "engine_version",
    "inputs_digest",
    "is_late",
    "is_current",
    "created_at",
)

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
LINE_COLUMNS = ("id", "calculation_id", "player_id", "previous_id", *COPIED)
STORED_WORDS = {"pre_record": _RECORDS, "record": _RECORDS, "formula": _FORMULAS}


def line_columns(rows: Rows, wanted: Sequence[int]) -> list[list[Any]]:
    """Return the `COPIED` columns of the wanted rows as the ledger gives them back."""
    return [_stored(rows, name, wanted) for name in COPIED]


def storable_columns(rows: Rows, wanted: Sequence[int]) -> list[Sequence[Any]]:
    """Return the same to be stored: with NaN for NULL, and 1 for true."""
    return [_bare(rows, name, wanted) for name in COPIED]


def _stored(rows: Rows, name: str, wanted: Sequence[int]) -> list[Any]:
    values = _bare(rows, name, wanted)
    if name == "floor_request":
        return [number == 1 for number in values]
    if getattr(rows, name).typecode == "d":
        return [None if value != value else value for value in values]
    return list(values)


def _bare(rows: Rows, name: str, wanted: Sequence[int]) -> Sequence[Any]:
    values = select_rows(getattr(rows, name), wanted)
    if name in STORED_WORDS:
        return list(map(STORED_WORDS[name].__getitem__, values))
    return values


def pack_column(rows: Rows, name: str, wanted: Any) -> Column:
    column = getattr(rows, name)
    values = numpy.asarray(column)[wanted]
    if name in STORED_WORDS:
        return DictionaryColumn(STORED_WORDS[name], values)
    if name == "floor_request":
        return NumberColumn(BOOLEAN, values)
    return NumberColumn(DOUBLE if column.typecode == "d" else INTEGER, values)


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
