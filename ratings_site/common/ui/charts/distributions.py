"""Bar charts and histograms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from django.utils.translation import gettext

from ratings_site.common.ui.charts import drawing
from ratings_site.common.ui.charts.drawing import LETTER_HEIGHT, WIDTH, Scale

ROW = 26
HEIGHT, LEFT, RIGHT = 320, 44, WIDTH - 8
# Columns fill the space between; classes and markers go above them.
HEAD, BASE = 92, HEIGHT - 30


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
    left = max(drawing.text_width(bar.label) for bar in bars) + 10
    most = max(1, *(bar.count for bar in bars))
    scale = Scale(0, most, 0, WIDTH - left - drawing.text_width(f"{most:,}") - 10)
    height = ROW * len(bars) + 8
    parts = [drawing.line("baseline", left, 2, left, height - 2)]
    for index, bar in enumerate(bars):
        parts.append(_bar(bar, left, 4 + index * ROW, scale(bar.count)))
    total = sum(bar.count for bar in bars)
    counts = ", ".join(f"{bar.label} {bar.count:,}" for bar in bars)
    description = gettext("{total:,} in total: {counts}.").format(
        total=total, counts=counts
    )
    # The content of an img role is not accessible, so bars with links are a group.
    role = "group" if any(bar.url for bar in bars) else "img"
    title = title or gettext("Members by class")
    return drawing.svg(chart_id, height, title, description, parts, role)


def _bar(bar: Bar, left: float, top: float, length: float) -> str:
    middle = top + ROW / 2 + 4
    drawn = (
        drawing.text("bar-label", left - 8, middle, bar.label, "end")
        + drawing.rect("bar", left, top + 4, length, ROW - 8)
        + drawing.text("bar-count", left + length + 6, middle, f"{bar.count:,}")
    )
    return (
        f'<a href="{escape(bar.url)}">{drawn}</a>' if bar.url else drawing.group(drawn)
    )


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
    across, most = Scale(low, high, LEFT, RIGHT), max(people for _, people in columns)
    up = Scale(0, most, BASE, HEAD)
    parts = [
        *_classes(across),
        *drawing.y_axis(up, LEFT, RIGHT, drawing.integer_ticks(up, comma=",")),
        *(
            _column(across, up(people), lowest, people, width)
            for lowest, people in columns
        ),
        *_markers(across, markers),
        *drawing.x_axis(across, BASE, drawing.integer_ticks(across)),
    ]
    total = sum(people for _, people in columns)
    told = ", ".join(f"{one.text} {one.rating}" for one in markers)
    description = f"{total:,}: {low}–{high - 1}; {told}."
    title = title or gettext("Members by rating")
    return drawing.svg("histogram-chart", HEIGHT, title, description, parts)


def _classes(across: Scale) -> Iterator[str]:
    """Yield the backgrounds of the classes, with their names where they fit."""
    for lower, name, ground, bottom, top in drawing.bands(across):
        left, right = across(bottom), across(top)
        if ground:
            yield drawing.rect(ground, left, HEAD, right - left, BASE - HEAD)
        short = name if lower >= 2000 else name.split()[-1]
        if drawing.text_width(short) <= right - left + 4:
            yield drawing.text(
                "band-label", (left + right) / 2, HEAD - 6, short, "median"
            )


def _column(across: Scale, y: float, lowest: int, people: int, width: int) -> str:
    left, right = across(lowest), across(lowest + width)
    tip = f"{lowest}–{lowest + width - 1}: {people:,}"
    return drawing.rect("bar", left + 0.5, y, right - left - 1, BASE - y, tip)


def _markers(across: Scale, markers: Sequence[Marker]) -> Iterator[str]:
    """Yield vertical lines with their labels in rows, so that none overlap."""
    for row, one in enumerate(markers, start=1):
        if not across.holds(one.rating):
            continue
        x, y = across(one.rating), row * LETTER_HEIGHT - 3
        words = f"{one.text} {one.rating}"
        before = x + drawing.text_width(words) > WIDTH
        anchor, start = ("end", x - 4) if before else ("start", x + 4)
        yield drawing.line("needle own" if one.is_own else "needle", x, y - 9, x, BASE)
        yield drawing.text("event-label", start, y, words, anchor)
