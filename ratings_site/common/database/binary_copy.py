"""Rows for PostgreSQL's binary COPY, made and read column by column.

Needs numpy, which is installed with the optional extra ``fast``; without it rows are
written one by one. The format is described in PostgreSQL's manual under COPY: each row
is a count of fields, each field its length and its bytes, a missing one length -1.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
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
# SQL for the ordinal of a date (see `date.toordinal`), an INTEGER.
ORDINAL: Final = "{} - DATE '0001-01-01' + 1"


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


class Texts(NamedTuple):
    """A column of text, each its own; nothing is missing."""

    values: Sequence[str]


Column = Numbers | Words | Texts


def microseconds(moment: datetime) -> int:
    """Return an aware time as a TIMESTAMP.

    >>> microseconds(datetime(2000, 1, 1, 0, 0, 2, 5, tzinfo=UTC))
    2000005
    """
    since = moment - datetime(2000, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def is_possible() -> bool:
    return numpy is not None and connection.vendor == "postgresql"


# All rows at once would be held twice: laid out wide, and squeezed. So few are laid out
# in memory that the processor has at hand; 20,000 take three times as long.
ROWS_AT_A_TIME = 5_000

Squeeze = Callable[[Any, Any, Any, Any], None]


def copy_columns(
    table: str,
    names: Sequence[str],
    columns: Sequence[Column],
    squeeze: Squeeze | None = None,
) -> None:
    """Write rows into a table; *names* are its columns, in the order of *columns*.

    *squeeze* is the function of this name where it has been compiled.
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
            copy.write(rows_of([_part(column, some) for column in columns], squeeze))
        copy.write(END)


def _part(column: Column, some: slice) -> Column:
    return column._replace(values=column.values[some])


def rows_of(columns: Sequence[Column], squeeze: Squeeze | None = None) -> Any:
    """Return the rows of these columns, without the header and the end of a COPY.

    All rows are laid out as wide as the widest could be; then the bytes that a shorter
    or missing value does not have are left out.
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
    if squeeze is not None:
        widths = numpy.array([record[f"value{n}"].itemsize for n in range(len(fields))])
        used, out = numpy.zeros(1, int), numpy.empty(rows.nbytes, numpy.uint8)
        squeeze(rows.view(numpy.uint8), widths, out, used)
        return out[: used[0]].data
    block = rows.view(numpy.uint8).reshape(count, record.itemsize)
    shown = numpy.ones(block.shape, bool)
    for number in shorter:
        kind, at = record.fields[f"value{number}"][:2]
        places = numpy.arange(kind.itemsize)
        shown[:, at : at + kind.itemsize] = places < fields[number].lengths[:, None]
    return block[shown].tobytes()


def squeeze(block: Any, widths: Any, out: Any, used: Any) -> None:
    """Leave out the bytes that shorter and missing values do not have.

    *block* is rows whose fields are all as wide as *widths* say, each after its length.
    A plain loop, made to be compiled: without that it takes far too long.
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
            # All up to here that has not been copied yet, in one piece.
            piece, to = block[begin : place - width + length], out[at:]
            for byte in range(len(piece)):
                to[byte] = piece[byte]
            at += len(piece)
            begin = place
    used[0] = at


# What writes a value of each kind as its bytes.
_SENT_BY: Final = {BIGINT: "int8send", INTEGER: "int4send", DOUBLE: "float8send"}


def read_arrays(
    query: str, parameters: Sequence[Any], kinds: Sequence[str]
) -> list[Any]:
    """Return what a query gives as an array for each column, quick to compute with.

    *kinds* are the types of its columns; in none of them may a value be missing. Each
    column comes in one piece, because rows would be taken apart one by one. All pieces
    together hold a gigabyte at most.
    """
    names = [f"column_{number}" for number in range(len(kinds))]
    pieces = ", ".join(
        f"string_agg({_SENT_BY[kind]}({name}), '')"
        for name, kind in zip(names, kinds, strict=True)
    )
    # Put in here: what counts queries knows no parameters of a COPY.
    whole = connection.ops.compose_sql(query, parameters)
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
        # Of no rows at all the length is -1: there is no piece.
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
    """A column as the format has it; a length of -1 is a missing value.

    *kind* is the type of the widest value. *is_shorter*: not all are as wide.
    """

    kind: str
    values: Any
    lengths: Any
    is_shorter: bool


def _field(column: Column) -> _Field:
    if isinstance(column, Words):
        return _texts([word.encode() for word in column.words], column.values)
    if isinstance(column, Texts):
        return _texts([text.encode() for text in column.values])
    values = numpy.asarray(column.values)
    width = numpy.dtype(column.kind).itemsize
    missing = _missing(column, values)
    if missing is None or not missing.any():
        return _Field(column.kind, values, width, is_shorter=False)
    lengths = numpy.where(missing, -1, width)
    return _Field(column.kind, values, lengths, is_shorter=True)


def _missing(column: Numbers, values: Any) -> Any:
    if column.kind == DOUBLE:
        return numpy.isnan(values)
    return None if column.missing is None else values == column.missing


def _texts(words: list[bytes], places: Any = None) -> _Field:
    """Return a field of these words, or of those at the *places* in them."""
    values = numpy.array(words, "S")
    lengths = numpy.array([len(word) for word in words])
    if places is not None:
        places = numpy.asarray(places)
        values, lengths = values[places], lengths[places]
    width = values.dtype.itemsize
    return _Field(f"S{width}", values, lengths, bool((lengths < width).any()))
