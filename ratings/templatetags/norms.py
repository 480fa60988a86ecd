"""The norms of an accepted report, for its page."""

from typing import Any

from django import template

from events.models import Event, Submission
from ratings.decisions.floors.queries.titles import event_norms

register = template.Library()


@register.inclusion_tag("ratings/_norms_made.html")
def norms_made(submission: Submission) -> dict[str, Any]:
    event = Event.objects.filter(submission=submission).first()
    return {"norms": event_norms(event) if event else []}
