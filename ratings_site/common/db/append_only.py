"""Append-only tables: triggers refuse to change or delete their rows."""

from typing import Any

from django.db import connection, migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def append_only(
    table: str, *, may_change: tuple[str, ...] = (), deletable_when: str = ""
) -> migrations.RunPython:
    """Return the migration that makes *table* refuse UPDATE, DELETE and TRUNCATE.

    *may_change* names the columns that may be updated (a flag such as ``is_current``).
    *deletable_when* is an SQL condition on a row ``old`` that may be deleted. The
    operation replaces an earlier one for the table and has to be repeated after a
    migration that alters the table, because SQLite loses the triggers then.
    """

    def forwards(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
        columns = _guarded_columns(editor, table, may_change)
        write = _sqlite if editor.connection.vendor == "sqlite" else _postgresql
        for statement in write(table, columns, bool(may_change), deletable_when):
            editor.execute(statement, params=None)
        if editor.connection.vendor == "postgresql":
            with editor.connection.cursor() as cursor:
                _refuse_truncate(cursor, table)

    return migrations.RunPython(forwards, migrations.RunPython.noop)


def _guarded_columns(
    editor: BaseDatabaseSchemaEditor, table: str, may_change: tuple[str, ...]
) -> list[str]:
    with editor.connection.cursor() as cursor:
        description = editor.connection.introspection.get_table_description(
            cursor, table
        )
    return [column.name for column in description if column.name not in may_change]


def _sqlite(
    table: str, columns: list[str], some_may_change: bool, deletable_when: str
) -> list[str]:
    of = f" OF {', '.join(columns)}" if some_may_change else ""
    when = f"WHEN NOT ({deletable_when}) " if deletable_when else ""
    refusal = f"SELECT RAISE(ABORT, '{table} is history: add to it, never change it')"
    return [
        f"DROP TRIGGER IF EXISTS {table}_no_update",
        f"DROP TRIGGER IF EXISTS {table}_no_delete",
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE{of} ON {table} "
        f"BEGIN {refusal}; END",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        f"{when}BEGIN {refusal}; END",
    ]


def _postgresql(
    table: str, columns: list[str], some_may_change: bool, deletable_when: str
) -> list[str]:
    of = f" OF {', '.join(columns)}" if some_may_change else ""
    refusal = (
        "RAISE restrict_violation USING MESSAGE = "
        f"'{table} is history: add to it, never change it'"
    )
    return [
        f"CREATE OR REPLACE FUNCTION {table}_is_history() RETURNS trigger AS $$ "
        f"BEGIN {refusal}; END $$ LANGUAGE plpgsql",
        f"DROP TRIGGER IF EXISTS {table}_no_change ON {table}",
        f"CREATE TRIGGER {table}_no_change BEFORE UPDATE{of}"
        f"{'' if deletable_when else ' OR DELETE'} ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_is_history()",
        *(_delete_triggers(table, deletable_when, refusal) if deletable_when else ()),
    ]


def _delete_triggers(table: str, deletable_when: str, refusal: str) -> list[str]:
    """Return triggers per statement, which are far faster than triggers per row."""
    return [
        f"CREATE OR REPLACE FUNCTION {table}_stays() RETURNS trigger AS $$ "  # noqa: S608 (our own table)
        # Not the variable of this name, which is empty in a statement trigger.
        "#variable_conflict use_column\n"
        "BEGIN "
        f"IF EXISTS (SELECT 1 FROM gone old WHERE NOT ({deletable_when})) "
        f"THEN {refusal}; "
        "END IF; RETURN NULL; END $$ LANGUAGE plpgsql",
        f"DROP TRIGGER IF EXISTS {table}_no_delete ON {table}",
        f"CREATE TRIGGER {table}_no_delete AFTER DELETE ON {table} "
        "REFERENCING OLD TABLE AS gone "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_stays()",
    ]


def forbid_truncate() -> migrations.RunPython:
    """Return the migration that makes existing append-only tables refuse TRUNCATE.

    Their row triggers do not fire for it.
    """

    def forwards(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor != "postgresql":
            return
        with editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT relname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid "
                "WHERE tgname = relname || '_no_change'"
            )
            for (table,) in cursor.fetchall():
                _refuse_truncate(cursor, table)

    return migrations.RunPython(forwards, migrations.RunPython.noop)


def _refuse_truncate(cursor: Any, table: str) -> None:
    """Guard a table and its partitions, which do not inherit statement triggers."""
    cursor.execute(
        "SELECT relid::regclass::text FROM pg_partition_tree(%s::regclass) "
        "UNION SELECT %s",
        [table, table],
    )
    for (part,) in cursor.fetchall():
        _guard(cursor, table, part)


def _guard(cursor: Any, table: str, part: str) -> None:
    cursor.execute(f"DROP TRIGGER IF EXISTS {part}_no_truncate ON {part}")
    cursor.execute(
        f"CREATE TRIGGER {part}_no_truncate BEFORE TRUNCATE ON {part} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_is_history()"
    )


def guard_partition(table: str, part: str) -> None:
    """Guard a new partition if its table is append-only (PostgreSQL)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname = %s",
            [table, f"{table}_no_truncate"],
        )
        if cursor.fetchone():
            _guard(cursor, table, part)
