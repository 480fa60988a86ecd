"""A second connection, on which a thread works while this one goes on."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self, TypeVar

from django.db import connection, transaction

Work = Callable[[], None]
Answer = TypeVar("Answer")
# So much may wait to be written: what waits is held in memory.
MOST_WAITING = 2


class Beside:
    """Does pieces of work one after the other, each in a transaction of its own.

    Each rests on those before it, so after one that has failed no other is done.
    Nobody else sees what an open transaction has written, and SQLite has one writer.
    There nothing *is_apart*: each piece is done at once, on the caller's connection.
    """

    def __init__(self) -> None:
        self.is_apart = (
            connection.vendor == "postgresql" and not connection.in_atomic_block
        )
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="beside")
        self._is_used = False
        self._failure: Exception | None = None
        self._waiting: deque[Future[Any]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for work in self._waiting:
            work.cancel()
        if self._is_used:
            self._thread.submit(_close)
        self._thread.shutdown()

    def do(self, work: Callable[[], Answer]) -> Callable[[], Answer]:
        """Have it done after what waits; return what waits for its answer.

        Raises what an earlier piece has raised.
        """
        if not self.is_apart:
            answer = work()
            return lambda: answer
        self._is_used = True
        found = self._thread.submit(self._in_a_transaction, work)
        self._waiting.append(found)
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popleft().result()
        return found.result

    def wait(self) -> None:
        """Wait until all is done; raises what a piece has raised."""
        while self._waiting:
            self._waiting.popleft().result()

    def _in_a_transaction(self, work: Callable[[], Answer]) -> Answer:
        if self._failure is not None:
            raise self._failure
        try:
            with transaction.atomic():
                return work()
        except Exception as error:
            self._failure = error
            raise


def _close() -> None:
    # Looked up in the thread: each has a connection of its own under this name.
    connection.close()
