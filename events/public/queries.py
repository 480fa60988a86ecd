"""Queries for the public pages of events."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
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

from events.certification.queries import held_by
from events.formats.played_games import HALF_POINTS
from events.formats.tiebreaks import Round, Tiebreaks, tiebreaks
from events.models import (
    Affiliate,
    Entry,
    Event,
    Game,
    Official,
    Schedule,
    Section,
    UnplayedRound,
)
from events.public.event_search import EventSearch
from players.members.rating_history import MAIN_SYSTEM, rating_history
from players.models import Player


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
    events = events_with_counts().select_related("affiliate")
    return events.order_by("-ends", "-event_id")


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


# Standings


@dataclass(slots=True)
class Standing:
    """An entry in the standings of its section; *tiebreaks* for a Swiss only."""

    entry: Entry
    half_points: int
    place: int = 0
    is_shared: bool = False
    tiebreaks: Tiebreaks | None = None

    @property
    def state(self) -> str:
        return self.entry.reported_state or self.entry.player.state


SWISS = (Section.Kind.SWISS, Section.Kind.DOUBLE_SWISS)


def standings_of(sections: Sequence[Section]) -> dict[int, list[Standing]]:
    """Return the standings of each section, the best first (three queries)."""
    entries = Entry.objects.filter(section__in=sections).select_related("player")
    cards = _cards(sections, entries)
    return {section.pk: _standings(section, cards[section.pk]) for section in sections}


EntryRounds = dict[Entry, dict[int, Round]]


def _cards(
    sections: Sequence[Section], entries: Iterable[Entry]
) -> dict[int, EntryRounds]:
    """Return the rounds of every entry by section, in three queries."""
    found: dict[int, EntryRounds] = {section.pk: {} for section in sections}
    by_key = {entry.pk: entry for entry in entries}
    doubled = {one.pk for one in sections if one.kind == Section.Kind.DOUBLE_SWISS}
    for entry in by_key.values():
        found[entry.section_id][entry] = {}
    unplayed = UnplayedRound.objects.filter(entry__section__in=sections)
    for key, number, kind in unplayed.values_list("entry_id", "round_number", "kind"):
        entry = by_key[key]
        points = UnplayedRound.HALF_POINTS[kind] * (1 + (entry.section_id in doubled))
        found[entry.section_id][entry][number] = Round(points)
    games = Game.objects.filter(section__in=sections).order_by()
    for number, one, other, ours, theirs in games.values_list(
        "round_number", "first_id", "second_id", "first_outcome", "second_outcome"
    ):
        first, second = by_key[one], by_key[other]
        for own, opponent, outcome in ((first, second, ours), (second, first, theirs)):
            rounds = found[own.section_id][own]
            before = rounds.get(number, Round(0)).half_points
            points = before + HALF_POINTS[outcome]
            rounds[number] = Round(points, opponent.pairing_number)
    return found


def _standings(section: Section, rounds: EntryRounds) -> list[Standing]:
    last = max((max(one, default=0) for one in rounds.values()), default=0)
    numbers = range(1, max(section.rounds, last) + 1)
    cards = {
        entry.pairing_number: [played.get(one, Round(0)) for one in numbers]
        for entry, played in rounds.items()
    }
    found: dict[int, Tiebreaks] = {}
    if section.kind in SWISS:
        games = 2 if section.kind == Section.Kind.DOUBLE_SWISS else 1
        found = tiebreaks(cards, games_per_round=games)
    rows = [
        Standing(
            entry,
            sum(one.half_points for one in played.values()),
            tiebreaks=found.get(entry.pairing_number),
        )
        for entry, played in rounds.items()
    ]
    rows.sort(
        key=lambda row: (
            -row.half_points,
            [-one for one in row.tiebreaks or ()],
            row.entry.pairing_number,
        )
    )
    counted = Counter(row.half_points for row in rows)
    for index, row in enumerate(rows):
        is_tied = index > 0 and rows[index - 1].half_points == row.half_points
        row.place = rows[index - 1].place if is_tied else index + 1
        row.is_shared = counted[row.half_points] > 1
    return rows


def affiliate_figures(affiliate: Affiliate) -> dict[str, int]:
    return _figures(Event.objects.filter(affiliate=affiliate))


def affiliates(today: date) -> QuerySet[Affiliate]:
    """Return the affiliates with their last event and their events within a year."""
    events = Event.objects.filter(affiliate=OuterRef("pk"))
    recent = events.filter(ends__gt=a_year_before(today))
    return Affiliate.objects.annotate(
        recent=_counted(recent, "affiliate"),
        last=Subquery(events.order_by("-ends").values("ends")[:1]),
    ).order_by("name", "affiliate_id")


def a_year_before(day: date) -> date:
    return day - timedelta(days=365)


@dataclass(frozen=True, slots=True)
class ClubPlayer:
    """A player of a club's events, with the published Regular rating if any."""

    player: Player
    events: int
    rating: float | None


def club_players(
    affiliate: Affiliate, since: date, most: int
) -> tuple[list[ClubPlayer], list[ClubPlayer]]:
    """Return the most active players of a club's events, and the highest rated ones.

    They are all members who entered a rated event that ended after *since*, whatever
    their age: to split them by age would tell the ages of those on no ranking (three
    queries).
    """
    person = Coalesce("player__merged_into", "player")
    entered = Entry.objects.filter(
        section__event__affiliate=affiliate, section__event__ends__gt=since
    )
    counted = dict(
        entered.order_by()
        .annotate(person=person)
        .values_list("person")
        .annotate(events=Count("section__event", distinct=True))
    )
    published = rating_history().public_ratings(list(counted))
    ratings = {pk: published[pk].get(MAIN_SYSTEM) for pk in counted}
    rated = [pk for pk in counted if ratings[pk] is not None]
    active = sorted(counted, key=lambda pk: (-counted[pk], -(ratings[pk] or 0), pk))
    highest = sorted(rated, key=lambda pk: (-(ratings[pk] or 0), pk))
    chosen = {*active[:most], *highest[:most]}
    players = Player.objects.in_bulk(chosen)
    rows = {pk: ClubPlayer(players[pk], counted[pk], ratings[pk]) for pk in chosen}
    return [rows[pk] for pk in active[:most]], [rows[pk] for pk in highest[:most]]


def td_figures(official: Official) -> dict[str, int]:
    return _figures(events_directed_by(official))


def events_directed_by(official: Official) -> QuerySet[Event]:
    """Return the events that a TD directed in any role, newest first."""
    directed = held_by(official.player).values("event")
    return events_by_day().filter(pk__in=directed)


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
