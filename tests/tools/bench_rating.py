"""How fast one worker rates a burst of reports: `make bench-rating SECTIONS=500`.

Sections of eight players over two months are accepted in any order and rated as the
worker rates them. Prints sections a second, how many were late, and what a single
report takes that comes to an empty queue. `PROFILE=1` shows where the time goes.
"""

import cProfile
import os
import pstats
import random
import time
from datetime import timedelta

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.db import connection
from django.test.utils import CaptureQueriesContext, setup_test_environment

from events.models import Section
from events.records.jobs import RATE_SECTION
from ratings.models import RerateMark
from ratings_site.common.jobs.services import claim, perform
from ratings_site.common.models import Job
from tests.factories import (
    END,
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)

PLAYERS, ROUNDS = 8, 4


def enter(number: int) -> None:
    """Accept reports of one section each, in an order of chance."""
    chance = random.Random(number)
    td, clerk = make_td(), make_staff()
    members = [
        make_player(ratings={"OTBR": (chance.gauss(1500, 300), 30)})
        for _ in range(max(PLAYERS, number))
    ]
    days = [END + timedelta(days=chance.randrange(60)) for _ in range(number)]
    for day in days:
        players = chance.sample(members, PLAYERS)
        report = section_report(players, swiss_rows(PLAYERS, ROUNDS))
        event = event_report(td, [report], starts=day, ends=day)
        accepted_event(td, event, staff=clerk)


def rate() -> int:
    """Do what a worker does with its messages; return how many it did."""
    waking = Job.objects.filter(kind=RATE_SECTION, state=Job.State.QUEUED)
    done = 0
    for pk in list(waking.order_by("pk").values_list("pk", flat=True)):
        if (job := claim(pk)) is not None:
            perform(job)
            done += 1
    return done


def measure(number: int) -> None:
    enter(number)
    profile = cProfile.Profile()
    if os.environ.get("PROFILE"):
        profile.enable()
    with CaptureQueriesContext(connection) as queries:
        rate()
        profile.disable()
        queries_each = len(queries) / number
    if os.environ.get("PROFILE"):
        pstats.Stats(profile).sort_stats("cumtime").print_stats(45)
    enter(number)
    began, worked = time.perf_counter(), time.process_time()
    rate()
    spent, worked = time.perf_counter() - began, time.process_time() - worked
    print(f"{number} sections of {PLAYERS} players in {spent:.2f} s")
    print(f"queries a section          {queries_each:8.2f}")
    print(f"processor time a section   {worked / number * 1000:8.2f} ms")
    print(f"late                       {RerateMark.objects.count():8}")
    print(f"sections_per_second={number / spent:.0f}")


def measure_one() -> None:
    enter(1)
    began = time.perf_counter()
    rate()
    print(f"a single report in         {(time.perf_counter() - began) * 1000:8.0f} ms")


def main() -> None:
    number = int(os.environ.get("SECTIONS", "500"))
    setup_test_environment()
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        measure(number)
        measure_one()
        waiting = Section.objects.exclude(status=Section.Status.RATED).count()
        print(f"not rated                  {waiting:8}")
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


if __name__ == "__main__":
    main()
