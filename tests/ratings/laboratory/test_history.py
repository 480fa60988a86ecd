from array import array
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.history import NO_EVENT, HistoryBuilder
from tests.hypothesis_settings import example_count
from tests.ratings.laboratory.simple import day, games_to_history

SPRING = (
    ("A", "B", 1.0, "2024-02-28", "long"),
    ("A", "C", 0.5, "2024-03-02", "short"),
    ("C", "B", 0.0, "2024-03-09", "long"),
    ("B", "A", 0.5, "2024-06-30"),
)


def sides(history):
    return [
        history.ids[white] + history.ids[black]
        for white, black in zip(history.games.white, history.games.black, strict=True)
    ]


def spans(periods):
    return [
        (date.fromordinal(one.moment.day).isoformat(), one.start, one.stop)
        for one in periods
    ]


def test_an_event_stands_as_a_whole_where_it_ends():
    history = games_to_history(*SPRING)
    assert sides(history) == ["AC", "AB", "CB", "BA"]
    assert list(history.rated_days) == [
        day("2024-03-02"),
        day("2024-03-09"),
        day("2024-03-09"),
        day("2024-06-30"),
    ]


def test_the_order_in_which_games_were_given_counts_only_within_a_day():
    history = games_to_history(
        ("A", "B", 1.0, "2024-02-02", "e"),
        ("B", "A", 0.0, "2024-02-01", "e"),
        ("A", "C", 0.5, "2024-02-01", "e"),
    )
    assert sides(history) == ["BA", "AC", "AB"]


def test_periods_are_those_of_the_calendar_and_empty_ones_too():
    periods = list(games_to_history(*SPRING).periods(1))
    assert spans(periods) == [
        ("2024-03-31", 0, 3),
        ("2024-04-30", 3, 3),
        ("2024-05-31", 3, 3),
        ("2024-06-30", 3, 4),
    ]
    assert [one.moment.period for one in periods] == [0, 1, 2, 3]


def test_half_years_begin_in_january_and_july():
    history = games_to_history(
        ("A", "B", 1.0, "2023-12-31"), ("A", "B", 1.0, "2024-07-01")
    )
    assert spans(history.periods(6)) == [
        ("2023-12-31", 0, 1),
        ("2024-06-30", 1, 1),
        ("2024-12-31", 1, 2),
    ]


def test_periods_leave_out_what_is_rated_before_and_after():
    history = games_to_history(*SPRING)
    some = history.periods(1, day("2024-03-05"), day("2024-05-31"))
    assert spans(some) == [
        ("2024-03-31", 1, 3),
        ("2024-04-30", 3, 3),
        ("2024-05-31", 3, 3),
    ]


def test_games_after_the_last_day_are_out_even_in_its_month():
    history = games_to_history(
        ("A", "B", 1.0, "2024-03-02"), ("A", "B", 1.0, "2024-03-20")
    )
    assert spans(history.periods(1, None, day("2024-03-10"))) == [("2024-03-31", 0, 1)]


def test_no_games_are_no_periods():
    assert list(HistoryBuilder().build().periods(1)) == []


def test_the_last_year_there_is_has_an_end():
    history = games_to_history(("A", "B", 1.0, "9999-12-31"))
    assert spans(history.periods(12)) == [("9999-12-31", 0, 1)]


def test_a_period_of_no_months_is_refused():
    with pytest.raises(ValueError, match="at least one month"):
        list(games_to_history(*SPRING).periods(0))


def test_events_come_one_by_one_and_games_without_one_by_days():
    history = games_to_history(
        ("A", "B", 1.0, "2024-03-01"),
        ("A", "C", 1.0, "2024-03-01"),
        ("A", "B", 1.0, "2024-03-02"),
        ("A", "B", 1.0, "2024-03-02", "x"),
        ("C", "B", 1.0, "2024-03-02", "y"),
        ("C", "A", 1.0, "2024-03-01", "y"),
    )
    parts = [(part.start, part.stop) for part in history.events(0, len(history))]
    assert parts == [(0, 2), (2, 3), (3, 4), (4, 6)]


def test_between_keeps_the_players_numbers():
    history = games_to_history(*SPRING)
    some = history.between(day("2024-03-09"), day("2024-03-31"))
    assert sides(some) == ["AB", "CB"]
    assert some.ids == history.ids


def test_among_keeps_games_of_the_chosen_only_and_their_events_last_days():
    builder = HistoryBuilder()
    ann = builder.player("A", "Ann", 1990, "TX")
    bob = builder.player("B", "Bob")
    cid = builder.player("C", "Cid", 2001, "NY")
    event = builder.event("e")
    builder.game(bob, cid, 1.0, day("2024-05-09"), event)
    builder.game(ann, cid, 1.0, day("2024-05-01"), event, 60)
    some = builder.build().between_players({ann, cid})
    assert (some.ids, some.names, some.birth_years, some.states) == (
        ("A", "C"),
        ("Ann", "Cid"),
        (1990, 2001),
        ("TX", "NY"),
    )
    assert sides(some) == ["AC"]
    assert list(some.games.minutes) == [60]
    assert list(some.rated_days) == [day("2024-05-09")]


def test_what_is_learned_later_of_a_player_is_added():
    builder = HistoryBuilder()
    builder.player("A")
    builder.player("A", "Ann", 1990, "TX")
    builder.player("A", "Anna", 1991, "NY")
    history = builder.build()
    assert (history.names, history.birth_years, history.states) == (
        ("Ann",),
        (1990,),
        ("TX",),
    )


@pytest.mark.parametrize("points", [0.25, 2, -1, float("nan")])
def test_other_points_are_refused(points):
    builder = HistoryBuilder()
    with pytest.raises(ValueError, match="points"):
        builder.game(builder.player("A"), builder.player("B"), points, 1)


def test_a_player_cannot_play_against_themselves():
    builder = HistoryBuilder()
    with pytest.raises(ValueError, match="themselves"):
        builder.game(builder.player("A"), builder.player("A"), 1.0, 1)


def test_the_digest_changes_with_everything_a_system_sees_and_not_with_names():
    history = games_to_history(*SPRING)
    games = history.games
    others = [
        replace(history, ids=("A", "B", "D")),
        replace(history, birth_years=(1990, None, None)),
        replace(history, states=("", "", "TX")),
        replace(history, rated_days=array("i", [1, 2, 3, 4])),
        *(
            replace(history, games=replace(games, **{name: [1, 0, 0, 1]}))
            for name in ("white", "black", "points", "days", "events", "minutes")
        ),
    ]
    assert len({one.digest() for one in [history, *others]}) == len(others) + 1
    assert replace(history, names=("x", "y", "z")).digest() == history.digest()


def test_the_digest_does_not_ask_how_columns_are_held():
    history = games_to_history(*SPRING)
    games = history.games
    lists = replace(games, white=list(games.white), points=list(games.points))
    assert replace(history, games=lists).digest() == history.digest()


LINES = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(6, 9),
        st.sampled_from((0.0, 0.5, 1.0)),
        st.integers(738000, 738400),
        st.integers(NO_EVENT, 4),
    ),
    max_size=40,
)


@settings(max_examples=example_count(60))
@given(LINES, st.integers(1, 12))
def test_every_game_is_in_one_period_and_one_event_whatever_the_order(lines, months):
    builder = HistoryBuilder()
    for number in range(10):
        builder.player(str(number))
    for number in range(5):
        builder.event(str(number))
    for line in lines:
        builder.game(*line)
    history = builder.build()
    columns = history.games
    assert sorted(lines) == sorted(
        zip(
            columns.white,
            columns.black,
            columns.points,
            columns.days,
            columns.events,
            strict=True,
        )
    )
    seen = []
    events_of = []
    for period in history.periods(months):
        seen.extend(range(period.start, period.stop))
        for part in history.events(period.start, period.stop):
            assert part.day <= period.moment.day
            assert part.day == max(columns.days[part.start : part.stop])
            events_of.append(columns.events[part.start])
    assert seen == list(range(len(lines)))
    real = [event for event in events_of if event != NO_EVENT]
    assert len(real) == len(set(real))
