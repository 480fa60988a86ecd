"""Webhooks: signed, sent to a real receiver, retried, and finally failed."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from threading import Event

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.utils import timezone

from ratings_site.common.jobs.services import claim, enqueue, perform, run_due_jobs
from ratings_site.common.models import (
    AuditEntry,
    Job,
    User,
    Webhook,
    WebhookDelivery,
)
from ratings_site.common.webhooks.services import (
    DELIVER,
    FAN_OUT,
    FORGET,
    MAX_MANUAL_SENDS,
    MAX_WAITING,
    MAX_WEBHOOKS,
    RETRY_DELAYS,
    WebhookRefused,
    add_webhook,
    announce,
    delete_webhook,
    rotate_secret,
    secret_of,
    send_again,
    send_ping,
    switch_on,
)
from tests.concurrency import run_concurrently
from tests.factories import make_user
from tests.live_office import wait_for
from tests.webhook_receiver import WebhookReceiver, running_receiver

pytestmark = pytest.mark.django_db

Kind = Webhook.Kind


@pytest.fixture(autouse=True)
def _private(settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True


def hook(url: str = "http://127.0.0.1:9/", **fields) -> Webhook:
    owner = fields.pop("owner", None) or make_user(email="owner@example.org")
    return add_webhook(owner=owner, url=url, kinds=fields.pop("kinds", [Kind.LIST]))


def make_payload() -> dict:
    return {"list": "2024-06", "name": "½ List"}


def announce_and_fan_out(*says: Callable[[], dict | None]) -> None:
    """Announce a list and run the job that creates the messages."""
    announce(Kind.LIST, *says)
    for pk in Job.objects.filter(kind=FAN_OUT, state="queued").values_list("pk"):
        perform(claim(*pk))


def verified(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """Verify a message as the documentation describes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{digest}"


def test_message_arrives_signed_and_says_what_happened():
    moment = timezone.now().replace(microsecond=0)
    with running_receiver(WebhookReceiver(status=200, answer=b"ok")) as receiver:
        webhook = hook(receiver.url)
        with time_machine.travel(moment, tick=False):
            announce_and_fan_out(make_payload)
            run_due_jobs()
    [(headers, body)] = receiver.requests
    assert json.loads(body) == {
        "type": "list.published",
        "timestamp": moment.isoformat(),
        "data": {"list": "2024-06", "name": "½ List"},
    }
    assert headers["Content-Type"] == "application/json; charset=utf-8"
    assert headers["webhook-timestamp"] == str(int(moment.timestamp()))
    assert verified(headers, body, secret_of(webhook))
    assert not verified(headers, body + b" ", secret_of(webhook))
    assert not verified(headers, body, secret_of(hook("http://127.0.0.1:10/")))
    delivery = WebhookDelivery.objects.get()
    assert headers["webhook-id"] == delivery.message_id
    assert (delivery.state, delivery.attempts, delivery.status, delivery.answer) == (
        "delivered",
        1,
        200,
        "ok",
    )


def test_only_who_asked_for_a_kind_is_told():
    owner = make_user()
    asked = hook("http://127.0.0.1:9/a", owner=owner)
    hook("http://127.0.0.1:9/b", owner=owner, kinds=[Kind.RERATE])
    off = hook("http://127.0.0.1:9/c", owner=owner)
    Webhook.objects.filter(pk=off.pk).update(is_active=False)
    closed = make_user(is_active=False)
    hook("http://127.0.0.1:9/d", owner=closed)
    announce_and_fan_out(make_payload)
    assert [one.webhook for one in WebhookDelivery.objects.all()] == [asked]


def test_no_message_is_built_without_webhooks(django_assert_num_queries):
    with django_assert_num_queries(1):
        announce(Kind.LIST, lambda: pytest.fail("somebody listens"))
    hook()
    announce(Kind.LIST, lambda: None)
    assert not WebhookDelivery.objects.exists()


def test_message_is_sent_when_the_transaction_commits_and_not_without_it(
    django_capture_on_commit_callbacks,
):
    hook()
    with django_capture_on_commit_callbacks() as callbacks:
        announce(Kind.LIST, make_payload)
    assert len(callbacks) == 1
    assert Job.objects.get(kind=FAN_OUT).state == "queued"


def attempt_all(webhook: Webhook) -> list[timedelta]:
    """Run all jobs of one message when they are due; return the delays."""
    waits = []
    delivery = WebhookDelivery.objects.get(webhook=webhook)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        while job := Job.objects.filter(kind=DELIVER, state="queued").first():
            waits.append(job.run_after - timezone.now())
            clock.move_to(max(job.run_after, timezone.now()))
            perform(claim(job.pk))
        delivery.refresh_from_db()
    return waits


def test_failed_message_is_tried_again_ever_later_and_given_up(settings):
    settings.WEBHOOK_PATIENCE_DAYS = 30
    with running_receiver(
        WebhookReceiver(status=503, answer=b"later \x00please")
    ) as receiver:
        webhook = hook(receiver.url)
        announce_and_fan_out(make_payload)
        waits = attempt_all(webhook)
    assert waits[1:] == list(RETRY_DELAYS)
    assert len({headers["webhook-id"] for headers, _ in receiver.requests}) == 1
    assert len(receiver.requests) == 1 + len(RETRY_DELAYS)
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.status, delivery.answer) == (
        "given_up",
        503,
        "later please",
    )
    webhook.refresh_from_db()
    assert webhook.is_active
    assert webhook.failing_since is not None


def test_delivery_after_failures_makes_the_webhook_well():
    with running_receiver(WebhookReceiver(status=500)) as receiver:
        webhook = hook(receiver.url)
        announce_and_fan_out(make_payload)
        run_due_jobs()
        webhook.refresh_from_db()
        assert webhook.failing_since is not None
        receiver.status = 202
        Job.objects.filter(state="queued").update(run_after=timezone.now())
        run_due_jobs()
    webhook.refresh_from_db()
    assert webhook.failing_since is None
    assert WebhookDelivery.objects.get().attempts == 2


def test_webhook_that_fails_for_days_is_switched_off_and_its_owner_told():
    webhook = hook()
    Webhook.objects.filter(pk=webhook.pk).update(
        failing_since=timezone.now() - timedelta(days=6)
    )
    announce_and_fan_out(make_payload)
    run_due_jobs()
    webhook.refresh_from_db()
    assert not webhook.is_active
    assert webhook.switched_off_at is not None
    assert WebhookDelivery.objects.get().state == "given_up"
    [message] = mail.outbox
    assert message.to == ["owner@example.org"]
    assert webhook.url in message.body
    assert f"/account/webhooks/{webhook.pk}/" in message.body
    assert AuditEntry.objects.filter(action="webhook.switched_off").count() == 1
    announce_and_fan_out(make_payload)
    assert WebhookDelivery.objects.count() == 1


def test_waiting_messages_of_a_webhook_that_was_switched_off_are_not_sent():
    with running_receiver(WebhookReceiver()) as receiver:
        webhook = hook(receiver.url)
        announce_and_fan_out(make_payload)
        Webhook.objects.filter(pk=webhook.pk).update(is_active=False)
        run_due_jobs()
    assert receiver.requests == []
    assert WebhookDelivery.objects.get().state == "given_up"


def test_waiting_messages_of_a_closed_account_are_not_sent():
    with running_receiver(WebhookReceiver()) as receiver:
        webhook = hook(receiver.url)
        announce_and_fan_out(make_payload)
        User.objects.filter(pk=webhook.owner_id).update(is_active=False)
        run_due_jobs()
    assert receiver.requests == []
    assert WebhookDelivery.objects.get().answer == ("The webhook’s account is closed.")


def test_deleted_webhook_gets_nothing_more():
    with running_receiver(WebhookReceiver()) as receiver:
        webhook = hook(receiver.url)
        announce_and_fan_out(make_payload)
        delete_webhook(webhook=webhook, actor=webhook.owner)
        run_due_jobs()
    assert receiver.requests == []
    assert Job.objects.get(kind=DELIVER).state == "done"


def test_job_that_runs_twice_delivers_once():
    with running_receiver(WebhookReceiver()) as receiver:
        hook(receiver.url)
        announce_and_fan_out(make_payload)
        run_due_jobs()
        delivery = WebhookDelivery.objects.get()
        enqueue(DELIVER, key="again", args={"delivery": delivery.pk})
        run_due_jobs()
    assert len(receiver.requests) == 1


def test_given_up_message_is_sent_again_on_demand():
    with running_receiver(WebhookReceiver()) as receiver:
        hook(receiver.url)
        announce_and_fan_out(make_payload)
        WebhookDelivery.objects.update(state="given_up", attempts=9)
        Job.objects.all().delete()
        send_again(delivery=WebhookDelivery.objects.get())
        run_due_jobs()
    assert len(receiver.requests) == 1
    assert WebhookDelivery.objects.get().state == "delivered"
    with pytest.raises(WebhookRefused, match="Only failed messages can be sent again"):
        send_again(delivery=WebhookDelivery.objects.get())


def test_new_secret_signs_and_the_old_one_does_not():
    with running_receiver(WebhookReceiver()) as receiver:
        webhook = hook(receiver.url)
        old = secret_of(webhook)
        rotate_secret(webhook=webhook, actor=webhook.owner)
        send_ping(webhook=webhook)
        run_due_jobs()
    [(headers, body)] = receiver.requests
    assert json.loads(body)["type"] == "ping"
    assert verified(headers, body, secret_of(webhook))
    assert not verified(headers, body, old)


def test_secret_is_nowhere_in_the_database_and_needs_the_office_key(settings):
    webhook = hook()
    secret = secret_of(webhook)
    kept = str(Webhook.objects.values().get()) + str(list(AuditEntry.objects.values()))
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    assert secret not in kept
    settings.SECRET_KEY = "another"
    assert secret_of(webhook) != secret


def test_one_test_message_at_a_time():
    webhook = hook()
    send_ping(webhook=webhook)
    with pytest.raises(WebhookRefused, match="A test message is already being sent"):
        send_ping(webhook=webhook)


def test_account_sends_so_many_by_hand_and_no_more():
    """The limit is per account: adding or deleting webhooks does not change it."""
    owner = make_user()
    webhook = hook(owner=owner)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(MAX_MANUAL_SENDS):
            send_ping(webhook=webhook)
            WebhookDelivery.objects.update(state="given_up")
        with pytest.raises(WebhookRefused, match="30 messages per hour"):
            send_again(delivery=WebhookDelivery.objects.first())
        delete_webhook(webhook=webhook, actor=owner)
        another = hook("http://127.0.0.1:9/another", owner=owner)
        with pytest.raises(WebhookRefused, match="30 messages per hour"):
            send_ping(webhook=another)
        send_ping(webhook=hook("http://127.0.0.1:9/theirs", owner=make_user()))
        clock.shift(timedelta(hours=1))
        send_ping(webhook=another)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_slow_receivers_of_an_account_hold_one_worker_only():
    """Three webhooks of one account and one of another, each with a worker."""
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    with (
        running_receiver(WebhookReceiver(status=200, release=Event())) as slow,
        running_receiver(WebhookReceiver(status=200)) as quick,
    ):
        owner = make_user()
        for number in range(3):
            hook(f"{slow.url}&number={number}", owner=owner)
        hook(quick.url)
        announce_and_fan_out(make_payload)
        jobs = list(Job.objects.filter(kind=DELIVER).order_by("pk"))

        def others() -> None:
            wait_for(lambda: slow.requests, 10)
            for job in jobs[1:]:
                perform(claim(job.pk))
            slow.release.set()

        run_concurrently(lambda: perform(claim(jobs[0].pk)), others)
        assert (len(slow.requests), len(quick.requests)) == (1, 1)
        left = Job.objects.filter(state="queued")
        assert [(job.attempts, job.busy_since) for job in left] == [(0, None)] * 2
        left.update(run_after=timezone.now())
        run_due_jobs()
        assert (len(slow.requests), len(quick.requests)) == (3, 1)
    found = WebhookDelivery.objects.values_list("state", "attempts")
    assert list(found) == [("delivered", 1)] * 4


def test_off_webhook_is_not_tried_until_it_is_switched_on():
    webhook = hook()
    Webhook.objects.update(is_active=False, switched_off_at=timezone.now())
    with pytest.raises(WebhookRefused, match="This webhook is off"):
        send_ping(webhook=webhook)
    switch_on(webhook=webhook, actor=webhook.owner)
    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.switched_off_at) == (True, None)
    send_ping(webhook=webhook)


def test_same_address_twice_and_too_many_are_refused():
    owner = make_user()
    for number in range(MAX_WEBHOOKS):
        hook(f"http://127.0.0.1:9/{number}", owner=owner)
    with pytest.raises(WebhookRefused, match="You already have a webhook for this URL"):
        hook("http://127.0.0.1:9/0", owner=owner)
    with pytest.raises(WebhookRefused, match="Each account can have up to 10 webhooks"):
        hook("http://127.0.0.1:9/one-more", owner=owner)
    assert Webhook.objects.count() == MAX_WEBHOOKS


def test_private_address_is_refused_in_production(settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = False
    with pytest.raises(WebhookRefused, match="not on the public internet"):
        hook("https://10.0.0.1/")
    assert not Webhook.objects.exists()


def test_messages_are_forgotten_after_a_month():
    hook()
    announce_and_fan_out(make_payload)
    announce_and_fan_out(make_payload)
    old, new = WebhookDelivery.objects.order_by("pk")
    WebhookDelivery.objects.filter(pk=old.pk).update(
        created_at=timezone.now() - timedelta(days=31)
    )
    job = enqueue(FORGET, key="2024-05-04")
    perform(claim(job.pk))
    assert list(WebhookDelivery.objects.all()) == [new]


def webhooks_of(owner: User, number: int) -> list[Webhook]:
    return Webhook.objects.bulk_create(
        Webhook(
            owner=owner,
            url=f"http://127.0.0.1:9/{one}",
            kinds=[Kind.LIST],
            salt=f"{owner.pk}:{one}",
        )
        for one in range(number)
    )


@pytest.mark.parametrize("number", [1, 200])
def test_announcing_takes_the_same_queries_for_any_number_of_webhooks(
    django_assert_num_queries, django_assert_max_num_queries, number
):
    webhooks_of(make_user(), number)
    with django_assert_num_queries(
        5
    ):  # the subscribers are read, and one job is queued
        announce(Kind.LIST, make_payload, make_payload)
    job = claim(Job.objects.get(kind=FAN_OUT).pk)
    with django_assert_max_num_queries(20):
        perform(job)
    assert WebhookDelivery.objects.count() == 2 * number
    assert Job.objects.filter(kind=DELIVER, state="queued").count() == 2 * number
    bodies = WebhookDelivery.objects.values_list("body", flat=True)
    assert len(set(bodies)) == 1


def test_job_that_makes_messages_makes_them_once():
    hook()
    announce(Kind.LIST, make_payload)
    first, second = (claim(Job.objects.get(kind=FAN_OUT).pk) for _ in range(2))
    assert second is None
    perform(first)
    Job.objects.filter(kind=FAN_OUT).update(state="queued")
    perform(first)  # it was declared dead, and ends late
    assert WebhookDelivery.objects.count() == 1


def test_account_with_many_waiting_messages_gets_no_more():
    full, other = make_user(), make_user()
    [silent], [quick] = webhooks_of(full, 1), webhooks_of(other, 1)
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(webhook=silent, message_id=f"msg_{one}", kind=Kind.LIST)
        for one in range(MAX_WAITING - 1)
    )
    announce_and_fan_out(make_payload)
    announce_and_fan_out(make_payload)
    assert silent.deliveries.count() == MAX_WAITING
    assert quick.deliveries.count() == 2


def test_office_has_so_many_active_webhooks_at_most(settings):
    settings.MOST_WEBHOOKS_IN_ALL = 2
    off, _ = hook("http://127.0.0.1:9/a"), hook("http://127.0.0.1:9/b")
    with pytest.raises(WebhookRefused):
        hook("http://127.0.0.1:9/c")
    Webhook.objects.filter(pk=off.pk).update(is_active=False)
    off.refresh_from_db()
    hook("http://127.0.0.1:9/d")
    with pytest.raises(WebhookRefused):
        switch_on(webhook=off, actor=off.owner)
    assert Webhook.objects.filter(is_active=True).count() == 2
