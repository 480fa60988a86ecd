"""Marks: what has changed in history, so that a rerate can follow."""

from datetime import date

from django.conf import settings
from django.db.models import Min

from events.models import Section
from players.models import Player
from ratings.models import Calculation, RatingChange, RerateMark
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

    *note* is one sentence for people, shown publicly as the cause of a rerate; it
    must not give away anything private. Without a day it is the player's first rated
    day; a player who was never rated leaves no mark.
    """
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


def mark_changed_edition() -> RerateMark | None:
    """Mark what was rated by another edition of the rules than the one now set.

    A setting changes outside the office, so this is asked when the office opens and
    before a rerate begins. One such mark is open at a time.
    """
    edition = settings.RATING_EDITION
    by_another = Calculation.objects.filter(is_current=True).exclude(edition=edition)
    first = by_another.aggregate(day=Min("order_date"))["day"]
    is_marked = RerateMark.objects.filter(run=None, kind=RerateMark.Kind.EDITION)
    if first is None or is_marked.exists():
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
