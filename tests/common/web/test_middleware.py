"""One name for everything that happens during one request."""

import logging

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory

from ratings_site.common.web.middleware import RequestIdFilter, request_id
from ratings_site.common.web.views import went_wrong

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
    half = {"login": "nobody"}  # without a password nothing is hashed, and it counts
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
    assert "could not be understood" in answer.content.decode()
    assert "evil.example" not in answer.content.decode()


@pytest.mark.parametrize("fault", [ValueError, OperationalError])
def test_what_is_raised_while_the_database_answers_is_our_fault(fault):
    try:
        raise fault
    except fault:
        answer = went_wrong(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert "The fault is ours" in answer.content.decode()
