"""Bar charts and histograms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from ratings_site.common.ui.charts import drawing
from ratings_site.common.ui.charts.drawing import (
    LETTER,
    Frame,
    Label,
    Rows,
    Scale,
    text_width,
)

HEIGHT = 320
ROW = LETTER + 3
# Columns fill the space between; classes and markers go above them.
HEAD, BASE = 92, HEIGHT - 26


@dataclass(frozen=True)
class Bar:
    """One row of a distribution."""

    label: str
    count: int
    url: str = ""


@dataclass(frozen=True)
class Marker:
    """A rating marked on a histogram, such as the median or the reader's own."""

    rating: int
    text: str
    is_own: bool = False


def distribution_chart(
    bars: Sequence[Bar], *, title: str = "", chart_id: str = "distribution-chart"
) -> str:
    """Return a chart of horizontal bars as SVG, or "" without bars."""
    if not bars:
        return ""
    most = max(1, *(bar.count for bar in bars))
    rows = Rows([bar.label for bar in bars], text_width(f"{most:,}") + 8)
    scale = Scale(0, most)
    parts = [drawing.upright("baseline", 0, 2, rows.bottom)]
    for index, bar in enumerate(bars):
        y, length = rows.y(index), scale(bar.count)
        drawn = (
            rows.label(index)
            + drawing.rect("bar", 0, y - 8, length, 17)
            + drawing.text("row-value", Label(length, y + 4, f"{bar.count:,}", dx=6))
        )
        parts.append(drawing.link(bar.url, drawn))
    total = sum(bar.count for bar in bars)
    counts = ", ".join(f"{bar.label} {bar.count:,}" for bar in bars)
    description = gettext("{total:,} in total: {counts}.").format(
        total=total, counts=counts
    )
    # The content of an img role is not accessible, so bars with links are a group.
    role = "group" if any(bar.url for bar in bars) else "img"
    title = title or gettext("Members by class")
    return rows.frame.svg(chart_id, rows.bottom + 4, title, description, parts, role)


def histogram_chart(
    columns: Sequence[tuple[int, int]],
    *,
    width: int,
    markers: Sequence[Marker] = (),
    title: str = "",
) -> str:
    """Return a histogram of people by rating as SVG, or "" without columns.

    Each column has its lowest rating and the number of people; it is *width* points
    wide.
    """
    if not columns:
        return ""
    low, high = columns[0][0], columns[-1][0] + width
    across, most = Scale(low, high), max(people for _, people in columns)
    up = Scale(0, most, BASE, HEAD)
    ticks = [
        (value, f"{value:,.0f}")
        for value, _ in drawing.round_ticks(0, most, 5, is_whole=True)
    ]
    frame = Frame(max(text_width(words) for _, words in ticks) + 8, 0)
    needles = list(_markers(frame, across, markers))
    parts = [
        *_classes(frame, across),
        *drawing.y_axis(up, ticks),
        *(
            _column(across, up(people), lowest, people, width)
            for lowest, people in columns
        ),
        *needles,
        *frame.x_axis(across, BASE, drawing.tick_choices(low, high)),
    ]
    total = sum(people for _, people in columns)
    told = ", ".join(f"{one.text} {one.rating}" for one in markers)
    description = f"{total:,}: {low}–{high - 1}; {told}."
    title = title or gettext("Members by rating")
    return frame.svg(
        *("histogram-chart", HEIGHT, title, description, parts),
        extra=' data-by="columns"',
    )


def _classes(frame: Frame, across: Scale) -> Iterator[str]:
    """Yield the backgrounds of the classes, with their names where they fit."""
    for lower, name, ground, bottom, top in drawing.bands(across):
        left, right = across(bottom), across(top)
        if ground:
            yield drawing.rect(ground, left, HEAD, right - left, BASE - HEAD)
        short = name if lower >= 2000 else name.split()[-1]
        frame.take_line((left, HEAD - LETTER), (left, HEAD))
        frame.take_line((right, HEAD - LETTER), (right, HEAD))
        places = [
            Label(left + (right - left) * share, HEAD - 6, short, "middle")
            for share in (0.5, 0.3, 0.7, 0.15, 0.85)
        ]
        yield frame.place("band-label", places)


def _column(across: Scale, y: float, lowest: int, people: int, width: int) -> str:
    left, right = across(lowest), across(lowest + width)
    return drawing.mark(
        drawing.rect("bar", left, y, right - left, BASE - y),
        tip=f"{people:,}\n{lowest}–{lowest + width - 1}",
    )


def _markers(frame: Frame, across: Scale, markers: Sequence[Marker]) -> Iterator[str]:
    """Yield vertical lines with labels: above them, or as numbers, where these fit."""
    shown = sorted(
        (one for one in markers if across.holds(one.rating)), key=lambda one: one.rating
    )
    for row, one in enumerate(shown, start=1):
        x, y = across(one.rating), row * ROW
        kind = "needle own" if one.is_own else "needle"
        places = [
            Label(x, y, words, anchor, dx)
            for words in (f"{one.text} {one.rating}", str(one.rating))
            for anchor, dx in (("start", 4), ("end", -4))
        ]
        label = frame.place("event-label", places)
        frame.take_line((x, y - LETTER + 2), (x, BASE))
        yield drawing.upright(kind, x, y - LETTER + 2, BASE) + label
