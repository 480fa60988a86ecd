"""Everything at once: `make chaos SECONDS=600`, on PostgreSQL and Redis.

Real processes send and accept reports, correct results, merge and part members, edit
records, rerate, undo and publish lists, while visitors read. Meanwhile processes are
killed, connections cut and Redis flushed. When all is quiet again a last rerate takes
in every mark, the figures are printed and the audit looks at the books. Ends with
status 1 if anything is lost, rated twice, left lying, raised without a blow or found
by the audit, or if a page answers 500. `SEED` plays other chances.
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

# Those who act get the office's own settings, from whom they are started by.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.chaos.acts import ACTS, go_on
from tests.chaos.office import BeatenOffice, Blows, Readers, strike_until
from tests.chaos.reckoning import OPEN_JOBS, Journal, logged, raised, reckon
from tests.databases import migrated_database
from tests.real_office import scratch_database, wait_for

PREPARE = """
import django; django.setup()
from datetime import date
from django.contrib.auth.models import Group
from events.models import Official
from events.office.groups import DIRECTOR, MANAGER, OFFICE
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
from ratings.rerates.services.starting import RerateRefused, start_rerate
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

BETWEEN_BLOWS = 3.0


def main(seconds: int, seed: int) -> int:
    servers = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if not all(servers):
        print("Set DATABASE_URL and REDIS_URL: the drill needs PostgreSQL and Redis.")
        return 2
    database_url, redis_url = servers
    redis.Redis.from_url(redis_url).flushdb()
    name = f"office_chaos_{os.getpid()}"
    with (
        tempfile.TemporaryDirectory(prefix="chaos-") as folder,
        scratch_database(
            database_url, name, migrated_database(database_url)
        ) as address,
    ):
        office = BeatenOffice(
            Path(folder),
            DATABASE_URL=address,
            REDIS_URL=redis_url,
            SECRET_KEY="a drill's own key, 0123456789 abcdefghijklmnopqrstuvwxyz",
            JOB_STALE_SECONDS="5",
            CHAOS_JOURNAL=f"{folder}/journal",
        )
        try:
            return drill(office, seconds, seed)
        finally:
            office.stop()


def drill(office: BeatenOffice, seconds: int, seed: int) -> int:
    office.python(PREPARE.format(seed=seed))
    office.open_all()
    print(f"{seconds} s of everything at once, seed {seed}", flush=True)
    blows, readers = Blows(office, seed), Readers(office.port)
    readers.start()
    strike_until(time.monotonic() + seconds, blows, BETWEEN_BLOWS)
    readers.stop()
    office.send_people_home()
    print("All is quiet; the workers finish what waits.", flush=True)
    for step in (LAST_RERATE, PUBLISH, ""):
        wait_for(lambda: office.ask(OPEN_JOBS) == 0, seconds=300)
        office.python(step)
    return tell(office, blows, readers)


def tell(office: BeatenOffice, blows: Blows, readers: Readers) -> int:
    journal = Journal.read(office.folder / "journal")
    figures, is_good = reckon(office, journal)
    print("\nBlows:")
    for name, number in sorted(blows.struck.items()):
        print(f"  {number:5} {name}")
    print("Pages read, by status:")
    for status, number in sorted(readers.seen.items()):
        print(f"  {number:5} {status}")
    for address, request in readers.faults:
        print(f"{address}\n{logged(office.folder, request)}")
    print("Acts, and what came of them:")
    for (act, came), number in sorted(journal.came.items()):
        print(f"  {number:5} {act} {came}")
    print("Most frequent refusals:")
    for sentence, number in journal.refusals.most_common(8):
        print(f"  {number:5} {sentence}")
    for fault in journal.faults:
        print(fault)
    unexplained = raised(office.folder)
    for line, number in unexplained.most_common():
        print(f"  {number:5} raised in {line}")
    audit = subprocess.run(
        [sys.executable, "manage.py", "audit", "--full"],
        env=office.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"\nThe audit:\n{audit.stdout}{audit.stderr[-2000:]}")
    for name, value in figures.items():
        print(f"{name}={value}")
    is_whole = audit.returncode == 0
    return int(not (is_good and is_whole) or bool(unexplained) or bool(readers.faults))


def act(name: str, start: int) -> None:
    seed = start * len(ACTS) + list(ACTS).index(name)
    go_on(name, seed, Path(os.environ["CHAOS_JOURNAL"]))


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
