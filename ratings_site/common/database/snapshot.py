"""Reading for a long time, as if nobody wrote."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """See in all queries what was committed before the first one; keep nobody waiting.

    Inside a transaction that has begun already, what that one sees is seen.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
    else:
        with _reading(), transaction.atomic():
            yield


@contextmanager
def _reading() -> Iterator[None]:
    """Let a transaction on SQLite begin as a reader, which no writer waits for."""
    connection.ensure_connection()
    usual = connection.transaction_mode
    connection.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        connection.transaction_mode = usual
