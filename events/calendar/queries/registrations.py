"""Queries about registered events."""

from datetime import date, datetime
from difflib import SequenceMatcher

from django.db.models import Count, Min, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext

from events.access import is_account_of
from events.models import EventRegistration, Submission
from events.records.deadlines import ONLINE, OVER_THE_BOARD
from ratings_site.common.dashboard.queries import PendingItem, register_pending
from ratings_site.common.models import User
from ratings_site.common.names.phonetics import searchable

MAX_SUGGESTED = 3
MAX_LISTED = 50

PLANNED = EventRegistration.State.PLANNED
_UNREPORTED = Q(submission=None) | Q(submission__state=Submission.State.WITHDRAWN)


def registrations() -> QuerySet[EventRegistration]:
    return EventRegistration.objects.select_related(
        "affiliate", "chief", "submission__event"
    )


def planned(today: date) -> QuerySet[EventRegistration]:
    """Return the registered events that are neither canceled nor over."""
    return registrations().filter(status=PLANNED, ends__gte=today)


def unreported(today: date) -> QuerySet[EventRegistration]:
    """Return registered events that ended without a report, oldest first."""
    return (
        registrations()
        .filter(_UNREPORTED, status=PLANNED, ends__lt=today)
        .order_by("ends", "pk")
    )


def filter_by_td(
    rows: QuerySet[EventRegistration], user: User
) -> QuerySet[EventRegistration]:
    """Return the registrations that a TD made or is the chief TD of."""
    return rows.filter(Q(registered_by=user) | is_account_of(user, "chief"))


def registered_by(user: User, today: date) -> QuerySet[EventRegistration]:
    """Return a TD's events that are still to come or ended without a report."""
    to_come = Q(ends__gte=today, submission=None)
    ended = Q(_UNREPORTED, status=PLANNED, ends__lt=today)
    return (
        filter_by_td(registrations(), user)
        .filter(to_come | ended)
        .order_by("ends", "pk")
    )


def suggested_registrations(submission: Submission) -> list[EventRegistration]:
    """Return registered events that match a report's days, affiliate and name.

    Events are sorted by distance of the last day, then by similarity of the name.
    """
    days = submission.days
    if submission.affiliate_id is None or days is None:
        return []
    on_its_days = registrations().filter(
        _UNREPORTED,
        status=PLANNED,
        affiliate=submission.affiliate_id,
        starts__lte=days[1],
        ends__gte=days[0],
    )
    return sorted(on_its_days, key=lambda one: _distance(one, days[1], submission))[
        :MAX_SUGGESTED
    ]


def _distance(
    registered: EventRegistration, last: date, submission: Submission
) -> tuple[int, float]:
    days = abs((registered.ends - last).days)
    names = searchable(registered.name), searchable(submission.event_name)
    return days, -SequenceMatcher(None, *names).ratio()


@register_pending(order=80)
def _pending_items(now: datetime) -> list[PendingItem]:
    """Count the ended events without a report and the late reports."""
    today = timezone.localdate(now)
    overdue = Q(is_online=False, ends__lt=today - OVER_THE_BOARD) | Q(
        is_online=True, ends__lt=today - ONLINE
    )
    found = (
        unreported(today)
        .order_by()
        .aggregate(
            number=Count("pk"), oldest=Min("ends"), overdue=Count("pk", filter=overdue)
        )
    )
    waits = ""
    if found["oldest"]:
        days = (today - found["oldest"]).days
        waits = ngettext("{days} day", "{days} days", days).format(days=days)
    return [
        PendingItem(
            what=ngettext(
                "registered event without a report",
                "registered events without a report",
                found["number"],
            ),
            url=reverse("events:expected"),
            number=found["number"],
            waits=waits,
            overdue=found["overdue"],
        )
    ]
