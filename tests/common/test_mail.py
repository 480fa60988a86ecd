import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from ratings_site.common.jobs import work_off
from ratings_site.common.mail import SEND_MAIL, send
from ratings_site.common.models import Job
from tests.factories import make_user

pytestmark = pytest.mark.django_db

TEMPLATE = "events/corrections/mail.txt"


def send_to(*users) -> None:
    send(users, subject="One\nsubject", template=TEMPLATE, context={})


def test_everybody_gets_a_letter_of_their_own_once():
    one, two = make_user(email="one@example.org"), make_user(email="two@example.org")
    send_to(one, two, one)
    assert mail.outbox == []  # a job sends it
    work_off()
    assert [message.to for message in mail.outbox] == [
        ["one@example.org"],
        ["two@example.org"],
    ]
    assert {message.subject for message in mail.outbox} == {"One subject"}
    assert "http://127.0.0.1:8000" in mail.outbox[0].body


def test_accounts_without_address_or_closed_are_passed_over():
    send_to(make_user(), make_user(email="closed@example.org", is_active=False))
    assert not Job.objects.filter(kind=SEND_MAIL).exists()


def test_address_is_the_one_at_the_time_of_sending():
    user, closed = make_user(email="old@example.org"), make_user(email="c@example.org")
    send_to(user, closed)
    user.email, closed.is_active = "new@example.org", False
    user.save()
    closed.save()
    work_off()
    assert [message.to for message in mail.outbox] == [["new@example.org"]]


def test_letter_that_the_server_refuses_is_tried_again(monkeypatch):
    def refuse(*_: object) -> None:
        raise ConnectionError("The mail server is down.")

    send_to(make_user(email="one@example.org"))
    with monkeypatch.context() as broken:
        broken.setattr(EmailBackend, "send_messages", refuse)
        work_off()
    job = Job.objects.get(kind=SEND_MAIL)
    assert (job.state, job.attempts) == ("queued", 1)
    assert job.message == "ConnectionError: The mail server is down."
    Job.objects.update(run_after=job.created_at)
    work_off()
    assert [message.to for message in mail.outbox] == [["one@example.org"]]
