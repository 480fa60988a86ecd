"""Further connections, on which threads work while this one goes on."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

Work = Callable[[], None]
T = TypeVar("T")
Answer = Callable[[], T]
"""Waits until a piece is done and returns what it gave, or raises what it raised."""
# While one lane waits for the database to write, the other lays out what comes next.
LANES = 2
# So much may wait to be written: what waits is held in memory.
MOST_WAITING = LANES + 1


class Beside:
    """Does pieces of work on two lanes, each piece in a transaction of its own.

    They begin in their order, two at a time, and after one has failed no other does.
    Nobody else sees what an open transaction has written, and SQLite has one writer.
    There nothing *is_apart*: each piece is done at once, on the caller's connection.

    No piece waits for the disk: what it has written is there for good at the latest
    when the caller commits, because the database writes its log in one order.
    """

    def __init__(self) -> None:
        self.is_apart = (
            connection.vendor == "postgresql" and not connection.in_atomic_block
        )
        self._lanes = ThreadPoolExecutor(LANES, thread_name_prefix="beside")
        self._connections: list[BaseDatabaseWrapper] = []
        self._failure: Exception | None = None
        self._waiting: deque[Future[Any]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for work in self._waiting:
            work.cancel()
        self._lanes.shutdown()
        for one in self._connections:
            one.close()

    def do(self, work: Callable[[], T], after: Sequence[Answer[Any]] = ()) -> Answer[T]:
        """Have it done beside; return what waits for its answer.

        *after* are the answers of earlier pieces on which it rests.
        """
        if not self.is_apart:
            answer = work()
            return lambda: answer
        found = self._lanes.submit(self._in_a_transaction, work, after)
        self._waiting.append(found)
        return found.result

    def wait(self, until: int = 0) -> None:
        """Wait until no more than so many of the pieces are left.

        Raises what a piece has raised.
        """
        while len(self._waiting) > until:
            self._waiting.popleft().result()

    def _in_a_transaction(
        self, work: Callable[[], T], after: Sequence[Answer[Any]]
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
        """Remember this lane's connection, to close it: each lane has its own."""
        here = connections[DEFAULT_DB_ALIAS]
        if here not in self._connections:
            here.inc_thread_sharing()
            self._connections.append(here)
