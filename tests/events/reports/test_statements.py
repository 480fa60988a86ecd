"""Monthly statements of rating fees."""

import csv
import re
from datetime import date
from decimal import Decimal
from html import unescape

import pytest
from django.utils import timezone

from events.models import Affiliate, RatingFee
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def month() -> str:
    return f"{timezone.localdate():%Y-%m}"


def listed(td) -> None:
    td.player.official.affiliates.add(make_affiliate())


def charged(td, *, sections: int = 1, **fields):
    """An accepted event of sections of 2 players and a game, at 35 cents."""
    RatingFee.objects.get_or_create(
        starts=date(2024, 1, 1), defaults={"amount": Decimal("0.35")}
    )
    parts = [
        section_report([make_player(), make_player()], swiss_rows(2, 1), number=number)
        for number in range(1, sections + 1)
    ]
    return accepted_event(td, event_report(td, parts, **fields))


def words(response) -> str:
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", main)))


def test_listed_td_sees_the_affiliates_charges(client, td, month):
    listed(td)
    charged(td, sections=2)
    client.force_login(td)
    address = f"/desk/affiliates/A6000001/fees/{month}/"
    assert address in client.get("/desk/").content.decode()
    text = words(client.get(address))
    assert "Castle Chess Club (A6000001)" in text
    assert text.count("Accepted report Game 1 $0.35 $0.35") == 2
    assert "$0.70" in text


def test_other_accounts_see_no_statement(client, td, month):
    charged(td)  # a TD who reports for an affiliate need not be on its list
    address = f"/desk/affiliates/A6000001/fees/{month}"
    other = make_td()
    other.player.official.affiliates.add(make_affiliate("A6000002", name="Other"))
    for user in (td, other):
        client.force_login(user)
        for one in (f"{address}/", f"{address}.csv"):
            assert client.get(one).status_code == 404
        for one in (f"/office/fees/{month}/", f"/office/fees/{month}.csv"):
            assert client.get(one).status_code == 404
        assert "fees" not in client.get("/desk/").content.decode()
    client.logout()
    assert client.get(f"{address}/").status_code == 302


def test_office_sees_all_affiliates_of_a_month(client, td, month):
    charged(td)
    make_affiliate("A6000002", name="=Other")
    other = charged(
        td, name="June Open", starts=date(2024, 6, 1), ends=date(2024, 6, 1)
    )
    Affiliate.objects.get(affiliate_id="A6000002").charges.create(
        event=other, section=None, cause="minimum", rate=Decimal("2.65")
    )
    client.force_login(make_staff())
    assert f"/office/fees/{month}/" in client.get("/desk/").content.decode()
    text = words(client.get(f"/office/fees/{month}/"))
    assert "All affiliates · November 2026 · $3.35" in text.replace(
        f"{timezone.localdate():%B %Y}", "November 2026"
    )
    assert "=Other (A6000002) · $2.65" in text
    rows = list(csv.reader(client.get(f"/office/fees/{month}.csv").text.splitlines()))
    today = f"{timezone.localdate()}"
    assert [(row[0], row[1], row[2], row[4], *row[6:]) for row in rows[1:]] == [
        (today, "A6000002", "'=Other", "June Open", "", "minimum", "", "1", "2.65",
         "2.65", "USD"),
        *[
            (today, "A6000001", "Castle Chess Club", name, "1", "accepted", "game",
             "1", "0.35", "0.35", "USD")
            for name in ("May Open", "June Open")
        ],
    ]  # fmt: skip
    assert rows[0][:3] == ["charged_on", "affiliate_id", "affiliate"]


def test_month_without_charges_says_so(client, td):
    listed(td)
    charged(td)
    client.force_login(td)
    text = words(client.get("/desk/affiliates/A6000001/fees/2001-01/"))
    assert "$0.00" in text
    assert "Rating fees of reports accepted in this month will appear here." in text


@pytest.mark.parametrize("sections", [1, 8])
def test_statement_takes_the_same_queries_for_any_size(
    client, td, month, sections, django_assert_num_queries
):
    charged(td, sections=sections)
    client.force_login(make_staff())
    address = f"/office/fees/{month}/"
    client.get(address)
    with django_assert_num_queries(8):
        response = client.get(address)
    assert response.content.count(b"Accepted report") == sections
