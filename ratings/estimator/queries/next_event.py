"""What the calendar and the books tell of somebody's next event.

How it is played, and who is likely to be met: what everybody can read in crosstables
and on profiles, ratings as these show them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

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
from ratings.ledger.queries.published import current_published
from ratings_site.common.looks.figures import whole

MOST_PLANNED = 40
# Of the organizer's last sections those of the same kind count, in so many events.
SECTIONS_BACK, EVENTS_BACK = 60, 4
# Among so many the nearest are looked for, those who play there most.
MOST_REGULARS = 500
# What most of a member's last sections were is what the member plays.
OWN_SECTIONS_BACK = 10
CHOSEN, PLAYED_THERE, SAME_STATE, ELSEWHERE = range(4)


@dataclass(frozen=True, slots=True)
class Played:
    """How sections are played, and in which systems that is rated."""

    control: TimeControl
    systems: tuple[System, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """How an event is played, and the sections like it that were played before."""

    played: Played
    sections: tuple[Section, ...] = ()

    @property
    def rounds(self) -> int:
        """How many rounds most of them had, the last of several."""
        counts = Counter(one.rounds for one in self.sections)
        return counts.most_common(1)[0][0] if counts else 0

    @property
    def events(self) -> int:
        return len({one.event_id for one in self.sections})


def planned_events(
    member: Player | None, chosen: int, today: date
) -> QuerySet[EventRegistration]:
    """Return what is in the calendar: the chosen event, then what is near.

    Where the *member* has played comes before the member's state. `distance` says of
    an event why it stands where it does.
    """
    nearer = [When(pk=chosen, then=Value(CHOSEN))]
    if member is not None:
        there = Event.objects.filter(sections__entries__player__in=_numbers_of(member))
        played = When(affiliate__in=there.values("affiliate"), then=Value(PLAYED_THERE))
        nearer.append(played)
        if member.state:
            nearer.append(When(state=member.state, then=Value(SAME_STATE)))
    rows = planned(today).annotate(distance=Case(*nearer, default=Value(ELSEWHERE)))
    return rows.order_by("distance", "starts", "pk")[:MOST_PLANNED]


def usually_played(member: Player, system: System | None) -> Played | None:
    """Return how most of the member's last sections were played, the last of several.

    With a *system*, of its sections only.
    """
    sections = Section.objects.filter(entries__player__in=_numbers_of(member))
    last = sections.order_by("-ends", "-pk")[:OWN_SECTIONS_BACK]
    counts: Counter[Played] = Counter()
    for text, is_online, day in last.values_list("time_control", "is_online", "ends"):
        played = played_as([text], day, is_online=is_online)
        if played is not None and system in (None, *played.systems):
            counts[played] += 1
    return counts.most_common(1)[0][0] if counts else None


def _numbers_of(member: Player) -> QuerySet:
    """Return for a subquery under which keys the member's games are."""
    own = Player.objects.filter(Q(pk=member.pk) | Q(merged_into=member.pk))
    return own.order_by().values("pk")


def played_as(texts: Iterable[str], day: date, *, is_online: bool) -> Played | None:
    """Return the time control that most of *texts* are, the first of several.

    What cannot be read, or is not rated, counts for nothing.
    """
    for text, _ in Counter(texts).most_common():
        try:
            control = parse_time_control(text)
            systems = systems_for(control, online=is_online, day=day)
        except (BadTimeControl, NotRatable):
            continue
        return Played(control, systems)
    return None


def kind_of(registered: EventRegistration) -> Kind | None:
    """Return how an event is played, as its sections say or the organizer's last ones.

    None where nothing tells it. Sections are like it if the system they are rated in
    first is the same.
    """
    last = _last_sections(registered)
    texts = [one.time_control for one in registered.sections.all()]
    played = played_as(
        [text for text in texts if text] or [one.time_control for one in last],
        registered.ends,
        is_online=registered.is_online,
    )
    if played is None:
        return None
    alike = [one for one in last if _is_alike(one, played)]
    events = list(dict.fromkeys(one.event_id for one in alike))[:EVENTS_BACK]
    return Kind(played, tuple(one for one in alike if one.event_id in events))


def _last_sections(registered: EventRegistration) -> list[Section]:
    sections = Section.objects.filter(
        event__affiliate=registered.affiliate_id, is_online=registered.is_online
    )
    return list(sections.order_by("-ends", "-pk")[:SECTIONS_BACK])


def _is_alike(section: Section, played: Played) -> bool:
    control, day = section.time_control, section.ends
    was = played_as([control], day, is_online=section.is_online)
    return was is not None and was.systems[0] == played.systems[0]


def likely_opponents(
    kind: Kind, system: System, rating: float | None, *, but: Player | None
) -> list[str]:
    """Return the IDs of those who played such sections, the likeliest first.

    Those are the nearest in the ratings that everybody sees; by somebody unrated, who
    plays there most.
    """
    entries = Entry.objects.filter(section__in=kind.sections).order_by()
    counted = entries.values(owner=OWNER).annotate(times=Count("pk"))
    most = counted.order_by("-times", "owner")[:MOST_REGULARS]
    times = {row["owner"]: row["times"] for row in most}
    others = Player.objects.filter(pk__in=times, status=Player.Status.ACTIVE)
    ids = dict(others.values_list("pk", "member_id"))
    ids.pop(but.pk if but else None, None)
    if rating is None:
        return [ids[pk] for pk in times if pk in ids]
    away = {
        pk: abs(whole(ratings[system]) - rating)
        for pk, ratings in current_published(ids).items()
        if system in ratings
    }
    return [ids[pk] for pk in sorted(away, key=lambda pk: (away[pk], -times[pk], pk))]
