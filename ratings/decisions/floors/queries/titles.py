"""A member's titles and classes in their history, computed from lists and ledger.

They are correct after every rerate. Only the norm titles earned are stored too, so that
a rerate does not take them away (`EarnedTitle`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Min

from events.models import CorrectionRequest, Event, Section
from players.members.queries import same_person_ids
from players.models import Player
from ratings.engine.classes import RatingClass, rating_class_for
from ratings.engine.norms import (
    MIN_ROUNDS,
    NORMS_FOR_TITLE,
    TITLES,
    Norm,
    NormGame,
    NormTitle,
    find_norm,
    is_possible,
)
from ratings.engine.numbers import official
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.engine.time_controls import is_dual, parse_time_control
from ratings.ledger.queries.point_in_time import (
    OpponentGame,
    SectionCalculation,
    games_of_people,
    opponent_games,
)
from ratings.ledger.queries.published_ratings import official_number, published
from ratings.models import (
    Calculation,
    EarnedTitle,
    Floor,
    OfficialList,
    OfficialRating,
    RatingChange,
    RerateMark,
)


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
    """A norm and its section. The score is in half points.

    *carries* are the earned titles of whose first five norms it is one. *is_open* means
    that a correction of the section waits for a decision or a rerate.
    """

    norm: Norm
    day: date
    title: str
    url: str
    key: str = ""
    carries: tuple[str, ...] = ()
    is_open: bool = False

    @property
    def half_points(self) -> int:
        return official(2 * self.norm.score)


@dataclass(frozen=True, slots=True)
class TitleProgress:
    """A member's progress toward a norm title; *day* is when it was earned.

    *is_kept*: the records no longer show the title, and the office has kept it.
    *is_open*: without the norms whose sections may be corrected it would be too few.
    *line* earned the title, or brought the last norm.
    """

    title: NormTitle
    norms: int
    day: date | None
    line: NormLine | None = None
    is_kept: bool = False
    is_open: bool = False

    @property
    def needed(self) -> int:
        return NORMS_FOR_TITLE


class NormOf(NamedTuple):
    """A norm of one section of an event."""

    section: int
    level: int


@dataclass(frozen=True, slots=True)
class NormsMade:
    """A player's norms in an event, the titles they complete, and those one norm short.

    *member_id* is empty for a newcomer.
    """

    name: str
    member_id: str
    norms: list[NormOf]
    completed: list[str] = field(default_factory=list)
    one_short: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TitleOutlook:
    """The names of titles that an event completes, or leaves one norm short."""

    completed: list[str]
    one_short: list[str]


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
    norms = _norms(rated, opponent_games(numbers, norm_sections(rated)))
    sources = {line.calculation_id: line.calculation for line in lines}
    changing = _changing({line.section_id for line, _ in norms} - {None})
    stored = stored_titles(dict.fromkeys(numbers, player.pk)).get(player.pk, {})
    progress = _with_stored(_progress(norms, rated, changing), stored)
    carries = _carried_titles(norms, progress)
    return Titles(
        classes=_classes(numbers, lines),
        life_master=_life_master(numbers),
        norms=[
            NormEarned(
                norm,
                line.day,
                *_source(sources[line.calculation_id]),
                _key(sources[line.calculation_id]),
                carries[line.calculation_id],
                line.section_id in changing,
            )
            for line, norm in reversed(norms)
        ],
        progress=progress,
    )


def _changing(sections: Collection[int | None]) -> set[int | None]:
    """Return the sections whose results may change: a correction or rerate is open."""
    if not sections:
        return set()
    asked = CorrectionRequest.objects.open().filter(section__in=sections)
    marks = RerateMark.objects.pending().filter(section__in=sections)
    found = asked.order_by().values_list("section", flat=True)
    return set(found.union(marks.order_by().values_list("section", flat=True)))


def _carried_titles(
    norms: Sequence[tuple[NormLine, Norm]], progress: Sequence[TitleProgress]
) -> dict[int, tuple[str, ...]]:
    """Return the earned titles that each norm carries, by calculation."""
    carried: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
    for one in progress:
        if one.day is None:
            continue
        lines = [line for line, norm in norms if norm.level >= one.title.level]
        for line in lines[:NORMS_FOR_TITLE]:
            carried[line.calculation_id] += (one.title.name,)
    return carried


def stored_titles(owners: Mapping[int, int]) -> dict[int, dict[int, date]]:
    """Return the first days of the stored titles by person and level (one query).

    *owners* are the people by their member numbers. Revoked titles are left out, also
    those that the next night revokes.
    """
    rows = EarnedTitle.objects.filter(player__in_array=owners)
    if settings.NORM_TITLES_FOR_LIFE:
        rows = rows.exclude(decision=EarnedTitle.Decision.REVOKED)
    else:
        rows = rows.filter(decision=EarnedTitle.Decision.KEPT)
    found: defaultdict[int, dict[int, date]] = defaultdict(dict)
    for number, level, day in rows.values_list("player", "level", "earned_on"):
        days = found[owners[number]]
        days[level] = min(day, days.get(level, day))
    return found


def _with_stored(
    progress: Iterable[TitleProgress], stored: Mapping[int, date]
) -> list[TitleProgress]:
    """Add the stored titles that the records do not show."""
    return [
        replace(one, day=stored[one.title.level], is_kept=True)
        if one.day is None and one.title.level in stored
        else one
        for one in progress
    ]


def titles_earned(
    lines: Sequence[NormLine], met: Mapping[int, Sequence[OpponentGame]]
) -> list[TitleProgress]:
    """Return the norm titles that *lines*, in rating order, earned, with their days.

    *met* are the games of the sections from `title_sections`.
    """
    return [one for one in title_progress(lines, met) if one.day is not None]


def highest_titles(owners: Mapping[int, int]) -> dict[int, NormTitle]:
    """Return the highest norm title of each person who has one (four queries).

    *owners* are the people by their member numbers.
    """
    levels = {
        person: max(days) for person, days in stored_titles(owners).items() if days
    }
    for person, earned in earned_titles(owners).items():
        levels[person] = max(levels.get(person, 0), *earned)
    titles = {title.level: title for title in TITLES}
    return {person: titles[level] for person, level in levels.items()}


def earned_titles(owners: Mapping[int, int]) -> dict[int, dict[int, date]]:
    """Return the days of the titles that the records show, by person and level."""
    lines = regular_lines(owners)
    sections = {one for of_one in lines.values() for one in title_sections(of_one)}
    met = games_of_people(owners, sections)
    found = {
        person: titles_earned(of_one, games)
        for person, of_one in lines.items()
        if (games := met.get(person))
    }
    return {
        person: {one.title.level: one.day for one in earned if one.day}
        for person, earned in found.items()
        if earned
    }


# The columns of a ledger line, besides its rating, that make a norm line.
NORM_COLUMNS = (
    "calculation__system",
    "calculation__order_date",
    "calculation__rules_day",
    "post_games",
    "calculation_id",
    "calculation__section_id",
    "calculation__section__kind",
    "calculation__section__rounds",
    "calculation__section__time_control",
    "games",
    "half_points",
)


def regular_lines(owners: Mapping[int, int]) -> dict[int, list[NormLine]]:
    """Return people's regular lines in rating order, without making instances."""
    rows = (
        RatingChange.objects.filter(
            player__in_array=[*owners],
            calculation__is_current=True,
            calculation__system=System.OTBR,
        )
        .order_by(*(f"calculation__{name}" for name in Calculation.ORDER), "pk")
        .values_list("player_id", "post_rating", *NORM_COLUMNS)
    )
    found: defaultdict[int, list[NormLine]] = defaultdict(list)
    for number, *row in rows:
        found[owners[number]].append(norm_line(*row))
    return found


def norm_line(rating: float, *columns: Any) -> NormLine:
    """Return the norm line of a rating and of the values of `NORM_COLUMNS`."""
    system, day, rules_day, games, calculation, section, *played = columns
    norm = section is not None and can_be_norm(rules_day, *played)
    return NormLine(system, day, rules_day, rating, games, calculation, section, norm)


def title_progress(
    lines: Sequence[NormLine], met: Mapping[int, Sequence[OpponentGame]]
) -> list[TitleProgress]:
    """Return the progress toward each norm title, the highest first.

    *met* are the games of the sections from `norm_sections`.
    """
    return _progress(_norms(lines, met), lines)


def title_sections(lines: Sequence[NormLine]) -> list[SectionCalculation]:
    """Return the sections whose games are needed to determine titles.

    Few members have enough results for a title; for the others it is empty.
    """
    sections = norm_sections(lines)
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
        and can_be_norm(
            *(calculation.rules_day, section.kind, section.rounds),
            *(section.time_control, line.games, line.half_points),
        ),
    )


def can_be_norm(
    day: date, kind: str, rounds: int, control: str, games: int, half_points: int
) -> bool:
    """Return whether the line may be a norm; then the opponents decide.

    *day*, *kind*, *rounds* and *control* are those of its section.
    """
    return (
        kind != Section.Kind.MATCH
        and rounds >= MIN_ROUNDS
        and is_possible(games, half_points / 2)
        and counts_toward_norms(rules_in_force(day), control)
    )


def counts_toward_norms(rules: Rules, control: str) -> bool:
    """Return whether regular games at a time control count, dual-rated ones too."""
    return rules.norms_when_dual or not is_dual(parse_time_control(control), rules.day)


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
    rows = listed.order_by("list__month", *OfficialRating.KEPT_LAST)
    for row in {(row.list_id, row.system): row for row in rows}.values():
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


def _key(calculation: Calculation) -> str:
    """Return what names a norm in the address of its certificate."""
    section = calculation.section
    return f"{section.event.event_id}-{section.number}" if section else ""


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
        (line, _norm(met.get(line.calculation_id, ()))) for line in _candidates(lines)
    ]
    return [(line, norm) for line, norm in found if norm is not None]


def _candidates(lines: Sequence[NormLine]) -> list[NormLine]:
    """Return lines that may be norms. Only regular ratings over the board count."""
    return [line for line in lines if line.system == System.OTBR and line.can_be_norm]


def norm_sections(lines: Sequence[NormLine]) -> list[SectionCalculation]:
    """Return the sections of the lines that may be norms."""
    return [played for line in _candidates(lines) if (played := line.played)]


def _norm(met: Iterable[OpponentGame]) -> Norm | None:
    """Return the norm of a section, by the opponents' ratings after it.

    These are the whole numbers that the crosstable shows.
    """
    games = [
        NormGame(one.opponent, official(one.after), one.half_points / 2)
        for one in met
        if one.after is not None
    ]
    return find_norm(games, has_free_point=any(one.opponent is None for one in met))


def _progress(
    norms: Sequence[tuple[NormLine, Norm]],
    lines: Sequence[NormLine],
    changing: Collection[int | None] = (),
) -> list[TitleProgress]:
    regular = [line for line in lines if line.system == System.OTBR]
    return [_progress_of(title, norms, regular, changing) for title in TITLES]


def _progress_of(
    title: NormTitle,
    norms: Sequence[tuple[NormLine, Norm]],
    regular: Sequence[NormLine],
    changing: Collection[int | None],
) -> TitleProgress:
    made = [line for line, norm in norms if norm.level >= title.level]
    rated = next((line for line in regular if _has_title_rating(line, title)), None)
    if len(made) < NORMS_FOR_TITLE or rated is None:
        return TitleProgress(title, len(made), None, made[-1] if made else None)
    last = max(made[NORMS_FOR_TITLE - 1], rated, key=regular.index)
    settled = [line for line in made if line.section_id not in changing]
    return TitleProgress(
        title,
        len(made),
        last.day,
        last,
        is_open=len(settled) < NORMS_FOR_TITLE,
    )


def _has_title_rating(line: NormLine, title: NormTitle) -> bool:
    """Return whether the rating is established, and high enough if that counts."""
    if line.games <= rules_in_force(line.rules_day).established_after:
        return False
    return not title.needs_rating or official(line.rating) >= title.level


# The norms of an event

LinesHere = Mapping[int, Sequence[tuple[NormLine, Norm | None]]]
"""The lines of an event by person, each with its norm if there is one."""


def event_norms(event: Event) -> list[NormsMade]:
    """Return the norms made in a rated event, and the titles they lead to."""
    numbers = dict(event.sections.values_list("pk", "number"))
    rows = RatingChange.objects.filter(
        calculation__section__in=numbers,
        calculation__system=System.OTBR,
        calculation__is_current=True,
    ).select_related("player__merged_into")
    players = {player.pk: player for row in rows if (player := row.player.canonical)}
    owners = owners_of(players)
    lines = regular_lines(owners)
    for of_one in lines.values():  # other events may lie between two sections
        while of_one[-1].section_id not in numbers:
            of_one.pop()
    wanted = {
        one
        for found in map(norm_sections, lines.values())
        for one in found
        if one.section in numbers or len(found) >= NORMS_FOR_TITLE - 1
    }
    met, stored = games_of_people(owners, wanted), stored_titles(owners)
    made = []
    for person, of_one in lines.items():
        here = [line for line in of_one if line.section_id in numbers]
        norms = _norms(of_one, met.get(person, {}))
        outlook = _outlook(here, norms, of_one, stored.get(person, {}))
        made.append(
            NormsMade(
                players[person].name,
                players[person].member_id,
                [
                    NormOf(numbers[line.section_id], norm.level)
                    for line, norm in norms
                    if line.section_id in numbers
                ],
                outlook.completed,
                outlook.one_short,
            )
        )
    return in_order(made)


def in_order(made: Iterable[NormsMade]) -> list[NormsMade]:
    """Sort by section, level and name; leave out players without norm and title."""
    return sorted(
        (one for one in made if one.norms or one.completed),
        key=lambda one: (
            [(norm.section, -norm.level) for norm in one.norms] or [(0, 0)],
            one.name,
        ),
    )


def member_outlooks(here: LinesHere) -> dict[int, TitleOutlook]:
    """Return what the lines of an event that is not rated yet would lead to."""
    owners = owners_of(here)
    earlier = regular_lines(owners)
    sections = {person: norm_sections(lines) for person, lines in earlier.items()}
    wanted = {
        one
        for person, found in sections.items()
        if len(found) + len(here[person]) >= NORMS_FOR_TITLE - 1
        for one in found
    }
    met, stored = games_of_people(owners, wanted), stored_titles(owners)
    return {
        person: _outlook(
            [line for line, _ in new],
            [
                *_norms(earlier.get(person, ()), met.get(person, {})),
                *((line, norm) for line, norm in new if norm is not None),
            ],
            [*earlier.get(person, ()), *(line for line, _ in new)],
            stored.get(person, {}),
        )
        for person, new in here.items()
    }


def _outlook(
    here: Sequence[NormLine],
    norms: Sequence[tuple[NormLine, Norm]],
    lines: Sequence[NormLine],
    stored: Mapping[int, date],
) -> TitleOutlook:
    """Return what the lines *here* lead to, among all *lines* up to the last of them.

    A title is completed by the line that brings the last of what it takes.
    """
    by_here = [
        one
        for one in _progress(norms, lines)
        if one.line in here and stored.get(one.title.level, date.max) >= here[0].day
    ]
    return TitleOutlook(
        [one.title.name for one in by_here if one.day],
        [
            one.title.name
            for one in by_here
            if not one.day and one.norms == NORMS_FOR_TITLE - 1
        ],
    )


def owners_of(people: Iterable[int]) -> dict[int, int]:
    """Return the people by all of their member numbers."""
    numbers = same_person_ids(people)
    return {number: person for person, own in numbers.items() for number in own}
