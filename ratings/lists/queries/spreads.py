"""How many members have which published rating: as a job counted it, or as it is now.

To count takes seconds where there are very many ratings, so pages read what
`ratings.lists.services.counting` has written down, with its moment. An office where
nothing is counted yet has few enough to count them for each page.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from players.models import Player
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.models import CountedRatings, PlayerRating

Of = CountedRatings.Of

COLUMN = 50  # points that a column of the histogram holds
# The first year of age of each group; the last one is open.
AGES = (0, 10, 13, 16, 19, 26, 40, 50, 65)

# Who is no longer counted as somebody of a class.
NOT_COUNTED = [Player.Status.DECEASED, Player.Status.DUPLICATE]


class RatingsCounted(StrEnum):
    """Which ratings are counted."""

    ALL = ""
    ESTABLISHED = "established"
    PROVISIONAL = "provisional"


class Activity(StrEnum):
    """Who counts by when the last game was rated."""

    ALL = ""
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose ratings are counted."""

    system: System
    state: str = ""
    standing: RatingsCounted = RatingsCounted.ALL
    activity: Activity = Activity.ALL

    @property
    def is_everybody(self) -> bool:
        return not (self.state or self.standing or self.activity)


@dataclass(frozen=True)
class Spread:
    """Published ratings with how many people have each."""

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
        return self.reached_by(1, 4)

    @property
    def median(self) -> int:
        return self.reached_by(1, 2)

    @property
    def upper_quartile(self) -> int:
        return self.reached_by(3, 4)

    def reached_by(self, part: int, of: int) -> int:
        """Return the rating that so large a part of the people has at most.

        >>> Spread({1000: 1, 1200: 2, 1500: 1}).reached_by(1, 2)
        1200
        """
        counted = 0
        for rating in sorted(self.ratings):
            counted += self.ratings[rating]
            if counted * of >= self.people * part:
                return rating
        return 0

    def lower_than(self, rating: int) -> int:
        return sum(people for one, people in self.ratings.items() if one < rating)

    def columns(self) -> Iterator["Column"]:
        """Yield the columns of the histogram, without a gap, the lowest first."""
        if not self.ratings:
            return
        counted: Counter[int] = Counter()
        for rating, people in self.ratings.items():
            counted[rating // COLUMN] += people
        below = 0
        for step in range(min(counted), max(counted) + 1):
            yield Column(step * COLUMN, counted[step], below, self.people)
            below += counted[step]


@dataclass(frozen=True, slots=True)
class Column:
    """The people from *lowest* on; *below* them are so many of *total*."""

    lowest: int
    people: int
    below: int
    total: int

    @property
    def highest(self) -> int:
        return self.lowest + COLUMN - 1

    @property
    def percent(self) -> float:
        return 100 * self.people / self.total

    @property
    def percent_below(self) -> float:
        return 100 * self.below / self.total


@dataclass(frozen=True, slots=True)
class Figures:
    """What is said of a group in a line; a `Spread` has the same."""

    people: int
    mean: float
    lower_quartile: int
    median: int
    upper_quartile: int


# Whose ratings, within a system: standing, activity, of what, and which of them.
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Counted:
    """The spread asked for, and the groups beside it, at a moment."""

    spread: Spread
    states: Mapping[str, Figures | Spread]
    ages: Mapping[int, Figures | Spread]
    counted_at: datetime


def counted(asked: Asked) -> Counted:
    """Return what has been counted: in two queries, one if nothing has been yet."""
    rows = CountedRatings.objects.filter(
        system=asked.system, standing=asked.standing, activity=asked.activity
    )
    here = rows.filter(Q(of=Of.EVERYBODY) | Q(of=Of.STATE, group=asked.state))
    wholes = {(row.of, row.group): row for row in here}
    everybody = wholes.get((Of.EVERYBODY, ""))
    if everybody is None:
        return _counted_now(asked)
    chosen = wholes.get((Of.STATE, asked.state)) if asked.state else everybody
    groups = (
        rows.exclude(of=Of.EVERYBODY)
        .order_by("of", "group")
        .values_list("of", "group", *Figures.__dataclass_fields__)
    )
    found: defaultdict[str, dict[str, Figures]] = defaultdict(dict)
    for of, group, *figures in groups:
        found[of][group] = Figures(*figures)
    return Counted(
        spread=_spread_of(chosen),
        states=found[Of.STATE],
        ages={int(group): one for group, one in found[Of.AGES].items()},
        counted_at=everybody.counted_at,
    )


def spread_of(asked: Asked) -> tuple[Spread, datetime]:
    """Return only the spread of all members asked about, and its moment."""
    found = counted_spread(asked)
    if found is None:
        now = _counted_now(asked)
        return now.spread, now.counted_at
    return found


def counted_spread(asked: Asked) -> tuple[Spread, datetime] | None:
    """Return the same as a job has counted it, None if it has not yet (one query)."""
    row = CountedRatings.objects.filter(
        system=asked.system,
        standing=asked.standing,
        activity=asked.activity,
        of=Of.EVERYBODY,
    ).first()
    return None if row is None else (_spread_of(row), row.counted_at)


def _spread_of(row: CountedRatings | None) -> Spread:
    ratings = row.ratings if row else {}
    return Spread({int(rating): people for rating, people in ratings.items()})


def _counted_now(asked: Asked) -> Counted:
    spreads = spreads_in(asked.system)
    asked_for = (asked.standing, asked.activity)
    of = (Of.STATE, asked.state) if asked.state else (Of.EVERYBODY, "")
    groups = {
        key[2:]: spread for key, spread in spreads.items() if key[:2] == asked_for
    }
    return Counted(
        spread=groups.get(of, Spread({})),
        states={name: one for (of, name), one in groups.items() if of == Of.STATE},
        ages={int(name): one for (of, name), one in groups.items() if of == Of.AGES},
        counted_at=timezone.now(),
    )


def spreads_in(system: System) -> dict[Key, Spread]:
    """Count the current ratings of a system by all that pages ask for (one query).

    Ages are not crossed with anything: of two groups that overlap, the difference could
    be one child.
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
    return {key: Spread(dict(found[key])) for key in sorted(found)}


def _rows(system: System) -> QuerySet:
    grouped = rated_in(system).annotate(
        age=_age_on(timezone.localdate().replace(month=1, day=1)),
        established=_is(_established()),
        is_active=_is(Q(rated_on__gt=_a_year_ago())),
    )
    by = ("published_rating", "player__state", "age", "established", "is_active")
    rows = grouped.order_by().values(*by).annotate(people=Count("pk"))
    return rows.values_list(*by, "people")


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


def _a_year_ago() -> date:
    today = timezone.localdate()
    day = min(today.day, 28) if today.month == 2 else today.day
    return today.replace(year=today.year - 1, day=day)


def _age_on(new_year: date) -> Case:
    """Return the place in AGES of somebody's age on 1 January."""
    whens = [
        When(
            player__birth_date__lte=new_year.replace(year=new_year.year - first),
            then=Value(place),
        )
        for place, first in reversed(list(enumerate(AGES)))
    ]
    unknown = When(player__birth_date=None, then=Value(None))
    return Case(unknown, *whens, default=Value(0), output_field=IntegerField())
