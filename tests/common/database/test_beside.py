"""Work on further connections, beside what this one does."""

import threading

import pytest
from django.db import IntegrityError, connection

from ratings_site.common.database.beside import Beside
from ratings_site.common.models import Office
from tests.real_office import wait_for


def who_works() -> int:
    """Return which process of PostgreSQL serves this thread."""
    connection.ensure_connection()
    return connection.connection.info.backend_pid


def is_there(process: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [process])
        return cursor.fetchone() is not None


@pytest.fixture
def apart(transactional_db):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer.")


def test_pieces_are_done_side_by_side_on_connections_of_their_own(apart):
    both, workers = threading.Barrier(2, timeout=10), set()

    def work() -> int:
        both.wait()  # neither goes on before the other has begun
        workers.add(who_works())
        return 7

    with Beside() as beside:
        assert beside.is_apart
        answers = [beside.do(work) for _ in range(2)]
        assert [answer() for answer in answers] == [7, 7]
    assert len(workers) == 2
    assert who_works() not in workers
    wait_for(lambda: not any(map(is_there, workers)))


def test_pieces_do_not_wait_for_the_disk_and_who_has_them_done_does(apart):
    def waits() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return cursor.fetchone()[0]

    with Beside() as beside:
        assert beside.do(waits)() == "off"
    assert waits() == "on"


def test_what_rests_on_pieces_is_done_after_them(apart):
    may_end, done = threading.Event(), []

    def slow() -> None:
        may_end.wait(10)
        done.append("slow")

    with Beside() as beside:
        answers = [beside.do(slow), beside.do(lambda: done.append("quick"))]
        beside.do(lambda: done.append("last"), after=answers)
        wait_for(lambda: "quick" in done)
        may_end.set()
        beside.wait()
    assert done == ["quick", "slow", "last"]


def test_one_waits_until_few_enough_pieces_are_left(apart):
    may_end, done = threading.Event(), []

    def slow() -> None:
        may_end.wait(10)
        done.append("slow")

    with Beside() as beside:
        for work in (slow, lambda: done.append("quick"), slow):
            beside.do(work)
        threading.Timer(0.1, may_end.set).start()
        beside.wait(until=1)
        assert {"slow", "quick"} <= set(done)
        beside.wait()
        assert done.count("slow") == 2


def test_fault_beside_is_raised_here_and_nothing_of_its_piece_stays(apart):
    def add_and_fail() -> None:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE made_beside (id int)")
        raise IntegrityError("refused")

    with Beside() as beside:
        beside.do(add_and_fail)
        with pytest.raises(IntegrityError, match="refused"):
            beside.wait()
    assert "made_beside" not in connection.introspection.table_names()


def test_nothing_is_done_that_rests_on_a_piece_which_failed(apart):
    def fail() -> None:
        raise IntegrityError("refused")

    done = []
    with Beside() as beside:
        failed = beside.do(fail)
        resting = beside.do(lambda: done.append("resting"), after=[failed])
        with pytest.raises(IntegrityError, match="refused"):
            resting()
        later = beside.do(lambda: done.append("later"))
        with pytest.raises(IntegrityError, match="refused"):
            later()
    assert not done


def test_inside_a_transaction_work_is_done_at_once(db):
    with Beside() as beside:
        assert not beside.is_apart
        assert beside.do(lambda: Office.objects.update(name="Beside"))() <= 1
        assert set(Office.objects.values_list("name", flat=True)) <= {"Beside"}
