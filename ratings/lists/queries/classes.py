"""What the pages of the class categories read."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.text import slugify

from ratings.engine.classes import CLASSES, RatingClass
from ratings.engine.systems import System
from ratings.lists.queries.spreads import (
    Asked,
    RatingsCounted,
    Spread,
    rated_in,
    spread_of,
)


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
    """The ratings in a class at a moment, the highest first.

    *total* is how many there were if they were counted before. Who has died since is
    among the total only.
    """

    rated: QuerySet
    total: int | None
    counted_at: datetime


def members_of(one: RatingClass, system: System, standing: RatingsCounted) -> Members:
    """Return who was in a class when ratings were counted (one query)."""
    highest = dict(_with_highest())[one]
    rated, spread, counted_at = rated_in(system, standing)
    rated = rated.filter(seen__gte=_lower_edge(one.lowest))
    if highest is not None:
        rated = rated.filter(seen__lt=_lower_edge(highest + 1))
    in_order = rated.select_related("player").order_by(
        "-seen", "player__search_name", "player__member_id"
    )
    total = None if spread is None else _by_class(spread)[one]
    return Members(in_order, total, counted_at)


def _lower_edge(whole: int) -> float:
    """The lowest rating that people see as *whole*: halves are rounded up."""
    return whole - 0.5


def _with_highest() -> Iterator[tuple[RatingClass, int | None]]:
    highest = None
    for one in CLASSES:
        yield one, highest
        highest = one.lowest - 1
