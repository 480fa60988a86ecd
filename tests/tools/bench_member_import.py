"""How long a file of members takes to move in: `make bench-intake ROWS=1000000`.

With `FORMAT=xlsx` it is a spreadsheet.

A made-up federation moves into an empty office, its file is sent again, and a third one
prolongs one membership in ten and moves one member in fifty. Prints figures.
"""

import csv
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

import openpyxl
from django.conf import settings
from django.db import connection
from django.test.utils import setup_test_environment

from players.imports.services.actions import apply_intake, receive_file, undo_intake
from players.models import Intake
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.demo.names import name_of

HEADINGS = (
    "Member ID,First name,Last name,Date of birth,Sex,State,Country,FIDE ID,Type,"
    "Start date,Expiration date,Email,Parent email\n"
)
STATES = ("TX", "NY", "CA", "OH", "WA", "NJ", "FL")


def write_members(path: Path, rows: int, year: int) -> None:
    """Write a file as a membership system would export it in *year*."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write(HEADINGS)
        for number in range(rows):
            family, given = name_of(number)
            born = f"{chance.randint(1940, 2020)}-{chance.randint(1, 12):02}-11"
            state = STATES[(number + (year if number % 50 == 0 else 0)) % len(STATES)]
            until = year if number % 10 == 0 else 2026
            fide_id = 2_000_000 + number if number % 20 == 0 else ""
            file.write(
                f"{20_000_000 + number},{given},{family},{born},{'FM'[number % 2]},"
                f"{state},USA,{fide_id},Regular,2025-01-01,{until}-12-31,"
                f"m{number}@example.org,p{number}@example.org\n"
            )


def write_workbook(path: Path, rows: int, year: int) -> None:
    """Write the same as a spreadsheet program would."""
    write_members(path, rows, year)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Members")
    with path.open(encoding="utf-8") as file:
        for row in csv.reader(file):
            sheet.append([int(cell) if cell.isdecimal() else cell for cell in row])
    book.save(path)


WRITERS = {"csv": write_members, "xlsx": write_workbook}
FORMAT = os.environ.get("FORMAT", "csv")


def import_members(rows: int, year: int) -> Intake:
    path = Path(tempfile.mkdtemp(prefix="office-bench-"), f"members.{FORMAT}")
    # In a process of its own, whose memory is not the intake's.
    writer = multiprocessing.Process(target=WRITERS[FORMAT], args=[path, rows, year])
    writer.start()
    writer.join()
    began = time.perf_counter()
    with path.open("rb") as file:
        intake = receive_file(
            actor=None,
            kind=Intake.Kind.MEMBERS,
            name=path.name,
            content=iter(lambda: file.read(1 << 20), b""),
        )
    path.unlink()
    run_due_jobs()
    intake.refresh_from_db()
    if intake.state != Intake.State.READY:
        sys.exit(f"{intake.state}: {intake.problem}")
    print_result("dry run", intake, began)
    if intake.new or intake.changed:
        began = time.perf_counter()
        apply_intake(intake_id=intake.pk, actor=None, reason="Bench.")
        run_due_jobs()
        print_result("entered", intake, began)
    return intake


def print_result(what: str, intake: Intake, began: float) -> None:
    took = time.perf_counter() - began
    intake.refresh_from_db()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {what}: {took:.1f} s ({intake.rows_read / took:,.0f} rows a second), "
        f"{intake.new:,} new, {intake.changed:,} changed, {intake.unchanged:,} "
        f"unchanged, {intake.suspected:,} suspected, {intake.refused:,} refused, peak "
        f"{peak:,.0f} MB",
        flush=True,
    )


def measure(rows: int) -> None:
    print(f"A file of {rows:,} members, {FORMAT}, {connection.vendor}")
    import_members(rows, 2026)
    import_members(rows, 2026)
    intake = import_members(rows, 2027)
    began = time.perf_counter()
    undo_intake(intake_id=intake.pk, actor=None, reason="Bench.")
    run_due_jobs()
    print_result("undone", intake, began)


def main() -> None:
    rows = int(os.environ.get("ROWS", "100000"))
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


if __name__ == "__main__":
    main()
