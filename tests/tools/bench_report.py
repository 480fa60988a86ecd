"""How long a large report keeps people waiting: `make bench-report PLAYERS=300`.

Prints the seconds of each page and action of one report: uploaded, opened, submitted,
reviewed, accepted. The rating itself is a job, and comes last.
"""

import os
import sys
import time
from collections.abc import Callable

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import reverse

from events.formats.dbf.writer import zip_report
from events.models import Section, Submission
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)

ROUNDS = 7


def timed(what: str, work: Callable[[], HttpResponse | int]) -> None:
    began = time.perf_counter()
    answer = work()
    print(f"{what:<32} {time.perf_counter() - began:6.2f} s", flush=True)
    if isinstance(answer, HttpResponse) and answer.status_code not in (200, 302):
        sys.exit(f"It answered {answer.status_code}.")


def measure(players: int) -> None:
    td, clerk = make_td(), make_staff()
    members = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(players)]
    report = event_report(td, [section_report(members, swiss_rows(players, ROUNDS))])
    file = SimpleUploadedFile("may.zip", zip_report(report))
    desk, office = Client(), Client()
    desk.force_login(td)
    office.force_login(clerk)
    timed("sent", lambda: desk.post(reverse("events:upload"), {"files": [file]}))
    submission = Submission.objects.get()
    page = submission.get_absolute_url()
    submit = reverse("events:submit", args=[submission.pk])
    accept = reverse("events:accept", args=[submission.pk])
    timed("opened by the director", lambda: desk.get(page))
    timed("submitted", lambda: desk.post(submit))
    timed("opened by the office", lambda: office.get(page))
    timed("asked whether to accept it", lambda: office.get(accept))
    timed("accepted", lambda: office.post(accept, {"reason": "In order."}))
    timed("rated by the worker", run_due_jobs)
    print(f"{'its state':<32} {Section.objects.get().status:>8}")


def main() -> None:
    players = int(os.environ.get("PLAYERS", "300"))
    setup_test_environment()
    connection.creation.create_test_db(verbosity=0)
    try:
        print(f"{players} players, {ROUNDS} rounds, {connection.vendor}")
        measure(players)
    finally:
        connection.creation.destroy_test_db(":memory:", verbosity=0)


if __name__ == "__main__":
    sys.exit(main())
