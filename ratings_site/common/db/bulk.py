"""Bulk writes: COPY on PostgreSQL, multi-row INSERT on SQLite. Large binary columns.

Nothing here calls ``save()`` or applies defaults: the caller provides every required
column.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from itertools import chain, islice
from typing import Any, TypeAlias

from django.db import connection, models, transaction
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

Field: TypeAlias = "models.Field[Any, Any]"
Row = Sequence[Any]
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
    model: type[models.Model],
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    table: str = "",
) -> int:
    """Insert *rows* into the table of *model*; return their number.

    *columns* are attribute names of fields (``player_id`` for a foreign key), in the
    order of the values. *rows* may be a generator, which is not loaded into memory. All
    rows are inserted or none; a violated constraint raises IntegrityError. *table* is
    another table with the same columns.
    """
    fields = [model_field(model, name) for name in columns]
    into = _into(table or model._meta.db_table, fields)
    with transaction.atomic():
        if connection.vendor == "postgresql":
            return _copy(into, _prepared(fields, rows))
        return _insert(into, fields, _values_of(rows, _rows_per_statement(len(fields))))


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
    fields = [model_field(model, name) for name in columns]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(_update(model, fields, "%s"), list(_prepared(fields, rows)))


def write_bytes(row: models.Model, **columns: bytes) -> None:
    """Update large binary *columns* of a stored row with binary parameters.

    As text a value would take two characters per byte and be copied several times.
    The instance in memory does not change.
    """
    fields = [model_field(type(row), name) for name in columns]
    statement = _update(type(row), fields, _place())
    with transaction.atomic(), _binary() as cursor:
        cursor.execute(statement, [*columns.values(), row.pk])


def insert_with_bytes(model: type[models.Model], **columns: Any) -> None:
    """Insert a row with large binary columns, with binary parameters."""
    into = _into(model._meta.db_table, [model_field(model, name) for name in columns])
    places = ", ".join([_place()] * len(columns))
    moments = connection.ops.adapt_datetimefield_value
    values = [moments(v) if isinstance(v, datetime) else v for v in columns.values()]
    with transaction.atomic(), _binary() as cursor:
        cursor.execute(
            f"INSERT INTO {into} VALUES ({places})",  # noqa: S608 (names of our own tables)
            values,
        )


def read_bytes(row: models.Model, name: str) -> bytes:
    """Return a large binary column of a stored row, read in binary format."""
    quote = connection.ops.quote_name
    column = quote(str(model_field(type(row), name).column))
    table, key = quote(row._meta.db_table), quote(str(row._meta.pk.column))
    statement = f"SELECT {column} FROM {table} WHERE {key} = {_place()}"  # noqa: S608 (names of our own tables)
    with _binary() as cursor:
        cursor.execute(statement, [row.pk])
        [content] = cursor.fetchone()
    return bytes(content)


def _place() -> str:
    return "%b" if connection.vendor == "postgresql" else "%s"


@contextmanager
def _binary() -> Iterator[Any]:
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


def model_field(model: type[models.Model], name: str) -> Field:
    """Return the field with this attribute name."""
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    if name not in by_name:
        raise ValueError(f"{model._meta.label} has no column {name!r}.")
    return by_name[name]


def _into(table: str, fields: Sequence[Field]) -> str:
    """Return a table and its columns, quoted."""
    quote = connection.ops.quote_name
    return f"{quote(table)} ({', '.join(quote(str(one.column)) for one in fields)})"


def _update(model: type[models.Model], fields: Sequence[Field], place: str) -> str:
    """Return the statement that updates these fields of the row with a key."""
    quote = connection.ops.quote_name
    changes = ", ".join(f"{quote(str(one.column))} = {place}" for one in fields)
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    return f"UPDATE {table} SET {changes} WHERE {key} = {place}"  # noqa: S608 (names of our own tables)


def _prepared(fields: Sequence[Field], rows: Iterable[Row]) -> Iterable[Row]:
    """Convert dates, JSON and the like to values that the driver accepts."""
    converters = _converters(fields)
    if not converters:
        return rows
    return (_converted(row, converters) for row in rows)


def _converters(fields: Sequence[Field]) -> list[tuple[int, Callable[[Any], Any]]]:
    """Return converters with the indexes of the columns that need them."""
    plain: tuple[type[Field], ...] = _PLAIN
    if connection.vendor == "postgresql":
        plain = (*plain, models.DateField)
    return [
        (place, _converter(field))
        for place, field in enumerate(fields)
        if not isinstance(field, plain)
    ]


def _converter(field: Field) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        return field.get_db_prep_save(value, connection)

    # Many rows share a few dates.
    return lru_cache(convert) if isinstance(field, models.DateField) else convert


def _converted(row: Row, converters: list[tuple[int, Callable[[Any], Any]]]) -> Row:
    values = list(row)
    for place, convert in converters:
        values[place] = convert(values[place])
    return values


def _copy(into: str, rows: Iterable[Row]) -> int:
    written = 0
    remaining = iter(rows)
    # A generator may query the database for its next row, which would deadlock with an
    # open COPY on the same connection. So each batch is read before its COPY.
    while batch := list(islice(remaining, ROWS_PER_COPY)):
        with (
            connection.cursor() as cursor,
            connection.wrap_database_errors,
            cursor.copy(f"COPY {into} FROM STDIN") as copy,
        ):
            for row in batch:
                copy.write_row(row)
        written += len(batch)
    return written


def _insert(into: str, fields: Sequence[Field], pieces: Iterable[list[Any]]) -> int:
    """Insert many rows per statement, because each statement has a fixed cost.

    Each of the *pieces* is a flat list of the values of some rows. The driver is called
    directly, because Django processes the whole statement. INSERT OR FAIL needs no
    statement journal; the surrounding savepoint undoes a failure.
    """
    width = len(fields)
    row = f"({', '.join('?' * width)})"
    converters = _converters(fields)
    written = 0
    for values in pieces:
        for place, convert in converters:
            values[place::width] = map(convert, values[place::width])
        rows = len(values) // width
        with connection.wrap_database_errors:
            connection.connection.execute(
                f"INSERT OR FAIL INTO {into} VALUES {', '.join([row] * rows)}",  # noqa: S608 (names of our own tables)
                values,
            )
        written += rows
    return written


def _values_of(rows: Iterable[Row], step: int) -> Iterator[list[Any]]:
    """Yield flat lists of the values of *step* rows at a time."""
    remaining = iter(rows)
    while batch := list(islice(remaining, step)):
        yield list(chain.from_iterable(batch))


def _rows_per_statement(width: int) -> int:
    most: int = connection.connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    return min(VALUES_PER_STATEMENT, most) // width


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
