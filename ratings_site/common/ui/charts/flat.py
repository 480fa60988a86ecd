"""The shapes of a chart at one width, to draw it where there is no browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

from ratings_site.common.ui.charts.ratings import UNITS_ACROSS, UNITS_DOWN

_STYLE = re.compile(r"\bs([0-9]+)\b")
_DATA = {"whisker", "line", "diagonal"}


class Shape(NamedTuple):
    """A line, circle or text in pixels from the top left.

    *box* is a line's ends, or the place of a circle or text twice; *style* numbers the
    lines of a chart from 1, and is 0 for axes and grids.
    """

    kind: str
    box: tuple[float, float, float, float]
    style: int = 0
    words: str = ""
    anchor: str = "start"


def shapes(svg: str, width: float) -> tuple[float, list[Shape]]:
    """Return the height and the shapes of one of our charts, *width* pixels wide.

    What is shown on narrow screens only is left out; ground colors too.

    >>> from ratings_site.common.ui.charts.plots import Interval, interval_plot
    >>> plot = interval_plot([Interval("a", 1.0, 0.5, 1.5)], title="t", chart_id="c")
    >>> height, found = shapes(plot, 500)
    >>> [one.words for one in found if one.kind == "text"][-2:]
    ['a', '1.00']
    """
    root = fromstring(svg)  # noqa: S314 - our own charts, no foreign XML
    left, right = (
        10 * int(found)
        for found in re.findall(r"[lr]([0-9]+)", root.get("class", "l0 r0"))
    )
    across = _Across(left, width - left - right)
    return float(root.get("height", "0")), list(_shapes(root, across, 0))


class _Across(NamedTuple):
    left: float
    plot: float

    def __call__(self, percents: str) -> float:
        return self.left + float(percents.rstrip("%")) * self.plot / 100


def _shapes(parent: Element, across: _Across, style: int) -> Iterator[Shape]:
    for one in parent:
        kind, classes = one.tag.rpartition("}")[2], one.get("class", "")
        if "n" in classes.split():
            continue
        found = _STYLE.search(classes)
        own = int(found[1]) if found else style or int(classes in _DATA)
        if kind in ("g", "a", "svg"):
            yield from _shapes(one, across, own)
        elif kind == "path":
            yield from _path(one.get("d", ""), across, own)
        elif kind == "line":
            x1, y1, x2, y2 = (one.get(name, "0") for name in ("x1", "y1", "x2", "y2"))
            box = (across(x1), float(y1), across(x2), float(y2))
            yield Shape(kind, box, own)
        elif kind == "circle":
            x, y = across(one.get("cx", "0")), float(one.get("cy", "0"))
            yield Shape(kind, (x, y, x, y), own or 1)
        elif kind == "text":
            x = across(one.get("x", "0")) + float(one.get("dx", "0"))
            y = float(one.get("y", "0"))
            words = "".join(one.itertext())
            anchor = one.get("text-anchor", "start")
            yield Shape(kind, (x, y, x, y), own, words, anchor)


def _path(way: str, across: _Across, style: int) -> Iterator[Shape]:
    """Yield the lines of a path: one point, and steps from there."""
    numbers = [float(one) for one in re.findall(r"-?[0-9]+", way)]
    x = y = 0.0
    before: tuple[float, float] | None = None
    for step_x, step_y in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = x + step_x, y + step_y
        here = (across(f"{x / UNITS_ACROSS}%"), y / UNITS_DOWN)
        if before:
            yield Shape("line", (*before, *here), style)
        before = here
