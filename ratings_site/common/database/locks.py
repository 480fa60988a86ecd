"""Locks that hold until the end of the transaction.

All take them in one order, so that no two ever wait for each other: the row that says
what is to be done (a job, an act that waits for a second person), then files of members
("members"), numbers given by hand ("member-ids"), reports, event IDs, then all ratings,
and last the rows of members, sections, results and rerates. What may leave a mark holds
the ratings before it looks: otherwise it does not see what is being rated. Only a part
of a rerate adds rows, for which nobody waits, before it asks for its run and its job.
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection
from django.utils.translation import gettext as _


class RatingsBusy(Exception):
    """Another worker holds the lock for too long; try again a little later."""


# So many seconds, so that a page can still say that it was too long.
PATIENCE = 20


def hold(name: str, *, seconds: int = PATIENCE) -> None:
    """Wait for the lock *name* and keep it until the transaction ends.

    SQLite has one writer at a time, and our transactions there begin as writers, so
    the transaction itself is the lock.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("A lock needs a transaction to live in.")
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        try:
            cursor.execute(
                _patiently(
                    f"SELECT pg_advisory_xact_lock({zlib.crc32(name.encode())})",
                    f"{int(seconds)}s",
                )
            )
        except OperationalError as error:
            raise RatingsBusy(
                _("{name} is held by another worker.").format(name=name)
            ) from error


def _patiently(statement: str, timeout: str) -> str:
    """Return SQL that waits so long for the locks of one statement, and no other."""
    return (
        "SELECT set_config('office.lock_timeout', current_setting('lock_timeout'), "
        f"true); SET LOCAL lock_timeout = '{timeout}'; {statement}; "
        "SELECT set_config('lock_timeout', current_setting('office.lock_timeout'), "
        "true)"
    )


@contextmanager
def waiting_at_most(seconds: float) -> Iterator[None]:
    """Wait no longer for any lock or row; an OperationalError says it was too long.

    Inside a transaction, or a part of one: the error undoes it.
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
def alone_at(name: str) -> Iterator[bool]:
    """Say whether nobody else is at this work, and keep others from it meanwhile.

    Nobody waits, and no transaction need be open: work that takes long may be done in
    it. On SQLite there is one worker, who is always alone.
    """
    if connection.vendor != "postgresql":
        yield True
        return
    # Beyond the numbers of the locks that live in transactions.
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


def hold_ratings() -> None:
    """Let nobody else write ratings until this transaction ends."""
    hold("ratings")


def hold_ratings_or(refused: Callable[[str], Exception]) -> None:
    """Do the same for somebody at a page, who gets a sentence if it takes too long."""
    try:
        hold_ratings()
    except RatingsBusy as busy:
        raise refused(
            _("Ratings are being written at this moment. Try again in a minute.")
        ) from busy
