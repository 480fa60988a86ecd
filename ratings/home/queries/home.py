"""What stands on the first page: six queries, however much is in the books."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from events.models import Entry, Event, Section
from ratings.engine.systems import System
from ratings.lists.queries.classes import ClassCount, RatingsCounted, counts
from ratings.lists.queries.official import latest_list
from ratings.models import Calculation, OfficialList, Run
from ratings.rerates.queries import published_rerates

EVENTS = 8
SECTIONS = 6
MOST_SYSTEMS = 2  # of one section


@dataclass(frozen=True, slots=True)
class JustRated:
    """A section among the last that were rated."""

    section: Section
    rated_at: datetime
    is_late: bool


@dataclass(frozen=True, slots=True)
class FirstPage:
    events: list[Event]
    just_rated: list[JustRated]
    waiting: int
    classes: list[ClassCount]
    official_list: OfficialList | None
    last_rerate: Run | None

    @property
    def members(self) -> int:
        return sum(one.members for one in self.classes)


def first_page() -> FirstPage:
    return FirstPage(
        events=list(_latest_events()),
        just_rated=_just_rated(),
        waiting=Section.objects.filter(status=Section.Status.READY).count(),
        classes=counts(System.OTBR, RatingsCounted.ALL),
        official_list=latest_list(),
        last_rerate=published_rerates().first(),
    )


def _latest_events() -> QuerySet[Event]:
    """Return the events that ended last and of which something is rated."""
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


def _just_rated() -> list[JustRated]:
    newest = (
        Calculation.objects.filter(section__isnull=False, is_current=True)
        .select_related("section__event")
        .order_by("-pk")[: SECTIONS * MOST_SYSTEMS]
    )
    sections = {
        calculation.section_id: JustRated(
            calculation.section, calculation.created_at, calculation.is_late
        )
        for calculation in newest
    }
    return list(sections.values())[:SECTIONS]
