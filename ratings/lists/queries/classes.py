"""Queries of the rating class pages."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from players.members.queries import PLAYER_BY_NAME
from ratings.engine.classes import CLASSES, RatingClass, rating_class_for
from ratings.engine.systems import System
from ratings.lists.queries.histograms import (
    RatingFilter,
    RatingHistogram,
    RatingsCounted,
    histogram_for,
    rated_in,
    stored_histogram,
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
    """Every class with its number of members at a moment, highest first."""

    classes: list[ClassCount]
    counted_at: datetime

    @property
    def members(self) -> int:
        return sum(one.members for one in self.classes)


def slug_of(one: RatingClass) -> str:
    """Return the class as it is in URLs, where National Master is “master”."""
    return slugify(one.name.removeprefix("National "))


def highest_of(one: RatingClass) -> int | None:
    """Return the highest rating of a class, None if it has no limit."""
    higher = [other.lowest for other in CLASSES if other.lowest > one.lowest]
    return min(higher) - 1 if higher else None


def class_by_slug(slug: str) -> RatingClass | None:
    return next((one for one in CLASSES if slug_of(one) == slug), None)


def counts(system: System, standing: RatingsCounted) -> ClassCounts:
    """Count the members of every class, highest first (one query)."""
    histogram, counted_at = histogram_for(RatingFilter(system, standing=standing))
    members = _by_class(histogram)
    classes = [
        ClassCount(one.name, slug_of(one), one.lowest, highest_of(one), members[one])
        for one in CLASSES
    ]
    return ClassCounts(classes, counted_at)


def _by_class(histogram: RatingHistogram) -> Counter[RatingClass]:
    members: Counter[RatingClass] = Counter()
    for rating, people in histogram.ratings.items():
        members[rating_class_for(rating)] += people
    return members


@dataclass(frozen=True, slots=True)
class ClassMembers:
    """The current ratings in a class, the highest first.

    *total* is the last count by a job, None if there is none yet: counting a hundred
    thousand members takes too long for a page.
    """

    rated: QuerySet[PlayerRating]
    total: int | None
    counted_at: datetime


def class_members(
    one: RatingClass, system: System, standing: RatingsCounted
) -> ClassMembers:
    """Return the members of a class (one query; the ratings are read lazily)."""
    rated = rated_in(system, standing).filter(published_rating__gte=one.lowest)
    highest = highest_of(one)
    if highest is not None:
        rated = rated.filter(published_rating__lte=highest)
    in_order = rated.select_related("player").order_by(
        "-published_rating", *PLAYER_BY_NAME
    )
    counted = stored_histogram(RatingFilter(system, standing=standing))
    if counted is None:
        return ClassMembers(in_order, None, timezone.now())
    histogram, counted_at = counted
    return ClassMembers(in_order, _by_class(histogram)[one], counted_at)
