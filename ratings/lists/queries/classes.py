"""What the pages of the class categories read."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.text import slugify

from ratings.engine.classes import CLASSES, RatingClass
from ratings.engine.systems import System
from ratings.ledger.queries.privacy import most_moved, tells_start
from ratings.lists.queries.spreads import (
    Asked,
    RatingsCounted,
    rated_in,
    spread_of,
)
from ratings.models import PlayerRating


@dataclass(frozen=True, slots=True)
class ClassCount:
    name: str
    slug: str
    lowest: int
    highest: int | None
    members: int


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Every class with its members at a moment, the highest first."""

    classes: list[ClassCount]
    counted_at: datetime

    @property
    def members(self) -> int:
        return sum(one.members for one in self.classes)


def slug_of(one: RatingClass) -> str:
    return slugify(one.name)


def class_by_slug(slug: str) -> RatingClass | None:
    return next((one for one in CLASSES if slug_of(one) == slug), None)


def counts(system: System, standing: RatingsCounted) -> ClassCounts:
    """Count the members of every class, highest first (one query)."""
    spread, counted_at = spread_of(Asked(system, standing=standing))
    members = Counter(dict.fromkeys(CLASSES, 0))
    for rating, people in spread.ratings.items():
        members[next(one for one in CLASSES if rating >= one.lowest)] += people
    classes = [
        ClassCount(one.name, slug_of(one), one.lowest, highest, members[one])
        for one, highest in _with_highest()
    ]
    return ClassCounts(classes, counted_at)


def members_of(
    one: RatingClass, system: System, standing: RatingsCounted
) -> QuerySet[PlayerRating]:
    """Return the current ratings in a class, highest first."""
    highest = dict(_with_highest())[one]
    rated = rated_in(system, standing).annotate(tells_start=tells_start())
    rated = rated.filter(_seen_from(_lower_edge(one.lowest)))
    if highest is not None:
        rated = rated.filter(_seen_below(_lower_edge(highest + 1)))
    return rated.select_related("player").order_by(
        "-seen", "player__search_name", "player__member_id"
    )


def _seen_from(edge: float) -> Q:
    """Return the condition that a rating is seen as *edge* or more.

    Only near it does it matter what is seen, which is dear to find out for many.
    """
    certain, possible = edge + most_moved(), edge - most_moved()
    return Q(rating__gte=possible) & (Q(rating__gte=certain) | Q(seen__gte=edge))


def _seen_below(edge: float) -> Q:
    certain, possible = edge - most_moved(), edge + most_moved()
    return Q(rating__lt=possible) & (Q(rating__lt=certain) | Q(seen__lt=edge))


def _lower_edge(whole: int) -> float:
    """The lowest rating that people see as *whole*: halves are rounded up."""
    return whole - 0.5


def _with_highest() -> Iterator[tuple[RatingClass, int | None]]:
    highest = None
    for one in CLASSES:
        yield one, highest
        highest = one.lowest - 1
