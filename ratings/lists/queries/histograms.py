"""The distribution of published ratings, as last counted by a job or counted now.

Counting takes seconds with very many ratings, so pages read the counts that
`ratings.lists.services.rating_counts` has stored, with their time. Before the first
count there are few enough to count them for each page.

The number of rows that a page reads does not grow with the members. Ages are as of
January 1, so that no birthday is revealed; groups of fewer than ten are left out, and
ages are not combined with other filters.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from django.db.models import (
    Case,
    Count,
    IntegerField,
    Q,
    QuerySet,
    TextChoices,
    Value,
    When,
)
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models import Player
from ratings.engine.matches import years_before
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.models import CountedRatings, PlayerRating

Of = CountedRatings.Of

BIN_WIDTH = 50  # rating points per column
MIN_GROUP_SIZE = 10
# The lowest age of each group; the last group is open.
AGES = (0, 10, 13, 16, 19, 26, 40, 50, 65)

# Members with these statuses are not counted in a class.
NOT_COUNTED = [Player.Status.DECEASED, Player.Status.DUPLICATE]


class RatingsCounted(StrEnum):
    """Which ratings to count."""

    ALL = ""
    ESTABLISHED = "established"
    PROVISIONAL = "provisional"


class Activity(TextChoices):
    """Which members to count, by the time of their last rated game."""

    ALL = "", _("All time")
    YEAR = "year", _("Last 12 months")


@dataclass(frozen=True, slots=True)
class RatingFilter:
    """The filter of the counted ratings."""

    system: System
    state: str = ""
    standing: RatingsCounted = RatingsCounted.ALL
    activity: Activity = Activity.ALL

    @property
    def is_unfiltered(self) -> bool:
        return not (self.state or self.standing or self.activity)


@dataclass(frozen=True)
class RatingHistogram:
    """Published ratings with the number of people who have each."""

    ratings: Mapping[int, int]

    @cached_property
    def people(self) -> int:
        return sum(self.ratings.values())

    @property
    def mean(self) -> float:
        return sum(rating * people for rating, people in self.ratings.items()) / (
            self.people or 1
        )

    @property
    def lower_quartile(self) -> int:
        return self.quantile(1, 4)

    @property
    def median(self) -> int:
        return self.quantile(1, 2)

    @property
    def upper_quartile(self) -> int:
        return self.quantile(3, 4)

    def quantile(self, part: int, of: int) -> int:
        """Return the rating that this fraction of the people does not exceed.

        >>> RatingHistogram({1000: 1, 1200: 2, 1500: 1}).quantile(1, 2)
        1200
        """
        counted = 0
        for rating in sorted(self.ratings):
            counted += self.ratings[rating]
            if counted * of >= self.people * part:
                return rating
        return 0

    def count_below(self, rating: int) -> int:
        return sum(people for one, people in self.ratings.items() if one < rating)

    def columns(self) -> Iterator["HistogramBin"]:
        """Yield the columns of the histogram without gaps, the lowest first."""
        if not self.ratings:
            return
        counted: Counter[int] = Counter()
        for rating, people in self.ratings.items():
            counted[rating // BIN_WIDTH] += people
        below = 0
        for step in range(min(counted), max(counted) + 1):
            yield HistogramBin(step * BIN_WIDTH, counted[step], below, self.people)
            below += counted[step]


@dataclass(frozen=True, slots=True)
class HistogramBin:
    """The people from *lowest* on; *below* of *total* people are rated lower."""

    lowest: int
    people: int
    below: int
    total: int

    @property
    def highest(self) -> int:
        return self.lowest + BIN_WIDTH - 1

    @property
    def percent(self) -> float:
        return 100 * self.people / self.total

    @property
    def percent_below(self) -> float:
        return 100 * self.below / self.total


@dataclass(frozen=True, slots=True)
class GroupStatistics:
    """The statistics of a group in one row."""

    people: int
    mean: float
    lower_quartile: int
    median: int
    upper_quartile: int


# Key within a system: standing, activity, kind of group, and group.
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class RatingCounts:
    """The requested histogram and its groups, at a moment."""

    histogram: RatingHistogram
    states: Mapping[str, GroupStatistics | RatingHistogram]
    ages: Mapping[str, GroupStatistics | RatingHistogram]  # by place in AGES
    counted_at: datetime


def counted(rating_filter: RatingFilter) -> RatingCounts:
    """Return the stored counts in two queries, one if there are none yet."""
    rows = CountedRatings.objects.filter(
        system=rating_filter.system,
        standing=rating_filter.standing,
        activity=rating_filter.activity,
    )
    here = rows.filter(Q(of=Of.EVERYBODY) | Q(of=Of.STATE, group=rating_filter.state))
    wholes = {(row.of, row.group): row for row in here}
    total = wholes.get((Of.EVERYBODY, ""))
    if total is None:
        return _count_now(rating_filter)
    chosen = (
        wholes.get((Of.STATE, rating_filter.state)) if rating_filter.state else total
    )
    groups = (
        rows.exclude(of=Of.EVERYBODY)
        .order_by("of", "group")
        .values_list("of", "group", *GroupStatistics.__dataclass_fields__)
    )
    found: defaultdict[str, dict[str, GroupStatistics]] = defaultdict(dict)
    for of, group, *figures in groups:
        found[of][group] = GroupStatistics(*figures)
    return RatingCounts(
        histogram=_histogram_of(chosen),
        states=found[Of.STATE],
        ages=found[Of.AGES],
        counted_at=total.counted_at,
    )


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
        return gettext("under {age}").format(age=AGES[1])
    if place == len(AGES) - 1:
        return gettext("{age} and older").format(age=AGES[place])
    return f"{AGES[place]}–{AGES[place + 1] - 1}"


def _large_groups(
    groups: Iterable[tuple[str, GroupStatistics | RatingHistogram]],
) -> Mapping[str, GroupStatistics | RatingHistogram]:
    """Return the groups that are large enough to be published."""
    return {name: one for name, one in groups if one.people >= MIN_GROUP_SIZE}


def histogram_for(rating_filter: RatingFilter) -> tuple[RatingHistogram, datetime]:
    """Return the histogram of all filtered members, and its time."""
    found = stored_histogram(rating_filter)
    if found is None:
        now = _count_now(rating_filter)
        return now.histogram, now.counted_at
    return found


def stored_histogram(
    rating_filter: RatingFilter,
) -> tuple[RatingHistogram, datetime] | None:
    """Return the histogram stored by a job, None if there is none yet (one query)."""
    row = CountedRatings.objects.filter(
        system=rating_filter.system,
        standing=rating_filter.standing,
        activity=rating_filter.activity,
        of=Of.EVERYBODY,
    ).first()
    return None if row is None else (_histogram_of(row), row.counted_at)


def _histogram_of(row: CountedRatings | None) -> RatingHistogram:
    ratings = row.ratings if row else {}
    return RatingHistogram({int(rating): people for rating, people in ratings.items()})


def _count_now(rating_filter: RatingFilter) -> RatingCounts:
    histograms = count_histograms(rating_filter.system)
    requested = (rating_filter.standing, rating_filter.activity)
    of = (Of.STATE, rating_filter.state) if rating_filter.state else (Of.EVERYBODY, "")
    groups = {
        key[2:]: histogram
        for key, histogram in histograms.items()
        if key[:2] == requested
    }
    return RatingCounts(
        histogram=groups.get(of, RatingHistogram({})),
        states={name: one for (of, name), one in groups.items() if of == Of.STATE},
        ages={name: one for (of, name), one in groups.items() if of == Of.AGES},
        counted_at=timezone.now(),
    )


def count_histograms(system: System) -> dict[Key, RatingHistogram]:
    """Count the current ratings of a system by all keys that pages use (one query).

    Ages are not combined with other filters: the difference of two overlapping groups
    could be one child.
    """
    found: defaultdict[Key, Counter[int]] = defaultdict(Counter)
    for standing in RatingsCounted:
        for activity in Activity:
            found[standing, activity, Of.EVERYBODY, ""] = Counter()
    for rating, state, age, is_established, is_active, people in _rows(system):
        established = RatingsCounted.ESTABLISHED, RatingsCounted.PROVISIONAL
        for standing in (RatingsCounted.ALL, established[not is_established]):
            for activity in (Activity.ALL, *[Activity.YEAR] * is_active):
                found[standing, activity, Of.EVERYBODY, ""][rating] += people
                if state:
                    found[standing, activity, Of.STATE, state][rating] += people
        if age is not None:
            of_age = RatingsCounted.ALL, Activity.ALL, Of.AGES, str(age)
            found[of_age][rating] += people
    return {key: RatingHistogram(dict(found[key])) for key in sorted(found)}


def _rows(system: System) -> QuerySet[PlayerRating, tuple[Any, ...]]:
    grouped = rated_in(system).annotate(
        age=_age_on(timezone.localdate().replace(month=1, day=1)),
        established=_is(_established()),
        is_active=_is(Q(rated_on__gt=years_before(timezone.localdate(), 1))),
    )
    by = ("published_rating", "player__state", "age", "established", "is_active")
    rows = grouped.order_by().values(*by).annotate(people=Count("pk"))
    counted: QuerySet[PlayerRating, tuple[Any, ...]] = rows.values_list(*by, "people")
    return counted


def _is(condition: Q) -> Case:
    return Case(When(condition, then=Value(1)), default=Value(0))


def _established() -> Q:
    most_provisional = rules_in_force(timezone.localdate()).established_after
    return Q(games__gt=most_provisional)


def rated_in(
    system: System, standing: RatingsCounted = RatingsCounted.ALL
) -> QuerySet[PlayerRating]:
    """Return the current ratings of a system that are counted."""
    rated = PlayerRating.objects.filter(system=system).exclude(
        player__status__in=NOT_COUNTED
    )
    if standing is RatingsCounted.ESTABLISHED:
        return rated.filter(_established())
    if standing is RatingsCounted.PROVISIONAL:
        return rated.exclude(_established())
    return rated


def _age_on(new_year: date) -> Case:
    """Return the index in AGES of a player's age on January 1."""
    whens = [
        When(
            player__birth_date__lte=new_year.replace(year=new_year.year - first),
            then=Value(place),
        )
        for place, first in reversed(list(enumerate(AGES)))
    ]
    unknown = When(player__birth_date=None, then=Value(None))
    return Case(unknown, *whens, default=Value(0), output_field=IntegerField())
