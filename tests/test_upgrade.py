"""An office of an earlier release, upgraded to this code with work in progress.

tests/data/releases/README.md says what the dumps hold and how they are made.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live_office import RATING_JOB, Office, scratch_database, wait_for

pytestmark = [pytest.mark.xdist_group("real workers"), pytest.mark.gate]

Rows = dict[str, list[tuple]]
RELEASES = Path(__file__).parent / "data" / "releases"
BEGIN = "import django; django.setup()\n"
SIGNED_IN = """
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
[session] = Session.objects.all()
client = Client()
client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
page = client.get("/desk/", headers={"host": "localhost"}, secure=True)
print("Draft Open" in page.text)
"""
# The decisions that were pending, by the staff accounts of the dump.
DECIDE = """
from events.models import Submission
from events.review.services.acceptance import accept_report
from ratings.models import Run
from ratings.rerates.services.publishing import publish_rerate
from ratings_site.common.approvals.services import approve
from ratings_site.common.models import PendingAct, User
staff, manager, admin = (
    User.objects.get(username=name) for name in ("staff", "manager", "admin")
)
[act] = PendingAct.objects.filter(status="waiting")
approve(act_id=act.pk, actor=admin)
[report] = Submission.objects.filter(state="submitted")
accept_report(submission_id=report.pk, actor=staff)
[run] = Run.objects.filter(kind="rerate", status="ready")
publish_rerate(run_id=run.pk, actor=manager, reason="Checked.")
"""
UNFINISHED = "SELECT kind, state FROM common_job WHERE id <= {} AND state <> 'done'"
OPEN = """
SELECT 'section', id FROM events_section WHERE status NOT IN ('rated', 'superseded')
UNION ALL SELECT 'rerate', id FROM ratings_run WHERE status = 'ready'
UNION ALL SELECT 'proposal', id FROM common_pendingact WHERE status = 'waiting'
UNION ALL SELECT 'report', id FROM events_submission WHERE state = 'submitted'
UNION ALL SELECT 'experiment', id FROM ratings_experiment WHERE status <> 'done'
"""
# The ledger is added to and never edited; groups keep what they may do.
LEDGER = """
SELECT id, calculation_id, player_id, pre_rating, pre_games, initial_rating,
    effective_games, formula, expected, k, bonus, intermediate, floor_used,
    ceiling_used, post_rating, post_games, wins, draws, losses, peak
FROM ratings_ratingchange ORDER BY id
"""
GROUPS = """
SELECT auth_group.name, codename FROM auth_group_permissions
JOIN auth_group ON auth_group.id = group_id
JOIN auth_permission ON auth_permission.id = permission_id
"""
# Columns may be added to list files, behind those that there were.
LIST_FILE = """
import csv
from ratings.lists.services.rows import compute_list
from ratings.models import OfficialList
def table(content):
    return list(csv.reader(bytes(content).decode().splitlines()))
[published] = OfficialList.objects.all()
before = table(published.files.get(kind="csv").content)
computed = compute_list(month=published.month, moment=published.cut_off)
print([row[: len(before[0])] for row in table(computed.csv)] == before)
"""
ATTEMPTS = "SELECT attempts FROM common_webhookdelivery"
AUDIT = """
from django.core.management import call_command
call_command("audit", full=True)
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def upgraded(request, tmp_path, real_date) -> Iterator[tuple[Office, Rows]]:
    """Restore the dump of 1.0.0, keep what must not change, and migrate it."""
    environment = {"DATA_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    if request.param == "sqlite":
        packed = RELEASES / "1.0.0.sqlite3.gz"
        (tmp_path / "office.sqlite3").write_bytes(gzip.decompress(packed.read_bytes()))
        yield from running(Office(**environment))
        return
    database_url, redis_url = request.getfixturevalue("service_urls")
    if not shutil.which("pg_restore"):
        (pytest.fail if request.getfixturevalue("require_services") else pytest.skip)(
            "needs pg_restore"
        )
    with scratch_database(database_url, "office_of_1_0_0", "template0") as address:
        command = ["pg_restore", "--no-owner", f"--dbname={address}"]
        subprocess.run([*command, RELEASES / "1.0.0.dump"], check=True)
        environment |= {"DATABASE_URL": address, "REDIS_URL": redis_url}
        yield from running(Office(**environment))


def running(office: Office) -> Iterator[tuple[Office, Rows]]:
    before = {query: office.rows(query) for query in (LEDGER, GROUPS)}
    office.migrate()
    yield office, before
    office.stop()


def test_office_of_1_0_0_finishes_its_work_after_the_upgrade(upgraded):
    upgraded, before = upgraded
    assert "True" in upgraded.python(BEGIN + SIGNED_IN)
    assert "True" in upgraded.python(BEGIN + LIST_FILE)
    [(last,)] = upgraded.rows("SELECT max(id) FROM common_job")
    if upgraded.environment["REDIS_URL"]:
        upgraded.start("worker", "--processes", "1")
    else:
        upgraded.start("serve", "--bind", "127.0.0.1:8933")
    wait_for(lambda: not upgraded.rows(UNFINISHED.format(last)))
    upgraded.python(BEGIN + DECIDE)
    wait_for(lambda: not upgraded.rows(f"SELECT kind {RATING_JOB} AND state <> 'done'"))
    assert upgraded.rows(OPEN) == []
    assert upgraded.ask(ATTEMPTS) >= 1
    assert upgraded.python(BEGIN + AUDIT).count(" yes (") == 5
    assert upgraded.rows(LEDGER)[: len(before[LEDGER])] == before[LEDGER]
    removed = {codename for _, codename in before[GROUPS] if "seenrating" in codename}
    kept = {row for row in before[GROUPS] if row[1] not in removed}
    assert kept <= set(upgraded.rows(GROUPS))
