"""An office in real processes, on a database of its own."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from django.db import DEFAULT_DB_ALIAS, ConnectionHandler, connections

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 120
# A script that has not ended by then never will.
SCRIPT_TIMEOUT = 900

PREPARE = """
import django; django.setup()
from tests.factories import *
td = make_td()
players = {players}
ratings = [{{"OTBR": (1500.0 + number % 700, 40)}} for number in range(players)]
members = [make_player(ratings=rating) for rating in ratings]
section = section_report(members, swiss_rows(players, {rounds}))
event = accepted_event(td, event_report(td, [section]))
"""

RATING_JOB = "FROM common_job WHERE kind = 'ratings.rate_section'"

ENDLESS = """BEGIN
    WITH RECURSIVE time(passed) AS (SELECT 0 UNION ALL SELECT passed + 1 FROM time)
    SELECT max(passed) FROM time;
END"""


class Office:
    """One database, and the processes that work on it."""

    def __init__(self, **environment: str) -> None:
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "ratings_site.settings",
            "SECRET_KEY": "only for tests, but as long as production asks for",
            "JOB_STALE_SECONDS": "2",
            "JOB_SWEEP_SECONDS": "0.5",
            **environment,
        }
        self.processes: list[subprocess.Popen] = []

    def python(self, code: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=SCRIPT_TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def migrate(self) -> None:
        self.python(
            "import django; django.setup()\n"
            "from django.core.management import call_command\n"
            "call_command('migrate', verbosity=0)"
        )

    def prepare(self, *, players: int, rounds: int = 3, **environment: str) -> None:
        self.python(PREPARE.format(players=players, rounds=rounds), **environment)

    def start(self, *arguments: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    @staticmethod
    def kill(process: subprocess.Popen) -> None:
        """Kill the process and its children without any warning."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                self.kill(process)

    def report(self) -> dict:
        rated = "FROM ratings_calculation WHERE section_id IS NOT NULL"
        of_sections = f"calculation_id IN (SELECT id {rated})"
        return {
            "job": self.rows(f"SELECT state, attempts {RATING_JOB}"),
            "section": self.ask("SELECT status FROM events_section"),
            "calculations": self.ask(f"SELECT count(*) {rated}"),
            "changes": self.ask(
                f"SELECT count(*) FROM ratings_ratingchange WHERE {of_sections}"  # noqa: S608
            ),
            "games": self.ask("SELECT sum(games) FROM ratings_playerrating"),
            "audited": self.ask(
                "SELECT count(*) FROM common_auditentry WHERE action = 'section.rated'"
            ),
        }

    def rows(self, query: str) -> list[tuple]:
        """Return what *query* finds, without a process of the office."""
        if address := self.environment["DATABASE_URL"]:
            with psycopg.connect(address) as connection:
                return connection.execute(query).fetchall()
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query).fetchall()

    def ask(self, query: str):
        """Return the one value that *query* finds."""
        [[value]] = self.rows(query)
        return value

    @contextmanager
    def hang_at(self, act: str) -> Iterator[None]:
        """Block the first *act*, such as ``INSERT ON table``, until a kill.

        For SQLite: so the kill comes in the middle of even a short job.
        """
        with closing(sqlite3.connect(self.database)) as connection:
            connection.execute(f"CREATE TRIGGER stuck BEFORE {act} {ENDLESS}")
        yield
        with closing(sqlite3.connect(self.database)) as connection:
            connection.execute("DROP TRIGGER stuck")

    @contextmanager
    def worker_waiting_for_lock(self) -> Iterator[subprocess.Popen]:
        """Start a worker, and go on once it waits for the lock of all ratings.

        For PostgreSQL: it has claimed its job and begun its transaction by then. Locks
        of other databases are no sign of it: other tests wait for theirs meanwhile.
        """
        waiting = (
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
            "AND database = (SELECT oid FROM pg_database "
            "WHERE datname = current_database())"
        )
        with psycopg.connect(self.environment["DATABASE_URL"]) as holder:
            holder.execute("SELECT pg_advisory_xact_lock(%s)", [zlib.crc32(b"ratings")])
            worker = self.start("worker", "--processes", "1")
            wait_for(lambda: self.ask(waiting))
            yield worker

    @property
    def database(self) -> Path:
        return Path(self.environment["DATA_DIR"]) / "office.sqlite3"

    def wait_until_rated(self) -> dict:
        wait_for(lambda: self.ask(f"SELECT state {RATING_JOB}") == "done")
        return self.report()


class EmbeddedOffice(Office):
    """An office on SQLite, which can be prepared without starting a process."""

    def python(self, code: str, **_: str) -> str:
        with database_of_office(self.database):
            exec(code, {})  # noqa: S102 (our own)
        return ""


@contextmanager
def database_of_office(path: Path) -> Iterator[None]:
    """Let this process work on an office's SQLite file instead of its own database."""
    own = connections[DEFAULT_DB_ALIAS]
    file = {"ENGINE": "django.db.backends.sqlite3", "NAME": path}
    connections[DEFAULT_DB_ALIAS] = ConnectionHandler({DEFAULT_DB_ALIAS: file})[
        DEFAULT_DB_ALIAS
    ]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS].close()
        connections[DEFAULT_DB_ALIAS] = own


@contextmanager
def scratch_database(database_url: str, name: str, template: str = "template1"):
    """Make a database for a while; yield its address."""
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        yield f"{database_url.rsplit('/', 1)[0]}/{name}"
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def wait_for(what, seconds: float = PATIENCE):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.05)
    return pytest.fail("It did not happen in time.")
