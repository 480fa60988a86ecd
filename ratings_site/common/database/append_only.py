"""Tables to which rows are added and never changed: the database itself refuses."""

from typing import Any

from django.db import connection, migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def append_only(
    table: str, *, may_change: tuple[str, ...] = (), may_go: str = ""
) -> migrations.RunPython:
    """Return the migration that makes *table* refuse UPDATE, DELETE and TRUNCATE.

    *may_change* names the columns that are no history (a flag such as
    ``is_current``); an UPDATE that leaves all others alone passes. *may_go* is the
    condition, in SQL, under which a row ``old`` is no history yet and may be deleted.
    It replaces what an earlier migration said of the table, and has to come again after
    one that alters the table: SQLite loses the triggers then.
    """

    def forwards(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
        columns = _guarded_columns(editor, table, may_change)
        write = _sqlite if editor.connection.vendor == "sqlite" else _postgresql
        for statement in write(table, columns, bool(may_change), may_go):
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
    table: str, columns: list[str], some_may_change: bool, may_go: str
) -> list[str]:
    of = f" OF {', '.join(columns)}" if some_may_change else ""
    when = f"WHEN NOT ({may_go}) " if may_go else ""
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
    table: str, columns: list[str], some_may_change: bool, may_go: str
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
        f"{'' if may_go else ' OR DELETE'} ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_is_history()",
        *(_looking_at_what_goes(table, may_go, refusal) if may_go else ()),
    ]


def _looking_at_what_goes(table: str, may_go: str, refusal: str) -> list[str]:
    """Look at all rows of a DELETE at once: one by one takes far longer."""
    return [
        f"CREATE OR REPLACE FUNCTION {table}_stays() RETURNS trigger AS $$ "  # noqa: S608 (our own table)
        # There is a variable of this name, too, which a whole statement leaves empty.
        "#variable_conflict use_column\n"
        "BEGIN "
        f"IF EXISTS (SELECT 1 FROM gone old WHERE NOT ({may_go})) THEN {refusal}; "
        "END IF; RETURN NULL; END $$ LANGUAGE plpgsql",
        f"DROP TRIGGER IF EXISTS {table}_no_delete ON {table}",
        f"CREATE TRIGGER {table}_no_delete AFTER DELETE ON {table} "
        "REFERENCING OLD TABLE AS gone "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_stays()",
    ]


def never_truncated() -> migrations.RunPython:
    """Return the migration for tables that were made append-only before.

    Their triggers look at rows, of which a TRUNCATE sees none.
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
    """Guard a table and its partitions, which do not inherit this kind of trigger."""
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
    """Guard a partition that a table has just got, if it is history (PostgreSQL)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname = %s",
            [table, f"{table}_no_truncate"],
        )
        if cursor.fetchone():
            _guard(cursor, table, part)
