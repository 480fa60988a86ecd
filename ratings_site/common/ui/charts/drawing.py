"""Scales, axes, lines and text as SVG.

A chart is as wide as its figure: positions across are percents, but heights, dots and
letters are pixels, so text is never scaled down. The gutters beside the plot are
classes, and the stylesheet (``figure.chart``) does the rest, which works with a strict
Content-Security-Policy, in both color themes, and on paper.

What is free at the narrowest width is free at every larger one, because percents move
apart while letters stay. What needs the width WIDE has the class ``w`` and is hidden
below it; what is shown only below it has the class ``n``. Some dots have the class
``x`` and need the width WIDEST.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from itertools import pairwise

from django.utils.translation import gettext_lazy as _

from ratings_site.common.ui.formatting import MINUS, short_month

# The widths of a figure that labels are placed for, in pixels, as in the stylesheet.
NARROW, WIDE, WIDEST = 288, 640, 960
TIERS = ("n", "w")
# Letters are 12 px high; the widest of the usual fonts needs 7.6 px for each.
LETTER, LETTER_WIDTH, LABEL_GAP = 12, 7.6, 8
# The possible gutters, in tens of pixels.
LEFT_GUTTERS, RIGHT_GUTTERS = (1, 4, 6, 13), (3, 5, 9)
COLUMN = 4
MONTH_STEPS = (1, 3, 6, 12, 24, 60, 120, 240, 600)
MAX_TICKS = 12

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

Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels
Ticks = Sequence[tuple[float, str]]


@dataclass(frozen=True)
class Scale:
    """Maps values to percents across or pixels down; dates by their ordinal."""

    low: float
    high: float
    start: float = 0
    end: float = 100

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def on(self, day: date) -> float:
        return self(day.toordinal())

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Label:
    """One place for a text: percent across, pixels down, and pixels to the side."""

    x: float
    y: float
    words: str
    anchor: str = "start"
    dx: float = 0

    def box(self, width: float) -> Box:
        """Return its box on a plot of a width, from its anchor on.

        A line through the anchor does not touch it.
        """
        x, size = self.x * width / 100, text_width(self.words)
        touch = 0.5 if self.dx else 0.0
        left, right = {
            "start": (x + touch, x + self.dx + size),
            "middle": (x - size / 2, x + size / 2),
            "end": (x + self.dx - size, x - touch),
        }[self.anchor]
        return left, self.y - LETTER + 2, right, self.y + 3


class Space:
    """What is drawn already on a plot of one width, found by narrow columns."""

    def __init__(self, width: float) -> None:
        self.width = width
        self._taken: defaultdict[int, list[Box]] = defaultdict(list)

    def take(self, box: Box) -> None:
        for column in _columns(box[0], box[2]):
            self._taken[column].append(box)

    def take_line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Take a line between two points, given in percent across and pixels down."""
        (x1, y1), (x2, y2) = sorted((start, end))
        x1, x2 = x1 * self.width / 100, x2 * self.width / 100
        slope = (y2 - y1) / (x2 - x1) if x2 > x1 else 0.0
        for column in _columns(x1, x2):
            left, right = max(column * COLUMN, x1), min((column + 1) * COLUMN, x2)
            first, last = y1, y2
            if slope:
                first, last = y1 + slope * (left - x1), y1 + slope * (right - x1)
            box = (left, min(first, last) - 2, right, max(first, last) + 2)
            self._taken[column].append(box)

    def is_free(self, box: Box) -> bool:
        left, top, right, bottom = box
        return (
            left >= 0
            and right <= self.width
            and not any(
                one[1] < bottom and top < one[3] and one[0] < right and left < one[2]
                for column in _columns(left, right)
                for one in self._taken.get(column, ())
            )
        )


def _columns(left: float, right: float) -> range:
    return range(int(left // COLUMN), int(right // COLUMN) + 1)


class Frame:
    """A chart's gutters and, for a narrow and a wide figure, what is free."""

    def __init__(self, left: float, right: float) -> None:
        """Choose gutters for texts of the given widths."""
        self.left, self.right = (
            next((one for one in gutters if needed <= 10 * one), gutters[-1])
            for needed, gutters in ((left, LEFT_GUTTERS), (right, RIGHT_GUTTERS))
        )
        gutter = 10 * (self.left + self.right)
        self.spaces = [Space(width - gutter) for width in (NARROW, WIDE)]

    def dot_widths(self) -> Iterator[tuple[str, float]]:
        """Yield the widths of the plot that dots are chosen for, with their classes."""
        for kind, width in (("", NARROW), ("w", WIDE), ("x", WIDEST)):
            yield kind, width - 10 * (self.left + self.right)

    def take_line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        for space in self.spaces:
            space.take_line(start, end)

    def place(self, kind: str, places: Sequence[Label]) -> str:
        """Return a label at the first place that is free, if any, at each width."""
        chosen = []
        for space in self.spaces:
            free = (one for one in places if space.is_free(one.box(space.width)))
            if found := next(free, None):
                space.take(found.box(space.width))
            chosen.append(found)
        if chosen[0] == chosen[1]:
            return text(kind, chosen[0]) if chosen[0] else ""
        return "".join(
            text(f"{kind} {tier}", found)
            for tier, found in zip(TIERS, chosen, strict=True)
            if found
        )

    def x_axis(
        self, scale: Scale, base: float, choices: Sequence[Ticks], grid: str = ""
    ) -> Iterator[str]:
        """Yield the baseline and, at each width, the most ticks whose labels fit.

        With *grid*, ticks are lines of this kind up to the top.
        """
        yield level("baseline", 0, 100, base)
        narrow, wide = (
            next((one for one in choices if _are_apart(one, scale, space)), ())
            for space in self.spaces
        )
        for kind, ticks in (
            ("", [one for one in narrow if one in wide]),
            ("n", [one for one in narrow if one not in wide]),
            ("w", [one for one in wide if one not in narrow]),
        ):
            drawn = [
                upright(grid or "baseline", scale(at), 0 if grid else base, base + 4)
                + text("axis", Label(scale(at), base + 18, words, "middle"))
                for at, words in ticks
            ]
            if drawn:
                yield group(*drawn, kind=kind)

    def svg(
        self,
        chart_id: str,
        height: float,
        title: str,
        description: str,
        parts: Iterable[str],
        role: str = "img",
        extra: str = "",
    ) -> str:
        name = escape(chart_id)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" height="{height:.0f}" '
            f'class="l{self.left} r{self.right}" role="{role}"{extra} '
            f'aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{escape(title)}</title>'
            f'<desc id="{name}-desc">{escape(description)}</desc>{"".join(parts)}</svg>'
        )


def _are_apart(ticks: Ticks, scale: Scale, space: Space) -> bool:
    if not 0 < len(ticks) <= MAX_TICKS:
        return False
    boxes = [
        Label(scale(at), 0, words, "middle").box(space.width) for at, words in ticks
    ]
    return all(one[2] + LABEL_GAP <= other[0] for one, other in pairwise(boxes))


def percent(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") + "%"


def pixels(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def upright(kind: str, x: float, top: float, bottom: float) -> str:
    return (
        f'<line class="{kind}" x1="{percent(x)}" y1="{pixels(top)}" '
        f'x2="{percent(x)}" y2="{pixels(bottom)}"/>'
    )


def level(kind: str, left: float, right: float, y: float) -> str:
    return (
        f'<line class="{kind}" x1="{percent(left)}" y1="{pixels(y)}" '
        f'x2="{percent(right)}" y2="{pixels(y)}"/>'
    )


def rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect class="{kind}" x="{percent(x)}" y="{pixels(y)}" '
        f'width="{percent(width)}" height="{pixels(height)}"/>'
    )


def mark(*parts: str, tip: str, url: str = "", kind: str = "") -> str:
    """Return something with a tooltip, which opens *url* if there is one."""
    style = f' class="{f"mark {kind}".strip()}"'
    return link(url, f"<title>{escape(tip)}</title>{''.join(parts)}", style)


def link(url: str, drawn: str, style: str = "") -> str:
    """Return a link around something drawn, or a group without *url*."""
    if url:
        return f'<a{style} href="{escape(url)}">{drawn}</a>'
    return f"<g{style}>{drawn}</g>"


def circle(x: float, y: float, radius: float = 3) -> str:
    return f'<circle cx="{percent(x)}" cy="{pixels(y)}" r="{pixels(radius)}"/>'


def text(kind: str, label: Label) -> str:
    place = f'x="{percent(label.x)}" y="{pixels(label.y)}"'
    if label.dx:
        place += f' dx="{pixels(label.dx)}"'
    if label.anchor != "start":
        place += f' text-anchor="{label.anchor}"'
    return f'<text class="{kind}" {place}>{escape(label.words)}</text>'


def group(*parts: str, kind: str = "", extra: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f"<g{style}{extra}>{''.join(parts)}</g>"


def text_width(words: str) -> float:
    return len(words) * LETTER_WIDTH


def y_axis(scale: Scale, ticks: Ticks) -> Iterator[str]:
    """Yield a grid line for each tick, with its label to the left."""
    for value, words in ticks:
        y = scale(value)
        yield level("grid", 0, 100, y)
        yield text("axis", Label(0, y + 4, words, "end", -8))


def round_ticks(
    low: float, high: float, most: int, *, is_whole: bool = False
) -> list[tuple[float, str]]:
    """Return at most *most* round values between two others, with labels."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = [power * factor for factor in (1, 2, 2.5, 5, 10, 20, 25, 50)]
    step = next(
        one
        for one in steps
        if (high - low) / one <= most and not (is_whole and one % 1)
    )
    values = [
        step * count
        for count in range(math.ceil(low / step), math.floor(high / step) + 1)
    ]
    return [
        (value, f"{value:{comma(value)}.10g}".replace("-", MINUS)) for value in values
    ]


def tick_choices(low: float, high: float) -> list[Ticks]:
    """Return round values between two others, the most first."""
    return [round_ticks(low, high, most) for most in range(10, 1, -1)]


def date_choices(first: date, last: date) -> Iterator[Ticks]:
    """Yield the starts of months, quarters, half years or years, the most first."""
    months = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
    for step in MONTH_STEPS:
        days = [date(one // 12, one % 12 + 1, 1) for one in months if one % step == 0]
        days = [day for day in days if first <= day <= last]
        if len(days) > MAX_TICKS:
            continue
        # Where a January is among them, its year can do for the first one too.
        has_january = any(day.month == 1 for day in days)
        for named in (0, None) if has_january else (0,):
            yield [
                (day.toordinal(), _month_label(day, with_year=place == named))
                for place, day in enumerate(days)
            ]


def _month_label(day: date, *, with_year: bool) -> str:
    """Return "Apr", "Apr 2026" or, for January, "2026"."""
    if day.month == 1:
        return str(day.year)
    label = short_month(day)
    return label if with_year else label.removesuffix(f" {day.year}")


def comma(value: float) -> str:
    """Return the thousands separator: none for ratings, which have four digits."""
    return "," if abs(value) >= 10_000 else ""


def bands(scale: Scale) -> Iterator[tuple[int, str, str, float, float]]:
    """Yield the visible classes: bound, name, background, bottom and top."""
    upper = math.inf
    for lower, name, ground in CLASS_BANDS:
        bottom, top = max(lower, scale.low), min(upper, scale.high)
        upper = lower
        if bottom < top:
            yield lower, str(name), ground, bottom, top


def spread_labels(
    tops: Sequence[float], heights: Sequence[float], limit: float
) -> list[float]:
    """Move labels down, then up from *limit*, until none overlap."""
    placed: list[float] = []
    free = 0.0
    for top, height in zip(tops, heights, strict=True):
        placed.append(max(top, free))
        free = placed[-1] + height
    for index in reversed(range(len(placed))):
        placed[index] = min(placed[index], limit - heights[index])
        limit = placed[index]
    return placed


class Rows:
    """A chart with a row for each label: beside its mark, or above if one is long."""

    def __init__(self, labels: Sequence[str], right: float) -> None:
        longest = max(map(text_width, labels)) + 8
        self.is_beside = longest <= 10 * LEFT_GUTTERS[-1]
        self.frame = Frame(longest if self.is_beside else 0, right)
        self.row_height = 26 if self.is_beside else 36
        self.bottom = self.row_height * len(labels) + 4
        self._names = list(
            zip(
                *(
                    shorten_labels(labels, int((width - 20) / LETTER_WIDTH))
                    for width in (NARROW, WIDE)
                ),
                strict=True,
            )
        )

    def y(self, index: int) -> float:
        """Return the height of a row's mark."""
        return self.row_height * (index + 1) - 9

    def label(self, index: int) -> str:
        if self.is_beside:
            name = self._names[index][1]
            return text("row-label", Label(0, self.y(index) + 4, name, "end", -8))
        y, (narrow, wide) = self.y(index) - 13, self._names[index]
        if narrow == wide:
            return text("row-label", Label(0, y, wide))
        return text("row-label n", Label(0, y, narrow)) + text(
            "row-label w", Label(0, y, wide)
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
