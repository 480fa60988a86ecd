"""Who speaks for an affiliate, and requests to limit reporting to listed TDs."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from events.access import is_office, official_of
from events.models import Affiliate
from ratings_site.common.models import PendingAct, User

KIND = "affiliate.named_tds"


def speaks_for(user: User | AnonymousUser, affiliate: Affiliate) -> bool:
    """Return whether the account may make requests for the affiliate.

    Affiliates have no accounts: any certified TD on an affiliate's list speaks for it.
    """
    official = official_of(user)
    return (
        official is not None
        and official.is_certified_on(timezone.localdate())
        and official.affiliates.contains(affiliate)
    )


def open_request(affiliate: Affiliate) -> PendingAct | None:
    """Return the affiliate's request that the office has to decide."""
    asked = PendingAct.objects.open().filter(kind=KIND)
    return asked.filter(payload__affiliate=affiliate.pk).first()


def reporting_rules(
    user: User | AnonymousUser, affiliate: Affiliate
) -> dict[str, Any] | None:
    """Return for TDs and staff who may report for the affiliate, or None."""
    if official_of(user) is None and not is_office(user):
        return None
    return {
        "officials": affiliate.official_set.select_related("player"),
        "can_ask": speaks_for(user, affiliate),
        "asked": open_request(affiliate),
    }
