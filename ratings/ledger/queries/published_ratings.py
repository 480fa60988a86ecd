"""Published numbers: ratings as the public sees them, and official lists by day.

A rating is published as its whole number, or as "about" the nearest 50 if it still is
the start that came from the player's age. Pages, files, feeds and the API all take the
number from here (docs/privacy.md); `ratings.access` decides who sees ratings exactly.
"""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import overload

from django.db.models import QuerySet

from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.models import (
    OfficialList,
    OfficialRating,
    PlayerRating,
    RatingChange,
    RunDifference,
)
from ratings_site.common.ui.formatting import ApproximateRating

ABOUT_STEP = 50
"""Rating points to which a rating is rounded that still is an age-based start."""


def published(line: RatingChange | PlayerRating) -> float:
    """Return a ledger line's rating, or a current rating, as the public sees it."""
    rating = line.rating if isinstance(line, PlayerRating) else line.post_rating
    return published_number(rating, line.age_start)


def published_before(line: RatingChange) -> float | None:
    """Return the rating before a ledger line as the public sees it; None if unrated."""
    return published_number(line.pre_rating, line.pre_age_start)


def published_difference(row: RunDifference) -> tuple[float | None, float | None]:
    """Return a rating before and after a rerate as the public sees it, or None."""
    return (
        published_number(row.before, row.before_age_start),
        published_number(row.after, row.age_start),
    )


@overload
def published_number(rating: float, age_start: float | None) -> float: ...
@overload
def published_number(rating: float | None, age_start: float | None) -> float | None: ...
def published_number(rating: float | None, age_start: float | None) -> float | None:
    """Return *rating* as published; *age_start* is the age-based start it still is.

    None, an unrated player, stays None.

    >>> published_number(1644.5, None), published_number(583.03, 583.03)
    (1645.0, 600.0)
    """
    if rating is None:
        return None
    if age_start is None:
        return float(official(rating))
    return ApproximateRating(ABOUT_STEP * math.floor(rating / ABOUT_STEP + 0.5))


def published_change(before: float | None, after: float | None) -> int | None:
    """Return the change between two ratings in whole points, as published.

    There is none for a player who was unrated, or where a number is only "about".
    """
    if before is None or after is None:
        return None
    if isinstance(before, ApproximateRating) or isinstance(after, ApproximateRating):
        return None
    return official(after) - official(before)


def official_number(row: OfficialRating) -> float:
    """Return a rating of an official list as published."""
    return ApproximateRating(row.rating) if row.is_about else float(row.rating)


def current_published(players: Collection[int]) -> dict[int, dict[System, float]]:
    """Return the published current ratings of members (one query, if there are any)."""
    found: dict[int, dict[System, float]] = {pk: {} for pk in players}
    if found:
        for row in PlayerRating.objects.filter(player__in=players):
            found[row.player_id][System(row.system)] = published(row)
    return found


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """An official rating as published."""

    rating: int
    games: int
    is_provisional: bool


def list_in_force(on: date) -> OfficialList | None:
    return OfficialList.objects.in_force_on(on)


def lists_since(moment: datetime) -> QuerySet[OfficialList]:
    """Return the lists that were published at *moment* or later."""
    return OfficialList.objects.filter(published_at__gte=moment)


def published_for(
    player_ids: Iterable[int], system: System, *, on: date
) -> dict[int, PublishedValue]:
    """Return the official ratings of many on the list in force on a day."""
    in_force = list_in_force(on)
    if in_force is None:
        return {}
    rows = in_force.ratings.filter(player__in=list(player_ids), system=system)
    return {
        row.player_id: PublishedValue(row.rating, row.games, row.is_provisional)
        for row in rows
    }
