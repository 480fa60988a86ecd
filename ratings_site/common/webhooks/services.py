"""Webhooks: programs of account holders that are told what happens in the office.

Code that makes something public calls :func:`announce` in the transaction of the act.
A message is a row of its own; a job sends it, and another one later if the receiver
does not take it. It may arrive twice, under the same ``webhook-id``.

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
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import alone_at
from ratings_site.common.jobs.lanes import WEBHOOKS
from ratings_site.common.jobs.nightly import every_night
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles
from ratings_site.common.models import User, Webhook, WebhookDelivery
from ratings_site.common.notices.services import Kind, News, notify, register
from ratings_site.common.webhooks.outbound import (
    Answer,
    Unreachable,
    post,
    why_not_address,
)

DELIVER = "common.deliver_webhook"
FORGET = every_night("common.forget_webhook_messages")
PING = "ping"
SECRET_PREFIX = "whsec_"  # noqa: S105 (what every secret begins with)

MOST_WEBHOOKS = 10
# Test messages and messages sent again, of an account within an hour.
MOST_BY_HAND = 30
# After the first attempt the next ones wait so long: together some three days.
WAITS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 300, 600, 1200, 1440)
)
# So long people can look up what was sent.
KEPT = timedelta(days=30)

State = WebhookDelivery.State

SWITCHED_OFF = register(
    Kind(
        "common.webhook",
        gettext_lazy("Your webhooks"),
        gettext_lazy("One of your webhooks was switched off because nobody answered."),
    )
)


class WebhookRefused(Refusal):
    """This webhook cannot be had or used like this; the message says why."""


# What happens


def announce(kind: str, *says: Callable[[], dict[str, Any] | None]) -> None:
    """Tell every webhook that asked for this *kind* what each of *says* returns.

    What is told has to be public already. It is only put together if somebody listens,
    and nothing is told where it is None.
    """
    active = Webhook.objects.filter(is_active=True, owner__is_active=True)
    listening = [webhook for webhook in active if kind in webhook.kinds] if says else []
    for data in [say() for say in says if listening]:
        if data is not None:
            for webhook in listening:
                _queue(webhook, kind, data)


def site_address(path: str) -> str:
    """Return the whole address of a page, for messages that leave the office."""
    return f"{settings.SITE_URL}{path}"


def _queue(webhook: Webhook, kind: str, data: dict[str, Any]) -> WebhookDelivery:
    moment = timezone.now().isoformat(timespec="seconds")
    message = {"type": kind, "timestamp": moment, "data": data}
    delivery = WebhookDelivery.objects.create(
        webhook=webhook,
        message_id=f"msg_{uuid4().hex}",
        kind=kind,
        body=json.dumps(message, ensure_ascii=False),
    )
    _enqueue(delivery)
    return delivery


def _enqueue(delivery: WebhookDelivery, wait: timedelta = timedelta(0)) -> None:
    """Each attempt is a job of its own, so a later one can be queued by the earlier."""
    enqueue(
        DELIVER,
        key=f"{delivery.pk}:{delivery.attempts + 1}",
        args={"delivery": delivery.pk},
        wait=wait,
    )


# Signing


def secret_of(webhook: Webhook) -> str:
    """Return the secret as its owner is shown it."""
    return SECRET_PREFIX + base64.b64encode(_key(webhook)).decode()


def _key(webhook: Webhook) -> bytes:
    return salted_hmac("webhook secret", webhook.salt, algorithm="sha256").digest()


def signed_headers(delivery: WebhookDelivery, now: datetime) -> dict[str, str]:
    """Return the headers of a message that is sent *now*."""
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


@handles(DELIVER, lane=WEBHOOKS)
def deliver(job: ClaimedJob) -> None:
    """Send one message; whatever comes of it, the attempt is written down once."""
    delivery = (
        WebhookDelivery.objects.select_related("webhook__owner")
        .filter(pk=job.args["delivery"], state=State.WAITING)
        .first()
    )
    if delivery is None:
        return
    owner = delivery.webhook.owner_id
    # A receiver may take its time, but not that of all workers.
    with alone_at(f"webhooks of {owner}") as is_alone:
        if not is_alone:
            job.put_off(_turn(owner))
            return
        answer = _answer_to(delivery)
    with job.commit():
        webhook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id)
        delivery.webhook = webhook.first()
        if delivery.webhook is not None:  # it may have been deleted meanwhile
            _note(delivery, answer)


def _turn(owner: int) -> timedelta:
    """Return when a message should be looked at again that waits behind another.

    The more wait, the later, so that looking keeps no worker busy.
    """
    waiting = WebhookDelivery.objects.filter(
        webhook__owner=owner, state=State.WAITING, next_try_at=None
    )
    return timedelta(seconds=2 + waiting.count() / 20)


def _answer_to(delivery: WebhookDelivery) -> Answer:
    if not delivery.webhook.is_active:
        return Answer(0, _("The webhook was switched off."))
    if not delivery.webhook.owner.is_active:
        return Answer(0, _("The account of the webhook is closed."))
    headers = signed_headers(delivery, timezone.now())
    try:
        return post(delivery.webhook.url, body=delivery.body.encode(), headers=headers)
    except Unreachable as problem:
        return Answer(0, str(problem))


def _note(delivery: WebhookDelivery, answer: Answer) -> None:
    now = timezone.now()
    delivery.tried_at = now
    delivery.status, delivery.answer = answer.status or None, _text(answer.beginning)
    delivery.attempts += 1
    delivery.next_try_at = None
    if answer.is_good:
        delivery.state = State.DELIVERED
        delivery.webhook.failing_since = None
        delivery.webhook.save(update_fields=["failing_since"])
    else:
        _try_later(delivery, now)
    delivery.save()


def _text(beginning: str) -> str:
    return beginning.replace("\x00", "")[:500]


def _try_later(delivery: WebhookDelivery, now: datetime) -> None:
    webhook = delivery.webhook
    if webhook.failing_since is None:
        webhook.failing_since = now
        webhook.save(update_fields=["failing_since"])
    patience = timedelta(days=settings.WEBHOOK_PATIENCE_DAYS)
    if webhook.is_active and now - webhook.failing_since > patience:
        _switch_off(webhook, now)
    if not webhook.is_active or delivery.attempts > len(WAITS):
        delivery.state = State.GIVEN_UP
        return
    wait = WAITS[delivery.attempts - 1]
    delivery.next_try_at = now + wait
    _enqueue(delivery, wait)


def _switch_off(webhook: Webhook, now: datetime) -> None:
    """Stop sending to a receiver that has failed for days, and tell the owner."""
    webhook.is_active, webhook.switched_off_at = False, now
    webhook.save(update_fields=["is_active", "switched_off_at"])
    record("webhook.switched_off", subject=webhook, actor=None)
    notify(
        [
            News(
                kind=SWITCHED_OFF,
                account=webhook.owner_id,
                key=f"webhook:{webhook.pk}:{now.isoformat()}",
                url=webhook.get_absolute_url(),
                write=lambda: _switched_off(webhook),
            )
        ]
    )


def _switched_off(webhook: Webhook) -> tuple[str, str]:
    text = _(
        "{address} has not taken our messages for {days} days, so no more are sent "
        "there. When it answers again, switch the webhook on at the address below."
    )
    values = {"address": webhook.url, "days": settings.WEBHOOK_PATIENCE_DAYS}
    return _("Your webhook was switched off"), text.format(**values)


@handles(FORGET)
def forget_old_messages(job: ClaimedJob) -> None:
    old = WebhookDelivery.objects.filter(created_at__lt=timezone.now() - KEPT)
    with job.commit():
        old.delete()


# What their owners do


def add_webhook(*, owner: User, url: str, kinds: list[str]) -> Webhook:
    """Have *url* told of these *kinds* of happenings."""
    if problem := why_not_address(url):
        raise WebhookRefused(problem)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)
        theirs = Webhook.objects.filter(owner=owner)
        if theirs.filter(url=url).exists():
            raise WebhookRefused(_("You have a webhook for this address."))
        if theirs.count() >= MOST_WEBHOOKS:
            raise WebhookRefused(
                _("An account has {most} webhooks at most. Delete one first.").format(
                    most=MOST_WEBHOOKS
                )
            )
        webhook = Webhook.objects.create(
            owner=owner, url=url, kinds=sorted(kinds), salt=_new_salt()
        )
        record("webhook.added", subject=webhook, actor=owner, facts={"kinds": kinds})
    return webhook


def rotate_secret(*, webhook: Webhook, actor: User) -> Webhook:
    """Give the webhook another secret; the old one signs nothing from now on."""
    with transaction.atomic():
        webhook.salt = _new_salt()
        webhook.save(update_fields=["salt"])
        record("webhook.secret_rotated", subject=webhook, actor=actor)
    return webhook


def switch_on(*, webhook: Webhook, actor: User) -> Webhook:
    """Send to the webhook again, after it was switched off."""
    with transaction.atomic():
        webhook.is_active, webhook.switched_off_at = True, None
        webhook.failing_since = None
        webhook.save(update_fields=["is_active", "switched_off_at", "failing_since"])
        record("webhook.switched_on", subject=webhook, actor=actor)
    return webhook


def send_ping(*, webhook: Webhook) -> WebhookDelivery:
    """Send a message that says nothing, to try the receiver out."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().get(pk=webhook.pk)
        if not webhook.is_active:
            raise WebhookRefused(_("This webhook is off. Switch it on first."))
        if webhook.deliveries.filter(kind=PING, state=State.WAITING).exists():
            raise WebhookRefused(_("A test message is on its way already."))
        _count_by_hand(webhook.owner_id)
        return _queue(webhook, PING, {"webhook": webhook.pk})


def send_again(*, delivery: WebhookDelivery) -> WebhookDelivery:
    """Send a message once more that was given up."""
    with transaction.atomic():
        delivery = WebhookDelivery.objects.select_for_update().get(pk=delivery.pk)
        if delivery.state != State.GIVEN_UP:
            raise WebhookRefused(_("Only a message that was given up is sent again."))
        if not delivery.webhook.is_active:
            raise WebhookRefused(_("This webhook is off. Switch it on first."))
        _count_by_hand(delivery.webhook.owner_id)
        delivery.state = State.WAITING
        delivery.save(update_fields=["state"])
        _enqueue(delivery)
    return delivery


def _count_by_hand(owner: int) -> None:
    """Count what an account has sent by hand in this hour; refuse too much of it.

    Counted apart from the messages, which go with their webhook.
    """
    User.objects.select_for_update().get(pk=owner)
    hour = int(timezone.now().timestamp()) // 3600
    key = f"webhooks-by-hand:{owner}:{hour}"
    sent = cache.get(key, 0)
    if sent >= MOST_BY_HAND:
        raise WebhookRefused(
            _(
                "An account sends {most} messages by hand within an hour at most. Try "
                "again when the next hour begins."
            ).format(most=MOST_BY_HAND)
        )
    cache.set(key, sent + 1, 3600)


def delete_webhook(*, webhook: Webhook, actor: User) -> None:
    with transaction.atomic():
        record("webhook.deleted", subject=webhook, actor=actor)
        webhook.delete()


def _new_salt() -> str:
    return secrets.token_hex(16)
