"""Log lines as JSON, and request logs."""

import json
import logging
import sys

import pytest

from ratings_site.common.jobs.services import claim, enqueue, handles, perform
from ratings_site.common.monitoring.logs import JsonFormatter
from ratings_site.common.web.middleware import RequestIdFilter

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines():
    """Return what is logged, as the console shows it with LOG_FORMAT=json."""
    written: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(self.format(record))

    handler = Handler()
    handler.setFormatter(JsonFormatter())
    handler.addFilter(RequestIdFilter())
    logging.getLogger().addHandler(handler)
    yield lambda: [json.loads(line) for line in written]
    logging.getLogger().removeHandler(handler)


def test_a_request_is_one_line_with_its_id_and_without_its_query(
    lines, client, settings
):
    settings.LOG_REQUESTS = True
    answer = client.get("/players/?q=Somebody")
    (line,) = [one for one in lines() if one["logger"] == "ratings_site.requests"]
    assert line["path"] == "/players/"
    assert line["view"] == "players:search"
    assert line["status"] == 200
    assert line["milliseconds"] > 0
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert "Somebody" not in json.dumps(line)


def test_a_secret_link_is_not_logged(lines, client, settings):
    settings.LOG_REQUESTS = True
    client.get(f"/share/{'s' * 43}/statement/")
    (line,) = [one for one in lines() if one["logger"] == "ratings_site.requests"]
    assert line["path"] == "/share/…/statement/"


def test_a_line_of_a_job_names_the_job(lines):
    def handler(job):
        raise RuntimeError("It breaks.")

    handles("monitoring.trial")(handler)
    job = enqueue("monitoring.trial", key="1")
    claimed = claim(job.pk)
    assert claimed is not None
    perform(claimed)
    (line,) = [one for one in lines() if "failed" in one["message"]]
    assert line["job_id"] == str(job.pk)
    assert "RuntimeError: It breaks." in line["exception"]


def test_any_text_is_one_line():
    try:
        raise ValueError("two\nlines")
    except ValueError:
        exc_info = sys.exc_info()
    record = logging.LogRecord("a", 40, "", 1, "x\ny \N{SNOWMAN}", (), exc_info)
    written = JsonFormatter().format(record)
    assert "\n" not in written
    assert json.loads(written)["message"] == "x\ny \N{SNOWMAN}"
