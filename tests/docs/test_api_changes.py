"""The API keeps its contract: differences between releases are known and documented."""

from copy import deepcopy

import pytest

from tests.tools.api_diff import (
    PAGE,
    Differences,
    differences,
    page,
    present_document,
    stored_documents,
)

# What breaks the contract of the last release on purpose, as docs/api-changes.md says.
BREAKING: list[str] = []


@pytest.fixture(scope="module")
def present():
    return present_document()


def test_the_api_breaks_nothing_of_the_last_release_but_on_purpose(present):
    _version, last = list(stored_documents())[-1]
    assert differences(last, present).breaking == BREAKING


def test_the_page_of_differences_is_current():
    assert PAGE.read_text() == page(), "Run `make api-diff`."


def change(document, *, path, method="get"):
    changed = deepcopy(document)
    return changed, changed["paths"][path][method]


def without(mapping, name):
    del mapping[name]


MEMBERS, CHECK = "/api/v1/members", "/api/v1/members/check"


@pytest.mark.parametrize(
    ("path", "method", "do", "sentence"),
    [
        (
            MEMBERS,
            "get",
            lambda one, _: one["parameters"].pop(0),
            "GET /api/v1/members: query parameter `query`: removed.",
        ),
        (
            MEMBERS,
            "get",
            lambda one, _: one["parameters"][0].update(required=True),
            "GET /api/v1/members: query parameter `query`: now required.",
        ),
        (
            MEMBERS,
            "get",
            lambda one, _: one["parameters"].append(
                {"in": "query", "name": "new", "required": True, "schema": {}}
            ),
            "GET /api/v1/members: query parameter `new`: new and required.",
        ),
        (
            MEMBERS,
            "get",
            lambda one, _: one.update(security=[{"Key": []}]),
            "GET /api/v1/members: needs a key.",
        ),
        (
            CHECK,
            "post",
            lambda _, schemas: without(schemas["RosterRowSent"]["properties"], "day"),
            "POST /api/v1/members/check: field `rows[].day`: removed.",
        ),
        (
            CHECK,
            "post",
            lambda _, schemas: without(schemas["MemberOnRoster"]["properties"], "td"),
            "POST /api/v1/members/check: response 200: field `rows[].member.td`: "
            "removed.",
        ),
        (
            CHECK,
            "post",
            lambda _, schemas: schemas["MemberOnRoster"]["properties"].update(
                state={"anyOf": [{"type": "string"}, {"type": "null"}]}
            ),
            "POST /api/v1/members/check: response 200: field `rows[].member.state`: "
            "null or string instead of string.",
        ),
    ],
)
def test_what_a_client_depends_on_breaks_if_it_goes(
    present, path, method, do, sentence
):
    changed, operation = change(present, path=path, method=method)
    do(operation, changed["components"]["schemas"])
    assert sentence in differences(present, changed).breaking
    assert sentence not in differences(changed, present).breaking


def test_a_removed_operation_breaks_and_a_new_one_is_added(present):
    changed, _ = change(present, path=CHECK, method="post")
    del changed["paths"][CHECK]
    name = "POST /api/v1/members/check"
    assert differences(present, changed).breaking == [f"{name}: removed."]
    assert differences(changed, present) == Differences(
        added=[f"{name}: Check a list of players."]
    )
