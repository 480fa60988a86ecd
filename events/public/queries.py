"""What the public pages of events read."""

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

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
    """Return the events with their counts, the newest first."""
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
    """Return the events a TD directed, as chief or otherwise, the newest first."""
    return events_by_day().filter(pk__in=_directed_by(official))


def _directed_by(official: Official) -> QuerySet:
    return EventOfficial.objects.filter(player=official.player).values("event")


def _figures(events: QuerySet[Event]) -> dict[str, int]:
    """Count events, their sections and entries, in three queries."""
    sections = Section.objects.filter(event__in=events)
    return {
        "events": events.count(),
        "sections": sections.count(),
        "entries": Entry.objects.filter(section__in=sections).count(),
    }


def _counted(rows: QuerySet, group: str, count: Count | None = None) -> Coalesce:
    counts = rows.order_by().values(group).annotate(number=count or Count("pk"))
    return Coalesce(Subquery(counts.values("number")), 0)
