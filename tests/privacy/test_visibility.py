"""Who sees an exact rating, and who sees "about 700"."""

import re
from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from players.models import GuardianAccount, Player
from ratings.lists.queries.rankings import age_date
from ratings.models import Calculation, RatingChange
from ratings_site.common.models import User
from tests.factories import make_player, make_staff, make_td, make_user
from tests.privacy.public_records import PublicRecords
from tests.privacy.test_birth_dates import BORN, lost_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def books() -> PublicRecords:
    books = PublicRecords(BORN)
    lost_all(books)
    return books


def exact(books: PublicRecords) -> str:
    return f"{RatingChange.objects.get(player=books.target).post_rating:.2f}"


def reader(books: PublicRecords, role: str) -> Client:
    accounts: dict[str, User | None] = {
        "anybody": None,
        "somebody": make_player(account=make_user()).account,
        "another director": make_td(),
        "member": _own_account(books.target),
        "director": books.td,
        "office": make_staff(),
        "guardian": _guardian_of(books.target),
    }
    client, account = Client(), accounts[role]
    if account is not None:
        client.force_login(account)
    return client


def _guardian_of(player: Player) -> User:
    account = make_user()
    GuardianAccount.objects.create(player=player, account=account)
    return account


def _own_account(player: Player) -> User:
    player.account = make_user()
    player.save()
    return player.account


def pages(books: PublicRecords, client: Client) -> dict[str, str]:
    event = f"/events/{books.sections[0].event.event_id}/1/"
    member = books.target.member_id
    addresses = {
        "crosstable": f"{event}?decimals=1",
        "why": f"{event}why/{member}/OTBR/",
        "profile": f"/players/{member}/?decimals=1",
    }
    return {
        name: client.get(address).content.decode()
        for name, address in addresses.items()
    }


@pytest.mark.parametrize("role", ["anybody", "somebody", "another director"])
def test_others_read_about(books, role):
    number = exact(books)
    for page in pages(books, reader(books, role)).values():
        assert "about 700" in page
        assert number not in page
        assert f">{number.partition('.')[0]}<" not in page


@pytest.mark.parametrize(
    ("role", "where"),
    [
        ("member", ["crosstable", "why", "profile"]),
        ("guardian", ["crosstable", "why", "profile"]),
        ("office", ["crosstable", "why", "profile"]),
        ("director", ["crosstable", "why"]),
    ],
)
def test_exactly_it_is_for(books, role, where):
    read = pages(books, reader(books, role))
    assert {name for name in read if exact(books) in read[name]} == set(where)


@pytest.mark.parametrize("role", ["anybody", "member", "director", "office"])
def test_digest_of_inputs_is_for_the_office(books, role):
    """The rating before is a start by age: each birth date could be tried."""
    books.play_against([books.rated_player(1500.0)], "L")
    section = books.sections[-1]
    digest = Calculation.objects.get(section=section).inputs_digest
    books.sections = [section]
    page = pages(books, reader(books, role))["why"]
    assert (digest in page) == (role == "office")


def test_decimals_of_others_are_for_director_and_office_only():
    books = PublicRecords(BORN)
    one, other = books.rated_player(1500.25), books.rated_player(1499.75)
    books.play([one, other], ["W2", "L1"])
    books.target = one
    number = f"{RatingChange.objects.get(player=one, games=1).post_rating:.2f}"
    of_other = f"{RatingChange.objects.get(player=other, games=1).post_rating:.2f}"
    seen = {}
    for role in ("anybody", "somebody", "member", "director", "office"):
        page = pages(books, reader(books, role))["crosstable"]
        seen[role] = (number in page, of_other in page)
    assert seen == {
        "anybody": (False, False),
        "somebody": (False, False),
        "member": (True, False),
        "director": (True, True),
        "office": (True, True),
    }


def test_reader_of_about_is_told_who_sees_more(books):
    page = pages(books, Client())["profile"]
    claim = f'href="{reverse("players:claims")}?member={books.target.member_id}"'
    assert page.count("Is this you or your child?") == 1
    assert claim in page


def test_api_says_that_a_number_is_about(books):
    member = books.target.member_id
    said = Client().get(f"/api/v1/members/{member}/ratings").json()["current"][0]
    assert (said["rating"], said["whole"], said["is_about"]) == (700, 700, True)
    line = Client().get(f"/api/v1/members/{member}/history").json()["items"][0]
    assert (line["after"], line["is_about"]) == (700, True)


def test_bands_of_age_change_by_the_quarter():
    """A member who leaves a band reveals the quarter, not the day."""
    months = [date(2026, month, 1) for month in range(1, 13)]
    assert [age_date(month) for month in months] == [
        date(2026, first, 1) for first in (1, 4, 7, 10) for _ in range(3)
    ]


def test_the_chart_shows_no_more(books):
    page = pages(books, Client())["profile"]
    assert re.findall(r"<title>(.*)\n[^<]*</title>", page) == ["about 700"]
