"""Events as search engines read them (https://schema.org/SportsEvent), and findings."""

from typing import Any

from django import template
from django.http import HttpRequest

from events.checks import saying
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
    """A sentence that keeps what it was made of, in the reader's language."""
    return saying.said(sentence)
