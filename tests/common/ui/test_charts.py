import random
import re
from datetime import date, timedelta
from xml.etree import ElementTree

import pytest
from django.utils import translation

from ratings_site.common.ui.charts.distributions import (
    Bar,
    Marker,
    distribution_chart,
    histogram_chart,
)
from ratings_site.common.ui.charts.ratings import (
    Annotation,
    Point,
    Series,
    rating_chart,
)
from ratings_site.common.ui.formatting import ApproximateRating
from tests.common.ui.test_careers import WIDTHS, Drawing, touch

SVG = "{http://www.w3.org/2000/svg}"


def history(games, *, start=1500.0, swing=20.0, gap=0, seed=1):
    dice, day, rating, points = random.Random(seed), date(2001, 3, 4), start, []
    for number in range(games):
        points.append(Point(day, rating, f"Event {number}"))
        rating += dice.uniform(-swing, swing)
        day += timedelta(days=gap if gap and number == games // 2 else 20)
    return points


def parsed(svg):
    return ElementTree.fromstring(svg)  # noqa: S314 - drawn by us a line above


def texts(svg, kind):
    return [
        one.text for one in parsed(svg).iter(f"{SVG}text") if one.get("class") == kind
    ]


def test_a_history_without_points_has_no_chart():
    assert rating_chart([]) == rating_chart([Series("Regular", [])]) == ""


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
        svg = rating_chart([Series("Regular", history(9))], floor=1450)
    assert texts(svg, "floor-label") == ["piso 1450"]


def test_a_strict_security_policy_finds_nothing_inline():
    svg = rating_chart(
        [Series("Regular", history(40))],
        floor=1400,
        marks=[Annotation(date(2003, 1, 1), "NM")],
    )
    assert re.findall(r"style|<script|\son\w+=|https?://(?!www\.w3\.org)", svg) == []


def test_the_last_number_stands_at_the_end_of_its_line():
    points = [Point(date(2024, 5, 4), 1654.3), Point(date(2024, 6, 4), 1644.5)]
    assert texts(rating_chart([Series("Regular", points)]), "end") == ["1645"]


def test_a_dot_opens_its_event_and_says_its_rating_change_event_and_day():
    points = [
        Point(date(2024, 1, 1), 1600.0),
        Point(date(2024, 5, 4), 1654.5, "Rook & Pawn <Open>", "/events/1/?a=1&b=2"),
    ]
    first, second = parsed(rating_chart([Series("Regular", points)])).findall(
        f".//{SVG}title/.."
    )[1:]
    assert (first.tag, first.get("href")) == (f"{SVG}g", None)
    assert first.find(f"{SVG}title").text == "1600\nJan 1, 2024"
    assert (second.tag, second.get("href")) == (f"{SVG}a", "/events/1/?a=1&b=2")
    assert second.find(f"{SVG}title").text == (
        "1655 (+55)\nRook & Pawn <Open>\nMay 4, 2024"
    )


def test_an_approximate_rating_has_no_change_before_or_after_it():
    ratings = (600.0, ApproximateRating(700.0), 750.0, 760.0)
    points = [
        Point(date(2024, month, 1), rating) for month, rating in enumerate(ratings, 1)
    ]
    root = parsed(rating_chart([Series("Regular", points)]))
    tips = [one.text.split("\n")[0] for one in root.iter(f"{SVG}title")][1:]
    assert tips == ["600", "about 700", "750", "760 (+10)"]


def test_chart_with_links_is_a_group_and_without_an_image():
    point = Point(date(2024, 1, 1), 1600.0, "Open")
    linked = Point(*(point.day, point.rating, point.label), "/events/1/")
    assert parsed(rating_chart([Series("A", [point])])).get("role") == "img"
    assert parsed(rating_chart([Series("A", [linked])])).get("role") == "group"


def test_chart_describes_itself_in_words():
    points = [
        Point(date(2020, 1, 2), 1500.0),
        Point(date(2021, 1, 2), 1700.4),
        Point(date(2022, 1, 2), 1650.0),
    ]
    root = parsed(rating_chart([Series("Quick", points)], title="Ada Lind"))
    assert root.find(f"{SVG}title").text == "Ada Lind"
    assert root.find(f"{SVG}desc").text == (
        "Quick: from 1500 on Jan 2, 2020 to 1650 on Jan 2, 2022, "
        "lowest 1500, highest 1700."
    )


def test_a_gap_of_years_is_not_drawn_as_a_line():
    root = parsed(rating_chart([Series("Regular", history(40, gap=6000))]))
    lines = [line.get("class") for line in root.iter(f"{SVG}path")]
    assert lines == ["line", "gap", "line"]


def test_expert_and_master_are_named():
    points = [Point(date(2020, 1, 2), 1950.0), Point(date(2024, 1, 2), 2300.0)]
    drawn = Drawing(rating_chart([Series("Regular", points)]), 640)
    labels = {text for text, *_ in drawn.labels("band-label")}
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
    svg = rating_chart([Series("Regular", history(500))], marks=marks)
    assert texts(svg, "event-label") == ["Rerate"]
    tips = [title.text for title in parsed(svg).iter(f"{SVG}title")]
    assert "Expert\nFeb 1, 2010" in tips


def test_bars_are_as_long_as_their_counts():
    bars = [Bar("Expert", 50), Bar("Class A", 100, "/classes/a/"), Bar("Class B", 0)]
    svg = distribution_chart(bars)
    root = parsed(svg)
    widths = [float(bar.get("width")[:-1]) for bar in root.iter(f"{SVG}rect")]
    assert widths[0] == pytest.approx(widths[1] / 2, abs=0.1)
    assert widths[2] == 0
    assert [link.get("href") for link in root.iter(f"{SVG}a")] == ["/classes/a/"]
    assert overlaps(svg) == []


def overlaps(svg):
    """Return the labels that touch others, in figures of any width."""
    return [
        (width, one, other)
        for width in WIDTHS
        for labels in [Drawing(svg, width).labels()]
        for place, one in enumerate(labels)
        for other in labels[:place]
        if touch(one, other)
    ]


def test_labels_that_are_long_stand_above_their_bars():
    bars = [Bar("Eight to twenty-seven days late", 5), Bar("On time", 12_345)]
    svg = distribution_chart(bars)
    assert overlaps(svg) == []
    assert parsed(svg).get("class").startswith("l1 ")


@pytest.mark.parametrize("ratings", [(700, 1300, 1750, 1760), (2500,) * 4, (110, 120)])
def test_marked_ratings_of_a_histogram_do_not_overlap(ratings):
    columns = [(low, low % 700) for low in range(100, 2700, 50)]
    markers = [
        Marker(rating, name)
        for rating, name in zip(
            ratings, ("lower quartile", "median", "upper quartile", "you"), strict=False
        )
    ]
    svg = histogram_chart(columns, width=50, markers=markers)
    assert overlaps(svg) == []
    for width in WIDTHS:
        drawn = Drawing(svg, width)
        needles = [
            (drawn.across(one.get("x1")), float(one.get("y1")))
            for one in drawn.shown("line")
            if one.get("class").startswith("needle")
        ]
        assert len(needles) == len(ratings)
        crossed = [
            (text, x)
            for text, left, _top, right, bottom in drawn.labels(
                "event-label", "band-label"
            )
            for x, y in needles
            if left < x < right and y < bottom
        ]
        assert crossed == []


def test_an_empty_distribution_is_drawn_and_a_missing_one_is_not():
    assert 'width="0%"' in distribution_chart([Bar("Class A", 0)])
    assert distribution_chart([]) == ""


def test_a_quiet_line_has_neither_dots_nor_label_but_stands_in_the_description():
    live = Series("Regular", history(5), "s3")
    listed = Series("Official", history(4, seed=2), "s3 official", is_quiet=True)
    svg = rating_chart([live, listed])
    groups = [one for one in parsed(svg).iter(f"{SVG}g") if one.get("class")]
    found = [
        (one.get("class"), len(one.findall(f"{SVG}path")), len(one.findall(f"{SVG}g")))
        for one in groups
        if one.get("class").startswith("s")
    ]
    # The lines, then the dots, then the labels.
    assert found == [("s3", 1, 0), ("s3 official", 1, 0), ("s3", 0, 5), ("s3", 0, 0)]
    assert len(texts(svg, "end")) == 1
    assert "Official: from" in parsed(svg).find(f"{SVG}desc").text


def test_official_ratings_are_steps_to_the_end_of_the_chart():
    listed = [Point(date(2024, month, 1), 1500.0 + month // 6) for month in (1, 6, 9)]
    steps = Series("Official", listed, "s1 official", is_quiet=True, is_steps=True)
    live = Series(
        "Regular", [Point(date(2024, 1, 1), 1500.0), Point(date(2024, 12, 31), 1502.0)]
    )
    strokes = Drawing(rating_chart([live, steps]), 640).strokes()[1:]
    assert all(x1 == x2 or y1 == y2 for x1, y1, x2, y2 in strokes)
    assert len(strokes) == 3
    assert strokes[-1][2] == Drawing(rating_chart([live, steps]), 640).width


def test_lines_with_long_names_have_letters_and_a_list_of_them():
    names = ("A rating system with a long name", "Elo")
    series = [Series(name, history(5, seed=len(name))) for name in names]
    svg, _, listed = rating_chart(series).partition("<ul")
    ends = texts(svg, "end")
    assert [end[:2] for end in sorted(ends)] == ["A ", "B "]
    shown = re.findall(r"<b>(.*?)</b> ([^<]*)<", listed)
    assert shown == list(zip(sorted(ends), names, strict=True))


def test_days_run_on_to_the_day_asked_for():
    points = [Point(date(2024, 1, 1), 1500.0), Point(date(2024, 7, 1), 1510.0)]
    mark = Annotation(date(2025, 1, 1), "Rerate 3")
    short = rating_chart([Series("Regular", points)], marks=[mark])
    long = rating_chart(
        [Series("Regular", points)], marks=[mark], until=date(2025, 1, 1)
    )
    assert "Rerate 3" not in short
    assert "Rerate 3\nJan 1, 2025" in long
