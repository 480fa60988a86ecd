"""A rerate in real processes: killed workers, a broker that forgets everything."""

import pytest
import redis

from tests.real_office import Office, wait_for

pytestmark = pytest.mark.xdist_group("real workers")

PREPARE = """
import django; django.setup()
from datetime import date, timedelta
from ratings.rerates.services.starting import start_rerate
from ratings_site.common.jobs.services import work_off
from tests.factories import *
from tests.ratings.rerates.offices import play
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
from ratings.rerates.services.approving import approve_rerate
from ratings_site.common.jobs.services import work_off
work_off()
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


def test_worker_killed_in_the_middle_of_a_rerate(production):
    """Everything is written, but the run is not ready, when the worker dies; the
    broker has lost all messages when the next one comes."""
    prepare(production, players=12, weeks=4)
    # All chunks are written by then: the lock is what finishes the run.
    with production.waiting_worker() as first:
        production.kill(first)
    assert report(production) == {"status": "running", "passes": 1, "current": 0}
    redis.Redis.from_url(production.environment["REDIS_URL"]).flushdb()
    production.start("worker", "--processes", "1")
    wait_for(lambda: is_ready(production))
    assert report(production) == {"status": "ready", "passes": 2, "current": 0}
    production.python(PUBLISH)


def test_embedded_office_killed_during_a_rerate_goes_on(embedded):
    prepare(embedded, players=12, weeks=4)
    begun = "SELECT pass_number FROM ratings_run WHERE kind = 'rerate'"
    with embedded.stuck("INSERT ON ratings_ratingchange"):
        first = embedded.start("serve", "--bind", "127.0.0.1:8312")
        wait_for(lambda: embedded.ask(begun) == 1)
        embedded.kill(first)
    assert report(embedded) == {"status": "running", "passes": 1, "current": 0}
    embedded.start("serve", "--bind", "127.0.0.1:8312")
    wait_for(lambda: is_ready(embedded))
    embedded.python(PUBLISH)


def is_published(office: Office) -> bool:
    return report(office)["status"] == "published"


def test_worker_killed_while_it_publishes_leaves_nothing_and_the_next_does_it(
    production,
):
    """The first is killed as it waits for the ratings, in its last transaction."""
    prepare(production, players=12, weeks=4)
    production.python(APPROVE)
    with production.waiting_worker() as first:
        production.kill(first)
    assert report(production) == {"status": "publishing", "passes": 1, "current": 0}
    production.start("worker", "--processes", "1")
    wait_for(lambda: is_published(production))
    production.python(AUDIT)


def test_embedded_office_killed_while_flags_move_publishes_it_all_later(embedded):
    prepare(embedded, players=12, weeks=4)
    embedded.python(APPROVE)
    job = "SELECT state FROM common_job WHERE kind = 'ratings.publish'"
    with embedded.stuck("UPDATE ON ratings_calculation"):
        first = embedded.start("serve", "--bind", "127.0.0.1:8312")
        wait_for(lambda: embedded.ask(job) == "running")
        embedded.kill(first)
    assert report(embedded) == {"status": "publishing", "passes": 1, "current": 0}
    embedded.start("serve", "--bind", "127.0.0.1:8312")
    wait_for(lambda: is_published(embedded))
    embedded.python(AUDIT)
