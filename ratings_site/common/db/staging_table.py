"""Staging tables: very many rows, written to a new table that becomes a partition.

Rows that are copied into a live table update each of its indexes and check each foreign
key one by one. PostgreSQL writes them five times faster to a table without any, builds
indexes and checks keys afterward, and attaches the table as a partition in a moment.
The parent table is partitioned by primary key for that; each staging table has its own
range. SQLite has no partitions; only `reserve_ids` is used there.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Self

from django.db import OperationalError, connection, migrations, models, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from ratings_site.common.db.append_only import guard_partition
from ratings_site.common.db.bulk import analyze_columns
from ratings_site.common.db.locks import lock_timeout

# The IDs of a staging table start at its number times this.
ID_RANGE = 10**10
# Below are the IDs of the parent table's own sequence.
FIRST_STAGING_ID = 10**12


def reserve_ids(model: type[models.Model], count: int) -> Sequence[int]:
    """Return *count* ascending primary keys that no other process gets.

    Call it in the transaction that writes the rows: on SQLite that transaction, the
    only writer, is what reserves them.
    """
    if count == 0:
        return range(0)
    table, column = model._meta.db_table, str(model._meta.pk.column)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            return _next_values(cursor, table, column, count)
        quoted = connection.ops.quote_name
        cursor.execute(
            "SELECT seq FROM sqlite_sequence WHERE name = %s "  # noqa: S608 (our table)
            f"UNION ALL SELECT max({quoted(column)}) FROM {quoted(table)}",
            [table],
        )
        last = max((number or 0 for (number,) in cursor.fetchall()), default=0)
        return range(last + 1, last + 1 + count)


def _next_values(cursor: Any, table: str, column: str, count: int) -> Sequence[int]:
    """Draw from the table's sequence; nearly always the numbers are consecutive."""
    # Looking the sequence up for each number would take ten times longer.
    cursor.execute(
        "WITH sequence AS MATERIALIZED "
        "(SELECT pg_get_serial_sequence(%s, %s)::regclass found), "
        "drawn AS MATERIALIZED (SELECT nextval(found) n "
        "FROM sequence, generate_series(1, %s)) SELECT min(n), max(n), "
        "CASE WHEN max(n) - min(n) >= count(n) THEN array_agg(n ORDER BY n) END "
        "FROM drawn",
        [table, column, count],
    )
    first, last, scattered = cursor.fetchone()
    return scattered or range(first, last + 1)


class StagingTable:
    """A table for rows of *model* that becomes a partition of the model's table.

    *number*, at least 100, identifies the table and is used once. Call each method
    inside a transaction; readers of the parent table see no row before `join`.
    """

    def __init__(self, model: type[models.Model], number: int) -> None:
        self.model = model
        self.parent = model._meta.db_table
        self.name = f"{self.parent}_{number}"
        self.first = number * ID_RANGE
        self._next = self.first

    @classmethod
    def is_possible(cls) -> bool:
        return connection.vendor == "postgresql"

    @classmethod
    def find_unattached(
        cls, model: type[models.Model], numbers: Iterable[int]
    ) -> Iterator[Self]:
        """Yield those of these tables that exist and are not attached yet."""
        if not cls.is_possible():
            return
        with connection.cursor() as cursor:
            for number in numbers:
                table = cls(model, number)
                cursor.execute(
                    "SELECT 1 FROM pg_class WHERE oid = to_regclass(%s) "
                    "AND NOT relispartition",
                    [table.name],
                )
                if cursor.fetchone():
                    yield table

    def create(self) -> None:
        last = self.first + ID_RANGE
        _execute(
            f"CREATE TABLE {self.name} "
            f"(LIKE {self.parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
            # With this constraint, attaching needs no scan.
            f"ALTER TABLE {self.name} ADD CONSTRAINT {self.name}_numbers "
            f"CHECK ({self._key} >= {self.first} AND {self._key} < {last})",
        )

    def reserve(self, count: int) -> Sequence[int]:
        """Return the next *count* primary keys."""
        first = self._next
        self._next += count
        return range(first, self._next)

    def foreign_key_steps(self) -> list[Callable[[], None]]:
        """Return steps that add and validate foreign keys, in order.

        They come first once all rows are in, because building an index locks the table.
        Each step is a transaction of its own: adding a key blocks writers of the
        referenced table, validating it does not.
        """
        keys = self._foreign_keys()
        return [
            *(partial(with_lock_retry, partial(self._add_key, *key)) for key in keys),
            *(partial(self._check_key, name) for name, _definition in keys),
        ]

    def analyze(self) -> None:
        """Update the planner's statistics of the indexed columns."""
        analyze_columns(self.name, self._indexed_columns())

    def index_steps(self) -> list[Callable[[], None]]:
        """Return steps that build the indexes, in any order or in parallel.

        All steps can be repeated.
        """
        return [partial(_execute, _INDEX_MEMORY, sql) for sql in self._indexes()]

    def join(self) -> None:
        """Attach the table as a partition, after all other steps."""
        with_lock_retry(self._join)

    def finishing_steps(self) -> list[Callable[[], None]]:
        """Return all steps to run once all rows are in, in order."""
        return [*self.foreign_key_steps(), self.analyze, *self.index_steps(), self.join]

    @property
    def union_sql(self) -> str:
        """SQL for the rows of the parent table and of this unattached table."""
        return f"(SELECT * FROM {self.parent} UNION ALL SELECT * FROM {self.name})"  # noqa: S608 (our own names)

    @property
    def _key(self) -> str:
        return str(self.model._meta.pk.column)

    def _indexes(self) -> Iterator[str]:
        meta = self.model._meta
        yield (
            f"CREATE UNIQUE INDEX IF NOT EXISTS {self.name}_key "
            f"ON {self.name} ({self._key})"
        )
        for number, constraint in enumerate(meta.constraints):
            if isinstance(constraint, models.UniqueConstraint):
                yield (
                    f"CREATE UNIQUE INDEX IF NOT EXISTS {self.name}_once_{number} "
                    f"ON {self.name} ({self._columns(constraint.fields)})"
                )
        for number, index in enumerate(meta.indexes):
            yield (
                f"CREATE INDEX IF NOT EXISTS {self.name}_by_{number} "
                f"ON {self.name} ({self._columns(index.fields)})"
            )

    def _indexed_columns(self) -> list[str]:
        """Return the indexed columns; query plans depend on no others."""
        meta = self.model._meta
        fields = {meta.pk.name}
        for one in (*meta.constraints, *meta.indexes):
            fields.update(getattr(one, "fields", ()))
        return sorted(map(self._column, fields))

    def _columns(self, fields: Iterable[str]) -> str:
        return ", ".join(map(self._column, fields))

    def _column(self, field: str) -> str:
        return str(getattr(self.model._meta.get_field(field), "column", ""))

    def _foreign_keys(self) -> list[tuple[str, str]]:
        with connection.cursor() as cursor:
            return _foreign_keys_of(cursor, self.parent)

    def _add_key(self, name: str, definition: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM pg_constraint "
                "WHERE conrelid = to_regclass(%s) AND conname = %s",
                [self.name, name],
            )
            found = cursor.fetchone()
        if found is None:
            _execute(
                # Pending deferred constraints would forbid it.
                "SET CONSTRAINTS ALL IMMEDIATE",
                f"ALTER TABLE {self.name} ADD CONSTRAINT {name} {definition} NOT VALID",
            )

    def _check_key(self, name: str) -> None:
        _execute(
            "SET CONSTRAINTS ALL IMMEDIATE",
            f"ALTER TABLE {self.name} VALIDATE CONSTRAINT {name}",
        )

    def _join(self) -> None:
        last = self.first + ID_RANGE
        _execute(
            "SET CONSTRAINTS ALL IMMEDIATE",
            f"ALTER TABLE {self.name} "
            f"ADD CONSTRAINT {self.name}_pkey PRIMARY KEY USING INDEX {self.name}_key",
            f"ALTER TABLE {self.parent} ATTACH PARTITION {self.name} "
            f"FOR VALUES FROM ({self.first}) TO ({last})",
            f"ALTER TABLE {self.name} DROP CONSTRAINT {self.name}_numbers",
        )
        guard_partition(self.parent, self.name)


# Enough to sort an index of ten million rows in memory.
_INDEX_MEMORY = "SET LOCAL maintenance_work_mem = '512MB'"


# Other transactions queue behind a step that waits for a lock: so not for long.
STEP_SECONDS, PAUSE_SECONDS, MAX_TRIES = 0.5, 1.0, 200
_TOO_LONG, _DEADLOCK = "55P03", "40P01"


def with_lock_retry(step: Callable[[], None]) -> None:
    """Run a step; retry it after a pause on a lock timeout or deadlock."""
    for tries in range(1, MAX_TRIES + 1):
        try:
            with transaction.atomic(), lock_timeout(STEP_SECONDS):
                step()
        except OperationalError as error:
            code = getattr(error.__cause__, "sqlstate", "")
            if code not in (_TOO_LONG, _DEADLOCK) or tries == MAX_TRIES:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return


def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _foreign_keys_of(cursor: Any, table: str) -> list[tuple[str, str]]:
    """Return the name and definition of each foreign key of a table."""
    cursor.execute(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE conrelid = to_regclass(%s) AND contype = 'f' ORDER BY conname",
        [table],
    )
    return list(cursor.fetchall())


def partition_by_id(table: str) -> migrations.RunPython:
    """Return the migration that partitions a table by its primary key, ``id``.

    The existing rows become the first partition, with the unique constraints that
    partitioned tables cannot have. It goes before `append_only`, which has to guard the
    new table. Nothing changes on SQLite.
    """

    def forwards(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "postgresql":
            with editor.connection.cursor() as cursor:
                _partition(cursor, table)

    return migrations.RunPython(forwards, migrations.RunPython.noop)


def _partition(cursor: Any, table: str) -> None:
    old = f"{table}_first"
    keys = _foreign_keys_of(cursor, table)
    pointing = _referencing_keys(cursor, table)
    indexes = _plain_indexes(cursor, table)
    cursor.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}")  # noqa: S608 (our own table)
    next_id = cursor.fetchone()[0]
    statements = [
        "SET CONSTRAINTS ALL IMMEDIATE",
        *(f"ALTER TABLE {other} DROP CONSTRAINT {name}" for other, name, _ in pointing),
        f"DROP TRIGGER IF EXISTS {table}_no_change ON {table}",
        f"ALTER TABLE {table} RENAME TO {old}",
        f"ALTER TABLE {old} RENAME CONSTRAINT {table}_pkey TO {old}_pkey",
        *(f"ALTER INDEX {name} RENAME TO {name}_first" for name, _ in indexes),
        f"ALTER TABLE {old} ALTER id DROP IDENTITY IF EXISTS",
        f"CREATE TABLE {table} (LIKE {old} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) "
        "PARTITION BY RANGE (id)",
        f"ALTER TABLE {table} ALTER id ADD GENERATED BY DEFAULT AS IDENTITY "
        f"(START {next_id})",
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_pkey PRIMARY KEY (id)",
        *(f"ALTER TABLE {table} ADD CONSTRAINT {name} {text}" for name, text in keys),
        f"ALTER TABLE {table} ATTACH PARTITION {old} "
        f"FOR VALUES FROM (MINVALUE) TO ({FIRST_STAGING_ID})",
        *(definition for _, definition in indexes),
        *(
            f"ALTER TABLE {other} ADD CONSTRAINT {name} {text}"
            for other, name, text in pointing
        ),
    ]
    for statement in statements:
        cursor.execute(statement)


def _referencing_keys(cursor: Any, table: str) -> list[tuple[str, str, str]]:
    """Return the foreign keys that point to a table: table, name, definition."""
    cursor.execute(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) "
        "FROM pg_constraint WHERE confrelid = to_regclass(%s) AND contype = 'f'",
        [table],
    )
    return list(cursor.fetchall())


def _plain_indexes(cursor: Any, table: str) -> list[tuple[str, str]]:
    """Return name and definition of the indexes without a constraint."""
    cursor.execute(
        "SELECT class.relname, pg_get_indexdef(class.oid) FROM pg_index "
        "JOIN pg_class class ON class.oid = indexrelid "
        "WHERE indrelid = to_regclass(%s) AND NOT indisunique",
        [table],
    )
    return list(cursor.fetchall())
