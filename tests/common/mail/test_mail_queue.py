"""Jobs send email: pages never wait for the mail server, and codes stay secret."""

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.test import Client
from django.utils import timezone

from ratings_site.common.jobs.services import retry_failed, run_due_jobs
from ratings_site.common.mail.services import SEND_MAIL, queue_mail
from ratings_site.common.models import Job, User
from tests.common.sign_in.test_second_factor import set_up
from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

SMTP = "django.core.mail.backends.smtp.EmailBackend"
PASSWORD = "Rook-to-e8-now"
NEW_PASSWORD = {"password1": PASSWORD, "password2": PASSWORD}
EMAIL = "/accounts/email/"


@dataclass
class SilentServer:
    """A server that accepts connections and never responds."""

    listener: socket.socket = field(default_factory=socket.socket)

    def __post_init__(self) -> None:
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(50)
        self.listener.setblocking(False)

    @property
    def port(self) -> int:
        return self.listener.getsockname()[1]

    def connections(self) -> int:
        """Return how many clients have connected since the last call."""
        found = 0
        while True:
            try:
                self.listener.accept()
            except BlockingIOError:
                return found
            found += 1


@pytest.fixture
def silent_server(settings) -> Iterator[SilentServer]:
    server = SilentServer()
    settings.EMAIL_BACKEND = SMTP
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_TIMEOUT = 0.2
    yield server
    server.listener.close()


@contextmanager
def mail_server_is_back(settings) -> Iterator[None]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    cache.clear()
    Job.objects.filter(state="queued").update(run_after=timezone.now())
    yield


def mails() -> list[Job]:
    return list(Job.objects.filter(kind=SEND_MAIL).order_by("pk"))


def signed_in(client: Client) -> User:
    ann = verified(make_user("ann"))
    client.force_login(ann)
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    return ann


def sign_up(client: Client, email: str = "new@example.org") -> None:
    typed = {"username": "newcomer", "email": email, **NEW_PASSWORD}
    client.post("/accounts/signup/", typed)


def sign_up_with_a_known_address(client: Client) -> None:
    verified(make_user("ann"))
    sign_up(client, "ann@example.org")


def sign_in_unverified(client: Client) -> None:
    make_user("old", email="old@example.org")
    client.post("/accounts/login/", {"login": "old", "password": "secret"})


def ask_for_another_code(client: Client) -> None:
    sign_up(client)
    Job.objects.all().delete()
    cache.clear()  # one code in three minutes is the limit
    client.post("/accounts/confirm-email/", {"action": "resend"})


def correct_the_address(client: Client) -> None:
    sign_up(client)
    Job.objects.all().delete()
    changed = {"action": "change", "email": "right@example.org"}
    client.post("/accounts/confirm-email/", changed)


def forget_the_password(client: Client) -> None:
    verified(make_user("ann"))
    client.post("/accounts/password/reset/", {"email": "ann@example.org"})


def ask_for_an_unknown_address(client: Client) -> None:
    client.post("/accounts/password/reset/", {"email": "nobody@example.org"})


def set_a_new_password(client: Client) -> None:
    from ratings_site.common.sign_in.services import link_to_set_password

    link = link_to_set_password(verified(make_user("ann")))
    page = client.get(re.sub("https?://[^/]+", "", link))
    client.post(page["Location"], NEW_PASSWORD)


def change_the_password(client: Client) -> None:
    signed_in(client)
    typed = {"oldpassword": "secret", **NEW_PASSWORD}
    client.post("/accounts/password/change/", typed)


def change_the_address(client: Client) -> None:
    signed_in(client)
    client.post(EMAIL, {"email": "new@example.org", "action_add": ""})


def set_up_an_app(client: Client) -> None:
    signed_in(client)
    set_up(client)


def switch_the_app_off(client: Client) -> None:
    set_up_an_app(client)
    Job.objects.all().delete()
    client.post("/accounts/2fa/totp/deactivate/")


def make_recovery_codes(client: Client) -> None:
    set_up_an_app(client)
    Job.objects.all().delete()
    client.post("/accounts/2fa/recovery-codes/generate/")


def change_a_password_in_the_admin(client: Client) -> None:
    client.force_login(make_user(is_staff=True, is_superuser=True))
    ann = verified(make_user("ann"))
    typed = {"usable_password": "true", **NEW_PASSWORD}
    client.post(f"/admin/common/user/{ann.pk}/password/", typed)


PAGES_THAT_SEND: tuple[Callable[[Client], None], ...] = (
    *(sign_up, sign_up_with_a_known_address, sign_in_unverified),
    *(ask_for_another_code, correct_the_address),
    *(forget_the_password, ask_for_an_unknown_address, set_a_new_password),
    *(change_the_password, change_the_address),
    change_a_password_in_the_admin,
)
# django-allauth sends these when the transaction ends.
PAGES_THAT_SEND_LATE = (set_up_an_app, switch_the_app_off, make_recovery_codes)


@pytest.mark.parametrize(
    "act",
    [
        *PAGES_THAT_SEND,
        *(
            pytest.param(act, marks=pytest.mark.django_db(transaction=True))
            for act in PAGES_THAT_SEND_LATE
        ),
    ],
    ids=lambda act: act.__name__,
)
def test_page_that_sends_e_mail_never_connects_to_the_mail_server(
    client, silent_server, act
):
    act(client)
    assert silent_server.connections() == 0
    assert {job.state for job in mails()} == {"queued"}


def test_sign_up_through_a_dead_server_goes_on_when_it_is_back(client, settings):
    free = socket.socket()
    free.bind(("127.0.0.1", 0))
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = SMTP, "127.0.0.1"
    settings.EMAIL_PORT = free.getsockname()[1]  # bound, not listening
    sign_up(client)
    page = client.get("/accounts/confirm-email/").content.decode()
    assert "We sent a code to new@example.org." in page
    assert "It can take a few minutes to arrive." in page
    run_due_jobs()
    assert [(job.state, job.attempts) for job in mails()] == [("queued", 0)]

    with mail_server_is_back(settings):
        run_due_jobs()
    [letter] = mail.outbox
    code = re.search(r"^ *([A-Z0-9]{3,}-[A-Z0-9]{3,})$", letter.body, re.M)[1]
    client.post("/accounts/confirm-email/", {"code": code})
    assert User.objects.get(username="newcomer").emailaddress_set.get().verified
    free.close()


def test_silent_server_costs_a_worker_one_connection_a_minute(settings, silent_server):
    for number in range(5):
        queue_mail("Hello", "Text", f"{number}@example.org")
    run_due_jobs()
    assert silent_server.connections() == 1
    assert {(job.state, job.attempts) for job in mails()} == {("queued", 0)}
    assert {job.message for job in mails()} == {"The mail server is not responding."}
    with mail_server_is_back(settings):
        run_due_jobs()
    assert [letter.to for letter in mail.outbox] == [
        [f"{number}@example.org"] for number in range(5)
    ]


def test_job_waits_as_long_as_it_has_waited_within_limits(silent_server):
    queue_mail("Hello", "Text", "one@example.org")
    waits = []
    for age in (0, 100, 86_000):
        created = timezone.now() - timedelta(seconds=age)
        Job.objects.update(created_at=created, run_after=timezone.now())
        run_due_jobs()
        wait = Job.objects.get().run_after - timezone.now()
        waits.append(round(wait.total_seconds(), -1))
    assert waits == [10, 100, 1800]


def test_text_is_unreadable_in_the_job_and_deleted_once_sent(client):
    sign_up(client)
    [job] = mails()
    assert "new@example.org" not in str(job.args)
    client.force_login(make_user(is_staff=True, is_superuser=True))
    page = client.get(f"/admin/common/job/{job.pk}/change/").content.decode()
    assert "common.send_mail" in page
    assert job.args["message"] not in page

    run_due_jobs()
    [job] = mails()
    assert (job.state, job.args) == ("done", {})
    assert mail.outbox[0].to == ["new@example.org"]


@pytest.mark.parametrize(("minutes", "sent"), [(14, 1), (16, 0)])
def test_code_is_not_sent_after_it_expired(client, monkeypatch, minutes, sent):
    sign_up(client)
    later = timezone.now() + timedelta(minutes=minutes)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    run_due_jobs()
    assert len(mail.outbox) == sent
    assert [(job.state, job.args) for job in mails()] == [("done", {})]


def test_key_that_is_gone_ends_the_job_and_a_retry_says_why(settings):
    queue_mail("Hello", "Text", "one@example.org")
    settings.SECRET_KEY = "another key of the office"
    run_due_jobs()
    [job] = mails()
    assert (job.state, job.args) == ("failed", {})
    retry_failed(job_id=job.pk, actor=None)
    run_due_jobs()
    assert mails()[-1].message == "The text of this email was deleted."
    assert mail.outbox == []


def test_mail_in_the_queue_survives_a_new_key(settings):
    queue_mail("Hello", "Text", "one@example.org")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key of the office"
    run_due_jobs()
    assert [letter.subject for letter in mail.outbox] == ["Hello"]


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_the_server_takes_its_time(client, monkeypatch):
    """On SQLite it would block every other page."""
    seen, take = [], EmailBackend.send_messages

    def send_messages(self, messages):
        seen.append(connection.in_atomic_block)
        return take(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", send_messages)
    sign_up(client)
    run_due_jobs()
    assert seen == [False]


def test_dashboard_says_so_while_the_mail_server_is_down(
    client, settings, silent_server
):
    client.force_login(make_user(is_staff=True, is_superuser=True))
    line = "The mail server has not responded for"
    assert line not in client.get("/office/").content.decode()
    queue_mail("Hello", "Text", "one@example.org")
    run_due_jobs()
    assert line in client.get("/office/").content.decode()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    later = timezone.now() + timedelta(minutes=2)
    Job.objects.update(run_after=timezone.now())
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr("django.utils.timezone.now", lambda: later)
        run_due_jobs()
    assert len(mail.outbox) == 1
    assert line not in client.get("/office/").content.decode()
