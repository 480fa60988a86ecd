"""Webhooks: messages to the programs of account holders.

Code that publishes something calls :func:`announce` in the same transaction. Each
message is a row. A job sends it, and another retries it if the receiver does not accept
it. It may arrive twice, with the same ``webhook-id``.

Messages are signed as Standard Webhooks describes: HMAC-SHA256 with the webhook's
secret over ``id.timestamp.body``.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import try_lock
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.queues import WEBHOOKS
from ratings_site.common.jobs.services import (
    BATCH,
    ClaimedJob,
    enqueue,
    enqueue_all,
    handles,
)
from ratings_site.common.models import User, Webhook, WebhookDelivery
from ratings_site.common.notices.services import NoticeDraft, notify, register
from ratings_site.common.webhooks.outbound import Answer, Unreachable, post, url_problem

FAN_OUT = "common.fan_out_webhooks"
DELIVER = "common.deliver_webhook"
FORGET = register_nightly("common.forget_webhook_messages")
PING = "ping"
SECRET_PREFIX = "whsec_"  # noqa: S105 (what every secret begins with)

MAX_WEBHOOKS = 10
# The most pending messages of an account; further ones are dropped.
MAX_WAITING = 1_000
# Test messages and manual retries of an account per hour.
MAX_MANUAL_SENDS = 30
# Delays between attempts, about three days in total.
RETRY_DELAYS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 300, 600, 1200, 1440)
)
# How long messages are kept.
RETENTION = timedelta(days=30)

State = WebhookDelivery.State

SWITCHED_OFF = register(
    "common.webhook",
    _("Your webhooks"),
    _("One of your webhooks was turned off because it stopped responding."),
)


class WebhookRefused(Refusal):
    """The action on a webhook is refused; the message says why."""


# Messages


def announce(
    kind: str, *says: Callable[[], dict[str, Any] | None], owner: int | None = None
) -> None:
    """Send what each of *says* returns to all webhooks subscribed to this *kind*.

    The data must be public already, unless they go to the webhooks of one *owner*. They
    are computed only if a webhook is subscribed, and None is skipped. A job creates the
    messages, so the caller takes equally long for one webhook and for thousands.
    """
    if not says:
        return
    webhooks = _active_webhooks(owner)
    asked = webhooks.order_by().values_list("kinds", flat=True).distinct()
    if not any(kind in kinds for kinds in asked):
        return
    moment = timezone.now()
    bodies = [_body(kind, data, moment) for say in says if (data := say()) is not None]
    if bodies:
        enqueue(
            FAN_OUT,
            key=uuid4().hex,
            args={"kind": kind, "bodies": bodies, "owner": owner},
        )


@handles(FAN_OUT, queue=WEBHOOKS)
def fan_out(job: ClaimedJob) -> None:
    """Create and queue a message of each body for each subscribed webhook.

    An account with too many pending messages gets no more.
    """
    kind = job.args["kind"]
    with job.commit():
        full = _accounts_over_limit()
        webhooks = [
            webhook
            for webhook in _active_webhooks(job.args.get("owner")).exclude(
                owner__in=full
            )
            if kind in webhook.kinds
        ]
        deliveries = WebhookDelivery.objects.bulk_create(
            [
                _delivery(webhook, kind, body)
                for body in job.args["bodies"]
                for webhook in webhooks
            ],
            batch_size=BATCH,
        )
        enqueue_all(
            DELIVER,
            {_job_key(delivery): {"delivery": delivery.pk} for delivery in deliveries},
        )


def _active_webhooks(owner: int | None = None) -> QuerySet[Webhook]:
    """Return all active webhooks, or those of one account."""
    active = Webhook.objects.filter(is_active=True, owner__is_active=True)
    return active if owner is None else active.filter(owner=owner)


def _accounts_over_limit() -> list[int]:
    waiting = WebhookDelivery.objects.filter(state=State.WAITING).order_by()
    counted = waiting.values("webhook__owner").annotate(number=Count("pk"))
    full = counted.filter(number__gte=MAX_WAITING)
    return list(full.values_list("webhook__owner", flat=True))


def absolute_url(path: str) -> str:
    """Return the absolute URL of a path, for messages."""
    return f"{settings.SITE_URL}{path}"


def _body(kind: str, data: dict[str, Any], moment: datetime) -> str:
    timestamp = moment.isoformat(timespec="seconds")
    message = {"type": kind, "timestamp": timestamp, "data": data}
    return json.dumps(message, ensure_ascii=False)


def _delivery(webhook: Webhook, kind: str, body: str) -> WebhookDelivery:
    message_id = f"msg_{uuid4().hex}"
    return WebhookDelivery(webhook=webhook, message_id=message_id, kind=kind, body=body)


def _enqueue(delivery: WebhookDelivery, wait: timedelta = timedelta(0)) -> None:
    """Queue a job for the next attempt; each attempt has its own job."""
    args = {"delivery": delivery.pk}
    enqueue(DELIVER, key=_job_key(delivery), args=args, wait=wait)


def _job_key(delivery: WebhookDelivery) -> str:
    return f"{delivery.pk}:{delivery.attempts + 1}"


# Signing


def secret_of(webhook: Webhook) -> str:
    """Return the secret in the form its owner sees."""
    return SECRET_PREFIX + base64.b64encode(_key(webhook)).decode()


def _key(webhook: Webhook) -> bytes:
    return salted_hmac("webhook secret", webhook.salt, algorithm="sha256").digest()


def signed_headers(delivery: WebhookDelivery, now: datetime) -> dict[str, str]:
    """Return the headers of a message sent *now*."""
    timestamp = str(int(now.timestamp()))
    signed = f"{delivery.message_id}.{timestamp}.{delivery.body}".encode()
    digest = hmac.new(_key(delivery.webhook), signed, hashlib.sha256).digest()
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "ratings-office-webhooks/1",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


# Sending


@handles(DELIVER, queue=WEBHOOKS)
def deliver(job: ClaimedJob) -> None:
    """Send one message; record the attempt once, whatever the result."""
    waiting = WebhookDelivery.objects.filter(state=State.WAITING)
    related = waiting.select_related("webhook__owner")
    delivery = related.filter(pk=job.args["delivery"]).first()
    if delivery is None:
        return
    owner = delivery.webhook.owner_id
    # One message per account at a time: a slow receiver must not block all workers.
    with try_lock(f"webhooks of {owner}") as is_alone:
        if not is_alone:
            job.reschedule(_retry_delay(owner))
            return
        answer = _answer_to(delivery)
    with job.commit():
        found = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id)
        if webhook := found.first():  # it may have been deleted meanwhile
            delivery.webhook = webhook
            _record_attempt(delivery, answer)


def _retry_delay(owner: int) -> timedelta:
    """Return the delay of a message that waits behind another of its account.

    It grows with the number of pending messages, to limit the load of rescheduling.
    """
    waiting = WebhookDelivery.objects.filter(
        webhook__owner=owner, state=State.WAITING, next_try_at=None
    )
    return timedelta(seconds=2 + waiting.count() / 20)


def _answer_to(delivery: WebhookDelivery) -> Answer:
    if not delivery.webhook.is_active:
        return Answer(0, gettext("The webhook was turned off."))
    if not delivery.webhook.owner.is_active:
        return Answer(0, gettext("The webhook’s account is closed."))
    headers = signed_headers(delivery, timezone.now())
    try:
        return post(delivery.webhook.url, body=delivery.body.encode(), headers=headers)
    except Unreachable as problem:
        return Answer(0, str(problem))


def _record_attempt(delivery: WebhookDelivery, answer: Answer) -> None:
    now = timezone.now()
    delivery.tried_at = now
    delivery.status = answer.status or None
    delivery.answer = answer.beginning.replace("\x00", "")[:500]
    delivery.attempts += 1
    delivery.next_try_at = None
    if answer.is_good:
        delivery.state = State.DELIVERED
        delivery.webhook.failing_since = None
        delivery.webhook.save(update_fields=["failing_since"])
    else:
        _try_later(delivery, now)
    delivery.save()


def _try_later(delivery: WebhookDelivery, now: datetime) -> None:
    webhook = delivery.webhook
    if webhook.failing_since is None:
        webhook.failing_since = now
        webhook.save(update_fields=["failing_since"])
    patience = timedelta(days=settings.WEBHOOK_PATIENCE_DAYS)
    if webhook.is_active and now - webhook.failing_since > patience:
        _switch_off(webhook, now)
    if not webhook.is_active or delivery.attempts > len(RETRY_DELAYS):
        delivery.state = State.GIVEN_UP
        return
    wait = RETRY_DELAYS[delivery.attempts - 1]
    delivery.next_try_at = now + wait
    _enqueue(delivery, wait)


def _switch_off(webhook: Webhook, now: datetime) -> None:
    """Turn a webhook off whose receiver has failed for days; notify the owner."""
    webhook.is_active, webhook.switched_off_at = False, now
    webhook.save(update_fields=["is_active", "switched_off_at"])
    record("webhook.switched_off", subject=webhook, actor=None)
    draft = NoticeDraft(
        kind=SWITCHED_OFF,
        account=webhook.owner_id,
        key=f"webhook:{webhook.pk}:{now.isoformat()}",
        url=webhook.get_absolute_url(),
        write=lambda: _switched_off(webhook),
    )
    notify([draft])


def _switched_off(webhook: Webhook) -> tuple[str, str]:
    text = gettext(
        "{address} has not accepted our messages for {days} days, so we stopped "
        "sending them. When it works again, turn the webhook on at the link below."
    )
    values = {"address": webhook.url, "days": settings.WEBHOOK_PATIENCE_DAYS}
    return gettext("Your webhook was turned off"), text.format(**values)


@handles(FORGET)
def forget_old_messages(job: ClaimedJob) -> None:
    old = WebhookDelivery.objects.filter(created_at__lt=timezone.now() - RETENTION)
    with job.commit():
        old.delete()


# Actions of owners


def add_webhook(*, owner: User, url: str, kinds: list[str]) -> Webhook:
    """Subscribe *url* to these *kinds* of messages."""
    if problem := url_problem(url):
        raise WebhookRefused(problem)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)
        theirs = Webhook.objects.filter(owner=owner)
        if theirs.filter(url=url).exists():
            raise WebhookRefused(gettext("You already have a webhook for this URL."))
        if theirs.count() >= MAX_WEBHOOKS:
            raise WebhookRefused(
                gettext(
                    "Each account can have up to {most} webhooks. Delete one first."
                ).format(most=MAX_WEBHOOKS)
            )
        _check_total_limit()
        webhook = Webhook.objects.create(
            owner=owner, url=url, kinds=sorted(kinds), salt=_new_salt()
        )
        record("webhook.added", subject=webhook, actor=owner, facts={"kinds": kinds})
    return webhook


def rotate_secret(*, webhook: Webhook, actor: User) -> Webhook:
    """Give the webhook a new secret, effective at once."""
    with transaction.atomic():
        webhook.salt = _new_salt()
        webhook.save(update_fields=["salt"])
        record("webhook.secret_rotated", subject=webhook, actor=actor)
    return webhook


def _check_total_limit() -> None:
    if _active_webhooks().count() >= settings.MOST_WEBHOOKS_IN_ALL:
        raise WebhookRefused(
            gettext(
                "The ratings office has reached its limit of webhooks. Contact the "
                "office, or use the API instead."
            )
        )


def switch_on(*, webhook: Webhook, actor: User) -> Webhook:
    """Turn the webhook on again."""
    with transaction.atomic():
        if not webhook.is_active:
            _check_total_limit()
        webhook.is_active, webhook.switched_off_at = True, None
        webhook.failing_since = None
        webhook.save(update_fields=["is_active", "switched_off_at", "failing_since"])
        record("webhook.switched_on", subject=webhook, actor=actor)
    return webhook


def send_ping(*, webhook: Webhook) -> WebhookDelivery:
    """Send a test message."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().get(pk=webhook.pk)
        if not webhook.is_active:
            raise WebhookRefused(gettext("This webhook is off. Turn it on first."))
        if webhook.deliveries.filter(kind=PING, state=State.WAITING).exists():
            raise WebhookRefused(gettext("A test message is already being sent."))
        _limit_manual_sends(webhook.owner_id)
        body = _body(PING, {"webhook": webhook.pk}, timezone.now())
        delivery = _delivery(webhook, PING, body)
        delivery.save()
        _enqueue(delivery)
    return delivery


def send_again(*, delivery: WebhookDelivery) -> WebhookDelivery:
    """Send a failed message again."""
    with transaction.atomic():
        delivery = WebhookDelivery.objects.select_for_update().get(pk=delivery.pk)
        if delivery.state != State.GIVEN_UP:
            raise WebhookRefused(gettext("Only failed messages can be sent again."))
        if not delivery.webhook.is_active:
            raise WebhookRefused(gettext("This webhook is off. Turn it on first."))
        _limit_manual_sends(delivery.webhook.owner_id)
        delivery.state = State.WAITING
        delivery.save(update_fields=["state"])
        _enqueue(delivery)
    return delivery


def _limit_manual_sends(owner: int) -> None:
    """Limit the manual sends of an account per hour.

    The count is in the cache, because messages are deleted with their webhook.
    """
    User.objects.select_for_update().get(pk=owner)
    hour = int(timezone.now().timestamp()) // 3600
    key = f"webhooks-by-hand:{owner}:{hour}"
    sent = cache.get(key, 0)
    if sent >= MAX_MANUAL_SENDS:
        raise WebhookRefused(
            gettext(
                "You can send up to {most} messages per hour. Try again in the "
                "next hour."
            ).format(most=MAX_MANUAL_SENDS)
        )
    cache.set(key, sent + 1, 3600)


def delete_webhook(*, webhook: Webhook, actor: User) -> None:
    with transaction.atomic():
        record("webhook.deleted", subject=webhook, actor=actor)
        webhook.delete()


def _new_salt() -> str:
    return secrets.token_hex(16)
