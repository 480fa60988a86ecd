"""A subprocess with limits on CPU time and memory, for untrusted files.

A malicious file could take hours or all memory. In its own process it hits the limits,
and the caller gets an exception.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# Sets the limits before any import. Without the resource module only the timeout holds.
_BOOTSTRAP = """
import runpy, sys
module, seconds, megabytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.argv = [module, *sys.argv[4:]]
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
except (ImportError, OSError, ValueError):
    pass
runpy.run_module(module, run_name="__main__")
"""
# On a busy machine a process gets less than a second of CPU time per second.
_TIMEOUT_FACTOR = 3


class SandboxLimitExceeded(Exception):
    """The process exceeded its time or memory limit."""


def run_sandboxed(
    module: str, given: bytes, *arguments: str, seconds: int, megabytes: int
) -> bytes:
    """Run ``python -m module`` with *given* as stdin and return its stdout.

    The module may import only the standard library and our own packages. Raise
    SandboxLimitExceeded if it needs more than *seconds* of CPU time or *megabytes* of
    memory.
    """
    command = [sys.executable, "-S", "-E", "-c", _BOOTSTRAP, module]
    try:
        done = subprocess.run(  # noqa: S603 - our own modules
            [*command, str(seconds), str(megabytes), *arguments],
            input=given,
            capture_output=True,
            cwd=ROOT,
            timeout=seconds * _TIMEOUT_FACTOR,
            check=False,
        )
    except subprocess.TimeoutExpired as slow:
        raise SandboxLimitExceeded from slow
    if done.returncode < 0 or b"MemoryError" in done.stderr[-500:]:
        raise SandboxLimitExceeded
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return done.stdout
