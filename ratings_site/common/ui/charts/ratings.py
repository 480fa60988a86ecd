"""The rating history chart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from django.utils.translation import gettext

from ratings_site.common.ui.charts import drawing
from ratings_site.common.ui.charts.drawing import LETTER_HEIGHT, WIDTH, Scale, Size
from ratings_site.common.ui.formatting import format_day, format_rating, whole

# The default, with letters as large as on a phone.
DEFAULT_SIZE = Size(WIDTH, 320, LETTER_HEIGHT, "")
LONG_GAP = timedelta(days=730)
# The radius of dots by the number of points: (most points, radius).
DOTS = ((25, 3.0), (80, 2.2), (math.inf, 1.4))


@dataclass(frozen=True)
class Point:
    """A rating after one event; *label* precedes the number in the tooltip."""

    day: date
    rating: float
    label: str = ""


@dataclass(frozen=True)
class Series:
    """One line: the ratings of one system in the order of their days.

    *style* is its class in the stylesheet, by default that of its position. A quiet
    line accompanies another one and has neither dots nor a label.
    """

    name: str
    points: Sequence[Point]
    style: str = ""
    is_quiet: bool = False


@dataclass(frozen=True)
class Annotation:
    """An event on a date, such as a title or a rerate."""

    day: date
    text: str


Box = tuple[float, float, float, float]  # left, top, right, bottom


class _Frame(NamedTuple):
    """The scales of dates and ratings."""

    across: Scale
    up: Scale
    size: Size

    @property
    def left(self) -> float:
        return self.across.start

    @property
    def right(self) -> float:
        return self.across.end

    @property
    def base(self) -> float:
        return self.up.start

    @property
    def top(self) -> float:
        return self.up.end

    def place(self, point: Point) -> tuple[float, float]:
        return self.across.on(point.day), self.up(point.rating)


def rating_chart(
    series: Sequence[Series],
    *,
    title: str = "",
    floor: float | None = None,
    marks: Sequence[Annotation] = (),
    until: date | None = None,
    chart_id: str = "rating-chart",
    size: Size = DEFAULT_SIZE,
) -> str:
    """Return the history of one or more ratings as SVG, or "" without points.

    The time axis ends at the last point or at *until*. Phones cannot hover, so their
    points have no tooltips.
    """
    shown = [one for one in series if one.points]
    if not shown:
        return ""
    frame = _frame(shown, floor, until, size)
    taken = [*_segments(frame, shown), *_floor_label_box(frame, floor)]
    ticks = drawing.integer_ticks(frame.up)
    parts = [
        *_bands(frame, taken),
        *drawing.y_axis(frame.up, frame.left, frame.right, ticks),
        *drawing.x_axis(frame.across, frame.base, _day_ticks(frame)),
        *_annotations(frame, marks),
        *_lines(frame, shown),
        *_floor(frame, floor),
        *_end_labels(frame, shown),
    ]
    description = " ".join(_summary(one) for one in shown)
    title = title or gettext("Rating history")
    return drawing.svg(chart_id, size.height, title, description, parts, size=size)


def _frame(
    series: Sequence[Series], floor: float | None, until: date | None, size: Size
) -> _Frame:
    days = [point.day for one in series for point in one.points]
    if until is not None:
        days.append(until)
    ratings = [point.rating for one in series for point in one.points]
    low, high = min(ratings), max(ratings)
    # A floor far below would flatten the line, so it is left out.
    if floor is not None and low - floor <= max(200.0, high - low):
        low, high = min(low, floor), max(high, floor)
    padding = max(10.0, (high - low) * 0.08)
    first, last = min(days), max(days)
    if (last - first).days < 14:
        first, last = first - timedelta(days=14), last + timedelta(days=14)
    left, right = (
        size.text_width("2400") + 6,
        size.width - _end_label_width(series, size),
    )
    return _Frame(
        Scale(first.toordinal(), last.toordinal(), left, right),
        Scale(low - padding, high + padding, size.height - 30, 26),
        size,
    )


def _end_label_width(series: Sequence[Series], size: Size) -> float:
    """Return the width of the labels at the ends of lines."""
    labeled = [one.name for one in series if not one.is_quiet]
    names = labeled if len(labeled) > 1 else []
    return max(size.text_width(words) for words in ["about 100", *names]) + 8


def _bands(frame: _Frame, taken: Sequence[Box]) -> Iterator[str]:
    for lower, name, ground, bottom, top in drawing.bands(frame.up):
        y, height = frame.up(top), frame.up(bottom) - frame.up(top)
        if ground:
            yield drawing.rect(ground, frame.left, y, frame.right - frame.left, height)
        label = f"{lower} {name}" if lower >= 2000 else name
        yield from _band_label(frame, taken, y, height, label)


def _band_label(
    frame: _Frame, taken: Sequence[Box], top: float, height: float, name: str
) -> Iterator[str]:
    """Yield the name at the lower or upper edge of its band, where no line is."""
    letter, width = frame.size.letter, frame.size.text_width(name)
    first, last = frame.left + 6, frame.right - 6 - width
    if height < letter + 4:
        return
    for y in (top + height - 5, top + letter - 3):
        for part in (0, 4, 2, 1, 3):
            x = first + part / 4 * (last - first)
            if not _overlaps(taken, (x, y - letter, x + width, y + 4)):
                yield drawing.text("band-label", x, y, name)
                return


def _overlaps(taken: Sequence[Box], box: Box) -> bool:
    left, top, right, bottom = box
    return any(
        a < right and c > left and b < bottom and d > top for a, b, c, d in taken
    )


def _segments(frame: _Frame, series: Sequence[Series]) -> Iterator[Box]:
    """Yield small boxes along the lines; one box for a long slope is too large."""
    for one in series:
        places = [frame.place(point) for point in one.points]
        for (x1, y1), (x2, y2) in pairwise([places[0], *places]):
            pieces = 1 + int(max(abs(x2 - x1), abs(y2 - y1)) / frame.size.letter)
            dx, dy = (x2 - x1) / pieces, (y2 - y1) / pieces
            for piece in range(pieces):
                x, y = x1 + piece * dx, y1 + piece * dy
                yield x - 3, min(y, y + dy) - 3, x + dx + 3, max(y, y + dy) + 3


def _day_ticks(frame: _Frame) -> list[tuple[float, str]]:
    """Return ticks for years if two or more start, else for three days."""
    across = frame.across
    most_years = (frame.right - frame.left) / frame.size.text_width("2024 ")
    low, high = int(across.low), int(across.high)
    first, last = date.fromordinal(low), date.fromordinal(high)
    if years := drawing.year_ticks(first, last, most_years):
        return years
    days = [low + round((high - low) * part / 8) for part in (1, 4, 7)]
    return [(day, format_day(date.fromordinal(day))) for day in days]


def _floor(frame: _Frame, floor: float | None) -> Iterator[str]:
    if floor is None or not frame.up.holds(floor):
        return
    y = frame.up(floor)
    yield drawing.line("floor", frame.left, y, frame.right, y)
    yield drawing.text(
        "floor-label", frame.right - 4, y - 4, _floor_label(floor), "end"
    )


def _floor_label(floor: float) -> str:
    return gettext("floor {rating}").format(rating=whole(floor))


def _floor_label_box(frame: _Frame, floor: float | None) -> Iterator[Box]:
    if floor is not None:
        y, size, right = frame.up(floor), frame.size, frame.right
        yield right - size.text_width(_floor_label(floor)), y - size.letter, right, y


def _annotations(frame: _Frame, marks: Sequence[Annotation]) -> Iterator[str]:
    """Yield dotted vertical lines with a label, or a tooltip if labels overlap."""
    across, size, free_from = frame.across, frame.size, frame.left
    for mark in sorted(marks, key=lambda one: one.day):
        if not across.holds(mark.day.toordinal()):
            continue
        x, width = across.on(mark.day), size.text_width(mark.text)
        parts = [drawing.line("event", x, frame.top - 4, x, frame.base)]
        start = min(max(x - width / 2, frame.left), size.width - width)
        if start >= free_from:
            parts.append(drawing.text("event-label", start, frame.top - 8, mark.text))
            free_from = start + width + 6
        yield drawing.group(*parts, tip=f"{format_day(mark.day)}: {mark.text}")


def _lines(frame: _Frame, series: Sequence[Series]) -> Iterator[str]:
    for index, one in enumerate(series, start=1):
        drawn = [
            drawing.path(kind, map(frame.place, run)) for kind, run in _runs(one.points)
        ]
        if not one.is_quiet and frame.size is not drawing.PHONE:
            radius = next(size for most, size in DOTS if len(one.points) <= most)
            drawn += [
                drawing.circle(*frame.place(point), radius, _tooltip(point))
                for point in one.points
            ]
        elif not one.is_quiet:
            drawn.append(drawing.circle(*frame.place(one.points[-1]), DOTS[0][1]))
        yield drawing.group(*drawn, kind=one.style or f"s{index}")


def _tooltip(point: Point) -> str:
    words = [format_day(point.day), point.label, format_rating(point.rating)]
    return ", ".join(word for word in words if word)


def _runs(points: Sequence[Point]) -> Iterator[tuple[str, list[Point]]]:
    """Yield continuous runs of points, and the long gaps between them."""
    run = [points[0]]
    for before, after in pairwise(points):
        if after.day - before.day > LONG_GAP:
            if len(run) > 1:
                yield "line", run
            yield "gap", [before, after]
            run = []
        run.append(after)
    if len(run) > 1:
        yield "line", run


def _end_labels(frame: _Frame, series: Sequence[Series]) -> Iterator[str]:
    """Yield the last rating at the end of each line, moved apart on overlap."""
    labeled = [one for one in series if not one.is_quiet]
    named = len(labeled) > 1
    letter = frame.size.letter
    height = letter * (2 if named else 1) + 2
    ends = sorted(
        ((*frame.place(one.points[-1]), one) for one in labeled), key=lambda end: end[1]
    )
    tops = drawing.spread_labels(
        [y - height / 2 for _, y, _ in ends], height, frame.base
    )
    for (x, _, one), top in zip(ends, tops, strict=True):
        last = format_rating(one.points[-1].rating)
        yield drawing.text("end", x + 8, top + letter - 3, last)
        if named:
            yield drawing.text("end-name", x + 8, top + 2 * letter - 3, one.name)


def _summary(one: Series) -> str:
    first, last = one.points[0], one.points[-1]
    ratings = [point.rating for point in one.points]
    if len(one.points) == 1:
        return gettext("{name}: {rating} on {day}.").format(
            name=one.name, rating=format_rating(last.rating), day=format_day(last.day)
        )
    return gettext(
        "{name}: from {first_rating} on {first_day} to "
        "{last_rating} on {last_day}, lowest {min}, "
        "highest {max}."
    ).format(
        name=one.name,
        first_rating=format_rating(first.rating),
        first_day=format_day(first.day),
        last_rating=format_rating(last.rating),
        last_day=format_day(last.day),
        min=whole(min(ratings)),
        max=whole(max(ratings)),
    )
