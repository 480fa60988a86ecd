"""A member's titles and classes in their history: read anew from lists and ledger.

Nothing of this is stored, so it is right after every rerate.
"""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import date

from django.db.models import Min, Q
from django.db.models.functions import Coalesce
from django.urls import reverse

from events.models import Game, Section
from events.played import HALF_POINTS
from players.models import Player
from players.queries.identity import same_person_ids
from ratings.engine.classes import RatingClass, class_of
from ratings.engine.norms import (
    NORMS_FOR_TITLE,
    TITLES,
    Norm,
    NormGame,
    NormTitle,
    norm_of,
)
from ratings.engine.numbers import official
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.models import (
    Calculation,
    Floor,
    OfficialList,
    OfficialRating,
    RatingChange,
)

FEWEST_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class ClassReached:
    """The first time a class was reached, by an official list or, before, an event."""

    rating_class: RatingClass
    day: date
    rating: int
    source: str
    url: str
    is_official: bool


@dataclass(frozen=True, slots=True)
class NormEarned:
    """A norm, and the section it was made in. The score is in half points."""

    norm: Norm
    day: date
    title: str
    url: str

    @property
    def half_points(self) -> int:
        return official(2 * self.norm.score)


@dataclass(frozen=True, slots=True)
class TitleProgress:
    """How far somebody has come towards a norm title; *day* is when it was earned."""

    title: NormTitle
    norms: int
    day: date | None

    @property
    def needed(self) -> int:
        return NORMS_FOR_TITLE


@dataclass(frozen=True, slots=True)
class Titles:
    """Everything the page of titles shows."""

    classes: list[tuple[System, list[ClassReached]]] = field(default_factory=list)
    life_master: Floor | None = None
    norms: list[NormEarned] = field(default_factory=list)
    progress: list[TitleProgress] = field(default_factory=list)

    @property
    def earned(self) -> list[TitleProgress]:
        return [one for one in self.progress if one.day is not None]


def titles_of(player: Player) -> Titles:
    """Return a member's titles and classes (a fixed number of queries)."""
    numbers = same_person_ids([player.pk])[player.pk]
    lines = _lines(numbers)
    norms = _norms(numbers, lines)
    return Titles(
        classes=_classes(numbers, lines),
        life_master=_life_master(numbers),
        norms=norms[::-1],
        progress=_progress(norms, lines),
    )


def _lines(numbers: list[int]) -> list[RatingChange]:
    """The ledger in rating order, with the sections the lines come from."""
    return list(
        RatingChange.objects.filter(player__in=numbers, calculation__is_current=True)
        .select_related("calculation__section__event")
        .order_by(*(f"calculation__{name}" for name in Calculation.ORDER), "pk")
    )


def _life_master(numbers: list[int]) -> Floor | None:
    return (
        Floor.objects.filter(player__in=numbers, kind=Floor.Kind.LIFE_MASTER)
        .order_by("starts")
        .first()
    )


# Classes


def _classes(
    numbers: list[int], lines: list[RatingChange]
) -> list[tuple[System, list[ClassReached]]]:
    reached: defaultdict[System, list[ClassReached]] = defaultdict(list)
    listed = OfficialRating.objects.filter(player__in=numbers).select_related("list")
    first_list = OfficialList.objects.aggregate(month=Min("month"))["month"]
    for line in lines:
        if first_list is None or line.calculation.order_date < first_list:
            reached[System(line.calculation.system)].append(_by_event(line))
    for row in listed.order_by("list__month"):
        reached[System(row.system)].append(_by_list(row))
    return [
        (system, _first_times(reached[system])) for system in System if reached[system]
    ]


def _by_event(line: RatingChange) -> ClassReached:
    rating = official(line.post_rating)
    title, url = _source(line.calculation)
    return ClassReached(
        class_of(rating), line.calculation.order_date, rating, title, url, False
    )


def _by_list(row: OfficialRating) -> ClassReached:
    return ClassReached(
        rating_class=class_of(row.rating),
        day=row.list.month,
        rating=row.rating,
        source=str(row.list),
        url=row.list.get_absolute_url(),
        is_official=True,
    )


def _first_times(reached: list[ClassReached]) -> list[ClassReached]:
    """Keep what was higher than all before, newest first."""
    first: list[ClassReached] = []
    for one in reached:
        if not first or one.rating_class.lowest > first[-1].rating_class.lowest:
            first.append(one)
    return first[::-1]


def _source(calculation: Calculation) -> tuple[str, str]:
    section = calculation.section
    if section is None:
        return calculation.get_order_rank_display(), ""
    where = [section.event.event_id, section.number]
    return section.event.name, reverse("ratings:crosstable", args=where)


# Norms


def _norms(numbers: list[int], lines: list[RatingChange]) -> list[NormEarned]:
    """Return the norms in rating order. Only regular ratings over the board count."""
    counted = {
        line.calculation.section_id: line.calculation
        for line in lines
        if line.calculation.system == System.OTBR and _counts(line.calculation.section)
    }
    games = _games(numbers, counted)
    earned = []
    for section_id, calculation in counted.items():
        norm = norm_of(games[section_id])
        if norm is not None:
            title, url = _source(calculation)
            earned.append(NormEarned(norm, calculation.order_date, title, url))
    return earned


def _counts(section: Section | None) -> bool:
    return (
        section is not None
        and section.kind != Section.Kind.MATCH
        and section.rounds >= FEWEST_ROUNDS
    )


def _games(
    numbers: list[int], counted: dict[int, Calculation]
) -> defaultdict[int, list[NormGame]]:
    """Return the member's games by section, with the opponents' ratings after it.

    They are the whole numbers that stand in the crosstable.
    """
    after = _ratings_after(counted)
    mine = Q(first__player__in=numbers) | Q(second__player__in=numbers)
    rows = (
        Game.objects.filter(mine, section__in=counted)
        .annotate(
            one=Coalesce("first__player__merged_into_id", "first__player_id"),
            other=Coalesce("second__player__merged_into_id", "second__player_id"),
        )
        .order_by("section", "round_number", "leg")
        .values_list("section", "one", "other", "first_outcome", "second_outcome")
    )
    games: defaultdict[int, list[NormGame]] = defaultdict(list)
    for section, one, other, first, second in rows:
        opponent, outcome = (other, first) if one in numbers else (one, second)
        rating = after.get((section, opponent))
        if rating is not None:
            score = HALF_POINTS[outcome] / 2
            games[section].append(NormGame(opponent, official(rating), score))
    return games


def _ratings_after(
    counted: dict[int, Calculation],
) -> dict[tuple[int, Hashable], float]:
    rows = RatingChange.objects.filter(
        calculation__in=[one.pk for one in counted.values()]
    ).values_list(
        "calculation__section",
        Coalesce("player__merged_into_id", "player_id"),
        "post_rating",
    )
    return {(section, player): rating for section, player, rating in rows}


def _progress(
    norms: list[NormEarned], lines: list[RatingChange]
) -> list[TitleProgress]:
    regular = [line for line in lines if line.calculation.system == System.OTBR]
    return [_progress_of(title, norms, regular) for title in TITLES]


def _progress_of(
    title: NormTitle, norms: list[NormEarned], regular: list[RatingChange]
) -> TitleProgress:
    days = [one.day for one in norms if one.norm.level >= title.level]
    if len(days) < NORMS_FOR_TITLE:
        return TitleProgress(title, len(days), None)
    rated = next((line for line in regular if _carries(line, title)), None)
    if rated is None:
        return TitleProgress(title, len(days), None)
    earned = max(days[NORMS_FOR_TITLE - 1], rated.calculation.order_date)
    return TitleProgress(title, len(days), earned)


def _carries(line: RatingChange, title: NormTitle) -> bool:
    """Tell whether the rating is established, and high enough where that counts."""
    rules = rules_in_force(line.calculation.rules_day)
    if line.post_games <= rules.established_after:
        return False
    return not title.needs_rating or official(line.post_rating) >= title.level
