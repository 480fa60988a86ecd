"""Mark events whose shorter time control FIDE approved as standard."""

from datetime import date

from django.db import transaction

from events.models import Event
from events.reports.services.submissions import REVIEW
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import User


def mark_fide_approval(
    *, event_id: str, actor: User, day: date | None, reason: str
) -> Event:
    """Save the day of the approval; without one, remove the mark. Once is enough."""
    require_permission(actor, REVIEW)
    with transaction.atomic():
        event = Event.objects.select_for_update(of=("self",)).get(event_id=event_id)
        if event.fide_approved_on == day:
            return event
        facts = {"before": str(event.fide_approved_on or ""), "after": str(day or "")}
        event.fide_approved_on = day
        event.save(update_fields=["fide_approved_on"])
        record(
            "event.fide_approval",
            subject=event,
            actor=actor,
            reason=reason,
            facts=facts,
        )
    return event
