"""Upload storage in the database, for an office without an S3 bucket.

Database backups include the files, and every machine can open them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Length

from ratings_site.common.models import UploadPart

PART_BYTES = 1 << 20
AT_ONCE = 4
IN_MEMORY_BYTES = AT_ONCE * PART_BYTES


class DatabaseStorage(Storage):
    """Django storage whose files are rows of *parts*, by default ``UploadPart``."""

    def __init__(self, parts: Any = UploadPart) -> None:
        self.parts = parts

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        file = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 (the caller closes it)
        for content in self._contents(name):
            file.write(content)
        if not file.tell() and not self.exists(name):
            raise FileNotFoundError(name)
        file.seek(0)
        return File(file, name)

    def _contents(self, name: str) -> Iterator[bytes]:
        """Yield the parts, loading a few at a time to limit memory."""
        parts = self.parts.objects.filter(name=name).order_by("number")
        start = 0
        while some := list(
            parts.values_list("content", flat=True)[start : start + AT_ONCE]
        ):
            yield from map(bytes, some)
            start += AT_ONCE
            if len(some) < AT_ONCE:
                break

    def _save(self, name: str, content: File[Any]) -> str:
        with transaction.atomic(savepoint=False):
            for number, part in enumerate(_in_parts(content.chunks(PART_BYTES))):
                self.parts.objects.create(name=name, number=number, content=part)
        return name

    def delete(self, name: str) -> None:
        self.parts.objects.filter(name=name).delete()

    def exists(self, name: str) -> bool:
        return bool(self.parts.objects.filter(name=name).exists())

    def size(self, name: str) -> int:
        parts = self.parts.objects.filter(name=name)
        return parts.aggregate(bytes=Sum(Length("content")))["bytes"] or 0


def _in_parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the chunks, or one empty chunk, so that an empty file exists."""
    is_empty = True
    for chunk in chunks:
        is_empty = False
        yield chunk
    if is_empty:
        yield b""
