"""Webhooks in trouble, for the desk."""

from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from ratings_site.common.desk.queries import HowItStands, says_how_it_stands
from ratings_site.common.models import Webhook


@says_how_it_stands
def _how_webhooks_stand(now: datetime) -> list[HowItStands]:
    """Speak of webhooks only while some of them are in trouble."""
    failing, off = webhooks_in_trouble()
    if not failing + off:
        return []
    text = _("{failing} failing at present, {off} switched off for failing").format(
        failing=failing, off=off
    )
    return [HowItStands(_("Webhooks"), text, level="note")]


def webhooks_in_trouble() -> tuple[int, int]:
    """Return how many webhooks fail at present, and how many were switched off."""
    found = Webhook.objects.filter(
        Q(failing_since__isnull=False) | Q(switched_off_at__isnull=False)
    ).values_list("switched_off_at", flat=True)
    off = sum(moment is not None for moment in found)
    return len(found) - off, off
