"""The last primary keys that tables have given out, also to rows deleted since."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection, models

from ratings_site.common.db.staging_table import FIRST_STAGING_ID


def last_ids(tables: Iterable[type[models.Model]]) -> dict[str, int]:
    """Return the last primary key of each table with automatic keys, if it gave any."""
    found = {}
    with connection.cursor() as cursor:
        for model in tables:
            last = _last_id(cursor, model) if _is_numbered(model) else 0
            if last:
                found[model._meta.label] = last
    return found


def restore_last_ids(
    tables: Iterable[type[models.Model]], last: Mapping[str, int]
) -> None:
    """Let each table go on after these keys, and after those of its rows."""
    with connection.cursor() as cursor:
        for model in filter(_is_numbered, tables):
            newest = _own_rows(model).aggregate(key=models.Max("pk"))["key"] or 0
            known = last.get(model._meta.label, 0)
            known = 0 if known >= FIRST_STAGING_ID else known
            if start := max(newest, known):
                _set_sequence(cursor, model, start)


def _is_numbered(model: type[models.Model]) -> bool:
    return isinstance(model._meta.pk, models.AutoField)


def _own_rows(model: type[models.Model]) -> Any:
    """Return the rows whose keys come from the table's own sequence."""
    rows = model._base_manager.all()
    if connection.vendor == "postgresql" and isinstance(
        model._meta.pk, models.BigAutoField
    ):
        return rows.filter(pk__lt=FIRST_STAGING_ID)
    return rows


def _last_id(cursor: Any, model: type[models.Model]) -> int:
    table, key = model._meta.db_table, str(model._meta.pk.column)
    if connection.vendor == "postgresql":
        cursor.execute(
            "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)",
            [table, key],
        )
    else:
        cursor.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = %s", [table])
    return cursor.fetchone()[0] or 0


def _set_sequence(cursor: Any, model: type[models.Model], start: int) -> None:
    table, key = model._meta.db_table, str(model._meta.pk.column)
    if connection.vendor == "postgresql":
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence(%s, %s), %s)", [table, key, start]
        )
        return
    cursor.execute(
        "UPDATE sqlite_sequence SET seq = max(seq, %s) WHERE name = %s", [start, table]
    )
    if not cursor.rowcount:
        cursor.execute("INSERT INTO sqlite_sequence VALUES (%s, %s)", [table, start])
