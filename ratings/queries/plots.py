"""The laboratory's plots as SVG text: intervals, calibration, and lines over time.

Drawn like those of `ratings_site.common.charts` and styled by the same classes, with a
few more of laboratory.css. Colour never speaks alone: lines have their names at their
ends, and every plot also stands on the page as a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

from django.utils.translation import gettext

from ratings_site.common.figures import MINUS

WIDTH = 640
# Letters are 11 units high, 17 on a phone; a letter is about 0.58 of that wide.
LETTER, LETTER_WIDTH = 17, 9.9
MOST_TICKS = 6
LONGEST_BESIDE = 16
LONGEST_NAME = 20
LINE_STYLES = 6
# A line with more points has no dots: they would run together.
MOST_DOTS = 40


@dataclass(frozen=True)
class Interval:
    """One row of an interval plot: a value, and where the true one is expected."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Dot:
    """One band of a calibration plot; *games* decide the size of its mark."""

    label: str
    expected: float
    actual: float
    low: float
    high: float
    games: int


@dataclass(frozen=True)
class Line:
    """One line over time: its points are days with a value."""

    name: str
    points: Sequence[tuple[date, float]]


@dataclass(frozen=True)
class _Scale:
    """Where values stand between two places of the drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def interval_plot(
    rows: Sequence[Interval],
    *,
    title: str,
    chart_id: str,
    decimals: int = 2,
    mark: float | None = None,
) -> str:
    """Return values with their intervals, one below the other; empty without rows.

    Short labels stand beside the lines, long ones above them. *mark* is a value to be
    compared with, such as no difference.
    """
    if not rows:
        return ""
    longest = max(len(row.label) for row in rows)
    is_beside = longest <= LONGEST_BESIDE
    left = longest * LETTER_WIDTH + 12 if is_beside else 12
    row_height = 26 if is_beside else 44
    height = row_height * len(rows) + 34
    values = [
        value
        for row in rows
        for value in (row.value, row.low, row.high, mark)
        if value is not None
    ]
    low, high = _padded(min(values), max(values))
    scale = _Scale(low, high, left, WIDTH - 70)
    parts = [*_upright_grid(scale, 4, height - 26)]
    if mark is not None:
        parts.append(_line("diagonal", scale(mark), 4, scale(mark), height - 26))
    for number, row in enumerate(rows):
        label = number * row_height + 16
        y = number * row_height + (12 if is_beside else 30)
        parts.append(
            _text("plot-label", 0, label, _short(row.label, int(WIDTH / LETTER_WIDTH)))
        )
        parts.append(_interval(row, scale, y, decimals))
    told = "; ".join(f"{row.label} {_figure(row.value, decimals)}" for row in rows)
    return _svg(chart_id, height, title, told, parts)


def _interval(row: Interval, scale: _Scale, y: float, decimals: int) -> str:
    shown, between, whisker, x = _figure(row.value, decimals), "", "", scale(row.value)
    end = x
    if row.low is not None and row.high is not None:
        first, end = scale(row.low), scale(row.high)
        whisker = (
            _line("whisker", first, y, end, y)
            + _line("whisker", first, y - 4, first, y + 4)
            + _line("whisker", end, y - 4, end, y + 4)
        )
        between = f" ({_figure(row.low, decimals)}–{_figure(row.high, decimals)})"
    return (
        f"<g><title>{escape(row.label)}: {shown}{between}</title>{whisker}"
        f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        + _text("bar-count", end + 8, y + 4, shown)
        + "</g>"
    )


def _short(label: str, most: int) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def calibration_plot(dots: Sequence[Dot], *, title: str, chart_id: str) -> str:
    """Return expected against actual scores; on the diagonal both are the same."""
    if not dots:
        return ""
    height, left, bottom = 420, 48, 40
    across = _Scale(0.0, 1.0, left, left + 340)
    up = _Scale(0.0, 1.0, height - bottom, height - bottom - 340)
    parts: list[str] = []
    for tenth in range(0, 11, 2):
        share = tenth / 10
        parts.append(_line("grid", across(0), up(share), across(1), up(share)))
        parts.append(_line("grid", across(share), up(0), across(share), up(1)))
        parts.append(_text("axis", left - 6, up(share) + 4, f"{share:.1f}", "end"))
        parts.append(
            _text("axis", across(share), height - bottom + 18, f"{share:.1f}", "middle")
        )
    parts.append(_line("diagonal", across(0), up(0), across(1), up(1)))
    most = max(dot.games for dot in dots)
    parts.extend(_dot(dot, across, up, most) for dot in dots)
    parts.append(_text("axis", across(0), up(1) - 10, gettext("actual score")))
    parts.append(
        _text("axis", across(1) + 12, height - bottom + 4, gettext("expected score"))
    )
    told = "; ".join(f"{d.label}: {d.expected:.3f} → {d.actual:.3f}" for d in dots)
    return _svg(chart_id, height, title, told, parts)


def _dot(dot: Dot, across: _Scale, up: _Scale, most: int) -> str:
    x, radius = across(dot.expected), 3 + 5 * math.sqrt(dot.games / most)
    tip = gettext(
        "{label}: expected {expected}, actual {actual}, {games} games"
    ).format(
        label=dot.label,
        expected=f"{dot.expected:.3f}",
        actual=f"{dot.actual:.3f}",
        games=f"{dot.games:,}",
    )
    return (
        f"<g><title>{escape(tip)}</title>"
        + _line("whisker", x, up(dot.low), x, up(dot.high))
        + f'<circle class="point" cx="{x:.1f}" cy="{up(dot.actual):.1f}" '
        f'r="{radius:.1f}"/></g>'
    )


def line_plot(
    lines: Sequence[Line], *, title: str, chart_id: str, decimals: int = 0
) -> str:
    """Return lines over time, each with its name at its end; empty without a point."""
    shown = [one for one in lines if one.points]
    if not shown:
        return ""
    names = max(len(_short(one.name, LONGEST_NAME)) for one in shown)
    right = names * LETTER_WIDTH + 60
    height, left, bottom = max(300, 22 * len(shown) + 60), 52, 30
    days = [day.toordinal() for one in shown for day, _ in one.points]
    values = [value for one in shown for _, value in one.points]
    first, last = min(days), max(days)
    if first == last:
        first, last = first - 15, last + 15
    low, high = _padded(min(values), max(values))
    across = _Scale(first, last, left, WIDTH - right)
    up = _Scale(low, high, height - bottom, 12)
    parts = [
        *_level_grid(up, left, WIDTH - right, decimals),
        *_days(across, height - bottom),
    ]
    for number, one in enumerate(shown):
        parts.append(_drawn(one, number, across, up, decimals))
    parts.extend(_ends(shown, across, up, height - bottom, decimals))
    told = " ".join(_summary(one, decimals) for one in shown)
    return _svg(chart_id, height, title, told, parts)


def _drawn(one: Line, number: int, across: _Scale, up: _Scale, decimals: int) -> str:
    style = f"s{number % LINE_STYLES + 1} d{number // LINE_STYLES}"
    corners = " ".join(
        f"{across(day.toordinal()):.1f},{up(value):.1f}" for day, value in one.points
    )
    dots = ""
    if len(one.points) <= MOST_DOTS:
        dots = "".join(
            f'<circle class="point" cx="{across(day.toordinal()):.1f}" '
            f'cy="{up(value):.1f}" r="2"><title>{escape(one.name)}, {day.isoformat()}: '
            f"{_figure(value, decimals)}</title></circle>"
            for day, value in one.points
        )
    return f'<g class="{style}"><polyline class="line" points="{corners}"/>{dots}</g>'


def _ends(
    lines: Sequence[Line], across: _Scale, up: _Scale, floor: float, decimals: int
) -> Iterator[str]:
    """Yield the last value and the name of each line, pushed apart where they meet."""
    ends = sorted(
        ((up(one.points[-1][1]), number, one) for number, one in enumerate(lines)),
        key=lambda end: end[:2],
    )
    room, placed = float(LETTER), list[float]()
    for y, _, _ in ends:
        placed.append(max(y, placed[-1] + room) if placed else y)
    limit = floor
    for place in reversed(range(len(placed))):
        placed[place] = min(placed[place], limit)
        limit = placed[place] - room
    x = across.end + 6
    for (_, number, one), y in zip(ends, placed, strict=True):
        value = _figure(one.points[-1][1], decimals)
        style = f"end s{number % LINE_STYLES + 1}"
        name = escape(_short(one.name, LONGEST_NAME))
        yield (
            f'<text class="{style}" x="{x:.1f}" y="{y + 4:.1f}">{value} '
            f'<tspan class="end-name">{name}</tspan></text>'
        )


def _summary(one: Line, decimals: int) -> str:
    (first, begin), (last, end) = one.points[0], one.points[-1]
    return gettext("{name}: {begin} in {first}, {end} in {last}.").format(
        name=one.name,
        begin=_figure(begin, decimals),
        first=f"{first:%Y-%m}",
        end=_figure(end, decimals),
        last=f"{last:%Y-%m}",
    )


def _padded(low: float, high: float) -> tuple[float, float]:
    padding = (high - low) * 0.08 or max(1.0, abs(high) * 0.01)
    return low - padding, high + padding


def _ticks(low: float, high: float) -> list[float]:
    """Return round values between two others, at most six."""
    step = 10.0 ** math.floor(math.log10((high - low) / MOST_TICKS))
    step = next(
        step * factor
        for factor in (1, 2, 2.5, 5, 10, 20)
        if (high - low) / (step * factor) <= MOST_TICKS
    )
    first, last = math.ceil(low / step), math.floor(high / step)
    return [step * number for number in range(first, last + 1)]


def _figure(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", MINUS)


def _tick_label(value: float) -> str:
    """Write a tick; ratings have four digits and no comma."""
    comma = "," if abs(value) >= 10_000 else ""
    return f"{value:{comma}.10g}".replace("-", MINUS)


def _upright_grid(scale: _Scale, top: float, bottom: float) -> Iterator[str]:
    for value in _ticks(scale.low, scale.high):
        x = scale(value)
        yield _line("grid", x, top, x, bottom)
        yield _text("axis", x, bottom + 18, _tick_label(value), "middle")


def _level_grid(
    scale: _Scale, left: float, right: float, decimals: int
) -> Iterator[str]:
    for value in _ticks(scale.low, scale.high):
        y = scale(value)
        yield _line("grid", left, y, right, y)
        yield _text("axis", left - 6, y + 4, _tick_label(value), "end")


def _days(scale: _Scale, base: float) -> Iterator[str]:
    yield _line("baseline", scale.start, base, scale.end, base)
    for day, label in _day_ticks(int(scale.low), int(scale.high)):
        x = scale(day)
        yield _line("baseline", x, base, x, base + 4)
        yield _text("axis", x, base + 20, label, "middle")


def _day_ticks(first: int, last: int) -> list[tuple[int, str]]:
    """Years where two or more begin, else three months spread evenly."""
    begin, end = date.fromordinal(first), date.fromordinal(last)
    years = [
        year
        for year in range(begin.year, end.year + 1)
        if first <= date(year, 1, 1).toordinal() <= last
    ]
    if len(years) >= 2:
        step = math.ceil(len(years) / 8)
        return [(date(year, 1, 1).toordinal(), str(year)) for year in years[::step]]
    days = [first + (last - first) * part // 8 for part in (1, 4, 7)]
    return [(day, f"{date.fromordinal(day):%Y-%m}") for day in days]


def _svg(
    chart_id: str, height: float, title: str, told: str, parts: Iterable[str]
) -> str:
    name = escape(chart_id)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(told)}</desc>{"".join(parts)}</svg>'
    )


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" '
        f'x2="{x2:.1f}" y2="{y2:.1f}"/>'
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(text)}</text>'
