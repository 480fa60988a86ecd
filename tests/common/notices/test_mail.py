"""Emails of notices: one for each account, sent once, in its language."""

import smtplib

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.jobs.services import claim, perform, run_due_jobs
from ratings_site.common.models import Job, Notice, NoticeSetting
from ratings_site.common.notices import services
from ratings_site.common.notices.mail import InvalidLink, read_token, unsubscribe_token
from ratings_site.common.notices.services import (
    MAIL_NOTICES,
    Kind,
    NoticeDraft,
    notify,
)
from tests.factories import make_user

pytestmark = pytest.mark.django_db

MAILED_KIND = Kind("tests.loud", "Loud", "Comes by email.")


def make_news(
    user, key: str = "one", title: str = "One\nthing", **fields
) -> NoticeDraft:
    return NoticeDraft(
        MAILED_KIND, user.pk, key, "/here/", lambda: (title, "Why it is so.")
    )


def jobs() -> list[tuple[str, int]]:
    queued = Job.objects.filter(kind=MAIL_NOTICES).order_by("pk")
    return list(queued.values_list("state", "attempts"))


def sent() -> list[tuple[list[str], str]]:
    return [(message.to, message.subject) for message in mail.outbox]


def test_each_account_gets_one_email():
    one, two = make_user(email="one@example.org"), make_user(email="two@example.org")
    notify([make_news(one), make_news(two), make_news(one)])
    assert mail.outbox == []  # a job sends it
    run_due_jobs()
    assert sent() == [(["one@example.org"], "One thing"),
                      (["two@example.org"], "One thing")]  # fmt: skip
    body = mail.outbox[0].body
    assert "Why it is so.\n" in body
    assert "http://127.0.0.1:8000/here/\n" in body
    assert "two@example.org" not in mail.outbox[0].message().as_string()


def test_notices_of_one_action_are_one_email():
    one = make_user(email="one@example.org")
    notify(
        [
            make_news(one),
            make_news(one, "two", "A second"),
            make_news(one, "three", "A third"),
        ]
    )
    run_due_jobs()
    assert sent() == [(["one@example.org"], "One thing (and 2 more)")]
    assert all(title in mail.outbox[0].body for title in ("A second", "A third"))


def test_job_that_runs_twice_sends_once():
    notify([make_news(make_user(email="one@example.org"))])
    run_due_jobs()
    first = Notice.objects.get().mailed_at
    job = Job.objects.get(kind=MAIL_NOTICES)
    Job.objects.update(state="queued", run_after=timezone.now())
    perform(claim(job.pk))
    assert jobs() == [("done", 2)]
    assert len(mail.outbox) == 1
    assert Notice.objects.get().mailed_at == first


def test_worker_that_was_given_up_for_dead_sends_nothing_more():
    notify([make_news(make_user(email="one@example.org"))])
    job = claim(Job.objects.get(kind=MAIL_NOTICES).pk)
    Job.objects.update(attempts=2)  # another worker has claimed it since
    perform(job)
    assert mail.outbox == []
    assert Notice.objects.get().mailed_at is None


def test_rejected_email_is_retried(monkeypatch):
    def refuse(*_: object) -> None:
        raise ConnectionError("The mail server is down.")

    notify([make_news(make_user(email="one@example.org"))])
    with monkeypatch.context() as broken:
        broken.setattr(EmailBackend, "send_messages", refuse)
        run_due_jobs()
    job = Job.objects.get(kind=MAIL_NOTICES)
    assert (job.state, job.attempts) == ("queued", 0)
    assert job.message == "The mail server is not responding."
    cache.clear()
    Job.objects.update(run_after=job.created_at)
    run_due_jobs()
    assert sent() == [(["one@example.org"], "One thing")]


def test_server_that_disconnects_gets_only_unsent_emails(monkeypatch):
    users = [make_user(email=f"{number}@example.org") for number in range(3)]
    notify(make_news(user) for user in users)
    take, calls = EmailBackend.send_messages, []

    def break_off(self, messages):
        calls.append(messages)
        if len(calls) == 2:
            raise smtplib.SMTPServerDisconnected("Gone.")
        return take(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", break_off)
    run_due_jobs()
    assert [to for to, _ in sent()] == [["0@example.org"]]
    cache.clear()
    Job.objects.update(run_after=timezone.now())
    run_due_jobs()
    assert [to for to, _ in sent()] == [
        [f"{number}@example.org"] for number in range(3)
    ]


def test_undeliverable_address_does_not_block_others(monkeypatch):
    users = [make_user(email=f"{number}@example.org") for number in range(2)]
    notify(make_news(user) for user in users)
    take = EmailBackend.send_messages

    def refuse_first(self, messages):
        if messages[0].to == ["0@example.org"]:
            raise smtplib.SMTPRecipientsRefused({"0@example.org": (550, b"Nobody")})
        return take(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", refuse_first)
    run_due_jobs()
    assert jobs() == [("done", 1)]
    assert [to for to, _ in sent()] == [["1@example.org"]]


@pytest.mark.parametrize(
    "asks_to_come_again",
    [
        smtplib.SMTPRecipientsRefused({"0@example.org": (450, b"Greylisted")}),
        smtplib.SMTPDataError(451, b"Later"),
    ],
)
def test_deferred_email_is_retried_and_blocks_no_other(monkeypatch, asks_to_come_again):
    users = [make_user(email=f"{number}@example.org") for number in range(2)]
    notify(make_news(user) for user in users)
    take = EmailBackend.send_messages

    def put_off_first(self, messages):
        if messages[0].to == ["0@example.org"]:
            raise asks_to_come_again
        return take(self, messages)

    with monkeypatch.context() as busy:
        busy.setattr(EmailBackend, "send_messages", put_off_first)
        run_due_jobs()
    assert jobs() == [("queued", 0)]
    assert [to for to, _ in sent()] == [["1@example.org"]]
    Job.objects.update(run_after=timezone.now())
    run_due_jobs()
    assert [to for to, _ in sent()] == [["1@example.org"], ["0@example.org"]]


def test_permanently_rejected_email_is_dropped(monkeypatch):
    notify([make_news(make_user(email="one@example.org"))])

    def refuse(*_: object) -> None:
        raise smtplib.SMTPDataError(554, b"Spam")

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    run_due_jobs()
    assert (jobs(), sent()) == ([("done", 1)], [])


def test_address_and_wishes_are_those_at_the_time_of_sending():
    moved, closed, quiet = (make_user(email=f"{name}@example.org") for name in "mcq")
    notify([make_news(moved), make_news(closed), make_news(quiet)])
    moved.email, closed.is_active = "new@example.org", False
    moved.save()
    closed.save()
    NoticeSetting.objects.create(
        account=quiet, kind=MAILED_KIND.name, channel="mail", is_on=False
    )
    run_due_jobs()
    assert [to for to, _ in sent()] == [["new@example.org"]]


def test_accounts_without_address_or_closed_leave_no_job():
    notify(
        [make_news(make_user()), make_news(make_user(email="c@x.org", is_active=False))]
    )
    assert jobs() == []


def test_redirect_rule_sends_email_elsewhere_and_names_the_recipient(monkeypatch):
    child, orphan = make_user(email="child@example.org"), make_user(email="o@x.org")
    instead = {child.pk: "parent@example.org", orphan.pk: ""}
    monkeypatch.setattr(services, "_bound", [lambda _: instead])
    notify([make_news(child), make_news(orphan)])
    run_due_jobs()
    assert sent() == [(["parent@example.org"], "One thing")]
    assert f"parent or guardian of {child}" in mail.outbox[0].body
    assert [notice.on_site for notice in Notice.objects.all()] == [True, True]


def test_email_is_in_the_recipients_language():
    reader = make_user(email="one@example.org", language="es")
    write = lambda: (_("Yes"), "")  # noqa: E731
    notify([NoticeDraft(MAILED_KIND, reader.pk, "one", "/", write)])
    gone = make_user(email="two@example.org", language="xx")
    notify([NoticeDraft(MAILED_KIND, gone.pk, "one", "/", write)])
    run_due_jobs()
    assert [subject for _, subject in sent()] == ["Sí", "Yes"]


def test_mail_programs_can_unsubscribe_with_one_click(client):
    user = make_user(email="one@example.org")
    notify([make_news(user)])
    run_due_jobs()
    [message] = mail.outbox
    link = message.extra_headers["List-Unsubscribe"].strip("<>")
    assert link in message.body
    assert message.extra_headers["List-Unsubscribe-Post"] == (
        "List-Unsubscribe=One-Click"
    )
    token = link.rstrip("/").rpartition("/")[2]
    assert read_token(token) == (user.pk, [MAILED_KIND.name])


@pytest.mark.parametrize("spoil", [lambda t: t[:-1], lambda t: "x" + t, lambda t: "no"])
def test_garbled_link_is_told_from_a_good_one(spoil):
    token = unsubscribe_token(1, ["tests.loud"])
    with pytest.raises(InvalidLink):
        read_token(spoil(token))


def test_link_grows_old(monkeypatch):
    token = unsubscribe_token(1, ["tests.loud"])
    monkeypatch.setattr("ratings_site.common.notices.mail.LINK_DAYS", -1)
    with pytest.raises(InvalidLink):
        read_token(token)
