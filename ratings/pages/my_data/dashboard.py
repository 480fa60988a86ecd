"""Pending deletion requests on the office's dashboard."""

from datetime import datetime

from django.urls import reverse
from django.utils.translation import ngettext_lazy

from ratings.pages.my_data.queries import pending_deletion_requests
from ratings_site.common.dashboard.queries import (
    PendingItem,
    count_pending,
    register_pending,
)


@register_pending
def _pending(now: datetime) -> list[PendingItem]:
    return [
        count_pending(
            pending_deletion_requests(),
            what=ngettext_lazy("deletion request", "deletion requests"),
            url=reverse("ratings:forget_requests"),
            now=now,
            since="asked_at",
        )
    ]
