"""How many: bars side by side, and people by rating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from django.utils.translation import gettext, gettext_lazy

from ratings_site.common.looks.charts import kit
from ratings_site.common.looks.charts.kit import LETTER, WIDTH, Scale

ROW = 26
HEIGHT, LEFT, RIGHT = 320, 44, WIDTH - 8
# A histogram's columns stand between; above them is room for classes and needles.
HEAD, BASE = 92, HEIGHT - 30


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


def distribution_chart(
    bars: Sequence[Bar],
    *,
    title: str = gettext_lazy("Members by class"),
    chart_id: str = "distribution-chart",
) -> str:
    """Return counts as horizontal bars in SVG, empty text without a bar."""
    if not bars:
        return ""
    left = max(kit.text_width(bar.label) for bar in bars) + 10
    most = max(1, *(bar.count for bar in bars))
    scale = Scale(0, most, 0, WIDTH - left - kit.text_width(f"{most:,}") - 10)
    height = ROW * len(bars) + 8
    parts = [kit.line("baseline", left, 2, left, height - 2)]
    for index, bar in enumerate(bars):
        parts.append(_bar(bar, left, 4 + index * ROW, scale(bar.count)))
    total = sum(bar.count for bar in bars)
    counts = ", ".join(f"{bar.label} {bar.count:,}" for bar in bars)
    description = gettext("{total:,} in all: {counts}.").format(
        total=total, counts=counts
    )
    # What stands inside an image cannot be reached, so bars with links are a group.
    role = "group" if any(bar.url for bar in bars) else "img"
    return kit.svg(chart_id, height, title, description, parts, role)


def _bar(bar: Bar, left: float, top: float, length: float) -> str:
    middle = top + ROW / 2 + 4
    drawn = (
        kit.text("bar-label", left - 8, middle, bar.label, "end")
        + kit.rect("bar", left, top + 4, length, ROW - 8)
        + kit.text("bar-count", left + length + 6, middle, f"{bar.count:,}")
    )
    return f'<a href="{escape(bar.url)}">{drawn}</a>' if bar.url else kit.group(drawn)


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
    low, high = columns[0][0], columns[-1][0] + width
    across, most = Scale(low, high, LEFT, RIGHT), max(people for _, people in columns)
    up = Scale(0, most, BASE, HEAD)
    parts = [
        *_classes(across),
        *kit.level_axis(up, LEFT, RIGHT, kit.whole_ticks(up, comma=",")),
        *(
            _column(across, up(people), lowest, people, width)
            for lowest, people in columns
        ),
        *_needles(across, needles),
        *kit.foot_axis(across, BASE, kit.whole_ticks(across)),
    ]
    total = sum(people for _, people in columns)
    told = ", ".join(f"{one.text} {one.rating}" for one in needles)
    description = f"{total:,}: {low}–{high - 1}; {told}."
    return kit.svg(chart_id, HEIGHT, title, description, parts)


def _classes(across: Scale) -> Iterator[str]:
    """The classes as grounds, each with its name where it has room."""
    for lower, name, ground, bottom, top in kit.bands(across):
        left, right = across(bottom), across(top)
        if ground:
            yield kit.rect(ground, left, HEAD, right - left, BASE - HEAD)
        short = name if lower >= 2000 else name.split()[-1]
        if kit.text_width(short) <= right - left + 4:
            yield kit.text("band-label", (left + right) / 2, HEAD - 6, short, "middle")


def _column(across: Scale, y: float, lowest: int, people: int, width: int) -> str:
    left, right = across(lowest), across(lowest + width)
    tip = f"{lowest}–{lowest + width - 1}: {people:,}"
    return kit.rect("bar", left + 0.5, y, right - left - 1, BASE - y, tip)


def _needles(across: Scale, needles: Sequence[Needle]) -> Iterator[str]:
    """Uprights, each with its text in a row of its own, so that none touch."""
    for row, one in enumerate(needles, start=1):
        if not across.holds(one.rating):
            continue
        x, y = across(one.rating), row * LETTER - 3
        words = f"{one.text} {one.rating}"
        before = x + kit.text_width(words) > WIDTH
        anchor, start = ("end", x - 4) if before else ("start", x + 4)
        yield kit.line("needle own" if one.is_own else "needle", x, y - 9, x, BASE)
        yield kit.text("event-label", start, y, words, anchor)
