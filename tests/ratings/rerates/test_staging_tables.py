"""Large runs are written into a staging table, which then joins the ledger."""

import threading
import time
from contextlib import closing
from functools import partial
from threading import Event

import pytest
from django.core.management import call_command
from django.db import IntegrityError, OperationalError, connection, transaction

from ratings.models import Calculation, RatingChange, Run
from ratings.rerates import tasks
from ratings.rerates.services import publishing, replay, staged_ledger
from ratings.rerates.services.execution import run_rerate
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.staged_ledger import StagedLedger
from ratings.rerates.services.start import start_rerate
from ratings_site.common.db import binary_copy, staging_table
from ratings_site.common.db.binary_copy import write_columns
from ratings_site.common.db.staging_table import FIRST_STAGING_ID
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.concurrency import run_concurrently, wait_for_lock_waiters
from tests.ratings.rerates.factories import ledger, ratings, undo_published
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    events_in_order,
    office,
    rated_in_this_order,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _always_use_staging(monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no partitions.")
    monkeypatch.setattr(staged_ledger, "STAGING_TABLE_MIN_LINES", 1)


def rerate() -> Run:
    run = start_rerate(actor=None, reason="Go.", whole_history=True)
    run_due_jobs()
    run.refresh_from_db()
    assert run.status == "ready", run.message
    return run


def lines_of(run: Run):
    return RatingChange.objects.filter(calculation__run=run)


@pytest.mark.parametrize("fresh_from", [1, 10**6])
@pytest.mark.parametrize("way", ["compiled", "column by column", "row by row"])
def test_lines_are_the_same_in_whichever_way_they_are_written(
    office,  # noqa: F811
    monkeypatch,
    require_services,
    way,
    fresh_from,
):
    monkeypatch.setattr(staged_ledger, "STAGING_TABLE_MIN_LINES", fresh_from)
    if way == "row by row":
        monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    elif not binary_copy.is_possible():
        assert not require_services, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")
    if way == "compiled":
        monkeypatch.setattr(replay, "COMPILE_FROM_BYTES", 0)
    wanted = events_in_order(office)
    rated_in_this_order(office, [2, 1, 0])
    run = rerate()
    is_fresh = lines_of(run).order_by("pk").first().pk >= FIRST_STAGING_ID
    assert is_fresh == (fresh_from == 1)
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == wanted
    call_command("audit", full=True)


def test_lines_in_a_table_of_their_own_are_history(office):  # noqa: F811
    rated_in_this_order(office, [2, 1, 0])
    line = lines_of(rerate()).first()
    with pytest.raises(IntegrityError, match="is history"), transaction.atomic():
        RatingChange.objects.filter(pk=line.pk).update(post_rating=2000.0)
    with pytest.raises(IntegrityError, match="is history"), transaction.atomic():
        RatingChange.objects.filter(pk=line.pk).delete()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tableoid::regclass FROM ratings_ratingchange WHERE id = %s",
            [line.pk],
        )
        [[own]] = cursor.fetchall()
        assert own != "ratings_ratingchange_first"
        with pytest.raises(IntegrityError, match="is history"), transaction.atomic():
            cursor.execute(f"TRUNCATE {own} CASCADE")


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        ({}, "duplicate key"),
        ({"post_rating": 99.0}, "no_rating_below_100"),
        ({"calculation_id": 10**9}, "foreign key"),
        ({"player_id": 10**9}, "foreign key"),
    ],
)
def test_constraints_hold_in_a_table_of_their_own(office, changed, refusal):  # noqa: F811
    rated_in_this_order(office, [2, 1, 0])
    line = lines_of(rerate()).order_by("-pk").first()
    line.pk += 1
    for name, value in changed.items():
        setattr(line, name, value)
    with pytest.raises(IntegrityError, match=refusal):
        insert_now(line)


def insert_now(line: RatingChange) -> None:
    """Insert a line and have its foreign keys checked at once."""
    with transaction.atomic(), connection.cursor() as cursor:
        line.save(force_insert=True)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize("last_step", ["finish", "_analyze", "join"])
def test_what_a_dead_worker_left_joins_the_ledger(office, monkeypatch, last_step):  # noqa: F811
    wanted = events_in_order(office)
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    with monkeypatch.context() as broken:
        broken.setattr(StagedLedger, last_step, _die)
        run_due_jobs(limit=1)
    run = Run.objects.get(kind="rerate")
    written = set(run.calculation_set.values_list("pk", flat=True))
    assert written
    assert not lines_of(run).exists()
    Job.objects.filter(kind="ratings.rerate").update(run_after=run.created_at)
    run_due_jobs()
    run.refresh_from_db()
    assert (run.status, run.pass_number) == ("ready", 2)
    assert set(run.calculation_set.values_list("pk", flat=True)) == written
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == wanted


def _die(*_):
    raise OSError("The machine went down.")


@pytest.mark.django_db(transaction=True)
def test_attaching_partitions_does_not_block_member_edits(office, monkeypatch):  # noqa: F811
    """A long edit of a member delays the join, and other edits go on meanwhile."""
    monkeypatch.setattr(staging_table, "STEP_SECONDS", 0.2)
    monkeypatch.setattr(staging_table, "PAUSE_SECONDS", 0.1)
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    edit = "UPDATE players_player SET residence = residence WHERE id = %s"
    one, other = (player.pk for player in office[1][:2])

    def edit_meanwhile() -> int:
        long = connection.copy()
        with closing(long), long.cursor() as first, connection.cursor() as cursor:
            first.execute("BEGIN")
            first.execute(edit, [one])
            may_begin.set()
            # A transaction does not see connections that begin after it.
            wait_for_lock_waiters(1)
            cursor.execute("SET lock_timeout = '5s'")
            for _ in range(3):
                cursor.execute(edit, [other])
                time.sleep(0.2)
            first.execute("COMMIT")
        return 3

    may_begin = Event()

    def rate_again() -> None:
        assert may_begin.wait(timeout=10)
        run_due_jobs()

    assert run_concurrently(edit_meanwhile, rate_again) == [3, None]
    run = Run.objects.get(kind="rerate")
    assert (run.status, run.pass_number) == ("ready", 1)
    assert lines_of(run).order_by("pk").first().pk >= FIRST_STAGING_ID


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fresh_from", [1, 10**6])
def test_lines_missing_from_staging_are_written_by_the_next_worker(
    office,  # noqa: F811
    monkeypatch,
    require_services,
    fresh_from,
):
    """A parallel connection fails midway: its table is complete, or absent."""
    if not binary_copy.is_possible():
        assert not require_services, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")
    monkeypatch.setattr(staged_ledger, "STAGING_TABLE_MIN_LINES", fresh_from)
    monkeypatch.setattr(tasks, "run_rerate", partial(run_rerate, chunk_rows=4))
    wanted = events_in_order(office)
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    begun = []

    def fail_at_the_second(model, columns, **options) -> None:
        begun.append(model)
        if begun.count(RatingChange) == 2 and model is RatingChange:
            assert threading.current_thread() is not threading.main_thread()
            raise OSError("The line was cut.")
        write_columns(model, columns, **options)

    monkeypatch.setattr(staged_ledger, "write_columns", fail_at_the_second)
    run_due_jobs(limit=1)
    run = Run.objects.get(kind="rerate")
    # The lines in a new staging table are not visible.
    assert run.status == "running"
    assert (lines_of(run).count() == 0) == (fresh_from == 1)
    assert run.calculation_set.filter(changes=None).exists() == (fresh_from == 1)
    first_pass = run.calculation_set.count()
    Job.objects.filter(kind="ratings.rerate").update(run_after=run.created_at)
    run_due_jobs()
    run.refresh_from_db()
    assert (run.status, run.pass_number) == ("ready", 2)
    # Written lines are kept; lines that continue missing ones are written again.
    final = run.calculation_set.filter(superseded_by=None)
    kept = final.filter(pass_number=1).count()
    assert 0 < kept <= first_pass
    assert final.filter(pass_number=2).exists()
    assert not final.filter(changes=None).exists()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == wanted
    call_command("audit", full=True)


@pytest.mark.django_db(transaction=True)
def test_worker_that_lost_its_job_stops_writing_to_staging(
    office,  # noqa: F811
    monkeypatch,
    require_services,
):
    if not binary_copy.is_possible():
        assert not require_services, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")
    monkeypatch.setattr(tasks, "run_rerate", partial(run_rerate, chunk_rows=4))
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    run = Run.objects.get(kind="rerate")
    written, write = [], StagedLedger.write

    def lose_job(self, chunk, part) -> None:
        write(self, chunk, part)
        self._parallel.wait()
        if not written and run.calculation_set.exists():
            written.append(run.calculation_set.count())
            Job.objects.filter(kind="ratings.rerate").update(attempts=9)

    monkeypatch.setattr(StagedLedger, "write", lose_job)
    run_due_jobs(limit=1)
    assert written == [run.calculation_set.count()]


def test_step_that_waits_too_often_says_so(monkeypatch):
    monkeypatch.setattr(staging_table, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(staging_table, "MAX_TRIES", 3)
    tries = []

    def step() -> None:
        tries.append(1)
        with connection.cursor() as cursor:
            cursor.execute(
                "DO $$ BEGIN RAISE lock_not_available USING MESSAGE = 'held'; END $$"
            )

    with pytest.raises(OperationalError, match="held"):
        staging_table.with_lock_retry(step)
    assert len(tries) == 3


def test_many_flags_are_counted_when_they_move(office, monkeypatch):  # noqa: F811
    """Analyzed before, PostgreSQL would estimate that no calculation is current."""
    monkeypatch.setattr(publishing, "ANALYZE_THRESHOLD", 1)
    rated_in_this_order(office, [2, 1, 0])
    run = rerate()
    count_without_current()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    current = Calculation.objects.filter(is_current=True)
    assert current_by_its_count() == current.count() > 0
    count_without_current()
    undo_published(run)
    assert current_by_its_count() == current.count() > 0


def count_without_current() -> None:
    """Have PostgreSQL analyze while nothing is current, as before a first rerate."""
    current = Calculation.objects.filter(is_current=True)
    numbers = list(current.values_list("pk", flat=True))
    Calculation.objects.filter(pk__in=numbers).update(is_current=False)
    staged_ledger.analyze_calculations()
    Calculation.objects.filter(pk__in=numbers).update(is_current=True)
    assert current_by_its_count() == 0


def current_by_its_count() -> int:
    """Return PostgreSQL's estimate of the current calculations."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT greatest(reltuples, 0) FROM pg_class "
            "WHERE relname = 'calculations_in_rating_order'"
        )
        return int(cursor.fetchone()[0])
