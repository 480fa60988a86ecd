"""The laboratory's plots: intervals, calibration, and lines over time.

Color is never the only distinction: lines have labels at their ends, and each page also
has the data as a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from textwrap import wrap

from django.utils.translation import gettext

from ratings_site.common.ui.charts import drawing
from ratings_site.common.ui.charts.drawing import LETTER_HEIGHT, WIDTH, Scale
from ratings_site.common.ui.formatting import MINUS

MAX_TICKS, MAX_YEARS = 6, 8
MAX_INLINE_LABEL = 24
# Characters per row of a label at the end of a line, which may take two rows.
MAX_ROW_LENGTH = 24
LINE_STYLES = 6
# A line with more points has no dots, which would overlap.
MAX_DOTS = 40


@dataclass(frozen=True)
class Interval:
    """One row of an interval plot: a value with its confidence interval."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class PlottedLine:
    """One line over time; its points are dates with values."""

    name: str
    points: Sequence[tuple[date, float]]


def interval_plot(
    rows: Sequence[Interval],
    *,
    title: str,
    chart_id: str,
    decimals: int = 2,
    mark: float | None = None,
) -> str:
    """Return a plot of values with their intervals as SVG, or "" without rows.

    Short labels go to the left of the lines, long ones above. *mark* is a reference
    value, such as zero for differences.
    """
    if not rows:
        return ""
    longest = max(len(row.label) for row in rows)
    is_beside = longest <= MAX_INLINE_LABEL
    left = longest * drawing.LETTER_WIDTH + 12 if is_beside else 12
    row_height = 26 if is_beside else 44
    height = row_height * len(rows) + 34
    values = [
        value
        for row in rows
        for value in (row.value, row.low, row.high, mark)
        if value is not None
    ]
    low, high = _padded(min(values), max(values))
    scale = Scale(low, high, left, WIDTH - 70)
    parts = [*_vertical_grid(scale, height - 26, 4, _ticks(low, high))]
    if mark is not None:
        parts.append(drawing.line("diagonal", scale(mark), 4, scale(mark), height - 26))
    names = shorten_labels(
        [row.label for row in rows], int(WIDTH / drawing.LETTER_WIDTH)
    )
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        label = number * row_height + 16
        y = number * row_height + (12 if is_beside else 30)
        parts.append(drawing.text("plot-label", 0, label, name))
        parts.append(_interval(row, scale, y, decimals, "" if mark is None else "+"))
    told = "; ".join(f"{row.label} {_figure(row.value, decimals)}" for row in rows)
    return drawing.svg(chart_id, height, title, told, parts)


def _interval(row: Interval, scale: Scale, y: float, decimals: int, sign: str) -> str:
    shown, x = _figure(row.value, decimals, sign), scale(row.value)
    between, whisker, end = "", list[str](), x
    if row.low is not None and row.high is not None:
        first, last = scale(row.low), scale(row.high)
        whisker = [
            drawing.line("whisker", first, y, last, y),
            drawing.line("whisker", first, y - 4, first, y + 4),
            drawing.line("whisker", last, y - 4, last, y + 4),
        ]
        end = max(x, last)  # the mean of skewed data may lie outside
        ends = (_figure(one, decimals, sign) for one in (row.low, row.high))
        between = f" ({' … '.join(ends)})"
    return drawing.group(
        *whisker,
        drawing.circle(x, y, 4),
        drawing.text("bar-count", end + 8, y + 4, shown),
        tip=f"{row.label}: {shown}{between}",
    )


def shorten_labels(labels: Sequence[str], most: int) -> list[str]:
    """Return labels of at most *most* characters that stay distinct.

    >>> shorten_labels(["US Chess, text of 2020", "US Chess, text of 2025"], 12)
    ['…2020', '…2025']
    >>> shorten_labels(["Glicko", "Glicko-2"], 12)
    ['Glicko', 'Glicko-2']
    """
    cut = [_cut(label, most) for label in labels]
    if len(set(cut)) == len(set(labels)):
        return cut
    words = [label.split() for label in labels]
    alike = next(
        (
            place
            for place, column in enumerate(zip(*words, strict=False))
            if len(set(column)) > 1
        ),
        0,
    )
    cut = [_cut(f"…{' '.join(one[alike:])}", most) for one in words]
    if len(set(cut)) == len(set(labels)):
        return cut
    return [_cut(f"{place}. {label}", most) for place, label in enumerate(labels, 1)]


def _cut(label: str, most: int) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def line_plot(
    lines: Sequence[PlottedLine], *, title: str, chart_id: str, decimals: int = 0
) -> str:
    """Return a plot of lines over time with labels as SVG, or "" without points."""
    shown = [one for one in lines if one.points]
    if not shown:
        return ""
    names = [
        wrap(name, MAX_ROW_LENGTH)
        for name in shorten_labels([one.name for one in shown], 2 * MAX_ROW_LENGTH - 8)
    ]
    right = max(len(row) for name in names for row in name) * drawing.LETTER_WIDTH + 60
    room = LETTER_HEIGHT * max(map(len, names))
    height, left, bottom = max(300, (room + 5) * len(shown) + 60), 52, 30
    days = [day.toordinal() for one in shown for day, _ in one.points]
    values = [value for one in shown for _, value in one.points]
    first, last = min(days), max(days)
    if first == last:
        first, last = first - 15, last + 15
    low, high = _padded(min(values), max(values))
    across = Scale(first, last, left, WIDTH - right)
    up = Scale(low, high, height - bottom, 12)
    parts = [
        *drawing.y_axis(up, left, WIDTH - right, _ticks(low, high)),
        *drawing.x_axis(across, height - bottom, _day_ticks(first, last)),
        *(
            _drawn(one, number, across, up, decimals)
            for number, one in enumerate(shown)
        ),
        *_ends(shown, names, across, up, height - bottom, decimals),
    ]
    told = " ".join(_summary(one, decimals) for one in shown)
    return drawing.svg(chart_id, height, title, told, parts)


def _drawn(
    one: PlottedLine, number: int, across: Scale, up: Scale, decimals: int
) -> str:
    places = [(across.on(day), up(value)) for day, value in one.points]
    parts = [drawing.path("line", places)]
    if len(one.points) <= MAX_DOTS:
        parts += [
            drawing.circle(
                x, y, 2, f"{one.name}, {day.isoformat()}: {_figure(value, decimals)}"
            )
            for (x, y), (day, value) in zip(places, one.points, strict=True)
        ]
    style = f"s{number % LINE_STYLES + 1} d{number // LINE_STYLES}"
    return drawing.group(*parts, kind=style)


def _ends(
    lines: Sequence[PlottedLine],
    names: Sequence[Sequence[str]],
    across: Scale,
    up: Scale,
    floor: float,
    decimals: int,
) -> Iterator[str]:
    """Yield the last value and the name of each line, moved apart if they overlap.

    Each of the *names* is split into rows.
    """
    ends = sorted(
        ((up(one.points[-1][1]), number, one) for number, one in enumerate(lines)),
        key=lambda end: end[:2],
    )
    room = LETTER_HEIGHT * max(map(len, names))
    placed = drawing.spread_labels([y for y, _, _ in ends], room, floor + LETTER_HEIGHT)
    x = across.end + 6
    for (_, number, one), y in zip(ends, placed, strict=True):
        value = _figure(one.points[-1][1], decimals)
        style = f"end s{number % LINE_STYLES + 1}"
        first, *more = map(escape, names[number])
        rows = "".join(
            f'<tspan class="end-name" x="{x:.1f}" dy="{LETTER_HEIGHT}">{row}</tspan>'
            for row in more
        )
        yield (
            f'<text class="{style}" x="{x:.1f}" y="{y + 4:.1f}">{value} '
            f'<tspan class="end-name">{first}</tspan>{rows}</text>'
        )


def _summary(one: PlottedLine, decimals: int) -> str:
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


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return at most six round values between two others, with labels."""
    step = 10.0 ** math.floor(math.log10((high - low) / MAX_TICKS))
    step = next(
        step * factor
        for factor in (1, 2, 2.5, 5, 10, 20)
        if (high - low) / (step * factor) <= MAX_TICKS
    )
    first, last = math.ceil(low / step), math.floor(high / step)
    values = [step * number for number in range(first, last + 1)]
    return [
        (value, f"{value:{_comma(value)}.10g}".replace("-", MINUS)) for value in values
    ]


def _figure(value: float, decimals: int, sign: str = "") -> str:
    """Return a value as text; with *sign* "+", as a signed difference.

    A value that rounds to zero has no sign.
    """
    shown = round(value, decimals) or 0.0
    sign = sign if shown else ""
    return f"{shown:{sign}{_comma(shown)}.{decimals}f}".replace("-", MINUS)


def _comma(value: float) -> str:
    """Return the thousands separator: none for ratings, which have four digits."""
    return "," if abs(value) >= 10_000 else ""


def _vertical_grid(
    scale: Scale, bottom: float, top: float, ticks: Sequence[tuple[float, str]]
) -> Iterator[str]:
    for value, label in ticks:
        x = scale(value)
        yield drawing.line("grid", x, bottom, x, top)
        yield drawing.text("axis", x, bottom + 18, label, "median")


def _day_ticks(first: int, last: int) -> list[tuple[float, str]]:
    """Return ticks for years if two or more start, else for up to three months."""
    years = drawing.year_ticks(
        date.fromordinal(first), date.fromordinal(last), MAX_YEARS
    )
    days = [first + (last - first) * part // 8 for part in (7, 4, 1)]
    months = {f"{date.fromordinal(day):%Y-%m}": day for day in days}
    return years or [(day, month) for month, day in months.items()]
