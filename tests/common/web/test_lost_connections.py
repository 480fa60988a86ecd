"""Lost database connections are reopened or reported in a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import caches
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import RequestFactory

from tests.concurrency import needs_two_connections  # noqa: F401 (a fixture for all)

pytestmark = pytest.mark.django_db(transaction=True)

# Cached pages, uncached pages, and the API.
PAGES = ["/events/", "/search/suggestions/?q=lind", "/api/v1/lists"]


def answer_of(path: str) -> tuple[str, dict[str, str], str]:
    """Send a request as a server does: Django's test client keeps its connection."""
    said: list[Any] = []
    body = WSGIHandler()(
        RequestFactory().get(path).environ, lambda *head: said.extend(head)
    )
    text = b"".join(body).decode()
    body.close()
    return said[0], dict(said[1]), text


def terminate_connection() -> None:
    other = connection.copy()
    pid = connection.connection.info.backend_pid
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        assert cursor.fetchone() == (True,)
    other.close()


@contextmanager
def terminate_before_query(number: int) -> Iterator[None]:
    waiting = [number]

    def ask(execute: Any, *arguments: Any) -> Any:
        waiting[0] -= 1
        if waiting[0] == 0:
            terminate_connection()
        return execute(*arguments)

    with connection.execute_wrapper(ask):
        yield
    assert waiting[0] <= 0


@pytest.mark.parametrize("path", PAGES)
def test_cut_between_two_requests_is_not_noticed(path):
    before = answer_of(path)
    terminate_connection()
    after = answer_of(path)
    assert before[0] == after[0] == "200 OK"


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("path", ["/events/", "/api/v1/lists"])
def test_cut_within_a_request_says_so(path, number, caplog):
    answer_of("/events/")
    caches["pages"].clear()
    with terminate_before_query(number):
        status, headers, text = answer_of(path)
    assert status == "503 Service Unavailable"
    assert int(headers["Retry-After"]) > 0
    assert "The site is briefly unavailable" in text
    assert headers["Cache-Control"] in ("private, no-cache", "no-store")
    assert any(one.exc_info for one in caplog.records)  # the exception is logged
    assert answer_of(path)[0] == "200 OK"
