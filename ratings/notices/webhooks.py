"""Webhooks about ratings, sent when they become public."""

from collections.abc import Collection
from functools import partial
from typing import Any

from django.dispatch import receiver
from django.urls import reverse

from events.models import CorrectionRequest, Event
from events.signals import correction_changed
from ratings.models import OfficialList, Run
from ratings.signals import list_published, rerate_published, sections_rated
from ratings_site.common.models import Webhook
from ratings_site.common.webhooks.services import absolute_url, announce

Kind = Webhook.Kind
Payload = dict[str, Any]


@receiver(sections_rated)
def announce_events(events: Collection[Event], **_: Any) -> None:
    """Send the events whose last section has been rated."""
    announce(Kind.EVENT_RATED, *(partial(rated_event, event) for event in events))


def rated_event(event: Event) -> Payload:
    return {
        "event_id": event.event_id,
        "name": event.name,
        "starts": event.starts.isoformat(),
        "ends": event.ends.isoformat(),
        "state": event.state,
        "sections": list(
            event.sections.order_by("number").values_list("number", flat=True)
        ),
        "url": absolute_url(event.get_absolute_url()),
    }


@receiver(correction_changed)
def announce_correction(request: CorrectionRequest, **_: Any) -> None:
    if request.state == CorrectionRequest.State.APPROVED:
        announce(Kind.CORRECTION, lambda: corrected_section(request))


def corrected_section(request: CorrectionRequest) -> Payload:
    section = request.section
    return {
        "event_id": section.event.event_id,
        "section": section.number,
        "version": section.version,
        "url": absolute_url(section.get_absolute_url()),
    }


@receiver(list_published)
def announce_list(official_list: OfficialList, **_: Any) -> None:
    announce(Kind.LIST, lambda: published_list(official_list))


def published_list(official_list: OfficialList) -> Payload:
    return {
        "list": official_list.slug,
        "correction": official_list.correction,
        "members": official_list.members,
        "url": absolute_url(official_list.get_absolute_url()),
    }


@receiver(rerate_published)
def announce_rerate(run: Run, **_: Any) -> None:
    announce(Kind.RERATE, lambda: published_rerate(run))


def published_rerate(run: Run) -> Payload:
    return {
        "rerate": run.pk,
        "from_day": run.from_day.isoformat() if run.from_day else None,
        "ratings_changed": run.summary.get("whole_changes", 0),
        "url": absolute_url(reverse("ratings:rerate", args=[run.pk])),
    }
