"""The status of webhooks, for the dashboard."""

from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from ratings_site.common.dashboard.queries import StatusLine, register_status
from ratings_site.common.models import Webhook


@register_status
def _webhook_status(now: datetime) -> list[StatusLine]:
    """Return a line only if webhooks fail or were turned off."""
    failing, off = failing_webhooks()
    if not failing + off:
        return []
    text = _("{failing} failing now, {off} turned off after failures").format(
        failing=failing, off=off
    )
    return [StatusLine(_("Webhooks"), text, level="note")]


def failing_webhooks() -> tuple[int, int]:
    """Return how many webhooks are failing and how many were turned off."""
    found = Webhook.objects.filter(
        Q(failing_since__isnull=False) | Q(switched_off_at__isnull=False)
    ).values_list("switched_off_at", flat=True)
    off = sum(moment is not None for moment in found)
    return len(found) - off, off
