"""Threads with database connections of their own."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

Work = Callable[[], None]
T = TypeVar("T")
Result = Callable[[], T]
"""Waits for a task and returns its result or raises its exception."""
# While one thread waits for the database, the other prepares the next task.
CONNECTIONS = 2
# Pending tasks hold their rows in memory.
MAX_PENDING = CONNECTIONS + 1


class ParallelConnections:
    """Runs tasks on two connections, each task in its own transaction.

    They start in order, two at a time, and none starts after one has failed. Inside a
    transaction, whose rows other connections cannot see, and on SQLite, which has one
    writer, nothing *is_parallel*: each task runs at once on the caller's connection.

    Tasks commit asynchronously. Their writes are durable at the latest when the caller
    commits, because the write-ahead log is sequential.
    """

    def __init__(self) -> None:
        self.is_parallel = (
            connection.vendor == "postgresql" and not connection.in_atomic_block
        )
        self._pool = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="parallel")
        self._connections: list[BaseDatabaseWrapper] = []
        self._failure: Exception | None = None
        self._pending: deque[Future[Any]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for work in self._pending:
            work.cancel()
        self._pool.shutdown()
        for one in self._connections:
            one.close()

    def do(self, work: Callable[[], T], after: Sequence[Result[Any]] = ()) -> Result[T]:
        """Submit a task; return a function that waits for its result.

        *after* are the results of earlier tasks that it depends on.
        """
        if not self.is_parallel:
            answer = work()
            return lambda: answer
        found = self._pool.submit(self._in_a_transaction, work, after)
        self._pending.append(found)
        return found.result

    def wait(self, until: int = 0) -> None:
        """Wait until at most *until* tasks are pending; raise a task's exception."""
        while len(self._pending) > until:
            self._pending.popleft().result()

    def _in_a_transaction(
        self, work: Callable[[], T], after: Sequence[Result[Any]]
    ) -> T:
        if self._failure is not None:
            raise self._failure
        try:
            for answer in after:
                answer()
            self._note_connection()
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL synchronous_commit = off")
                return work()
        except Exception as error:
            self._failure = error
            raise

    def _note_connection(self) -> None:
        """Remember this thread's connection, to close it at the end."""
        here = connections[DEFAULT_DB_ALIAS]
        if here not in self._connections:
            here.inc_thread_sharing()
            self._connections.append(here)
