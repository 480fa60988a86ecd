"""Keys of the API, and how much of the day's quota has been used.

The count stands in the database, so it is one for all machines of the office.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import ApiKey, ApiUse, User

MOST_KEYS = 10
BEGINNING = "ro_"
SHOWN = 9
# What the owner of a membership system's key needs.
FEED = "players.take_in"

COUNT = """
INSERT INTO common_apiuse (day, who, requests) VALUES (%s, %s, 1)
ON CONFLICT (day, who) DO UPDATE SET requests = common_apiuse.requests + 1
RETURNING requests
"""


@dataclass(frozen=True, slots=True)
class Quota:
    """What of the day's requests is used, this one included."""

    limit: int
    used: int
    resets_in: int

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)

    @property
    def is_exhausted(self) -> bool:
        return self.used > self.limit


# Keys


def keys_of(owner: User) -> QuerySet[ApiKey]:
    """Return the keys that still open something, the newest first."""
    return owner.api_keys.filter(revoked_at=None)


def make_key(
    *, owner: User, name: str, may_submit: bool, may_feed: bool = False
) -> tuple[ApiKey, str]:
    """Return a new key and its text, which is kept nowhere and so is shown once.

    With *may_feed* it keeps members current and does nothing else.
    """
    if may_feed:
        require(owner, FEED)
    if may_feed and may_submit:
        raise Refusal(_("The key of a membership system does nothing else."))
    text = BEGINNING + secrets.token_urlsafe(32)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)
        if keys_of(owner).count() >= MOST_KEYS:
            raise Refusal(
                _(
                    "You have {most} keys already. Revoke one that you no longer use."
                ).format(most=MOST_KEYS)
            )
        key = ApiKey.objects.create(
            owner=owner,
            name=name,
            prefix=text[:SHOWN],
            digest=_digest(text),
            may_submit=may_submit,
            may_feed=may_feed,
            daily_quota=settings.API_QUOTA_WITH_KEY,
        )
        facts = {"may_submit": may_submit, "may_feed": may_feed}
        record("api_key.made", subject=key, actor=owner, facts=facts)
    return key, text


def revoke_key(*, key_id: int, actor: User) -> ApiKey:
    """Let the key open nothing more. A second time changes nothing."""
    with transaction.atomic():
        key = ApiKey.objects.select_for_update().get(pk=key_id)
        if key.revoked_at is None:
            key.revoked_at = timezone.now()
            key.save(update_fields=["revoked_at"])
            record("api_key.revoked", subject=key, actor=actor)
    return key


def key_with(text: str) -> ApiKey | None:
    """Return the key of this text, unless it is revoked or its owner is shut out."""
    return (
        ApiKey.objects.filter(
            digest=_digest(text), revoked_at=None, owner__is_active=True
        )
        .select_related("owner")
        .first()
    )


def _digest(text: str) -> str:
    """A key is long and random, so one plain hash is enough."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


# The quota


def count_request(key: ApiKey | None, address: str) -> Quota:
    """Count one more request, of a key's owner or of an address (one query).

    All keys of an account share its quota: another key is not another quota.
    """
    now = timezone.now().astimezone(UTC)
    day = now.date()
    used = _counted(day, f"owner:{key.owner_id}" if key else _unnamed(address, day))
    if used == 1:
        ApiUse.objects.filter(day__lt=day).delete()
    if key is not None and key.last_used_on != day:
        ApiKey.objects.filter(pk=key.pk).update(last_used_on=day)
    limit = key.daily_quota if key else settings.API_QUOTA_WITHOUT_KEY
    return Quota(limit, used, _seconds_left(now))


def _unnamed(address: str, day: date) -> str:
    """Return a name for an address that tells nobody the address, nor tomorrow's."""
    name = salted_hmac("api-use", f"{day} {address}", algorithm="sha256").hexdigest()
    return f"ip:{name[:40]}"


def _counted(day: date, who: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [day.isoformat(), who])
        return cursor.fetchone()[0]


def _seconds_left(now: datetime) -> int:
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    return int((midnight - now).total_seconds()) + 1
