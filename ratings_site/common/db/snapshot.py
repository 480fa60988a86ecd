"""Consistent reads for long tasks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Read one consistent state in all queries, without blocking writers.

    Inside an open transaction its isolation level applies.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
    else:
        # SQLite transactions start as readers here, which block no writer.
        sqlite: Any = connection
        sqlite.ensure_connection()
        usual = sqlite.transaction_mode
        sqlite.transaction_mode = "DEFERRED"
        try:
            with transaction.atomic():
                yield
        finally:
            sqlite.transaction_mode = usual
