"""The content of the home page, in eight queries whatever the number of records."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from events.calendar.queries.registrations import planned
from events.models import Entry, Event, EventRegistration, Section
from players.models import Player
from ratings.engine.systems import System
from ratings.lists.queries.classes import ClassCounts, counts
from ratings.lists.queries.histograms import RatingsCounted
from ratings.lists.queries.official import latest_list
from ratings.models import Calculation, OfficialList, Run
from ratings.rerates.queries import published_rerates

EVENTS = 8
SECTIONS = 6
UPCOMING = 5
MAX_SYSTEMS = 2  # of one section


@dataclass(frozen=True, slots=True)
class HomePage:
    events: list[Event]
    just_rated: list[Calculation]
    upcoming: QuerySet[EventRegistration]
    movers: list[dict[str, Any]]
    waiting: int
    counted: ClassCounts
    official_list: OfficialList | None
    last_rerate: Run | None

    @property
    def from_older_events(self) -> list[Calculation]:
        """The last rated sections of events that are not among the latest."""
        latest = {event.pk for event in self.events}
        return [one for one in self.just_rated if _event_of(one) not in latest]

    @property
    def late_events(self) -> set[int]:
        return {_event_of(one) for one in self.just_rated if one.is_late}


def _event_of(calculation: Calculation) -> int:
    assert calculation.section is not None  # noqa: S101 (as `_just_rated` selects)
    return calculation.section.event_id


def home_page(today: date) -> HomePage:
    official_list = latest_list()
    return HomePage(
        events=list(_latest_events()),
        just_rated=_just_rated(),
        upcoming=planned(today)[:UPCOMING],
        movers=_movers(official_list) if official_list else [],
        waiting=Section.objects.filter(status=Section.Status.READY).count(),
        counted=counts(System.OTBR, RatingsCounted.ALL),
        official_list=official_list,
        last_rerate=published_rerates().first(),
    )


def _latest_events() -> QuerySet[Event]:
    """Return the latest events with at least one rated section."""
    rated = Section.objects.filter(event=OuterRef("pk"), status=Section.Status.RATED)
    entries = (
        Entry.objects.filter(section__event=OuterRef("pk"))
        .order_by()
        .values("section__event")
        .annotate(number=Count("pk"))
        .values("number")
    )
    return (
        Event.objects.filter(Exists(rated))
        .annotate(entry_count=Coalesce(Subquery(entries), 0))
        .order_by("-ends", "-event_id")[:EVENTS]
    )


def _just_rated() -> list[Calculation]:
    """Return the last calculation of each of the last rated sections."""
    newest = (
        Calculation.objects.filter(section__isnull=False, is_current=True)
        .select_related("section__event")
        .order_by("-pk")[: SECTIONS * MAX_SYSTEMS]
    )
    return list({one.section_id: one for one in newest}.values())[:SECTIONS]


def _movers(official_list: OfficialList) -> list[dict[str, Any]]:
    """Return the list's largest gains, with the players under their current names."""
    movers = official_list.summary.get("movers", [])
    players = Player.objects.in_bulk([one["player"] for one in movers])
    return [
        one | {"player": players[one["player"]]}
        for one in movers
        if one["player"] in players
    ]
