"""Lines over time: ratings of a career, and what the laboratory measures.

A dot opens its event. Dots are left out where they would overlap, and corners of a line
where no pixel shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from itertools import groupby, pairwise, product
from textwrap import wrap

from django.utils.translation import gettext

from ratings_site.common.ui.charts import drawing
from ratings_site.common.ui.charts.drawing import (
    LETTER,
    Frame,
    Label,
    Scale,
    text_width,
)
from ratings_site.common.ui.formatting import (
    ApproximateRating,
    format_day,
    format_rating,
    signed,
    whole,
)

HEIGHT, TOP, BOTTOM = 250, 24, 26
LONG_GAP, SHORT_SPAN = timedelta(days=730), timedelta(days=90)
LINE_STYLES = 6
# Two dots are at least two radii apart: no two are in neighboring squares.
RADIUS, BETWEEN_DOTS = 3, 6
AROUND = tuple(product((-1, 0, 1), repeat=2))
# Lines are drawn in 2,000 units across and two for each pixel down.
UNITS_ACROSS, UNITS_DOWN = 20, 2
# Longer names are in a list below the chart, and letters at the ends of the lines.
MAX_NAME, NAME_ROW, ROW_HEIGHT = 22, 10, 14
MAX_Y_TICKS = 6

Place = tuple[float, float]  # percent across, pixels down


@dataclass(frozen=True)
class Point:
    """A rating after one event; *label* and *url* are the event's."""

    day: date
    rating: float
    label: str = ""
    url: str = ""


@dataclass(frozen=True)
class Series:
    """One line: the ratings of one system in the order of their days.

    *style* is its class in the stylesheet, by default that of its position. A quiet
    line accompanies another one and has neither dots nor a label. Official ratings are
    steps: each holds until the next.
    """

    name: str
    points: Sequence[Point]
    style: str = ""
    is_quiet: bool = False
    is_steps: bool = False


@dataclass(frozen=True)
class Annotation:
    """An event on a date, such as a title or a rerate."""

    day: date
    text: str


def rating_chart(
    series: Sequence[Series],
    *,
    title: str = "",
    floor: float | None = None,
    marks: Sequence[Annotation] = (),
    until: date | None = None,
    chart_id: str = "rating-chart",
    height: int = HEIGHT,
) -> str:
    """Return the history of one or more ratings as SVG, or "" without points.

    The time axis ends at the last point or at *until*.
    """
    shown = [one for one in series if one.points]
    if not shown:
        return ""
    title = title or gettext("Rating history")
    chart = LineChart(shown, format_rating, height, floor=floor, until=until)
    parts = [*chart.bands(), *chart.axes(), *chart.annotations(marks), *chart.lines()]
    # Labels come last: they go where nothing else is.
    return chart.svg(
        chart_id, title, [*parts, *chart.floor_line(), *chart.band_names()]
    )


class LineChart:
    """Lines over time, with axes, end labels and tooltips."""

    def __init__(
        self,
        series: Sequence[Series],
        shown: Callable[[float], str],
        height: int = HEIGHT,
        *,
        floor: float | None = None,
        until: date | None = None,
    ) -> None:
        """Prepare the scales; *shown* writes a value as text."""
        self.series, self.shown, self.height = series, shown, height
        self.base = height - BOTTOM
        self.styles = [
            one.style or f"s{place % LINE_STYLES + 1} d{place // LINE_STYLES}"
            for place, one in enumerate(series)
        ]
        low, high = self._limits(floor)
        self.across = self._days(until)
        self.up = Scale(low, high, self.base, TOP)
        self.floor = floor if floor is not None and self.up.holds(floor) else None
        self.places = [
            [(self.across.on(point.day), self.up(point.rating)) for point in one.points]
            for one in series
        ]
        self.ticks = drawing.round_ticks(
            low, high, MAX_Y_TICKS, is_whole=shown is format_rating
        )
        ends = [row for _, _, rows in self._ends() for row in rows]
        self.frame = Frame(
            max(text_width(words) for _, words in self.ticks) + 8,
            max((text_width(row) for row in ends), default=0) + 8,
        )

    def _limits(self, floor: float | None) -> tuple[float, float]:
        values = [point.rating for one in self.series for point in one.points]
        low, high = min(values), max(values)
        # A floor far below would flatten the line, so it is left out.
        if floor is not None and low - floor <= max(200.0, high - low):
            low, high = min(low, floor), max(high, floor)
        least = 10.0 if self.shown is format_rating else 0.0
        padding = max(least, (high - low) * 0.08) or max(1.0, abs(high) * 0.01)
        return low - padding, high + padding

    def _days(self, until: date | None) -> Scale:
        days = [point.day for one in self.series for point in one.points]
        first, last = min(days), max([*days, *([until] if until else [])])
        if last - first < SHORT_SPAN:  # has the starts of some months in any case
            first = (first - timedelta(days=15)).replace(day=1)
            last = (last + timedelta(days=45)).replace(day=1)
        return Scale(first.toordinal(), last.toordinal())

    @property
    def days(self) -> tuple[date, date]:
        low, high = int(self.across.low), int(self.across.high)
        return date.fromordinal(low), date.fromordinal(high)

    @property
    def _labeled(self) -> list[int]:
        return [place for place, one in enumerate(self.series) if not one.is_quiet]

    @property
    def has_letters(self) -> bool:
        return any(letter for _, letter, _ in self._ends())

    def _ends(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the labeled lines, letters for long names, and the rows of labels."""
        names = [self.series[place].name for place in self._labeled]
        longest = max(map(len, names)) if len(names) > 1 else 0
        for number, (place, name) in enumerate(zip(self._labeled, names, strict=True)):
            value = self.shown(self.series[place].points[-1].rating)
            letter = chr(ord("A") + number % 26) if longest > MAX_NAME else ""
            if letter or longest == 1:
                yield place, letter, [f"{letter or name} {value}"]
            else:
                yield place, "", [value, *(wrap(name, NAME_ROW) if longest else [])]

    def svg(self, chart_id: str, title: str, parts: Sequence[str]) -> str:
        told = " ".join(self._summary(one) for one in self.series)
        first, last = self.days
        has_links = any(point.url for one in self.series for point in one.points)
        svg = self.frame.svg(
            *(chart_id, self.height, title, told, parts),
            # The content of an img role is not accessible, so links are in a group.
            role="group" if has_links else "img",
            extra=f' data-from="{first}" data-to="{last}"',
        )
        if not self.has_letters:
            return svg
        names = (
            f'<li class="{self.styles[place]}"><b>{rows[0]}</b> '
            f"{escape(self.series[place].name)}</li>"
            for place, _, rows in self._ends()
        )
        return f'{svg}<ul class="chart-names">{"".join(names)}</ul>'

    def axes(self) -> Iterator[str]:
        choices = list(drawing.date_choices(*self.days))
        yield drawing.group(
            *drawing.y_axis(self.up, self.ticks),
            *self.frame.x_axis(self.across, self.base, choices),
            extra=' aria-hidden="true"',
        )

    def lines(self) -> Iterator[str]:
        """Yield the lines, then their dots and the labels at their ends."""
        paths, dots = [], []
        for place, (one, style) in enumerate(
            zip(self.series, self.styles, strict=True)
        ):
            drawn = "".join(self._paths(one, self.places[place]))
            paths.append(drawing.group(drawn, kind=style))
            if not one.is_quiet:
                dots.append(drawing.group(*self._dots(place), kind=style))
        yield (
            f'<svg viewBox="0 0 {100 * UNITS_ACROSS} {self.height * UNITS_DOWN}" '
            f'width="100%" height="{self.height}" preserveAspectRatio="none">'
            f"{''.join(paths)}</svg>"
        )
        yield from dots
        yield from self._end_labels()

    def _paths(self, one: Series, places: Sequence[Place]) -> Iterator[str]:
        if one.is_steps:
            corners = [places[0]]
            for (_, y1), (x2, y2) in pairwise(places):
                corners += [(x2, y1), (x2, y2)] if y1 != y2 else []
            yield self._path("line", [*corners, (100.0, places[-1][1])])
            return
        points, run = one.points, [places[0]]
        for (before, after), (last, place) in zip(
            pairwise(points), pairwise(places), strict=True
        ):
            if after.day - before.day > LONG_GAP:
                yield self._path("line", run)
                yield self._path("gap", [last, place])
                run = []
            run.append(place)
        yield self._path("line", run)

    def _path(self, kind: str, places: Sequence[Place]) -> str:
        """Return a line without the corners that no pixel shows."""
        if len(places) < 2:
            return ""
        corners = list(visible_corners(places))
        for start, end in pairwise(corners):
            self.frame.take_line(start, end)
        units = [(round(x * UNITS_ACROSS), round(y * UNITS_DOWN)) for x, y in corners]
        steps = (f"{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(units))
        way = f"M{units[0][0]} {units[0][1]}l{' '.join(steps)}".replace(" -", "-")
        return f'<path class="{kind}" d="{way}"/>'

    def _dots(self, place: int) -> Iterator[str]:
        one, places = self.series[place], self.places[place]
        chosen = self._choose_dots(places)
        for index in sorted(chosen):
            x, y = places[index]
            for space in self.frame.spaces:
                at = x * space.width / 100
                space.take((at - 4, y - 4, at + 4, y + 4))
            point = one.points[index]
            before = one.points[index - 1] if index else None
            yield drawing.mark(
                drawing.circle(x, y, RADIUS),
                tip=self._tip(one, point, before),
                url=point.url,
                kind=chosen[index],
            )

    def _choose_dots(self, places: Sequence[Place]) -> dict[int, str]:
        """Choose dots that don't overlap, newest first.

        Those with the kind "" fit at any width, others only on wider charts.
        """
        chosen: dict[int, str] = {}
        for kind, width in self.frame.dot_widths():
            taken: set[tuple[int, int]] = set()
            for index in [*chosen, *range(len(places) - 1, -1, -1)]:
                x, y = places[index]
                column = int(x * width / 100 // BETWEEN_DOTS)
                row = int(y // BETWEEN_DOTS)
                if index in chosen or (column, row) not in taken:
                    chosen.setdefault(index, kind)
                    taken.update((column + right, row + down) for right, down in AROUND)
        return chosen

    def _tip(self, one: Series, point: Point, before: Point | None) -> str:
        value = self.shown(point.rating)
        if len(self._labeled) > 1:
            value = f"{one.name}: {value}"
        is_about = {type(each.rating) for each in (point, before) if each}
        if before and self.shown is format_rating and ApproximateRating not in is_about:
            value += f" ({signed(whole(point.rating) - whole(before.rating))})"
        rows = [value, point.label, format_day(point.day)]
        return "\n".join(row for row in rows if row)

    def _end_labels(self) -> Iterator[str]:
        """Yield the last value of each line in the gutter, moved apart on overlap."""
        ends = sorted(
            (self.places[place][-1][1], place, rows) for place, _, rows in self._ends()
        )
        heights = [ROW_HEIGHT * len(rows) + 2.0 for _, _, rows in ends]
        wanted = [
            y - height / 2 for (y, _, _), height in zip(ends, heights, strict=True)
        ]
        tops = drawing.spread_labels(wanted, heights, self.base + 6)
        for (y, place, rows), top in zip(ends, tops, strict=True):
            x = self.places[place][-1][0]
            drawn = []
            if x < 99 and not self.series[place].is_steps:
                self.frame.take_line((x, y), (100.0, y))
                drawn.append(drawing.level("leader", x, 100, y))
            for row, words in enumerate(rows):
                label = Label(100, top + ROW_HEIGHT * row + LETTER, words, dx=8)
                drawn.append(drawing.text("end-name" if row else "end", label))
            yield drawing.group(*drawn, kind=self.styles[place])

    def bands(self) -> Iterator[str]:
        for _, _, ground, bottom, top in drawing.bands(self.up):
            if ground:
                y, height = self.up(top), self.up(bottom) - self.up(top)
                yield drawing.rect(ground, 0, y, 100, height)

    def band_names(self) -> Iterator[str]:
        """Yield the names of the classes, where no line is."""
        for lower, name, _, bottom, top in drawing.bands(self.up):
            words = f"{lower} {name}" if lower >= 2000 else name
            if self.up(bottom) - self.up(top) >= LETTER + 6:
                ys = (self.up(bottom) - 5, self.up(top) + LETTER + 1)
                yield self.frame.place("band-label", _along(words, *ys))

    def floor_line(self) -> Iterator[str]:
        if self.floor is not None:
            y, rating = self.up(self.floor), whole(self.floor)
            self.frame.take_line((0, y), (100, y))
            yield drawing.level("floor", 0, 100, y)
            places = [
                place
                for words in (gettext("floor {rating}"), gettext("floor"))
                for place in _along(words.format(rating=rating), y - 6, y + LETTER + 2)
            ]
            yield self.frame.place("floor-label", places)

    def annotations(self, marks: Sequence[Annotation]) -> Iterator[str]:
        """Yield dotted vertical lines with a label, or a tooltip if labels overlap."""
        for one in sorted(marks, key=lambda one: one.day):
            if not self.across.holds(one.day.toordinal()):
                continue
            x = self.across.on(one.day)
            places = [
                Label(x, LETTER, one.text, "middle"),
                Label(x, LETTER, one.text),
                Label(x, LETTER, one.text, "end"),
            ]
            self.frame.take_line((x, TOP - 6), (x, self.base))
            yield (
                f"<g><title>{escape(one.text)}\n{format_day(one.day)}</title>"
                f"{drawing.upright('event', x, TOP - 6, self.base)}"
                f"{self.frame.place('event-label', places)}</g>"
            )

    def _summary(self, one: Series) -> str:
        first, last = one.points[0], one.points[-1]
        values = [point.rating for point in one.points]
        if len(values) == 1:
            return gettext("{name}: {rating} on {day}.").format(
                name=one.name,
                rating=self.shown(last.rating),
                day=format_day(last.day),
            )
        return gettext(
            "{name}: from {first_rating} on {first_day} to "
            "{last_rating} on {last_day}, lowest {min}, "
            "highest {max}."
        ).format(
            name=one.name,
            first_rating=self.shown(first.rating),
            first_day=format_day(first.day),
            last_rating=self.shown(last.rating),
            last_day=format_day(last.day),
            min=self.shown(min(values)),
            max=self.shown(max(values)),
        )


def visible_corners(places: Sequence[Place]) -> Iterator[Place]:
    """Yield the first, last, lowest and highest of the corners in each pixel column."""
    for _, column in groupby(places, key=lambda place: int(place[0] * 10)):
        corners = list(column)
        ys = [y for _, y in corners]
        kept = {0, len(ys) - 1, ys.index(min(ys)), ys.index(max(ys))}
        yield from (corners[index] for index in sorted(kept))


def _along(words: str, *ys: float) -> list[Label]:
    """Return places for a label along a line, at its ends first."""
    return [
        Label(x, y, words, anchor, dx)
        for y in ys
        for x, anchor, dx in (
            (0, "start", 6),
            (100, "end", -6),
            (50, "middle", 0),
            (25, "middle", 0),
            (75, "middle", 0),
        )
    ]
