"""An append-only table refuses UPDATE and DELETE, except of the named columns."""

import pytest
from django.db import IntegrityError, connection, migrations, transaction

from ratings_site.common.db.append_only import append_only

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[(), ("flag",)], ids=["whole", "but for a flag"])
def table(request):
    """A table of two columns, made append-only by the migration operation."""
    name = "test_history"
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE {name} (id integer PRIMARY KEY, word text, flag boolean)"
        )
    operation = append_only(name, may_change=request.param)
    assert isinstance(operation, migrations.RunPython)
    with connection.schema_editor() as editor:
        operation.code(None, editor)
    run(f"INSERT INTO {name} VALUES (1, 'first', true)")  # noqa: S608
    yield name, request.param
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {name}")
        if connection.vendor == "postgresql":
            cursor.execute(f"DROP FUNCTION {name}_is_history")


def run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def rows(name: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, word FROM {name} ORDER BY id")  # noqa: S608
        return cursor.fetchall()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {} SET word = 'second'",
        "UPDATE {} SET word = word",
        "UPDATE {} SET id = 2, flag = false",
        "DELETE FROM {}",
        "DELETE FROM {} WHERE id = 1",
    ],
)
def test_what_is_written_stays(table, statement):
    name, _ = table
    with pytest.raises(IntegrityError, match=f"{name} is history: add to it"):
        run(statement.format(name))
    assert rows(name) == [(1, "first")]


@pytest.mark.postgresql
def test_no_table_of_history_is_truncated(table):
    """Nor can a partition of one be truncated."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE.")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger "
            "WHERE tgname LIKE '%\\_no\\_change' OR tgrelid IN "
            "(SELECT inhrelid FROM pg_inherits WHERE inhparent::regclass::text = "
            "'ratings_ratingchange')"
        )
        history = {name for (name,) in cursor.fetchall()}
    assert {"test_history", "ratings_ratingchange", "ratings_ratingchange_first",
            "common_auditentry"} <= history  # fmt: skip
    for name in history:
        with pytest.raises(IntegrityError, match="is history: add to it"):
            run(f"TRUNCATE {name} CASCADE")


def test_only_named_columns_may_change(table):
    name, may_change = table
    statement = f"UPDATE {name} SET flag = false"  # noqa: S608
    if may_change:
        run(statement)
    else:
        with pytest.raises(IntegrityError, match="is history"):
            run(statement)


def test_rows_that_are_no_history_yet_may_go_and_only_they():
    name = "test_drafts"
    run(f"CREATE TABLE {name} (id integer PRIMARY KEY, word text, is_draft boolean)")
    try:
        with connection.schema_editor() as editor:
            append_only(name, deletable_when="old.is_draft").code(None, editor)
        for number, is_draft in ((1, "true"), (2, "true"), (3, "false")):
            run(f"INSERT INTO {name} VALUES ({number}, 'a', {is_draft})")  # noqa: S608
        for statement in (
            "UPDATE {} SET word = word WHERE is_draft",
            "DELETE FROM {}",
            "DELETE FROM {} WHERE id = 3",
        ):
            with pytest.raises(IntegrityError, match=f"{name} is history"):
                run(statement.format(name))
        run(f"DELETE FROM {name} WHERE id = 1")  # noqa: S608
        assert rows(name) == [(2, "a"), (3, "a")]
    finally:
        run(f"DROP TABLE {name}")
        if connection.vendor == "postgresql":
            run(f"DROP FUNCTION {name}_is_history")
            run(f"DROP FUNCTION {name}_stays")


def test_rows_can_be_added(table):
    name, _ = table
    run(f"INSERT INTO {name} VALUES (2, 'second', true)")  # noqa: S608
    assert rows(name) == [(1, "first"), (2, "second")]


def test_other_tables_are_left_alone(table):
    run("UPDATE django_content_type SET model = model")
