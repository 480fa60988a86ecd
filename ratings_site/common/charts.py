"""Charts as SVG text: pure functions, drawn on the server.

Everything is styled by classes of office.css (``figure.chart``), so a strict
Content-Security-Policy and both colour themes hold. A chart is scaled to the width of
the page; room for text is measured for the larger letters a phone gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from itertools import pairwise

from django.utils.translation import gettext, gettext_lazy

from ratings_site.common.figures import day as day_text
from ratings_site.common.figures import short_day, whole

# Lower bound, name, and ground: every second class has one, and all from Expert up.
CLASS_BANDS = (
    (2400, gettext_lazy("Senior Master"), "band senior"),
    (2200, gettext_lazy("Master"), "band master"),
    (2000, gettext_lazy("Expert"), "band expert"),
    (1800, gettext_lazy("Class A"), ""),
    (1600, gettext_lazy("Class B"), "band"),
    (1400, gettext_lazy("Class C"), ""),
    (1200, gettext_lazy("Class D"), "band"),
    (1000, gettext_lazy("Class E"), ""),
)

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 44, 88, 26, 30
# What a histogram keeps free above its columns, for classes and needles.
HEAD = 92
# Letters are 11 units high, 17 on a phone; a digit is about 0.58 of that wide.
LETTER, DIGIT_WIDTH = 17, 9.9
LONG_GAP = timedelta(days=730)
# Dots shrink as they crowd: (most points, radius).
DOTS = ((25, 3.0), (80, 2.2), (math.inf, 1.4))
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)


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


@dataclass(frozen=True)
class Bar:
    """One row of a distribution."""

    label: str
    count: int
    url: str = ""


@dataclass(frozen=True)
class Needle:
    """A rating pointed out on a histogram, such as the median or the reader's own."""

    rating: int
    text: str
    is_own: bool = False


Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class _Frame:
    """Where days and ratings stand on the drawing."""

    first: date
    last: date
    low: float
    high: float

    def x(self, day: date) -> float:
        share = (day - self.first).days / (self.last - self.first).days
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, rating: float) -> float:
        share = (rating - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def rating_chart(
    series: Sequence[Series],
    *,
    title: str = gettext_lazy("Rating history"),
    floor: float | None = None,
    marks: Sequence[Mark] = (),
    until: date | None = None,
    chart_id: str = "rating-chart",
) -> str:
    """Return the history of one or more ratings as SVG, empty text without a point.

    The days run up to the last point, or on to *until*.
    """
    shown = [one for one in series if one.points]
    if not shown:
        return ""
    frame = _frame(shown, floor, until)
    taken = [*_segments(frame, shown), *_floor_label_box(frame, floor)]
    parts = [
        *_bands(frame, taken),
        *_rating_axis(frame),
        *_day_axis(frame),
        *_marks(frame, marks),
        *_lines(frame, shown),
        *_floor(frame, floor),
        *_end_labels(frame, shown),
    ]
    description = " ".join(_summary(one) for one in shown)
    return _svg(chart_id, WIDTH, HEIGHT, title, description, parts)


def distribution_chart(
    bars: Sequence[Bar],
    *,
    title: str = gettext_lazy("Members by class"),
    chart_id: str = "distribution-chart",
) -> str:
    """Return counts as horizontal bars in SVG, empty text without a bar."""
    if not bars:
        return ""
    row, name_width = 26, _text_width(max((bar.label for bar in bars), key=len))
    left = name_width + 10
    most = max(1, max(bar.count for bar in bars))
    room = WIDTH - left - _text_width(f"{most:,}") - 10
    height = row * len(bars) + 8
    parts = [_line("baseline", left, 2, left, height - 2)]
    for index, bar in enumerate(bars):
        parts.append(_bar(bar, left, 4 + index * row, row, bar.count / most * room))
    total = sum(bar.count for bar in bars)
    counts = ", ".join(f"{bar.label} {bar.count:,}" for bar in bars)
    description = gettext("{total:,} in all: {counts}.").format(
        total=total, counts=counts
    )
    # What stands inside an image cannot be reached, so bars with links are a group.
    role = "group" if any(bar.url for bar in bars) else "img"
    return _svg(chart_id, WIDTH, height, title, description, parts, role)


def histogram_chart(
    columns: Sequence[tuple[int, int]],
    *,
    width: int,
    needles: Sequence[Needle] = (),
    title: str = gettext_lazy("Members by rating"),
    chart_id: str = "histogram-chart",
) -> str:
    """Return people by rating as SVG, empty text without a column.

    Each column is the lowest rating it holds, *width* points wide, and how many people.
    """
    if not columns:
        return ""
    scale = _Scale(columns[0][0], columns[-1][0] + width, max(n for _, n in columns))
    parts = [
        *_upright_bands(scale),
        *_people_axis(scale),
        *(_column(scale, lowest, people, width) for lowest, people in columns),
        *_needles(scale, needles),
        *_rating_ticks(scale),
    ]
    total = sum(people for _, people in columns)
    told = ", ".join(f"{one.text} {one.rating}" for one in needles)
    description = f"{total:,}: {scale.low}–{scale.high - 1}; {told}."
    return _svg(chart_id, WIDTH, HEIGHT, title, description, parts)


@dataclass(frozen=True)
class _Scale:
    """Where ratings and numbers of people stand on a histogram."""

    low: int
    high: int
    most: int

    def x(self, rating: float) -> float:
        share = (rating - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - 8)

    def y(self, people: float) -> float:
        return HEIGHT - BOTTOM - people / self.most * (HEIGHT - HEAD - BOTTOM)


def _upright_bands(scale: _Scale) -> Iterator[str]:
    """The classes as grounds, each with its name where it has room."""
    upper = math.inf
    for lower, name, ground in CLASS_BANDS:
        left, right = scale.x(max(lower, scale.low)), scale.x(min(upper, scale.high))
        upper = lower
        if right <= left:
            continue
        if ground:
            yield (
                f'<rect class="{ground}" x="{left:.1f}" y="{HEAD}" '
                f'width="{right - left:.1f}" height="{HEIGHT - BOTTOM - HEAD}"/>'
            )
        short = str(name) if lower >= 2000 else str(name).split()[-1]
        if _text_width(short) <= right - left + 4:
            middle = (left + right) / 2
            yield _text("band-label", middle, HEAD - 6, short, anchor="middle")


def _people_axis(scale: _Scale) -> Iterator[str]:
    for value in _ticks(0, scale.most):
        y = scale.y(value)
        yield _line("grid", LEFT, y, WIDTH - 8, y)
        yield _text("axis", LEFT - 6, y + 4, f"{value:,}", anchor="end")


def _column(scale: _Scale, lowest: int, people: int, width: int) -> str:
    left, right, y = scale.x(lowest), scale.x(lowest + width), scale.y(people)
    tip = f"{lowest}–{lowest + width - 1}: {people:,}"
    return (
        f'<rect class="bar" x="{left + 0.5:.1f}" y="{y:.1f}" '
        f'width="{right - left - 1:.1f}" height="{HEIGHT - BOTTOM - y:.1f}">'
        f"<title>{tip}</title></rect>"
    )


def _needles(scale: _Scale, needles: Sequence[Needle]) -> Iterator[str]:
    """Uprights, each with its text in a row of its own, so that none touch."""
    for row, one in enumerate(needles, start=1):
        if not scale.low <= one.rating <= scale.high:
            continue
        x, y = scale.x(one.rating), row * LETTER - 3
        text = f"{one.text} {one.rating}"
        before = x + _text_width(text) > WIDTH
        anchor, start = ("end", x - 4) if before else ("start", x + 4)
        kind = "needle own" if one.is_own else "needle"
        yield _line(kind, x, y - 9, x, HEIGHT - BOTTOM)
        yield _text("event-label", start, y, text, anchor=anchor)


def _rating_ticks(scale: _Scale) -> Iterator[str]:
    base = HEIGHT - BOTTOM
    yield _line("baseline", LEFT, base, WIDTH - 8, base)
    for value in _ticks(scale.low, scale.high):
        x = scale.x(value)
        yield _line("baseline", x, base, x, base + 4)
        yield _text("axis", x, HEIGHT - 9, str(value), anchor="middle")


def _svg(
    chart_id: str,
    width: int,
    height: int,
    title: str,
    description: str,
    parts: Iterable[str],
    role: str = "img",
) -> str:
    name = escape(chart_id)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'role="{role}" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>{"".join(parts)}</svg>'
    )


def _frame(series: Sequence[Series], floor: float | None, until: date | None) -> _Frame:
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
    return _Frame(first, last, low - padding, high + padding)


def _bands(frame: _Frame, taken: Sequence[Box]) -> Iterator[str]:
    upper = math.inf
    for lower, name, ground in CLASS_BANDS:
        bottom, top = max(lower, frame.low), min(upper, frame.high)
        upper = lower
        if bottom >= top:
            continue
        y, height = frame.y(top), frame.y(bottom) - frame.y(top)
        if ground:
            yield (
                f'<rect class="{ground}" x="{LEFT}" y="{y:.1f}" '
                f'width="{WIDTH - LEFT - RIGHT}" height="{height:.1f}"/>'
            )
        label = f"{lower} {name}" if lower >= 2000 else name
        yield from _band_label(taken, y, height, label)


def _band_label(
    taken: Sequence[Box], top: float, height: float, text: str
) -> Iterator[str]:
    """The name at the lower or upper edge of its band, where no line hides it."""
    width = _text_width(text)
    first, last = LEFT + 6, WIDTH - RIGHT - 6 - width
    if height < LETTER + 4:
        return
    for y in (top + height - 5, top + LETTER - 3):
        for part in (0, 4, 2, 1, 3):
            x = first + part / 4 * (last - first)
            if not _meets(taken, (x, y - LETTER, x + width, y + 4)):
                yield _text("band-label", x, y, text)
                return


def _meets(taken: Sequence[Box], box: Box) -> bool:
    left, top, right, bottom = box
    return any(
        a < right and c > left and b < bottom and d > top for a, b, c, d in taken
    )


def _segments(frame: _Frame, series: Sequence[Series]) -> Iterator[Box]:
    """The lines as small boxes, because one box around a long slope covers too much."""
    for one in series:
        places = [(frame.x(p.day), frame.y(p.rating)) for p in one.points]
        for (x1, y1), (x2, y2) in pairwise([places[0], *places]):
            pieces = 1 + int(max(abs(x2 - x1), abs(y2 - y1)) / LETTER)
            dx, dy = (x2 - x1) / pieces, (y2 - y1) / pieces
            for piece in range(pieces):
                x, y = x1 + piece * dx, y1 + piece * dy
                yield x - 3, min(y, y + dy) - 3, x + dx + 3, max(y, y + dy) + 3


def _rating_axis(frame: _Frame) -> Iterator[str]:
    for value in _ticks(frame.low, frame.high):
        y = frame.y(value)
        yield _line("grid", LEFT, y, WIDTH - RIGHT, y)
        yield _text("axis", LEFT - 6, y + 4, str(value), anchor="end")


def _ticks(low: float, high: float) -> list[int]:
    step = next((s for s in STEPS if (high - low) / s <= 7), STEPS[-1])
    while (high - low) / step > 7:
        step *= 2
    return list(range(math.ceil(low / step) * step, math.floor(high) + 1, step))


def _day_axis(frame: _Frame) -> Iterator[str]:
    base = HEIGHT - BOTTOM
    yield _line("baseline", LEFT, base, WIDTH - RIGHT, base)
    for when, label in _day_ticks(frame.first, frame.last):
        x = frame.x(when)
        yield _line("baseline", x, base, x, base + 4)
        yield _text("axis", x, HEIGHT - 9, label, anchor="middle")


def _day_ticks(first: date, last: date) -> list[tuple[date, str]]:
    """Years where two or more begin, else two to four days spread evenly."""
    years = [y for y in range(first.year, last.year + 1) if date(y, 1, 1) >= first]
    if len(years) >= 2:
        room = WIDTH - LEFT - RIGHT
        step = math.ceil(_text_width("2024 ") * len(years) / room)
        return [(date(y, 1, 1), str(y)) for y in years[::step]]
    span = (last - first).days
    days = [first + timedelta(days=round(span * part / 8)) for part in (1, 4, 7)]
    return [(when, short_day(when)) for when in days]


def _floor(frame: _Frame, floor: float | None) -> Iterator[str]:
    if floor is None or not frame.low <= floor <= frame.high:
        return
    y = frame.y(floor)
    yield _line("floor", LEFT, y, WIDTH - RIGHT, y)
    label = _floor_label(floor)
    yield _text("floor-label", WIDTH - RIGHT - 4, y - 4, label, anchor="end")


def _floor_label(floor: float) -> str:
    return gettext("floor {rating}").format(rating=whole(floor))


def _floor_label_box(frame: _Frame, floor: float | None) -> Iterator[Box]:
    if floor is not None:
        right, y = WIDTH - RIGHT, frame.y(floor)
        yield right - _text_width(_floor_label(floor)), y - LETTER, right, y


def _marks(frame: _Frame, marks: Sequence[Mark]) -> Iterator[str]:
    """Dotted uprights with a text above, or only a tooltip where texts would touch."""
    free_from = float(LEFT)
    for mark in sorted(marks, key=lambda one: one.day):
        if not frame.first <= mark.day <= frame.last:
            continue
        x, width = frame.x(mark.day), _text_width(mark.text)
        tip = escape(f"{day_text(mark.day)}: {mark.text}")
        line = _line("event", x, TOP - 4, x, HEIGHT - BOTTOM)
        start = min(max(x - width / 2, LEFT), WIDTH - width)
        text = ""
        if start >= free_from:
            text = _text("event-label", start, TOP - 8, mark.text)
            free_from = start + width + 6
        yield f"<g><title>{tip}</title>{line}{text}</g>"


def _lines(frame: _Frame, series: Sequence[Series]) -> Iterator[str]:
    for index, one in enumerate(series, start=1):
        yield f'<g class="{one.style or f"s{index}"}">'
        for kind, run in _runs(one.points):
            corners = " ".join(
                f"{frame.x(p.day):.1f},{frame.y(p.rating):.1f}" for p in run
            )
            yield f'<polyline class="{kind}" points="{corners}"/>'
        if not one.is_quiet:
            radius = next(size for most, size in DOTS if len(one.points) <= most)
            for point in one.points:
                yield _dot(frame, point, radius)
        yield "</g>"


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


def _dot(frame: _Frame, point: Point, radius: float) -> str:
    words = [day_text(point.day), point.label, str(whole(point.rating))]
    tip = escape(", ".join(word for word in words if word))
    return (
        f'<circle class="point" cx="{frame.x(point.day):.1f}" '
        f'cy="{frame.y(point.rating):.1f}" r="{radius}"><title>{tip}</title></circle>'
    )


def _end_labels(frame: _Frame, series: Sequence[Series]) -> Iterator[str]:
    """The last number at the end of its line; pushed apart where lines meet."""
    labelled = [one for one in series if not one.is_quiet]
    named = len(labelled) > 1
    height = LETTER * (2 if named else 1) + 2
    ends = sorted(
        ((frame.y(one.points[-1].rating), one) for one in labelled),
        key=lambda end: end[0],
    )
    tops = _apart([y - height / 2 for y, _ in ends], height)
    for (_, one), top in zip(ends, tops, strict=True):
        last = one.points[-1]
        x = frame.x(last.day) + 8
        yield _text("end", x, top + LETTER - 3, str(whole(last.rating)))
        if named:
            yield _text("end-name", x, top + 2 * LETTER - 3, one.name)


def _apart(tops: Sequence[float], height: float) -> list[float]:
    """Move labels down, then up from the lower edge, until none touch."""
    placed: list[float] = []
    for top in tops:
        placed.append(max(top, placed[-1] + height) if placed else max(top, 0.0))
    limit = float(HEIGHT - BOTTOM)
    for index in reversed(range(len(placed))):
        placed[index] = min(placed[index], limit - height)
        limit = placed[index]
    return placed


def _summary(one: Series) -> str:
    first, last = one.points[0], one.points[-1]
    ratings = [point.rating for point in one.points]
    if len(one.points) == 1:
        return gettext("{name}: {rating} on {day}.").format(
            name=one.name, rating=whole(last.rating), day=day_text(last.day)
        )
    return gettext(
        "{name}: from {rating} on {day} to "
        "{rating2} on {day2}, lowest {min}, "
        "highest {max}."
    ).format(
        name=one.name,
        rating=whole(first.rating),
        day=day_text(first.day),
        rating2=whole(last.rating),
        day2=day_text(last.day),
        min=whole(min(ratings)),
        max=whole(max(ratings)),
    )


def _bar(bar: Bar, left: float, top: float, row: int, length: float) -> str:
    middle = top + row / 2 + 4
    drawn = (
        _text("bar-label", left - 8, middle, bar.label, anchor="end")
        + f'<rect class="bar" x="{left:.1f}" y="{top + 4:.1f}" '
        f'width="{length:.1f}" height="{row - 8}"/>'
        + _text("bar-count", left + length + 6, middle, f"{bar.count:,}")
    )
    return f'<a href="{escape(bar.url)}">{drawn}</a>' if bar.url else f"<g>{drawn}</g>"


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" '
        f'x2="{x2:.1f}" y2="{y2:.1f}"/>'
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(text)}</text>'


def _text_width(text: str) -> float:
    return len(text) * DIGIT_WIDTH
