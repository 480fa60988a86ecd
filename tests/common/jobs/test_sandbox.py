"""The sandbox limits the time and memory of untrusted files."""

import pytest

from ratings_site.common.jobs.sandbox import SandboxLimitExceeded, run_sandboxed


def run(code: str) -> bytes:
    return run_sandboxed(
        "tests.common.jobs.run_stdin", code.encode(), seconds=1, megabytes=200
    )


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "kept = [bytes(10_000_000) for _ in range(100)]",
        "import time; time.sleep(60)",
    ],
    ids=["time", "memory", "sleep"],
)
def test_what_takes_too_much_is_ended(code):
    with pytest.raises(SandboxLimitExceeded):
        run(code)


def test_what_it_writes_comes_back_and_its_faults_are_told():
    assert run("print('done')") == b"done\n"
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run("1 / 0")
