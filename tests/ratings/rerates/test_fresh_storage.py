"""Large runs are written into a table of their own, which then joins the ledger."""

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
from ratings.rerates.services import publishing, replay, shadow
from ratings.rerates.services.ledger_rows import NewLines
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.running import work_on
from ratings.rerates.services.shadow import Shadow
from ratings.rerates.services.starting import start_rerate
from ratings_site.common.database import binary_copy, fresh_storage
from ratings_site.common.database.beside import Work
from ratings_site.common.database.fresh_storage import FIRST_STRETCH
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import Job
from tests.races import at_once, wait_until_somebody_waits
from tests.ratings.rerates.offices import ledger, ratings, undone
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    in_order,
    office,
    rated_in_this_order,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _always_fresh(monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no partitions.")
    monkeypatch.setattr(shadow, "FRESH_FROM", 1)


def rerate() -> Run:
    run = start_rerate(actor=None, reason="Go.", whole_history=True)
    work_off()
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
    insist,
    way,
    fresh_from,
):
    monkeypatch.setattr(shadow, "FRESH_FROM", fresh_from)
    if way == "row by row":
        monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    elif not binary_copy.is_possible():
        assert not insist, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")
    if way == "compiled":
        monkeypatch.setattr(replay, "COMPILE_FROM_BYTES", 0)
    wanted = in_order(office)
    rated_in_this_order(office, [2, 1, 0])
    run = rerate()
    is_fresh = lines_of(run).order_by("pk").first().pk >= FIRST_STRETCH
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


@pytest.mark.parametrize("last_step", ["finish", "_look", "join"])
def test_what_a_dead_worker_left_joins_the_ledger(office, monkeypatch, last_step):  # noqa: F811
    wanted = in_order(office)
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    with monkeypatch.context() as broken:
        broken.setattr(Shadow, last_step, _die)
        work_off(limit=1)
    run = Run.objects.get(kind="rerate")
    written = set(run.calculation_set.values_list("pk", flat=True))
    assert written
    assert not lines_of(run).exists()
    Job.objects.filter(kind="ratings.rerate").update(run_after=run.created_at)
    work_off()
    run.refresh_from_db()
    assert (run.status, run.pass_number) == ("ready", 2)
    assert set(run.calculation_set.values_list("pk", flat=True)) == written
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == wanted


def _die(*_):
    raise OSError("The machine went down.")


@pytest.mark.django_db(transaction=True)
def test_joining_keeps_nobody_from_editing_members(office, monkeypatch):  # noqa: F811
    """Somebody edits a member for long: the join waits, and others edit meanwhile."""
    monkeypatch.setattr(fresh_storage, "STEP_SECONDS", 0.2)
    monkeypatch.setattr(fresh_storage, "PAUSE_SECONDS", 0.1)
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
            # Within a transaction one sees no connection that begins after it.
            wait_until_somebody_waits(1)
            cursor.execute("SET lock_timeout = '5s'")
            for _ in range(3):
                cursor.execute(edit, [other])
                time.sleep(0.2)
            first.execute("COMMIT")
        return 3

    may_begin = Event()

    def rate_again() -> None:
        assert may_begin.wait(timeout=10)
        work_off()

    assert at_once(edit_meanwhile, rate_again) == [3, None]
    run = Run.objects.get(kind="rerate")
    assert (run.status, run.pass_number) == ("ready", 1)
    assert lines_of(run).order_by("pk").first().pk >= FIRST_STRETCH


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fresh_from", [1, 10**6])
def test_lines_that_did_not_come_beside_are_written_by_the_next_worker(
    office,  # noqa: F811
    monkeypatch,
    insist,
    fresh_from,
):
    """A connection beside fails in the middle: what it wrote is there whole, or not."""
    if not binary_copy.is_possible():
        assert not insist, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")
    monkeypatch.setattr(shadow, "FRESH_FROM", fresh_from)
    monkeypatch.setattr(tasks, "work_on", partial(work_on, chunk_rows=4))
    wanted = in_order(office)
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    begun, copying_of = [], Shadow._copying_of

    def be_cut() -> None:
        assert threading.current_thread() is not threading.main_thread()
        raise OSError("The line was cut.")

    def fail_at_the_second(shadow: Shadow, new: NewLines) -> Work:
        begun.append(new)
        return be_cut if len(begun) == 2 else copying_of(shadow, new)

    monkeypatch.setattr(Shadow, "_copying_of", fail_at_the_second)
    work_off(limit=1)
    run = Run.objects.get(kind="rerate")
    # In a fresh table nobody sees the lines that had come.
    assert run.status == "running"
    assert (lines_of(run).count() == 0) == (fresh_from == 1)
    assert run.calculation_set.filter(changes=None).exists() == (fresh_from == 1)
    first_pass = run.calculation_set.count()
    Job.objects.filter(kind="ratings.rerate").update(run_after=run.created_at)
    work_off()
    run.refresh_from_db()
    assert (run.status, run.pass_number) == ("ready", 2)
    # What has come is kept; what goes on from what did not come is made again.
    final = run.calculation_set.filter(superseded_by=None)
    kept = final.filter(pass_number=1).count()
    assert 0 < kept <= first_pass
    assert final.filter(pass_number=2).exists()
    assert not final.filter(changes=None).exists()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == wanted
    call_command("audit", full=True)


@pytest.mark.django_db(transaction=True)
def test_worker_whose_job_was_taken_over_writes_no_more_beside(
    office,  # noqa: F811
    monkeypatch,
    insist,
):
    if not binary_copy.is_possible():
        assert not insist, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")
    monkeypatch.setattr(tasks, "work_on", partial(work_on, chunk_rows=4))
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    run = Run.objects.get(kind="rerate")
    written, write = [], Shadow.write

    def be_overtaken(self, chunk, part) -> None:
        write(self, chunk, part)
        self._beside.wait()
        if not written and run.calculation_set.exists():
            written.append(run.calculation_set.count())
            Job.objects.filter(kind="ratings.rerate").update(attempts=9)

    monkeypatch.setattr(Shadow, "write", be_overtaken)
    work_off(limit=1)
    assert written == [run.calculation_set.count()]


def test_step_that_waits_too_often_says_so(monkeypatch):
    monkeypatch.setattr(fresh_storage, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(fresh_storage, "MOST_TRIES", 3)
    tries = []

    def step() -> None:
        tries.append(1)
        with connection.cursor() as cursor:
            cursor.execute(
                "DO $$ BEGIN RAISE lock_not_available USING MESSAGE = 'held'; END $$"
            )

    with pytest.raises(OperationalError, match="held"):
        fresh_storage._gently(step)
    assert len(tries) == 3


def test_many_flags_are_counted_when_they_move(office, monkeypatch):  # noqa: F811
    """Counted before, they have PostgreSQL take no calculation for current."""
    monkeypatch.setattr(publishing, "MANY", 1)
    rated_in_this_order(office, [2, 1, 0])
    run = rerate()
    count_without_current()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    current = Calculation.objects.filter(is_current=True)
    assert current_by_its_count() == current.count() > 0
    count_without_current()
    undone(run)
    assert current_by_its_count() == current.count() > 0


def count_without_current() -> None:
    """Have PostgreSQL count while nothing is current, as before a first rerate."""
    current = Calculation.objects.filter(is_current=True)
    numbers = list(current.values_list("pk", flat=True))
    Calculation.objects.filter(pk__in=numbers).update(is_current=False)
    shadow.look_at_calculations()
    Calculation.objects.filter(pk__in=numbers).update(is_current=True)
    assert current_by_its_count() == 0


def current_by_its_count() -> int:
    """Return how many calculations PostgreSQL believes to be current."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT greatest(reltuples, 0) FROM pg_class "
            "WHERE relname = 'calculations_in_rating_order'"
        )
        return int(cursor.fetchone()[0])
