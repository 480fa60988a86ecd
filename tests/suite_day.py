"""The day on which the suite runs, whatever day it is.

`SUITE_DAY=2028-02-29 make test` runs it on another. Only the date moves: the time of
day is the machine's, and it ticks. A process of its own (a worker, a browser, a
database server) keeps the machine's date; the tests that start one do so too.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime

import time_machine

SUITE_DAY = date.fromisoformat(os.environ.get("SUITE_DAY", "2026-11-18"))


@contextmanager
def on_suite_day() -> Iterator[None]:
    moment = datetime.combine(SUITE_DAY, datetime.now(UTC).timetz())
    with time_machine.travel(moment):
        time.time()  # it ticks from the first reading on
        yield


@contextmanager
def on_machine_day() -> Iterator[None]:
    """Go back to the machine's date, which browser tests never leave."""
    if not time_machine.escape_hatch.is_travelling():
        yield
        return
    with time_machine.travel(time_machine.escape_hatch.time.time()):
        time.time()
        yield
