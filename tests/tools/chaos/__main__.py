"""Everything at once: `make chaos SECONDS=600`, on PostgreSQL and Redis.

Real processes send and accept reports, correct results, merge and part members, edit
records, rerate, undo and publish lists, while visitors read. Meanwhile processes are
killed, connections cut and Redis flushed. At the end a last rerate
replays all pending changes, the figures are printed and the audit checks the ledger.
Exits with status 1 if anything is lost, rated twice or left in the queue, if an error
has no injected cause, if the audit finds a difference, or if a page returns 500. `SEED`
changes the random choices.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import django
import redis

# Child processes inherit the settings of the office.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.databases import migrated_database
from tests.live_office import scratch_database, wait_for
from tests.tools.chaos.actions import ACTIONS, run_until_stopped
from tests.tools.chaos.fault_injection import (
    FaultInjector,
    OfficeUnderTest,
    Readers,
    inject_until,
)
from tests.tools.chaos.verification import (
    FAILED_JOBS,
    OPEN_JOBS,
    Journal,
    log_of_request,
    unexpected_errors,
    verify,
)

PREPARE = """
import django; django.setup()
from datetime import date
from django.contrib.auth.models import Group
from events.models import Official
from events.review.groups import DIRECTOR, MANAGER, OFFICE
from ratings_site.demo.accounts import open_account
from tests.factories import make_affiliate, make_player
import random
chance = random.Random({seed})
for name, groups in (
    ("clerk", [OFFICE]),
    ("manager", [OFFICE, MANAGER]),
    ("second", [OFFICE, MANAGER, DIRECTOR]),
):
    user = open_account(f"chaos-{{name}}", is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
td = make_player(account=open_account("chaos-td"))
Official.objects.create(player=td, level="senior", certified_until=date(2099, 12, 31))
make_affiliate()
for number in range(300):
    make_player(
        given_name=f"Given{{number}}",
        family_name=f"Family{{number}}",
        birth_date=date(1950 + number % 60, 1 + number % 12, 1 + number % 28),
        ratings={{"OTBR": (chance.gauss(1500, 300), chance.randrange(4, 60))}},
    )
"""

LAST_RERATE = """
import django; django.setup()
from ratings.models import Run
from ratings.rerates.services.publishing import discard_rerate
from ratings.rerates.services.start import RerateRefused, start_rerate
for run in Run.objects.filter(kind="rerate", status__in=[*Run.OPEN_STATUSES, "failed"]):
    discard_rerate(run_id=run.pk, actor=None, reason="The drill is over.")
try:
    start_rerate(actor=None, reason="The drill is over.")
except RerateRefused:
    pass  # no mark is open
"""

PUBLISH = """
import django; django.setup()
from ratings.models import Run
from ratings.rerates.services.publishing import publish_rerate
for run in Run.objects.filter(kind="rerate", status="ready"):
    publish_rerate(run_id=run.pk, actor=None, reason="The drill is over.")
"""

FAULT_INTERVAL = 3.0


def main(seconds: int, seed: int) -> int:
    service_urls = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if not all(service_urls):
        print("Set DATABASE_URL and REDIS_URL: the drill needs PostgreSQL and Redis.")
        return 2
    database_url, redis_url = service_urls
    redis.Redis.from_url(redis_url).flushdb()
    name = f"office_chaos_{os.getpid()}"
    with (
        tempfile.TemporaryDirectory(prefix="chaos-") as folder,
        scratch_database(
            database_url, name, migrated_database(database_url)
        ) as address,
    ):
        office = OfficeUnderTest(
            Path(folder),
            DATABASE_URL=address,
            REDIS_URL=redis_url,
            SECRET_KEY="a drill's own key, 0123456789 abcdefghijklmnopqrstuvwxyz",
            JOB_STALE_SECONDS="5",
            CHAOS_JOURNAL=f"{folder}/journal",
        )
        try:
            return run_drill(office, seconds, seed)
        finally:
            office.stop()


def run_drill(office: OfficeUnderTest, seconds: int, seed: int) -> int:
    office.python(PREPARE.format(seed=seed))
    office.open_all()
    print(f"{seconds} s of everything at once, seed {seed}", flush=True)
    blows, readers = FaultInjector(office, seed), Readers(office.port)
    readers.start()
    inject_until(time.monotonic() + seconds, blows, FAULT_INTERVAL)
    readers.stop()
    office.stop_actors()
    print("All is quiet; the workers finish what waits.", flush=True)
    for step in (LAST_RERATE, PUBLISH, ""):
        wait_for(lambda: office.ask(OPEN_JOBS) == 0, seconds=300)
        office.python(step)
    return print_report(office, blows, readers)


def print_report(
    office: OfficeUnderTest, blows: FaultInjector, readers: Readers
) -> int:
    journal = Journal.read(office.folder / "journal")
    figures, is_good = verify(office, journal)
    print("\nBlows:")
    for name, number in sorted(blows.injected.items()):
        print(f"  {number:5} {name}")
    print("Pages read, by status:")
    for status, number in sorted(readers.seen.items()):
        print(f"  {number:5} {status}")
    for address, request in readers.faults:
        print(f"{address}\n{log_of_request(office.folder, request)}")
    print("Acts, and what came of them:")
    for (act, outcome_counts), number in sorted(journal.outcome_counts.items()):
        print(f"  {number:5} {act} {outcome_counts}")
    print("Most frequent refusals:")
    for sentence, number in journal.refusals.most_common(8):
        print(f"  {number:5} {sentence}")
    for fault in journal.faults:
        print(fault)
    unexplained = unexpected_errors(office.folder)
    for line, number in unexplained.most_common():
        print(f"  {number:5} raised in {line}")
    audit = subprocess.run(
        [sys.executable, "manage.py", "audit", "--full"],
        env=office.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    for kind, attempts, message in office.rows(FAILED_JOBS):
        print(f"The job {kind} failed after {attempts} attempts: {message}")
    print(f"\nThe audit:\n{audit.stdout}{audit.stderr[-2000:]}")
    for name, value in figures.items():
        print(f"{name}={value}")
    is_whole = audit.returncode == 0
    return int(not (is_good and is_whole) or bool(unexplained) or bool(readers.faults))


def act(name: str, start: int) -> None:
    seed = start * len(ACTIONS) + list(ACTIONS).index(name)
    run_until_stopped(name, seed, Path(os.environ["CHAOS_JOURNAL"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "1")))
    parser.add_argument("--act", nargs=2)
    said = parser.parse_args()
    if said.act:
        act(said.act[0], int(said.act[1]))
    else:
        sys.exit(main(said.seconds, said.seed))
