"""What every test needs."""

import pytest
from django.db.backends.sqlite3.base import DatabaseOperations


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


def pytest_addoption(parser):
    parser.addoption(
        "--insist",
        action="store_true",
        help="Fail instead of skipping where a server or browser is missing.",
    )


@pytest.fixture(scope="session")
def insist(pytestconfig) -> bool:
    return pytestconfig.getoption("--insist")
