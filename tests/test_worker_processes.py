"""Real processes: killed workers, lost messages, a Redis that is down.

Each test prepares an accepted report in a database of its own and lets real worker
processes rate it. Whatever happens, each section ends up rated exactly once.
"""

import time

import pytest

from tests.live_office import RATING_JOB, wait_for

# One at a time: they share Redis and a port.
pytestmark = [pytest.mark.xdist_group("real workers"), pytest.mark.gate]

DEAD_REDIS = "redis://127.0.0.1:1/0"


def test_no_other_process_runs_these(request, worker_id):
    """A pytest and a pytest-xdist that do not fit would let groups be nothing."""
    if worker_id != "master":
        assert request.node.nodeid.endswith("@real workers")


def expected_result(players: int, rounds: int, attempts: int) -> dict:
    return {
        "job": [("done", attempts)],
        "section": "rated",
        "calculations": 1,
        "changes": players,
        "games": players * (40 + rounds),
        "audited": 1,
    }


WORKERS = "SELECT count(*) FROM office_cache WHERE cache_key LIKE '%worker:%'"


def test_embedded_office_shows_that_its_worker_is_up(embedded_office):
    embedded_office.start("serve", "--bind", "127.0.0.1:8931")
    wait_for(lambda: embedded_office.ask(WORKERS) == 4)


def test_worker_shows_its_queues(production_office):
    production_office.start("worker", "--processes", "1", "--lanes", "ratings", "long")
    wait_for(lambda: production_office.ask(WORKERS) == 2)
    lanes = production_office.rows(
        "SELECT cache_key FROM office_cache ORDER BY cache_key"
    )
    assert [key.rpartition(":")[2] for [key] in lanes] == ["long", "ratings"]


@pytest.mark.calendar
def test_embedded_office_killed_at_work_rates_the_section_once(embedded_office):
    embedded_office.prepare(players=6)
    with embedded_office.hang_at("INSERT ON ratings_ratingchange"):
        first = embedded_office.start("serve", "--bind", "127.0.0.1:8931")
        wait_for(lambda: embedded_office.ask(f"SELECT state {RATING_JOB}") == "running")
        embedded_office.kill(first)
    assert embedded_office.report()["changes"] == 0
    embedded_office.start("serve", "--bind", "127.0.0.1:8931")
    assert embedded_office.wait_until_rated() == expected_result(6, 3, attempts=2)


@pytest.mark.calendar
def test_worker_killed_in_the_middle_leaves_the_section_to_the_next(production_office):
    production_office.prepare(players=6)
    with production_office.worker_waiting_for_lock() as first:
        production_office.kill(first)
    assert production_office.report()["changes"] == 0
    production_office.start("worker", "--processes", "1")
    assert production_office.wait_until_rated() == expected_result(6, 3, attempts=2)


def test_redis_that_is_down_at_submission_loses_nothing(production_office):
    began = time.monotonic()
    production_office.prepare(players=6, REDIS_URL=DEAD_REDIS)
    assert time.monotonic() - began < 30
    assert production_office.report()["job"] == [("queued", 0)]
    production_office.start("worker", "--processes", "1")
    assert production_office.wait_until_rated() == expected_result(6, 3, attempts=1)


def test_section_sent_many_times_to_two_workers_is_rated_once(production_office):
    production_office.prepare(players=6)
    production_office.python(
        "import django; django.setup()\n"
        "from ratings_site.common.jobs.services import run_job\n"
        "from ratings_site.common.models import Job\n"
        "for _ in range(20): run_job.delay(Job.objects.get().pk)"
    )
    production_office.start("worker", "--processes", "2")
    production_office.start("worker", "--processes", "2")
    assert production_office.wait_until_rated() == expected_result(6, 3, attempts=1)
    time.sleep(1)
    assert production_office.report() == expected_result(6, 3, attempts=1)
