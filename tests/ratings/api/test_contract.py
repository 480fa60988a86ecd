"""Deprecations, and the record of what keys use."""

from copy import deepcopy
from datetime import UTC, date, datetime

import pytest
import time_machine
from django.test import Client

from ratings.api.app import api
from ratings.api.deprecations import DEPRECATED, Deprecation, mark_deprecated
from ratings_site.common.api_keys import services
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.models import ApiKeyUse
from tests.factories import make_player, make_user

pytestmark = pytest.mark.django_db

OLD = Deprecation(date(2027, 1, 1), date(2028, 1, 1), "Use the new one.")
OLDER = Deprecation(date(2026, 6, 1), date(2029, 1, 1), "Use the new one.")
NOON = datetime(2027, 3, 4, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _nothing_recorded():
    services._recorded.clear()
    yield
    services._recorded.clear()


@pytest.fixture
def deprecate(monkeypatch):
    return lambda name, one=OLD: monkeypatch.setitem(DEPRECATED, name, one)


@pytest.fixture
def key():
    return create_key(owner=make_user("keeper"), name="the club", may_submit=False)


def get(path, text=""):
    headers = {"Authorization": f"Bearer {text}"} if text else {}
    response = Client().get(f"/api/v1{path}", headers=headers)
    assert response.status_code == 200
    return response


def headers(response):
    return [response.headers.get(name) for name in ("Deprecation", "Sunset")]


def test_nothing_is_deprecated_without_a_declaration():
    response = get("/systems")
    assert headers(response) == [None, None]
    assert "'deprecated': True" not in str(api.get_openapi_schema())


@pytest.mark.parametrize(
    ("name", "path", "other"),
    [
        ("general.systems", "/systems", "/classes"),
        ("general.classes?standing", "/classes?standing=", "/classes"),
        ("SystemLine.name", "/systems", "/classes"),
    ],
)
def test_a_declaration_sends_headers_where_it_applies(deprecate, name, path, other):
    deprecate(name)
    # 2027-01-01 and 2028-01-01, midnight UTC.
    expected = ["@1798761600", "Sat, 01 Jan 2028 00:00:00 GMT"]
    response = get(path)
    assert headers(response) == expected
    assert '</api/v1/docs/>; rel="deprecation"' in response.headers["Link"]
    assert headers(get(other)) == [None, None]


def test_the_first_days_count_if_several_things_are_deprecated(deprecate):
    deprecate("general.systems", OLD)
    deprecate("SystemLine.name", OLDER)
    expected = ["@1780272000", "Sat, 01 Jan 2028 00:00:00 GMT"]
    assert headers(get("/systems")) == expected


def test_a_link_to_the_next_page_stays_beside_the_link_to_the_documentation(deprecate):
    deprecate("members.look_for_members")
    for _ in range(2):
        make_player(family_name="Zaybar")
    link = get("/members?query=zaybar&limit=1").headers["Link"]
    assert 'rel="next"' in link
    assert 'rel="deprecation"' in link


def test_the_openapi_document_marks_what_is_deprecated(deprecate):
    for name in ("general.systems", "general.classes?standing", "SystemLine.name"):
        deprecate(name)
    schema = deepcopy(api.get_openapi_schema())
    mark_deprecated(schema)
    parameters = schema["paths"]["/api/v1/classes"]["get"]["parameters"]
    marked = [
        schema["paths"]["/api/v1/systems"]["get"],
        next(one for one in parameters if one["name"] == "standing"),
        schema["components"]["schemas"]["SystemLine"]["properties"]["name"],
    ]
    for one in marked:
        assert one["deprecated"] is True
        assert "ends on 2028-01-01. Use the new one." in one["description"]
    assert str(schema).count("'deprecated': True") == len(marked)


# What keys use


def uses():
    return [
        (one.operation, one.name, one.last_used_on.isoformat(), one.ends_on)
        for one in ApiKeyUse.objects.all()
    ]


def test_a_key_is_known_by_the_operations_and_parameters_it_used(key):
    with time_machine.travel(NOON):
        get("/members?query=adams&unknown=1", key[1])
        get("/systems", key[1])
    with time_machine.travel(NOON.replace(day=5)):
        get("/systems", key[1])
    assert uses() == [
        ("general.systems", "", "2027-03-05", None),
        ("members.look_for_members", "", "2027-03-04", None),
        ("members.look_for_members", "query", "2027-03-04", None),
    ]


def test_the_fields_of_a_list_are_known_too(key):
    rows = {"rows": [{"member_id": "1"}, {"name": "Ana Adams"}]}
    headers = {"Authorization": f"Bearer {key[1]}"}
    Client().post("/api/v1/members/check", rows, "application/json", headers=headers)
    assert [one[1] for one in uses()] == ["", "member_id", "name"]


def test_errors_and_requests_without_a_key_are_not_recorded(key):
    get("/systems")
    headers = {"Authorization": f"Bearer {key[1]}"}
    assert Client().get("/api/v1/members", headers=headers).status_code == 422
    assert uses() == []


def test_the_same_use_is_written_once_a_day(key, django_assert_num_queries):
    get("/systems", key[1])
    # The key, and its quota.
    with django_assert_num_queries(2):
        get("/systems", key[1])


def test_the_owner_is_told_that_a_key_uses_what_will_end(deprecate, key):
    client = Client()
    client.force_login(key[0].owner)
    get("/systems", key[1])
    page = client.get("/account/keys/").content.decode()
    assert "general.systems" in page
    assert "ends on" not in page
    deprecate("SystemLine.name")
    get("/systems", key[1])
    page = client.get("/account/keys/").content.decode()
    assert "A key uses a deprecated part of the API: the club (ro_" in page
    assert "SystemLine.name" in page
    assert page.count("ends on January 1, 2028") == 1
