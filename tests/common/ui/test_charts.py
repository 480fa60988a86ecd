import math
import random
import re
from datetime import date, timedelta
from xml.etree import ElementTree

import pytest
from django.utils import translation

from ratings_site.common.ui.charts.distributions import (
    Bar,
    distribution_chart,
    histogram_chart,
)
from ratings_site.common.ui.charts.ratings import (
    Annotation,
    Point,
    Series,
    rating_chart,
)

SVG = "{http://www.w3.org/2000/svg}"
# The widest letters a chart gets (a phone), as in office.css.
LETTER_HEIGHT, DIGIT_WIDTH = 17, 9.5


def history(games, *, start=1500.0, swing=20.0, gap=0, seed=1):
    dice, day, rating, points = random.Random(seed), date(2001, 3, 4), start, []
    for number in range(games):
        points.append(Point(day, rating, f"Event {number}"))
        rating += dice.uniform(-swing, swing)
        day += timedelta(days=gap if gap and number == games // 2 else 20)
    return points


CASES = {
    "one point": [Series("Regular", history(1))],
    "two points on one day": [
        Series(
            "Blitz",
            [Point(date(2024, 5, 4), 1654.3), Point(date(2024, 5, 4), 1654.3)],
        )
    ],
    "500 points": [Series("Regular", history(500))],
    "huge range": [
        Series(
            "Regular",
            [Point(date(1991, 1, 1), 100.0), Point(date(2024, 1, 1), 2851.4)],
        )
    ],
    "tiny range": [Series("Regular", history(30, swing=0.01))],
    "long gap": [Series("Regular", history(40, gap=6000))],
    "masters": [Series("Regular", history(100, start=2150.0, swing=60))],
    "six systems ending together": [
        Series(name, history(20, start=1500 + index, seed=index))
        for index, name in enumerate(
            [
                "Regular",
                "Quick",
                "Blitz",
                "Online regular",
                "Online quick",
                "Online blitz",
            ]
        )
    ],
}
CASES["three systems ending at the top"] = [
    Series(name, [Point(date(2020, 1, 2), 1000.0), Point(date(2024, 1, 2), 2000.0)])
    for name in ("Regular", "Quick", "Blitz")
]
FLOORS = [None, 100.0, 1400.0, 2000.0]


def parsed(svg):
    return ElementTree.fromstring(svg)  # noqa: S314 - drawn by us a line above


def numbers(root):
    for element in root.iter():
        for name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"):
            if name in element.attrib:
                yield float(element.get(name))
        for pair in element.get("points", "").split():
            yield from map(float, pair.split(","))


def boxes(root, *kinds):
    """Return the boxes of texts with letters as large as on a phone."""
    found = []
    for text in root.iter(f"{SVG}text"):
        if text.get("class") not in kinds:
            continue
        width = len(text.text) * DIGIT_WIDTH
        x, y = float(text.get("x")), float(text.get("y"))
        x -= {"start": 0, "median": width / 2, "end": width}[text.get("text-anchor")]
        found.append((text.text, x, y - LETTER_HEIGHT * 0.75, x + width, y))
    return found


def overlaps(found):
    return [
        (one[0], other[0])
        for index, one in enumerate(found)
        for other in found[:index]
        if one[1] < other[3]
        and other[1] < one[3]
        and one[2] < other[4]
        and other[2] < one[4]
    ]


def test_a_history_without_points_has_no_chart():
    assert rating_chart([]) == rating_chart([Series("Regular", [])]) == ""


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("case", CASES)
def test_chart_is_drawn_inside_its_frame(case, floor):
    root = parsed(rating_chart(CASES[case], floor=floor))

    assert root.get("viewBox") == "0 0 640 320"
    assert all(math.isfinite(n) and -1 <= n <= 640 for n in numbers(root))
    points = sum(len(one.points) for one in CASES[case])
    assert len(root.findall(f".//{SVG}circle")) == points


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("case", CASES)
def test_labels_do_not_overlap(case, floor):
    root = parsed(rating_chart(CASES[case], floor=floor))

    assert overlaps(boxes(root, "axis")) == []
    assert overlaps(boxes(root, "end", "end-name")) == []
    assert overlaps(boxes(root, "band-label", "floor-label")) == []


def test_labels_stay_on_the_drawing():
    for series in CASES.values():
        texts = boxes(parsed(rating_chart(series)), "axis", "end", "band-label")
        outside = [
            (text, left, top, right, bottom)
            for text, left, top, right, bottom in texts
            if left < 0 or top < -1 or right > 640 or bottom > 320
        ]
        assert outside == []


@pytest.mark.parametrize("language", ["en", "es"])
def test_histogram_classes_have_space_for_their_labels(language):
    with translation.override(language):
        root = parsed(histogram_chart([(100, 3), (2700, 1)], width=100))
    shown = [
        text.text
        for text in root.iter(f"{SVG}text")
        if "band-label" in text.get("class")
    ]
    assert {"A", "B", "C", "D", "E"} <= set(shown)


def test_floor_is_named_in_the_language_of_the_page():
    with translation.override("es"):
        svg = rating_chart(CASES["500 points"], floor=1400)
    assert "piso 1400" in svg
    assert "floor 1400" not in svg


def test_names_of_bands_stand_where_no_line_runs():
    root = parsed(rating_chart(CASES["500 points"], floor=1400))
    corners = [
        tuple(map(float, pair.split(",")))
        for line in root.iter(f"{SVG}polyline")
        for pair in line.get("points").split()
    ]
    names = boxes(root, "band-label")
    hidden = [
        text
        for text, left, top, right, bottom in names
        if any(left < x < right and top < y < bottom for x, y in corners)
    ]
    assert names
    assert hidden == []


@pytest.mark.parametrize("case", CASES)
def test_a_strict_security_policy_finds_nothing_inline(case):
    svg = rating_chart(
        CASES[case], floor=1400, marks=[Annotation(date(2005, 1, 1), "NM")]
    )
    assert re.findall(r"style|<script|\son\w+=|https?://(?!www\.w3\.org)", svg) == []


def test_the_last_number_stands_at_the_end_of_its_line():
    points = [Point(date(2024, 5, 4), 1654.3), Point(date(2024, 6, 4), 1644.5)]
    root = parsed(rating_chart([Series("Regular", points)]))
    assert [text for text, *_ in boxes(root, "end")] == ["1645"]


def test_a_point_tells_its_day_event_and_rating():
    point = Point(date(2024, 5, 4), 1654.5, "Rook & Pawn <Open>")
    root = parsed(rating_chart([Series("Regular", [point])]))
    assert root.find(f".//{SVG}circle/{SVG}title").text == (
        "May 4, 2024, Rook & Pawn <Open>, 1655"
    )


def test_chart_describes_itself_in_words():
    points = [
        Point(date(2020, 1, 2), 1500.0),
        Point(date(2021, 1, 2), 1700.4),
        Point(date(2022, 1, 2), 1650.0),
    ]
    root = parsed(rating_chart([Series("Quick", points)], title="Ada Lind"))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Ada Lind"
    assert root.find(f"{SVG}desc").text == (
        "Quick: from 1500 on Jan 2, 2020 to 1650 on Jan 2, 2022, "
        "lowest 1500, highest 1700."
    )


def test_a_gap_of_years_is_not_drawn_as_a_line():
    root = parsed(rating_chart(CASES["long gap"]))
    lines = [line.get("class") for line in root.iter(f"{SVG}polyline")]
    assert lines == ["line", "gap", "line"]


def test_expert_and_master_are_named():
    points = [Point(date(2020, 1, 2), 1950.0), Point(date(2024, 1, 2), 2300.0)]
    root = parsed(rating_chart([Series("Regular", points)]))
    labels = {text for text, *_ in boxes(root, "band-label")}
    assert {"2000 Expert", "2200 National Master"} <= labels


def test_a_floor_far_below_does_not_flatten_the_line():
    shown = rating_chart([Series("Regular", history(10))], floor=1400)
    left_out = rating_chart([Series("Regular", history(10))], floor=100)
    assert 'class="floor"' in shown
    assert 'class="floor"' not in left_out


def test_marks_that_would_touch_keep_their_tooltip_only():
    marks = [
        Annotation(date(2010, 1, 1), "Rerate"),
        Annotation(date(2010, 2, 1), "Expert"),
    ]
    root = parsed(rating_chart([Series("Regular", history(500))], marks=marks))
    assert [text for text, *_ in boxes(root, "event-label")] == ["Rerate"]
    tips = [title.text for title in root.iter(f"{SVG}title")]
    assert "Feb 1, 2010: Expert" in tips


def test_bars_are_as_long_as_their_counts():
    bars = [Bar("Expert", 50), Bar("Class A", 100, "/classes/a/"), Bar("Class B", 0)]
    root = parsed(distribution_chart(bars))
    widths = [float(bar.get("width")) for bar in root.iter(f"{SVG}rect")]
    assert widths[0] == pytest.approx(widths[1] / 2, abs=0.1)
    assert widths[2] == 0
    assert [link.get("href") for link in root.iter(f"{SVG}a")] == ["/classes/a/"]
    assert overlaps(boxes(root, "bar-label", "bar-count")) == []


def test_an_empty_distribution_is_drawn_and_a_missing_one_is_not():
    assert 'width="0.0"' in distribution_chart([Bar("Class A", 0)])
    assert distribution_chart([]) == ""


def test_a_quiet_line_has_neither_dots_nor_label_but_stands_in_the_description():
    live = Series("Regular", history(5), "s3")
    listed = Series("Official", history(4, seed=2), "s3 official", is_quiet=True)
    drawn = parsed(rating_chart([live, listed]))
    lines = {group.get("class"): group for group in drawn.findall(f"{SVG}g")}
    assert set(lines) == {"s3", "s3 official"}
    assert len(lines["s3"].findall(f"{SVG}circle")) == 5
    assert lines["s3 official"].findall(f"{SVG}circle") == []
    assert len(lines["s3 official"].findall(f"{SVG}polyline")) == 1
    labels = [text for text in drawn.iter(f"{SVG}text") if text.get("class") == "end"]
    assert len(labels) == 1
    assert "Official: from" in drawn.find(f"{SVG}desc").text


def test_days_run_on_to_the_day_asked_for():
    points = [Point(date(2024, 1, 1), 1500.0), Point(date(2024, 7, 1), 1510.0)]
    mark = Annotation(date(2025, 1, 1), "Rerate 3")
    short = rating_chart([Series("Regular", points)], marks=[mark])
    long = rating_chart(
        [Series("Regular", points)], marks=[mark], until=date(2025, 1, 1)
    )
    assert "Rerate 3" not in short
    assert "Jan 1, 2025: Rerate 3" in long
