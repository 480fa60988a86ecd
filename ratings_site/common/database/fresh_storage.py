"""Very many rows at once: into a table of their own, which then joins the large one.

Rows that are copied into a live table have to be entered into each of its indexes and
checked against each foreign key one by one. PostgreSQL writes them five times faster
into a fresh table without any, builds indexes and checks keys afterward, and makes it
a partition of the large table in a moment. The large table is partitioned by primary
key for that; each fresh table has a stretch of numbers of its own. On SQLite there are
no partitions, and nothing here does anything but number rows.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

from django.db import OperationalError, connection, migrations, models, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from ratings_site.common.database.append_only import guard_partition
from ratings_site.common.database.bulk import look_at_columns
from ratings_site.common.database.locks import waiting_at_most

# The numbers of a fresh table are its own number times this, and on.
STRETCH = 10**10
# Below are the numbers that the table itself gives, one by one.
FIRST_STRETCH = 10**12


def reserve_ids(model: type[models.Model], count: int) -> Sequence[int]:
    """Return *count* primary keys, ascending, that nobody else will get.

    It is called in the transaction that writes the rows: on SQLite that transaction,
    being the only writer, is what reserves them.
    """
    if count == 0:
        return range(0)
    table, column = model._meta.db_table, model._meta.pk.column
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
    """Draw from the table's sequence; nearly always the numbers follow each other."""
    # The sequence is looked up once: to do so for each number takes ten times longer.
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


class FreshTable:
    """A table for rows of *model* that becomes a partition of the model's table.

    *number*, at least 100, tells fresh tables apart and is used once. Each method is
    called inside a transaction; who reads the large table sees no row before `join`.
    """

    def __init__(self, model: type[models.Model], number: int) -> None:
        self.model = model
        self.parent = model._meta.db_table
        self.name = f"{self.parent}_{number}"
        self.first = number * STRETCH
        self._next = self.first

    @classmethod
    def is_possible(cls) -> bool:
        return connection.vendor == "postgresql"

    @classmethod
    def left_over(
        cls, model: type[models.Model], numbers: Iterable[int]
    ) -> Iterator[Self]:
        """Yield those of these tables that were begun and have not joined."""
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
        last = self.first + STRETCH
        _execute(
            f"CREATE TABLE {self.name} "
            f"(LIKE {self.parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
            # With this known, joining need not look at the rows.
            f"ALTER TABLE {self.name} ADD CONSTRAINT {self.name}_numbers "
            f"CHECK ({self._key} >= {self.first} AND {self._key} < {last})",
        )

    def reserve(self, count: int) -> Sequence[int]:
        """Return the next *count* primary keys."""
        first = self._next
        self._next += count
        return range(first, self._next)

    def copy(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write rows; *columns* are names of columns, in the order of the values."""
        with (
            connection.cursor() as cursor,
            cursor.copy(f"COPY {self.name} ({', '.join(columns)}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def keying(self) -> list[Callable[[], None]]:
        """Return what adds and checks foreign keys, one step after the other.

        It is the first thing once all rows are in: beside an index that is being made
        nothing else can be done to the table.
        Each goes into a transaction of its own, for the sake of those who edit what
        the table points to: to add a key keeps them waiting, to check it does not.
        """
        keys = self._foreign_keys()
        return [
            *(lambda key=key: _gently(lambda: self._add_key(*key)) for key in keys),
            *(lambda name=name: self._check_key(name) for name, _definition in keys),
        ]

    def look(self) -> None:
        """Count what rows are sought by, so that they are found by good ways."""
        look_at_columns(self.name, self._sought())

    def indexing(self) -> list[Callable[[], None]]:
        """Return what is to do then, in any order or side by side.

        Like all that is done once all rows are in, each may be done a second time.
        """
        return [
            lambda s=statement: _execute(_ROOM_FOR_INDEXES, s)
            for statement in self._indexes()
        ]

    def join(self) -> None:
        """Make it a partition, once all else is done."""
        _gently(self._join)

    def to_end(self) -> list[Callable[[], None]]:
        """Return all that is left to do once all rows are in, in its order."""
        return [*self.keying(), self.look, *self.indexing(), self.join]

    @property
    def with_all_others(self) -> str:
        """The rows of the large table and, until it has joined, those of this one."""
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

    def _sought(self) -> list[str]:
        """Return the columns that indexes find rows by; plans depend on no others."""
        meta = self.model._meta
        fields = {meta.pk.name}
        for one in (*meta.constraints, *meta.indexes):
            fields.update(getattr(one, "fields", ()))
        return sorted(meta.get_field(name).column for name in fields)

    def _columns(self, fields: Iterable[str]) -> str:
        return ", ".join(self.model._meta.get_field(name).column for name in fields)

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
                # What waits for the end of the transaction would forbid it.
                "SET CONSTRAINTS ALL IMMEDIATE",
                f"ALTER TABLE {self.name} ADD CONSTRAINT {name} {definition} NOT VALID",
            )

    def _check_key(self, name: str) -> None:
        _execute(
            "SET CONSTRAINTS ALL IMMEDIATE",
            f"ALTER TABLE {self.name} VALIDATE CONSTRAINT {name}",
        )

    def _join(self) -> None:
        last = self.first + STRETCH
        _execute(
            "SET CONSTRAINTS ALL IMMEDIATE",
            f"ALTER TABLE {self.name} "
            f"ADD CONSTRAINT {self.name}_pkey PRIMARY KEY USING INDEX {self.name}_key",
            f"ALTER TABLE {self.parent} ATTACH PARTITION {self.name} "
            f"FOR VALUES FROM ({self.first}) TO ({last})",
            f"ALTER TABLE {self.name} DROP CONSTRAINT {self.name}_numbers",
        )
        guard_partition(self.parent, self.name)


# An index of ten million rows is sorted in memory with it.
_ROOM_FOR_INDEXES = "SET LOCAL maintenance_work_mem = '512MB'"


# While a step waits for an edit to end, later ones wait behind it: so not for long.
STEP_SECONDS, PAUSE_SECONDS, MOST_TRIES = 0.5, 1.0, 200
_TOO_LONG, _DEADLOCK = "55P03", "40P01"


def _gently(step: Callable[[], None]) -> None:
    """Do a step; where it would wait, let others pass and try it again."""
    for tries in range(1, MOST_TRIES + 1):
        try:
            with transaction.atomic(), waiting_at_most(STEP_SECONDS):
                step()
        except OperationalError as error:
            code = getattr(error.__cause__, "sqlstate", "")
            if code not in (_TOO_LONG, _DEADLOCK) or tries == MOST_TRIES:
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
    return cursor.fetchall()


def in_partitions(table: str) -> migrations.RunPython:
    """Return the migration that partitions a table by its primary key, ``id``.

    What is in it becomes the first partition, with the unique constraints that
    partitioned tables cannot have. It comes before `append_only`, which has to guard
    the new table. On SQLite nothing changes.
    """

    def forwards(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "postgresql":
            with editor.connection.cursor() as cursor:
                _partition(cursor, table)

    return migrations.RunPython(forwards, migrations.RunPython.noop)


def _partition(cursor: Any, table: str) -> None:
    old = f"{table}_first"
    keys = _foreign_keys_of(cursor, table)
    pointing = _pointing_to(cursor, table)
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
        f"FOR VALUES FROM (MINVALUE) TO ({FIRST_STRETCH})",
        *(definition for _, definition in indexes),
        *(
            f"ALTER TABLE {other} ADD CONSTRAINT {name} {text}"
            for other, name, text in pointing
        ),
    ]
    for statement in statements:
        cursor.execute(statement)


def _pointing_to(cursor: Any, table: str) -> list[tuple[str, str, str]]:
    """Return the foreign keys that point to a table: table, name, definition."""
    cursor.execute(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) "
        "FROM pg_constraint WHERE confrelid = to_regclass(%s) AND contype = 'f'",
        [table],
    )
    return cursor.fetchall()


def _plain_indexes(cursor: Any, table: str) -> list[tuple[str, str]]:
    """Return name and definition of the indexes that stand for no constraint."""
    cursor.execute(
        "SELECT class.relname, pg_get_indexdef(class.oid) FROM pg_index "
        "JOIN pg_class class ON class.oid = indexrelid "
        "WHERE indrelid = to_regclass(%s) AND NOT indisunique",
        [table],
    )
    return cursor.fetchall()
