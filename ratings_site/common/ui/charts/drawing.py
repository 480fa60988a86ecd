"""Scales, axes, lines and text as SVG.

The stylesheet (``figure.chart``) styles everything by classes, which works with a
strict Content-Security-Policy and both color themes. A chart scales to the width of the
page; text is measured for the larger letters of phones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

from django.utils.translation import gettext_lazy as _

WIDTH = 640
# Letters are 11 units high, 17 on a phone; one is about 0.58 of that wide.
LETTER_HEIGHT, LETTER_WIDTH = 17, 9.9
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)
MAX_STEPS = 7

# Lower bound, name, and background: every second class has one, and all from Expert up.
CLASS_BANDS = (
    (2400, _("Senior Master"), "band senior"),
    (2200, _("National Master"), "band master"),
    (2000, _("Expert"), "band expert"),
    (1800, _("Class A"), ""),
    (1600, _("Class B"), "band"),
    (1400, _("Class C"), ""),
    (1200, _("Class D"), "band"),
    (1000, _("Class E"), ""),
)


@dataclass(frozen=True)
class Size:
    """The size of a drawing and of its letters, and its class in the stylesheet."""

    width: int
    height: int
    letter: int
    kind: str

    def text_width(self, words: str) -> float:
        return len(words) * self.letter * LETTER_WIDTH / LETTER_HEIGHT


# Some charts are drawn twice, because letters would be too small on a phone. The
# stylesheet shows one of them.
DESKTOP = Size(1160, 270, 14, "for-desk")
PHONE = Size(400, 320, 14, "for-phone")


@dataclass(frozen=True)
class Scale:
    """Maps values to coordinates; dates by their ordinal."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def on(self, day: date) -> float:
        return self(day.toordinal())

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def svg(
    chart_id: str,
    height: float,
    title: str,
    description: str,
    parts: Iterable[str],
    role: str = "img",
    *,
    size: Size | None = None,
) -> str:
    name = escape(chart_id)
    width, kind = (size.width, f' class="{size.kind}"') if size else (WIDTH, "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{kind} '
        f'viewBox="0 0 {width} {height:.0f}" role="{role}" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>{"".join(parts)}</svg>'
    )


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" '
        f'x2="{x2:.1f}" y2="{y2:.1f}"/>'
    )


def path(kind: str, corners: Iterable[tuple[float, float]]) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polyline class="{kind}" points="{points}"/>'


def rect(
    kind: str, x: float, y: float, width: float, height: float, tip: str = ""
) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}">{_title(tip)}</rect>'
    )


def circle(x: float, y: float, radius: float, tip: str = "") -> str:
    return (
        f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
        f"{_title(tip)}</circle>"
    )


def text(kind: str, x: float, y: float, words: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(words)}</text>'


def group(*parts: str, kind: str = "", tip: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f"<g{style}>{_title(tip)}{''.join(parts)}</g>"


def _title(tip: str) -> str:
    return f"<title>{escape(tip)}</title>" if tip else ""


def text_width(words: str) -> float:
    return len(words) * LETTER_WIDTH


def y_axis(
    scale: Scale, left: float, right: float, ticks: Iterable[tuple[float, str]]
) -> Iterator[str]:
    """Yield a grid line for each tick, with its label to the left."""
    for value, label in ticks:
        y = scale(value)
        yield line("grid", left, y, right, y)
        yield text("axis", left - 6, y + 4, label, "end")


def x_axis(
    scale: Scale, base: float, ticks: Iterable[tuple[float, str]]
) -> Iterator[str]:
    """Yield the baseline of a chart, its ticks and their labels."""
    yield line("baseline", scale.start, base, scale.end, base)
    for value, label in ticks:
        x = scale(value)
        yield line("baseline", x, base, x, base + 4)
        yield text("axis", x, base + 21, label, "median")


def integer_ticks(scale: Scale, comma: str = "") -> list[tuple[float, str]]:
    low, high = scale.low, scale.high
    step = next((s for s in STEPS if (high - low) / s <= MAX_STEPS), STEPS[-1])
    while (high - low) / step > MAX_STEPS:
        step *= 2
    values = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    return [(value, f"{value:{comma}}") for value in values]


def bands(scale: Scale) -> Iterator[tuple[int, str, str, float, float]]:
    """Yield the visible classes: bound, name, background, bottom and top."""
    upper = math.inf
    for lower, name, ground in CLASS_BANDS:
        bottom, top = max(lower, scale.low), min(upper, scale.high)
        upper = lower
        if bottom < top:
            yield lower, str(name), ground, bottom, top


def year_ticks(first: date, last: date, most: float) -> list[tuple[float, str]]:
    """Return ticks for the years that start between two days, if at least two do."""
    years = [y for y in range(first.year, last.year + 1) if date(y, 1, 1) >= first]
    if len(years) < 2:
        return []
    step = math.ceil(len(years) / most)
    return [(date(year, 1, 1).toordinal(), str(year)) for year in years[::step]]


def spread_labels(tops: Sequence[float], height: float, limit: float) -> list[float]:
    """Move labels down, then up from *limit*, until none overlap."""
    placed: list[float] = []
    for top in tops:
        placed.append(max(top, placed[-1] + height) if placed else max(top, 0.0))
    for index in reversed(range(len(placed))):
        placed[index] = min(placed[index], limit - height)
        limit = placed[index]
    return placed
