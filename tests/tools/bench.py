"""How fast the office is: `make bench`. Prints figures, tests nothing.

The full cycle takes a report of 300 players and 9 rounds through the pages, from the
upload to the crosstable, on a scratch database.
"""

import gzip
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, setup_test_environment
from django.urls import reverse

from events.checks.queries.members import members_of
from events.formats.dbf.writer import write_report
from events.models import Event, Section, Submission
from events.reports.services.submissions import reported_in
from players.models import Player
from ratings.ledger.services.previews import preview_report
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.demo.names import name_of
from tests import factories
from tests.tools import bench_engine

PLAYERS, ROUNDS = 300, 9


def timed(
    what: str, work: Callable[[], object], repeat: int = 1
) -> tuple[object, float]:
    """Run *work* and print its time, the best of *repeat* in milliseconds."""
    best = float("inf")
    for _ in range(repeat):
        began = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - began)
    print(f"  {what:<44}{best * 1000:>9.1f} ms")
    return result, best


def main() -> None:
    print("Engine, one core")
    measured = bench_engine.measure()
    print(f"  {measured.per_second:,.0f} player-events a second")
    setup_test_environment()
    if connection.vendor == "sqlite":
        # In memory would flatter: the embedded office writes to a file.
        folder = tempfile.mkdtemp(prefix="office-bench-")
        settings.DATABASES["default"]["TEST"]["NAME"] = f"{folder}/bench.sqlite3"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        measure_cycle()
        measure_preview()
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


def measure_cycle() -> None:
    print(f"\nFull cycle: {PLAYERS} players, {ROUNDS} rounds, {connection.vendor}")
    td, staff = factories.make_td(), factories.make_staff()
    chance = random.Random(1)
    players = [_player(number, chance) for number in range(PLAYERS)]
    section = factories.section_report(
        players, _swiss_by_chance(chance), time_control="G/60;d5"
    )
    report = factories.event_report(td, [section])
    total = cycle(td, staff, report)
    print(f"  {'together':<44}{total * 1000:>9.1f} ms")
    measure_crosstable()


def _player(number: int, chance: random.Random) -> Player:
    """A member whose name, ID and ratings compress as badly as real ones."""
    given_name, family_name = name_of(chance.randrange(8000))
    rating = max(100.0, chance.gauss(1400, 350))
    return factories.make_player(
        str(12_000_000 + 1_000 * number + chance.randrange(1_000)),
        given_name,
        family_name,
        ratings={"OTBR": (rating, chance.choice((12, 60, 200)))},
    )


def _swiss_by_chance(chance: random.Random) -> list[str]:
    """Pair equal scores and draw the results by lot."""
    scores = [0] * PLAYERS
    rows: list[list[str]] = [[] for _ in range(PLAYERS)]
    for _ in range(ROUNDS):
        order = sorted(
            range(PLAYERS), key=lambda seat: (-scores[seat], chance.random())
        )
        for white, black in zip(order[::2], order[1::2], strict=True):
            half_points = chance.choice((2, 2, 1, 0, 0))
            rows[white].append(f"{'LDW'[half_points]}{black + 1}W")
            rows[black].append(f"{'WDL'[half_points]}{white + 1}B")
            scores[white] += half_points
            scores[black] += 2 - half_points
    return [" ".join(row) for row in rows]


def cycle(td, staff, report) -> float:
    files = [
        SimpleUploadedFile(name, content)
        for name, content in write_report(report).items()
    ]
    desk, office, anybody = Client(), Client(), Client()
    desk.force_login(td)
    office.force_login(staff)
    total = 0.0
    _, spent = timed(
        "upload", lambda: desk.post(reverse("events:upload"), {"files": files})
    )
    total += spent
    submission = Submission.objects.get()
    _, spent = timed(
        "validate and show", lambda: desk.get(submission.get_absolute_url())
    )
    total += spent
    _, spent = timed(
        "submit", lambda: desk.post(reverse("events:submit", args=[submission.pk]))
    )
    total += spent
    _, spent = timed(
        "accept", lambda: office.post(reverse("events:accept", args=[submission.pk]))
    )
    total += spent
    _, spent = timed("rate (two systems)", run_due_jobs)
    total += spent
    section = Section.objects.get()
    if section.status != Section.Status.RATED:
        sys.exit("The section was not rated.")
    _, spent = timed("crosstable", lambda: anybody.get(section.get_absolute_url()))
    return total + spent


def measure_crosstable() -> None:
    url = Event.objects.get().sections.get().get_absolute_url()
    client = Client()
    print("\nCrosstable page")
    with CaptureQueriesContext(connection) as queries:
        response = client.get(url)
    statements = [query["sql"] for query in queries.captured_queries]
    _, page = timed("the page, warm", lambda: client.get(url), repeat=7)

    def bare_sql() -> None:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                cursor.fetchall()

    _, sql = timed("its SQL alone", bare_sql, repeat=7)
    size = len(response.content)
    packed = len(gzip.compress(response.content, 6))
    print(f"  {len(statements)} queries, {page / sql:.1f} times its bare SQL")
    print(f"  {size / 1000:.1f} kB, {packed / 1000:.1f} kB compressed")


def measure_preview() -> None:
    print("\nPreview of 40 players, 5 rounds, no task")
    td = factories.make_td()
    players = [
        factories.make_player(ratings={"OTBR": (1200.0 + 9 * number, 40)})
        for number in range(40)
    ]
    rows = factories.swiss_rows(40, 5)
    section = factories.section_report(players, rows)
    submission = factories.upload(
        td, factories.event_report(td, [section], name="Preview Open")
    )
    report = reported_in(submission)
    timed("preview", lambda: preview_report(report, members_of(report)), repeat=7)


if __name__ == "__main__":
    main()
