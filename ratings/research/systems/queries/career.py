"""A member's career in other systems: the same events, rated one after the other.

The member's own rating is carried forward in the system. Opponents have the published
rating from before each event, because carrying theirs forward too would take all
careers. It takes a few queries for a career of any length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import F
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext

from events.formats.played_games import HALF_POINTS
from events.models import Game, Section
from ratings.engine import systems as ours
from ratings.laboratory.protocol import (
    Games,
    Moment,
    Pool,
    Shape,
    Standing,
    System,
    Table,
)
from ratings.ledger.queries.point_in_time import (
    SIDES,
    ratings_before_after,
    side_columns,
)
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.models import RatingChange
from ratings.pages.profile.queries.results import own_color
from ratings.research.systems.queries.catalog import (
    REFUSALS,
    Family,
    families_of,
    is_runnable,
    label,
    standing_of,
)
from ratings.research.systems.queries.section import minutes_of
from ratings_site.common.ui.charts.ratings import Point, Series, rating_chart
from ratings_site.common.ui.formatting import ApproximateRating

MAX_SYSTEMS = 3
OWN = 0  # the member's number in the pool
# The lines of the chart: names of systems are too long for their ends.
LETTERS = "ABC"


class Meeting(NamedTuple):
    """One game of the member's.

    *rating* is the opponent's published one before, None if unrated.
    """

    opponent: int
    rating: float | None
    games: int
    color: str
    points: float


@dataclass(frozen=True, slots=True)
class PlayedSection:
    """A section the member played in, with the published rating before and after it."""

    day: date
    event: str
    section: str
    url: str
    minutes: int
    meetings: list[Meeting]
    before: float | None
    games_before: int
    after: float | None

    @property
    def half_points(self) -> int:
        return round(2 * sum(meeting.points for meeting in self.meetings))


@dataclass(frozen=True, slots=True)
class RatingPath:
    """A career in one system: the standing after each event, None while unrated."""

    system: System
    standings: list[Standing | None]


@dataclass(frozen=True, slots=True)
class Career:
    """The same career in several systems: drawn, and as a table."""

    played: list[PlayedSection]
    paths: list[RatingPath] = field(default_factory=list)
    failed: list[System] = field(default_factory=list)
    svg: str = ""

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The events, the latest first, with the ratings after each by system."""
        lines = [
            {
                "played": played,
                "ratings": [
                    (label(path.system), _shown(path, place)) for path in self.paths
                ],
            }
            for place, played in enumerate(self.played)
        ]
        return lines[::-1]

    @property
    def has_about(self) -> bool:
        return any(isinstance(one.after, ApproximateRating) for one in self.played)

    @property
    def columns(self) -> list[tuple[str, System]]:
        """The systems with the letters of their lines."""
        systems = [path.system for path in self.paths]
        return list(zip(LETTERS, systems, strict=False))

    @property
    def converted(self) -> list[System]:
        """The systems whose numbers the chart shows in rating points of today."""
        return [
            path.system for path in self.paths if path.system.on_elo_scale(100.0) != 100
        ]


def _shown(path: RatingPath, place: int) -> str:
    standing = path.standings[place]
    if standing is None:
        return gettext("unrated")
    return path.system.display(standing.rating)


def career_families() -> list[Family]:
    """Return the systems that can carry on one player alone."""
    return families_of(can_rate_career)


def can_rate_career(system: System) -> bool:
    return is_runnable(system) and system.about.shape is not Shape.WHOLE_POOL


# --- Games played ---


class _CareerGame(NamedTuple):
    order: tuple[date, date, str, int]
    section_id: int
    round_number: int
    leg: int
    color: str
    outcome: str
    opponent: int
    rating: float | None
    games: int
    day: date
    event: str
    event_id: str
    number: int
    section: str
    time_control: str


def played_sections(
    numbers: Sequence[int], our_system: ours.System
) -> list[PlayedSection]:
    """Return the sections of one of our systems, earliest first.

    That takes two queries, and up to two more. *numbers* are all IDs of the person's
    games.
    """
    changes = _changes(numbers, our_system)
    rows = sorted(_rows(numbers, our_system), key=_in_order)
    return [
        _played(list(games), changes.get(section_id))
        for section_id, games in groupby(rows, key=lambda row: row.section_id)
    ]


def _in_order(row: _CareerGame) -> tuple[object, ...]:
    return (*row.order, row.section_id, row.round_number, row.leg, row.opponent)


def _rows(numbers: Sequence[int], our_system: ours.System) -> Iterable[_CareerGame]:
    first, second = (
        Game.objects.filter(
            **{f"{mine}__player__in": numbers},
            section__status=Section.Status.RATED,
            section__calculations__system=our_system,
            section__calculations__is_current=True,
        )
        .annotate(
            calculation=F("section__calculations"),
            color=own_color(mine),
            outcome=F(f"{mine}_outcome"),
            opponent=Coalesce(f"{other}__player__merged_into", f"{other}__player"),
        )
        .order_by()
        .values_list(
            "section__calculations__order_date",
            "section__calculations__order_starts",
            "section__calculations__order_event_id",
            "section__calculations__order_section",
            "section_id",
            "round_number",
            "leg",
            "color",
            "outcome",
            "opponent",
            "calculation",
            *side_columns(other),
            "section__ends",
            "section__event__name",
            "section__event__event_id",
            "section__number",
            "section__name",
            "section__time_control",
        )
        for mine, other in SIDES
    )
    rows = list(first.union(second, all=True))
    around = ratings_before_after(row[10:13] for row in rows)
    befores = (around[row[10:13]].before for row in rows)
    return (
        _CareerGame._make((row[:4], *row[4:10], then.published, then.games, *row[13:]))
        for row, then in zip(rows, befores, strict=True)
    )


def _changes(
    numbers: Sequence[int], our_system: ours.System
) -> dict[int, RatingChange]:
    """Return the member's ledger lines by section."""
    lines = RatingChange.objects.filter(
        player__in=numbers,
        calculation__system=our_system,
        calculation__is_current=True,
        calculation__section__isnull=False,
    ).order_by()
    return {
        line.section_id: line
        for line in lines.annotate(section_id=F("calculation__section_id"))
    }


def _played(rows: Sequence[_CareerGame], change: RatingChange | None) -> PlayedSection:
    last = rows[-1]
    return PlayedSection(
        day=last.day,
        event=last.event,
        section=last.section,
        url=reverse("ratings:crosstable", args=[last.event_id, last.number]),
        minutes=minutes_of(last.time_control),
        meetings=[
            Meeting(
                *(row.opponent, row.rating, row.games, row.color),
                points=HALF_POINTS[row.outcome] / 2,
            )
            for row in rows
        ],
        before=published_before(change) if change else None,
        games_before=change.pre_games if change else 0,
        after=published(change) if change else None,
    )


# --- The same in another system ---


def career_of(
    played: list[PlayedSection],
    systems: Sequence[System],
    *,
    title: str,
    our_system: ours.System,
) -> Career:
    """Rate a career in each of *systems*, and plot it with our own ratings."""
    career = Career(played)
    for system in systems:
        try:
            career.paths.append(rate_career(system, played))
        except REFUSALS:
            # An error of one system on unusual games must not hide the others.
            career.failed.append(system)
    svg = rating_chart(
        _series(career, our_system), title=title, chart_id="career-chart"
    )
    # The chart escapes every text in it.
    return Career(played, career.paths, career.failed, mark_safe(svg))  # noqa: S308


def rate_career(system: System, played: Sequence[PlayedSection]) -> RatingPath:
    """Rate all of the member's events in one system.

    Every opponent of an event is a new player of the pool, seeded with our rating at
    the time. A period is a month.
    """
    size = 1 + sum(len(_opponents(one)) for one in played)
    table = system.begin(Pool(size))
    standings: list[Standing | None] = []
    next_free = OWN + 1
    for event, one in enumerate(played):
        if event == 0 and one.before is not None:
            table.seed(OWN, standing_of(system, one.before, one.games_before))
        places = {
            opponent: next_free + place
            for place, opponent in enumerate(_opponents(one))
        }
        next_free += len(places)
        _seed(table, system, one, places)
        moment = Moment(one.day.toordinal(), _months(played[0].day, one.day))
        table.update(_batch(one, places, event), moment)
        standings.append(table.standing(OWN))
    return RatingPath(system, standings)


def _opponents(one: PlayedSection) -> list[int]:
    return list(dict.fromkeys(meeting.opponent for meeting in one.meetings))


def _seed(
    table: Table, system: System, one: PlayedSection, places: dict[int, int]
) -> None:
    for opponent, meeting in {one.opponent: one for one in one.meetings}.items():
        if meeting.rating is not None:
            standing = standing_of(system, meeting.rating, meeting.games)
            table.seed(places[opponent], standing)


def _months(first: date, day: date) -> int:
    return 12 * (day.year - first.year) + day.month - first.month


def _batch(one: PlayedSection, places: dict[int, int], event: int) -> Games:
    """Return the games of an event; where no color is known, the member is first."""
    count = len(one.meetings)
    sides = [
        (places[meeting.opponent], OWN, 1.0 - meeting.points)
        if meeting.color == "B"
        else (OWN, places[meeting.opponent], meeting.points)
        for meeting in one.meetings
    ]
    return Games(
        white=[white for white, _black, _points in sides],
        black=[black for _white, black, _points in sides],
        points=[points for _white, _black, points in sides],
        days=[one.day.toordinal()] * count,
        events=[event] * count,
        minutes=[one.minutes] * count,
        colored=[bool(meeting.color) for meeting in one.meetings],
    )


def _series(career: Career, our_system: ours.System) -> list[Series]:
    series = [
        Series(letter, _points(path, career.played))
        for letter, path in zip(LETTERS, career.paths, strict=False)
    ]
    own = [
        Point(one.day, one.after, one.event)
        for one in career.played
        if one.after is not None
    ]
    name = gettext("Our {system} rating").format(
        system=gettext(our_system.label).lower()
    )
    return [*series, Series(name, own, "s5 official", is_quiet=True)]


def _points(path: RatingPath, played: Sequence[PlayedSection]) -> list[Point]:
    """Return the points in rating points of today, so that lines can be compared."""
    return [
        Point(one.day, path.system.on_elo_scale(standing.rating), one.event)
        for one, standing in zip(played, path.standings, strict=True)
        if standing is not None
    ]
