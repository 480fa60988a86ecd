"""Uploaded files: stored byte for byte in ``STORAGES["uploads"]``.

The row of a file has its name in the storage (``stored_as``), SHA-256 and size. The
name is blank after the file was deleted under the retention schedule.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile, SpooledTemporaryFile
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from ratings_site.common.audit.services import record

LONGEST_NAME = 200
LONGEST_SUFFIX = 10
IN_MEMORY_BYTES = 1 << 20


def upload_storage() -> Storage:
    return storages["uploads"]


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """The name, digest and size of a stored file."""

    stored_as: str
    sha256: str
    size: int


def store_upload(folder: str, name: str, content: Iterable[bytes]) -> StoredUpload:
    """Store a file; if *content* raises, nothing is stored."""
    digest, size = hashlib.sha256(), 0
    with SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        for piece in content:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
        file.seek(0)
        suffix = Path(name).suffix.lower()[:LONGEST_SUFFIX]
        if not (suffix.isascii() and suffix[1:].isalnum()):
            suffix = ""
        stamp, key = f"{timezone.now():%Y%m%d%H%M%S%f}", digest.hexdigest()[:16]
        stored_as = upload_storage().save(
            f"{folder}/{stamp}-{key}{suffix}", File(file), max_length=LONGEST_NAME
        )
    return StoredUpload(stored_as, digest.hexdigest(), size)


def read_upload(stored_as: str) -> bytes:
    with upload_storage().open(stored_as) as file:
        content: bytes = file.read()
    return content


@contextmanager
def local_upload(stored_as: str) -> Iterator[Path]:
    """Copy a file to a temporary path."""
    with (
        NamedTemporaryFile(suffix=Path(stored_as).suffix) as local,
        upload_storage().open(stored_as) as file,
    ):
        shutil.copyfileobj(file, local)
        local.flush()
        yield Path(local.name)


# Retention


@dataclass(frozen=True, slots=True)
class UploadKind:
    """Files of one kind: their rows, and the condition for deleting them."""

    name: str
    rows: QuerySet[Any]
    done: Q
    received_at: str = "received_at"

    def received_before(self, moment: datetime) -> QuerySet[Any]:
        """Return rows whose files can be deleted."""
        received = Q((f"{self.received_at}__lt", moment))
        return self.rows.filter(self.done, received).exclude(stored_as="")


_kinds: dict[str, UploadKind] = {}


def register_uploads(name: str, rows: QuerySet[Any], done: Q, **options: str) -> None:
    _kinds[name] = UploadKind(name, rows, done, **options)


def delete_old_uploads() -> int:
    """Delete files older than UPLOAD_RETENTION_DAYS; return how many."""
    deleted = 0
    for name, days in settings.UPLOAD_RETENTION_DAYS.items():
        if days is None:
            continue
        old = _kinds[name].received_before(timezone.now() - timedelta(days=days))
        for pk in list(old.values_list("pk", flat=True)):
            deleted += _delete_file(_kinds[name].rows.model, pk)
    return deleted


def _delete_file(model: Any, pk: int) -> bool:
    with transaction.atomic():
        row = model.objects.select_for_update().get(pk=pk)
        if not row.stored_as:
            return False
        model.objects.filter(pk=pk).update(stored_as="")
        # If the commit fails after this, the next night repeats it.
        upload_storage().delete(row.stored_as)
        record("upload.deleted", subject=row, actor=None)
    return True


def stored_names() -> Iterator[str]:
    """Yield the names of all stored files."""
    for kind in _kinds.values():
        yield from kind.rows.exclude(stored_as="").values_list("stored_as", flat=True)
