"""Data on a player's next event from the calendar and past events.

How it is played, and the likely opponents. All is public in crosstables and profiles,
with published ratings.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Case, Count, Q, QuerySet, Value, When

from events.calendar.queries.registrations import planned
from events.models import Entry, Event, EventRegistration, Section
from players.models import Player
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    TimeControl,
    parse_time_control,
    systems_for,
)
from ratings.ledger.queries.grants import OWNER
from ratings.ledger.queries.published_ratings import current_published
from ratings_site.common.ui.formatting import whole

MAX_PLANNED = 40
# The number of the organizer's last events whose sections are compared.
SECTIONS_BACK, EVENTS_BACK = 60, 4
# The number of the most frequent players among whom the nearest are chosen.
MAX_REGULARS = 500
# The number of a member's last sections that determine the usual conditions.
OWN_SECTIONS_BACK = 10
CHOSEN, PLAYED_BEFORE, SAME_STATE, OTHER_PLACE = range(4)


@dataclass(frozen=True, slots=True)
class PlayingConditions:
    """The time control of sections, and their rating systems."""

    control: TimeControl
    systems: tuple[System, ...]


@dataclass(frozen=True, slots=True)
class EventKind:
    """The conditions of an event, and similar sections played before."""

    played: PlayingConditions
    sections: tuple[Section, ...] = ()

    @property
    def rounds(self) -> int:
        """The most common number of rounds, the latest of several."""
        counts = Counter(one.rounds for one in self.sections)
        return counts.most_common(1)[0][0] if counts else 0

    @property
    def events(self) -> int:
        return len({one.event_id for one in self.sections})


def planned_events(
    member: Player | None, chosen: int, today: date
) -> QuerySet[EventRegistration]:
    """Return the planned events: the chosen one, then those near.

    Places where the *member* has played come before the member's state. `distance` is
    the group of an event.
    """
    nearer = [When(pk=chosen, then=Value(CHOSEN))]
    if member is not None:
        there = Event.objects.filter(sections__entries__player__in=_numbers_of(member))
        played = When(
            affiliate__in=there.values("affiliate"), then=Value(PLAYED_BEFORE)
        )
        nearer.append(played)
        if member.state:
            nearer.append(When(state=member.state, then=Value(SAME_STATE)))
    rows = planned(today).annotate(distance=Case(*nearer, default=Value(OTHER_PLACE)))
    return rows.order_by("distance", "starts", "pk")[:MAX_PLANNED]


def usual_conditions(member: Player, system: System | None) -> PlayingConditions | None:
    """Return the most common conditions of the member's last sections, latest first.

    With a *system*, only its sections count.
    """
    sections = Section.objects.filter(entries__player__in=_numbers_of(member))
    last = sections.order_by("-ends", "-pk")[:OWN_SECTIONS_BACK]
    counts: Counter[PlayingConditions] = Counter()
    for text, is_online, day in last.values_list("time_control", "is_online", "ends"):
        played = conditions_from([text], day, is_online=is_online)
        if played is not None and system in (None, *played.systems):
            counts[played] += 1
    return counts.most_common(1)[0][0] if counts else None


def _numbers_of(member: Player) -> QuerySet[Player, Any]:
    """Return the subquery of the primary keys of the member and merged duplicates."""
    own = Player.objects.filter(Q(pk=member.pk) | Q(merged_into=member.pk))
    return own.order_by().values("pk")


def conditions_from(
    texts: Iterable[str], day: date, *, is_online: bool
) -> PlayingConditions | None:
    """Return the most common time control of *texts*, the first of several.

    Unreadable and unrated ones do not count.
    """
    for text, _ in Counter(texts).most_common():
        try:
            control = parse_time_control(text)
            systems = systems_for(control, online=is_online, day=day)
        except (BadTimeControl, NotRatable):
            continue
        return PlayingConditions(control, systems)
    return None


def event_kind(registered: EventRegistration) -> EventKind | None:
    """Return an event's conditions, from its sections or the organizer's last ones.

    None if they are unknown. Sections are similar if their first system is the same.
    """
    last = _last_sections(registered)
    texts = [one.time_control for one in registered.sections.all()]
    played = conditions_from(
        [text for text in texts if text] or [one.time_control for one in last],
        registered.ends,
        is_online=registered.is_online,
    )
    if played is None:
        return None
    alike = [one for one in last if _is_alike(one, played)]
    events = list(dict.fromkeys(one.event_id for one in alike))[:EVENTS_BACK]
    return EventKind(played, tuple(one for one in alike if one.event_id in events))


def _last_sections(registered: EventRegistration) -> list[Section]:
    sections = Section.objects.filter(
        event__affiliate=registered.affiliate_id, is_online=registered.is_online
    )
    return list(sections.order_by("-ends", "-pk")[:SECTIONS_BACK])


def _is_alike(section: Section, played: PlayingConditions) -> bool:
    control, day = section.time_control, section.ends
    was = conditions_from([control], day, is_online=section.is_online)
    return was is not None and was.systems[0] == played.systems[0]


def likely_opponents(
    kind: EventKind, system: System, rating: float | None, *, exclude: Player | None
) -> list[str]:
    """Return the member IDs of players of such sections, the likeliest first.

    These are the nearest by published rating, or for unrated players the most frequent.
    """
    entries = Entry.objects.filter(section__in=kind.sections).order_by()
    counted = entries.values(owner=OWNER).annotate(times=Count("pk"))
    most = counted.order_by("-times", "owner")[:MAX_REGULARS]
    times = {row["owner"]: row["times"] for row in most}
    others = Player.objects.filter(pk__in=times, status=Player.Status.ACTIVE)
    ids = dict(others.values_list("pk", "member_id"))
    if exclude:
        ids.pop(exclude.pk, None)
    if rating is None:
        return [ids[pk] for pk in times if pk in ids]
    away = {
        pk: abs(whole(ratings[system]) - rating)
        for pk, ratings in current_published(ids).items()
        if system in ratings
    }
    return [ids[pk] for pk in sorted(away, key=lambda pk: (away[pk], -times[pk], pk))]
