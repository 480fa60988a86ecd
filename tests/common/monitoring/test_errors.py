"""Error reports."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from ratings_site.common.monitoring import errors
from ratings_site.common.monitoring.errors import start_error_reports
from tests.live_office import Office

PRIVATE = ("2013-04-05", "parent@example.org", "Somebody", "a secret cookie")
# In a process of its own, because the package changes Django where it starts.
SCRIPT = """
import json
import django; django.setup()
from django.conf import settings
from django.test import Client
from players.members import views
from ratings_site.common.monitoring.errors import start_error_reports
import sentry_sdk

settings.SENTRY_DSN = "https://key@errors.example.org/1"
sent = []
start_error_reports(transport=sent.append)
def broken(*args, **kwargs):
    raise ValueError("not a row: {text}")
views.find_players = broken
client = Client(raise_request_exception=False, HTTP_HOST="localhost")
client.cookies["note"] = "a secret cookie"
answer = client.get("/players/?q=Somebody", headers={{"From": "parent@example.org"}})
sentry_sdk.flush()
said = [answer.status_code, answer.headers["X-Request-Id"], sent]
print(json.dumps(said, default=str))
"""


def test_a_report_holds_the_lines_of_code_and_nothing_that_people_typed(
    embedded_office,
):
    pytest.importorskip("sentry_sdk")
    said = Office.python(embedded_office, SCRIPT.format(text=PRIVATE[0]))
    status, request_id, sent = json.loads(said.splitlines()[-1])
    (event,) = [one for one in sent if "exception" in one]
    assert status == 500
    written = json.dumps(event)
    assert not [text for text in PRIVATE if text in written]
    assert "players/members/views.py" in written
    assert event["tags"]["request_id"] == request_id


def test_an_address_without_the_package_is_refused_with_what_to_do(
    settings, monkeypatch
):
    settings.SENTRY_DSN = "https://key@errors.example.org/1"
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match="make monitoring"):
        start_error_reports()
