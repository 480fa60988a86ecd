"""Pending rerates: changes of history that the next rerate takes in."""

from datetime import date, datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Min

from events.models import Section
from players.models import Player
from ratings.models import Calculation, RatingChange, RerateMark, Run
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User


def add_pending_rerate(
    *,
    kind: str,
    day: date | None,
    note: str,
    player: Player | None = None,
    section: Section | None = None,
    actor: User | None = None,
) -> RerateMark | None:
    """Note in the transaction of a change that ratings may differ from *day* on.

    It locks the ratings, so that sections being rated at this moment are seen. A caller
    that locks rows before this must lock the ratings first
    (``ratings_site.common.db.locks``). *note* is one sentence, shown publicly as the
    cause of a rerate; it must not reveal anything private. Without a day it is the
    player's first rated day; a player who was never rated needs no rerate.
    """
    lock_ratings()
    day = day or _first_day(player, section)
    if day is None:
        return None
    return RerateMark.objects.create(
        kind=kind,
        from_day=day,
        note=note,
        player=player,
        section=section,
        left_by=actor,
    )


def remove_merge_pending_rerate(
    *, kept: Player, merged: Player, merged_at: datetime
) -> bool:
    """Remove the pending rerate of an undone merge; False if it was not enough.

    It has to be open, and nothing may depend on the merge: no later rating of either
    member, and no rerate that is under way.
    """
    marks = RerateMark.objects.filter(
        kind=RerateMark.Kind.MERGE,
        player=kept,
        note__contains=merged.member_id,
        left_at__gte=merged_at,
        run=None,
    )
    numbers = [merged.pk, kept.pk, *kept.duplicates.values_list("pk", flat=True)]
    rated_since = RatingChange.objects.filter(
        player__in=numbers, calculation__created_at__gte=merged_at
    )
    under_way = Run.objects.filter(status__in=Run.OPEN_STATUSES)
    if rated_since.exists() or under_way.exists():
        return False
    return bool(marks.delete()[0])


@transaction.atomic
def add_edition_pending_rerate() -> RerateMark | None:
    """Add a pending rerate if ratings used another edition than the configured one.

    A setting changes outside the office, so this is checked when the office opens and
    before a rerate begins. It adds no second one for the same day.
    """
    edition = settings.RATING_EDITION
    by_another = Calculation.objects.filter(is_current=True).exclude(edition=edition)
    first = by_another.aggregate(day=Min("order_date"))["day"]
    if first is None:
        return None
    marks = RerateMark.objects.pending().filter(kind=RerateMark.Kind.EDITION)
    if marks.filter(from_day__lte=first).exists():
        return None
    return add_pending_rerate(
        kind=RerateMark.Kind.EDITION,
        day=first,
        note=f"Ratings now follow the text of {edition} of the rating system.",
    )


def _first_day(player: Player | None, section: Section | None) -> date | None:
    if section is not None:
        return section.ends
    if player is None:
        raise ValueError("A mark needs a day, a player or a section.")
    people = [player.pk, *player.duplicates.values_list("pk", flat=True)]
    lines = RatingChange.objects.filter(player__in=people, calculation__is_current=True)
    day: date | None = lines.aggregate(day=Min("calculation__order_date"))["day"]
    return day
