"""A member's titles and classes in their history: read again from lists and ledger.

Nothing of this is stored, so it is right after every rerate.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from django.db.models import Min
from django.urls import reverse

from events.models import Section
from players.members.queries import same_person_ids
from players.models import Player
from ratings.engine.classes import RatingClass, class_of
from ratings.engine.norms import (
    NORMS_FOR_TITLE,
    TITLES,
    Norm,
    NormGame,
    NormTitle,
    is_possible,
    norm_of,
)
from ratings.engine.numbers import official
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.met import Met, RatedIn, games_met
from ratings.ledger.queries.published import official_number, published
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
    rating: float
    source: str
    url: str
    is_official: bool


class NormLine(NamedTuple):
    """A line of the ledger, as far as norms and titles need it.

    *may_be_norm*: a norm can be made in what it comes from.
    """

    system: str
    day: date
    rules_day: date
    rating: float
    games: int
    calculation_id: int
    section_id: int | None
    may_be_norm: bool

    @property
    def played(self) -> RatedIn | None:
        """The section it comes from, None if it comes from none."""
        if self.section_id is None:
            return None
        return RatedIn(self.section_id, self.calculation_id)


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
    """How far somebody has come toward a norm title; *day* is when it was earned."""

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
    rated = [_rated(line) for line in lines]
    norms = _norms(rated, games_met(numbers, _sections(rated)))
    sources = {line.calculation_id: line.calculation for line in lines}
    return Titles(
        classes=_classes(numbers, lines),
        life_master=_life_master(numbers),
        norms=[
            NormEarned(norm, line.day, *_source(sources[line.calculation_id]))
            for line, norm in reversed(norms)
        ],
        progress=_progress(norms, rated),
    )


def titles_earned(
    lines: Sequence[NormLine], met: Mapping[int, Sequence[Met]]
) -> list[TitleProgress]:
    """Return the norm titles that *lines*, in rating order, brought, with their days.

    *met* are the games of the sections that `may_bring_titles`.
    """
    progress = _progress(_norms(lines, met), lines)
    return [one for one in progress if one.day is not None]


def may_bring_titles(lines: Sequence[NormLine]) -> list[RatedIn]:
    """Return the sections whose games have to be looked at for titles.

    Few members have as many results as a title asks for: of others there are none.
    """
    sections = _sections(lines)
    return sections if len(sections) >= NORMS_FOR_TITLE else []


def _rated(line: RatingChange) -> NormLine:
    calculation = line.calculation
    section = calculation.section
    return NormLine(
        system=calculation.system,
        day=calculation.order_date,
        rules_day=calculation.rules_day,
        rating=line.post_rating,
        games=line.post_games,
        calculation_id=line.calculation_id,
        section_id=calculation.section_id,
        may_be_norm=section is not None
        and may_be_norm(section.kind, section.rounds, line.games, line.half_points),
    )


def may_be_norm(kind: str, rounds: int, games: int, half_points: int) -> bool:
    """Tell whether it takes a look at the opponents to know: it rarely does."""
    is_kind = kind != Section.Kind.MATCH and rounds >= FEWEST_ROUNDS
    return is_kind and is_possible(games, half_points / 2)


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
    rating = published(line)
    title, url = _source(line.calculation)
    return ClassReached(
        class_of(int(rating)), line.calculation.order_date, rating, title, url, False
    )


def _by_list(row: OfficialRating) -> ClassReached:
    return ClassReached(
        rating_class=class_of(row.rating),
        day=row.list.month,
        rating=official_number(row),
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


def _norms(
    lines: Sequence[NormLine], met: Mapping[int, Sequence[Met]]
) -> list[tuple[NormLine, Norm]]:
    """Return the norms in rating order."""
    found = [
        (line, norm_of(_games(met.get(line.calculation_id, ()))))
        for line in _candidates(lines)
    ]
    return [(line, norm) for line, norm in found if norm is not None]


def _candidates(lines: Sequence[NormLine]) -> list[NormLine]:
    """Return what may be a norm. Only regular ratings over the board count."""
    return [line for line in lines if line.system == System.OTBR and line.may_be_norm]


def _sections(lines: Sequence[NormLine]) -> list[RatedIn]:
    return [played for line in _candidates(lines) if (played := line.played)]


def _games(met: Iterable[Met]) -> list[NormGame]:
    """Return games with the opponents' ratings after the section.

    They are the whole numbers that stand in the crosstable.
    """
    return [
        NormGame(one.opponent, official(one.after), one.half_points / 2)
        for one in met
        if one.after is not None
    ]


def _progress(
    norms: Sequence[tuple[NormLine, Norm]], lines: Sequence[NormLine]
) -> list[TitleProgress]:
    regular = [line for line in lines if line.system == System.OTBR]
    return [_progress_of(title, norms, regular) for title in TITLES]


def _progress_of(
    title: NormTitle,
    norms: Sequence[tuple[NormLine, Norm]],
    regular: Sequence[NormLine],
) -> TitleProgress:
    days = [line.day for line, norm in norms if norm.level >= title.level]
    if len(days) < NORMS_FOR_TITLE:
        return TitleProgress(title, len(days), None)
    rated = next((line for line in regular if _carries(line, title)), None)
    if rated is None:
        return TitleProgress(title, len(days), None)
    return TitleProgress(title, len(days), max(days[NORMS_FOR_TITLE - 1], rated.day))


def _carries(line: NormLine, title: NormTitle) -> bool:
    """Tell whether the rating is established, and high enough where that counts."""
    if line.games <= rules_in_force(line.rules_day).established_after:
        return False
    return not title.needs_rating or official(line.rating) >= title.level
