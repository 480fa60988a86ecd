"""The API does what its description says, whatever is asked (OpenAPI contract test)."""

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ratings_site.common.api_keys.services import create_key
from tests.hypothesis_settings import example_count, is_search_profile
from tests.ratings.api.world import World, world_in_transaction

pytestmark = pytest.mark.django_db

EXAMPLES = example_count(18)
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)

config = SchemathesisConfig()
# Every field wrong in every way: a hundred requests to each operation.
config.projects.default.phases.coverage.enabled = is_search_profile()
schema = schemathesis.openapi.from_wsgi(
    "/api/v1/openapi.json", get_wsgi_application(), config=config
)


@pytest.fixture(scope="module", autouse=True)
def _one_connection():
    """A real request would close the connection that holds the test's transaction."""
    signals = request_started, request_finished
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def asked(django_db_setup, django_db_blocker):
    """Existing objects to request besides generated values, and a TD's API key."""
    for world in world_in_transaction(django_db_blocker):
        yield _existing_ids(world)


def _existing_ids(world: World) -> tuple[dict, dict]:
    _, key = create_key(owner=world.td, name="contract", may_submit=True)
    names = {
        "member_id": world.members[0].member_id,
        "event_id": world.hidden.event_id,
        "month": "2024-07",
        "system": "OTBR",
        "number": 1,
    }
    # Not compressed: the client of the checks does not unpack.
    return names, {"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_what_the_description_says(case, asked, settings):
    settings.API_QUOTA_WITH_KEY = settings.API_QUOTA_WITHOUT_KEY = 1_000_000
    names, key = asked
    case.headers = {**(case.headers or {}), **key}
    case.call_and_validate(checks=CHECKS)
    if case.path_parameters:
        case.path_parameters |= {
            name: names[name] for name in case.path_parameters.keys() & names.keys()
        }
        case.call_and_validate(checks=CHECKS)


def test_every_operation_gives_an_example_of_its_answer():
    document = schema.raw_schema
    assert document["openapi"] == "3.1.0"
    without = [
        f"{method} {path} {status}"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        for status, answer in operation["responses"].items()
        for content in answer.get("content", {}).values()
        if "example" not in content
    ]
    assert without == []
