"""The account page."""

from datetime import date

import pytest
from django.test import Client

from players.models import GuardianAccount
from tests.factories import make_player, make_user, verified

pytestmark = pytest.mark.django_db

PAGE = "/account/"


def text(page) -> str:
    return " ".join(page.content.decode().split())


def test_page_says_how_the_account_stands_and_what_happened(client):
    ann = verified(make_user("ann"))
    make_player(given_name="Ann", family_name="Self", account=ann)
    child = make_player(given_name="Bea", family_name="Child", birth_date=None)
    GuardianAccount.objects.create(player=child, account=ann)
    Client().post("/accounts/login/", {"login": "ann", "password": "wrong"})
    client.post("/accounts/login/", {"login": "ann", "password": "secret"})
    page = text(client.get(PAGE))
    for words in ("ann@example.org", "Ann Self", "Bea Child", "Wrong password entered"):
        assert words in page
    assert "not verified" not in page


def test_page_says_whether_events_abroad_count(client):
    ann, bob = make_user("ann"), make_user("bob")
    make_player(account=ann)
    member = make_player(account=bob)
    wishes = member.fide_opt_ins
    wishes.create(
        opted_in_on=date(2025, 1, 1),
        opted_out_on=date(2025, 2, 1),
        opt_out_approved_by=ann,
        opt_out_reason="Moved.",
        entered_by=bob,
    )
    wishes.create(opted_in_on=date(2026, 5, 4), entered_by=bob)
    for account, state in ((ann, "not opted in"), (bob, "since May 4, 2026")):
        client.force_login(account)
        row = text(client.get(PAGE)).partition("Foreign events</th>")[2]
        assert row.partition("</td>")[0].strip() == f"<td>{state}"
    client.force_login(make_user("nobody"))
    page = text(client.get(PAGE))
    assert "Foreign events</th>" not in page
    assert "Linked members" in page


def test_page_belongs_to_who_is_signed_in(client):
    assert client.get(PAGE).url == f"/accounts/login/?next={PAGE}"
    verified(make_user("ann"))
    client.force_login(make_user("bob", email="bob@example.org"))
    page = text(client.get(PAGE))
    assert "not verified" in page
    assert "ann" not in page.replace("cannot", "")
