"""Structured data of events for search engines (https://schema.org/SportsEvent)."""

from typing import Any

from django import template
from django.http import HttpRequest

from events.checks import messages
from events.models import Event

register = template.Library()


@register.simple_tag
def sports_event(event: Event, request: HttpRequest) -> dict[str, Any]:
    address = request.build_absolute_uri(event.get_absolute_url())
    return {
        "@type": "SportsEvent",
        "@id": address,
        "url": address,
        "name": event.name,
        "sport": "Chess",
        "startDate": event.starts.isoformat(),
        "endDate": event.ends.isoformat(),
        "location": {"@type": "Place", "name": _place(event), "address": _place(event)},
        "organizer": {"@type": "SportsOrganization", "name": event.affiliate.name},
    }


def _place(event: Event) -> str:
    places = (event.city, event.state, event.country)
    return ", ".join(place for place in places if place)


@register.filter
def said(sentence: str) -> str:
    """Return a translatable text in the reader's language."""
    return messages.translated(sentence)
