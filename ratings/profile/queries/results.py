"""A member's games in figures: by opponent's class, color and year; best wins.

Each figure is summed by the database, so what a page reads does not grow with the
games. Opponents' ratings are those before the section, as whole numbers, like on every
crosstable. Games abroad are known by their result only and are not among them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from django.db.models import (
    Case,
    Count,
    F,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, ExtractYear, Floor
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from events.importers.outcomes import OTHER_COLOR
from events.models import Game, Section
from ratings.engine.classes import RatingClass, class_of
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.books import in_calculation

BEST_WINS = 10
# The two sides of a game: the member's own, and the other.
SIDES = (("first", "second"), ("second", "first"))
COLORS = {
    "W": gettext_lazy("White"),
    "B": gettext_lazy("Black"),
    "": gettext_lazy("Not reported"),
}


@dataclass(slots=True)
class Score:
    """Wins, draws and losses against somebody, somewhere or at some time."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, outcome: str, games: int) -> None:
        """Count *games* more that ended with *outcome* (W, D or L)."""
        if outcome == "W":
            self.wins += games
        elif outcome == "D":
            self.draws += games
        else:
            self.losses += games

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def half_points(self) -> int:
        return 2 * self.wins + self.draws

    @property
    def percent(self) -> int:
        """The score in whole percents, halves up."""
        return official(50 * self.half_points / self.games) if self.games else 0


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score with what it is against: a class, a color, a year."""

    name: str
    score: Score


@dataclass(frozen=True, slots=True)
class BestWin:
    """A win, with both ratings before the section; *own* is None for a newcomer."""

    member_id: str
    name: str
    rating: int
    own: int | None
    day: date
    event: str
    url: str

    @property
    def lead(self) -> int:
        """How many points higher the opponent was rated."""
        return self.rating - self.own if self.own is not None else 0


@dataclass(frozen=True, slots=True)
class Results:
    """What the games of a member in one system add up to."""

    system: System
    total: Score = field(default_factory=Score)
    by_class: list[ScoreLine] = field(default_factory=list)
    by_color: list[ScoreLine] = field(default_factory=list)
    by_year: list[ScoreLine] = field(default_factory=list)
    best_wins: list[BestWin] = field(default_factory=list)
    upsets: list[BestWin] = field(default_factory=list)

    @property
    def tables(self) -> list[tuple[str, list[ScoreLine]]]:
        """The tables a page shows, each with its heading."""
        return [
            (gettext("Opponent"), self.by_class),
            (gettext("Color"), self.by_color),
            (gettext("Year"), self.by_year),
        ]


def results_of(numbers: Sequence[int], system: System) -> Results:
    """Return the results of a person with these member *numbers*.

    It takes one query, and two more if there was a win.
    """
    total = Score()
    by_class: defaultdict[RatingClass | None, Score] = defaultdict(Score)
    by_color: defaultdict[str, Score] = defaultdict(Score)
    by_year: defaultdict[int, Score] = defaultdict(Score)
    for group in _groups(numbers, system):
        scores = by_class[group.opponents], by_color[group.color]
        for score in (total, *scores, by_year[group.year]):
            score.add(group.outcome, group.games)
    return Results(
        system=system,
        total=total,
        by_class=[
            ScoreLine(one.name if one else gettext("Unrated"), by_class[one])
            for one in sorted(by_class, key=lambda one: -one.lowest if one else 0)
        ],
        by_color=[
            ScoreLine(name, by_color[color])
            for color, name in COLORS.items()
            if color in by_color
        ],
        by_year=[
            ScoreLine(str(year), by_year[year])
            for year in sorted(by_year, reverse=True)
        ],
        best_wins=_best_wins(numbers, system) if total.wins else [],
        upsets=_upsets(numbers, system) if total.wins else [],
    )


class _Group(NamedTuple):
    """How many games had the same year, strength, color and outcome."""

    year: int
    hundreds: int | None
    color: str
    outcome: str
    games: int

    @property
    def opponents(self) -> RatingClass | None:
        """The class of the opponents; every class begins at a full hundred."""
        if self.hundreds is None:
            return None
        return class_of(100 * int(self.hundreds))


def _groups(numbers: Sequence[int], system: System) -> Iterator[_Group]:
    """Yield the groups of both sides: some dozens a year, however many games."""
    first, second = (
        _games(numbers, system, mine, other)
        .annotate(
            year=ExtractYear("section__ends"),
            hundreds=Floor((F("opponent_rating") + 0.5) / 100),
            color=own_color(mine),
            outcome=F(f"{mine}_outcome"),
        )
        .order_by()
        .values_list("year", "hundreds", "color", "outcome")
        .annotate(games=Count("pk"))
        for mine, other in SIDES
    )
    return map(_Group._make, first.union(second, all=True))


def own_color(mine: str) -> Combinable:
    """Return the expression of the color that the *mine* side of a game had."""
    if mine == "first":
        return F("first_color")
    return Case(
        *(
            When(first_color=theirs, then=Value(ours))
            for theirs, ours in OTHER_COLOR.items()
        ),
        default=Value(""),
    )


def _games(
    numbers: Sequence[int], system: System, mine: str, other: str
) -> QuerySet[Game]:
    """Return the rated games that the person played on one side.

    ``opponent_rating`` is what the other had before the section in this system.
    """
    return (
        Game.objects.filter(
            **{f"{mine}__player__in": numbers},
            section__status=Section.Status.RATED,
            section__calculations__system=system,
            section__calculations__is_current=True,
        )
        .annotate(calculation=F("section__calculations"))
        .annotate(opponent_rating=rating_before(other))
    )


def rating_before(side: str) -> Subquery:
    """Return the rating before the annotated ``calculation`` of one side of a game."""
    return in_calculation(side, "pre_rating")


def _best_wins(numbers: Sequence[int], system: System) -> list[BestWin]:
    """Return the wins against the highest rated, of equal ones the latest first."""
    wins = _wins(numbers, system).order_by("-theirs", "-day", "-game")
    return [_win(*row) for row in wins[:BEST_WINS]]


def _upsets(numbers: Sequence[int], system: System) -> list[BestWin]:
    """Return the wins with most points between the two, the largest upset first."""
    wins = _wins(numbers, system, lead__gt=0).order_by("-lead", "-day", "-game")
    return [_win(*row) for row in wins[:BEST_WINS]]


def _wins(numbers: Sequence[int], system: System, **wanted: object) -> QuerySet[Game]:
    """Return the wins of both sides against rated opponents, in whole ratings."""
    first, second = (
        _games(numbers, system, mine, other)
        .filter(**{f"{mine}_outcome": "W"}, opponent_rating__isnull=False)
        .annotate(
            theirs=Floor(F("opponent_rating") + 0.5),
            own=Floor(rating_before(mine) + 0.5),
            lead=F("theirs") - F("own"),
            day=F("section__ends"),
            game=F("pk"),
            **_names_of(other),
        )
        .filter(**wanted)
        .order_by()
        .values_list(
            "member_id",
            "given_name",
            "family_name",
            "suffix",
            "theirs",
            "own",
            "day",
            "section__event__name",
            "section__event__event_id",
            "section__number",
            "lead",
            "game",
        )
        for mine, other in SIDES
    )
    return first.union(second, all=True)


def _names_of(side: str) -> dict[str, Combinable]:
    """Return ID and name of the person on one side, whichever number was played."""
    return {
        name: Coalesce(
            f"{side}__player__merged_into__{name}", f"{side}__player__{name}"
        )
        for name in ("member_id", "given_name", "family_name", "suffix")
    }


def _win(
    member_id: str,
    given: str,
    family: str,
    suffix: str,
    theirs: float,
    own: float | None,
    day: date,
    event: str,
    event_id: str,
    number: int,
    *_: object,
) -> BestWin:
    return BestWin(
        member_id=member_id,
        name=" ".join(part for part in (given, family, suffix) if part),
        rating=int(theirs),
        own=None if own is None else int(own),
        day=day,
        event=event,
        url=reverse("ratings:crosstable", args=[event_id, number]),
    )
