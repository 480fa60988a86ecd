"""A member's titles and classes in their history, computed from lists and ledger.

Nothing of this is stored, so it is correct after every rerate.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from django.db.models import Min

from events.models import Section
from players.members.queries import same_person_ids
from players.models import Player
from ratings.engine.classes import RatingClass, rating_class_for
from ratings.engine.norms import (
    NORMS_FOR_TITLE,
    TITLES,
    Norm,
    NormGame,
    NormTitle,
    find_norm,
    is_possible,
)
from ratings.engine.numbers import official
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import (
    OpponentGame,
    SectionCalculation,
    opponent_games,
)
from ratings.ledger.queries.published_ratings import official_number, published
from ratings.models import (
    Calculation,
    Floor,
    OfficialList,
    OfficialRating,
    RatingChange,
)

MIN_ROUNDS = 4


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
    """The columns of a ledger line that norms and titles need.

    *can_be_norm*: its source can produce a norm.
    """

    system: str
    day: date
    rules_day: date
    rating: float
    games: int
    calculation_id: int
    section_id: int | None
    can_be_norm: bool

    @property
    def played(self) -> SectionCalculation | None:
        """The section of the line, None if it has another source."""
        if self.section_id is None:
            return None
        return SectionCalculation(self.section_id, self.calculation_id)


@dataclass(frozen=True, slots=True)
class NormEarned:
    """A norm and its section. The score is in half points."""

    norm: Norm
    day: date
    title: str
    url: str

    @property
    def half_points(self) -> int:
        return official(2 * self.norm.score)


@dataclass(frozen=True, slots=True)
class TitleProgress:
    """A member's progress toward a norm title; *day* is when it was earned."""

    title: NormTitle
    norms: int
    day: date | None

    @property
    def needed(self) -> int:
        return NORMS_FOR_TITLE


@dataclass(frozen=True, slots=True)
class Titles:
    """The data of the titles page."""

    classes: list[tuple[System, list[ClassReached]]] = field(default_factory=list)
    life_master: Floor | None = None
    norms: list[NormEarned] = field(default_factory=list)
    progress: list[TitleProgress] = field(default_factory=list)


def member_titles(player: Player) -> Titles:
    """Return a member's titles and classes (a fixed number of queries)."""
    numbers = same_person_ids([player.pk])[player.pk]
    lines = _lines(numbers)
    rated = [_rated(line) for line in lines]
    norms = _norms(rated, opponent_games(numbers, _sections(rated)))
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
    lines: Sequence[NormLine], met: Mapping[int, Sequence[OpponentGame]]
) -> list[TitleProgress]:
    """Return the norm titles that *lines*, in rating order, earned, with their days.

    *met* are the games of the sections from `title_sections`.
    """
    progress = _progress(_norms(lines, met), lines)
    return [one for one in progress if one.day is not None]


def title_sections(lines: Sequence[NormLine]) -> list[SectionCalculation]:
    """Return the sections whose games are needed to determine titles.

    Few members have enough results for a title; for the others it is empty.
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
        can_be_norm=section is not None
        and can_be_norm(section.kind, section.rounds, line.games, line.half_points),
    )


def can_be_norm(kind: str, rounds: int, games: int, half_points: int) -> bool:
    """Return whether the line may be a norm; then the opponents decide."""
    is_kind = kind != Section.Kind.MATCH and rounds >= MIN_ROUNDS
    return is_kind and is_possible(games, half_points / 2)


def _lines(numbers: list[int]) -> list[RatingChange]:
    """The ledger lines in rating order, with their sections."""
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
    listed = OfficialRating.objects.filter(
        player__in=numbers, list__in=OfficialList.objects.effective()
    ).select_related("list")
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
    day = line.calculation.order_date
    return ClassReached(rating_class_for(int(rating)), day, rating, title, url, False)


def _by_list(row: OfficialRating) -> ClassReached:
    rating_class, rating = rating_class_for(row.rating), official_number(row)
    name, url = str(row.list), row.list.get_absolute_url()
    return ClassReached(rating_class, row.list.month, rating, name, url, True)


def _first_times(reached: list[ClassReached]) -> list[ClassReached]:
    """Keep each value higher than all before it, newest first."""
    first: list[ClassReached] = []
    for one in reached:
        if not first or one.rating_class.lowest > first[-1].rating_class.lowest:
            first.append(one)
    return first[::-1]


def _source(calculation: Calculation) -> tuple[str, str]:
    section = calculation.section
    if section is None:
        return calculation.get_order_rank_display(), ""
    return section.event.name, section.get_absolute_url()


# Norms


def _norms(
    lines: Sequence[NormLine], met: Mapping[int, Sequence[OpponentGame]]
) -> list[tuple[NormLine, Norm]]:
    """Return the norms in rating order."""
    found = [
        (line, find_norm(_games(met.get(line.calculation_id, ()))))
        for line in _candidates(lines)
    ]
    return [(line, norm) for line, norm in found if norm is not None]


def _candidates(lines: Sequence[NormLine]) -> list[NormLine]:
    """Return lines that may be norms. Only regular ratings over the board count."""
    return [line for line in lines if line.system == System.OTBR and line.can_be_norm]


def _sections(lines: Sequence[NormLine]) -> list[SectionCalculation]:
    return [played for line in _candidates(lines) if (played := line.played)]


def _games(met: Iterable[OpponentGame]) -> list[NormGame]:
    """Return games with the opponents' ratings after the section.

    These are the whole numbers that the crosstable shows.
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
    rated = next((line for line in regular if _has_title_rating(line, title)), None)
    if len(days) < NORMS_FOR_TITLE or rated is None:
        return TitleProgress(title, len(days), None)
    return TitleProgress(title, len(days), max(days[NORMS_FOR_TITLE - 1], rated.day))


def _has_title_rating(line: NormLine, title: NormTitle) -> bool:
    """Return whether the rating is established, and high enough if that counts."""
    if line.games <= rules_in_force(line.rules_day).established_after:
        return False
    return not title.needs_rating or official(line.rating) >= title.level
