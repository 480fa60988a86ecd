"""The day on which the suite runs, whatever day it is.

`SUITE_DAY=2028-02-29 make test` runs it on another. Only the date moves: the time of
day is the machine's, and it ticks. A process of its own (a worker, a browser, a
database server) keeps the machine's date; the tests that start one do so too.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, date, datetime

import time_machine

SUITE_DAY = date.fromisoformat(os.environ.get("SUITE_DAY", "2026-11-18"))


def on_suite_day() -> time_machine.travel:
    return time_machine.travel(datetime.combine(SUITE_DAY, datetime.now(UTC).timetz()))


def on_machine_day() -> AbstractContextManager:
    """Go back to the machine's date, which browser tests never leave."""
    if not time_machine.escape_hatch.is_travelling():
        return nullcontext()
    return time_machine.travel(time_machine.escape_hatch.time.time())
