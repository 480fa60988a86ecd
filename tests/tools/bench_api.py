"""Benchmark of the roster check: `make bench-api MEMBERS=110000`. Tests nothing.

The federation of `make bench-pages` is asked for 250 players at once, through the API:
a list as TDs send it (IDs with names, a few typos, names only, and strangers), and one
of names only. DATABASE_URL chooses the database. The last line is for programs.
"""

import random
import sys
import time
from statistics import median

from django.test.utils import setup_test_environment

# Configures Django for the federation's database.
from tests.tools.bench_pages import Client, Player, connection, prepare_database

# isort: split
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.models import ApiKey, User

PLAYERS, TIMES = 250, 7
TYPOS, NAMES, STRANGERS = 15, 20, 5


def rows_as_sent(chance: random.Random) -> list[dict[str, str]]:
    """Return a list as TDs send it."""
    rows = []
    for place, player in enumerate(_players(chance)):
        name = f"{player.family_name}, {player.given_name}"
        row = {"member_id": player.member_id, "name": name}
        if place < TYPOS:
            row["member_id"] = f"{player.member_id[:6]}{player.member_id[:5:-1]}"
        elif place < TYPOS + NAMES:
            del row["member_id"]
        elif place < TYPOS + NAMES + STRANGERS:
            row = {"name": f"Stranger, Nobody{place}"}
        rows.append(row)
    return rows


def rows_of_names(chance: random.Random) -> list[dict[str, str]]:
    return [{"name": f"{one.given_name} {one.family_name}"} for one in _players(chance)]


def _players(chance: random.Random) -> list[Player]:
    last = Player.objects.order_by("-pk").values_list("pk", flat=True)[0]
    drawn = chance.sample(range(1, last + 1), 2 * PLAYERS)
    return list(Player.objects.filter(pk__in=drawn).order_by("pk")[:PLAYERS])


def measure(name: str, rows: list[dict[str, str]], key: str) -> float:
    """Print the figures of one list, and return the median of its seconds."""
    seconds, processor, queries = [], [], 0
    for _ in range(TIMES):
        with connection.execute_wrapper(Counter()):
            began, spent = time.perf_counter(), time.process_time()
            response = Client().post(
                "/api/v1/members/check",
                {"rows": rows, "day": "2026-01-15"},
                content_type="application/json",
                headers={"Authorization": f"Bearer {key}"},
            )
            seconds.append(time.perf_counter() - began)
            processor.append(time.process_time() - spent)
        queries = Counter.last
        if response.status_code != 200:
            sys.exit(f"The check answers {response.status_code}.")
    counts = ", ".join(f"{n} {kind}" for kind, n in response.json()["counts"].items())
    took = median(seconds)
    print(
        f"{name}: {len(rows)} players in {took:.2f} s (first {seconds[0]:.2f} s, "
        f"processor {median(processor):.2f} s), {queries} queries: {counts}",
        flush=True,
    )
    return took


class Counter:
    """Counts the queries of one request."""

    last = 0

    def __init__(self) -> None:
        Counter.last = 0

    def __call__(self, execute, *arguments):  # type: ignore[no-untyped-def]
        Counter.last += 1
        return execute(*arguments)


def main(members: int) -> None:
    setup_test_environment()
    prepare_database(members)
    print(f"{connection.vendor}: {Player.objects.count():,} members")
    owner, _ = User.objects.get_or_create(username="bench api")
    ApiKey.objects.filter(owner=owner).delete()
    key, text = create_key(owner=owner, name="bench", may_submit=False)
    key.daily_quota = 2**31 - 1
    key.save()
    took = measure("as TDs send it", rows_as_sent(random.Random(1)), text)
    measure("names only", rows_of_names(random.Random(2)), text)
    print(f"roster_check_s={took:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 110_000)
