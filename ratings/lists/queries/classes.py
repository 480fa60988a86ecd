"""What the pages of the class categories read."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Case, Count, IntegerField, QuerySet, Value, When
from django.utils import timezone
from django.utils.text import slugify

from players.models import Player
from ratings.engine.classes import CLASSES, RatingClass
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.privacy import coarse, tells_start
from ratings.models import PlayerRating

# Who is no longer counted as somebody of a class.
NOT_COUNTED = [Player.Status.DECEASED, Player.Status.DUPLICATE]


class RatingsCounted(StrEnum):
    """Which ratings are counted."""

    ALL = ""
    ESTABLISHED = "established"
    PROVISIONAL = "provisional"


@dataclass(frozen=True, slots=True)
class ClassCount:
    name: str
    slug: str
    lowest: int
    highest: int | None
    members: int


def slug_of(one: RatingClass) -> str:
    return slugify(one.name)


def class_by_slug(slug: str) -> RatingClass | None:
    return next((one for one in CLASSES if slug_of(one) == slug), None)


def counts(system: System, standing: RatingsCounted) -> list[ClassCount]:
    """Count the members of every class, highest first, in one query."""
    numbers = dict(
        rated_in(system, standing)
        .annotate(place=_place())
        .values("place")
        .annotate(members=Count("pk"))
        .values_list("place", "members")
        .order_by("place")
    )
    return [
        ClassCount(one.name, slug_of(one), one.lowest, highest, numbers.get(place, 0))
        for place, (one, highest) in enumerate(_with_highest())
    ]


def members_of(
    one: RatingClass, system: System, standing: RatingsCounted
) -> QuerySet[PlayerRating]:
    """Return the current ratings in a class, highest first."""
    highest = dict(_with_highest())[one]
    rated = rated_in(system, standing).annotate(tells_start=tells_start())
    rated = rated.filter(seen__gte=_lower_edge(one.lowest))
    if highest is not None:
        rated = rated.filter(seen__lt=_lower_edge(highest + 1))
    return rated.select_related("player").order_by(
        "-seen", "player__search_name", "player__member_id"
    )


def rated_in(system: System, standing: RatingsCounted) -> QuerySet[PlayerRating]:
    """Return the current ratings of a system that are counted.

    Each with the number that everybody sees of it, *seen*.
    """
    rated = (
        PlayerRating.objects.filter(system=system)
        .exclude(player__status__in=NOT_COUNTED)
        .annotate(seen=coarse())
    )
    most_provisional = rules_in_force(timezone.localdate()).established_after
    if standing is RatingsCounted.ESTABLISHED:
        return rated.filter(games__gt=most_provisional)
    if standing is RatingsCounted.PROVISIONAL:
        return rated.filter(games__lte=most_provisional)
    return rated


def _lower_edge(whole: int) -> float:
    """The lowest rating that people see as *whole*: halves are rounded up."""
    return whole - 0.5


def _place() -> Case:
    """The place in CLASSES of the class of a rating."""
    return Case(
        *(
            When(seen__gte=_lower_edge(one.lowest), then=Value(place))
            for place, one in enumerate(CLASSES)
        ),
        output_field=IntegerField(),
    )


def _with_highest() -> Iterator[tuple[RatingClass, int | None]]:
    highest = None
    for one in CLASSES:
        yield one, highest
        highest = one.lowest - 1
