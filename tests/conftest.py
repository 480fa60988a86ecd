"""What every test needs."""

import os
import shutil
from pathlib import Path

import pytest
import redis
from django.db.backends.sqlite3.base import DatabaseOperations
from django.utils import translation
from hypothesis import settings

from tests.real_office import Office, scratch_database

# The suite that decides whether a change lands tries the same examples each time, so a
# red run is the change's doing. `make fuzz` looks for new ones.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("search", print_blob=True)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True, scope="session")
def _flush_past_history():
    """Let the flush after a transactional test empty append-only tables on SQLite.

    PostgreSQL flushes with TRUNCATE, which row triggers do not see; SQLite deletes
    row by row, so its triggers step aside for the flush and come back after it.
    """
    plain_flush = DatabaseOperations.sql_flush

    def sql_flush(self, style, tables, **kwargs):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
        return [
            *(f"DROP TRIGGER {name}" for name, _ in triggers),
            *plain_flush(self, style, tables, **kwargs),
            *(sql for _, sql in triggers),
        ]

    DatabaseOperations.sql_flush = sql_flush
    yield
    DatabaseOperations.sql_flush = plain_flush


@pytest.fixture(autouse=True)
def _english_first():
    """Begin in English: a request in Spanish leaves its language to the thread."""
    translation.deactivate()


def pytest_addoption(parser):
    parser.addoption(
        "--insist",
        action="store_true",
        help="Fail instead of skipping where a server or browser is missing.",
    )


@pytest.fixture(scope="session")
def insist(pytestconfig) -> bool:
    return pytestconfig.getoption("--insist")


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory) -> Path:
    """The database of an embedded office before anything has happened in it."""
    folder = tmp_path_factory.mktemp("migrated")
    Office(DATA_DIR=str(folder), DATABASE_URL="", REDIS_URL="").migrate()
    return folder / "office.sqlite3"


@pytest.fixture
def embedded(tmp_path, migrated_file):
    """An office on SQLite with the worker inside the web process."""
    shutil.copy(migrated_file, tmp_path)
    office = Office(DATA_DIR=str(tmp_path), DATABASE_URL="", REDIS_URL="")
    yield office
    office.stop()


@pytest.fixture(scope="session")
def servers(insist) -> tuple[str, str]:
    """The addresses of PostgreSQL and Redis."""
    database_url = os.environ.get("DATABASE_URL", "")
    redis_url = os.environ.get("REDIS_URL", "")
    if not (database_url and redis_url):
        if insist:
            pytest.fail("DATABASE_URL and REDIS_URL must name real servers.")
        pytest.skip("needs PostgreSQL and Redis: set DATABASE_URL and REDIS_URL")
    return database_url, redis_url


@pytest.fixture(scope="session")
def migrated_database(servers, tmp_path_factory):
    """The name of a database in which nothing has happened yet."""
    database_url, redis_url = servers
    name = f"office_migrated_{os.getpid()}"
    folder = str(tmp_path_factory.mktemp("migrated"))
    with scratch_database(database_url, name) as address:
        Office(DATA_DIR=folder, DATABASE_URL=address, REDIS_URL=redis_url).migrate()
        yield name


@pytest.fixture
def production(tmp_path, servers, migrated_database):
    """An office on PostgreSQL and Redis, each swept clean."""
    database_url, redis_url = servers
    redis.Redis.from_url(redis_url).flushdb()
    name = f"office_worker_{os.getpid()}"
    with scratch_database(database_url, name, migrated_database) as address:
        office = Office(
            DATA_DIR=str(tmp_path), DATABASE_URL=address, REDIS_URL=redis_url
        )
        yield office
        office.stop()
