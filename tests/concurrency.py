"""Run functions at the same time, each on its own connection."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from threading import Event as Signal
from typing import Any

import pytest
from django.db import connection, transaction


@pytest.fixture(autouse=True)
def needs_two_connections() -> None:
    """Skip a module of such tests on SQLite; it imports this."""
    if connection.vendor != "postgresql":
        pytest.skip(
            "The SQLite database of the tests lives in memory, for one connection; "
            "run these with DATABASE_URL on PostgreSQL."
        )


def run_concurrently(*acts: Callable[[], Any]) -> list[Any]:
    """Start all functions at the same time, each on its own connection.

    Return their results or exceptions, in order.
    """
    start = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            start.wait(timeout=10)
            return act()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def wait_for_lock_waiters(many: int) -> None:
    deadline = time.monotonic() + 10
    while lock_waiters() < many:
        assert time.monotonic() < deadline, "Nobody waited."
        time.sleep(0.01)


def lock_waiters() -> int:
    """Return how many connections to our database wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0]


def run_before_commit(first: Callable[[], Any], second: Callable[[], Any]) -> list[Any]:
    """Let *second* come when *first* has done its work and not yet committed.

    The first commits once the other has ended or waits for it. Returns what each
    returned, or the exception it raised.
    """
    is_done, has_ended = Signal(), Signal()

    def one() -> Any:
        try:
            with transaction.atomic():
                result = first()
                is_done.set()
                _wait_for_lock_waiter(has_ended)
        finally:
            is_done.set()
        return result

    def other() -> Any:
        try:
            assert is_done.wait(timeout=10)
            return second()
        finally:
            has_ended.set()

    return run_concurrently(one, other)


def _wait_for_lock_waiter(has_ended: Signal) -> None:
    deadline = time.monotonic() + 10
    while not has_ended.is_set() and not lock_waiters():
        assert time.monotonic() < deadline, "It neither ended nor waited."
        time.sleep(0.01)
