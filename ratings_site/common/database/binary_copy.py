"""Rows for PostgreSQL's binary COPY, made column by column.

Needs numpy, which is installed with the optional extra ``fast``; without it rows are
written one by one. The format is described in PostgreSQL's manual under COPY: each row
is a count of fields, each field its length and its bytes, a missing one length -1.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from django.db import connection

try:
    import numpy
except ImportError:  # the extra is not installed
    numpy = None  # type: ignore[assignment]

HEADER: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END: Final = b"\xff\xff"

BIGINT: Final = ">i8"
INTEGER: Final = ">i4"
DOUBLE: Final = ">f8"
BOOLEAN: Final = ">i1"
SMALLINT: Final = ">i2"
# Days since FIRST_DATE, and microseconds since its beginning in UTC.
DATE: Final = ">i4"
TIMESTAMP: Final = ">i8"
FIRST_DATE: Final = date(2000, 1, 1).toordinal()


class Numbers(NamedTuple):
    """A column of numbers. *kind* is the type of the table's column.

    NaN is a missing number among doubles; among whole numbers *missing* stands for it.
    """

    kind: str
    values: Any
    missing: int | None = None


class Words(NamedTuple):
    """A column of text; *values* are places in *words*."""

    words: Sequence[str]
    values: Any


def is_possible() -> bool:
    return numpy is not None and connection.vendor == "postgresql"


def copy_columns(
    table: str, names: Sequence[str], columns: Sequence[Numbers | Words]
) -> None:
    """Write rows into a table; *names* are its columns, in the order of *columns*."""
    listed = ", ".join(names)
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {table} ({listed}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.write(HEADER)
        copy.write(rows_of(columns))
        copy.write(END)


def rows_of(columns: Sequence[Numbers | Words]) -> bytes:
    """Return the rows of these columns, without the header and the end of a COPY."""
    count = len(columns[0].values)
    parts = [_count_of(columns, count), *map(_field, columns)]
    width = sum(part.shape[1] for part, _ in parts)
    block = numpy.empty((count, width), numpy.uint8)
    shown = numpy.ones((count, width), bool)
    at = 0
    for part, is_shown in parts:
        end = at + part.shape[1]
        block[:, at:end] = part
        if is_shown is not None:
            # The length of a field is always there, four bytes before its value.
            shown[:, at + 4 : end] = is_shown
        at = end
    return block[shown].tobytes()


def _count_of(columns: Sequence[Any], count: int) -> tuple[Any, None]:
    return _as_bytes(numpy.full(count, len(columns), ">i2")), None


def _field(column: Numbers | Words) -> tuple[Any, Any]:
    """Return length and value as rows of bytes, and which bytes of values are there."""
    if isinstance(column, Words):
        return _words(column)
    values = numpy.asarray(column.values)
    data = _as_bytes(values.astype(column.kind))
    width = data.shape[1]
    missing = _missing(column, values)
    if missing is None or not missing.any():
        lengths = numpy.full(len(values), width, ">i4")
        return numpy.hstack([_as_bytes(lengths), data]), None
    lengths = numpy.where(missing, -1, width).astype(">i4")
    is_shown = numpy.repeat(~missing[:, None], width, axis=1)
    return numpy.hstack([_as_bytes(lengths), data]), is_shown


def _missing(column: Numbers, values: Any) -> Any:
    if column.kind == DOUBLE:
        return numpy.isnan(values)
    return None if column.missing is None else values == column.missing


def _words(column: Words) -> tuple[Any, Any]:
    encoded = [word.encode() for word in column.words]
    width = max(map(len, encoded))
    table = numpy.frombuffer(
        b"".join(word.ljust(width) for word in encoded), numpy.uint8
    ).reshape(len(encoded), width)
    sizes = numpy.array([len(word) for word in encoded])
    values = numpy.asarray(column.values)
    lengths = sizes[values]
    is_shown = numpy.arange(width)[None, :] < lengths[:, None]
    fields = numpy.hstack([_as_bytes(lengths.astype(">i4")), table[values]])
    return fields, is_shown


def _as_bytes(values: Any) -> Any:
    return values.view(numpy.uint8).reshape(len(values), values.dtype.itemsize)
