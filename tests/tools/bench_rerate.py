"""How fast history is replayed: `make bench-rerate GAMES=1000000`. Tests nothing.

A generated federation is rated from its records to the published run. Then a
report comes 60 days late and its window is replayed. At last all of it is written again
over the ledger, and undone. On PostgreSQL the bare writing of the same ledger lines is
measured in the same run. DATABASE_URL chooses the database.
The last lines are for programs: `ratio_to_copy` is the seconds from nothing to the
published run over those of the bare writing, `games_per_second` counts from nothing.

Where others work on the machine, seconds say little; so each is followed by seconds of
the processor: this program's, and PostgreSQL's at work for it on all connections
(without the parallel workers it may start; max_parallel_maintenance_workers=0 in its
configuration keeps it from it).
"""

import os
import resource
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import NamedTuple, Self

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.test.utils import setup_test_environment

from events.models import Event, PackedSection, Section, Submission
from events.records.packed_section import UnpackedSection, digest_of, pack, unpack
from players.models import Player
from ratings.ledger.services import digests
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.models import Calculation, RatingChange, RerateMark, Run
from ratings.rerates.services.kernel_compiler import warm_up
from ratings.rerates.services.publishing import discard_rerate, publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings.rerates.services.undo import undo_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import make_user
from tests.federation import Federation

LATE_BY = timedelta(days=60)
LEDGER = RatingChange._meta.db_table
CACHE_DIR = Path(__file__).parents[2] / "var" / "bench"


def main(games: int) -> None:
    setup_test_environment()
    Thread(target=sample_forever, daemon=True).start()
    if connection.vendor == "sqlite":
        # In memory would flatter: the embedded office writes to a file.
        folder = tempfile.mkdtemp(prefix="office-bench-")
        settings.DATABASES["default"]["TEST"]["NAME"] = f"{folder}/bench.sqlite3"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        measure(games)
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


def measure(games: int) -> None:
    # A running worker has loaded it long ago.
    kernel = "compiled" if warm_up() else "interpreted"
    print(f"{connection.vendor}, kernel {kernel}")
    federation = Federation(games, cache_dir=CACHE_DIR)
    built, spent = timed(federation.build)
    members, sections = Player.objects.count(), Section.objects.count()
    print_seconds(
        f"federation: {built:,} games, {sections:,} sections, {members:,} members",
        spent,
    )
    run, total = replay("rated from nothing")
    lines = RatingChange.objects.count()
    show_parts(run, total)
    print(f"  {lines:,} ledger lines, {lines / total.wall:,.0f} a second")
    bare = compare_with_copy(run, total)
    late_report(kernel, federation)
    rewrite_ledger()
    if bare is not None:
        print(f"ratio_to_copy={total.wall / bare.wall:.2f}")
    print(f"games_per_second={built / total.wall:.0f}")


def compare_with_copy(run: Run, total: "Seconds") -> "Seconds | None":
    if connection.vendor != "postgresql":
        return None
    bare = copy_run_lines(run)
    print_seconds("bare COPY, indexes and foreign keys of these lines", bare)
    print(
        f"  the whole is {total.wall / bare.wall:.2f} times that, "
        f"{total.processor / bare.processor:.2f} times in seconds of the processor"
    )
    return bare


def replay(name: str, whole_history: bool = True) -> tuple[Run, "Seconds"]:
    """Rerate and publish; return the run and the seconds it took end to end."""
    run, spent = timed(
        lambda: start_rerate(actor=None, reason=name, whole_history=whole_history)
    )
    _, worked = timed(run_due_jobs)
    run.refresh_from_db()
    if run.status != Run.Status.READY:
        sys.exit(f"The rerate is {run.status}: {run.message}")
    _, published = timed(lambda: publish_rerate(run_id=run.pk, actor=None, reason=name))
    run.refresh_from_db()
    total = spent + worked + published
    print_seconds(f"{name}: to the preview", spent + worked)
    print_seconds(f"{name}: published", published)
    print_seconds(f"{name}: end to end", total)
    return run, total


def show_parts(run: Run, total: "Seconds") -> None:
    for part, seconds in run.progress["seconds"].items():
        print(f"    {part:<12}{seconds:>9.2f} s {100 * seconds / total.wall:>5.0f} %")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"    peak memory {peak:>9,.0f} MB")


def copy_run_lines(run: Run) -> "Seconds":
    """Copy the run's lines into a table of their own, with indexes and foreign keys."""
    copy = "ledger_copy"
    with connection.cursor() as cursor, tempfile.TemporaryFile() as lines:
        with cursor.copy(
            f"COPY (SELECT line.* FROM {LEDGER} line JOIN ratings_calculation c "  # noqa: S608 (our own tables)
            f"ON c.id = line.calculation_id WHERE c.run_id = {run.pk}) "
            "TO STDOUT (FORMAT BINARY)"
        ) as out:
            for block in out:
                lines.write(block)
        lines.seek(0)
        began = Seconds.now()
        cursor.execute(f"CREATE TABLE {copy} (LIKE {LEDGER} INCLUDING CONSTRAINTS)")
        with cursor.copy(f"COPY {copy} FROM STDIN (FORMAT BINARY)") as into:
            while block := lines.read(1 << 20):
                into.write(block)
        for statement in (
            f"ALTER TABLE {copy} ADD PRIMARY KEY (id)",
            f"CREATE UNIQUE INDEX ON {copy} (calculation_id, player_id)",
            f"CREATE INDEX ON {copy} (player_id, calculation_id)",
            f"ALTER TABLE {copy} ADD FOREIGN KEY (calculation_id) "
            "REFERENCES ratings_calculation",
            f"ALTER TABLE {copy} ADD FOREIGN KEY (player_id) REFERENCES players_player",
            f"ANALYZE {copy}",
        ):
            cursor.execute(statement)
        spent = Seconds.now() - began
        cursor.execute(f"DROP TABLE {copy}")
    return spent


def late_report(kernel: str, federation: Federation) -> None:
    """Let a section of 16 arrive 60 days late, and replay its window."""
    print(f"A report 60 days late, kernel {kernel}")
    section = _late_section(federation)
    # What else waits, such as telling people of the first rerate, is not measured.
    run_due_jobs()
    with transaction.atomic():
        add_pending_rerate(
            kind=RerateMark.Kind.LATE,
            day=section.ends,
            section=section,
            note="A report came 60 days late.",
        )
    run, total = replay("late report", whole_history=False)
    show_parts(run, total)
    lines = RatingChange.objects.filter(calculation__run=run).count()
    differing = run.differences.count()
    print(f"  {lines:,} lines written, {differing:,} ratings differ as whole numbers")
    compare_with_copy(run, total)
    again, _ = timed(
        lambda: start_rerate(actor=None, reason="Full replay", whole_history=True)
    )
    run_due_jobs()
    written = Calculation.objects.filter(run=again).count()
    print(f"  a full replay after it finds {written} calculations to write again")
    discard_rerate(run_id=again.pk, actor=None, reason="Looked at.")


def rewrite_ledger() -> None:
    """Have all of it written over the ledger, as for another engine, and undone."""
    print("All of it written again")
    digests.ENGINE_VERSION = "another"
    run, _ = replay("written again")
    run_due_jobs()
    undo_rerate(run_id=run.pk, actor=make_user(is_superuser=True), reason="Measured.")
    _, spent = timed(lambda: run_due_jobs(limit=1))
    run.refresh_from_db()
    if run.status != Run.Status.UNDONE:
        sys.exit(f"The rerate is {run.status}: {run.message}")
    print_seconds("written again: undone", spent)


def _late_section(federation: Federation) -> Section:
    day = federation.last_day - LATE_BY
    near = PackedSection.objects.filter(section__ends__range=(day - LATE_BY, day))
    players = sorted(
        {player for row in near[:200] for player in _players_of(bytes(row.data))}
    )[:16]
    seats = range(0, len(players), 2)
    packed = UnpackedSection(
        kind="swiss",
        is_online=False,
        starts=day,
        ends=day,
        time_control="G/60;d5",
        players=array("q", players),
        first=array("H", seats),
        second=array("H", [seat + 1 for seat in seats]),
        scores=bytes([3 * 2] * len(seats)),
    )
    template = Submission.objects.latest("pk")
    template.pk, template.content_digest = None, "late"
    template.save()
    event = Event.objects.create(
        event_id=f"{day:%Y%m%d}9999",
        name="Late",
        starts=day,
        ends=day,
        affiliate=Event.objects.latest("pk").affiliate,
        submission=template,
    )
    section = Section.objects.create(
        event=event,
        number=1,
        starts=day,
        ends=day,
        rounds=1,
        time_control=packed.time_control,
        status=Section.Status.RATED,
    )
    data = pack(packed)
    PackedSection.objects.create(section=section, data=data, digest=digest_of(data))
    return section


def _players_of(data: bytes) -> array:
    return unpack(data).players


class Seconds(NamedTuple):
    """Seconds by the clock on the wall and of the processor."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> Self:
        return cls(time.perf_counter(), time.process_time() + _sample_database())

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        return type(self)(self.wall + other.wall, self.processor + other.processor)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.wall - other.wall, self.processor - other.processor)


# What each process of PostgreSQL has worked for us, also those that have ended since.
_processor_seconds: dict[int, float] = {}


def _sample_database() -> float:
    """Return what PostgreSQL has worked for us, 0 if it is not on this machine."""
    for process in list(_processor_seconds):
        _sample_process(process)
    return sum(_processor_seconds.values())


def _sample_process(process: int) -> None:
    try:
        spent = Path(f"/proc/{process}/schedstat").read_text().split()[0]
    except OSError:
        return
    _processor_seconds[process] = int(spent) / 1e9


@receiver(connection_created)
def _sample_connection(connection: BaseDatabaseWrapper, **_: object) -> None:
    if connection.vendor == "postgresql":
        _sample_process(connection.connection.info.backend_pid)


def sample_forever() -> None:
    """Poll, because a connection may end between two measurements."""
    while True:
        time.sleep(0.05)
        _sample_database()


def timed(work: Callable[[], object]) -> tuple:
    began = Seconds.now()
    result = work()
    return result, Seconds.now() - began


def print_seconds(what: str, seconds: Seconds) -> None:
    print(f"  {what:<58}{seconds.wall:>9.2f} s {seconds.processor:>9.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
