"""Bulk writes: COPY on PostgreSQL, multi-row INSERT on SQLite. Large binary columns.

Nothing here calls ``save()`` or applies defaults: the caller provides every required
column.
"""

from __future__ import annotations

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

# Fields whose Python values both drivers accept unchanged.
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
ROWS_PER_COPY = 20_000
# More is not faster on SQLite, which before 3.32 accepts a tenth.
VALUES_PER_STATEMENT = 10_000
# Its driver looks adapters up for None and bool, which is slowest without one.
sqlite3.register_adapter(type(None), {None: None}.get)
sqlite3.register_adapter(bool, int)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause garbage collection while many rows are created.

    All of them are in use, and each collection would traverse them again.
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
    """Insert *rows* into the table of *model*; return their number.

    *columns* are attribute names of fields (``player_id`` for a foreign key), in the
    order of the values. *rows* may be a generator, which is not loaded into memory. All
    rows are inserted or none; a violated constraint raises IntegrityError.
    """
    using = router.db_for_write(model)
    connection = connections[using]
    fields = [_field(model, name) for name in columns]
    with transaction.atomic(using=using):
        if connection.vendor == "postgresql":
            return _copy(connection, model, fields, _prepared(connection, fields, rows))
        step = _rows_per_statement(connection, len(fields))
        return _insert(connection, model, fields, _values_of(rows, step))


def copy_columns(
    model: type[models.Model], columns: Sequence[str], values: Sequence[Column]
) -> int:
    """Insert rows given as columns, in which NaN means NULL.

    SQLite stores NaN as NULL, so no row has to be created in Python.
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
        step = _rows_per_statement(connection, width) * width
        pieces = (woven[first : first + step] for first in range(0, len(woven), step))
        return _insert(connection, model, fields, pieces)


def rows_of(columns: Sequence[Column]) -> Iterator[Row]:
    """Return the rows of columns in which NaN means NULL.

    >>> from array import array
    >>> list(rows_of([[1, 2], array("d", [float("nan"), 1.5])]))
    [(1, None), (2, 1.5)]
    """
    return zip(*map(_without_nan, columns), strict=True)


def _without_nan(column: Column) -> Column:
    if getattr(column, "typecode", "") != "d":
        return column
    return [None if value != value else value for value in column]


def check_foreign_keys() -> None:
    """Check deferred foreign keys now instead of at commit, on PostgreSQL.

    The caller can overlap this with other work. SQLite would scan whole tables.
    """
    if connection.vendor == "postgresql":
        connection.check_constraints()


def update_rows(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Row]
) -> None:
    """Update *columns* of many rows; the last value of each row is its primary key.

    All rows share one statement, which both drivers prepare once.
    """
    using = router.db_for_write(model)
    connection = connections[using]
    fields = [_field(model, name) for name in columns]
    quote = connection.ops.quote_name
    changes = ", ".join(f"{quote(str(field.column))} = %s" for field in fields)
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {table} SET {changes} WHERE {key} = %s",  # noqa: S608 (names of our own tables)
            list(_prepared(connection, fields, rows)),
        )


def write_bytes(row: models.Model, **columns: bytes) -> None:
    """Update large binary *columns* of a stored row with binary parameters.

    As text a value would take two characters per byte and be copied several times.
    The instance in memory does not change.
    """
    using = router.db_for_write(type(row))
    connection = connections[using]
    quote = connection.ops.quote_name
    place = _place(connection)
    fields = [_field(type(row), name) for name in columns]
    changes = ", ".join(f"{quote(str(one.column))} = {place}" for one in fields)
    table, key = quote(row._meta.db_table), quote(str(row._meta.pk.column))
    statement = f"UPDATE {table} SET {changes} WHERE {key} = {place}"  # noqa: S608 (names of our own tables)
    with transaction.atomic(using=using), _binary(connection) as cursor:
        cursor.execute(statement, [*columns.values(), row.pk])


def insert_with_bytes(model: type[models.Model], **columns: Any) -> None:
    """Insert a row with large binary columns, with binary parameters."""
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
    """Return a large binary column of a stored row, read in binary format."""
    connection = connections[router.db_for_read(type(row))]
    quote = connection.ops.quote_name
    column = quote(str(_field(type(row), name).column))
    table, key = quote(row._meta.db_table), quote(str(row._meta.pk.column))
    statement = f"SELECT {column} FROM {table} WHERE {key} = {_place(connection)}"  # noqa: S608 (names of our own tables)
    with _binary(connection) as cursor:
        cursor.execute(statement, [row.pk])
        [content] = cursor.fetchone()
    return bytes(content)


def _place(connection: BaseDatabaseWrapper) -> str:
    return "%b" if connection.vendor == "postgresql" else "%s"


@contextmanager
def _binary(connection: BaseDatabaseWrapper) -> Iterator[Any]:
    """Open a cursor that sends and returns values in binary format."""
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


def _field(model: type[models.Model], name: str) -> models.Field[Any, Any]:
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    if name not in by_name:
        raise ValueError(f"{model._meta.label} has no column {name!r}.")
    return by_name[name]


def _prepared(
    connection: BaseDatabaseWrapper,
    fields: Sequence[models.Field[Any, Any]],
    rows: Iterable[Row],
) -> Iterable[Row]:
    """Convert dates, JSON and the like to values that the driver accepts."""
    converters = _converters(connection, fields)
    if not converters:
        return rows
    return (_converted(row, converters) for row in rows)


def _converters(
    connection: BaseDatabaseWrapper, fields: Sequence[models.Field[Any, Any]]
) -> list[tuple[int, Callable[[Any], Any]]]:
    """Return converters with the indexes of the columns that need them."""
    plain: tuple[type[models.Field[Any, Any]], ...] = _PLAIN
    if connection.vendor == "postgresql":
        plain = (*plain, models.DateField)
    return [
        (place, _converter(connection, field))
        for place, field in enumerate(fields)
        if not isinstance(field, plain)
    ]


def _converter(
    connection: BaseDatabaseWrapper, field: models.Field[Any, Any]
) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        return field.get_db_prep_save(value, connection)

    # Many rows share a few dates.
    return lru_cache(convert) if isinstance(field, models.DateField) else convert


def _converted(row: Row, converters: list[tuple[int, Callable[[Any], Any]]]) -> Row:
    values = list(row)
    for place, convert in converters:
        values[place] = convert(values[place])
    return values


def _copy(
    connection: BaseDatabaseWrapper,
    model: type[models.Model],
    fields: Sequence[models.Field[Any, Any]],
    rows: Iterable[Row],
) -> int:
    table, names = _quoted(connection, model, fields)
    written = 0
    remaining = iter(rows)
    # A generator may query the database for its next row, which would deadlock with an
    # open COPY on the same connection. So each batch is read before its COPY.
    while batch := list(islice(remaining, ROWS_PER_COPY)):
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
    fields: Sequence[models.Field[Any, Any]],
    pieces: Iterable[list[Any]],
) -> int:
    """Insert many rows per statement, because each statement has a fixed cost.

    Each of the *pieces* is a flat list of the values of some rows. The driver is called
    directly, because Django processes the whole statement. INSERT OR FAIL needs no
    statement journal; the surrounding savepoint undoes a failure.
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
    """Yield flat lists of the values of *step* rows at a time."""
    remaining = iter(rows)
    while batch := list(islice(remaining, step)):
        yield list(chain.from_iterable(batch))


def _rows_per_statement(connection: BaseDatabaseWrapper, width: int) -> int:
    most: int = connection.connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    return min(VALUES_PER_STATEMENT, most) // width


def _quoted(
    connection: BaseDatabaseWrapper,
    model: type[models.Model],
    fields: Sequence[models.Field[Any, Any]],
) -> tuple[str, str]:
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(field.column)) for field in fields)
    return quote(model._meta.db_table), names


def tune_for_large_queries() -> None:
    """Tune PostgreSQL for queries over very many rows until the transaction ends.

    The default memory is meant for many small queries. Joins keep the order in which
    they are written, because new rows have no statistics yet, and sequential scans are
    preferred. SQLite needs none of it.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SET LOCAL work_mem = '256MB'; SET LOCAL join_collapse_limit = 1; "
                "SET LOCAL random_page_cost = 4"
            )


def analyze_columns(table: str, columns: Iterable[str]) -> None:
    """Update PostgreSQL's statistics of these columns, for the query planner.

    A locked table is skipped. SQLite needs none of it.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {table} ({', '.join(columns)})")


def analyze_tables(*, changed_only: bool = False) -> None:
    """Update PostgreSQL's statistics of all tables, for the query planner.

    Autovacuum does it too late after a large import: until then a list of 50,000
    members takes 7 minutes instead of 10 seconds. With *changed_only*, only unlocked
    tables are analyzed of which a third has changed since the last time. SQLite needs
    none of it.
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
