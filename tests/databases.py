"""A migrated database, made once for each state of the migrations and then copied.

To build one takes longer than most files of tests. Copies are brought up to date by
`migrate` all the same, so one that was made too early costs time and nothing else.
"""

import fcntl
import hashlib
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader

from tests.live_office import Office, scratch_database

# In the virtual environment, until `make clean`.
FOLDER = Path(sys.prefix) / ".databases"


def digest() -> str:
    """Return a digest of the migrations, their imports and the watched tables."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    modules = {type(one).__module__ for one in loader.disk_migrations.values()}
    modules |= {
        value.__module__
        for name in modules
        for value in vars(sys.modules[name]).values()
        if callable(value)
    }
    files = {sys.modules[name].__file__ for name in modules if name in sys.modules}
    read = hashlib.sha256(repr(sorted(settings.PRIVATE_TABLES)).encode())
    for file in sorted(filter(None, files)):
        read.update(Path(file).read_bytes())
    return read.hexdigest()[:16]


@contextmanager
def exclusive_lock() -> Iterator[None]:
    """Let one process make a database, and others that want it wait for it."""
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / f"{digest()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def migrated_file() -> Path:
    """Return the SQLite database of an office in which nothing has happened yet."""
    path = FOLDER / f"{digest()}.sqlite3"
    if path.exists():
        return path
    with exclusive_lock():
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
                Office(DATA_DIR=folder, DATABASE_URL="", REDIS_URL="").migrate()
                (Path(folder) / "office.sqlite3").rename(path)
    return path


def migrated_database(database_url: str) -> str:
    """Return the name of the same on the PostgreSQL server of *database_url*."""
    name = f"office_migrated_{digest()}"
    known = "SELECT 1 FROM pg_database WHERE datname = %s"
    with exclusive_lock(), psycopg.connect(database_url, autocommit=True) as admin:
        if not admin.execute(known, [name]).fetchone():
            making = f"{name}_making"
            with (
                scratch_database(database_url, making) as address,
                tempfile.TemporaryDirectory() as folder,
            ):
                Office(DATA_DIR=folder, DATABASE_URL=address, REDIS_URL="").migrate()
                admin.execute(f"ALTER DATABASE {making} RENAME TO {name}")
    return name


def filled(address: str) -> sqlite3.Connection:
    """Copy the migrated file into the memory at *address*; there while this is open."""
    memory = sqlite3.connect(address, uri=True)
    with closing(sqlite3.connect(migrated_file())) as file:
        file.backup(memory)
    return memory


@contextmanager
def migrated_copy() -> Iterator[Callable[[], None]]:
    """Yield what brings the database back as it is now, before the first test."""
    if connection.vendor == "postgresql":
        yield MigratedRows().restore
        return
    with closing(sqlite3.connect(migrated_file())) as migrated:

        def restore() -> None:
            connection.ensure_connection()
            migrated.backup(connection.connection)

        yield restore


class MigratedRows:
    """The rows of a migrated database on PostgreSQL."""

    def __init__(self) -> None:
        # Those of models. The stamp of the page cache is never used again.
        self.tables = connection.introspection.django_table_names(only_existing=True)
        self.rows = {table: self._read(table) for table in self._filled()}

    def _read(self, table: str) -> bytes:
        with (
            connection.cursor() as cursor,
            cursor.copy(f'COPY "{table}" TO STDOUT') as copy,
        ):
            return b"".join(copy)

    def _filled(self) -> list[str]:
        has_rows = """SELECT '{0}' WHERE EXISTS (SELECT FROM "{0}")"""
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(map(has_rows.format, self.tables)))
            return [table for (table,) in cursor.fetchall()]

    def restore(self) -> None:
        """Bring them back. Triggers and foreign keys step aside for it."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            for table in self._filled():
                cursor.execute(f'DELETE FROM "{table}"')  # noqa: S608
            for table, rows in self.rows.items():
                with cursor.copy(f'COPY "{table}" FROM STDIN') as copy:
                    copy.write(rows)
