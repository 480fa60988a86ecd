"""The owner of an account is notified of many wrong passwords, once a day."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.utils import timezone

from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Job
from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

LIMIT = 3
TOKEN = re.compile(r'csrfmiddlewaretoken" value="[^"]+"')


@pytest.fixture(autouse=True)
def _low_limit(settings):
    cache.clear()
    settings.FAILED_SIGN_INS_PER_HOUR = LIMIT


def fail(client, times: int = 1, login: str = "ann") -> str:
    for _ in range(times):
        page = client.post("/accounts/login/", {"login": login, "password": "wrong"})
    return TOKEN.sub("", page.content.decode())


@contextmanager
def later(**time: int) -> Iterator[None]:
    now = timezone.now
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: now() + timedelta(**time))
        cache.clear()
        yield


def locks() -> int:
    return AuditEntry.objects.filter(action="account.locked").count()


def test_owner_gets_one_email_a_day(client):
    verified(make_user("ann"))
    fail(client, LIMIT - 1)
    assert locks() == 0
    fail(client)
    fail(client, 2, login="ann@example.org")
    run_due_jobs()
    assert [letter.to for letter in mail.outbox] == [["ann@example.org"]]
    assert locks() == 1


def test_next_day_they_get_another(client):
    verified(make_user("ann"))
    fail(client, LIMIT)
    with later(hours=23):
        fail(client, LIMIT)
    assert locks() == 1
    with later(hours=25):
        fail(client, LIMIT)
    assert locks() == 2


def test_failures_of_two_hours_lock_nothing(client):
    verified(make_user("ann"))
    fail(client, LIMIT - 1)
    with later(minutes=61):
        fail(client, LIMIT - 1)
    assert locks() == 0


def test_page_does_not_tell_whether_there_is_an_account(client):
    verified(make_user("ann"))
    theirs = fail(client, LIMIT)
    cache.clear()
    assert fail(client, LIMIT, login="bob") == theirs.replace('"ann"', '"bob"')
    assert Job.objects.count() == 1


def test_account_without_an_address_gets_an_entry_only(client):
    make_user("ann")
    fail(client, LIMIT)
    assert locks() == 1
    assert not Job.objects.exists()
