"""How much work a piece of code makes, in seconds of a quick core.

Tests of hostile input ask whether an answer comes at once. The clock of a machine that
is slow, busy or full of the objects of other tests says little about that: so processor
time is taken, without collecting other tests' garbage, and divided by how slow the
machine is just now.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

_LOOP = 1_000_000
_QUICK = 0.015  # what a very quick core needs to go through the loop
_AT_ONCE = 0.2  # less is never told from nothing, however slow the machine


class Effort:
    """What the code within :func:`effort` took, once it is through."""

    seconds: float


@contextmanager
def effort() -> Iterator[Effort]:
    """Take the processor time of what is done within."""
    spent = Effort()
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
        spent.seconds /= _slowness()


def _slowness() -> float:
    began = time.process_time()
    for _ in range(_LOOP):
        pass
    return max(1.0, (time.process_time() - began) / _QUICK)
