"""The distribution of current ratings in a system: all, by state, and by age.

The number of rows that a page reads does not grow with the members. Ages are as of
January 1, so that no birthday is revealed; groups of fewer than ten are left out, and
ages are not combined with other filters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.lists.queries.histograms import (
    AGES,
    GroupStatistics,
    RatingCounts,
    RatingFilter,
    RatingHistogram,
    counted,
)
from ratings.models import PlayerRating

MIN_GROUP_SIZE = 10


def distribution_of(rating_filter: RatingFilter) -> RatingCounts:
    """Return the distribution of the filtered ratings (two queries).

    Groups have their names, and at least ten people.
    """
    found = counted(rating_filter)
    ages = ((_age_label(int(place)), one) for place, one in found.ages.items())
    return replace(
        found,
        states=_large_groups(found.states.items()),
        ages=_large_groups(ages) if rating_filter.is_unfiltered else {},
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


def _large_groups(
    groups: Iterable[tuple[str, GroupStatistics | RatingHistogram]],
) -> Mapping[str, GroupStatistics | RatingHistogram]:
    """Return the groups that are large enough to be published."""
    return {name: one for name, one in groups if one.people >= MIN_GROUP_SIZE}
