"""The chart of 200 made-up careers: nothing overlaps, at any width of the figure."""

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import combinations, pairwise

import pytest

from ratings_site.common.ui.charts.ratings import (
    Annotation,
    Point,
    Series,
    rating_chart,
)

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("Regular", "Quick", "Blitz", "Online regular", "Online quick", "Online blitz")
# A small phone, just below and at the width with more labels, and a desktop.
WIDTHS = (288, 639, 640, 960)
# The widths of letters in pixels are those of DejaVu Sans, which is wider than most.
LETTER, LETTER_WIDTH = 12, 7.5
# Two radii of dots, whose coordinates are rounded.
APART = 5.9


def career(dice: random.Random, kind: str) -> list[Point]:
    """Return the points of one system, with whole ratings from 100 to 2800."""
    events = {"one": 1, "same day": 2, "long": 1500}.get(kind, dice.randint(2, 300))
    day = date(1991, 1, 1) + timedelta(days=dice.randrange(9000))
    rating, points = dice.randint(100, 2800), []
    for number in range(events):
        points.append(Point(day, rating, f"Open {number}", f"/events/{number}/1/"))
        swing = 0 if kind == "flat" else dice.choice((8, 40, 150))
        rating = min(2800, max(100, rating + dice.randint(-swing, swing)))
        if kind != "same day":
            is_gap = kind == "gaps" and dice.random() < 0.1
            shortest, longest = (800, 2500) if is_gap else (0, 12)
            day += timedelta(dice.randint(shortest, longest))
    return points


def made_up(seed: int) -> dict:
    """Return the series, floor and marks of a career; the seed chooses its kind."""
    dice = random.Random(seed)
    kinds = ("one", "same day", "some", "gaps", "flat", "all systems", "ties", "long")
    kind = kinds[seed % len(kinds)]
    lines = [career(dice, kind)]
    if kind == "all systems":
        lines += [career(dice, "some") for _ in NAMES[1:]]
    if kind == "ties":
        lines *= dice.randint(2, 6)
    series = [Series(*line) for line in zip(NAMES, lines, strict=False)]
    days = [point.day for point in lines[0]]
    if dice.random() < 0.4:
        listed = [
            Point(day.replace(day=1), 1500 + dice.randint(-90, 90)) for day in days
        ]
        series.append(Series("Official", listed[::20], "s1 official", True, True))
    words = ("Expert", "3rd Category", "Floor lowered to 1800", "Rerate 7")
    marks = [Annotation(dice.choice(days), words[n]) for n in range(dice.randrange(5))]
    floor = dice.choice((None, 100, 1200, 1800, lines[0][-1].rating))
    return {"series": series, "floor": floor, "marks": marks}


class Drawing:
    """A chart as it is seen in a figure of one width, in pixels."""

    def __init__(self, svg: str, width: int) -> None:
        self.root = ET.fromstring(svg)  # noqa: S314 (our own drawing)
        left, right = map(int, re.findall(r"\d+", self.root.get("class")))
        self.left, self.width = 10 * left, width - 10 * (left + right)
        self.right, self.height = 10 * right, int(self.root.get("height"))
        self.tiers = {"n"} if width < 640 else {"w"} if width < 960 else {"w", "x"}

        self.groups = [list(self._visible(one)) for one in self.root]

    def _visible(self, one: ET.Element) -> Iterator[ET.Element]:
        if {"n", "w", "x"} & set(one.get("class", "").split()) <= self.tiers:
            yield one
            for inner in one:
                yield from self._visible(inner)

    def shown(self, name: str) -> Iterator[ET.Element]:
        return (one for group in self.groups for one in group if one.tag == SVG + name)

    def across(self, value: str) -> float:
        return float(value.removesuffix("%")) * self.width / 100

    def labels(self, *kinds: str) -> list[tuple[str, float, float, float, float]]:
        found = []
        for one in self.shown("text"):
            if kinds and one.get("class").split()[0] not in kinds:
                continue
            size = len(one.text) * LETTER_WIDTH
            x = self.across(one.get("x")) + float(one.get("dx", 0))
            x -= {"middle": size / 2, "end": size}.get(one.get("text-anchor"), 0)
            y = float(one.get("y"))
            found.append((one.text, x, y - LETTER * 0.75, x + size, y + 2))
        return found

    def dot(self, one: ET.Element) -> tuple[float, float]:
        return self.across(one.get("cx")), float(one.get("cy"))

    def dots(self) -> list[tuple[float, float]]:
        return [self.dot(one) for one in self.shown("circle")]

    def strokes(self) -> list[tuple[float, float, float, float]]:
        """Return the lines of ratings, official ones, floors, titles and ends."""
        found = []
        for one in self.shown("line"):
            if one.get("class") in {"floor", "event", "leader"}:
                xs = self.across(one.get("x1")), self.across(one.get("x2"))
                found.append((xs[0], float(one.get("y1")), xs[1], float(one.get("y2"))))
        for one in self.shown("path"):
            x, y, *steps = map(int, re.findall(r"-?\d+", one.get("d")))
            for dx, dy in zip(steps[::2], steps[1::2], strict=True):
                ends = (x, y, x + dx, y + dy)
                x, y = ends[2:]
                scale = (self.width / 2000, 0.5) * 2
                found.append(tuple(e * s for e, s in zip(ends, scale, strict=True)))
        return found


def crosses(box: tuple, stroke: tuple) -> bool:
    """Return whether a segment crosses a box, by cutting the segment at its sides."""
    _, left, top, right, bottom = box
    x1, y1, x2, y2 = stroke
    if max(x1, x2) <= left or right <= min(x1, x2):
        return False
    first, last = 0.0, 1.0
    for start, way, low, high in (
        (x1, x2 - x1, left, right),
        (y1, y2 - y1, top, bottom),
    ):
        if way == 0:
            if not low < start < high:
                return False
            continue
        enters, leaves = sorted(((low - start) / way, (high - start) / way))
        first, last = max(first, enters), min(last, leaves)
    return first < last


def touch(one: tuple, other: tuple) -> bool:
    return (
        one[1] < other[3]
        and other[1] < one[3]
        and one[2] < other[4]
        and other[2] < one[4]
    )


@pytest.mark.parametrize("seed", range(200))
def test_chart_of_a_career_is_legible_at_any_width(seed):
    made = made_up(seed)
    svg = rating_chart(**made)
    assert len(svg) < 48_000 * len(made["series"])
    labeled = [one for one in made["series"] if not one.is_quiet]
    for width in WIDTHS:
        drawn = Drawing(svg, width)
        check_labels(drawn)
        check_marks(drawn)
        check_dots(drawn, labeled)
        check_ends(drawn, labeled)
        check_ratings_axis(drawn)
        check_days_axis(drawn)


def check_labels(drawn: Drawing) -> None:
    """No label touches another one or a mark, and all are in the figure."""
    labels, strokes = drawn.labels(), drawn.strokes()
    assert [pair for pair in combinations(labels, 2) if touch(*pair)] == []
    dots = [("", x - 3, y - 3, x + 3, y + 3) for x, y in drawn.dots()]
    assert [(one, dot) for one in labels for dot in dots if touch(one, dot)] == []
    inside = drawn.labels("band-label", "floor-label", "event-label")
    assert [(one, way) for one in inside for way in strokes if crosses(one, way)] == []
    assert all(
        left >= -drawn.left and right <= drawn.width + drawn.right and top >= 0
        for _, left, top, right, _ in labels
    )


def check_marks(drawn: Drawing) -> None:
    """Dots and lines are inside the plot; those of titles begin just above it."""
    bottom = drawn.height - 26
    assert all(0 <= x <= drawn.width and 24 <= y <= bottom for x, y in drawn.dots())
    assert all(
        0 <= x <= drawn.width + 0.1 and 18 <= y <= bottom + 0.5
        for stroke in drawn.strokes()
        for x, y in (stroke[:2], stroke[2:])
    )


def check_dots(drawn: Drawing, labeled: list[Series]) -> None:
    """Dots of a line don't overlap, and open events: the last one in any case."""
    lines = [[one for one in group if one.tag == f"{SVG}a"] for group in drawn.groups]
    for links, series in zip(filter(None, lines), labeled, strict=True):
        assert links[-1].get("href") == series.points[-1].url
        dots = sorted(drawn.dot(one.find(f"{SVG}circle")) for one in links)
        for place, (x, y) in enumerate(dots):
            near = [dot for dot in dots[place + 1 : place + 50] if dot[0] - x < APART]
            assert [dot for dot in near if abs(dot[1] - y) < APART] == []


def check_ends(drawn: Drawing, labeled: list[Series]) -> None:
    ends = [one.text for one in drawn.shown("text") if one.get("class") == "end"]
    assert sorted(ends) == sorted(str(one.points[-1].rating) for one in labeled)


def check_ratings_axis(drawn: Drawing) -> None:
    axis = [one for one in drawn.shown("text") if one.get("class") == "axis"]
    ratings = [int(one.text) for one in axis if one.get("text-anchor") == "end"]
    [step] = {after - before for before, after in pairwise(ratings)}
    assert re.fullmatch("(1|2|5|10|20|25|50)0*", str(step))
    assert all(rating % step == 0 for rating in ratings)


def check_days_axis(drawn: Drawing) -> None:
    """Ticks are at the first days of the months and years that they say."""
    axis = [one for one in drawn.shown("text") if one.get("class") == "axis"]
    days = [one for one in axis if one.get("text-anchor") == "middle"]
    assert 2 <= len(days) <= 12
    first, last = (
        date.fromisoformat(drawn.root.get(name)) for name in ("data-from", "data-to")
    )
    for one in days:
        passed = float(one.get("x").removesuffix("%")) / 100 * (last - first).days
        # The position has two decimals; ten days more are in the same month.
        day = (first + timedelta(days=passed + 10)).replace(day=1)
        assert abs((day - first).days - passed) <= 1 + (last - first).days / 10_000
        assert one.text in {f"{day:%b}", f"{day:%b %Y}", f"{day:%Y}"}
        assert (f"{day:%b}" == "Jan") == one.text.isdigit()
    assert any(re.search("[0-9]{4}", one.text) for one in days)


def test_the_line_of_a_long_career_is_exact_to_a_pixel():
    """Every rating lies on the line, or between its corners in the same column."""
    [series] = [Series("Regular", career(random.Random(7), "long"))]
    drawn = Drawing(rating_chart([series]), 640)
    low, high = (series.points[place].day.toordinal() for place in (0, -1))
    strokes = drawn.strokes()
    corners = [stroke[:2] for stroke in strokes] + [strokes[-1][2:]]
    ratings = [point.rating for point in series.points]
    top = min(y for _, y in corners)
    bottom = max(y for _, y in corners)
    scale = (bottom - top) / (max(ratings) - min(ratings))
    for point in series.points:
        x = (point.day.toordinal() - low) / (high - low) * drawn.width
        y = bottom - (point.rating - min(ratings)) * scale
        near = [v for u, v in corners if abs(u - x) <= 1.2]
        assert min(near) - 1 <= y <= max(near) + 1
