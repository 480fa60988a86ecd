"""Pagination: fifty rows, regardless of the URL."""

from urllib.parse import urlencode

import pytest
from django.test import RequestFactory
from django_tables2 import Column

from ratings_site.common.ui.pagination import ROWS_PER_PAGE, sort_and_paginate
from ratings_site.common.ui.tables import Table


class Numbers(Table):
    number = Column()


def shown(**query) -> list[int]:
    """Return the numbers on the requested page of 120."""
    table = Numbers([{"number": number} for number in range(120)])
    sort_and_paginate(RequestFactory().get("/", query), table)
    return [row.get_cell_value("number") for row in table.paginated_rows]


def test_a_list_is_turned_and_sorted():
    assert shown() == list(range(50))
    assert shown(page=3) == list(range(100, 120))
    assert shown(page=2, sort="-number") == list(range(69, 19, -1))


@pytest.mark.parametrize(
    "query",
    [
        {"page": "0"},
        {"page": "-1"},
        {"page": "4"},
        {"page": "x"},
        {"page": ""},
        {"page": "\0"},
        {"page": "1.5"},
        {"page": "9" * 5000},
        {"per_page": "-5"},
        {"per_page": "0"},
        {"per_page": "1000000"},
        {"per_page": "x"},
        {"sort": ""},
        {"sort": "-"},
        {"sort": "--"},
        {"sort": "password"},
        {"sort": "number__x"},
        {"sort": "\0"},
        {"page": "-1", "per_page": "-1", "sort": ","},
    ],
    ids=lambda query: urlencode(query)[:30],
)
def test_whatever_the_address_says_the_first_fifty_rows_stand_there(query):
    assert shown(**query) == list(range(ROWS_PER_PAGE))


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/events/", "/classes/OTBR/expert/", "/office/"])
@pytest.mark.parametrize("junk", ["-5", "0", "1000000", "x", "\0"])
@pytest.mark.parametrize("name", ["page", "per_page", "sort"])
def test_lists_show_the_same_for_any_junk(admin_client, path, name, junk):
    plain = admin_client.get(path).context["table"]
    response = admin_client.get(path, {name: junk})
    assert response.status_code == 200
    table = response.context["table"]
    assert table.page.number == 1
    assert table.paginator.per_page == plain.paginator.per_page == ROWS_PER_PAGE
