"""A rerate in real processes: killed workers, and a broker that loses all messages."""

import pytest
import redis

from tests.live_office import Office, wait_for

pytestmark = [pytest.mark.xdist_group("real workers"), pytest.mark.gate]

PREPARE = """
import django; django.setup()
from datetime import date, timedelta
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import *
from tests.ratings.rerates.factories import play
td = make_td()
members = [
    make_player(ratings={{"OTBR": (1400.0 + 90 * number % 800, 12 + number)}})
    for number in range({players})
]
for week in range({weeks}):
    some = members[week % 2 * 2 : len(members) - 2]
    play(td, some, ends=date(2024, 3, 2) + timedelta(7 * week))
play(td, members[::-1], ends=date(2024, 2, 3))
start_rerate(actor=None, reason="The weekly rerate.")
"""

PUBLISH = """
import django; django.setup()
from django.core.management import call_command
from ratings.models import Run, Calculation
from ratings.rerates.services.publishing import publish_rerate
run = Run.objects.get(kind="rerate")
publish_rerate(run_id=run.pk, actor=None, reason="Good.")
assert not Calculation.objects.filter(is_current=True, is_late=True).exists()
call_command("audit", full=True)
"""


APPROVE = """
import django; django.setup()
from ratings.models import Run
from ratings.rerates.services.execution import approve_rerate
from ratings_site.common.jobs.services import run_due_jobs
run_due_jobs()
run = Run.objects.get(kind="rerate")
approve_rerate(run_id=run.pk, actor=None, reason="Good.", shown_pass=run.pass_number)
"""

AUDIT = """
import django; django.setup()
from django.core.management import call_command
call_command("audit", full=True)
"""


def prepare(office: Office, players: int, weeks: int, **environment: str) -> None:
    office.python(PREPARE.format(players=players, weeks=weeks), **environment)


def report(office: Office) -> dict:
    [[run, status, passes]] = office.rows(
        "SELECT id, status, pass_number FROM ratings_run WHERE kind = 'rerate'"
    )
    of_run = f"FROM ratings_calculation WHERE run_id = {run}"
    current = office.ask(f"SELECT count(*) {of_run} AND is_current")
    return {"status": status, "passes": passes, "current": current}


def is_ready(office: Office) -> bool:
    return report(office)["status"] == "ready"


def test_worker_killed_in_the_middle_of_a_rerate(production_office):
    """The worker dies when all is written, but the run is not ready.

    The broker has lost all messages when the next one starts.
    """
    prepare(production_office, players=12, weeks=4)
    # All chunks are written by then: the lock is what finishes the run.
    with production_office.worker_waiting_for_lock() as first:
        production_office.kill(first)
    assert report(production_office) == {"status": "running", "passes": 1, "current": 0}
    redis.Redis.from_url(production_office.environment["REDIS_URL"]).flushdb()
    production_office.start("worker", "--processes", "1")
    wait_for(lambda: is_ready(production_office))
    assert report(production_office) == {"status": "ready", "passes": 2, "current": 0}
    production_office.python(PUBLISH)


def test_embedded_office_killed_during_a_rerate_goes_on(embedded_office):
    prepare(embedded_office, players=12, weeks=4)
    begun = "SELECT pass_number FROM ratings_run WHERE kind = 'rerate'"
    with embedded_office.hang_at("INSERT ON ratings_ratingchange"):
        first = embedded_office.start("serve", "--bind", "127.0.0.1:8312")
        wait_for(lambda: embedded_office.ask(begun) == 1)
        embedded_office.kill(first)
    assert report(embedded_office) == {"status": "running", "passes": 1, "current": 0}
    embedded_office.start("serve", "--bind", "127.0.0.1:8312")
    wait_for(lambda: is_ready(embedded_office))
    embedded_office.python(PUBLISH)


def is_published(office: Office) -> bool:
    return report(office)["status"] == "published"


def test_worker_killed_while_it_publishes_leaves_nothing_and_the_next_does_it(
    production_office,
):
    """The first is killed as it waits for the ratings, in its last transaction."""
    prepare(production_office, players=12, weeks=4)
    production_office.python(APPROVE)
    with production_office.worker_waiting_for_lock() as first:
        production_office.kill(first)
    assert report(production_office) == {
        "status": "publishing",
        "passes": 1,
        "current": 0,
    }
    production_office.start("worker", "--processes", "1")
    wait_for(lambda: is_published(production_office))
    production_office.python(AUDIT)


def test_embedded_office_killed_while_flags_move_publishes_it_all_later(
    embedded_office,
):
    prepare(embedded_office, players=12, weeks=4)
    embedded_office.python(APPROVE)
    job = "SELECT state FROM common_job WHERE kind = 'ratings.publish'"
    with embedded_office.hang_at("UPDATE ON ratings_calculation"):
        first = embedded_office.start("serve", "--bind", "127.0.0.1:8312")
        wait_for(lambda: embedded_office.ask(job) == "running")
        embedded_office.kill(first)
    assert report(embedded_office) == {
        "status": "publishing",
        "passes": 1,
        "current": 0,
    }
    embedded_office.start("serve", "--bind", "127.0.0.1:8312")
    wait_for(lambda: is_published(embedded_office))
    embedded_office.python(AUDIT)
