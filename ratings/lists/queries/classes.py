"""What the pages of the class categories read."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from ratings.engine.classes import CLASSES, RatingClass
from ratings.engine.systems import System
from ratings.lists.queries.spreads import (
    Asked,
    RatingsCounted,
    Spread,
    counted_spread,
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
    """Return the class in an address, where National Master is “master”."""
    return slugify(one.name.removeprefix("National "))


def class_by_slug(slug: str) -> RatingClass | None:
    return next((one for one in CLASSES if slug_of(one) == slug), None)


def counts(system: System, standing: RatingsCounted) -> ClassCounts:
    """Count the members of every class, highest first (one query)."""
    spread, counted_at = spread_of(Asked(system, standing=standing))
    members = _by_class(spread)
    classes = [
        ClassCount(one.name, slug_of(one), one.lowest, highest, members[one])
        for one, highest in _with_highest()
    ]
    return ClassCounts(classes, counted_at)


def _by_class(spread: Spread) -> Counter[RatingClass]:
    members: Counter[RatingClass] = Counter()
    for rating, people in spread.ratings.items():
        members[next(one for one in CLASSES if rating >= one.lowest)] += people
    return members


@dataclass(frozen=True, slots=True)
class Members:
    """The current ratings in a class, the highest first.

    *total* is how many there were when a job last counted them, None if it never has:
    counting a hundred thousand members takes longer than a page may.
    """

    rated: QuerySet[PlayerRating]
    total: int | None
    counted_at: datetime


def members_of(one: RatingClass, system: System, standing: RatingsCounted) -> Members:
    """Return the members of a class (one query, the ratings not yet read)."""
    rated = rated_in(system, standing).filter(published_rating__gte=one.lowest)
    highest = dict(_with_highest())[one]
    if highest is not None:
        rated = rated.filter(published_rating__lte=highest)
    in_order = rated.select_related("player").order_by(
        "-published_rating", "player__search_name", "player__member_id"
    )
    counted = counted_spread(Asked(system, standing=standing))
    if counted is None:
        return Members(in_order, None, timezone.now())
    spread, counted_at = counted
    return Members(in_order, _by_class(spread)[one], counted_at)


def _with_highest() -> Iterator[tuple[RatingClass, int | None]]:
    highest = None
    for one in CLASSES:
        yield one, highest
        highest = one.lowest - 1
