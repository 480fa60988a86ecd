"""The API's page and its OpenAPI schema."""

import re

import jsonschema_rs
import pytest
from django.test import Client

from ratings.api.app import api
from ratings.api.estimate import SECTION
from ratings.api.report_schema import EXAMPLE, REPORT
from ratings_site.common.web.problems import KNOWN

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def schema():
    return api.get_openapi_schema()


def test_documentation_runs_under_the_strict_policy():
    response = Client().get("/api/v1/docs/")
    page = response.content.decode()
    policy = response.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'self'" in policy
    assert page.count("<script") == page.count("<script src=")
    assert "<style" not in page
    assert not re.search(r'(?:src|href)="(?:https?:)?//(?!testserver/)', page)


def test_every_operation_stands_on_the_page(schema):
    page = Client().get("/api/v1/docs/").content.decode()
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            assert f'id="{operation["operationId"]}"' in page, path
    assert "curl http://testserver/api/v1/members/12641216/ratings" in page
    assert "2,000 requests per day without a key, 50,000 with one" in page


def test_every_problem_has_the_place_that_its_type_names():
    page = Client().get("/api/v1/docs/").content.decode()
    assert {f'id="problem-{status}"' in page for status in KNOWN} == {True}


def test_operations_have_names_for_good(schema):
    """Generated clients use these names: add, but never rename."""
    names = [
        operation["operationId"]
        for operations in schema["paths"].values()
        for operation in operations.values()
    ]
    assert names == [
        "general.start",
        "general.report_schema",
        "general.systems",
        "general.classes",
        "roster.check_players",
        "members.look_for_members",
        "member_feed.keep_current",
        "members.member",
        "members.ratings",
        "members.history",
        "members.lists",
        "events.events",
        "events.event",
        "events.report",
        "events.section",
        "events.standings",
        "lists.lists",
        "lists.official_list",
        "rankings.ranking_of",
        "laboratory.standing",
        "laboratory.standing_of_month",
        "laboratory.experiments",
        "laboratory.experiment",
        "estimate.estimate_section",
        "reports.check",
        "reports.send",
        "reports.replace",
        "reports.report",
        "reports.submit",
    ]


def test_schema_describes_the_estimate(schema):
    described = schema["paths"]["/api/v1/estimate/section"]["post"]
    content = described["requestBody"]["content"]["application/json"]
    assert content["schema"]["required"] == SECTION["required"]
    assert {int(status) for status in described["responses"]} >= {200, 413, 422}


def test_schema_of_a_report_has_a_permanent_address():
    start = Client().get("/api/v1/").json()
    assert start["report_schema"] == "/api/v1/schemas/rating-report-1.json"
    schema = Client().get(start["report_schema"]).json()
    assert schema["$id"] == start["report_schema"]
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid(EXAMPLE)
    [section] = EXAMPLE["sections"]
    faults = {**EXAMPLE, "sections": [{**section, "rounds": "two", "entries": [{}]}]}
    found = {"/".join(map(str, e.instance_path)) for e in validator.iter_errors(faults)}
    assert found == {"sections/0/rounds", "sections/0/entries/0"}


def test_the_report_is_described_with_all_its_names():
    section = REPORT["properties"]["sections"]["items"]
    entry = section["properties"]["entries"]["items"]
    [given] = EXAMPLE["sections"]
    assert list(EXAMPLE) == list(REPORT["properties"])
    assert set(given) <= set(section["properties"])
    # Only events of long ago have one.
    of_the_past = {"rating_after"}
    assert {*given["entries"][0], *of_the_past} == set(entry["properties"])
