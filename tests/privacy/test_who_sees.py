"""Who reads a rating in full, and who reads "about 500"."""

import re
from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from players.models import GuardianAccount, Player
from ratings.engine.systems import System
from ratings.ledger.queries.privacy import (
    MOST,
    SOME,
    current_shown,
    step,
    tells_start,
)
from ratings.lists.queries.rankings import counted_on
from ratings.models import Calculation, RatingChange
from ratings_site.common.looks.figures import About
from ratings_site.common.models import User
from tests.factories import make_player, make_staff, make_td, make_user
from tests.privacy.books import Books
from tests.privacy.test_birth_dates import BORN, lost_all, mixed, third_event

pytestmark = pytest.mark.django_db


@pytest.fixture
def books() -> Books:
    books = Books(BORN)
    lost_all(books)
    return books


def exact(books: Books) -> str:
    return f"{RatingChange.objects.get(player=books.target).post_rating:.2f}"


def reader(books: Books, role: str) -> Client:
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


def pages(books: Books, client: Client) -> dict[str, str]:
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
def test_in_full_it_is_for(books, role, where):
    read = pages(books, reader(books, role))
    assert {name for name in read if exact(books) in read[name]} == set(where)


@pytest.mark.parametrize(
    ("role", "where"),
    [
        ("anybody", ["crosstable", "why", "profile"]),
        ("somebody", ["crosstable", "why", "profile"]),
        ("director", ["profile"]),
        ("member", []),
        ("guardian", []),
        ("office", []),
    ],
)
def test_who_reads_about_is_told_of_the_claim_once_a_page(books, role, where):
    read = pages(books, reader(books, role))
    asked = {name: page.count("Do you speak for") for name, page in read.items()}
    assert asked == {name: int(name in where) for name in read}
    claim = f'href="{reverse("players:claims")}?member={books.target.member_id}"'
    assert [name for name in ("why", "profile") if claim in read[name]] == [
        name for name in ("why", "profile") if name in where
    ]


@pytest.mark.parametrize("role", ["anybody", "member", "director", "office"])
def test_digest_of_inputs_is_for_the_office_after_the_first_section_too(books, role):
    """The rating before is a start by age: each birth date could be tried."""
    books.meet([books.known(1500.0)], "L")
    section = books.sections[-1]
    digest = Calculation.objects.get(section=section).inputs_digest
    books.sections = [section]
    page = pages(books, reader(books, role))["why"]
    assert (digest in page) == (role == "office")


@pytest.mark.parametrize(("role", "signs_in"), [("anybody", True), ("somebody", False)])
def test_who_is_signed_in_is_not_told_to_sign_in(books, role, signs_in):
    for page in pages(books, reader(books, role)).values():
        assert ("Sign in and claim them" in page) == signs_in


def test_page_that_is_shut_for_an_opponents_sake_asks_for_no_claim(books):
    """A claim of its player would show no more of it."""
    other = books.known(1500.25)
    books.play([books.target, other], ["L2", "W1"])
    books.target = other
    books.sections = books.sections[-1:]
    page = pages(books, Client())["why"]
    assert "“About” stands before" in page
    assert "Do you speak for" not in page


def test_decimals_of_others_are_for_nobody_but_director_and_office():
    books = Books(BORN)
    one, other = books.known(1500.25), books.known(1499.75)
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


def test_api_says_that_a_number_is_rounded(books):
    member = books.target.member_id
    said = Client().get(f"/api/v1/members/{member}/ratings").json()["current"][0]
    assert (said["rating"], said["whole"], said["is_about"]) == (700, 700, True)
    line = Client().get(f"/api/v1/members/{member}/history").json()["items"][0]
    assert (line["after"], line["is_about"]) == (700, True)


def told(books: Books) -> list[int]:
    lines = RatingChange.objects.filter(player=books.target).order_by("post_games")
    annotated = lines.annotate(
        told=tells_start("post_games", system="calculation__system")
    )
    return [line.told for line in annotated]


def test_what_is_told_goes_by_the_first_result():
    kept, other, adult = Books(BORN), Books(BORN), Books(date(1990, 1, 1))
    third_event(kept)
    mixed(other)
    lost_all(adult)
    assert told(kept) == [MOST, MOST, MOST]
    assert told(other) == [SOME]
    assert told(adult) == [0]


def test_an_established_rating_is_a_whole_number_again():
    books = Books(BORN)
    lost_all(books)
    for _ in range(6):
        books.meet([books.known(r) for r in (643.4, 710.8, 588.2, 777.6)], "WLDL")
    assert told(books) == [MOST] * 6 + [0]
    now = current_shown([books.target.pk])[books.target.pk][System.OTBR]
    assert not isinstance(now, About)


def test_longer_windows_round_more(settings):
    assert (step(SOME), step(MOST)) == (10, 50)
    settings.BIRTH_DATE_WINDOW = 180
    assert (step(SOME), step(MOST)) == (20, 100)


def test_bands_of_age_change_by_the_quarter(settings):
    months = [date(2026, month, 1) for month in range(1, 13)]
    assert len({counted_on(month) for month in months}) == 4
    settings.BIRTH_DATE_WINDOW = 120
    assert {counted_on(month) for month in months} == {date(2026, 1, 1)}
    settings.BIRTH_DATE_WINDOW = 0
    assert [counted_on(month) for month in months] == months


def test_the_chart_shows_no_more(books):
    page = pages(books, Client())["profile"]
    assert re.findall(r"<title>[^<]*, ([^<,]*)</title>", page) == ["about 700"]
