"""Registered events and messages in the demo."""

import pytest
from django.utils import timezone

from events.calendar.queries.registrations import unreported
from events.models import EventRegistration
from events.records.deadlines import registration_due_date
from events.reports.queries.messages import thread_of, unread
from ratings_site.demo.calendar import exchange_messages, plan_events
from ratings_site.demo.members import AFFILIATE_ID
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    upload,
)


@pytest.mark.django_db
@pytest.mark.calendar
def test_the_demo_shows_events_of_every_kind():
    td, staff = make_td("td"), make_staff("staff")
    make_affiliate(AFFILIATE_ID)
    plan_events(td, staff)
    today = timezone.localdate()
    days = [(today - registration_due_date(one)).days for one in unreported(today)]
    assert [max(late, 0) for late in days] == [12, 0]
    changed = EventRegistration.objects.filter(changes=1).order_by("starts")
    assert [(one.name, one.status) for one in changed] == [
        ("Castle Simultaneous", "canceled"),
        ("Castle Library Quads", "planned"),
    ]
    pair = [make_player(), make_player()]
    report = upload(td, event_report(td, [section_report(pair, ["W2W", "L1B"])]))
    exchange_messages(report, td, staff)
    assert len(thread_of(report, td).entries) == 3
    assert unread(for_office=False).count() == 1
