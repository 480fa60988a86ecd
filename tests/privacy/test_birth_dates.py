"""How much all published numbers reveal of a birth date, compared with the docs.

docs/privacy.md has the smallest window of birth dates by kind of newcomer and reader.
"""

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from ratings.ledger.queries.published_ratings import published
from ratings.models import RatingChange
from tests.factories import make_user
from tests.privacy.attack import possible_birth_dates
from tests.privacy.public_records import PublicRecords

pytestmark = pytest.mark.django_db

BORN = date(2010, 7, 19)  # 13.8 years, a start of 690


def lost_all(books: PublicRecords) -> None:
    books.play_against(
        [books.rated_player(r) for r in (1143.37, 1210.81, 1388.2, 1277.64)], "LLLL"
    )


def won_all(books: PublicRecords) -> None:
    books.play_against(
        [books.rated_player(r) for r in (143.37, 210.81, 188.2, 277.64)], "WWWW"
    )


def mixed(books: PublicRecords) -> None:
    books.play_against(
        [books.rated_player(r) for r in (643.37, 710.81, 888.2, 777.64)], "WLDL"
    )


def flat(books: PublicRecords) -> None:
    """Any rating between those beaten and those lost to balances the result."""
    books.play_against(
        [books.rated_player(r) for r in (143.37, 210.81, 1288.2, 1377.64)], "WWLL"
    )


def one_draw(books: PublicRecords) -> None:
    books.play_against([books.rated_player(643.37, 1)], "D")


def provisional(books: PublicRecords) -> None:
    books.play_against(
        [
            books.rated_player(r, g)
            for r, g in ((643.4, 5), (710.8, 6), (888.2, 9), (777.6, 8))
        ],
        "WLDL",
    )


def several(books: PublicRecords) -> None:
    others = [books.newcomer(date(2012, 1, 5)), books.newcomer(date(2008, 11, 30))]
    rated_player = [
        books.rated_player(812.3, 12),
        books.rated_player(641.77),
        books.rated_player(935.05, 7),
    ]
    books.round_robin([books.target, *others, *rated_player], "LWLLLWLWLLLDWLW")


def second_event(books: PublicRecords) -> None:
    lost_all(books)
    books.play_against(
        [books.rated_player(r) for r in (643.37, 710.81, 588.2, 777.64)], "WLDL"
    )


def third_event(books: PublicRecords) -> None:
    second_event(books)
    books.play_against(
        [books.rated_player(r) for r in (604.6, 810.5, 777.3, 512.92)], "WLLW"
    )


def after_a_draw(books: PublicRecords) -> None:
    one_draw(books)
    books.play_against([books.rated_player(r) for r in (643.37, 710.81, 588.2)], "WLD")


def lost_27(books: PublicRecords) -> None:
    """27 lost games make the start an established rating; two more keep it."""
    for _ in range(3):
        books.play_against(
            [books.rated_player(1143.37 + 20 * n) for n in range(9)], "L" * 9
        )
    books.play_against([books.rated_player(r) for r in (1388.2, 1277.64)], "LL")


KINDS: dict[str, Callable[[PublicRecords], None]] = {
    "Lost all to opponents 400 above": lost_all,
    "Won all": won_all,
    "Mixed results near the start": mixed,
    "Beat the weak, lost to the strong": flat,
    "One draw": one_draw,
    "Met provisional players": provisional,
    "Met other newcomers": several,
    "Lost all, then a second event": second_event,
    "Lost all, then a third event": third_event,
    "One draw, then a second event": after_a_draw,
    "Lost 27 games, then two more": lost_27,
}
READERS = ("Everyone", "An opponent")
SOURCES = {
    *("API", "chart", "crosstable", "estimator", "feed", "list", "open data"),
    *("profile", "profile, now", "search", "standings", "why"),
}


def documented() -> dict[str, tuple[int, ...]]:
    """Return the windows that docs/privacy.md promises, by kind of newcomer."""
    text = Path(settings.BASE_DIR, "docs/privacy.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| (\d+) days? \| (\d+) days? \|$", text, re.M)
    return {kind: (int(everyone), int(opponent)) for kind, everyone, opponent in rows}


def attacked(kind: Callable[[PublicRecords], None], reader: str) -> int:
    """Return the days that agree with what a reader can read, everything else known."""
    books = PublicRecords(BORN)
    kind(books)
    if reader == "An opponent":
        opponent = books.people[1]
        opponent.account = make_user()
        opponent.save()
        books.client = Client()
        books.client.force_login(opponent.account)
    step = 3 if reader == "Everyone" else 1
    return possible_birth_dates(
        books.cards, books.target.pk, BORN, books.disclosures(), step
    )


@pytest.mark.parametrize("kind", [lost_all, flat, several, third_event])
def test_every_source_prints_the_published_number(kind):
    """Return all numbers of pages, files, feeds and the API."""
    books = PublicRecords(BORN)
    kind(books)
    lines = {
        (section, line.player_id): int(published(line))
        for section, one in enumerate(books.sections)
        for line in RatingChange.objects.filter(
            calculation__section=one, calculation__system="OTBR"
        )
    }
    disclosures = books.disclosures()
    assert {one.source for one in disclosures} == SOURCES
    printed = [
        (one.source, one.section, one.player, one.printed) for one in disclosures
    ]
    assert printed == [
        (one.source, one.section, one.player, lines[one.section, one.player])
        for one in disclosures
    ]


def test_every_kind_of_newcomer_is_documented():
    assert list(documented()) == list(KINDS)


@pytest.mark.gate
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_window_is_narrower_than_documented(kind, reader):
    promised = documented()[kind][READERS.index(reader)]
    assert attacked(KINDS[kind], reader) >= promised
