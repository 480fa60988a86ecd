"""Wrong codes of a second factor are limited, and the owner is notified."""

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, User
from tests.common.sign_in.test_second_factor import code_of, set_up
from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

CODE_PAGE = "/accounts/2fa/authenticate/"
TOO_MANY = "Too many failed login attempts"


@pytest.fixture
def ann() -> User:
    cache.clear()
    return verified(make_user("ann"))


@pytest.fixture
def secret(client, ann) -> str:
    client.force_login(ann)
    secret = set_up(client)
    mail.outbox.clear()
    return secret


def sign_in_with_password(login: str = "ann") -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": login, "password": "secret"})
    return client


def enter(client: Client, code: str, times: int = 1) -> str:
    for number in range(times):  # from several addresses
        address = f"192.0.2.{number}"
        answer = client.post(CODE_PAGE, {"code": code}, REMOTE_ADDR=address)
    return answer.content.decode()


def sent_mails() -> list[tuple[list[str], str]]:
    run_due_jobs()
    return [(letter.to, letter.subject) for letter in mail.outbox]


def warnings() -> int:
    return AuditEntry.objects.filter(action="account.wrong_codes").count()


def test_owner_gets_one_email_after_five_wrong_codes(secret):
    thief = sign_in_with_password()
    enter(thief, "000000", times=4)
    assert (sent_mails(), warnings()) == ([], 0)
    enter(thief, "000000", times=3)
    assert sent_mails() == [
        (["ann@example.org"], "Wrong sign-in codes for your account"),
    ]
    assert warnings() == 1
    assert "5 wrong sign-in codes were entered for your account ann" in (
        mail.outbox[0].body.replace("\n", " ")
    )


def test_after_ten_wrong_codes_the_right_one_opens_nothing(secret):
    thief = sign_in_with_password()
    assert TOO_MANY not in enter(thief, "000000", times=10)
    assert TOO_MANY in enter(thief, code_of(secret))
    assert TOO_MANY in enter(sign_in_with_password("ANN@example.org"), code_of(secret))


def test_right_code_begins_a_new_count(secret):
    enter(sign_in_with_password(), "000000", times=9)
    assert enter(sign_in_with_password(), code_of(secret)) == ""
    assert TOO_MANY not in enter(sign_in_with_password(), "000000", times=10)


def test_codes_typed_to_confirm_a_change_count_too(client, ann, secret):
    cache.clear()  # setting up confirmed a change; ten a minute are the limit
    for number in range(10):
        address = f"192.0.2.{number}"
        page = "/accounts/2fa/reauthenticate/"
        client.post(page, {"code": "000000"}, REMOTE_ADDR=address)
    assert TOO_MANY in enter(sign_in_with_password(), code_of(secret))
    assert [to for to, _subject in sent_mails()] == [["ann@example.org"]]


@pytest.mark.parametrize("host", ["testserver", "localhost"])
def test_passwords_are_counted_for_an_account_however_it_is_named(ann, settings, host):
    settings.ALLOWED_HOSTS = ["testserver", "localhost"]
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "4/h/key"}
    spellings = ("ann", "ANN", "ann@example.org", "Ann@Example.org")
    for login in spellings:
        Client().post("/accounts/login/", {"login": login, "password": "wrong"})
    right = {"login": "aNN", "password": "secret"}
    page = Client().post("/accounts/login/", right, headers={"host": host})
    assert TOO_MANY in page.content.decode()


def test_new_password_by_mail_ends_the_wait(ann, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "1/h/key"}
    wrong = {"login": "ANN", "password": "wrong"}
    Client().post("/accounts/login/", wrong)
    client = Client()
    client.post("/accounts/password/reset/", {"email": "ann@example.org"})
    run_due_jobs()
    [_start, path] = mail.outbox[-1].body.split("http://testserver", 1)
    page = client.get(path.split()[0])
    password = "Rook-to-e8-now"
    both = {"password1": password, "password2": password}
    client.post(page["Location"], both)
    right = {"login": "ann", "password": password}
    assert Client().post("/accounts/login/", right).status_code == 302
