"""Marks: what has changed in history, so that a rerate can follow."""

from datetime import date, datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Min

from events.models import Section
from players.models import Player
from ratings.models import Calculation, RatingChange, RerateMark, Run
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


def leave_mark(
    *,
    kind: str,
    day: date | None,
    note: str,
    player: Player | None = None,
    section: Section | None = None,
    actor: User | None = None,
) -> RerateMark | None:
    """Note in the transaction of a change that ratings may differ from *day* on.

    It holds the ratings, so that what is being rated at this moment is seen. Who locks
    rows before this must hold them earlier (``ratings_site.common.database.locks``).

    *note* is one sentence for people, shown publicly as the cause of a rerate; it
    must not give away anything private. Without a day it is the player's first rated
    day; a player who was never rated leaves no mark.
    """
    hold_ratings()
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


def take_back_merge(*, kept: Player, merged: Player, merged_at: datetime) -> bool:
    """Take away the mark of a merge that is undone; False if more has to follow.

    The mark has to be open, and nothing may rest on the merge: no rating of either of
    them since, and no rerate that is under way.
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
def mark_changed_edition() -> RerateMark | None:
    """Mark what was rated by another edition of the rules than the one now set.

    A setting changes outside the office, so this is asked when the office opens and
    before a rerate begins. It leaves no second mark where one from that day is open.
    """
    edition = settings.RATING_EDITION
    by_another = Calculation.objects.filter(is_current=True).exclude(edition=edition)
    first = by_another.aggregate(day=Min("order_date"))["day"]
    if first is None:
        return None
    marks = RerateMark.objects.filter(run=None, kind=RerateMark.Kind.EDITION)
    if marks.filter(from_day__lte=first).exists():
        return None
    text = day_in_words(date.fromisoformat(edition))
    return leave_mark(
        kind=RerateMark.Kind.EDITION,
        day=first,
        note=f"Ratings now follow the text of {text} of the rating system.",
    )


def _first_day(player: Player | None, section: Section | None) -> date | None:
    if section is not None:
        return section.ends
    if player is None:
        raise ValueError("A mark needs a day, a player or a section.")
    people = [player.pk, *player.duplicates.values_list("pk", flat=True)]
    lines = RatingChange.objects.filter(player__in=people, calculation__is_current=True)
    return lines.aggregate(day=Min("calculation__order_date"))["day"]
