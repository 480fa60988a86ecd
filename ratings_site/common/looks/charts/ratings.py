"""The history of one or more ratings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from django.utils.translation import gettext, gettext_lazy

from ratings_site.common.looks.charts import kit
from ratings_site.common.looks.charts.kit import LETTER, WIDTH, Scale, Size
from ratings_site.common.looks.figures import day_in_words, in_words, short_day, whole

# Where nothing else is said: letters as large as on a phone.
MIDDLE = Size(WIDTH, 320, LETTER, "")
LONG_GAP = timedelta(days=730)
# Dots shrink as they crowd: (most points, radius).
DOTS = ((25, 3.0), (80, 2.2), (math.inf, 1.4))


@dataclass(frozen=True)
class Point:
    """A rating after one event; *label* is what the tooltip says before the number."""

    day: date
    rating: float
    label: str = ""


@dataclass(frozen=True)
class Series:
    """One line: the ratings of one system in the order of their days.

    *style* is its class in the stylesheet, by default that of its place. A quiet line
    accompanies another one: it has neither dots nor a label at its end.
    """

    name: str
    points: Sequence[Point]
    style: str = ""
    is_quiet: bool = False


@dataclass(frozen=True)
class Mark:
    """Something that happened on a day, such as a title or a rerate."""

    day: date
    text: str


Box = tuple[float, float, float, float]  # left, top, right, bottom


class _Frame(NamedTuple):
    """Where days and ratings stand on the drawing."""

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
    title: str = gettext_lazy("Rating history"),
    floor: float | None = None,
    marks: Sequence[Mark] = (),
    until: date | None = None,
    chart_id: str = "rating-chart",
    size: Size = MIDDLE,
) -> str:
    """Return the history of one or more ratings as SVG, empty text without a point.

    The days run up to the last point, or on to *until*. A phone has nothing to hover
    with, so its points say nothing.
    """
    shown = [one for one in series if one.points]
    if not shown:
        return ""
    frame = _frame(shown, floor, until, size)
    taken = [*_segments(frame, shown), *_floor_label_box(frame, floor)]
    ticks = kit.whole_ticks(frame.up)
    parts = [
        *_bands(frame, taken),
        *kit.level_axis(frame.up, frame.left, frame.right, ticks),
        *kit.foot_axis(frame.across, frame.base, _day_ticks(frame)),
        *_marks(frame, marks),
        *_lines(frame, shown),
        *_floor(frame, floor),
        *_end_labels(frame, shown),
    ]
    description = " ".join(_summary(one) for one in shown)
    return kit.svg(chart_id, size.height, title, description, parts, size=size)


def _frame(
    series: Sequence[Series], floor: float | None, until: date | None, size: Size
) -> _Frame:
    days = [point.day for one in series for point in one.points]
    if until is not None:
        days.append(until)
    ratings = [point.rating for one in series for point in one.points]
    low, high = min(ratings), max(ratings)
    # A floor far below would flatten the line; it is then left out.
    if floor is not None and low - floor <= max(200.0, high - low):
        low, high = min(low, floor), max(high, floor)
    padding = max(10.0, (high - low) * 0.08)
    first, last = min(days), max(days)
    if (last - first).days < 14:
        first, last = first - timedelta(days=14), last + timedelta(days=14)
    left, right = (
        size.text_width("2400") + 6,
        size.width - _room_at_the_end(series, size),
    )
    return _Frame(
        Scale(first.toordinal(), last.toordinal(), left, right),
        Scale(low - padding, high + padding, size.height - 30, 26),
        size,
    )


def _room_at_the_end(series: Sequence[Series], size: Size) -> float:
    """Return what the last numbers need behind their lines, with the names below."""
    labeled = [one.name for one in series if not one.is_quiet]
    names = labeled if len(labeled) > 1 else []
    return max(size.text_width(words) for words in ["about 100", *names]) + 8


def _bands(frame: _Frame, taken: Sequence[Box]) -> Iterator[str]:
    for lower, name, ground, bottom, top in kit.bands(frame.up):
        y, height = frame.up(top), frame.up(bottom) - frame.up(top)
        if ground:
            yield kit.rect(ground, frame.left, y, frame.right - frame.left, height)
        label = f"{lower} {name}" if lower >= 2000 else name
        yield from _band_label(frame, taken, y, height, label)


def _band_label(
    frame: _Frame, taken: Sequence[Box], top: float, height: float, name: str
) -> Iterator[str]:
    """The name at the lower or upper edge of its band, where no line hides it."""
    letter, width = frame.size.letter, frame.size.text_width(name)
    first, last = frame.left + 6, frame.right - 6 - width
    if height < letter + 4:
        return
    for y in (top + height - 5, top + letter - 3):
        for part in (0, 4, 2, 1, 3):
            x = first + part / 4 * (last - first)
            if not _meets(taken, (x, y - letter, x + width, y + 4)):
                yield kit.text("band-label", x, y, name)
                return


def _meets(taken: Sequence[Box], box: Box) -> bool:
    left, top, right, bottom = box
    return any(
        a < right and c > left and b < bottom and d > top for a, b, c, d in taken
    )


def _segments(frame: _Frame, series: Sequence[Series]) -> Iterator[Box]:
    """The lines as small boxes, because one box around a long slope covers too much."""
    for one in series:
        places = [frame.place(point) for point in one.points]
        for (x1, y1), (x2, y2) in pairwise([places[0], *places]):
            pieces = 1 + int(max(abs(x2 - x1), abs(y2 - y1)) / frame.size.letter)
            dx, dy = (x2 - x1) / pieces, (y2 - y1) / pieces
            for piece in range(pieces):
                x, y = x1 + piece * dx, y1 + piece * dy
                yield x - 3, min(y, y + dy) - 3, x + dx + 3, max(y, y + dy) + 3


def _day_ticks(frame: _Frame) -> list[tuple[float, str]]:
    """Years where two or more begin, else three days spread evenly."""
    across = frame.across
    most_years = (frame.right - frame.left) / frame.size.text_width("2024 ")
    low, high = int(across.low), int(across.high)
    first, last = date.fromordinal(low), date.fromordinal(high)
    if years := kit.year_ticks(first, last, most_years):
        return years
    days = [low + round((high - low) * part / 8) for part in (1, 4, 7)]
    return [(day, short_day(date.fromordinal(day))) for day in days]


def _floor(frame: _Frame, floor: float | None) -> Iterator[str]:
    if floor is None or not frame.up.holds(floor):
        return
    y = frame.up(floor)
    yield kit.line("floor", frame.left, y, frame.right, y)
    yield kit.text("floor-label", frame.right - 4, y - 4, _floor_label(floor), "end")


def _floor_label(floor: float) -> str:
    return gettext("floor {rating}").format(rating=whole(floor))


def _floor_label_box(frame: _Frame, floor: float | None) -> Iterator[Box]:
    if floor is not None:
        y, size, right = frame.up(floor), frame.size, frame.right
        yield right - size.text_width(_floor_label(floor)), y - size.letter, right, y


def _marks(frame: _Frame, marks: Sequence[Mark]) -> Iterator[str]:
    """Dotted uprights with a text above, or only a tooltip where texts would touch."""
    across, size, free_from = frame.across, frame.size, frame.left
    for mark in sorted(marks, key=lambda one: one.day):
        if not across.holds(mark.day.toordinal()):
            continue
        x, width = across.on(mark.day), size.text_width(mark.text)
        parts = [kit.line("event", x, frame.top - 4, x, frame.base)]
        start = min(max(x - width / 2, frame.left), size.width - width)
        if start >= free_from:
            parts.append(kit.text("event-label", start, frame.top - 8, mark.text))
            free_from = start + width + 6
        yield kit.group(*parts, tip=f"{day_in_words(mark.day)}: {mark.text}")


def _lines(frame: _Frame, series: Sequence[Series]) -> Iterator[str]:
    for index, one in enumerate(series, start=1):
        drawn = [
            kit.path(kind, map(frame.place, run)) for kind, run in _runs(one.points)
        ]
        if not one.is_quiet and frame.size is not kit.PHONE:
            radius = next(size for most, size in DOTS if len(one.points) <= most)
            drawn += [
                kit.circle(*frame.place(point), radius, _told(point))
                for point in one.points
            ]
        elif not one.is_quiet:
            drawn.append(kit.circle(*frame.place(one.points[-1]), DOTS[0][1]))
        yield kit.group(*drawn, kind=one.style or f"s{index}")


def _told(point: Point) -> str:
    words = [day_in_words(point.day), point.label, in_words(point.rating)]
    return ", ".join(word for word in words if word)


def _runs(points: Sequence[Point]) -> Iterator[tuple[str, list[Point]]]:
    """Unbroken runs of points, and the long gaps between them."""
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
    """The last number at the end of its line; pushed apart where lines meet."""
    labeled = [one for one in series if not one.is_quiet]
    named = len(labeled) > 1
    letter = frame.size.letter
    height = letter * (2 if named else 1) + 2
    ends = sorted(
        ((*frame.place(one.points[-1]), one) for one in labeled),
        key=lambda end: end[1],
    )
    tops = kit.apart([y - height / 2 for _, y, _ in ends], height, frame.base)
    for (x, _, one), top in zip(ends, tops, strict=True):
        last = in_words(one.points[-1].rating)
        yield kit.text("end", x + 8, top + letter - 3, last)
        if named:
            yield kit.text("end-name", x + 8, top + 2 * letter - 3, one.name)


def _summary(one: Series) -> str:
    first, last = one.points[0], one.points[-1]
    ratings = [point.rating for point in one.points]
    if len(one.points) == 1:
        return gettext("{name}: {rating} on {day}.").format(
            name=one.name, rating=in_words(last.rating), day=day_in_words(last.day)
        )
    return gettext(
        "{name}: from {first_rating} on {first_day} to "
        "{last_rating} on {last_day}, lowest {min}, "
        "highest {max}."
    ).format(
        name=one.name,
        first_rating=in_words(first.rating),
        first_day=day_in_words(first.day),
        last_rating=in_words(last.rating),
        last_day=day_in_words(last.day),
        min=whole(min(ratings)),
        max=whole(max(ratings)),
    )
