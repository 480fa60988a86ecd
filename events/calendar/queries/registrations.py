"""What is known of events before they are in the books."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from difflib import SequenceMatcher

from django.db.models import Count, Min, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext

from events.books.deadlines import ONLINE, OVER_THE_BOARD, due_day_of_registered
from events.models import EventRegistration, Submission
from ratings_site.common.desk.queries import Waiting, says_what_waits
from ratings_site.common.models import User
from ratings_site.common.names.sounds import searchable

# A plan and its report may differ by a day or two; an event a week away is another.
NEARBY = timedelta(days=7)
MOST_SUGGESTED = 3
MOST_LISTED = 50

PLANNED = EventRegistration.State.PLANNED
_UNREPORTED = Q(submission=None) | Q(submission__state=Submission.State.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class Expected:
    """A registered event that is over, and when its report is or was due."""

    registered: EventRegistration
    due: date
    days_late: int


def registrations() -> QuerySet[EventRegistration]:
    return EventRegistration.objects.select_related(
        "affiliate", "chief", "submission__event"
    )


def planned(today: date) -> QuerySet[EventRegistration]:
    """Return the registered events that are neither canceled nor over."""
    return registrations().filter(status=PLANNED, ends__gte=today)


def unreported(today: date) -> QuerySet[EventRegistration]:
    """Return the registered events that are over and have no report, oldest first."""
    return (
        registrations()
        .filter(_UNREPORTED, status=PLANNED, ends__lt=today)
        .order_by("ends", "pk")
    )


def of_td(rows: QuerySet[EventRegistration], user: User) -> QuerySet[EventRegistration]:
    """Return the registrations that a TD made or is to direct."""
    return rows.filter(Q(registered_by=user) | Q(chief__account=user))


def upcoming_of(user: User, today: date) -> QuerySet[EventRegistration]:
    rows = of_td(registrations(), user).filter(ends__gte=today, submission=None)
    return rows.order_by("starts", "pk")


def expected(rows: QuerySet[EventRegistration], today: date) -> list[Expected]:
    """Return these registered events with the days on which their reports are due."""
    found = []
    for registered in rows[:MOST_LISTED]:
        due = due_day_of_registered(registered)
        found.append(Expected(registered, due, max((today - due).days, 0)))
    return found


def registration_of(submission: Submission) -> EventRegistration | None:
    return registrations().filter(submission=submission).first()


def suggested_for(submission: Submission) -> list[EventRegistration]:
    """Return registered events a report may be of: near days, one affiliate, the name.

    The nearest day comes first, among those of a day the likest name.
    """
    if submission.affiliate_id is None or submission.ends is None:
        return []
    near = registrations().filter(
        _UNREPORTED,
        status=PLANNED,
        affiliate=submission.affiliate_id,
        ends__range=_around(submission.ends),
    )
    return sorted(near, key=lambda one: _distance(one, submission))[:MOST_SUGGESTED]


def _around(day: date) -> tuple[date, date]:
    earliest, latest = date.min + NEARBY, date.max - NEARBY
    return max(day, earliest) - NEARBY, min(day, latest) + NEARBY


def _distance(
    registered: EventRegistration, submission: Submission
) -> tuple[int, float]:
    days = abs((registered.ends - submission.ends).days)
    names = searchable(registered.name), searchable(submission.event_name)
    return days, -SequenceMatcher(None, *names).ratio()


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    """Say how many events are over without a report, and how many reports are late."""
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
        Waiting(
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
