"""Load and check the demo on each day of a fortnight: `make calendar`.

Each day runs the tests of the demo: they load it, check it and audit its ledger.
`FROM=2028-02-20` starts on another day than today. Ends with status 1 if a day fails.
"""

import os
import subprocess
import sys
from datetime import date, timedelta

from tests.live_office import ROOT

DAYS = 14


def failed_tests(day: date) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfE", "tests/test_demo.py"],
        cwd=ROOT,
        env={**os.environ, "SUITE_DAY": day.isoformat()},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return []
    lines = done.stdout.splitlines()
    return [line for line in lines if line.startswith(("FAILED", "ERROR"))] or [
        done.stdout + done.stderr
    ]


def main() -> int:
    first = date.fromisoformat(os.environ.get("FROM") or date.today().isoformat())  # noqa: DTZ011
    failed_days = 0
    for number in range(DAYS):
        day = first + timedelta(days=number)
        failures = failed_tests(day)
        failed_days += bool(failures)
        print(f"{day:%a %b %d, %Y}: {'failed' if failures else 'passed'}", flush=True)
        for line in failures:
            print(f"  {line}")
    print(f"{failed_days} of {DAYS} days failed.")
    return 1 if failed_days else 0


if __name__ == "__main__":
    sys.exit(main())
