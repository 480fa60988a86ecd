"""Queries for the public pages of events."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import (
    CharField,
    Count,
    Exists,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce, Upper

from events.models import (
    Affiliate,
    Entry,
    Event,
    EventOfficial,
    Game,
    Official,
    Schedule,
    Section,
)
from events.public.event_search import EventSearch


def events_with_counts() -> QuerySet[Event]:
    """Return the events with their numbers of sections and entries.

    The counts are subqueries, so that a page counts for its own rows only.
    """
    sections = Section.objects.filter(event=OuterRef("pk"))
    entries = Entry.objects.filter(section__event=OuterRef("pk"))
    return Event.objects.annotate(
        section_count=_counted(sections, "event"),
        entry_count=_counted(entries, "section__event"),
    )


def events_by_day() -> QuerySet[Event]:
    """Return the events with their counts, newest first."""
    return events_with_counts().order_by("-ends", "-event_id")


def sections_of(event: Event) -> QuerySet[Section]:
    """Return the event's sections with their numbers of players and games.

    A member who re-entered has two entries and is one player.
    """
    entries = Entry.objects.filter(section=OuterRef("pk"))
    games = Game.objects.filter(section=OuterRef("pk"))
    return event.sections.order_by("number").annotate(
        player_count=_counted(entries, "section", Count("player", distinct=True)),
        game_count=_counted(games, "section"),
        has_schedules=Exists(Schedule.objects.filter(section=OuterRef("pk"))),
    )


def affiliate_figures(affiliate: Affiliate) -> dict[str, int]:
    return _figures(Event.objects.filter(affiliate=affiliate))


def td_figures(official: Official) -> dict[str, int]:
    return _figures(Event.objects.filter(pk__in=_directed_by(official)))


def events_directed_by(official: Official) -> QuerySet[Event]:
    """Return the events that a TD directed in any role, newest first."""
    return events_by_day().filter(pk__in=_directed_by(official))


def _directed_by(official: Official) -> QuerySet[EventOfficial, Any]:
    return EventOfficial.objects.filter(player=official.player).values("event")


def _figures(events: QuerySet[Event]) -> dict[str, int]:
    """Count events, their sections and entries, in three queries."""
    sections = Section.objects.filter(event__in=events)
    return {
        "events": events.count(),
        "sections": sections.count(),
        "entries": Entry.objects.filter(section__in=sections).count(),
    }


def _counted(rows: QuerySet[Any], group: str, count: Count | None = None) -> Coalesce:
    counts = rows.order_by().values(group).annotate(number=count or Count("pk"))
    return Coalesce(Subquery(counts.values("number")), 0)


# Search


@dataclass(frozen=True, slots=True)
class Town:
    city: str
    state: str
    events: int

    def __str__(self) -> str:
        return ", ".join(part for part in (self.city, self.state) if part)


def find_events(text: str) -> QuerySet[Event]:
    """Return the events that *text* may mean, newest first.

    Each word is the beginning of a word of the name or city, optionally followed by a
    state or year; or the text is the beginning of an event ID.
    """
    asked = EventSearch.of(text)
    if not asked.is_long_enough:
        return Event.objects.none()
    # Not the column itself: for a rare word, PostgreSQL would scan its index
    # through all events.
    ended = Coalesce("ends", Value(date.min))
    return Event.objects.filter(asked.event_filter()).order_by(
        ended.desc(), "-event_id"
    )


def find_clubs(text: str) -> QuerySet[Affiliate]:
    """Return the affiliates that *text* may mean, by name, name and state, or ID."""
    asked = EventSearch.of(text)
    if not asked.is_long_enough:
        return Affiliate.objects.none()
    clubs = Affiliate.objects.annotate(capitals=_capitals("name"))
    return clubs.filter(asked.club_filter()).order_by("name", "affiliate_id")


def find_towns(text: str, most: int) -> list[Town]:
    """Return towns that begin with *text*, those with most events first (one query)."""
    asked = EventSearch.of(text)
    if not asked.is_long_enough:
        return []
    events = Event.objects.annotate(capitals=_capitals("city")).exclude(city="")
    rows = (
        events.filter(asked.town_filter())
        .order_by()
        .values("city", "state")
        .annotate(number=Count("pk"))
        .order_by("-number", "city", "state")
    )
    return [Town(one["city"], one["state"], one["number"]) for one in rows[:most]]


def _capitals(column: str) -> Upper:
    return Upper(column, output_field=CharField())
