"""There is one sign-in page, and all processes share its rate limits."""

import json

import pytest
from django.contrib.auth import SESSION_KEY

from tests.factories import make_staff, make_user

# To check a password takes most of a second, and is not what is counted.
BEGIN = """
import django; django.setup()
import json
from django.conf import settings
from django.test import Client
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""
# Wrong passwords of one account, each from a different address.
GUESS = """
settings.ALLOWED_HOSTS.append("testserver")
wrong = {{"login": "somebody", "password": "wrong"}}
pages = [
    Client().post("/accounts/login/", wrong, REMOTE_ADDR=f"192.0.2.{{number}}")
    for number in range({first}, {first} + 26)
]
print(json.dumps([b"Too many failed" in page.content for page in pages]))
"""


@pytest.mark.django_db
def test_admin_login_accepts_no_password(client):
    make_staff("sam")
    answers = [
        client.get("/admin/login/?next=/admin/players/"),
        client.post("/admin/login/", {"username": "sam", "password": "secret"}),
        client.get("/admin/"),
    ]
    assert [answer.url for answer in answers] == [
        "/accounts/login/?next=/admin/players/",
        "/accounts/login/?next=/admin/",
        "/admin/login/?next=/admin/",
    ]
    assert SESSION_KEY not in client.session


@pytest.mark.django_db
def test_admin_login_redirects_staff_and_explains_to_others(client):
    client.force_login(make_staff())
    assert client.post("/admin/login/").url == "/admin/"
    client.force_login(make_user())
    answer = client.get("/admin/", follow=True)
    assert answer.status_code == 403
    assert "This page is for clerks of the ratings office." in answer.content.decode()


@pytest.mark.postgresql
@pytest.mark.redis
def test_processes_count_failed_sign_ins_together(production_office):
    made = f"{BEGIN}from tests.factories import make_user; make_user('somebody')"
    production_office.python(made)
    first = json.loads(production_office.python(BEGIN + GUESS.format(first=1)))
    second = json.loads(production_office.python(BEGIN + GUESS.format(first=101)))
    assert first == [False] * 26
    assert second == [False] * 24 + [True] * 2
