"""Real processes: killed workers, lost messages, a Redis that is down.

Each test prepares an accepted report in a database of its own and lets real worker
processes rate it. Whatever happens, each section ends up rated exactly once.
"""

import time

import pytest

from tests.real_office import RATING_JOB, wait_for

# One at a time: they share Redis and a port.
pytestmark = pytest.mark.xdist_group("real workers")

DEAD_REDIS = "redis://127.0.0.1:1/0"


def test_no_other_process_runs_these(request, worker_id):
    """A pytest and a pytest-xdist that do not fit would let groups be nothing."""
    if worker_id != "master":
        assert request.node.nodeid.endswith("@real workers")


def rated_once(players: int, rounds: int, attempts: int) -> dict:
    return {
        "job": [("done", attempts)],
        "section": "rated",
        "calculations": 1,
        "changes": players,
        "games": players * (40 + rounds),
        "audited": 1,
    }


@pytest.mark.calendar
def test_embedded_office_killed_at_work_rates_the_section_once(embedded):
    embedded.prepare(players=6)
    with embedded.stuck("INSERT ON ratings_ratingchange"):
        first = embedded.start("serve", "--bind", "127.0.0.1:8931")
        wait_for(lambda: embedded.ask(f"SELECT state {RATING_JOB}") == "running")
        embedded.kill(first)
    assert embedded.report()["changes"] == 0
    embedded.start("serve", "--bind", "127.0.0.1:8931")
    assert embedded.wait_until_rated() == rated_once(6, 3, attempts=2)


@pytest.mark.calendar
def test_worker_killed_in_the_middle_leaves_the_section_to_the_next(production):
    production.prepare(players=6)
    with production.waiting_worker() as first:
        production.kill(first)
    assert production.report()["changes"] == 0
    production.start("worker", "--processes", "1")
    assert production.wait_until_rated() == rated_once(6, 3, attempts=2)


def test_redis_that_is_down_at_submission_loses_nothing(production):
    began = time.monotonic()
    production.prepare(players=6, REDIS_URL=DEAD_REDIS)
    assert time.monotonic() - began < 30
    assert production.report()["job"] == [("queued", 0)]
    production.start("worker", "--processes", "1")
    assert production.wait_until_rated() == rated_once(6, 3, attempts=1)


def test_section_sent_many_times_to_two_workers_is_rated_once(production):
    production.prepare(players=6)
    production.python(
        "import django; django.setup()\n"
        "from ratings_site.common.jobs.services import run_job\n"
        "from ratings_site.common.models import Job\n"
        "for _ in range(20): run_job.delay(Job.objects.get().pk)"
    )
    production.start("worker", "--processes", "2")
    production.start("worker", "--processes", "2")
    assert production.wait_until_rated() == rated_once(6, 3, attempts=1)
    time.sleep(1)
    assert production.report() == rated_once(6, 3, attempts=1)
