"""The laboratory's plots: intervals, and lines over time.

Color is never the only distinction: lines have labels at their ends, and each page also
has the data as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from ratings_site.common.ui.charts import drawing
from ratings_site.common.ui.charts.drawing import Label, Rows, Scale
from ratings_site.common.ui.charts.ratings import LineChart, Point, Series
from ratings_site.common.ui.formatting import MINUS


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


def line_plot(
    lines: Sequence[PlottedLine], *, title: str, chart_id: str, decimals: int = 0
) -> str:
    """Return a plot of lines over time with labels as SVG, or "" without points."""
    shown = [
        Series(one.name, [Point(day, value) for day, value in one.points])
        for one in lines
        if one.points
    ]
    if not shown:
        return ""
    chart = LineChart(shown, partial(_figure, decimals=decimals))
    return chart.svg(chart_id, title, [*chart.axes(), *chart.lines()])


def interval_plot(
    rows: Sequence[Interval],
    *,
    title: str,
    chart_id: str,
    decimals: int = 2,
    mark: float | None = None,
) -> str:
    """Return a plot of values with their intervals as SVG, or "" without rows.

    *mark* is a reference value, such as zero for differences.
    """
    if not rows:
        return ""
    sign = "" if mark is None else "+"
    written = [_figure(row.value, decimals, sign) for row in rows]
    layout = Rows(
        [row.label for row in rows], max(map(drawing.text_width, written)) + 8
    )
    values = [
        value
        for row in rows
        for value in (row.value, row.low, row.high, mark)
        if value is not None
    ]
    low, high = min(values), max(values)
    padding = (high - low) * 0.08 or max(1.0, abs(high) * 0.01)
    scale = Scale(low - padding, high + padding)
    ticks = drawing.tick_choices(scale.low, scale.high)
    parts = [*layout.frame.x_axis(scale, layout.bottom, ticks, grid="grid")]
    for index, (row, value) in enumerate(zip(rows, written, strict=True)):
        y = layout.y(index)
        if mark is not None:
            parts.append(drawing.upright("diagonal", scale(mark), y - 8, y + 8))
        value_label = Label(100, y + 4, value, dx=8)
        parts += [layout.label(index), drawing.text("row-value", value_label)]
        parts.append(_interval(row, scale, y, decimals, sign))
    told = "; ".join(
        f"{row.label} {value}" for row, value in zip(rows, written, strict=True)
    )
    return layout.frame.svg(
        chart_id, layout.bottom + 24, title, told, parts, extra=' data-by="rows"'
    )


def _interval(row: Interval, scale: Scale, y: float, decimals: int, sign: str) -> str:
    between, whisker = "", list[str]()
    if row.low is not None and row.high is not None:
        first, last = scale(row.low), scale(row.high)
        whisker = [
            drawing.level("whisker", first, last, y),
            drawing.upright("whisker", first, y - 4, y + 4),
            drawing.upright("whisker", last, y - 4, y + 4),
        ]
        ends = (_figure(one, decimals, sign) for one in (row.low, row.high))
        between = f" ({' … '.join(ends)})"
    return drawing.mark(
        *whisker,
        drawing.circle(scale(row.value), y, 4),
        tip=f"{_figure(row.value, decimals, sign)}{between}\n{row.label}",
    )


def _figure(value: float, decimals: int, sign: str = "") -> str:
    """Return a value as text; with *sign* "+", as a signed difference.

    A value that rounds to zero has no sign.
    """
    shown = round(value, decimals) or 0.0
    sign = sign if shown else ""
    return f"{shown:{sign}{drawing.comma(shown)}.{decimals}f}".replace("-", MINUS)
