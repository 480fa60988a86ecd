"""TD requests on the office dashboard."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Min
from django.urls import reverse
from django.utils.translation import ngettext_lazy

from events.certification.queries import open_requests
from ratings_site.common.dashboard.queries import (
    PendingItem,
    pending_item,
    register_pending,
    waiting_figures,
)


@register_pending(100)
def _td_requests(now: datetime) -> Iterator[PendingItem]:
    """Link to the list of requests; a single one opens at once."""
    figures = waiting_figures("asked_at", now)
    found = open_requests().order_by().aggregate(**figures, first=Min("pk"))
    url = f"{reverse('events:td_requests')}#open"
    if found["number"] == 1:
        url = reverse("events:td_request", args=[found["first"]])
    yield pending_item(
        found,
        what=ngettext_lazy(
            "request for TD certification", "requests for TD certification"
        ),
        url=url,
        now=now,
    )
