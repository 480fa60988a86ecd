"""PostgreSQL's binary COPY, written and read column by column.

Needs numpy, which the optional extra ``fast`` installs; without it rows are written
one by one. The COPY page of PostgreSQL's manual describes the format: each row is a
count of fields, each field its length and its bytes, and NULL has the length -1.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, NamedTuple

from django.db import connection

try:
    import numpy as numpy
except ImportError:  # the extra is not installed
    numpy = None  # type: ignore[assignment]

HEADER: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END: Final = b"\xff\xff"

BIGINT: Final = ">i8"
INTEGER: Final = ">i4"
DOUBLE: Final = ">f8"
BOOLEAN: Final = ">i1"
SMALLINT: Final = ">i2"
# Days since FIRST_DATE, and microseconds since its midnight in UTC.
DATE: Final = ">i4"
TIMESTAMP: Final = ">i8"
FIRST_DATE: Final = date(2000, 1, 1).toordinal()
# SQL for the ordinal of a date (see `date.toordinal`), an INTEGER.
ORDINAL: Final = "{} - DATE '0001-01-01' + 1"


class NumberColumn(NamedTuple):
    """A column of numbers. *kind* is the type of the table's column.

    NaN means NULL among doubles; among integers *missing* does.
    """

    kind: str
    values: Any
    missing: int | None = None


class DictionaryColumn(NamedTuple):
    """A column of text; *values* are indexes into *words*."""

    words: Sequence[str]
    values: Any


class TextColumn(NamedTuple):
    """A column of text without NULL."""

    values: Sequence[str]


Column = NumberColumn | DictionaryColumn | TextColumn


def microseconds(moment: datetime) -> int:
    """Return an aware time as a TIMESTAMP.

    >>> microseconds(datetime(2000, 1, 1, 0, 0, 2, 5, tzinfo=UTC))
    2000005
    """
    since = moment - datetime(2000, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def is_possible() -> bool:
    return numpy is not None and connection.vendor == "postgresql"


# Rows are in memory twice, with fixed width and packed. This batch fits into the
# processor's cache; 20,000 rows take three times as long.
ROWS_AT_A_TIME = 5_000

PackRows = Callable[[Any, Any, Any, Any], None]


def copy_columns(
    table: str,
    names: Sequence[str],
    columns: Sequence[Column],
    pack_rows: PackRows | None = None,
) -> None:
    """Write rows into a table; *names* are its columns, in the order of *columns*.

    *pack_rows* is the compiled version of the function below, if available.
    """
    listed = ", ".join(names)
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {table} ({listed}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.write(HEADER)
        for first in range(0, len(columns[0].values), ROWS_AT_A_TIME):
            some = slice(first, first + ROWS_AT_A_TIME)
            copy.write(rows_of([_part(column, some) for column in columns], pack_rows))
        copy.write(END)


def _part(column: Column, some: slice) -> Column:
    return column._replace(values=column.values[some])


def rows_of(columns: Sequence[Column], pack_rows: PackRows | None = None) -> Any:
    """Return the rows of these columns, without the header and the end of a COPY.

    All rows are laid out with fixed width; then the padding of shorter and missing
    values is removed.
    """
    count = len(columns[0].values)
    fields = [_field(column) for column in columns]
    record = numpy.dtype(
        [("count", ">i2")]
        + [
            (f"{part}{number}", kind)
            for number, field in enumerate(fields)
            for part, kind in (("length", ">i4"), ("value", field.kind))
        ]
    )
    rows = numpy.empty(count, record)
    rows["count"] = len(columns)
    for number, field in enumerate(fields):
        rows[f"length{number}"] = field.lengths
        rows[f"value{number}"] = field.values
    shorter = [number for number, field in enumerate(fields) if field.is_shorter]
    if not shorter:
        return rows.tobytes()
    if pack_rows is not None:
        widths = numpy.array([record[f"value{n}"].itemsize for n in range(len(fields))])
        used, out = numpy.zeros(1, int), numpy.empty(rows.nbytes, numpy.uint8)
        pack_rows(rows.view(numpy.uint8), widths, out, used)
        return out[: used[0]].data
    block = rows.view(numpy.uint8).reshape(count, record.itemsize)
    shown = numpy.ones(block.shape, bool)
    offsets: Any = record.fields
    for number in shorter:
        kind, at = offsets[f"value{number}"][:2]
        places = numpy.arange(kind.itemsize)
        shown[:, at : at + kind.itemsize] = places < fields[number].lengths[:, None]
    return block[shown].tobytes()


def pack_rows(block: Any, widths: Any, out: Any, used: Any) -> None:
    """Remove the padding of shorter and missing values.

    *block* holds rows whose fields are as wide as *widths* say, each after its length.
    A plain loop to be compiled; without that it is far too slow.
    """
    row_width = 2
    for width in widths:
        row_width += 4 + width
    at = 0
    for row in range(len(block) // row_width):
        begin = row * row_width
        place = begin + 2
        for number, width in enumerate(widths):
            # A length is below 65,536, or -1, whose four bytes are all 255.
            length = 256 * int(block[place + 2]) + int(block[place + 3])
            if block[place] == 255:
                length = 0
            place += 4 + width
            if length == width and number < len(widths) - 1:
                continue
            # Copy all bytes since the last padding in one slice.
            piece, to = block[begin : place - width + length], out[at:]
            for byte in range(len(piece)):
                to[byte] = piece[byte]
            at += len(piece)
            begin = place
    used[0] = at


# PostgreSQL's function that returns the bytes of a value, by type.
_SEND_FUNCTIONS: Final = {BIGINT: "int8send", INTEGER: "int4send", DOUBLE: "float8send"}


def read_arrays(
    query: str, parameters: Sequence[Any], kinds: Sequence[str]
) -> list[Any]:
    """Return the result of a query as one numpy array per column.

    *kinds* are the types of its columns, which may not hold NULL. Each column is sent
    as one value, so that no row has to be parsed. The result can hold at most a
    gigabyte.
    """
    names = [f"column_{number}" for number in range(len(kinds))]
    pieces = ", ".join(
        f"string_agg({_SEND_FUNCTIONS[kind]}({name}), '')"
        for name, kind in zip(names, kinds, strict=True)
    )
    # Bound here: Django's debug cursor does not support parameters of a COPY.
    postgresql: Any = connection.ops
    whole = postgresql.compose_sql(query, parameters)
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(
            f"COPY (SELECT {pieces} FROM ({whole}) found({', '.join(names)})) "  # noqa: S608 (our own queries)
            "TO STDOUT (FORMAT BINARY)"
        ) as copy,
    ):
        row = b"".join(copy)
    arrays, at = [], len(HEADER) + _COUNT
    for kind in kinds:
        # Without rows the value is NULL, whose length is -1.
        length = max(0, int.from_bytes(row[at : at + _LENGTH], signed=True))
        at += _LENGTH
        piece = numpy.frombuffer(row[at : at + length], kind)
        arrays.append(piece.astype(piece.dtype.newbyteorder("=")))
        at += length
    if len({len(array) for array in arrays}) > 1:
        raise ValueError("A value is missing.")
    return arrays


_COUNT, _LENGTH = 2, 4


class _Field(NamedTuple):
    """A column in the format of COPY; a length of -1 means NULL.

    *kind* is the type of the widest value. *is_shorter*: some values are shorter.
    """

    kind: str
    values: Any
    lengths: Any
    is_shorter: bool


def _field(column: Column) -> _Field:
    if isinstance(column, DictionaryColumn):
        return _texts([word.encode() for word in column.words], column.values)
    if isinstance(column, TextColumn):
        return _texts([text.encode() for text in column.values])
    values = numpy.asarray(column.values)
    width = numpy.dtype(column.kind).itemsize
    missing = _missing(column, values)
    if missing is None or not missing.any():
        return _Field(column.kind, values, width, is_shorter=False)
    lengths = numpy.where(missing, -1, width)
    return _Field(column.kind, values, lengths, is_shorter=True)


def _missing(column: NumberColumn, values: Any) -> Any:
    if column.kind == DOUBLE:
        return numpy.isnan(values)
    return None if column.missing is None else values == column.missing


def _texts(words: list[bytes], places: Any = None) -> _Field:
    """Return a field of these words, or of the words at these indexes."""
    values = numpy.array(words, "S")
    lengths = numpy.array([len(word) for word in words])
    if places is not None:
        places = numpy.asarray(places)
        values, lengths = values[places], lengths[places]
    width = values.dtype.itemsize
    return _Field(f"S{width}", values, lengths, bool((lengths < width).any()))
