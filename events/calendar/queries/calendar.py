"""Queries for the calendar: rated events and registered events by day."""

import calendar
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db.models import QuerySet

from events.calendar.queries.registrations import planned, registrations
from events.models import Event, EventRegistration, Submission

# The page of a month with more events links to the others.
MAX_EVENTS_PER_MONTH = 1_000
MAX_EVENTS_PER_DAY = 4
MAX_UPCOMING = 5
MAX_FEED_EVENTS = 500
# How long past events stay in the feed.
FEED_RETENTION = timedelta(days=60)
ONE_DAY = timedelta(days=1)
MAX_DAYS_SHOWN = 14


CalendarEvent = Event | EventRegistration


@dataclass(slots=True)
class Day:
    """A day of the month; *more* is the number of events that are not shown."""

    day: date
    is_in_month: bool
    is_today: bool
    events: list[CalendarEvent] = field(default_factory=list)
    more: int = 0


@dataclass(frozen=True, slots=True)
class Month:
    """A month: weeks for the wide page, events in order for the narrow one."""

    first: date
    weeks: list[list[Day]]
    events: list[CalendarEvent]
    is_truncated: bool

    @property
    def last(self) -> date:
        return _last(self.first)


def month(first: date, today: date, *, state: str = "") -> Month:
    """Return a month of the calendar, in two queries."""
    found = _in_days(first, _last(first), state)
    events = sorted(found[:MAX_EVENTS_PER_MONTH], key=_in_order)
    by_day = _by_day(events)
    weeks = [
        [_day(day, first, today, by_day.get(day, [])) for day in week]
        for week in _weeks(first)
    ]
    return Month(first, weeks, events, len(found) > MAX_EVENTS_PER_MONTH)


def upcoming(today: date) -> QuerySet[EventRegistration]:
    """Return the next registered events."""
    return planned(today)[:MAX_UPCOMING]


def span(today: date) -> tuple[date, date]:
    """Return the first and last month that have an event, including this month."""
    earliest = Event.objects.order_by("ends").values_list("starts", flat=True).first()
    latest = EventRegistration.objects.order_by("-ends")
    last = latest.values_list("ends", flat=True).first()
    return _first(min(earliest or today, today)), _first(max(last or today, today))


def feed(today: date, *, state: str = "") -> QuerySet[EventRegistration]:
    """Return the registered events of the feed: upcoming and recently ended."""
    rows = _in_state(registrations(), state).filter(ends__gte=today - FEED_RETENTION)
    return rows[:MAX_FEED_EVENTS]


def rated_event_of(registered: EventRegistration) -> Event | None:
    """Return the accepted event of a registered one, or None."""
    tied = registered.submission
    return getattr(tied, "event", None) if tied else None


def _in_days(first: date, last: date, state: str) -> list[CalendarEvent]:
    """Return the events of these days; a registered and accepted event once."""
    days = {"starts__lte": last, "ends__gte": first}
    rated = _in_state(Event.objects.filter(**days), state).order_by("starts", "pk")
    planned = _in_state(registrations().filter(**days), state).exclude(
        submission__state=Submission.State.ACCEPTED
    )
    most = MAX_EVENTS_PER_MONTH + 1
    return [*planned[:most], *rated[:most]]


def _in_state(rows: QuerySet[Any], state: str) -> QuerySet[Any]:
    return rows.filter(state=state) if state else rows


def _in_order(one: CalendarEvent) -> tuple[date, date, str]:
    return one.starts, one.ends, one.name


def _by_day(events: Iterable[CalendarEvent]) -> dict[date, list[CalendarEvent]]:
    by_day: defaultdict[date, list[CalendarEvent]] = defaultdict(list)
    for one in events:
        for day in _days(one):
            by_day[day].append(one)
    return by_day


def _days(one: CalendarEvent) -> Iterator[date]:
    """Yield the days of an event; only the first and last of a very long one."""
    length = (one.ends - one.starts).days
    if length > MAX_DAYS_SHOWN:
        yield from (one.starts, one.ends)
        return
    yield from (one.starts + number * ONE_DAY for number in range(length + 1))


def _day(day: date, first: date, today: date, events: list[CalendarEvent]) -> Day:
    return Day(
        day,
        is_in_month=_first(day) == first,
        is_today=day == today,
        events=events[:MAX_EVENTS_PER_DAY],
        more=max(len(events) - MAX_EVENTS_PER_DAY, 0),
    )


def _weeks(first: date) -> list[list[date]]:
    """Return the weeks of the month, from Sunday to Saturday."""
    return calendar.Calendar(calendar.SUNDAY).monthdatescalendar(
        first.year, first.month
    )


def _first(day: date) -> date:
    return day.replace(day=1)


def _last(first: date) -> date:
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])
