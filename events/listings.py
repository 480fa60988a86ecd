"""What the public pages of events read."""

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from events.models import Entry, Event, Game, Section


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


def sections_of(event: Event) -> QuerySet[Section]:
    """Return the event's sections with their numbers of players and games.

    A member who re-entered has two entries and is one player.
    """
    entries = Entry.objects.filter(section=OuterRef("pk"))
    games = Game.objects.filter(section=OuterRef("pk"))
    return event.sections.order_by("number").annotate(
        player_count=_counted(entries, "section", Count("player", distinct=True)),
        game_count=_counted(games, "section"),
    )


def _counted(rows: QuerySet, group: str, count: Count | None = None) -> Coalesce:
    counts = rows.order_by().values(group).annotate(number=count or Count("pk"))
    return Coalesce(Subquery(counts.values("number")), 0)
