"""Exports of offices that are gone again, and what a database holds, to the bit."""

import hashlib
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection, transaction

from players.models import Player
from ratings_site.common.uploads.services import upload_storage
from ratings_site.leaving.contents import EXCLUDED_COLUMNS, EXPORTED
from ratings_site.leaving.schema import tables
from ratings_site.leaving.services.exporting import export_office

Contents = dict[str, list[str]]


def contents() -> Contents:
    """Return all exported rows as the database driver gives them, by table."""
    found = {}
    with connection.cursor() as cursor:
        for label in sorted(EXPORTED):
            meta = apps.get_model(label)._meta
            columns = ", ".join(
                connection.ops.quote_name(field.column)
                for field in meta.local_concrete_fields
                if f"{label}.{field.name}" not in EXCLUDED_COLUMNS
            )
            order = connection.ops.quote_name(meta.pk.column)
            cursor.execute(f"SELECT {columns} FROM {meta.db_table} ORDER BY {order}")  # noqa: S608
            found[label] = [repr(tuple(map(plain, row))) for row in cursor.fetchall()]
    return found


def plain(value: Any) -> Any:
    """Return bytes as bytes; a float's repr shows all of its bits."""
    return bytes(value) if isinstance(value, memoryview) else value


def uploads() -> dict[str, bytes]:
    """Return the uploaded files by their names in the storage."""
    names = [
        name
        for label in sorted(EXPORTED)
        for model in [apps.get_model(label)]
        if any(field.name == "stored_as" for field in model._meta.local_fields)
        for name in model.objects.exclude(stored_as="").values_list(
            "stored_as", flat=True
        )
    ]
    return {name: upload_storage().open(name).read() for name in names}


def exported_and_gone(
    make: Callable[[], object], folder: Path, *, with_uploads: bool = True
) -> Any:
    """Make an office, export it to *folder*, and undo everything.

    Return the manifest, the rows and the uploaded files.
    """
    with transaction.atomic():
        make()
        manifest = export_office(folder)
        rows = contents()
        files = uploads() if with_uploads else {}
        transaction.set_rollback(True)
    return manifest, rows, files


def seal(folder: Path) -> None:
    """Write the checksums of a changed export again."""
    sums = folder / "SHA256SUMS"
    names = [line[66:] for line in sums.read_text().splitlines()]
    sums.write_text(
        "".join(
            f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n"
            for name in names
            if (folder / name).exists()
        )
    )


ODD = "=1+1, \"é\"; 'Ł'\t\u2028 𝔘 \\u0000 - 100 %"
# Values that a constraint asks for.
SPECIAL: dict[str, Callable[[], Any]] = {
    "events.UnplayedRound.opponent": lambda: None,
    "players.NotSamePerson.first": lambda: Player.objects.earliest("pk").pk,
}


def fill_empty_tables() -> None:
    """Give each exported table that has no row one with odd texts and numbers."""
    for table in tables():
        if not table.model._base_manager.exists():
            values = {
                column.field.attname: value_for(table.label, column.field)
                for column in table.columns
                if not column.is_computed and not column.field.primary_key
            }
            table.model(**values).save(force_insert=True)


def value_for(label: str, field: Any) -> Any:
    if (name := f"{label}.{field.name}") in SPECIAL:
        return SPECIAL[name]()
    if field.remote_field:
        target = field.related_model
        if target is field.model:
            return None
        return target._base_manager.order_by("-pk").values_list("pk", flat=True).first()
    if field.choices:
        return next(code for code, _ in field.flatchoices if code)
    if field.has_default():
        return field.get_default()
    match field.get_internal_type():
        case "CharField" | "TextField":
            return ODD[: field.max_length]
        case "DateField":
            return date(2024, 5, 4)
        case "DateTimeField":
            return datetime(2024, 5, 4, 23, 59, 59, 999_999, UTC)
        case "FloatField":
            return 0.1 + 0.2
        case "BooleanField":
            return True
        case "DecimalField":
            return Decimal("0.10")
        case "EmailField":
            return "a@example.org"
    return 1
