"""Parallel tasks on other connections."""

import threading

import pytest
from django.db import IntegrityError, connection

from ratings_site.common.db.parallel import ParallelConnections
from ratings_site.common.models import Office
from tests.live_office import wait_for


def server_pid() -> int:
    """Return the PostgreSQL backend of this thread."""
    connection.ensure_connection()
    return connection.connection.info.backend_pid


def is_connected(process: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [process])
        return cursor.fetchone() is not None


@pytest.fixture
def needs_postgresql(transactional_db):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer.")


def test_pieces_are_done_side_by_side_on_connections_of_their_own(needs_postgresql):
    both, workers = threading.Barrier(2, timeout=10), set()

    def work() -> int:
        both.wait()  # neither continues before the other has started
        workers.add(server_pid())
        return 7

    with ParallelConnections() as beside:
        assert beside.is_parallel
        answers = [beside.do(work) for _ in range(2)]
        assert [answer() for answer in answers] == [7, 7]
    assert len(workers) == 2
    assert server_pid() not in workers
    wait_for(lambda: not any(map(is_connected, workers)))


def test_pieces_do_not_wait_for_the_disk_and_who_has_them_done_does(needs_postgresql):
    def waits() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return cursor.fetchone()[0]

    with ParallelConnections() as beside:
        assert beside.do(waits)() == "off"
    assert waits() == "on"


def test_what_rests_on_pieces_is_done_after_them(needs_postgresql):
    may_end, done = threading.Event(), []

    def slow() -> None:
        may_end.wait(10)
        done.append("slow")

    with ParallelConnections() as beside:
        answers = [beside.do(slow), beside.do(lambda: done.append("quick"))]
        beside.do(lambda: done.append("last"), after=answers)
        wait_for(lambda: "quick" in done)
        may_end.set()
        beside.wait()
    assert done == ["quick", "slow", "last"]


def test_one_waits_until_few_enough_pieces_are_left(needs_postgresql):
    may_end, done = threading.Event(), []

    def slow() -> None:
        may_end.wait(10)
        done.append("slow")

    with ParallelConnections() as beside:
        for work in (slow, lambda: done.append("quick"), slow):
            beside.do(work)
        threading.Timer(0.1, may_end.set).start()
        beside.wait(until=1)
        assert {"slow", "quick"} <= set(done)
        beside.wait()
        assert done.count("slow") == 2


def test_error_on_a_parallel_connection_is_raised_and_rolled_back(needs_postgresql):
    def add_and_fail() -> None:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE made_beside (id int)")
        raise IntegrityError("refused")

    with ParallelConnections() as beside:
        beside.do(add_and_fail)
        with pytest.raises(IntegrityError, match="refused"):
            beside.wait()
    assert "made_beside" not in connection.introspection.table_names()


def test_nothing_is_done_that_rests_on_a_piece_which_failed(needs_postgresql):
    def fail() -> None:
        raise IntegrityError("refused")

    done = []
    with ParallelConnections() as beside:
        failed = beside.do(fail)
        resting = beside.do(lambda: done.append("resting"), after=[failed])
        with pytest.raises(IntegrityError, match="refused"):
            resting()
        later = beside.do(lambda: done.append("later"))
        with pytest.raises(IntegrityError, match="refused"):
            later()
    assert not done


def test_inside_a_transaction_work_is_done_at_once(db):
    with ParallelConnections() as beside:
        assert not beside.is_parallel
        assert beside.do(lambda: Office.objects.update(name="Beside"))() <= 1
        assert set(Office.objects.values_list("name", flat=True)) <= {"Beside"}
