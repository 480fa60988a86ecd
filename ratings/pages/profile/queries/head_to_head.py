"""The games of two members against each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _

from events.models import Game, Section
from players.members.queries import same_person_ids
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import (
    SIDES,
    ratings_before_after,
    side_columns,
)
from ratings.models import Calculation
from ratings.pages.profile.queries.results import Score, own_color
from ratings_site.common.ui.pagination import ROWS_PER_PAGE

MAX_OPPONENTS = 20


class Meeting(NamedTuple):
    """A game between the two from the first one's side, with the ratings before it."""

    day: date
    pk: int
    round_number: int
    color: str
    outcome: str
    system: System
    calculation: int | None
    mine: int
    mine_merged_into: int | None
    theirs: int
    theirs_merged_into: int | None
    event: str
    event_id: str
    number: int
    section: str
    rating: float | None = None
    other_rating: float | None = None

    @property
    def url(self) -> str:
        return reverse("ratings:crosstable", args=[self.event_id, self.number])


@dataclass(frozen=True, slots=True)
class HeadToHead:
    score: Score
    by_color: dict[str, Score] = field(default_factory=dict)
    page: Page[Any] | None = None
    meetings: list[Meeting] = field(default_factory=list)


def head_to_head(
    one: Player, other: Player, page_number: int | str | None
) -> HeadToHead:
    """Return the rated games of two members, the latest first (up to seven queries)."""
    numbers = same_person_ids([one.pk, other.pk])
    sides = [
        _between(numbers[one.pk], numbers[other.pk], mine, theirs)
        for mine, theirs in SIDES
    ]
    score, by_color = Score(), {"W": Score(), "B": Score()}
    for side in sides:
        groups = side.order_by().values_list("color", "outcome")
        for color, outcome, games in groups.annotate(games=Count("pk")):
            score.add(outcome, games)
            if color:
                by_color[color].add(outcome, games)
    page = Paginator(_union_sides(sides), ROWS_PER_PAGE).get_page(page_number)
    meetings = _meetings([Meeting(*row) for row in page])
    return HeadToHead(score, by_color, page, list(meetings))


def _between(
    mine_numbers: Sequence[int], their_numbers: Sequence[int], mine: str, theirs: str
) -> QuerySet[Any]:
    """Return the rated games in which the first member was the *mine* side."""
    return Game.objects.filter(
        **{f"{mine}__player__in": mine_numbers, f"{theirs}__player__in": their_numbers},
        section__status=Section.Status.RATED,
    ).annotate(color=own_color(mine), outcome=F(f"{mine}_outcome"))


def _union_sides(sides: Sequence[QuerySet[Any]]) -> QuerySet[Any, Any]:
    """Join the two sides, with the calculation and the numbers of both."""
    # For a dual-rated section use the Regular rating: OTBR and OLR are last in the
    # alphabet.
    calculations = Calculation.objects.filter(
        section=OuterRef("section"), is_current=True
    ).order_by("-system")
    first, second = (
        side.annotate(
            calculation=Subquery(calculations.values("pk")[:1]),
            system=Coalesce(Subquery(calculations.values("system")[:1]), Value("")),
        )
        .order_by()
        .values_list(
            "section__ends",
            "pk",
            "round_number",
            "color",
            "outcome",
            "system",
            "calculation",
            *side_columns(mine),
            *side_columns(theirs),
            "section__event__name",
            "section__event__event_id",
            "section__number",
            "section__name",
        )
        for side, (mine, theirs) in zip(sides, SIDES, strict=True)
    )
    union: QuerySet[Any, Any] = first.union(second, all=True)
    return union.order_by(
        "-section__ends", "-section__event__event_id", "-round_number", "-pk"
    )


def _meetings(rows: Sequence[Meeting]) -> Iterator[Meeting]:
    mine = [(row.calculation, row.mine, row.mine_merged_into) for row in rows]
    theirs = [(row.calculation, row.theirs, row.theirs_merged_into) for row in rows]
    around = ratings_before_after([*mine, *theirs])
    for row, own, other in zip(rows, mine, theirs, strict=True):
        yield row._replace(
            system=System(row.system),
            section=row.section or _("Section {number}").format(number=row.number),
            rating=around[own].before.published,
            other_rating=around[other].before.published,
        )


def opponents_of(player: Player) -> list[tuple[Player, Score]]:
    """Return a member's most frequent opponents, with the score (four queries)."""
    numbers = same_person_ids([player.pk])[player.pk]
    scores: dict[int, Score] = {}
    for pk, outcome, games in _met(numbers):
        scores.setdefault(pk, Score()).add(outcome, games)
    most = sorted(scores, key=lambda pk: (-scores[pk].games, pk))[:MAX_OPPONENTS]
    players = Player.objects.in_bulk(most)
    return [(players[pk], scores[pk]) for pk in most]


def _met(numbers: Sequence[int]) -> list[tuple[int, str, int]]:
    """Count the rated games by opponent and outcome."""
    return [
        row
        for mine, theirs in SIDES
        for row in Game.objects.filter(
            **{f"{mine}__player__in": numbers}, section__status=Section.Status.RATED
        )
        .order_by()
        .values_list(
            Coalesce(f"{theirs}__player__merged_into", f"{theirs}__player"),
            f"{mine}_outcome",
        )
        .annotate(games=Count("pk"))
    ]
