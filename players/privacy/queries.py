from django.db.models import QuerySet

from players.models import PrivacyRequest


def open_privacy_requests() -> QuerySet[PrivacyRequest]:
    """Return the requests that the office has to decide, oldest first."""
    asked = PrivacyRequest.objects.open()
    return asked.select_related("player", "account").order_by("asked_at", "pk")


def decided_privacy_requests() -> QuerySet[PrivacyRequest]:
    return PrivacyRequest.objects.decided().select_related("player", "decided_by")
