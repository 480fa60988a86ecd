"""How the current ratings of a system are spread: all of them, by state and by age.

Everything is counted by the database over whole ratings, as people see them, so what a
page reads does not grow with the members. Ages are those on 1 January, so that nobody's
birthday shows; of a group of fewer than ten nothing is said, and ages are not crossed
with anything else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property

from django.db.models import Case, Count, F, IntegerField, QuerySet, Value, When
from django.db.models.functions import Cast, Floor
from django.utils import timezone
from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.privacy import coarse
from ratings.lists.queries.classes import RatingsCounted, rated_in
from ratings.models import PlayerRating

FEWEST = 10
COLUMN = 50  # points that a column of the histogram holds
# The first year of age of each group; the last one is open.
AGES = (0, 10, 13, 16, 19, 26, 40, 50, 65)


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
    """Whole ratings with how many people have each."""

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
class Group:
    """A state or ages, of which at least ten people are counted."""

    name: str
    spread: Spread


@dataclass(frozen=True, slots=True)
class Distribution:
    spread: Spread
    states: list[Group] = field(default_factory=list)
    ages: list[Group] = field(default_factory=list)


def distribution_of(asked: Asked) -> Distribution:
    """Count who is asked for (three queries; two without ages)."""
    everywhere = _counted(asked)
    here = everywhere.filter(player__state=asked.state) if asked.state else everywhere
    return Distribution(
        spread=Spread(dict(_by_rating(here).values_list("whole", "people"))),
        states=_groups(_by_state(everywhere)),
        ages=_groups(_by_age(everywhere)) if asked.is_everybody else [],
    )


def rating_of(player: Player, system: System) -> int | None:
    """Return a member's rating as the distribution counts it, None if unrated."""
    row = _whole(
        PlayerRating.objects.filter(player=player, system=system).annotate(
            seen=coarse()
        )
    ).first()
    return row.whole if row else None


def _counted(asked: Asked) -> QuerySet[PlayerRating]:
    rated = rated_in(asked.system, asked.standing)
    if asked.activity is Activity.YEAR:
        rated = rated.filter(rated_on__gt=_a_year_ago())
    return rated


def _a_year_ago() -> date:
    today = timezone.localdate()
    day = min(today.day, 28) if today.month == 2 else today.day
    return today.replace(year=today.year - 1, day=day)


def _whole(rated: QuerySet[PlayerRating]) -> QuerySet[PlayerRating]:
    return rated.annotate(whole=Cast(Floor(F("seen") + 0.5), IntegerField()))


def _by_rating(rated: QuerySet[PlayerRating]) -> QuerySet:
    return _whole(rated).order_by().values("whole").annotate(people=Count("pk"))


def _by_state(rated: QuerySet[PlayerRating]) -> dict[str, Spread]:
    rows = _whole(rated.exclude(player__state="")).order_by()
    counted = rows.values("player__state", "whole").annotate(people=Count("pk"))
    return _spreads(counted.values_list("player__state", "whole", "people"))


def _by_age(rated: QuerySet[PlayerRating]) -> dict[str, Spread]:
    new_year = timezone.localdate().replace(month=1, day=1)
    known = rated.filter(player__birth_date__isnull=False)
    rows = _whole(known).annotate(age=_age_on(new_year)).order_by()
    counted = rows.values("age", "whole").annotate(people=Count("pk"))
    found = _spreads(counted.values_list("age", "whole", "people"))
    return {
        _ages_in_words(place): found[place]
        for place in range(len(AGES))
        if place in found
    }


def _age_on(new_year: date) -> Case:
    """Return the place in AGES of somebody's age on 1 January."""
    whens = [
        When(
            player__birth_date__lte=new_year.replace(year=new_year.year - first),
            then=Value(place),
        )
        for place, first in reversed(list(enumerate(AGES)))
    ]
    return Case(*whens, default=Value(0), output_field=IntegerField())


def _ages_in_words(place: int) -> str:
    if place == 0:
        return _("under {age}").format(age=AGES[1])
    if place == len(AGES) - 1:
        return _("{age} and older").format(age=AGES[place])
    return f"{AGES[place]}–{AGES[place + 1] - 1}"


def _spreads(rows: QuerySet) -> dict:
    found: defaultdict[object, dict[int, int]] = defaultdict(dict)
    for name, whole, people in rows:
        found[name][whole] = people
    return {name: Spread(ratings) for name, ratings in found.items()}


def _groups(found: Mapping[str, Spread]) -> list[Group]:
    """Leave out the groups that are too small to say anything of."""
    return [
        Group(name, spread) for name, spread in found.items() if spread.people >= FEWEST
    ]
