"""Many rows at once: COPY on PostgreSQL, rows by the hundred on SQLite. Large bytes.

Nothing here calls ``save()`` or fills in defaults: the caller gives every column that
the table insists on.
"""

import gc
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from django.db import connection, connections, models, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import Cursor
from psycopg.pq import Format

# Their Python values are what both drivers take as they are.
_PLAIN = (
    models.IntegerField,
    models.FloatField,
    models.CharField,
    models.TextField,
    models.BooleanField,
    models.ForeignKey,
)

Row = Sequence[Any]
Column = Sequence[Any]
ROWS_A_COPY = 20_000
# SQLite gains nothing by more; before 3.32 it takes a tenth.
VALUES_A_STATEMENT = 10_000
# Its driver looks for what to adapt None and truth by, and longest where there is
# nothing.
sqlite3.register_adapter(type(None), {None: None}.get)
sqlite3.register_adapter(bool, int)


@contextmanager
def uncollected() -> Iterator[None]:
    """Let Python not look for garbage while many rows are made: all of them are in use.

    It would go through each again and again. Garbage in rings stays until the end.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def copy_rows(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Row]
) -> int:
    """Insert *rows* into the table of *model*; return how many there were.

    *columns* are names of fields (``player_id`` for a foreign key), in the order of
    the values. *rows* may be a generator: it is not held in memory. All of them go in,
    or none: what the database refuses is raised as an IntegrityError.
    """
    using = router.db_for_write(model)
    connection = connections[using]
    fields = [_field(model, name) for name in columns]
    with transaction.atomic(using=using):
        if connection.vendor == "postgresql":
            return _copy(connection, model, fields, _prepared(connection, fields, rows))
        step = _rows_a_statement(connection, len(fields))
        return _insert(connection, model, fields, _values_of(rows, step))


def copy_columns(
    model: type[models.Model], columns: Sequence[str], values: Sequence[Column]
) -> int:
    """Do the same with the values of each column; NaN stands for none.

    SQLite stores NaN as NULL by itself, and no row need be made for it.
    """
    using = router.db_for_write(model)
    connection = connections[using]
    if connection.vendor == "postgresql":
        return copy_rows(model, columns, rows_of(values))
    fields = [_field(model, name) for name in columns]
    width, rows = len(columns), len(values[0])
    woven: list[Any] = [None] * (width * rows)
    for place, column in enumerate(values):
        woven[place::width] = column
    with transaction.atomic(using=using):
        step = _rows_a_statement(connection, width) * width
        pieces = (woven[first : first + step] for first in range(0, len(woven), step))
        return _insert(connection, model, fields, pieces)


def rows_of(columns: Sequence[Column]) -> Iterator[Row]:
    """Return the rows of columns in which NaN stands for none.

    >>> from array import array
    >>> list(rows_of([[1, 2], array("d", [float("nan"), 1.5])]))
    [(1, None), (2, 1.5)]
    """
    return zip(*map(_without_nan, columns), strict=True)


def _without_nan(column: Column) -> Column:
    if getattr(column, "typecode", "") != "d":
        return column
    return [None if value != value else value for value in column]


def check_keys() -> None:
    """Let PostgreSQL see now, not at the end, that what new rows point to exists.

    A thread can do other work meanwhile. SQLite would read whole tables for it.
    """
    if connection.vendor == "postgresql":
        connection.check_constraints()


def update_rows(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Row]
) -> None:
    """Write *columns* of many rows at once; the last value of each is its ID.

    The statement is the same for all, so both drivers prepare it once.
    """
    using = router.db_for_write(model)
    connection = connections[using]
    fields = [_field(model, name) for name in columns]
    quote = connection.ops.quote_name
    changes = ", ".join(f"{quote(field.column)} = %s" for field in fields)
    table, key = quote(model._meta.db_table), quote(model._meta.pk.column)
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {table} SET {changes} WHERE {key} = %s",  # noqa: S608 (names of our own tables)
            list(_prepared(connection, fields, rows)),
        )


def write_bytes(row: models.Model, **columns: bytes) -> None:
    """Write large *columns* of a stored row, byte for byte.

    A statement in SQL would have them as text, two letters for each byte, and be there
    several times before it is sent. The row in memory stays as it is.
    """
    using = router.db_for_write(type(row))
    connection = connections[using]
    quote = connection.ops.quote_name
    place = _place(connection)
    fields = [_field(type(row), name) for name in columns]
    changes = ", ".join(f"{quote(one.column)} = {place}" for one in fields)
    table, key = quote(row._meta.db_table), quote(row._meta.pk.column)
    statement = f"UPDATE {table} SET {changes} WHERE {key} = {place}"  # noqa: S608 (names of our own tables)
    with transaction.atomic(using=using), _binary(connection) as cursor:
        cursor.execute(statement, [*columns.values(), row.pk])


def insert_with_bytes(model: type[models.Model], **columns: Any) -> None:
    """Insert a row of which some columns are large bytes, in the same way."""
    using = router.db_for_write(model)
    connection = connections[using]
    fields = [_field(model, name) for name in columns]
    table, names = _quoted(connection, model, fields)
    places = ", ".join([_place(connection)] * len(fields))
    with transaction.atomic(using=using), _binary(connection) as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({names}) VALUES ({places})",  # noqa: S608 (names of our own tables)
            list(columns.values()),
        )


def read_bytes(row: models.Model, name: str) -> bytes:
    """Read a large column of a stored row, without the text that it would be in SQL."""
    connection = connections[router.db_for_read(type(row))]
    quote = connection.ops.quote_name
    column = quote(_field(type(row), name).column)
    table, key = quote(row._meta.db_table), quote(row._meta.pk.column)
    statement = f"SELECT {column} FROM {table} WHERE {key} = {_place(connection)}"  # noqa: S608 (names of our own tables)
    with _binary(connection) as cursor:
        cursor.execute(statement, [row.pk])
        [content] = cursor.fetchone()
    return bytes(content)


def _place(connection: BaseDatabaseWrapper) -> str:
    return "%b" if connection.vendor == "postgresql" else "%s"


@contextmanager
def _binary(connection: BaseDatabaseWrapper) -> Iterator[Any]:
    """Open a cursor to which values go, and from which they come, as they are."""
    if connection.vendor != "postgresql":
        with connection.cursor() as cursor:
            yield cursor
        return
    connection.ensure_connection()
    with (
        connection.wrap_database_errors,
        Cursor(connection.connection) as cursor,
    ):
        cursor.format = Format.BINARY
        yield cursor


def _field(model: type[models.Model], name: str) -> models.Field:
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    if name not in by_name:
        raise ValueError(f"{model._meta.label} has no column {name!r}.")
    return by_name[name]


def _prepared(
    connection: BaseDatabaseWrapper,
    fields: Sequence[models.Field],
    rows: Iterable[Row],
) -> Iterable[Row]:
    """Turn dates, documents and the like into what the driver takes."""
    converters = _converters(connection, fields)
    if not converters:
        return rows
    return (_converted(row, converters) for row in rows)


def _converters(
    connection: BaseDatabaseWrapper, fields: Sequence[models.Field]
) -> list[tuple[int, Callable[[Any], Any]]]:
    """Return what turns values, and the places of those that need it."""
    plain = _PLAIN
    if connection.vendor == "postgresql":
        plain = (*plain, models.DateField)
    return [
        (place, _converter(connection, field))
        for place, field in enumerate(fields)
        if not isinstance(field, plain)
    ]


def _converter(
    connection: BaseDatabaseWrapper, field: models.Field
) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        return field.get_db_prep_save(value, connection)

    # Many rows are of the same few days.
    return lru_cache(convert) if isinstance(field, models.DateField) else convert


def _converted(row: Row, converters: list[tuple[int, Callable[[Any], Any]]]) -> Row:
    values = list(row)
    for place, convert in converters:
        values[place] = convert(values[place])
    return values


def _copy(
    connection: BaseDatabaseWrapper,
    model: type[models.Model],
    fields: Sequence[models.Field],
    rows: Iterable[Row],
) -> int:
    table, names = _quoted(connection, model, fields)
    written = 0
    remaining = iter(rows)
    # A generator may ask the database for its next row, which waits for ever while a
    # COPY is open on the same connection. So rows are taken before each COPY begins.
    while batch := list(islice(remaining, ROWS_A_COPY)):
        with (
            connection.cursor() as cursor,
            connection.wrap_database_errors,
            cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
        ):
            for row in batch:
                copy.write_row(row)
        written += len(batch)
    return written


def _insert(
    connection: BaseDatabaseWrapper,
    model: type[models.Model],
    fields: Sequence[models.Field],
    pieces: Iterable[list[Any]],
) -> int:
    """Insert many rows by each statement, which has costs that do not grow with them.

    Each of the *pieces* holds the values of some rows, one after the other. The driver
    is asked itself: what Django does with a statement grows with its length. And what
    fails is undone with the savepoint around, so no statement copies pages for that.
    """
    table, names = _quoted(connection, model, fields)
    width = len(fields)
    row = f"({', '.join('?' * width)})"
    converters = _converters(connection, fields)
    written = 0
    for values in pieces:
        for place, convert in converters:
            values[place::width] = map(convert, values[place::width])
        rows = len(values) // width
        with connection.wrap_database_errors:
            connection.connection.execute(
                f"INSERT OR FAIL INTO {table} ({names}) "  # noqa: S608 (names of our own tables)
                f"VALUES {', '.join([row] * rows)}",
                values,
            )
        written += rows
    return written


def _values_of(rows: Iterable[Row], step: int) -> Iterator[list[Any]]:
    """Yield the values of so many rows at a time, one after the other."""
    remaining = iter(rows)
    while batch := list(islice(remaining, step)):
        yield list(chain.from_iterable(batch))


def _rows_a_statement(connection: BaseDatabaseWrapper, width: int) -> int:
    most = connection.connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    return min(VALUES_A_STATEMENT, most) // width


def _quoted(
    connection: BaseDatabaseWrapper,
    model: type[models.Model],
    fields: Sequence[models.Field],
) -> tuple[str, str]:
    quote = connection.ops.quote_name
    names = ", ".join(quote(field.column) for field in fields)
    return quote(model._meta.db_table), names


def take_room_for_sums() -> None:
    """Let queries over very many rows work in memory until the transaction ends.

    PostgreSQL's default is meant for many small queries at once. And it joins tables as
    they are written from here on: of rows that were written a moment ago it has no
    statistics to choose by, and whole tables are better read through than row by row.
    Nothing happens on SQLite.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SET LOCAL work_mem = '256MB'; SET LOCAL join_collapse_limit = 1; "
                "SET LOCAL random_page_cost = 4"
            )


def look_at_columns(table: str, columns: Iterable[str]) -> None:
    """Let PostgreSQL count what these columns hold: by that it chooses its ways.

    It passes over a table that somebody keeps. SQLite needs none of it.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {table} ({', '.join(columns)})")


def look_at_tables(*, changed_only: bool = False) -> None:
    """Let PostgreSQL count what its tables hold, by which it chooses its ways.

    It does so by itself, but some time after very many rows have come; until then a
    list of 50,000 members takes 7 minutes and not 10 seconds. With *changed_only* it
    counts those tables only of which a third has changed since it last did, and which
    nobody keeps. SQLite needs none of it.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        if not changed_only:
            cursor.execute("ANALYZE")
            return
        cursor.execute(
            "SELECT format('%I', relname) FROM pg_stat_user_tables "
            "WHERE schemaname = current_schema() "
            "AND n_mod_since_analyze > 1000 + n_live_tup / 3"
        )
        if changed := [table for (table,) in cursor]:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {', '.join(changed)}")
