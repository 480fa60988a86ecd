"""Webhooks about ratings, from the action to the message."""

import json
from datetime import date

import pytest

from events.corrections.services.requests import approve_correction
from ratings.ledger.services.rating import rate_section
from ratings.models import OfficialList, Run
from ratings.signals import list_published, rerate_published
from ratings_site.common.jobs.services import claim, perform
from ratings_site.common.models import Job, Webhook, WebhookDelivery
from ratings_site.common.webhooks.services import FAN_OUT, add_webhook
from tests.events.corrections.samples import (
    make_decider,
    make_section,
    request_correction,
)
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_td,
    make_user,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def hook() -> Webhook:
    return add_webhook(
        owner=make_user(),
        url="https://club.example.org/hook",
        kinds=list(Webhook.Kind.values),
    )


def announced_payloads() -> list[tuple[str, dict]]:
    """Run the jobs that create the messages, and return these."""
    waiting = Job.objects.filter(kind=FAN_OUT, state="queued").order_by("pk")
    for job in list(waiting):
        perform(claim(job.pk))
    return [
        (delivery.kind, json.loads(delivery.body)["data"])
        for delivery in WebhookDelivery.objects.order_by("pk")
    ]


def test_event_is_told_of_when_its_last_section_has_been_rated():
    td = make_td()
    sections = [
        section_report(
            [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(4)],
            swiss_rows(4, 2),
            number=number,
        )
        for number in (1, 2)
    ]
    event = accepted_event(td, event_report(td, sections))
    first, second = event.sections.order_by("number")
    rate_section(section_id=first.pk)
    rate_section(section_id=second.pk)
    rate_section(section_id=second.pk)
    assert announced_payloads() == [
        (
            "event.rated",
            {
                "event_id": event.event_id,
                "name": "May Open",
                "starts": "2024-05-04",
                "ends": "2024-05-05",
                "state": "IL",
                "sections": [1, 2],
                "url": f"http://127.0.0.1:8000/events/{event.event_id}/",
            },
        )
    ]


def test_list_and_rerate_are_told_of():
    month = OfficialList(month=date(2024, 6, 1), members=7)
    list_published.send(sender=OfficialList, official_list=month)
    run = Run.objects.create(
        kind="rerate",
        status="ready",
        from_day=date(2024, 5, 4),
        summary={"whole_changes": 3},
        publish_reason="Looked at",
    )
    rerate_published.send(sender=Run, run=run)
    assert announced_payloads() == [
        (
            "list.published",
            {
                "list": "2024-06",
                "correction": 0,
                "members": 7,
                "url": "http://127.0.0.1:8000/lists/2024-06/",
            },
        ),
        (
            "rerate.published",
            {
                "rerate": run.pk,
                "from_day": "2024-05-04",
                "ratings_changed": 3,
                "url": f"http://127.0.0.1:8000/rerates/{run.pk}/",
            },
        ),
    ]


def test_correction_is_told_of_once_it_is_made():
    td = make_td()
    section = make_section(td)
    request = request_correction(section, td)
    announced_payloads()
    WebhookDelivery.objects.all().delete()  # the event itself was announced
    approve_correction(
        request_id=request.pk,
        version=section.version,
        public_note="The score sheet shows a draw.",
        reason="",
        actor=make_decider(),
    )
    event_id = section.event.event_id
    assert announced_payloads() == [
        (
            "correction.published",
            {
                "event_id": event_id,
                "section": 1,
                "version": 2,
                "url": f"http://127.0.0.1:8000/events/{event_id}/1/",
            },
        )
    ]
