"""What is played when: events in the books and events that are registered."""

import calendar
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from events.calendar.ics import Appointment
from events.calendar.queries.registrations import planned, registrations
from events.models import Event, EventRegistration, Submission

# A page of a month in which more is played says where the rest is.
MOST_IN_A_MONTH = 1_000
MOST_IN_A_DAY = 4
MOST_UPCOMING = 5
MOST_IN_A_FEED = 500
# How long programs that read the feed still see what is over.
KEPT_IN_THE_FEED = timedelta(days=60)
ONE_DAY = timedelta(days=1)
LONGEST_IN_CELLS = 14


@dataclass(frozen=True, slots=True)
class Played:
    """One event of the calendar, rated or registered."""

    name: str
    url: str
    starts: date
    ends: date
    place: str
    is_rated: bool = False
    is_canceled: bool = False


@dataclass(slots=True)
class Day:
    """One day of the month; *more* events than are shown take place on it."""

    day: date
    is_in_month: bool
    is_today: bool
    events: list[Played] = field(default_factory=list)
    more: int = 0


@dataclass(frozen=True, slots=True)
class Month:
    """A month: weeks for the wide page, its events in order for the narrow one."""

    first: date
    weeks: list[list[Day]]
    events: list[Played]
    is_cut: bool

    @property
    def last(self) -> date:
        return _last(self.first)


def month(first: date, today: date, *, state: str = "") -> Month:
    """Return a month of the calendar, in two queries."""
    found = _in_days(first, _last(first), state)
    events = sorted(found[:MOST_IN_A_MONTH], key=_in_order)
    by_day = _by_day(events)
    weeks = [
        [_day(day, first, today, by_day.get(day, [])) for day in week]
        for week in _weeks(first)
    ]
    return Month(first, weeks, events, len(found) > MOST_IN_A_MONTH)


def upcoming(today: date) -> list[Played]:
    """Return the next registered events."""
    return [registered_event(row) for row in planned(today)[:MOST_UPCOMING]]


def span(today: date) -> tuple[date, date]:
    """Return the first and last month with something in it; this one among them."""
    earliest = Event.objects.order_by("ends").values_list("starts", flat=True).first()
    latest = EventRegistration.objects.order_by("-ends")
    last = latest.values_list("ends", flat=True).first()
    return _first(min(earliest or today, today)), _first(max(last or today, today))


def feed(today: date, *, state: str = "") -> list[Appointment]:
    """Return registered events as appointments: to come, and those just over."""
    rows = _in_state(registrations(), state).filter(ends__gte=today - KEPT_IN_THE_FEED)
    return [appointment(row) for row in rows[:MOST_IN_A_FEED]]


def appointment(registered: EventRegistration) -> Appointment:
    shown = registered_event(registered)
    return Appointment(
        uid=f"registration-{registered.pk}@{settings.SITE_URL.partition('://')[2]}",
        starts=registered.starts,
        ends=registered.ends,
        summary=registered.name,
        changed_at=registered.changed_at,
        location=shown.place,
        description=registered.notice or registered.affiliate.name,
        url=f"{settings.SITE_URL}{registered.get_absolute_url()}",
        sequence=registered.changes,
        is_canceled=registered.is_canceled,
    )


def rated_event_of(registered: EventRegistration) -> Event | None:
    """Return the event in the books that a registered one has become."""
    tied = registered.submission
    return getattr(tied, "event", None) if tied else None


def registered_event(registered: EventRegistration) -> Played:
    return Played(
        registered.name,
        registered.get_absolute_url(),
        registered.starts,
        registered.ends,
        place_of(registered),
        is_canceled=registered.is_canceled,
    )


def place_of(event: Event | EventRegistration) -> str:
    parts = [part for part in (event.city, event.state) if part]
    if getattr(event, "is_online", False):
        parts.append(_("online"))
    return ", ".join(parts)


def _rated_event(event: Event) -> Played:
    return Played(
        event.name,
        event.get_absolute_url(),
        event.starts,
        event.ends,
        place_of(event),
        is_rated=True,
    )


def _in_days(first: date, last: date, state: str) -> list[Played]:
    """Return what takes place in these days; a registered event in the books once."""
    days = {"starts__lte": last, "ends__gte": first}
    rated = _in_state(Event.objects.filter(**days), state).order_by("starts", "pk")
    planned = _in_state(registrations().filter(**days), state).exclude(
        submission__state=Submission.State.ACCEPTED
    )
    most = MOST_IN_A_MONTH + 1
    return [
        *map(registered_event, planned[:most]),
        *map(_rated_event, rated[:most]),
    ]


def _in_state(rows: QuerySet, state: str) -> QuerySet:
    return rows.filter(state=state) if state else rows


def _in_order(one: Played) -> tuple:
    return one.starts, one.ends, one.name


def _by_day(events: Iterable[Played]) -> dict[date, list[Played]]:
    by_day: defaultdict[date, list[Played]] = defaultdict(list)
    for one in events:
        for day in _days(one):
            by_day[day].append(one)
    return by_day


def _days(one: Played) -> Iterator[date]:
    """Yield the days of an event; of a league of months its first and last."""
    length = (one.ends - one.starts).days
    if length > LONGEST_IN_CELLS:
        yield from (one.starts, one.ends)
        return
    yield from (one.starts + number * ONE_DAY for number in range(length + 1))


def _day(day: date, first: date, today: date, events: list[Played]) -> Day:
    return Day(
        day,
        is_in_month=_first(day) == first,
        is_today=day == today,
        events=events[:MOST_IN_A_DAY],
        more=max(len(events) - MOST_IN_A_DAY, 0),
    )


def _weeks(first: date) -> list[list[date]]:
    """Return the month's weeks, from Sunday to Saturday as in the federation's land."""
    return calendar.Calendar(calendar.SUNDAY).monthdatescalendar(
        first.year, first.month
    )


def _first(day: date) -> date:
    return day.replace(day=1)


def _last(first: date) -> date:
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])
