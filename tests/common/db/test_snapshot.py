"""A snapshot sees what was committed before it, and does not block writers."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from django.db import connection, connections

from ratings_site.common.db.snapshot import snapshot
from ratings_site.common.models import Job
from tests.databases import migrated_file
from tests.live_office import database_of_office

A_JOB = """INSERT INTO common_job
    (kind, key, args, state, attempts, run_after, created_at, message, done_steps,
     total_steps)
    VALUES ('test', 'one', '{}', 'queued', 0, '2024-05-04', '2024-05-04', '', 0, 0)"""


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL: test_books_hold")
def test_writer_does_not_wait_for_a_snapshot_nor_is_seen_in_it(tmp_path):
    shutil.copy(migrated_file(), tmp_path / "office.sqlite3")
    with (
        database_of_office(tmp_path / "office.sqlite3"),
        closing(sqlite3.connect(tmp_path / "office.sqlite3", timeout=0)) as writer,
    ):
        writer.execute("PRAGMA journal_mode=WAL")
        before = Job.objects.count()
        connections["default"].transaction_mode = "IMMEDIATE"
        with snapshot():
            assert Job.objects.count() == before
            with writer:
                writer.execute(A_JOB)
            assert Job.objects.count() == before
        assert Job.objects.count() == before + 1
        assert connections["default"].transaction_mode == "IMMEDIATE"
