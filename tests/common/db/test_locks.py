"""A lock is held until its transaction ends."""

from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection, transaction

from ratings_site.common.db.locks import RatingsBusy, acquire_lock, lock_ratings


@pytest.mark.django_db(transaction=True)
def test_lock_needs_a_transaction():
    with pytest.raises(RuntimeError, match="needs a transaction"):
        lock_ratings()


class Holder:
    """Another worker, which takes a lock and holds it until released."""

    def __init__(self, name: str) -> None:
        self.has_it, self.go_on = Event(), Event()
        self._thread = Thread(target=self._work, args=[name])

    def _work(self, name: str) -> None:
        try:
            with transaction.atomic():
                acquire_lock(name)
                self.has_it.set()
                self.go_on.wait(timeout=20)
        finally:
            connection.close()

    def __enter__(self) -> "Holder":
        self._thread.start()
        assert self.has_it.wait(timeout=10)
        return self

    def __exit__(self, *_: object) -> None:
        self.go_on.set()
        self._thread.join(timeout=10)


@pytest.fixture
def _two_connections():
    if connection.vendor != "postgresql":
        pytest.skip(
            "On SQLite the transaction itself is the lock, and the tests' database "
            "in memory has one connection."
        )


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_two_connections")
def test_lock_held_for_too_long_by_another_worker_says_so():
    with (
        Holder("ratings"),
        pytest.raises(RatingsBusy, match="is locked by another worker"),
        transaction.atomic(),
    ):
        acquire_lock("ratings", seconds=1)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_two_connections")
def test_locks_of_other_names_are_free_and_end_with_the_transaction():
    with Holder("ratings"), transaction.atomic():
        acquire_lock("event-ids", seconds=1)
        assert asked(HELD) == 1
    with transaction.atomic():
        acquire_lock("ratings", seconds=1)
        assert asked(HELD) == 1
    assert asked(HELD) == 0


HELD = """SELECT count(*) FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid()"""


def asked(sql: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_two_connections")
def test_lock_can_be_taken_again_in_its_transaction():
    with transaction.atomic():
        for name in ("ratings", "ratings", "event-ids"):
            acquire_lock(name, seconds=1)
        assert asked(HELD) == 2


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_two_connections")
@pytest.mark.parametrize("before", ["0", "3s"])
def test_patience_for_the_lock_is_not_that_of_what_comes_after(before):
    with transaction.atomic():
        asked(f"SELECT set_config('lock_timeout', '{before}', true)")
        acquire_lock("ratings", seconds=7)
        assert asked("SHOW lock_timeout") == before
    assert asked("SHOW lock_timeout") == "0"
