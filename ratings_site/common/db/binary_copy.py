"""Read and write rows column by column, on PostgreSQL by its binary COPY.

A column is an `array.array` or a list. Dates are ordinals (see `date.toordinal`). NULL
is NaN among floats, and 0 among integers and dates, if the column allows NULL.

The COPY page of PostgreSQL's manual describes the format: each row is a count of
fields, each field its length and its bytes, and NULL has the length -1. To write it
needs numpy, which the optional extra ``fast`` installs; without it, and on SQLite, the
same columns are written in the way of `bulk`.
"""

import math
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import DateTimeField, F, Func, IntegerField, Model

from ratings_site.common.db.bulk import Field, copy_rows, model_field

try:
    import numpy as numpy
except ImportError:  # the extra is not installed
    numpy = None  # type: ignore[assignment]

HEADER: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END: Final = b"\xff\xff"
FIRST_DATE: Final = date(2000, 1, 1).toordinal()
_COUNT, _LENGTH = 2, 4


class DictionaryColumn(NamedTuple):
    """A column of text; *places* are indexes into *words*."""

    words: Sequence[str]
    places: Any


Column = Sequence[Any] | DictionaryColumn


def is_possible() -> bool:
    """Return whether columns are written by a binary COPY."""
    return numpy is not None and connection.vendor == "postgresql"


# --- Writing ---

# Rows are in memory twice, with fixed width and packed. This batch fits into the
# processor's cache; 20,000 rows take three times as long.
ROWS_AT_A_TIME = 5_000

PackRows = Callable[[Any, Any, Any, Any], None]


def write_columns(
    model: type[Model],
    columns: Mapping[str, Column],
    *,
    table: str = "",
    pack_rows: PackRows | None = None,
) -> None:
    """Insert rows given as columns, by attribute name of the model's field.

    *table* is another table with the same columns. *pack_rows* is the compiled version
    of the function below, if available.
    """
    table = table or model._meta.db_table
    fields = [(model_field(model, name), column) for name, column in columns.items()]
    if not is_possible():
        values = [_values(field, column) for field, column in fields]
        copy_rows(model, list(columns), zip(*values, strict=True), table=table)
        return
    names = ", ".join(str(field.column) for field, _ in fields)
    packed = [_packed(field, column) for field, column in fields]
    if len({len(one.values) for one in packed}) > 1:
        raise ValueError("The columns are not of one size.")
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.write(HEADER)
        for first in range(0, len(packed[0].values), ROWS_AT_A_TIME):
            some = slice(first, first + ROWS_AT_A_TIME)
            copy.write(rows_of([one.part(some) for one in packed], pack_rows))
        copy.write(END)


def _values(field: Field, column: Column) -> Sequence[Any]:
    """Return a column as the values that `bulk` writes."""
    if isinstance(column, DictionaryColumn):
        return list(map(column.words.__getitem__, column.places))
    match field.get_internal_type():
        case "DateField":
            days = {day: date.fromordinal(day) if day else None for day in set(column)}
            return list(map(days.__getitem__, column))
        case "BigIntegerField" | "ForeignKey" if field.null:
            return [number or None for number in column]
        case "FloatField" if connection.vendor == "postgresql":
            # SQLite stores NaN as NULL.
            return [None if number != number else number for number in column]
    return column


class Packed(NamedTuple):
    """A column in the format of COPY; a length of -1 means NULL.

    *kind* is the type of the widest value. *lengths* is None if all are as wide.
    """

    kind: str
    values: Any
    lengths: Any = None

    def part(self, some: slice) -> "Packed":
        lengths = None if self.lengths is None else self.lengths[some]
        return Packed(self.kind, self.values[some], lengths)


# The formats of columns that are not text, by their types in the database.
_KINDS: Final = {
    "bigint": ">i8",
    "integer": ">i4",
    "smallint": ">i2",
    "double precision": ">f8",
    "boolean": ">i1",
    "date": ">i4",
    "timestamp with time zone": ">i8",
}


def _packed(field: Field, column: Column) -> Packed:
    if isinstance(column, DictionaryColumn):
        return pack_texts(column.words, column.places)
    kind = _KINDS.get(str(field.db_type(connection)))
    if kind is None:
        return pack_texts(map(str, column))
    if isinstance(field, DateTimeField):
        return Packed(kind, numpy.array(list(map(microseconds, column))))
    numbers = numpy.asarray(column)
    if kind == ">f8":
        return pack_numbers(kind, numbers, numpy.isnan(numbers))
    is_missing = numbers == 0 if field.null else None
    if field.get_internal_type() == "DateField":
        numbers = numbers - FIRST_DATE
    return pack_numbers(kind, numbers, is_missing)


def pack_numbers(kind: str, numbers: Any, is_missing: Any = None) -> Packed:
    if is_missing is None or not is_missing.any():
        return Packed(kind, numbers)
    width = numpy.dtype(kind).itemsize
    return Packed(kind, numbers, numpy.where(is_missing, -1, width))


def pack_texts(words: Iterable[str], places: Any = None) -> Packed:
    """Return these words, or the words at these indexes."""
    texts = [word.encode() for word in words]
    values, lengths = numpy.array(texts, "S"), numpy.array(list(map(len, texts)))
    if places is not None:
        places = numpy.asarray(places)
        values, lengths = values[places], lengths[places]
    return Packed(f"S{values.dtype.itemsize}", values, lengths)


def microseconds(moment: datetime) -> int:
    """Return an aware time as PostgreSQL stores it.

    >>> microseconds(datetime(2000, 1, 1, 0, 0, 2, 5, tzinfo=UTC))
    2000005
    """
    since = moment - datetime(2000, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def rows_of(columns: Sequence[Packed], pack_rows: PackRows | None = None) -> Any:
    """Return the rows of these columns, without the header and the end of a COPY.

    All rows are laid out with fixed width; then the padding of shorter and missing
    values is removed.
    """
    count = len(columns[0].values)
    record = numpy.dtype(
        [("count", ">i2")]
        + [
            (f"{part}{number}", kind)
            for number, column in enumerate(columns)
            for part, kind in (("length", ">i4"), ("value", column.kind))
        ]
    )
    widths = [record[f"value{number}"].itemsize for number in range(len(columns))]
    rows = numpy.empty(count, record)
    rows["count"] = len(columns)
    shorter = []
    for number, (_, values, lengths) in enumerate(columns):
        rows[f"length{number}"] = widths[number] if lengths is None else lengths
        rows[f"value{number}"] = values
        if lengths is not None and (lengths < widths[number]).any():
            shorter.append(number)
    if not shorter:
        return rows.tobytes()
    if pack_rows is not None:
        used, out = numpy.zeros(1, int), numpy.empty(rows.nbytes, numpy.uint8)
        pack_rows(rows.view(numpy.uint8), numpy.array(widths), out, used)
        return out[: used[0]].data
    block = rows.view(numpy.uint8).reshape(count, record.itemsize)
    shown = numpy.ones(block.shape, bool)
    offsets: Any = record.fields
    for number in shorter:
        at, width = offsets[f"value{number}"][1], widths[number]
        places = numpy.arange(width)
        shown[:, at : at + width] = places < columns[number].lengths[:, None]
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


# --- Reading ---

# PostgreSQL's expression for the bytes of a value, by the type of an array.
_SENT: Final = {
    "q": "int8send({})",
    "i": "int4send({}::integer)",
    "d": "float8send(coalesce({}, 'NaN'))",
}


def read_columns(
    query: str, parameters: Sequence[Any], codes: str
) -> "list[array[Any]]":
    """Return the result of a query as an array per column, of these type *codes*.

    The codes are "q", "i" and "d". Integers may not be NULL.
    """
    if connection.vendor == "postgresql":
        return _receive(query, parameters, codes)
    columns: list[array[Any]] = [array(code) for code in codes]
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        while rows := cursor.fetchmany(ROWS_AT_A_TIME):
            for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                if column.typecode == "d":
                    column.extend(math.nan if one is None else one for one in values)
                else:
                    column.extend(values)
    return columns


def _receive(query: str, values: Sequence[Any], codes: str) -> "list[array[Any]]":
    """Read the same from PostgreSQL.

    Each column is sent as one value, so that no row has to be parsed. The result can
    hold at most a gigabyte.
    """
    names = [f"column_{number}" for number in range(len(codes))]
    pieces = ", ".join(
        f"string_agg({_SENT[code].format(name)}, '')"
        for name, code in zip(names, codes, strict=True)
    )
    # Bound here: Django's debug cursor does not support parameters of a COPY.
    postgresql: Any = connection.ops
    whole = postgresql.compose_sql(query, values)
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(
            f"COPY (SELECT {pieces} FROM ({whole}) found({', '.join(names)})) "  # noqa: S608 (our own queries)
            "TO STDOUT (FORMAT BINARY)"
        ) as copy,
    ):
        row = b"".join(copy)
    columns, at = [], len(HEADER) + _COUNT
    for code in codes:
        # Without rows the value is NULL, whose length is -1.
        length = max(0, int.from_bytes(row[at : at + _LENGTH], signed=True))
        at += _LENGTH
        column = array(code, row[at : at + length])
        if sys.byteorder == "little":
            column.byteswap()
        columns.append(column)
        at += length
    if len(set(map(len, columns))) > 1:
        raise ValueError("A value is missing.")
    return columns


def ordinal(column: str) -> str:
    """Return SQL for the ordinal of a date."""
    if connection.vendor == "postgresql":
        return f"{column} - DATE '0001-01-01' + 1"
    return f"CAST(julianday({column}) - 1721424.5 AS integer)"


def word_index_sql(words: Sequence[str], column: str) -> str:
    """Return SQL for the index of a column's text in *words*, all of them ours."""
    cases = (f"WHEN '{word}' THEN {place}" for place, word in enumerate(words))
    return f"CASE {column} {' '.join(cases)} END"


def day_ordinal(name: str) -> Func:
    """Return `ordinal` for querysets."""
    template = ordinal("%(expressions)s")
    return Func(F(name), template=template, output_field=IntegerField())


def word_index(words: Sequence[str], name: str) -> Func:
    """Return `word_index_sql` for querysets."""
    template = word_index_sql(words, "%(expressions)s")
    return Func(F(name), template=template, output_field=IntegerField())


def indexed_join(table: str, alias: str, column: str, value: str) -> str:
    """Return SQL that joins a table whose *column* is *value*, by its index.

    Otherwise PostgreSQL may estimate thousands of rows of a partitioned table for each
    value, and would read and sort all of it. OFFSET 0 keeps it from that; on SQLite it
    is the order of a CROSS JOIN.
    """
    if connection.vendor == "postgresql":
        rows = f"SELECT * FROM {table} WHERE {column} = {value} OFFSET 0"  # noqa: S608 (our own names)
        return f"CROSS JOIN LATERAL ({rows}) {alias}"
    return f"CROSS JOIN {table} {alias} ON {alias}.{column} = {value}"
