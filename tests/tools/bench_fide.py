"""How long a FIDE list takes: `make bench-fide ROWS=1500000`. Prints figures.

Two lists of invented players are imported one after the other, as in two months: the
first into an empty office, the second with one player in twenty changed.
"""

import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.conf import settings
from django.db import connection
from django.test.utils import setup_test_environment

from players.fide.queries import fide_ratings_on
from players.fide.services.lists import receive_list
from players.models import FideList, Player
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.demo.names import name_of
from tests.players.fide.fide_files import COMBINED, Person, line

APRIL, MAY = date(2024, 4, 1), date(2024, 5, 1)
MEMBERS = 20_000
FEDERATIONS = ("USA", "IND", "GER", "FRA", "ESP", "NOR", "POL", "ITA")


def made_up_list(rows: int, month: int) -> Iterator[bytes]:
    """Yield a list of *rows* players, in the order of names as FIDE's are."""
    yield f"{COMBINED}\r\n".encode()
    chance = random.Random(1)
    names = sorted(f"{family}, {given}" for given, family in map(name_of, range(rows)))
    ids = list(range(100_000, 100_000 + 3 * rows, 3))
    chance.shuffle(ids)
    for number, (name, fide_id) in enumerate(zip(names, ids, strict=True)):
        rating = chance.choice((0, chance.randrange(1400, 2800)))
        played = (number + month) % 20 == 0
        person = Person(
            fide_id,
            name[:60],
            rating + month if played and rating else rating,
            games=5 if played and rating else 0,
            fed=FEDERATIONS[fide_id % len(FEDERATIONS)],
            year=1950 + fide_id % 60,
        )
        yield f"{line(person)}\r\n".encode()


def write_list(path: Path, rows: int, month: int) -> None:
    with path.open("wb") as file:
        file.writelines(made_up_list(rows, month))


def import_month(rows: int, day: date) -> None:
    path = Path(tempfile.mkdtemp(prefix="office-bench-"), "players_list_foa.txt")
    # In a process of its own, whose memory is not the import's.
    writer = multiprocessing.Process(target=write_list, args=[path, rows, day.month])
    writer.start()
    writer.join()
    began = time.perf_counter()
    with path.open("rb") as file:
        fide_list = receive_list(
            actor=None,
            name=path.name,
            content=iter(lambda: file.read(1 << 20), b""),
            list_date=day,
        )
    path.unlink()
    run_due_jobs()
    took = time.perf_counter() - began
    fide_list.refresh_from_db()
    if fide_list.state != FideList.State.CURRENT:
        sys.exit(f"{fide_list}: {fide_list.state} {fide_list.findings}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {fide_list}: imported in {took:.0f} s "
        f"({fide_list.rows / took:,.0f} rows a second), {fide_list.changed:,} changes, "
        f"{fide_list.members:,} members, peak {peak:,.0f} MB"
    )


def make_members(rows: int) -> None:
    """Link one FIDE ID in every so many to a member."""
    players = [
        Player(
            member_id=str(20_000_000 + number),
            given_name="Given",
            family_name=f"Family{number}",
            fide_id=str(100_000 + 3 * number * max(1, rows // MEMBERS)),
            search_name=f"family{number} given",
        )
        for number in range(min(MEMBERS, rows))
    ]
    Player.objects.bulk_create(players, batch_size=500)


def main() -> None:
    rows = int(os.environ.get("ROWS", "200000"))
    setup_test_environment()
    if connection.vendor == "sqlite":
        # In memory would flatter: the embedded office writes to a file.
        folder = tempfile.mkdtemp(prefix="office-bench-")
        settings.DATABASES["default"]["TEST"]["NAME"] = f"{folder}/bench.sqlite3"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        measure(rows)
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


def measure(rows: int) -> None:
    print(f"FIDE lists of {rows:,} players, {connection.vendor}")
    make_members(rows)
    import_month(rows, APRIL)
    import_month(rows, MAY)
    began = time.perf_counter()
    found = fide_ratings_on(range(100_000, 100_030), MAY)
    took = (time.perf_counter() - began) * 1000
    print(f"  ratings of {len(found)} opponents on a day in {took:.1f} ms")


if __name__ == "__main__":
    main()
