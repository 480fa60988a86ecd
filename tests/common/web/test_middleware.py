"""Request IDs and other middleware."""

import errno
import io
import logging
import sqlite3
from contextlib import closing

import psycopg
import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory

from ratings_site.common.web.middleware import RequestIdFilter, request_id
from ratings_site.common.web.views import server_error

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/health/", "/nothing/here/", "/desk/"])
def test_every_answer_names_its_request(client, address):
    first, second = client.get(address), client.get(address)
    assert len(first["X-Request-Id"]) == 12
    assert first["X-Request-Id"] != second["X-Request-Id"]
    assert request_id.get() == "-"


def test_refusal_for_a_missing_token_names_its_request_too():
    answer = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "x"})
    assert answer.status_code == 403
    assert len(answer["X-Request-Id"]) == 12


def test_form_of_another_library_that_is_refused_answers_422(client):
    answer = client.post("/accounts/login/", {"login": "nobody", "password": "wrong"})
    assert answer.status_code == 422
    assert "not correct" in answer.content.decode()
    assert client.get("/accounts/login/").status_code == 200


def test_too_many_sign_ins_from_one_place_are_told_to_wait(client):
    half = {
        "login": "nobody"
    }  # without a password nothing is hashed, but the attempt counts
    elsewhere = {"REMOTE_ADDR": "192.0.2.77"}
    answers = [client.post("/accounts/login/", half, **elsewhere) for _ in range(31)]
    assert [answer.status_code for answer in answers] == [422] * 30 + [429]
    page = answers[-1].content.decode()
    assert "Wait a minute, then go back" in page
    assert 'href="/static/' in page


def test_log_lines_carry_the_request(caplog):
    token = request_id.set("abc")
    try:
        record = logging.makeLogRecord({"msg": "hello"})
        assert RequestIdFilter().filter(record) is True
        assert record.request_id == "abc"
    finally:
        request_id.reset(token)


def test_a_host_that_is_not_ours_is_answered_with_a_page():
    answer = Client(raise_request_exception=False).get("/", HTTP_HOST="evil.example")
    assert answer.status_code == 400
    assert "isn’t valid" in answer.content.decode()
    assert "evil.example" not in answer.content.decode()


@pytest.mark.parametrize("fault", [ValueError, OperationalError])
def test_what_is_raised_while_the_database_answers_is_our_fault(fault):
    try:
        raise fault
    except fault:
        answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert "This is our error" in answer.content.decode()


def test_request_for_another_host_is_logged_in_one_line(client, monkeypatch):
    handlers = logging.getLogger("django").handlers
    [console] = [one for one in handlers if type(one) is logging.StreamHandler]
    written = io.StringIO()
    # Not setStream, which flushes the stream before: pytest may have closed it.
    monkeypatch.setattr(console, "stream", written)
    for _ in range(3):
        assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    lines = written.getvalue().splitlines()
    assert len(lines) == 3
    assert "Invalid HTTP_HOST header: 'evil.example'" in lines[0]


def test_language_cookie_goes_over_https_only(client, settings):
    settings.LANGUAGE_COOKIE_SECURE = settings.SESSION_COOKIE_SECURE = True
    cookie = client.post("/language/", {"language": "es"}).cookies["django_language"]
    assert (cookie.value, cookie["secure"], cookie["samesite"]) == ("es", True, "Lax")


def full_sqlite() -> Exception:
    """Return the error of an SQLite database on a full disk."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.execute("CREATE TABLE a (b)")
        database.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError, match="full") as full:
            database.execute("INSERT INTO a VALUES (zeroblob(100000))")
    error = OperationalError(str(full.value))
    error.__cause__ = full.value
    return error


def full_postgresql() -> Exception:
    error = OperationalError("could not extend file: No space left on device")
    error.__cause__ = psycopg.errors.DiskFull()
    return error


@pytest.mark.parametrize(
    "fault",
    [
        full_sqlite(),
        full_postgresql(),
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
    ],
    ids=["SQLite", "PostgreSQL", "machine", "quota"],
)
def test_a_full_disk_is_said_and_when_to_come_again(fault):
    try:
        raise fault
    except (OperationalError, OSError):
        answer = server_error(RequestFactory().get("/"))
    assert (answer.status_code, answer["Retry-After"]) == (503, "300")
    assert "The server’s disk is full." in answer.content.decode()


def test_another_fault_of_a_file_is_our_fault():
    try:
        raise FileNotFoundError(errno.ENOENT, "No such file")
    except FileNotFoundError:
        answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
