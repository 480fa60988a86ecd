"""Moving uploaded files between storages."""

import hashlib
from functools import partial
from pathlib import Path
from typing import Any

from django.apps.registry import Apps
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import migrations, models, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from ratings_site.common.db.append_only import append_only
from ratings_site.common.uploads.storage import DatabaseStorage


def move_upload(stored_as: str, source: Storage, target: Storage) -> bool:
    """Move a file under the same name; it is deleted at its source after the commit."""
    if not source.exists(stored_as):
        return False
    if not target.exists(stored_as):
        with source.open(stored_as) as file:
            target.save(stored_as, file)
    if _digest(stored_as, source) != _digest(stored_as, target):
        raise OSError(f"{stored_as} differs from the file that was moved.")
    transaction.on_commit(lambda: source.delete(stored_as))
    return True


def _digest(stored_as: str, storage: Storage) -> str:
    with storage.open(stored_as) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def storage_in(apps: Apps) -> Storage:
    """Return the upload storage, with historical models for migrations."""
    storage = storages["uploads"]
    if isinstance(storage, DatabaseStorage):
        return DatabaseStorage(apps.get_model("common", "UploadPart"))
    return storage


def content_to_storage(app: str, model: str, folder: str) -> list[Any]:
    """Return the operations that move a column ``content`` to the upload storage.

    The table stays append-only except for the name in the storage.
    """
    table = f"{app}_{model.lower()}"

    def forwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        _drop_triggers(editor, table)
        storage, rows = storage_in(apps), apps.get_model(app, model).objects
        for pk in list(rows.values_list("pk", flat=True)):
            row = rows.get(pk=pk)
            suffix = Path(row.name).suffix.lower()[:10]
            if not (suffix.isascii() and suffix[1:].isalnum()):
                suffix = ""
            stored_as = storage.save(
                f"{folder}/{pk}-{row.sha256[:16]}{suffix}",
                ContentFile(bytes(row.content)),
                max_length=200,
            )
            rows.filter(pk=pk).update(stored_as=stored_as)

    def backwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        _drop_triggers(editor, table)
        storage, rows = storage_in(apps), apps.get_model(app, model).objects
        for pk, stored_as in list(
            rows.exclude(stored_as="").values_list("pk", "stored_as")
        ):
            with storage.open(stored_as) as file:
                rows.filter(pk=pk).update(content=file.read())
            transaction.on_commit(partial(storage.delete, stored_as))

    name = models.CharField(
        blank=True,
        help_text="Name in file storage. Blank after deletion.",
        max_length=200,
    )
    return [
        # Blank, so that the migration can be reversed with existing rows.
        migrations.AlterField(model, "content", models.BinaryField(blank=True)),
        migrations.AddField(model, "stored_as", name),
        migrations.RunPython(forwards, backwards),
        migrations.RemoveField(model, "content"),
        append_only(table, may_change=("stored_as",)),
    ]


def _drop_triggers(editor: BaseDatabaseSchemaEditor, table: str) -> None:
    on_table = editor.connection.vendor == "postgresql"
    for name in ("no_change",) if on_table else ("no_update", "no_delete"):
        on = f" ON {table}" if on_table else ""
        editor.execute(f"DROP TRIGGER IF EXISTS {table}_{name}{on}")
