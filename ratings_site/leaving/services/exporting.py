"""Write everything the federation owns to a folder."""

import csv
import hashlib
import io
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from events.models import Event
from events.records.exports import export_json
from ratings.engine import ENGINE_VERSION
from ratings_site.common.db.sequences import last_ids
from ratings_site.common.db.snapshot import snapshot
from ratings_site.common.jobs.queues import LONG, RATINGS
from ratings_site.common.jobs.services import queue_of
from ratings_site.common.models import Job, Office
from ratings_site.common.uploads.services import read_upload
from ratings_site.common.web.files import groups
from ratings_site.leaving.queries import EXPORT
from ratings_site.leaving.schema import (
    Table,
    csv_value,
    encoders,
    schema,
    schema_as_text,
    tables,
)

FORMAT = 1
SUMS, MANIFEST = "SHA256SUMS", "manifest.json"
ROWS_AT_A_TIME = 2_000
CHUNK = 1 << 20
# Where the text of this file for readers is.
README = Path(__file__).parent.parent / "README_OF_EXPORT.md"

Progress = Callable[[int, int], None]


class ExportRefused(Exception):
    """The export cannot be made; the message says why."""


class OfficeBusy(ExportRefused):
    """Jobs are at work whose results would be missing."""


@dataclass(slots=True)
class _Folder:
    """The folder of an export, and the SHA-256 of each file in it."""

    path: Path
    sums: dict[str, str] = field(default_factory=dict)
    stored: int = 0

    def open(self, name: str) -> "_HashedFile":
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return _HashedFile(self, name, path)

    def write(self, name: str, content: bytes) -> None:
        with self.open(name) as file:
            file.write(content)

    def keep_file(self, content: bytes) -> str:
        """Store bytes under their SHA-256, once, and return it."""
        digest = hashlib.sha256(content).hexdigest()
        name = file_name(digest)
        if name not in self.sums:
            self.write(name, content)
            self.stored += 1
        return digest


class _HashedFile(io.RawIOBase):
    """A file that adds its SHA-256 to its folder when it is closed."""

    def __init__(self, folder: _Folder, name: str, path: Path) -> None:
        super().__init__()
        self._folder, self._name = folder, name
        self._file = path.open("xb", CHUNK)
        self._digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._digest.update(data)
        return self._file.write(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            self._folder.sums[self._name] = self._digest.hexdigest()
        super().close()


def file_name(digest: str) -> str:
    return f"files/{digest[:2]}/{digest}"


def busy_kinds() -> Counter[str]:
    """Count the jobs that are still changing records, by kind.

    What rates counts also while it waits for another attempt: an export has no jobs.
    """
    jobs = Job.objects.filter(state__in=Job.OPEN_STATES).exclude(kind=EXPORT)
    now = timezone.now()
    return Counter(
        kind
        for kind, due in jobs.values_list("kind", "run_after")
        if queue_of(kind) == RATINGS or (queue_of(kind) == LONG and due <= now)
    )


def export_office(target: Path, *, progress: Progress = lambda *_: None) -> Any:
    """Write an export to a new folder; return its manifest.

    The folder gets its name when the export is complete. All rows are of one snapshot
    of the database, and writers are not blocked.
    """
    if target.exists():
        raise ExportRefused(f"{target} already exists. Name a new folder.")
    if not target.parent.is_dir():
        raise ExportRefused(f"There is no folder {target.parent}. Create it first.")
    unfinished = target.with_name(f"{target.name}.unfinished")
    if unfinished.exists():
        raise ExportRefused(
            f"{unfinished} is left from an export that did not end. Delete it first."
        )
    unfinished.mkdir(mode=0o700)
    try:
        with snapshot():
            manifest = _write(_Folder(unfinished), progress)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    unfinished.rename(target)
    return manifest


def _write(folder: _Folder, progress: Progress) -> dict[str, Any]:
    if busy := busy_kinds():
        names = ", ".join(f"{kind} ({count})" for kind, count in busy.items())
        raise OfficeBusy(
            f"Background jobs are changing records: {names}. Wait until they are done; "
            "if maintenance mode is on, turn it off first."
        )
    steps = [*tables(), "reports"]
    counts: dict[str, int] = {}
    problems: list[dict[str, str]] = []
    for done, step in enumerate(steps):
        progress(done, len(steps))
        if isinstance(step, Table):
            counts[step.label] = _write_table(folder, step, problems)
        else:
            reports = _write_reports(folder)
    progress(len(steps), len(steps))
    folder.write("schema.json", _json(schema()))
    folder.write("schema.md", schema_as_text().encode())
    folder.write("README.md", README.read_bytes())
    manifest = {
        "format": FORMAT,
        "application_version": settings.VERSION,
        "engine_version": ENGINE_VERSION,
        "rating_edition": settings.RATING_EDITION,
        "federation": Office.objects.values_list("name", flat=True).first() or "",
        "exported_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": migrations_by_app(),
        "rows": counts,
        "reports": reports,
        "files": folder.stored,
        "file_problems": problems,
        "last_ids": last_ids(apps.get_models(include_auto_created=True)),
    }
    folder.write(MANIFEST, _json(manifest))
    lines = (f"{digest}  {name}\n" for name, digest in sorted(folder.sums.items()))
    (folder.path / SUMS).write_text("".join(lines))
    return manifest


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def migrations_by_app() -> dict[str, list[str]]:
    applied = MigrationRecorder(connection).applied_migrations()
    found: dict[str, list[str]] = {}
    for app, name in sorted(applied):
        found.setdefault(app, []).append(name)
    return found


def _write_table(folder: _Folder, table: Table, problems: list[dict[str, str]]) -> int:
    """Write a table as JSON Lines and as CSV, reading its rows once."""
    names = [column.name for column in table.columns]
    converts = encoders(table, folder.keep_file)
    to_json = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, separators=(",", ":")
    ).encode
    total = 0
    with ExitStack() as stack:
        lines = stack.enter_context(folder.open(table.path))
        text = io.TextIOWrapper(  # type: ignore[type-var]
            stack.enter_context(folder.open(table.csv_path)),
            "utf-8",
            newline="",
        )
        stack.enter_context(text)
        sheet = csv.writer(text)
        sheet.writerow(names)
        for rows in _groups(table, names):
            for row in rows:
                for place, convert in converts:
                    if row[place] is not None:
                        row[place] = convert(row[place])
            if table.has_uploads:
                for row in rows:
                    _keep_upload(folder, dict(zip(names, row, strict=True)), problems)
            try:
                written = [to_json(dict(zip(names, row, strict=True))) for row in rows]
            except ValueError as error:
                raise ExportRefused(
                    f"{table.label} holds a number that is not finite: {error}."
                ) from error
            lines.write(("\n".join(written) + "\n").encode())
            sheet.writerows([csv_value(value) for value in row] for row in rows)
            total += len(rows)
    return total


def _groups(table: Table, names: list[str]) -> Iterator[list[list[Any]]]:
    size = 1 if table.has_files else ROWS_AT_A_TIME
    rows = table.model._base_manager.order_by("pk").values_list(*names)
    return groups(map(list, rows.iterator(chunk_size=size)), size)


def _keep_upload(
    folder: _Folder, row: dict[str, Any], problems: list[dict[str, str]]
) -> None:
    """Copy an uploaded file, byte for byte; note if it is missing or damaged."""
    stored_as = row["stored_as"]
    if not stored_as:
        return
    try:
        content = read_upload(stored_as)
    except FileNotFoundError:
        problems.append({"stored_as": stored_as, "problem": "missing", "sha256": ""})
        return
    digest = folder.keep_file(content)
    if digest != row["sha256"]:
        problem = {"stored_as": stored_as, "problem": "damaged", "sha256": digest}
        problems.append(problem)


def _write_reports(folder: _Folder) -> int:
    """Write each accepted event as JSON that the API accepts as a report."""
    events = Event.objects.select_related("submission", "affiliate").order_by("pk")
    count = 0
    for event in events.iterator(chunk_size=200):
        folder.write(f"reports/{event.pk}.json", export_json(event))
        count += 1
    return count
