"""TD requests on the office dashboard."""

from dataclasses import replace
from datetime import datetime

from django.urls import reverse
from django.utils.translation import ngettext_lazy

from events.certification.queries import next_request, open_requests
from ratings_site.common.dashboard.queries import (
    PendingItem,
    count_pending,
    register_pending,
)


@register_pending
def _pending_items(now: datetime) -> list[PendingItem]:
    """Count the open requests and link to the oldest one."""
    waiting = count_pending(
        open_requests(),
        what=ngettext_lazy(
            "request for TD certification", "requests for TD certification"
        ),
        url=reverse("events:td_requests"),
        now=now,
        since="asked_at",
    )
    oldest = next_request() if waiting.number else None
    if oldest is None:
        return [waiting]
    return [replace(waiting, url=reverse("events:td_request", args=[oldest.pk]))]
