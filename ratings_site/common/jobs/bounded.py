"""Work on what strangers send, in a process that may only take so much.

A file can be made to take hours or all memory. In a process of its own it takes what it
is given, and the act that waits for it learns that it was too much.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# Set before anything is imported or read. A system without such limits has the time.
_BEGIN = """
import runpy, sys
module, seconds, megabytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
except (ImportError, OSError, ValueError):
    pass
runpy.run_module(module, run_name="__main__")
"""
# A busy machine gives a process less than a second in each second.
_PATIENCE = 3


class TooMuchWork(Exception):
    """The work took more time or memory than it was given."""


def run_bounded(module: str, given: bytes, *, seconds: int, megabytes: int) -> bytes:
    """Return what ``python -m module`` writes when it is *given* that to read.

    The module may import the standard library and our own packages only. It has
    *seconds* of processor time; raises TooMuchWork where these or *megabytes* of
    memory do not do.
    """
    command = [sys.executable, "-S", "-E", "-c", _BEGIN, module]
    try:
        done = subprocess.run(  # noqa: S603 - our own modules
            [*command, str(seconds), str(megabytes)],
            input=given,
            capture_output=True,
            cwd=ROOT,
            timeout=seconds * _PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as slow:
        raise TooMuchWork from slow
    if done.returncode < 0 or b"MemoryError" in done.stderr[-500:]:
        raise TooMuchWork
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return done.stdout
