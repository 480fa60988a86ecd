"""API keys and their daily quotas.

Requests are counted in the database, so all machines share the count.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.dispatch import receiver
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import (
    ApiKey,
    ApiKeyUse,
    ApiUse,
    ProgramAccess,
    User,
)
from ratings_site.common.programs.queries import find_access
from ratings_site.common.sign_in.services import PASSWORD_SIGNALS

MAX_KEYS = 10
KEY_PREFIX = "ro_"
PREFIX_LENGTH = 9
# The owner of a membership system's key needs this permission.
FEED_PERMISSION = "players.take_in"

COUNT_SQL = """
INSERT INTO common_apiuse (day, who, requests) VALUES (%s, %s, %s)
ON CONFLICT (day, who)
DO UPDATE SET requests = common_apiuse.requests + excluded.requests
RETURNING requests
"""


@dataclass(frozen=True, slots=True)
class Quota:
    """A daily quota and its use, including this request."""

    limit: int
    used: int
    resets_in: int

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)

    @property
    def is_exhausted(self) -> bool:
        return self.used > self.limit


@dataclass(frozen=True, slots=True)
class ApiUsage:
    """An operation that a request used, and the parameters and fields it sent.

    *ends* has the last day of what is deprecated: of the operation, of its parameters
    as "operation?name", and of fields of its answer as "Schema.field".
    """

    operation: str
    names: frozenset[str]
    ends: Mapping[str, date]


# Keys


def active_keys(owner: User) -> QuerySet[ApiKey]:
    """Return the keys that are not revoked, the newest first."""
    return owner.api_keys.filter(revoked_at=None).prefetch_related("uses")


def create_key(
    *, owner: User, name: str, may_submit: bool, may_feed: bool = False
) -> tuple[ApiKey, str]:
    """Create a key; return it and its text, which is not stored.

    With *may_feed* it can update members and nothing else.
    """
    if may_feed:
        require_permission(owner, FEED_PERMISSION)
    if may_feed and may_submit:
        raise Refusal(
            _(
                "A membership system key can’t have other permissions. "
                "Create a separate key."
            )
        )
    text = KEY_PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)
        if active_keys(owner).count() >= MAX_KEYS:
            raise Refusal(
                _(
                    "You already have {most} keys. Revoke one that you no longer use."
                ).format(most=MAX_KEYS)
            )
        key = ApiKey.objects.create(
            owner=owner,
            name=name,
            prefix=text[:PREFIX_LENGTH],
            digest=_digest(text),
            may_submit=may_submit,
            may_feed=may_feed,
            daily_quota=settings.API_QUOTA_WITH_KEY,
        )
        facts = {"may_submit": may_submit, "may_feed": may_feed}
        record("api_key.made", subject=key, actor=owner, facts=facts)
    return key, text


def revoke_key(*, key_id: int, actor: User) -> ApiKey:
    """Revoke the key. Revoking it again changes nothing."""
    with transaction.atomic():
        key = ApiKey.objects.select_for_update().get(pk=key_id)
        if key.revoked_at is None:
            key.revoked_at = timezone.now()
            key.save(update_fields=["revoked_at"])
            record("api_key.revoked", subject=key, actor=actor)
    return key


@receiver(PASSWORD_SIGNALS, dispatch_uid="revoke_keys_with_the_password")
def revoke_all_keys(user: User, actor: User | None = None, **_: Any) -> None:
    """Revoke all keys when the password changes: both may have been stolen."""
    with transaction.atomic():
        for key in active_keys(user):
            revoke_key(key_id=key.pk, actor=actor or user)


def find_key(text: str) -> ApiKey | ProgramAccess | None:
    """Return the key or the program of this text.

    None if it is revoked or expired, or its owner inactive.
    """
    if not text.startswith(KEY_PREFIX):
        return find_access(text)
    return (
        ApiKey.objects.filter(
            digest=_digest(text), revoked_at=None, owner__is_active=True
        )
        .select_related("owner")
        .first()
    )


def _digest(text: str) -> str:
    """Return the SHA-256; a key is long and random, so it needs no salt."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


# The quota


def count_request(key: ApiKey | ProgramAccess | None, address: str) -> Quota:
    """Count a request of a key's owner or of an address (one query).

    All keys and programs of an account share one quota.
    """
    now = timezone.now().astimezone(UTC)
    day = now.date()
    used = _increment(
        day, f"owner:{key.owner_id}" if key else _hashed_address(address, day)
    )
    if used == 1:
        ApiUse.objects.filter(day__lt=day).delete()
    if key is not None and key.last_used_on != day:
        type(key).objects.filter(pk=key.pk).update(last_used_on=day)
    limit = key.daily_quota if key else settings.API_QUOTA_WITHOUT_KEY
    return Quota(limit, used, _seconds_left(now))


def charge_requests(owner: User, requests: int, *, limit: int | None = None) -> Quota:
    """Count an account's work that is worth several requests, such as a list's rows.

    Nothing is counted if the quota does not suffice.
    """
    now = timezone.now().astimezone(UTC)
    limit = settings.API_QUOTA_WITH_KEY if limit is None else limit
    with transaction.atomic():
        used = _increment(now.date(), f"owner:{owner.pk}", requests)
        quota = Quota(limit, used, _seconds_left(now))
        if quota.is_exhausted:
            counted = ApiUse.objects.filter(day=now.date(), who=f"owner:{owner.pk}")
            counted.update(requests=F("requests") - requests)
    return quota


def _hashed_address(address: str, day: date) -> str:
    """Return a keyed hash of an address, which changes daily."""
    name = salted_hmac("api-use", f"{day} {address}", algorithm="sha256").hexdigest()
    return f"ip:{name[:40]}"


def _increment(day: date, who: str, requests: int = 1) -> int:
    with connection.cursor() as cursor:
        cursor.execute(COUNT_SQL, [day.isoformat(), who, requests])
        return int(cursor.fetchone()[0])


def _seconds_left(now: datetime) -> int:
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    return int((midnight - now).total_seconds()) + 1


# What keys use

# What this process has recorded: one write a day for each key, operation and name.
_recorded: set[tuple[date, int, str, str, date | None]] = set()
MAX_RECORDED = 100_000


def record_use(key: ApiKey, usage: ApiUsage) -> None:
    """Record what a key used, once a day and process."""
    day = timezone.now().astimezone(UTC).date()
    ends = usage.ends
    names = {"": ends.get(usage.operation)}
    names |= {name: ends.get(f"{usage.operation}?{name}") for name in usage.names}
    names |= {name: ends[name] for name in ends if name[:1].isupper()}
    found = {(day, key.pk, usage.operation, name, names[name]) for name in names}
    if not (found := found - _recorded):
        return
    rows = [
        ApiKeyUse(
            key=key, operation=operation, name=name, last_used_on=day, ends_on=ends_on
        )
        for _day, _key, operation, name, ends_on in sorted(found, key=str)
    ]
    ApiKeyUse.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["key", "operation", "name"],
        update_fields=["last_used_on", "ends_on"],
    )
    if len(_recorded) > MAX_RECORDED:
        _recorded.clear()
    _recorded.update(found)
