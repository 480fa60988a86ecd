"""How long a federation takes to move in: `make bench-moving-in MEMBERS=50000`.

Runs the commands of docs/moving-in.md, each in a process of its own, on an empty
database: four files of members in the shapes of US Chess, Canada, Germany, and a
membership system, one of ratings, and a ZIP of past events for each shape. Prints
seconds and memory.
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "ratings_site.settings"

from events.formats.dbf.writer import write_report
from events.formats.json.writer import write_json
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from events.formats.tables.writer import write_crosstables
from events.formats.trf.tournament import LAYOUT_2026
from events.formats.trf.writer import write_trf_files
from ratings_site.demo.names import name_of
from tests.live_office import ROOT, scratch_database
from tests.onboarding_files import AFFILIATE, member_id, write_affiliate

PLAYERS = 40
ROUNDS = 5
STATES = ("CA", "NY", "TX", "OH", "WA")

chance = random.Random(3)


def golden(number: int) -> list[str]:
    """A row of the golden database of US Chess."""
    given, family = name_of(number)
    rating = f"{chance.randint(400, 2400)}/{chance.randint(26, 400)}"
    row = [member_id(number), f"{family}, {given}".upper(), "12/16/2099", "TX", rating]
    return [*row, str(chance.randint(300, 2300)), "FM"[number % 2]]


def canadian(number: int) -> list[str]:
    given, family = name_of(number)
    row = [member_id(number), "28/10/2099", family, given, "ON", "Toronto"]
    return [*row, str(chance.randint(400, 2400)), "0"]


def german(number: int) -> list[str]:
    given, family = name_of(number)
    row = [member_id(number), "40123", "0000", "A", f"{family},{given}"]
    return [*row, "MW"[number % 2], str(chance.randint(1940, 2018))]


def membership_system(number: int) -> list[str]:
    given, family = name_of(number)
    born = date(1950, 1, 1) + timedelta(days=chance.randrange(25_000))
    row = [member_id(number), given, family, str(born), "FM"[number % 2]]
    state = chance.choice(STATES)
    return [*row, state, "active", "Adult", "2026-01-01", "2099-12-31", "a@example.org"]


GOLDEN = "MEM_ID MEM_NAME EXPIRED STATE R_LPB_RAT Q_LPB_RAT GENDER"
CANADIAN = "CFC# Expiry Last First Prov City Rating High"
GERMAN = "ID VKZ Mgl-Nr Status Spielername Geschlecht Geburtsjahr"
MEMBERSHIP = (
    "Member ID,Given name,Family name,Birth date,Gender,State,Status,Membership,"
    "Starts,Expires,E-mail"
)
SHAPES: dict[str, tuple[list[str], Callable[[int], list[str]], str, str, list[str]]] = {
    "US Chess": (GOLDEN.split(), golden, "\t", "utf-8", []),
    "Canada": (
        CANADIAN.split(),
        canadian,
        ",",
        "utf-8",
        ["--column", "CFC#=member_id", "--fix", "state_unknown=blank"],
    ),
    "Germany": (
        GERMAN.split(),
        german,
        ",",
        "cp1252",
        ["--fix", "status_unknown:A=active"],
    ),
    "membership system": (MEMBERSHIP.split(","), membership_system, ",", "utf-16", []),
}


def write_members(path: Path, shape: str, numbers: range) -> list[str]:
    """Write a file of members in a *shape*, and return its options of the command."""
    headings, row_of, delimiter, encoding, options = SHAPES[shape]
    with path.open("w", encoding=encoding, errors="replace", newline="") as file:
        table = csv.writer(file, delimiter=delimiter)
        table.writerow(headings)
        table.writerows(row_of(number) for number in numbers)
    return options


def event(number: int, members: range) -> ReportedEvent:
    """Return a past event of *PLAYERS* of the *members*."""
    day = date(1995, 1, 7) + timedelta(days=number % 10_000)
    chosen = chance.sample(members, PLAYERS)
    entries = []
    for place, one in enumerate(chosen, start=1):
        rivals = (
            1 + (place - 1 + (turn if place % 2 else -turn)) % PLAYERS
            for turn in range(1, 2 * ROUNDS, 2)
        )
        cells = tuple(parse_cell(f"{'WL'[place % 2]}{rival}") for rival in rivals)
        given, family = name_of(one)
        name = f"{family}, {given}".upper()
        entries.append(ReportedEntry(place, member_id(one), name, "TX", "", cells))
    section = ReportedSection(
        number=1,
        name="OPEN",
        system_letter="R",
        time_control="G/90;d5",
        kind_letter="S",
        rounds=ROUNDS,
        last_pairing_number=PLAYERS,
        scholastic_level="N",
        entries=tuple(entries),
    )
    return ReportedEvent(
        program="PAIRING",
        event_id=f"{day:%Y%m%d}{number % 10_000:04}",
        name=f"WEEKEND OPEN {number}",
        starts=day,
        ends=day + timedelta(days=1),
        affiliate_id=AFFILIATE,
        city="DALLAS",
        state="TX",
        country="USA",
        chief_td_id=member_id(members[0]),
        sections=(section,),
        total_sections=1,
    )


WRITERS: dict[str, Callable[[ReportedEvent], dict[str, bytes]]] = {
    "US Chess": write_report,
    "Canada": lambda one: {"report.json": write_json(one)},
    "Germany": lambda one: write_trf_files(one, LAYOUT_2026),
    "membership system": lambda one: {"report.csv": write_crosstables(one)},
}


def write_history(path: Path, shape: str, events: range, members: range) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in events:
            for name, content in WRITERS[shape](event(number, members)).items():
                archive.writestr(f"{number:06}/{name}", content)


def manage(*command: str, environment: dict[str, str]) -> float:
    """Run a command of the office; print seconds, memory, and its last line."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = process.stdout.read() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    shown = " ".join(one.rpartition("/")[2] for one in command[:2])
    print(f"{took:8.1f} s {used.ru_maxrss / 1024:6,.0f} MB  {shown}")
    for line in [line for line in said.splitlines() if line.strip()][-2:]:
        print(f"{'':21}{line.strip()[:100]}", flush=True)
    if status:
        sys.exit(said[-2000:])
    return took


def main() -> None:
    members = int(os.environ.get("MEMBERS", "50000"))
    events = int(os.environ.get("EVENTS", "10000"))
    folder = Path(tempfile.mkdtemp(prefix="office-bench-"))
    with scratch_database(os.environ["DATABASE_URL"], "moving_in") as address:
        environment = {
            "DATABASE_URL": address,
            "DATA_DIR": str(folder),
            "SECRET_KEY": "only for this bench, but long enough for production",
        }
        print(f"{members:,} members, {events * PLAYERS:,} records of {events:,} events")
        move_in(folder, members, events, environment)


def move_in(
    folder: Path, members: int, events: int, environment: dict[str, str]
) -> None:
    def run(*command: str) -> float:
        return manage(*command, environment=environment)

    total = run("migrate", "--verbosity=0")
    total += run(
        "create_office",
        *(
            "--name=Chess Federation",
            "--address=1 Main St",
            "--time-zone=America/Chicago",
        ),
        *("--manager=ada", "--email=ada@example.org", "--ours-from=2026-11-01"),
    )
    shares = [
        range(members * turn // len(SHAPES), members * (turn + 1) // len(SHAPES))
        for turn in range(len(SHAPES))
    ]
    for shape, numbers in zip(SHAPES, shares, strict=True):
        path = folder / f"members of {shape}.csv"
        options = write_members(path, shape, numbers)
        total += run("import_members", str(path), *options)
        total += run("import_members", str(path), *options, "--apply")
    affiliates = folder / "affiliates.csv"
    write_affiliate(affiliates)
    total += run("import_affiliates", str(affiliates), "--apply")
    ratings = [str(folder / "members of US Chess.csv"), "--as-of=2026-10-31"]
    ratings += ["--games=100"]
    total += run("import_ratings", *ratings)
    total += run("import_ratings", *ratings, "--apply", "--by=ada")
    for turn, (shape, numbers) in enumerate(zip(SHAPES, shares, strict=True)):
        path = folder / f"events of {shape}.zip"
        write_history(
            path,
            shape,
            range(events * turn // len(SHAPES), events * (turn + 1) // len(SHAPES)),
            numbers,
        )
        options = [str(path), f"--affiliate={AFFILIATE}"]
        total += run("import_history", *options)
        total += run("import_history", *options, "--apply", "--by=ada")
    print(f"{total:8.1f} s in all")


if __name__ == "__main__":
    main()
