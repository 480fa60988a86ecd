"""The chart of a profile: one system or several, with annotations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

from django.db.models import TextChoices
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localdate
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from players.models import Player
from ratings.decisions.floors.queries.floors import Decisions
from ratings.decisions.floors.queries.titles import NormLine, titles_earned
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import OpponentGame
from ratings.ledger.queries.published_ratings import official_number
from ratings.models import OfficialRating
from ratings.rerates.queries import Revision
from ratings_site.common.ui.charts.ratings import (
    Annotation,
    Point,
    Series,
    rating_chart,
)
from ratings_site.common.ui.formatting import days, format_day, format_rating

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    from ratings.lists.queries.rankings import OnList


class Span(TextChoices):
    """The time span of the chart."""

    YEAR = "1y", gettext_lazy("1 year")
    FIVE_YEARS = "5y", gettext_lazy("5 years")
    ALL = "all", gettext_lazy("All")

    def starts(self, today: date) -> date | None:
        """Return the first day of the span, None for all."""
        if self is Span.ALL:
            return None
        year = today.year - (1 if self is Span.YEAR else 5)
        # A year before February 29 is March 1.
        is_leap_day = (today.month, today.day) == (2, 29)
        return date(year, 3, 1) if is_leap_day else today.replace(year=year)


class Kind(StrEnum):
    """The ratings that the chart shows: after each event, official, or both."""

    BOTH = "both"
    LIVE = "live"
    OFFICIAL = "official"


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """The options of the chart; no system means the first one, mostly Regular.

    A *window* of days replaces the span.
    """

    systems: tuple[System, ...] = ()
    span: Span = Span.ALL
    kind: Kind = Kind.LIVE
    has_table: bool = False
    window: tuple[date, date] | None = None

    def days(self, today: date) -> tuple[date | None, date | None]:
        """Return the first and the last day, None without a limit."""
        if self.window and self.window[0] < today:
            return self.window[0], min(self.window[1], today)
        starts = self.span.starts(today)
        return starts, today if starts else None

    @property
    def range(self) -> str:
        """Return the range as the URL has it."""
        return "_".join(map(str, self.window)) if self.window else self.span.value


@dataclass(frozen=True, slots=True)
class ProfileChart:
    """The chart as SVG and as a table, and its current options."""

    svg: SafeString
    options: ChartOptions
    systems: list[System]
    shown: list[System] = field(default_factory=list)
    drawn: list[tuple[System, Series]] = field(default_factory=list)
    marks: list[Annotation] = field(default_factory=list)

    @property
    def lines(self) -> list[tuple[System, Point]]:
        """Every point of the chart, the newest first."""
        lines = [(one, point) for one, series in self.drawn for point in series.points]
        return sorted(lines, key=lambda line: line[1].day)[::-1]

    @property
    def rows(self) -> SafeString:
        """The points as HTML rows; a template takes far longer for hundreds."""
        names = {system: escape(gettext(system.label)) for system in self.systems}
        texts = {point.label: escape(point.label) for _, point in self.lines}
        rows = (
            f'<tr><th scope="row" class="tnum nowrap">{format_day(point.day)}</th>'
            f"<td>{names[system]}</td>"
            f'<td class="num">{format_rating(point.rating)}</td>'
            f'<td class="wrap">{texts[point.label]}</td></tr>'
            for system, point in self.lines
        )
        return mark_safe("\n".join(rows))  # noqa: S308 (dates and numbers are ours)

    @property
    def window(self) -> str:
        return days(*self.options.window) if self.options.window else ""

    @property
    def has_official(self) -> bool:
        return self.options.kind is not Kind.LIVE

    @property
    def spans(self) -> list[Span]:
        return list(Span)


Points = Mapping[System, Sequence[Point]]


@dataclass(frozen=True, slots=True)
class ChartData:
    """The profile's data that the chart annotates.

    *lines* are in rating order, *met* has their games that titles need.
    """

    listed: "Sequence[WithAnnotations[OfficialRating, OnList]]"
    decisions: Decisions
    revisions: Sequence[Revision]
    lines: Sequence[NormLine]
    met: Mapping[int, Sequence[OpponentGame]]


def chart_of(
    player: Player,
    live: Points,
    options: ChartOptions,
    *,
    today: date,
    floors: Mapping[System, float | None],
    chart_data: ChartData,
) -> ProfileChart:
    """Draw a member's ratings with the given options.

    *live* are the points after each event, as whole numbers: the position of a point
    would reveal decimals that are not public.
    """
    shown = [one for one in live if one in options.systems] or list(live)[:1]
    starts, ends = options.days(today)
    listed = _official(chart_data.listed, shown)
    drawn = [
        (system, one)
        for system in shown
        for one in _series_for_system(
            system,
            _points_within(live[system], starts, ends),
            _points_within(listed[system], starts, ends),
            options.kind,
        )
    ]
    series = [one for _, one in drawn]
    first = min((point.day for one in series for point in one.points), default=date.max)
    last = ends or date.max
    marks = [one for one in _marks(chart_data, shown) if first <= one.day <= last]
    last_mark = max((mark.day for mark in marks), default=None)
    svg = rating_chart(
        series,
        title=_("Ratings of {name}").format(name=player.name),
        floor=floors[shown[0]] if len(shown) == 1 else None,
        marks=marks,
        until=ends or last_mark,
    )
    safe = mark_safe(svg)  # noqa: S308 (the chart escapes every text in it)
    return ProfileChart(safe, options, list(live), shown, drawn, marks)


def _series_for_system(
    system: System, live: Sequence[Point], listed: Sequence[Point], kind: Kind
) -> list[Series]:
    """Return the series of one system; with live ratings, official ones are lighter."""
    style, name = f"s{1 + list(System).index(system)}", gettext(system.label)
    if kind is Kind.OFFICIAL:
        return [Series(name, listed, style, is_steps=True)]
    wanted = [Series(name, live, style)]
    if kind is Kind.BOTH and listed:
        name = gettext("{system}, official").format(system=name)
        wanted.append(
            Series(name, listed, f"{style} official", is_quiet=True, is_steps=True)
        )
    return wanted


def _points_within(
    points: Sequence[Point], starts: date | None, ends: date | None
) -> list[Point]:
    """Return the points of some days, from the rating in force on the first on."""
    points = [point for point in points if ends is None or point.day <= ends]
    if starts is None:
        return points
    earlier = [point for point in points if point.day < starts]
    later = [point for point in points if point.day >= starts]
    if not earlier:
        return later
    return [Point(starts, earlier[-1].rating, _("On this date")), *later]


def _official(
    rows: "Sequence[WithAnnotations[OfficialRating, OnList]]",
    systems: Sequence[System],
) -> dict[System, list[Point]]:
    """Return the official ratings by system, the earliest first."""
    listed: dict[System, dict[date, Point]] = {system: {} for system in systems}
    for row in rows:
        if row.system in listed:
            point = Point(row.month, official_number(row), _("Official rating list"))
            listed[System(row.system)][row.month] = point
    return {system: [*points.values()] for system, points in listed.items()}


def _marks(chart_data: ChartData, systems: Sequence[System]) -> list[Annotation]:
    """Return the annotations of the ratings, the earliest first."""
    marks = dict.fromkeys(_annotations(chart_data, systems))
    return sorted(marks, key=lambda mark: (mark.day, mark.text))


def _annotations(
    chart_data: ChartData, systems: Sequence[System]
) -> Iterator[Annotation]:
    """Yield norm titles, floors that were granted or lowered, and rerates."""
    if System.OTBR in systems:  # titles exist over the board only
        highest: dict[date, str] = {}
        for title in titles_earned(chart_data.lines, chart_data.met):  # highest first
            if title.day is not None:
                highest.setdefault(title.day, title.title.name)
        for day, name in highest.items():
            yield Annotation(day, name)
    for floor in chart_data.decisions.floors:
        if floor.system in systems:
            name = f"{floor.get_kind_display()} {floor.level}"
            yield Annotation(floor.starts, name)
    for lowering in chart_data.decisions.lowerings:
        if lowering.system in systems:
            name = _("Floor lowered to {level}").format(level=lowering.level)
            yield Annotation(lowering.starts, name)
    for one in chart_data.revisions:
        if one.published_at is not None and one.system in systems:
            yield Annotation(localdate(one.published_at), f"Rerate {one.run.pk}")
