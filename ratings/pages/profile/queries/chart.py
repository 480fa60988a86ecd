"""The chart of a profile: all systems, with annotations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
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
from ratings_site.common.ui.charts.drawing import DESKTOP, PHONE
from ratings_site.common.ui.charts.ratings import (
    Annotation,
    Point,
    Series,
    rating_chart,
)
from ratings_site.common.ui.formatting import format_day, format_rating

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    from ratings.lists.queries.rankings import OnList

# More points than this cannot be distinguished on a chart.
MAX_POINTS = 400


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


class Kind(TextChoices):
    """The ratings that the chart shows."""

    BOTH = "both", gettext_lazy("After each event and official")
    LIVE = "live", gettext_lazy("After each event")
    OFFICIAL = "official", gettext_lazy("Official rating lists")


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """The options of the chart; no system means all of them."""

    systems: tuple[System, ...] = ()
    span: Span = Span.ALL
    kind: Kind = Kind.BOTH
    has_table: bool = False


@dataclass(frozen=True, slots=True)
class ProfileChart:
    """The chart as SVG and as a table, and its current options."""

    svg: SafeString
    options: ChartOptions
    systems: list[System]
    drawn: list[tuple[System, Series]] = field(default_factory=list)
    marks: list[Annotation] = field(default_factory=list)

    @property
    def lines(self) -> list[tuple[System, Point]]:
        """Every point of the chart, the newest first."""
        lines = [(one, point) for one, series in self.drawn for point in series.points]
        return sorted(lines, key=lambda line: line[1].day, reverse=True)

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
    def is_chosen(self) -> bool:
        return bool(self.options.systems) or self.options.kind is not Kind.BOTH

    @property
    def spans(self) -> list[Span]:
        return list(Span)

    @property
    def kinds(self) -> list[Kind]:
        return list(Kind)


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
    shown = [one for one in live if not options.systems or one in options.systems]
    starts = options.span.starts(today)
    listed = _official(chart_data.listed, shown, starts)
    drawn = [
        (system, one)
        for system in shown
        for one in _series_for_system(
            system, live[system], listed[system], options.kind, starts
        )
    ]
    series = [one for _, one in drawn]
    first = min((point.day for one in series for point in one.points), default=date.max)
    marks = [mark for mark in _marks(chart_data, shown) if mark.day >= first]
    last_mark = max((mark.day for mark in marks), default=None)
    svg = "".join(
        rating_chart(
            series,
            title=_("Ratings of {name}").format(name=player.name),
            floor=floors[shown[0]] if len(shown) == 1 else None,
            marks=marks,
            until=today if starts else last_mark,
            chart_id=f"rating-chart-{size.kind}",
            size=size,
        )
        for size in (DESKTOP, PHONE)
    )
    # The chart escapes every text in it.
    return ProfileChart(mark_safe(svg), options, list(live), drawn, marks)  # noqa: S308


def _series_for_system(
    system: System,
    live: Sequence[Point],
    listed: Sequence[Point],
    kind: Kind,
    starts: date | None,
) -> list[Series]:
    """Return the series of one system; with live ratings, official ones are lighter."""
    style = f"s{1 + list(System).index(system)}"
    listed = _downsample(listed)
    if kind is Kind.OFFICIAL:
        return [Series(gettext(system.label), listed, style)]
    wanted = [
        Series(gettext(system.label), _downsample(_points_since(live, starts)), style)
    ]
    if kind is Kind.BOTH and listed:
        name = gettext("{system}, official").format(system=gettext(system.label))
        wanted.append(Series(name, listed, f"{style} official", is_quiet=True))
    return wanted


def _points_since(points: Sequence[Point], starts: date | None) -> list[Point]:
    """Return the points from a day on, starting with the rating in force that day."""
    if starts is None:
        return list(points)
    earlier = [point for point in points if point.day < starts]
    later = [point for point in points if point.day >= starts]
    if not earlier:
        return later
    return [Point(starts, earlier[-1].rating, _("On this date")), *later]


def _downsample(points: Sequence[Point]) -> list[Point]:
    """Thin out points evenly where there are too many, but keep the last one."""
    step = max(1, -(-len(points) // MAX_POINTS))
    return list(points)[::-1][::step][::-1]


def _official(
    rows: "Sequence[WithAnnotations[OfficialRating, OnList]]",
    systems: Sequence[System],
    starts: date | None,
) -> dict[System, list[Point]]:
    """Return the official ratings by system, the earliest first."""
    listed: dict[System, list[Point]] = {system: [] for system in systems}
    for row in rows:
        if row.system in listed and (starts is None or row.month >= starts):
            point = Point(row.month, official_number(row), _("Official rating list"))
            listed[System(row.system)].append(point)
    return listed


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
