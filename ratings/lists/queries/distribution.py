"""The distribution of current ratings in a system: all, by state, and by age.

The number of rows that a page reads does not grow with the members. Ages are as of
January 1, so that no birthday is revealed; groups of fewer than ten are left out, and
ages are not combined with other filters.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.lists.queries.histograms import (
    AGES,
    GroupStatistics,
    RatingFilter,
    RatingHistogram,
    counted,
)
from ratings.models import PlayerRating

MIN_GROUP_SIZE = 10


@dataclass(frozen=True, slots=True)
class Group:
    """A state or age group with at least ten people."""

    name: str
    histogram: GroupStatistics | RatingHistogram


@dataclass(frozen=True, slots=True)
class Distribution:
    histogram: RatingHistogram
    counted_at: datetime
    states: list[Group] = field(default_factory=list)
    ages: list[Group] = field(default_factory=list)


def distribution_of(rating_filter: RatingFilter) -> Distribution:
    """Return the distribution of the filtered ratings (two queries)."""
    found = counted(rating_filter)
    ages = ((_age_label(place), one) for place, one in sorted(found.ages.items()))
    return Distribution(
        histogram=found.histogram,
        counted_at=found.counted_at,
        states=_groups(found.states.items()),
        ages=_groups(ages) if rating_filter.is_unfiltered else [],
    )


def rating_of(player: Player, system: System) -> int | None:
    """Return a member's rating as the distribution counts it, None if unrated."""
    ratings = PlayerRating.objects.filter(player=player, system=system)
    return ratings.values_list("published_rating", flat=True).first()


def _age_label(place: int) -> str:
    if place == 0:
        return _("under {age}").format(age=AGES[1])
    if place == len(AGES) - 1:
        return _("{age} and older").format(age=AGES[place])
    return f"{AGES[place]}–{AGES[place + 1] - 1}"


def _groups(
    found: Iterable[tuple[str, GroupStatistics | RatingHistogram]],
) -> list[Group]:
    """Return the groups that are large enough to be published."""
    return [Group(name, one) for name, one in found if one.people >= MIN_GROUP_SIZE]
