"""The chart of a profile: every system in one frame, with what happened on its way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localdate
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.floors.queries.floors import Decisions
from ratings.floors.queries.titles import NormLine, titles_earned
from ratings.ledger.queries.met import Met
from ratings.ledger.queries.published import official_number
from ratings.models import OfficialRating
from ratings.rerates.queries import Revision
from ratings_site.common.looks.charts.kit import DESK, PHONE
from ratings_site.common.looks.charts.ratings import Mark, Point, Series, rating_chart
from ratings_site.common.looks.figures import day_in_words, in_words

# More points than this cannot be told apart on a chart.
MOST_POINTS = 400


class Span(StrEnum):
    """How much of a history the chart shows."""

    YEAR = "1y"
    FIVE_YEARS = "5y"
    ALL = "all"

    @property
    def label(self) -> str:
        return {
            "1y": gettext("1 year"),
            "5y": gettext("5 years"),
            "all": gettext("All"),
        }[self.value]

    def starts(self, today: date) -> date | None:
        """Return the first day of the span, None for all."""
        if self is Span.ALL:
            return None
        year = today.year - (1 if self is Span.YEAR else 5)
        # A year before 29 February is 1 March.
        is_leap_day = (today.month, today.day) == (2, 29)
        return date(year, 3, 1) if is_leap_day else today.replace(year=year)


class Kind(StrEnum):
    """Which ratings the chart shows."""

    BOTH = "both"
    LIVE = "live"
    OFFICIAL = "official"

    @property
    def label(self) -> str:
        return {
            "both": _("After each event, and official"),
            "live": _("After each event"),
            "official": _("Official lists"),
        }[self.value]


@dataclass(frozen=True, slots=True)
class ChartWish:
    """What somebody wants to see on the chart; no system means all of them."""

    systems: tuple[System, ...] = ()
    span: Span = Span.ALL
    kind: Kind = Kind.BOTH
    has_table: bool = False


@dataclass(frozen=True, slots=True)
class PointLine:
    """A point of the chart as a line of the table below it."""

    day: date
    system: System
    what: str
    rating: int


@dataclass(frozen=True, slots=True)
class ProfileChart:
    """The drawing, the same as a table, and the switches as they stand."""

    svg: SafeString
    wish: ChartWish
    systems: list[System]
    drawn: list[tuple[System, Series]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    @property
    def lines(self) -> list[PointLine]:
        """Every point of the chart, the newest first."""
        lines = [
            PointLine(point.day, system, point.label, point.rating)
            for system, series in self.drawn
            for point in series.points
        ]
        return sorted(lines, key=lambda line: line.day, reverse=True)

    @property
    def rows(self) -> SafeString:
        """The lines as rows of a table: of hundreds a template takes far longer."""
        lines = self.lines
        names = {system: escape(gettext(system.label)) for system in self.systems}
        texts = {line.what: escape(line.what) for line in lines}
        rows = (
            f'<tr><th scope="row" class="tnum nowrap">{day_in_words(line.day)}</th>'
            f'<td>{names[line.system]}</td><td class="num">{in_words(line.rating)}</td>'
            f'<td class="wrap">{texts[line.what]}</td></tr>'
            for line in lines
        )
        return mark_safe("\n".join(rows))  # noqa: S308 (dates and numbers are ours)

    @property
    def is_chosen(self) -> bool:
        return bool(self.wish.systems) or self.wish.kind is not Kind.BOTH

    @property
    def spans(self) -> list[Span]:
        return list(Span)

    @property
    def kinds(self) -> list[Kind]:
        return list(Kind)


Points = Mapping[System, Sequence[Point]]


@dataclass(frozen=True, slots=True)
class Known:
    """What the profile has read, and the chart marks.

    *lines* are in rating order, *met* their games as far as titles need them.
    """

    listed: Sequence[OfficialRating]
    decisions: Decisions
    revisions: Sequence[Revision]
    lines: Sequence[NormLine]
    met: Mapping[int, Sequence[Met]]


def chart_of(
    player: Player,
    live: Points,
    wish: ChartWish,
    *,
    today: date,
    floors: Mapping[System, float | None],
    known: Known,
) -> ProfileChart:
    """Draw a member's ratings as somebody wants to see them.

    *live* are the points after each event, as whole numbers: the place of a point tells
    decimals too, and some are for nobody.
    """
    shown = [one for one in live if not wish.systems or one in wish.systems]
    starts = wish.span.starts(today)
    listed = _official(known.listed, shown, starts)
    drawn = [
        (system, one)
        for system in shown
        for one in _wanted(system, live[system], listed[system], wish.kind, starts)
    ]
    series = [one for _, one in drawn]
    first = min((point.day for one in series for point in one.points), default=date.max)
    marks = [mark for mark in _marks(known, shown) if mark.day >= first]
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
        for size in (DESK, PHONE)
    )
    # The chart escapes every text in it.
    return ProfileChart(mark_safe(svg), wish, list(live), drawn, marks)  # noqa: S308


def _wanted(
    system: System,
    live: Sequence[Point],
    listed: Sequence[Point],
    kind: Kind,
    starts: date | None,
) -> list[Series]:
    """Return the lines of one system. Official ratings beside live ones are quiet."""
    style = f"s{1 + list(System).index(system)}"
    listed = _thinned(listed)
    if kind is Kind.OFFICIAL:
        return [Series(gettext(system.label), listed, style)]
    wanted = [Series(gettext(system.label), _thinned(_since(live, starts)), style)]
    if kind is Kind.BOTH and listed:
        name = gettext("{system}, official").format(system=gettext(system.label))
        wanted.append(Series(name, listed, f"{style} official", is_quiet=True))
    return wanted


def _since(points: Sequence[Point], starts: date | None) -> list[Point]:
    """Return the points from a day on, beginning with the rating in force that day."""
    if starts is None:
        return list(points)
    earlier = [point for point in points if point.day < starts]
    later = [point for point in points if point.day >= starts]
    if not earlier:
        return later
    return [Point(starts, earlier[-1].rating, _("In force on this day")), *later]


def _thinned(points: Sequence[Point]) -> list[Point]:
    """Leave points out evenly where there are too many; the last one stays."""
    step = max(1, -(-len(points) // MOST_POINTS))
    return list(points)[::-1][::step][::-1]


def _official(
    rows: Sequence[OfficialRating], systems: Sequence[System], starts: date | None
) -> dict[System, list[Point]]:
    """Return the official ratings by system, the earliest first."""
    listed: dict[System, list[Point]] = {system: [] for system in systems}
    for row in rows:
        if row.system in listed and (starts is None or row.month >= starts):
            point = Point(row.month, official_number(row), _("Official list"))
            listed[System(row.system)].append(point)
    return listed


def _marks(known: Known, systems: Sequence[System]) -> list[Mark]:
    """Return what happened to the ratings besides events, the earliest first."""
    marks = [
        *_titles(known, systems),
        *_floors(known.decisions, systems),
        *(
            Mark(localdate(one.published_at), f"Rerate {one.run.pk}")
            for one in known.revisions
            if one.published_at is not None and one.system in systems
        ),
    ]
    return sorted(dict.fromkeys(marks), key=lambda mark: (mark.day, mark.text))


def _titles(known: Known, systems: Sequence[System]) -> list[Mark]:
    """Norm titles, the highest of each day; they exist over the board only."""
    if System.OTBR not in systems:
        return []
    highest: dict[date, str] = {}
    for one in titles_earned(known.lines, known.met):  # highest first
        if one.day is not None:
            highest.setdefault(one.day, one.title.name)
    return [Mark(day, name) for day, name in highest.items()]


def _floors(decisions: Decisions, systems: Sequence[System]) -> list[Mark]:
    """Floors that somebody granted, or lowered."""
    granted = [one for one in decisions.floors if one.system in systems]
    lowered = [one for one in decisions.lowerings if one.system in systems]
    return [
        *(Mark(one.starts, f"{one.get_kind_display()} {one.level}") for one in granted),
        *(
            Mark(one.starts, _("Floor lowered to {level}").format(level=one.level))
            for one in lowered
        ),
    ]
