"""Lists are sorted by one column, and sent whole as CSV."""

import csv
import io
from datetime import date

import pytest
from django.test import RequestFactory

from events.models import Affiliate
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.ui.tables import Table, column
from ratings_site.common.web.files import csv_download

pytestmark = pytest.mark.django_db


class Clubs(Table):
    tiebreak = ("affiliate_id",)
    csv_columns = {
        "name": "name",
        "until": "expires",
        "length": lambda one: len(one.name),
    }

    name = column("Name")
    state = column("State")
    expires = column("Until", orderable=False)

    class Meta:
        attrs = {"class": "walk"}


def club(number: int, name: str, state: str = "IL") -> Affiliate:
    return Affiliate.objects.create(
        affiliate_id=f"A{number:07}", name=name, state=state, expires=date(2030, 1, 31)
    )


def shown(**query) -> list[str]:
    """Return the IDs of the first page in order."""
    table = Clubs(Affiliate.objects.order_by("-pk"))
    sort_and_paginate(RequestFactory().get("/", query), table)
    return [row.record.affiliate_id[-1] for row in table.paginated_rows]


def downloaded(**query) -> list[list[str]]:
    request = RequestFactory().get("/", {"format": "csv", **query})
    response = csv_download(request, Clubs(Affiliate.objects.order_by("pk")), "clubs")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="clubs.csv"'
    content = b"".join(response.streaming_content).decode()
    return list(csv.reader(io.StringIO(content)))


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", "4321"),
        ("name", "2431"),
        ("-name", "1342"),
        # Equal rows are in the order of the tiebreak, whichever way one sorts.
        ("state", "1243"),
        ("-state", "3124"),
        # Only one column of the table, and none that can't be sorted by.
        ("state,-name", "4321"),
        ("expires", "4321"),
        ("--name", "4321"),
        ("affiliate_id", "4321"),
        ("password", "4321"),
    ],
)
def test_one_column_sorts_the_list(sort, order):
    for number, (name, state) in enumerate(
        [("Pawns", "IL"), ("Bishops", "IL"), ("Knights", "OH"), ("Kings", "IL")], 1
    ):
        club(number, name, state)
    assert "".join(shown(sort=sort)) == order


def test_file_has_every_row_in_the_order_of_the_page():
    for number in range(1, 121):
        club(number, f"Club {number:03}")
    rows = downloaded(sort="-name", page="2")
    assert rows[:2] == [["name", "until", "length"], ["Club 120", "2030-01-31", "8"]]
    assert [row[0] for row in rows[1:]] == [f"Club {n:03}" for n in range(120, 0, -1)]


def test_file_has_no_formulas():
    for number, name in enumerate(["=1+1", "@SUM(A1)", "-2+3", "+1", "Plain, club"], 1):
        club(number, name)
    assert [row[0] for row in downloaded()[1:]] == [
        "'=1+1",
        "'@SUM(A1)",
        "'-2+3",
        "'+1",
        "Plain, club",
    ]


def test_file_takes_one_query_for_any_number_of_rows(django_assert_num_queries):
    for number in range(1, 41):
        club(number, f"Club {number}")
    with django_assert_num_queries(1):
        assert len(downloaded()) == 41


def test_page_is_no_file():
    request = RequestFactory().get("/", {"format": "html"})
    assert csv_download(request, Clubs(Affiliate.objects.all()), "clubs") is None
