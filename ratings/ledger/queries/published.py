"""What the list in force on a day says."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import QuerySet

from ratings.engine.systems import System
from ratings.models import (
    OfficialList,
)


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """An official rating as it was published."""

    rating: int
    games: int
    is_provisional: bool


def list_in_force(on: date) -> OfficialList | None:
    return OfficialList.objects.filter(month__lte=on).first()


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
