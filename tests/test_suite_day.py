"""The suite's day: what it moves, and what keeps the machine's date."""

import re
import subprocess
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from tests.live_office import ROOT
from tests.suite_day import SUITE_DAY

pytestmark = pytest.mark.calendar

DAY, MOMENT = timedelta(days=1), timedelta(seconds=2)
DATABASE_CLOCK = re.compile(
    r"\bCURRENT_(DATE|TIME)|\bLOCALTIME|functions import .*\bNow\b|(?<![.\w])now\(\)"
    r"|datetime\('now"
)


def machine_now() -> datetime:
    """Ask another process, which does not see the suite's day."""
    seconds = subprocess.run(["date", "+%s"], capture_output=True, check=True).stdout
    return datetime.fromtimestamp(int(seconds), UTC)


def test_date_is_the_suites_and_the_time_of_day_the_machines():
    days = round((timezone.now() - machine_now()) / DAY) * DAY
    before, machine, after = timezone.now(), machine_now(), timezone.now()
    # Starting a process takes a while on a busy machine.
    assert before - MOMENT < machine + days < after + MOMENT
    # Midnight may come while the suite runs.
    assert timezone.localdate() - SUITE_DAY in (0 * DAY, DAY)


def test_clocks_tick_at_their_ordinary_speed():
    ticks, began = time.monotonic(), timezone.now()
    time.sleep(0.05)
    seconds = (timezone.now() - began).total_seconds()
    assert 0.04 < seconds < time.monotonic() - ticks + 0.01


def test_tests_of_real_processes_share_their_date(real_date):
    before, machine, after = timezone.now(), machine_now(), timezone.now()
    assert before - MOMENT < machine < after + MOMENT


def test_office_never_asks_a_database_for_the_date():
    """A database uses the machine's date, and may have another time zone."""
    apps = ("ratings_site", "players", "events", "ratings")
    sources = [path for app in apps for path in (ROOT / app).rglob("*.py")]
    assert len(sources) > 500
    asking = [path for path in sources if DATABASE_CLOCK.search(path.read_text())]
    assert asking == []
