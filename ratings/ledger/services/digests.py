"""Digests of the inputs of a calculation: equal digest, equal result.

The digest covers the source (a packed section, an opening entry ...), the rules, the
engine's version, and the state of each player with a line. Incremental rating reads
these from ledger lines, a replay from its columns; both give the same bytes.
"""

import hashlib
import math
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ratings.engine import ENGINE_VERSION
from ratings.engine.inputs import Record
from ratings.engine.replay.arrays import RECORDS
from ratings.engine.rules import Rules
from ratings.models import Adjustment, OpeningEntry, RatingChange

# The inputs of a line, and how each column is packed (see the module `array`).
# The peak after the line is used in place of the peak before it, which a lowered floor
# may have restarted.
COLUMNS: Final = {
    "player_id": "q",
    "pre_rating": "d",
    "pre_games": "i",
    "pre_record": "b",
    "pre_age_start": "d",
    "floor_given": "d",
    "ceiling_given": "d",
    "initial_rating": "d",
    "initial_games": "i",
    "match_net_180": "d",
    "match_net_3y": "d",
    "peak": "d",
}
RECORD_NUMBER: Final = {record: number for number, record in enumerate(RECORDS)}


def calculation_digest(
    *, source_digest: str, system: str, rules: str, columns: Iterable[Any]
) -> str:
    """Return the digest of all inputs of a calculation.

    *rules* are `named`. *columns* are the bytes of the ``COLUMNS`` in their order, one
    number per line, in the order of the section's persons; they may be joined into one
    piece.
    """
    digest = hashlib.sha256(f"{source_digest}\n{system}\n{rules}".encode())
    for column in columns:
        digest.update(column)
    return digest.hexdigest()


def named(rules: Rules) -> str:
    """Return the part of a digest that identifies rules and engine."""
    return "\n".join((rules.key, rules.digest, ENGINE_VERSION))


def gather(
    column: Any, first_row: Sequence[int], part: Sequence[int], out: Any
) -> None:
    """Copy the bytes of a column to where the digests of many calculations read them.

    In *out* each calculation has its columns one after the other. *part* holds how many
    bytes a number of this column has, how many those of the columns before it together,
    and how many all. A plain loop, made to be compiled.
    """
    size, before, width = part[0], part[1], part[2]
    for calculation in range(len(first_row) - 1):
        first, end = first_row[calculation], first_row[calculation + 1]
        at = first * width + (end - first) * before
        for byte in range(first * size, end * size):
            out[at] = column[byte]
            at += 1


def lines_digest(
    lines: Sequence[RatingChange], *, source_digest: str, system: str, rules: Rules
) -> str:
    """Return the digest for these ledger lines (unsaved or saved).

    They are in the order of the section's persons.
    """
    return calculation_digest(
        source_digest=source_digest,
        system=system,
        rules=named(rules),
        columns=[_column(lines, name, code) for name, code in COLUMNS.items()],
    )


def _column(lines: Sequence[RatingChange], name: str, code: str) -> "array[Any]":
    values = [getattr(line, name) for line in lines]
    if name == "pre_record":
        return array(code, [RECORD_NUMBER[Record(value)] for value in values])
    if code == "d":
        return array(code, [math.nan if v is None else v for v in values])
    return array(code, values)


def source_digest(kind: str, *facts: object) -> str:
    """Return the digest of a source that is not a packed section."""
    return hashlib.sha256(repr((kind, *facts)).encode()).hexdigest()


def opening_digest(entry: OpeningEntry) -> str:
    return source_digest(
        "opening",
        entry.as_of.isoformat(),
        float(entry.rating),
        entry.games,
        str(entry.record),
        entry.wins,
        entry.draws,
        entry.losses,
        entry.three_game_events,
        entry.peak,
    )


def adjustment_digest(adjustment: Adjustment) -> str:
    return source_digest(
        "adjustment",
        adjustment.day.isoformat(),
        float(adjustment.rating),
        adjustment.games,
    )
