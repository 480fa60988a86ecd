"""Work on a second connection, beside what this one does."""

import threading

import pytest
from django.db import IntegrityError, connection

from ratings_site.common.database.beside import MOST_WAITING, Beside
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


def test_work_is_done_in_order_on_another_connection(apart):
    done = []
    with Beside() as beside:
        assert beside.is_apart
        for number in range(10):
            beside.do(lambda number=number: done.append((number, who_works())))
        assert beside.do(lambda: 7)() == 7
    assert [number for number, _ in done] == list(range(10))
    [other] = {process for _, process in done}
    assert other != who_works()
    wait_for(lambda: not is_there(other))


def test_no_more_waits_than_memory_should_hold(apart):
    may_go_on, begun = threading.Event(), []

    def wait() -> None:
        begun.append(1)
        may_go_on.wait(10)

    with Beside() as beside:
        for _ in range(MOST_WAITING):
            beside.do(wait)
        threading.Timer(0.1, may_go_on.set).start()
        beside.do(lambda: None)
        assert may_go_on.is_set()
        assert begun
        beside.wait()


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
        beside.do(fail)
        later = beside.do(lambda: done.append("later"))
        with pytest.raises(IntegrityError, match="refused"):
            later()
    assert not done


def test_inside_a_transaction_work_is_done_at_once(db):
    with Beside() as beside:
        assert not beside.is_apart
        assert beside.do(lambda: Office.objects.update(name="Beside"))() <= 1
        assert set(Office.objects.values_list("name", flat=True)) <= {"Beside"}
