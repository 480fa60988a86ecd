"""How long an official list takes: `make bench-lists MEMBERS=50000`. Prints figures.

Invented members with two ratings each; the list is prepared and published once from
the current ratings, and once from a ledger in which all members were rerated since.
"""

import os
import random
import resource
import sys
import time
from collections.abc import Callable
from datetime import date, datetime
from typing import TypeVar

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.core.paginator import Paginator
from django.db import connection
from django.test import Client
from django.test.utils import setup_test_environment
from django.utils import timezone

from players.members.queries import find_players, states, suggest_players
from players.models import Membership, MembershipType, Player
from ratings.ledger.services.rating import enter_openings
from ratings.lists.queries.rankings import (
    Difference,
    RankingFilter,
    changed_ratings,
    ranking,
)
from ratings.lists.services.lists import prepare_list, publish_list
from ratings.lists.services.open_lists import open_file_rows, store_open_files
from ratings.models import OfficialList, OpeningEntry, Run
from ratings_site.demo.names import STATES, name_of

JUNE, JULY = date(2024, 6, 1), date(2024, 7, 1)
CHUNK = 5_000

Result = TypeVar("Result")


def fill(members: int) -> None:
    """Enter members with a regular and a quick rating."""
    chance = random.Random(1)
    kind = MembershipType.objects.create(name="Regular")
    for start in range(0, members, CHUNK):
        numbers = range(start, min(start + CHUNK, members))
        players = [_player(number, chance) for number in numbers]
        Player.objects.bulk_create(players, batch_size=1000)
        Membership.objects.bulk_create(
            [
                Membership(
                    player=player,
                    type=kind,
                    starts=date(2020, 1, 1),
                    expires=date(2030, 1, 1),
                )
                for player in players
            ],
            batch_size=1000,
        )
        enter_openings(
            entries=[
                OpeningEntry(
                    player=player,
                    system=system,
                    as_of=date(2024, 1, 1),
                    rating=max(100.0, chance.gauss(1200, 400)),
                    games=chance.randrange(1, 200),
                    record="mixed",
                    source="made up",
                )
                for player in players
                for system in ("OTBR", "OTBQ")
            ],
            actor=None,
        )


def _player(number: int, chance: random.Random) -> Player:
    given, family = name_of(number)
    player = Player(
        member_id=str(20_000_001 + number),
        given_name=given,
        family_name=family,
        state=STATES[number % len(STATES)],
        birth_date=date(1950 + chance.randrange(65), 1, 1),
        gender=chance.choice("FM"),
    )
    player.set_search_names()
    return player


def create_undone_rerate() -> None:
    """Undo a rerate after the cutoff, so that current ratings cannot be used."""
    now = timezone.now()
    Run.objects.create(
        kind="rerate",
        status="undone",
        published_at=now,
        publish_reason="Bench.",
        undone_at=now,
        undo_reason="Bench.",
    )


def timed(what: str, work: Callable[[], Result]) -> Result:
    began = time.perf_counter()
    result = work()
    print(f"{what:<44} {time.perf_counter() - began:7.2f} s", flush=True)
    return result


def make_list(month: date, cut_off: datetime, books: str) -> None:
    draft = timed(
        f"prepare, {books}",
        lambda: prepare_list(month=month, actor=None, cut_off=cut_off),
    )
    official = timed(
        f"publish, {books}",
        lambda: publish_list(
            month=month, digest=draft.digest, actor=None, reason="Bench."
        ),
    )
    print(f"{'ratings on it':<44} {official.ratings.count():7,}")


def main() -> None:
    members = int(os.environ.get("MEMBERS", "50000"))
    setup_test_environment()
    connection.creation.create_test_db(verbosity=0)
    try:
        timed(f"enter {members:,} members", lambda: fill(members))
        cut_off = timezone.now()
        make_list(JUNE, cut_off, "from current ratings")
        create_undone_rerate()
        make_list(JULY, cut_off, "from the ledger of the cut-off")
        measure_open_files()
        measure_pages()
        measure_search()
    finally:
        connection.creation.destroy_test_db(":memory:", verbosity=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{'peak memory':<44} {peak:7,} MB ({connection.vendor})")


SEARCHED = ("obrien", "Jankovsky", "balogun IL", "maria garcia", "2000", "jos")


def measure_search() -> None:
    for text in SEARCHED:
        timed(
            f"the search for {text}",
            lambda text=text: list(Paginator(find_players(text), 50).page(1)),
        )
    timed("who was meant, where nobody is found", lambda: suggest_players("hobalogun"))
    timed("the states of the search", states)


def measure_open_files() -> None:
    """Make the open files of the newest list, and send each as it is stored."""
    newest = OfficialList.objects.all()[0]
    rows = timed("make the open files", lambda: open_file_rows(newest))
    timed("store them", lambda: store_open_files(newest, rows))
    client = Client()
    for row in rows:
        for encoding in ("gzip", "identity"):
            response = timed(
                f"send {row['kind']} ({encoding})",
                lambda kind=row["kind"], encoding=encoding: client.get(
                    f"/lists/newest/{kind}", headers={"Accept-Encoding": encoding}
                ),
            )
            print(f"{'':<44} {len(response.content) / 1e6:7.1f} MB")
    tag = {"If-None-Match": response["ETag"]}
    timed(
        "not modified", lambda: client.get(f"/lists/newest/{row['kind']}", headers=tag)
    )


def measure_pages() -> None:
    july, june = OfficialList.objects.all()
    timed("a page of the ranking", lambda: ranking(july, RankingFilter("OTBR"), 1))
    timed("its last page", lambda: ranking(july, RankingFilter("OTBR"), 10**6))
    timed("women", lambda: ranking(july, RankingFilter("OTBR", women=True), 1))
    timed(
        "two lists compared",
        lambda: list(changed_ratings(july, june, "OTBR", Difference.CHANGED)[:50]),
    )


if __name__ == "__main__":
    sys.exit(main())
