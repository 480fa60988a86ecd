"""The laboratory's plots: positions, and escaping of labels."""

import re
import xml.etree.ElementTree as ET
from datetime import date
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings_site.common.ui.charts.drawing import shorten_labels
from ratings_site.common.ui.charts.plots import (
    Interval,
    PlottedLine,
    interval_plot,
    line_plot,
)
from tests.common.ui.test_careers import WIDTHS, Drawing, crosses, touch
from tests.hypothesis_settings import example_count

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ET.Element:
    svg, _, _names = svg.partition("<ul")
    return ET.fromstring(svg)  # noqa: S314 (our own drawing)


def circles(svg: str) -> list[tuple[float, float]]:
    root = parsed(svg)
    return [
        (float(one.get("cx").removesuffix("%")), float(one.get("cy")))
        for one in root.iter(f"{SVG}circle")
    ]


def height(svg: str) -> float:
    return float(parsed(svg).get("height"))


def test_without_data_nothing_is_drawn():
    assert interval_plot([], title="T", chart_id="c") == ""
    assert line_plot([PlottedLine("A", [])], title="T", chart_id="c") == ""


def test_larger_values_stand_further_right_and_rows_below_each_other():
    rows = [Interval("A", 70, 65, 75), Interval("B", 90, 85, 95), Interval("C", 80)]
    points = circles(interval_plot(rows, title="T", chart_id="c"))
    xs, ys = zip(*points, strict=True)
    assert xs[0] < xs[2] < xs[1]
    assert list(ys) == sorted(ys)


def test_rows_are_named_by_what_differs_also_where_names_are_cut():
    """Both used to be cut to the same text."""
    long = "US Chess, rules of the federation with a bonus multiplier of"
    names = [f"{long} {bonus}" for bonus in (12, 10)]
    rows = [Interval(name, place) for place, name in enumerate(names)]
    svg = interval_plot(rows, title="T", chart_id="c")
    shown = [one.text for one in parsed(svg).iter(f"{SVG}text")]
    assert {"…12", "…10"} <= set(shown)
    assert len(set(shorten_labels([*names, "Elo"], 20))) == 3


def test_differences_carry_their_sign():
    svg = interval_plot([Interval("A", 0.2, 0.1, 0.3)], title="T", chart_id="c", mark=0)
    assert "<title>+0.20 (+0.10 … +0.30)\nA</title>" in svg


def test_what_is_rounded_to_nothing_has_no_sign():
    rows = [Interval("A", -0.001, -0.004, 0.3)]
    svg = interval_plot(rows, title="T", chart_id="c", mark=0)
    assert "<title>0.00 (0.00 … +0.30)\nA</title>" in svg


@pytest.mark.parametrize("names", ["AB", ["A very long name of a rating system", "B"]])
def test_labels_of_intervals_touch_neither_labels_nor_marks(names):
    rows = [Interval(name, 2.0, 0.0, 9.0 * (name == "B")) for name in names]
    svg = interval_plot(rows, title="T", chart_id="c", mark=1.0)
    for width in WIDTHS:
        drawn = Drawing(svg, width)
        labels = drawn.labels()
        assert not [pair for pair in combinations(labels, 2) if touch(*pair)]
        marks = [
            (
                drawn.across(one.get("x1")),
                float(one.get("y1")),
                drawn.across(one.get("x2")),
                float(one.get("y2")),
            )
            for one in drawn.shown("line")
            if one.get("class") in {"whisker", "diagonal"}
        ]
        assert len(marks) == 8
        assert not [text for text in labels for mark in marks if crosses(text, mark)]


def test_minus_is_a_true_minus():
    svg = interval_plot([Interval("A", -0.02, -0.1, 0.1)], title="T", chart_id="c")
    assert "−0.02" in svg
    assert not re.search(r">[^<]*-0", svg)


def test_the_end_of_a_line_says_its_value():
    """Numbers with five digits have a comma; ratings have four and none."""
    for value, said in ((12345.0, "12,345"), (1512.0, "1512")):
        lines = [PlottedLine("A", [(date(2024, 1, 1), 9000.0), (date.max, value)])]
        svg = line_plot(lines, title="T", chart_id="c")
        ends = [one.text for one in parsed(svg).iter(f"{SVG}text")]
        assert said in ends


def test_labels_at_the_ends_of_lines_do_not_touch():
    for name in ("Line", "A line with a long name, number"):
        lines = [
            PlottedLine(
                f"{name} {number}",
                [(date(2020, 1, 1), 1500.0), (date(2024, 1, 1), level)],
            )
            for number, level in enumerate((1500.0, 1501.0, 1502.0, 1700.0))
        ]
        svg = line_plot(lines, title="T", chart_id="c").partition("<ul")[0]
        labels = Drawing(svg, 288).labels()
        assert len(labels) > 8
        assert not [pair for pair in combinations(labels, 2) if touch(*pair)]


def test_words_cannot_break_out_of_the_drawing():
    evil = '<script>alert("x")</script>'
    for svg in (
        interval_plot([Interval(evil, 1, 0, 2)], title=evil, chart_id=evil),
        line_plot(
            [PlottedLine(evil, [(date(2024, 1, 1), 1)])], title=evil, chart_id=evil
        ),
    ):
        parsed(svg)
        assert "<script" not in svg


values = st.floats(-3000, 3000, allow_nan=False)


@settings(max_examples=example_count(60), deadline=None)
@given(st.lists(st.tuples(values, values, values).map(sorted), min_size=1, max_size=9))
def test_every_point_is_inside_of_the_drawing(triples):
    rows = [Interval("Row", middle, low, high) for low, middle, high in triples]
    days = [date(2020, 1, 1), date(2020, 1, 2), date(2029, 1, 1)]
    lines = [
        PlottedLine("Row", list(zip(days, three, strict=True))) for three in triples
    ]
    for svg in (
        interval_plot(rows, title="T", chart_id="c"),
        line_plot(lines, title="T", chart_id="c"),
    ):
        tall = height(svg)
        assert all(0 <= x <= 100 and 0 <= y <= tall for x, y in circles(svg))
