import io
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.protocol import OnlineFacts
from ratings.laboratory.readers import history_loader
from ratings.laboratory.readers.csv_games import read_csv
from ratings.laboratory.readers.findings import Findings
from ratings.laboratory.readers.history_loader import load_history
from ratings.laboratory.readers.records import GameRecord, Reading


def day(text):
    return date.fromisoformat(text).toordinal()


def game(white, black, on, **more):
    return GameRecord(more.pop("line", 2), day(on), white, black, 1.0, **more)


def loaded(*records):
    """Return the history of the records, which are in lines 2, 3, 4 ..."""
    numbered = (one._replace(line=line) for line, one in enumerate(records, start=2))
    return load_history(Reading(numbered, Findings()))


def said(loaded):
    return [(one.kind, one.line) for one in loaded.findings]


def test_games_become_a_history():
    found = load_history(
        read_csv(
            io.BytesIO(
                b"date,white,black,result,event,white id,white born,minutes\n"
                b"2024-05-11,Ann,Bob,1-0,Open,7,2011,65\n"
                b"2024-06-04,Bob,Ann,0-1,,,,\n"
                b"2024-07-11,Ann,Bob,1/2-1/2,Cup,7,,\n"
            )
        )
    )
    history = found.history
    assert list(history.ids) == ["7", "Bob", "Ann"]
    assert list(history.names) == ["Ann", "Bob", "Ann"]
    assert list(history.birth_years) == [2011, None, None]
    assert list(history.event_names) == ["Open", "Cup"]
    assert list(history.games.white) == [0, 1, 0]
    assert list(history.games.points) == [1.0, 0.0, 0.5]
    assert list(history.games.minutes) == [65, 0, 0]
    assert said(found) == [("with_and_without_id", 3)]


def test_games_are_put_in_the_order_of_days_and_it_is_told():
    found = loaded(game("a", "b", "2024-05-04"), game("c", "d", "2024-05-03"))
    assert list(found.history.games.days) == [day("2024-05-03"), day("2024-05-04")]
    assert said(found) == [("order", 3)]


def test_an_event_that_returns_after_a_break_is_another_event():
    found = loaded(
        game("a", "b", "2024-05-04", event="Blitz"),
        game("c", "d", "2024-05-11", event="Blitz"),
        game("e", "f", "2024-07-11", event="Blitz"),
    )
    assert list(found.history.games.events) == [0, 0, 1]
    assert list(found.history.event_names) == ["Blitz", "Blitz"]
    assert list(found.history.rated_days) == [
        day("2024-05-11"),
        day("2024-05-11"),
        day("2024-07-11"),
    ]


def test_what_goes_on_for_more_than_a_year_is_rated_day_by_day():
    days = [
        date.fromordinal(day("2023-01-01") + 14 * number).isoformat()
        for number in range(31)
    ]
    found = loaded(
        *[game(f"w{on}", f"b{on}", on, event="Rated blitz game") for on in days]
    )
    history = found.history
    assert set(history.games.events) == {-1}
    assert list(history.rated_days) == list(history.games.days)
    assert said(found) == [("long_event", 2)]
    assert str(next(iter(found.findings))) == (
        "Line 2: “Rated blitz game” lasts 421 days, so it is rated day by day. "
        "Give each event its own name."
    )


def test_first_ratings_are_those_of_the_oldest_game():
    found = loaded(
        game("a", "b", "2024-05-04", white_rating=1600.0),
        game("b", "a", "2024-05-03", white_rating=1400.0, black_rating=1500.0),
        game("c", "a", "2024-05-02"),
    )
    by_name = {found.history.ids[player]: one for player, one in found.ratings.items()}
    assert by_name == {"a": 1500.0, "b": 1400.0}


def test_a_player_cannot_play_against_themselves():
    found = loaded(game("a", "a", "2024-05-04"), game("a", "b", "2024-05-04"))
    assert len(found.history) == 1
    first = next(iter(found.findings))
    assert str(first) == (
        "Line 2: Both players are “a”. The game was left out. Correct one of the names."
    )


def test_years_of_birth_that_cannot_be_or_differ_are_told():
    found = loaded(
        game("a", "b", "2024-05-04", white_birth_year=2011, black_birth_year=2030),
        game("a", "b", "2024-06-04", white_birth_year=2012),
    )
    assert list(found.history.birth_years) == [2011, None]
    assert [str(one) for one in found.findings] == [
        (
            "Line 2: “b” has a birth year of 2030, which is after the game. The game "
            "was used without it. Use the same birth year everywhere."
        ),
        (
            "Line 3: “a” has a birth year of 2012 here, but 2011 earlier in the "
            "file. The game was used without it. Use the same birth year everywhere."
        ),
    ]


def test_months_without_games_are_told():
    found = loaded(
        game("a", "b", "2024-01-31"),
        game("a", "b", "2024-02-01"),
        game("a", "b", "2024-05-31"),
    )
    assert [str(one) for one in found.findings] == [
        (
            "Line 4: Months without a game since 2024-02-01: 2. Check whether games "
            "are missing."
        )
    ]


def test_equal_dates_are_told():
    found = loaded(
        game("a", "b", "2024-05-04"),
        game("c", "d", "2024-05-04"),
        game("a", "d", "2024-05-04"),
    )
    assert [str(one) for one in found.findings] == [
        (
            "Line 4: A player has more than one game on this day. Such games: 1. "
            "Games on the same day were read in file order."
        ),
        (
            "Line 2: All games are on one day, so there are no earlier games to "
            "predict them from."
        ),
    ]


def test_a_file_without_games_is_told():
    assert said(loaded()) == [("no_games", 0)]


def test_more_players_than_fit_are_left_out_and_told(monkeypatch):
    monkeypatch.setattr(history_loader, "MAX_PLAYERS", 2)
    found = loaded(
        game("a", "b", "2024-05-04"),
        game("a", "c", "2024-05-05"),
        game("b", "a", "2024-05-06"),
    )
    assert len(found.history) == 2
    assert ("players", 3) in said(found)


def test_more_events_than_fit_are_rated_by_days(monkeypatch):
    monkeypatch.setattr(history_loader, "MAX_EVENTS", 1)
    found = loaded(
        game("a", "b", "2024-05-04", event="x"),
        game("c", "d", "2024-05-05", event="y"),
    )
    assert list(found.history.games.events) == [0, -1]
    assert said(found) == [("events", 3)]


records = st.tuples(
    st.just(2),
    st.integers(day("2020-01-01"), day("2026-01-01")),
    *[st.sampled_from("abcdef")] * 2,
    st.sampled_from((1.0, 0.5, 0.0)),
    *[st.sampled_from(("", "1", "2"))] * 2,
    st.sampled_from(("", "x", "y")),
    *[st.none() | st.floats(1, 4000)] * 2,
    *[st.sampled_from((None, 2010, 2025))] * 2,
    st.integers(0, 1_000_000),
    st.booleans(),
    st.sampled_from((None, OnlineFacts((5, 3), white_away=61))),
).map(GameRecord._make)


@settings(deadline=None)
@given(st.lists(records, max_size=30))
def test_every_record_is_a_game_or_a_finding(rows):
    found = loaded(*rows)
    left_out = found.findings.counts["same_player"]
    assert len(found.history) + left_out == len(rows)
    history = found.history
    colored = [
        row.is_colored
        for row in rows
        if (row.white_id or row.white) != (row.black_id or row.black)
    ]
    assert sum(history.games.colored) == sum(colored)
    assert list(history.rated_days) == sorted(history.rated_days)
    # An event is rated on its last day, never before one of its games.
    for on, rated in zip(history.games.days, history.rated_days, strict=True):
        assert on <= rated <= on + 366


@pytest.mark.parametrize("text", ["", "date,white,black,result\n"])
def test_an_empty_table_is_an_empty_history(text):
    found = load_history(read_csv(io.BytesIO(text.encode())))
    assert (len(found.history), said(found)) == (0, [("no_games", 0)])
