"""The CPU time of code, in seconds of a fast core.

Tests of hostile input ask whether an answer comes at once. The clock of a machine that
is slow, busy or full of the objects of other tests says little about that: so processor
time is taken, without collecting other tests' garbage, and divided by how slow the
machine is just now.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

_AT_ONCE = 0.5  # no test asks for less, however slow the machine
_QUICK = 0.02  # what a very quick core needs for one piece of work
_PIECES = 3


class CpuTime:
    """The CPU time of the code within :func:`effort`."""

    seconds: float


@contextmanager
def cpu_time() -> Iterator[CpuTime]:
    """Measure the CPU time of the block."""
    spent = CpuTime()
    collected = gc.isenabled()
    gc.disable()
    try:
        began = time.process_time()
        yield spent
        spent.seconds = time.process_time() - began
    finally:
        if collected:
            gc.enable()
    if spent.seconds > _AT_ONCE:
        spent.seconds /= _machine_factor()


def _machine_factor() -> float:
    """Return how many times as long this core takes as a fast one.

    Where others fill the caches that cores share, reading a file slows down more than
    counting does, and from one moment to the next: so the slowest of some pieces of the
    same kind of work counts.
    """
    return max(1.0, max(_reference_work() for _ in range(_PIECES)) / _QUICK)


def _reference_work() -> float:
    began = time.process_time()
    for number in range(10_000):
        words = f"001  12 m   Adams, Ada   1511 12345678   3.5  {number}".split()
        lengths = {word: len(word) for word in words}
        " ".join(sorted(lengths))
    return time.process_time() - began
