"""Benchmark of a replayed rule change: `make bench-laboratory`. Tests nothing.

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

from ratings.engine.rules import DEFAULT_EDITION
from ratings.engine.variation.variations import NO_VARIATION, Variation, read_change
from ratings.models import Experiment
from ratings.rerates.services.kernel_compiler import warm_up
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings.research.experiments.queries.experiments import experiment_page
from ratings.research.experiments.queries.rule_comparison import effects_of
from ratings.research.experiments.services.ledger_replay import (
    LedgerSources,
    replay_ledger,
)
from ratings.research.experiments.services.our_rules import (
    build_rules_result,
    rules_result_record,
    variant_label,
)
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User
from tests.ground_truth_federation import FIRST, LAST, GroundTruthFederation

KEPT = Path(__file__).parents[2] / "var" / "bench"
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
        for way in (run_by_command, run_by_pages):
            compare_ledger = get_context("spawn").Process(
                target=run_in_process,
                args=(connection.settings_dict["NAME"], way, games),
            )
            compare_ledger.start()
            compare_ledger.join()
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


def build(games: int) -> None:
    kernel = "compiled" if warm_up() else "interpreted"
    print(f"{connection.vendor}, kernel {kernel}")
    timed("federation made up", GroundTruthFederation(games, cache_dir=KEPT).build)
    run = start_rerate(actor=None, reason="All of it.", whole_history=True)
    timed("rated from nothing", run_due_jobs)
    publish_rerate(run_id=run.pk, actor=None, reason="It is good.")


def run_in_process(database: str, way: Callable[[int], None], games: int) -> None:
    """Ask in this process, which has done nothing else."""
    connection.settings_dict["NAME"] = database
    began = time.perf_counter()
    way(games)
    waited = time.perf_counter() - began
    print(f"  waited {waited:.1f} s; peak memory {peak():,.0f} MB")
    print(f"games_per_second={games / waited:.0f}", flush=True)


def run_by_command(games: int) -> None:
    print("By the command")
    members, found = replay_all()
    answer = build_rules_result("OTBR", members, found)
    record = timed("compared", lambda: rules_result_record(answer, FIRST.toordinal()))
    for text, values in record["words"]:
        print(f"  {text.format(**values)}")


def replay_all() -> tuple[Any, list[Any]]:
    """Return the members and the replays, and free the records."""
    books = timed("books read", LedgerSources.read)
    found = [timed("control, beside the books", lambda: replay(books, None))]
    found += [timed(text, lambda text=text: replay(books, text)) for text in ASKED]
    return books.members(), found


def run_by_pages(games: int) -> None:
    """Have the worker do what the form asks for, and open the page of the answer."""
    print("By the pages")
    manager = User.objects.create_superuser("manager", password="only here")
    client = Client(headers={"host": "localhost"})
    client.force_login(manager)
    before, after = (str(parse_variation(text)) for text in ASKED)
    sent = {
        "before": DEFAULT_EDITION,
        "before_values": before,
        "after": DEFAULT_EDITION,
        "after_values": after,
        "system": "OTBR",
    }
    address = client.post(reverse("ratings:editions"), sent)["Location"]
    timed("replayed and compared by a worker", run_due_jobs)
    experiment = Experiment.objects.latest("pk")
    timed("the page of both sides", lambda: client.get(address))
    address = experiment.get_absolute_url()
    page = timed("the page of the answer", lambda: client.get(address))
    print(f"  {experiment.status}, page {page.status_code}, {experiment.message}")
    control = experiment_page(
        experiment, variant="", for_committee=True
    ).verdict.control
    answers, _sheets = effects_of(experiment, ASKED)
    print("\n".join(f"  {said}" for said in [control, *answers]))


def replay(books: LedgerSources, text: str | None) -> Any:
    rules = parse_variation(text) if text else NO_VARIATION
    return replay_ledger(
        books, rules, label=variant_label(rules), compare_ledger=text is None
    )


def parse_variation(text: str) -> Variation:
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
