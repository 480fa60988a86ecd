"""Write the bulk files of open data to disk, then store them in the database."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.utils import timezone

from ratings.models import OpenFile, OpenFilePart
from ratings.open_data.queries import TABLES, Table
from ratings_site.common.jobs.services import ClaimedJob
from ratings_site.common.web.files import available_formats, groups, writer

PART_BYTES = 1_000_000

Kind = OpenFile.Kind


def make_open_files(job: ClaimedJob, *, tables: Sequence[Table] = TABLES) -> None:
    """Write all tables; each file replaces the one before it when it is complete."""
    with TemporaryDirectory() as folder:
        for done, table in enumerate(tables):
            with job.keep_alive():
                paths, rows = write_table(table, Path(folder))
            for kind, path in paths.items():
                with job.part(done=done, total=len(tables), message=table.name):
                    store(table.name, kind, path, rows)
                path.unlink()
    with job.commit():
        _delete_old_files()


def write_table(table: Table, folder: Path) -> tuple[dict[Kind, Path], int]:
    """Write a table in every format; return the paths and the number of rows.

    The rows are read once, in groups.
    """
    paths = {
        Kind(kind): folder / f"{table.name}.{kind}" for kind in available_formats()
    }
    number = 0
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                writer(kind, table.columns, stack.enter_context(path.open("wb")))
            )
            for kind, path in paths.items()
        ]
        for rows in groups(table.rows()):
            number += len(rows)
            for one in writers:
                one.write(rows)
    return paths, number


def store(table: str, kind: Kind, path: Path, rows: int) -> OpenFile:
    """Make a file the newest of its name, in the caller's transaction.

    If it equals the newest, that one stays and its check time is updated.
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


def _delete_old_files() -> None:
    until = timezone.now() - timedelta(days=settings.OPEN_DATA_KEEP_DAYS)
    OpenFile.objects.filter(is_newest=False, checked_at__lt=until).delete()
