"""Locks that are held until the end of the transaction.

All code takes them in one order, so that no deadlock can arise: the row of the work (a
job, a pending approval), then member imports ("members"), manual member IDs
("member-ids"), reports, event IDs, then all ratings, and last the rows of members,
sections, results and rerates. Code that may add a pending rerate locks the ratings
before it reads: otherwise it does not see what is being rated. Only a part of a rerate
inserts rows, for which nothing waits, before it locks its run and its job.
"""

import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection
from django.utils.translation import gettext as _


class RatingsBusy(Exception):
    """The lock was not free within the timeout; try again later."""


# In seconds. Short enough for a page to report the timeout.
LOCK_TIMEOUT = 20

_names_lock = threading.Lock()
_held_names: set[str] = set()


def acquire_lock(name: str, *, seconds: int = LOCK_TIMEOUT) -> None:
    """Wait for the lock *name* and hold it until the transaction ends.

    SQLite has one writer at a time, and our transactions begin as writers, so there
    the transaction itself is the lock.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("A lock needs a transaction to live in.")
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        try:
            cursor.execute(
                _with_lock_timeout(
                    f"SELECT pg_advisory_xact_lock({zlib.crc32(name.encode())})",
                    f"{int(seconds)}s",
                )
            )
        except OperationalError as error:
            raise RatingsBusy(
                _("{name} is locked by another worker.").format(name=name)
            ) from error


def _with_lock_timeout(statement: str, timeout: str) -> str:
    """Return SQL that applies a lock timeout to this statement only."""
    return (
        "SELECT set_config('office.lock_timeout', current_setting('lock_timeout'), "
        f"true); SET LOCAL lock_timeout = '{timeout}'; {statement}; "
        "SELECT set_config('lock_timeout', current_setting('office.lock_timeout'), "
        "true)"
    )


@contextmanager
def lock_timeout(seconds: float) -> Iterator[None]:
    """Raise OperationalError if a lock or row is not free within *seconds*.

    For use inside a transaction or savepoint, which the error undoes.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        [before] = cursor.fetchone()
        cursor.execute(f"SET LOCAL lock_timeout = {int(seconds * 1000)}")
        yield
        cursor.execute(f"SET LOCAL lock_timeout = '{before}'")


@contextmanager
def try_lock(name: str) -> Iterator[bool]:
    """Take the lock *name* without waiting; yield whether it was free.

    It needs no transaction, so it suits long work. On SQLite there is one process, and
    the lock works between its threads.
    """
    if connection.vendor != "postgresql":
        with _try_process_lock(name) as is_alone:
            yield is_alone
        return
    # Above the numbers of the transaction locks.
    number = 2**32 + zlib.crc32(name.encode())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        [is_alone] = cursor.fetchone()
    try:
        yield is_alone
    finally:
        if is_alone:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])


@contextmanager
def _try_process_lock(name: str) -> Iterator[bool]:
    with _names_lock:
        is_alone = name not in _held_names
        _held_names.add(name)
    try:
        yield is_alone
    finally:
        if is_alone:
            with _names_lock:
                _held_names.discard(name)


def lock_ratings() -> None:
    """Lock all ratings for writing until the transaction ends."""
    acquire_lock("ratings")


def lock_ratings_or_refuse(refused: Callable[[str], Exception]) -> None:
    """Lock all ratings for a page; raise *refused* with a sentence on a timeout."""
    try:
        lock_ratings()
    except RatingsBusy as busy:
        raise refused(_("Ratings are being updated. Try again in a minute.")) from busy
