from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.readers.value_parsers import (
    Day,
    Rating,
    birth_year_of,
    day_of,
    is_undated,
    is_unfinished,
    is_unknown_player,
    is_unplayed,
    minutes_of,
    pgn_minutes_of,
    points_of,
    rating_of,
)

readers = (
    day_of,
    points_of,
    is_unplayed,
    is_unfinished,
    is_undated,
    is_unknown_player,
    rating_of,
    birth_year_of,
    minutes_of,
    pgn_minutes_of,
)


@pytest.mark.parametrize("reader", readers)
@given(
    text=st.text(max_size=60)
    | st.text("0123456789?.-/+:½ ", max_size=45)
    | st.just("9" * 5000)
)
def test_any_text_is_read_without_raising(reader, text):
    reader(text)


@given(
    st.dates(date(1800, 1, 1), date(2100, 12, 31)),
    st.sampled_from(
        ("%Y-%m-%d", "%Y.%m.%d", "%Y/%m/%d", "%Y%m%d", "%m/%d/%Y", "%d.%m.%Y")
    ),
)
def test_every_day_is_read_in_every_spelling(day, spelling):
    assert day_of(day.strftime(spelling)) == Day(day.toordinal(), True)


@pytest.mark.parametrize(
    "text", ["2024-05-04T10:00:00", "2024-05-04 10:00", " 2024-5-4 "]
)
def test_the_time_of_day_is_left_away(text):
    assert day_of(text) == Day(date(2024, 5, 4).toordinal(), True)


@pytest.mark.parametrize(
    "text",
    ["1799-12-31", "2101-01-01", "2023-02-29", "13/1/2024", "1.13.2024", "May 2024"],
)
def test_invalid_days(text):
    assert day_of(text) is None
    assert not is_undated(text)


@pytest.mark.parametrize(
    ("points", "texts"),
    [
        (1.0, ("1-0", "1–0", "1:0", "1", "1.0", "1.0-0.0", "w", "White", " 1 - 0 ")),
        (0.5, ("1/2-1/2", "½-½", "½", "0.5", "0,5", ".5", "=", "draw", "0.5-0.5")),
        (0.0, ("0-1", "0—1", "0", "0.0", "0,0", "L", "black", "0.0-1.0", "0,0-1,0")),
        (None, ("", "*", "1-1", "0-0", "½-0", "2", "-1", "1-", "+--", "10", "01")),
    ],
)
def test_results(points, texts):
    assert {text: points_of(text) for text in texts} == dict.fromkeys(texts, points)


@pytest.mark.parametrize("text", ["+--", "-/+", "0-0", "1-0F", "0f-1", "bye", "--"])
def test_forfeits_are_no_games(text):
    assert is_unplayed(text)


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("1500", Rating(1500.0)),
        ("1500.5", Rating(1500.5)),
        ("1500,5", Rating(1500.5)),
        ("1500P12", Rating(1500.0)),
        ("1500/12", Rating(1500.0)),
        ("1", Rating(1.0)),
        ("4000", Rating(4000.0)),
        ("4001", Rating(None, False)),
        ("0.5", Rating(None, False)),
        ("-100", Rating(None, False)),
        ("1e3", Rating(None, False)),
        ("Unr.", Rating(None)),
    ],
)
def test_ratings(text, rating):
    assert rating_of(text) == rating


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("90", 90),
        ("2.5", 3),
        ("0", 0),
        ("90+30", 120),
        ("G/60;d5", 65),
        ("40/90,SD/30;+30", 150),
        ("40/90", None),
        ("9999999", None),
    ],
)
def test_minutes_for_sixty_moves(text, minutes):
    assert minutes_of(text) == minutes


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("300", 5),
        ("180+2", 5),
        ("15", 1),
        ("5400+30", 120),
        # 40 moves in 90 minutes, then 30 for the rest, and 30 seconds a move.
        ("40/5400+30:1800+30", 150),
        ("40/7200:20/3600:900", 180),
        # Of the second 40 moves only 20 are among the first 60.
        ("40/5400+30:40/1800+30", 150),
        ("40/9000", 225),
        ("1/86400", 60 * 24 * 60),
        ("0/60", None),
        ("-", None),
        ("60:x", None),
    ],
)
def test_minutes_of_pgn(text, minutes):
    assert pgn_minutes_of(text) == minutes
