"""How fast our rules are replayed on our books: `make bench-laboratory`. Tests nothing.

A made-up federation of ten years whose truth is known is rated and published. Then the
question is asked: would B = 10 have predicted better than B = 12 from 2015 to 2024, and
what would it have done to ratings? It is asked twice, as the command asks and as the
pages do, each in a process of its own, whose memory is then its own too. Each part is
followed by seconds of the processor, because seconds on the wall say little where
others work on the machine, and by the most memory so far.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import reverse

from ratings.engine.variation.varying import NOTHING_VARIED, Variation, read_change
from ratings.experiments.plans import (
    OUR_BOOKS,
    Asked,
    Chosen,
    VariedRules,
    stored_variant,
)
from ratings.experiments.queries.experiments import shown_experiment
from ratings.experiments.services.asking import ask_experiment
from ratings.experiments.services.our_books import answer_of, answer_record, label_of
from ratings.experiments.services.replaying import Books, replay_books
from ratings.models import Experiment
from ratings.rerates.services.compiled import make_ready
from ratings.rerates.services.hypothesis import rules_to_json
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.starting import start_rerate
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import User
from tests.true_federation import FIRST, LAST, TrueFederation

KEPT = Path(__file__).parent.parent / "var" / "bench"
ASKED = ("bonus=12", "bonus=10")


def main(games: int) -> None:
    setup_test_environment()
    if connection.vendor == "sqlite":
        # In memory would flatter: the embedded office writes to a file.
        folder = tempfile.mkdtemp(prefix="office-bench-")
        settings.DATABASES["default"]["TEST"]["NAME"] = f"{folder}/bench.sqlite3"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        build(games)
        for way in (ask_by_command, ask_by_pages):
            beside = get_context("spawn").Process(
                target=alone, args=(connection.settings_dict["NAME"], way, games)
            )
            beside.start()
            beside.join()
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


def build(games: int) -> None:
    kernel = "compiled" if make_ready() else "interpreted"
    print(f"{connection.vendor}, kernel {kernel}")
    timed("federation made up", TrueFederation(games, kept=KEPT).build)
    run = start_rerate(actor=None, reason="All of it.", whole_history=True)
    timed("rated from nothing", work_off)
    publish_rerate(run_id=run.pk, actor=None, reason="It is good.")


def alone(database: str, way: Callable[[int], None], games: int) -> None:
    """Ask in this process, which has done nothing else."""
    connection.settings_dict["NAME"] = database
    began = time.perf_counter()
    way(games)
    waited = time.perf_counter() - began
    print(f"  waited {waited:.1f} s; peak memory {peak():,.0f} MB")
    print(f"games_per_second={games / waited:.0f}", flush=True)


def ask_by_command(games: int) -> None:
    print("By the command")
    members, found = replay_all()
    answer = answer_of("OTBR", members, found)
    record = timed("compared", lambda: answer_record(answer, FIRST.toordinal()))
    for text, values in record["words"]:
        print(f"  {text.format(**values)}")


def replay_all() -> tuple[Any, list[Any]]:
    """Return the members and the replays; the books are forgotten then."""
    books = timed("books read", Books.read)
    found = [timed("control, beside the books", lambda: replay(books, None))]
    found += [timed(text, lambda text=text: replay(books, text)) for text in ASKED]
    return books.members(), found


def ask_by_pages(games: int) -> None:
    """Have the worker do what the form asks for, and open the page of the answer."""
    print("By the pages")
    manager = User.objects.create_superuser("manager", password="only here")
    experiment = ask_experiment(
        actor=manager,
        title="B = 10 or B = 12?",
        reason="The committee asks.",
        kind=Experiment.Kind.OUR_RULES,
        asked=Asked(chosen=Chosen()),
        variants=[
            VariedRules(),
            *(stored_variant(OUR_BOOKS, rules_to_json(varied(text))) for text in ASKED),
        ],
    )
    timed("replayed and compared by a worker", work_off)
    experiment.refresh_from_db()
    client = Client(headers={"host": "localhost"})
    client.force_login(manager)
    address = reverse("ratings:experiment", args=[experiment.pk])
    page = timed("the page of the answer", lambda: client.get(address))
    print(f"  {experiment.status}, page {page.status_code}, {experiment.message}")
    verdict = shown_experiment(experiment, variant="", for_committee=True).verdict
    print("\n".join(f"  {said}" for said in [verdict.control, *verdict.paragraphs]))


def replay(books: Books, text: str | None) -> Any:
    rules = varied(text) if text else NOTHING_VARIED
    return replay_books(books, rules, label=label_of(rules), beside=text is None)


def varied(text: str) -> Variation:
    return Variation((read_change(text, first=FIRST, last=LAST),))


def timed(what: str, work: Callable[[], Any]) -> Any:
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(
        f"  {what:<40}{wall:>9.2f} s {processor:>9.2f} s {peak():>9,.0f} MB", flush=True
    )
    return result


def peak() -> float:
    """Return the most memory this process has had so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
