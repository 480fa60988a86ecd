"""Bulk files of open data: written to disk, then put into the database whole.

CSV is always made. Parquet needs pyarrow, which the office may be without.
"""

import csv
import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from django.conf import settings
from django.utils import timezone

from ratings.models import OpenFile, OpenFilePart
from ratings.open_data.queries import TABLES, Table, Type
from ratings_site.common.jobs.services import ClaimedJob

PART_BYTES = 1_000_000
ROWS_A_GROUP = 50_000

FileRow = tuple[Any, ...]
Kind = OpenFile.Kind


@cache
def can_write_parquet() -> bool:
    return find_spec("pyarrow") is not None


def make_open_files(job: ClaimedJob, *, tables: Sequence[Table] = TABLES) -> None:
    """Write every table again; a file takes the place of the one before it at once."""
    with TemporaryDirectory() as folder:
        for done, table in enumerate(tables):
            with job.kept_alive():
                paths, rows = write_table(table, Path(folder))
            for kind, path in paths.items():
                with job.part(done=done, total=len(tables), message=table.name):
                    store(table.name, kind, path, rows)
                path.unlink()
    with job.commit():
        _forget_old_files()


def write_table(table: Table, folder: Path) -> tuple[dict[Kind, Path], int]:
    """Write a table in every format; return where, and how many rows it has.

    The rows are read once, and so many at a time as a group of a Parquet file has.
    """
    kinds = [Kind.CSV, Kind.PARQUET] if can_write_parquet() else [Kind.CSV]
    paths = {kind: folder / f"{table.name}.{kind}" for kind in kinds}
    number = 0
    with ExitStack() as stack:
        writers = [
            stack.enter_context(_WRITERS[kind](table, path))
            for kind, path in paths.items()
        ]
        for rows in _groups(table.rows()):
            number += len(rows)
            for writer in writers:
                writer.write(rows)
    return paths, number


def _groups(rows: Iterable[FileRow]) -> Iterator[list[FileRow]]:
    remaining = iter(rows)
    while group := list(islice(remaining, ROWS_A_GROUP)):
        yield group


class _CsvFile:
    """Comma-separated, with headings, compressed; equal rows give equal bytes."""

    def __init__(self, table: Table, path: Path) -> None:
        self._raw = path.open("wb")
        self._gzip = gzip.GzipFile("", "wb", 6, self._raw, mtime=0)
        self._text = io.TextIOWrapper(self._gzip, "utf-8", newline="")
        self._csv = csv.writer(self._text)
        self._csv.writerow([column.name for column in table.columns])

    def write(self, rows: Sequence[FileRow]) -> None:
        self._csv.writerows([_written(value) for value in row] for row in rows)

    def __enter__(self) -> "_CsvFile":
        return self

    def __exit__(self, *_: type | BaseException | TracebackType | None) -> None:
        self._text.close()
        self._raw.close()


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else value


class _ParquetFile:
    """Columns with types, compressed by Snappy, which every reader knows."""

    def __init__(self, table: Table, path: Path) -> None:
        self._arrow = import_module("pyarrow")
        types = {
            Type.TEXT: self._arrow.string(),
            Type.NUMBER: self._arrow.int32(),
            Type.DAY: self._arrow.date32(),
            Type.FLAG: self._arrow.bool_(),
        }
        self._schema = self._arrow.schema(
            [(column.name, types[column.type]) for column in table.columns]
        )
        parquet = import_module("pyarrow.parquet")
        self._file = parquet.ParquetWriter(path, self._schema)

    def write(self, rows: Sequence[FileRow]) -> None:
        columns = [
            self._arrow.array(values, type=field.type)
            for values, field in zip(zip(*rows, strict=True), self._schema, strict=True)
        ]
        batch = self._arrow.record_batch(columns, schema=self._schema)
        self._file.write_batch(batch)

    def __enter__(self) -> "_ParquetFile":
        return self

    def __exit__(self, *_: type | BaseException | TracebackType | None) -> None:
        self._file.close()


_WRITERS = {Kind.CSV: _CsvFile, Kind.PARQUET: _ParquetFile}


def store(table: str, kind: Kind, path: Path, rows: int) -> OpenFile:
    """Make a file the newest of its name, in the caller's transaction.

    If it is the same as the newest, that one stays and is confirmed.
    """
    now = timezone.now()
    digest = _sha256(path)
    newest = OpenFile.objects.filter(table=table, kind=kind, is_newest=True)
    if newest.filter(sha256=digest).update(checked_at=now):
        return newest.get()
    newest.update(is_newest=False, checked_at=now)
    file = OpenFile.objects.create(
        table=table,
        kind=kind,
        rows=rows,
        size=path.stat().st_size,
        sha256=digest,
        made_at=now,
        checked_at=now,
    )
    for number, content in enumerate(_parts(path)):
        OpenFilePart.objects.create(file=file, number=number, content=content)
    return file


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _parts(path: Path) -> Iterator[bytes]:
    with path.open("rb") as content:
        while part := content.read(PART_BYTES):
            yield part


def _forget_old_files() -> None:
    until = timezone.now() - timedelta(days=settings.OPEN_DATA_KEEP_DAYS)
    OpenFile.objects.filter(is_newest=False, checked_at__lt=until).delete()
