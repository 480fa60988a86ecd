"""Load an export into an empty office."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import File
from django.db import DEFAULT_DB_ALIAS, Error, connection, transaction

from ratings_site.common.audit.services import record
from ratings_site.common.db.bulk import analyze_tables, copy_rows
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.db.sequences import restore_last_ids
from ratings_site.common.db.staging_table import (
    FIRST_STAGING_ID,
    ID_RANGE,
    StagingTable,
)
from ratings_site.common.models import Office
from ratings_site.common.uploads.services import upload_storage
from ratings_site.leaving.contents import FILLED_BY_MIGRATE
from ratings_site.leaving.schema import Table, decoders, tables
from ratings_site.leaving.services.exporting import (
    FORMAT,
    MANIFEST,
    SUMS,
    Progress,
    file_name,
    migrations_by_app,
)

_SUM = re.compile(
    r"([0-9a-f]{64})  ((?:tables/|csv/|reports/|files/[0-9a-f]{2}/)?"
    r"[0-9A-Za-z_][0-9A-Za-z_.-]*)",
    re.ASCII,
)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
# What JSON of an unexpected shape raises.
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
# How the columns that an export leaves out are filled.
LEFT_OUT: dict[str, Callable[[], Any]] = {
    "common.User.password": lambda: make_password(None),
    "players.Claim.salt": str,
}


class ImportRefused(Exception):
    """The export cannot be loaded; the message says why."""


class Export:
    """An export whose checksums have been verified."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sums = _read_sums(folder)
        self._verify()
        self.manifest = self._read_manifest()

    def _verify(self) -> None:
        for name, digest in self.sums.items():
            path = self.folder / name
            if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
                raise ImportRefused(
                    f"{name} is in {SUMS}, but it is not a file of the export. "
                    "Copy the export again, with all its files."
                )
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != digest:
                raise ImportRefused(
                    f"{name} does not have the SHA-256 of {SUMS}: it was changed or "
                    "damaged. Copy the export again."
                )

    def path(self, name: str) -> Path:
        """Return the path of a file, which has to be in SHA256SUMS."""
        if name not in self.sums:
            raise ImportRefused(f"{SUMS} has no {name}. Copy the export again.")
        return self.folder / name

    def read_file(self, digest: str) -> bytes:
        return self.file_path(digest).read_bytes()

    def file_path(self, digest: str) -> Path:
        if not (isinstance(digest, str) and _DIGEST.fullmatch(digest)):
            raise ImportRefused(f"{digest!r} is not a SHA-256.")
        return self.path(file_name(digest))

    def _read_manifest(self) -> dict[str, Any]:
        try:
            manifest = json.loads(self.path(MANIFEST).read_text("utf-8"))
            if manifest["format"] != FORMAT:
                raise ImportRefused(
                    f"The export has format {manifest['format']}, and this version "
                    f"reads format {FORMAT}. Install the version that made it: "
                    f"{manifest['application_version']}."
                )
            _compare(manifest)
        except UNREADABLE as error:
            raise ImportRefused(f"{MANIFEST} cannot be read: {error!r}.") from error
        found: dict[str, Any] = manifest
        return found


def _compare(manifest: dict[str, Any]) -> None:
    """Refuse an export of another version or edition."""
    ours = migrations_by_app()
    if manifest["migrations"] != ours:
        apps_ = sorted(
            app
            for app in manifest["migrations"].keys() | ours.keys()
            if manifest["migrations"].get(app) != ours.get(app)
        )
        raise ImportRefused(
            f"The export is of version {manifest['application_version']} with other "
            f"tables than this office, version {settings.VERSION} (migrations of "
            f"{', '.join(apps_)} differ). Install the version that made the export, "
            "import there, then upgrade."
        )
    if manifest["rating_edition"] != settings.RATING_EDITION:
        raise ImportRefused(
            f"The export was rated under edition {manifest['rating_edition']}, and "
            f"this office rates under {settings.RATING_EDITION}. Set RATING_EDITION="
            f"{manifest['rating_edition']}."
        )
    for part in ("rows", "last_ids", "file_problems", "federation"):
        manifest[part]


def _read_sums(folder: Path) -> dict[str, str]:
    path = folder / SUMS
    if not path.is_file():
        raise ImportRefused(
            f"{folder} is not a complete export: it has no {SUMS}. An export gets it "
            "last."
        )
    sums = {}
    try:
        lines = path.read_text("ascii").splitlines()
    except ValueError:
        lines = [""]
    for number, line in enumerate(lines, start=1):
        match = _SUM.fullmatch(line)
        if match is None:
            raise ImportRefused(
                f"{SUMS}, line {number}: expected a SHA-256, two spaces and the name "
                "of a file of the export."
            )
        sums[match[2]] = match[1]
    return sums


def import_office(folder: Path, *, progress: Progress = lambda *_: None) -> Any:
    """Load an export into an empty office, all or nothing; return its manifest."""
    export = Export(folder)
    with transaction.atomic():
        lock_ratings()
        _refuse_unless_empty()
        for label in FILLED_BY_MIGRATE:
            apps.get_model(label)._base_manager.all()._raw_delete(DEFAULT_DB_ALIAS)
        for done, table in enumerate(tables()):
            progress(done, len(tables()))
            with _explained(table):
                rows = _load(export, table)
            if rows != export.manifest["rows"].get(table.label):
                raise ImportRefused(
                    f"{table.path} has {rows} rows, and {MANIFEST} says "
                    f"{export.manifest['rows'].get(table.label)}."
                )
        models = apps.get_models(include_auto_created=True)
        restore_last_ids(models, export.manifest["last_ids"])
        with _explained(None):
            connection.check_constraints()
            record(
                "office.imported",
                subject=Office.objects.first() or Office(pk=1, name=folder.name),
                actor=None,
                facts={"sha256": digest_of(folder)},
            )
        progress(len(tables()), len(tables()))
    analyze_tables()
    Office.refresh()
    return export.manifest


def digest_of(folder: Path) -> str:
    """Return the SHA-256 of SHA256SUMS, which stands for the whole export."""
    return hashlib.sha256((folder / SUMS).read_bytes()).hexdigest()


def _refuse_unless_empty() -> None:
    for table in tables():
        if table.label not in FILLED_BY_MIGRATE and table.model._base_manager.exists():
            name = table.model._meta.verbose_name_plural
            raise ImportRefused(
                f"This office is not empty: it has {name} ({table.label}). Import into "
                "a new database, right after `manage.py migrate`."
            )


@contextmanager
def _explained(table: Table | None) -> Iterator[None]:
    """Turn errors of the database into refusals."""
    try:
        yield
    except (Error, ValueError, OverflowError) as error:
        where = f"{table.path}: " if table else ""
        text = str(error).strip().splitlines()[0]
        raise ImportRefused(f"{where}the database refuses a row: {text}") from error


def _load(export: Export, table: Table) -> int:
    filled = [column for column in table.columns if not column.is_computed]
    left_out = {
        name.rsplit(".", 1)[1]: make
        for name, make in LEFT_OUT.items()
        if name.rsplit(".", 1)[0] == table.label
    }
    names = [column.name for column in filled]
    key = table.model._meta.pk.attname
    rows = (
        [*(row[name] for name in names), *(make() for make in left_out.values())]
        for row in _read_rows(export, table)
    )
    columns = [*names, *left_out]
    if table.has_files:
        return sum(copy_rows(table.model, columns, [row]) for row in rows)
    if connection.vendor != "postgresql" or key != "id":
        return copy_rows(table.model, columns, rows)
    place = names.index(key)

    def number(row: list[Any]) -> int:
        return row[place] // ID_RANGE if row[place] >= FIRST_STAGING_ID else 0

    return sum(
        _load_part(table, columns, number, some)
        for number, some in groupby(rows, number)
    )


def _load_part(
    table: Table, columns: list[str], number: int, rows: Iterator[list[Any]]
) -> int:
    """Load rows, which keys of a rerate's staging table put into a partition."""
    if not number:
        return copy_rows(table.model, columns, rows)
    staging = StagingTable(table.model, number)
    staging.create()
    count = copy_rows(table.model, columns, rows, table=staging.name)
    for step in staging.finishing_steps():
        step()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return count


def _read_rows(export: Export, table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table with the values that the database takes."""
    converts = decoders(table, export.read_file)
    expected = {column.name for column in table.columns}
    damaged = {
        one["stored_as"]: one["sha256"] for one in export.manifest["file_problems"]
    }
    with export.path(table.path).open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line.decode(), parse_constant=_refuse_constant)
                if not isinstance(row, dict) or row.keys() != expected:
                    raise ValueError("the columns are not those of schema.json")
                for name, convert in converts.items():
                    if row[name] is not None:
                        row[name] = convert(row[name])
                if table.has_uploads:
                    _store_upload(export, row, damaged)
            except UNREADABLE as error:
                raise ImportRefused(
                    f"{table.path}, line {number}: {error!s}."
                ) from error
            except SuspiciousFileOperation as error:
                raise ImportRefused(
                    f"{table.path}, line {number}: stored_as is not the name of a "
                    "file in the storage of uploads."
                ) from error
            yield row


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _store_upload(export: Export, row: dict[str, Any], damaged: dict[str, str]) -> None:
    """Store an uploaded file under its former name."""
    name = row["stored_as"]
    digest = damaged.get(name, row["sha256"])
    if name and digest:
        with export.file_path(digest).open("rb") as file:
            row["stored_as"] = upload_storage().save(name, File(file), max_length=200)
