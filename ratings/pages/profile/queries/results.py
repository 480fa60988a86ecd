"""Statistics of a member's games: by opponent's class, color and year; best wins.

All games are read once, without names. Ratings are the published ones before the
section, as on crosstables. Foreign games are not included.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from django.db.models import Case, F, Value, When
from django.db.models.expressions import Combinable
from django.utils.translation import gettext, gettext_lazy

from events.formats.result_codes import OTHER_COLOR
from events.models import Game, Section
from ratings.engine.classes import RatingClass, rating_class_for
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import (
    SIDES,
    ratings_before_after,
    side_columns,
)
from ratings.ledger.queries.published_ratings import published_number
from ratings.models import RatingChange

BEST_WINS = 10
COLORS = {
    "W": gettext_lazy("White"),
    "B": gettext_lazy("Black"),
    "": gettext_lazy("Not reported"),
}


@dataclass(slots=True)
class Score:
    """Wins, draws and losses in a group of games."""

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
        """The score as a whole percentage, halves rounded up."""
        return official(50 * self.half_points / self.games) if self.games else 0


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
    """The statistics of a member's games in one system."""

    system: System
    total: Score = field(default_factory=Score)
    by_class: dict[str, Score] = field(default_factory=dict)
    by_color: dict[str, Score] = field(default_factory=dict)
    by_year: dict[str, Score] = field(default_factory=dict)
    best_wins: list[BestWin] = field(default_factory=list)
    upsets: list[BestWin] = field(default_factory=list)

    @property
    def tables(self) -> list[tuple[str, dict[str, Score]]]:
        """The tables of the page, each with its heading."""
        return [
            (gettext("Opponent’s class"), self.by_class),
            (gettext("Color"), self.by_color),
            (gettext("Year"), self.by_year),
        ]


def results_of(numbers: Sequence[int], system: System) -> Results:
    """Return the results of a person with these member *numbers*.

    It takes six queries at most.
    """
    total = Score()
    by_class: defaultdict[RatingClass | None, Score] = defaultdict(Score)
    by_color: defaultdict[str, Score] = defaultdict(Score)
    by_year: defaultdict[int, Score] = defaultdict(Score)
    games = _games(numbers, system)
    for game in games:
        opponents = None if game.theirs is None else rating_class_for(game.theirs)
        scores = by_class[opponents], by_color[game.color], by_year[game.day.year]
        for score in (total, *scores):
            score.add(game.outcome, 1)
    wins = [one for one in games if one.outcome == "W" and one.theirs is not None]
    best_wins, upsets = _best_of(wins, numbers) if wins else ([], [])
    return Results(
        system=system,
        total=total,
        by_class={
            one.name if one else gettext("Unrated"): by_class[one]
            for one in sorted(by_class, key=lambda one: -one.lowest if one else 0)
        },
        by_color={
            str(name): by_color[color]
            for color, name in COLORS.items()
            if color in by_color
        },
        by_year={str(year): by_year[year] for year in sorted(by_year, reverse=True)},
        best_wins=best_wins,
        upsets=upsets,
    )


class _Line(NamedTuple):
    """The person's line in a rated section, with the rating before it."""

    calculation: int
    day: date
    rating: float | None
    age_start: float | None

    @property
    def published(self) -> int | None:
        if self.rating is None:
            return None
        return int(published_number(self.rating, self.age_start))


class _Played(NamedTuple):
    """A rated game; *own* and *theirs* are whole ratings before the section."""

    pk: int
    day: date
    color: str
    outcome: str
    own: int | None
    theirs: int | None


def _games(numbers: Sequence[int], system: System) -> list[_Played]:
    """Return the rated games a person played in a system (three queries)."""
    lines = _lines(numbers, system)
    rows = _rows(numbers, lines)
    sides = [(lines[row[0]].calculation, *row[4:]) for row in rows]
    around = ratings_before_after(sides)
    own = {section: line.published for section, line in lines.items()}
    theirs = [_whole(around[side].before.published) for side in sides]
    return [
        _Played(pk, lines[section].day, color, outcome, own[section], rating)
        for (section, pk, color, outcome, *_), rating in zip(rows, theirs, strict=True)
    ]


def _rows(numbers: Sequence[int], sections: Collection[int]) -> list[tuple[Any, ...]]:
    """Return the person's games in sections, from both sides of the board.

    Section, primary key, own color, outcome, and the opponent's two numbers.
    """
    if not sections:
        return []
    first, second = (
        Game.objects.filter(
            **{f"{mine}__player__in": numbers, f"{mine}__section__in_array": sections}
        )
        .annotate(color=own_color(mine), outcome=F(f"{mine}_outcome"))
        .order_by()
        .values_list("section", "pk", "color", "outcome", *side_columns(other))
        for mine, other in SIDES
    )
    return list(first.union(second, all=True))


def _lines(numbers: Sequence[int], system: System) -> dict[int, _Line]:
    """Return the person's lines by section (one query)."""
    lines = RatingChange.objects.filter(
        player__in=numbers,
        calculation__system=system,
        calculation__is_current=True,
        calculation__section__status=Section.Status.RATED,
    ).order_by()
    rows = lines.values_list(
        "calculation__section",
        "calculation",
        "calculation__section__ends",
        "pre_rating",
        "pre_age_start",
    )
    return {row[0]: _Line(*row[1:]) for row in rows}


def _whole(rating: float | None) -> int | None:
    return None if rating is None else int(rating)


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


def _best_of(
    wins: Sequence[_Played], numbers: Sequence[int]
) -> tuple[list[BestWin], list[BestWin]]:
    """Return the wins against the highest rated, and those by the largest lead.

    Of equal wins, the latest come first.
    """

    def lead(win: _Played) -> int:
        return (win.theirs or 0) - win.own if win.own is not None else 0

    latest = sorted(wins, key=lambda win: (win.day, win.pk), reverse=True)
    best = sorted(latest, key=lambda win: -(win.theirs or 0))[:BEST_WINS]
    upsets = sorted(
        (one for one in latest if lead(one) > 0), key=lambda one: -lead(one)
    )
    upsets = upsets[:BEST_WINS]
    games = Game.objects.select_related(
        "section__event", "first__player__merged_into", "second__player__merged_into"
    ).in_bulk({win.pk for win in (*best, *upsets)})
    return (
        [_win(win, games[win.pk], numbers) for win in best],
        [_win(win, games[win.pk], numbers) for win in upsets],
    )


def _win(win: _Played, game: Game, numbers: Sequence[int]) -> BestWin:
    is_first = game.first.player_id in numbers
    loser = (game.second if is_first else game.first).player.canonical
    return BestWin(
        member_id=loser.member_id,
        name=loser.name,
        rating=win.theirs or 0,
        own=win.own,
        day=win.day,
        event=game.section.event.name,
        url=game.section.get_absolute_url(),
    )
