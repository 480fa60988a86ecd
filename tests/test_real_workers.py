"""Real processes: killed workers, lost messages, a Redis that is down.

Each test prepares an accepted report in a database of its own and lets real worker
processes rate it. Whatever happens, each section ends up rated exactly once.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import psycopg
import pytest
import redis

# One at a time: they share Redis and a port.
pytestmark = pytest.mark.xdist_group("real workers")

ROOT = Path(__file__).resolve().parent.parent
DEAD_REDIS = "redis://127.0.0.1:1/0"
PATIENCE = 60

PREPARE = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tests.factories import *
td = make_td()
players = {players}
ratings = [{{"OTBR": (1500.0 + number % 700, 40)}} for number in range(players)]
members = [make_player(ratings=rating) for rating in ratings]
section = section_report(members, swiss_rows(players, {rounds}))
event = accepted_event(td, event_report(td, [section]))
"""

REPORT = """
import django; django.setup()
import json
from events.models import Section
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings_site.common.models import AuditEntry, Job
job = Job.objects.get()
print(json.dumps({
    "job": [job.state, job.attempts],
    "section": Section.objects.get().status,
    "calculations": Calculation.objects.filter(section__isnull=False).count(),
    "changes": RatingChange.objects.filter(calculation__section__isnull=False).count(),
    "games": sum(PlayerRating.objects.values_list("games", flat=True)),
    "audited": AuditEntry.objects.filter(action="section.rated").count(),
}))
"""


class Office:
    """One database, and the processes that work on it."""

    def __init__(self, **environment: str) -> None:
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "ratings_site.settings",
            "SECRET_KEY": "only for tests",
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
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

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
        return json.loads(self.python(REPORT))

    def wait_until_rated(self) -> dict:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            report = self.report()
            if report["job"][0] == "done":
                return report
            time.sleep(0.3)
        pytest.fail(f"Not rated in {PATIENCE} s: {report}")


def rated_once(players: int, rounds: int, attempts: int) -> dict:
    return {
        "job": ["done", attempts],
        "section": "rated",
        "calculations": 1,
        "changes": players,
        "games": players * (40 + rounds),
        "audited": 1,
    }


@pytest.fixture
def embedded(tmp_path):
    """An office on SQLite with the worker inside the web process."""
    office = Office(DATA_DIR=str(tmp_path), DATABASE_URL="", REDIS_URL="")
    yield office
    office.stop()


@pytest.fixture
def production(tmp_path, insist):
    """An office on PostgreSQL and Redis, each swept clean."""
    servers = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if not all(servers):
        if insist:
            pytest.fail("DATABASE_URL and REDIS_URL must name real servers.")
        pytest.skip("needs PostgreSQL and Redis: set DATABASE_URL and REDIS_URL")
    database_url, redis_url = servers
    server = database_url.rsplit("/", 1)[0]
    name = f"office_worker_{os.getpid()}"
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        admin.execute(f"CREATE DATABASE {name}")
    redis.Redis.from_url(redis_url).flushdb()
    office = Office(
        DATA_DIR=str(tmp_path), DATABASE_URL=f"{server}/{name}", REDIS_URL=redis_url
    )
    yield office
    office.stop()
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def wait_for(what, seconds: float = PATIENCE):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.005)
    return pytest.fail("It did not happen in time.")


def test_embedded_office_killed_at_work_rates_the_section_once(embedded, tmp_path):
    embedded.prepare(players=600, rounds=9)
    database = sqlite3.connect(tmp_path / "office.sqlite3")

    def running() -> bool:
        query = "SELECT state FROM common_job"
        return database.execute(query).fetchone()[0] == "running"

    first = embedded.start("serve", "--bind", "127.0.0.1:8931")
    wait_for(running)
    embedded.kill(first)
    database.close()
    assert embedded.report()["changes"] == 0
    embedded.start("serve", "--bind", "127.0.0.1:8931")
    assert embedded.wait_until_rated() == rated_once(600, 9, attempts=2)


def test_worker_killed_in_the_middle_leaves_the_section_to_the_next(production):
    production.prepare(players=6)
    with psycopg.connect(production.environment["DATABASE_URL"]) as holder:
        # The worker claims the job, begins its transaction and waits for our lock.
        holder.execute("SELECT pg_advisory_xact_lock(%s)", [zlib.crc32(b"ratings")])
        first = production.start("worker", "--processes", "1")
        with psycopg.connect(
            production.environment["DATABASE_URL"], autocommit=True
        ) as watcher:
            waiting = (
                "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            )
            wait_for(lambda: watcher.execute(waiting).fetchone())
        production.kill(first)
    assert production.report()["changes"] == 0
    production.start("worker", "--processes", "1")
    assert production.wait_until_rated() == rated_once(6, 3, attempts=2)


def test_redis_that_is_down_at_submission_loses_nothing(production):
    began = time.monotonic()
    production.prepare(players=6, REDIS_URL=DEAD_REDIS)
    assert time.monotonic() - began < 30
    assert production.report()["job"] == ["queued", 0]
    production.start("worker", "--processes", "1")
    assert production.wait_until_rated() == rated_once(6, 3, attempts=1)


def test_section_sent_many_times_to_two_workers_is_rated_once(production):
    production.prepare(players=6)
    production.python(
        "import django; django.setup()\n"
        "from ratings_site.common.jobs import run_job\n"
        "from ratings_site.common.models import Job\n"
        "for _ in range(20): run_job.delay(Job.objects.get().pk)"
    )
    production.start("worker", "--processes", "2")
    production.start("worker", "--processes", "2")
    assert production.wait_until_rated() == rated_once(6, 3, attempts=1)
    time.sleep(1)
    assert production.report() == rated_once(6, 3, attempts=1)
