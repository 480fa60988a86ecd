"""Titles and classes of a member, from lists, ledger and games."""

import re
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.decisions.floors.queries import titles
from ratings.decisions.floors.queries.titles import (
    NormLine,
    event_norms,
    member_titles,
    title_sections,
    titles_earned,
)
from ratings.engine.norms import Norm
from ratings.engine.numbers import official
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import SectionCalculation
from ratings.models import Floor, RatingChange
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    merge_with_approval,
    open_rating,
    rated_event,
    section_report,
)
from tests.ratings.lists.helpers import (
    JULY,
    JUNE,
    line_of,
    published,
    published_rerate,
)

pytestmark = pytest.mark.django_db

# The first player beats all others, who draw with each other.
FIVE_ROUNDS = [
    "W2W W3B W4W W5B H",
    "L1B D5W H D4B D3W",
    "D4W L1W D5B H D2B",
    "D3B H L1B D2W D5B",
    "H D2B D3W L1W D4W",
]


@pytest.fixture
def td():
    return make_td()


def reached(player) -> list[tuple[str, date, int, bool]]:
    [(system, classes)] = member_titles(player).classes
    assert system is System.OTBR
    return [
        (one.rating_class.name, one.day, one.rating, one.is_official) for one in classes
    ]


def play(td, players, rows, *, ends: date, name: str, **section):
    report = event_report(
        td,
        [section_report(players, rows, **section)],
        starts=ends - timedelta(days=1),
        ends=ends,
        name=name,
    )
    return rated_event(td, report)


# Classes


def test_before_the_first_list_post_event_ratings_count():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    assert reached(player) == [("Class B", date(2024, 1, 1), 1650, False)]


def test_since_the_first_list_the_lists_count():
    player = make_player(ratings={"OTBR": (1790.0, 30)})
    published(JUNE)
    published_rerate({line_of(player).pk: 1995.0})
    published(JULY)
    published_rerate({line_of(player).pk: 1805.0})
    august = published(date(2024, 8, 1))

    assert august.ratings.get().rating == 1805
    # The ledger says 1805 as of January, before the first list, so Class A is there.
    assert reached(player) == [("Class A", date(2024, 1, 1), 1805, False)]


def test_a_class_once_reached_on_a_list_stays_reached(td):
    make_player("30000009", ratings={"OTBR": (1000.0, 30)})
    published(JUNE)
    player = make_player()
    open_rating(player, "OTBR", 1790.0, 30, as_of=date(2024, 6, 10))
    published(JULY)
    run = published_rerate({line_of(player).pk: 2003.0})
    published(date(2024, 8, 1))
    published_rerate({line_of(player).pk: 1900.0})
    published(date(2024, 9, 1))

    assert run.pk
    assert reached(player) == [
        ("Expert", date(2024, 8, 1), 2003, True),
        ("Class B", date(2024, 7, 1), 1790, True),
    ]


def test_a_class_on_a_list_is_that_of_the_kept_number():
    old = make_player(ratings={"OTBR": (1850.0, 30), "OTBQ": (1850.0, 30)})
    kept = make_player(ratings={"OTBR": (1650.0, 30)})
    published(date(2024, 1, 1))
    merge_with_approval(kept, old)
    assert [
        [one.rating_class.name for one in classes]
        for _system, classes in member_titles(kept).classes
    ] == [["Class B"], ["Class A"]]


def test_original_life_master_is_that_of_the_floor():
    player = make_player(ratings={"OTBR": (2250.0, 400)})
    assert member_titles(player).life_master is None
    floor = Floor.objects.create(
        player=player,
        system="OTBR",
        kind="life_master",
        level=2200,
        starts=date(2024, 3, 3),
        reason="300 games at 2200.",
        granted_by=make_staff(),
    )
    assert member_titles(player).life_master == floor


# Norms


def five(rating: float = 1600.0, games: int = 60) -> list:
    first = make_player("30000001", ratings={"OTBR": (rating, games)})
    return [first, *(make_player(ratings={"OTBR": (1800.0, 60)}) for _ in range(4))]


def test_a_norm_is_found_in_the_games_of_a_section(td):
    players = five()
    play(td, players, FIVE_ROUNDS, ends=date(2024, 5, 5), name="May Open")
    posts = [round(line_of(one).post_rating) for one in players[1:]]
    # Against opponents near 1790 no player below 1600 is expected to score four points.
    assert all(1780 <= post < 1800 for post in posts)

    [norm] = member_titles(players[0]).norms

    # At 1800, 0.5 and a little more is expected in each game: two points and some.
    expected = sum(0.5 + (1800 - post) * 0.5 / 200 for post in posts)
    assert norm.norm == Norm(1800, 4.0, pytest.approx(expected))
    assert (norm.day, norm.title, norm.half_points) == (
        date(2024, 5, 5),
        "May Open",
        8,
    )
    # One and a half points are much against players 400 points stronger.
    assert [one.norm.level for one in member_titles(players[1]).norms] == [1400]


# The first player beats three; the fourth round is the cell that is filled in.
THREE_GAMES = ["W2W W3B W4W {}", "L1B D4W D3B {}", "D4W L1W D2W H", "D3B D2B L1B H"]


@pytest.mark.parametrize(
    ("first", "second", "levels"),
    [
        ("B", "H", [1600]),
        ("X2", "F1", [1600]),
        ("H", "B", []),
        ("U", "H", []),
        ("F2", "X1", []),
    ],
)
def test_three_games_count_with_a_full_point_bye_or_forfeit_win(
    td, first, second, levels
):
    """Of three opponents rated 1800, level 1600 expects 0.25 each, and 1800 1.5."""
    people = five()[:4]
    rows = [
        row.format(cell)
        for row, cell in zip(THREE_GAMES, (first, second, "", ""), strict=True)
    ]
    event = play(td, people, rows, ends=date(2024, 5, 5), name="May Open")
    assert [one.norm.level for one in member_titles(people[0]).norms] == levels
    assert [
        (one.name, [norm.level for norm in one.norms]) for one in event_norms(event)
    ] == [(people[0].name, [level]) for level in levels]


@pytest.mark.parametrize(("control", "counted"), [("G/60;d5", 1), ("G/90;d5", 2)])
def test_dual_rated_sections_count_until_the_rule_of_the_day_leaves_them_out(
    td, monkeypatch, control, counted
):
    def changed_in_may(day: date):
        return rules_in_force(day).vary(norms_when_dual=day < date(2024, 5, 1))

    monkeypatch.setattr(titles, "rules_in_force", changed_in_may)
    players = five()
    for player in players:
        open_rating(player, "OTBQ", 1800.0, 60)
    for ends in (date(2024, 4, 5), date(2024, 5, 5)):
        play(td, players, FIVE_ROUNDS, ends=ends, name="Open", time_control=control)
    assert len(member_titles(players[0]).norms) == counted


@pytest.mark.parametrize(
    "section",
    [{"time_control": "G/20;d5"}, {"time_control": "G/5;d0"}],
)
def test_only_regular_sections_count(td, section):
    players = five()
    for player in players:
        open_rating(player, "OTBQ", 1800.0, 60)
        open_rating(player, "OTBB", 1800.0, 60)
    play(td, players, FIVE_ROUNDS, ends=date(2024, 5, 5), name="May", **section)
    assert member_titles(players[0]).norms == []


def test_five_norms_and_an_established_rating_make_the_title(td):
    players = five(rating=1990.0, games=8)
    days = [date(2024, month, 5) for month in range(2, 8)]
    for number, day in enumerate(days):
        play(td, players, FIVE_ROUNDS, ends=day, name=f"Open {number}")
        earned = {
            one.title.name: one.day
            for one in member_titles(players[0]).progress
            if one.day is not None
        }
        if number < 4:
            assert earned == {}
        elif number == 4:
            # Eight games before and twenty since are 28: established since the fifth.
            assert earned["1st Category"] == day
            assert earned["4th Category"] == day
    norms = [one.norm.level for one in member_titles(players[0]).norms]
    assert len(norms) == 6
    assert min(norms) >= 1800
    progress = {one.title.name: one for one in member_titles(players[0]).progress}
    assert progress["Senior Life Master"].day is None
    assert progress["Senior Life Master"].norms == 0


@pytest.mark.parametrize(
    ("norms", "completed", "one_short"),
    [
        (1, [], ["League"]),
        (2, ["League"], ["Between"]),
        (3, ["Between"], []),
        (4, ["League"], []),
    ],
)
def test_an_event_between_two_sections_counts_where_it_was_played(
    td, norms, completed, one_short
):
    people = five()
    for month in range(1, norms + 1):
        play(td, people, FIVE_ROUNDS, ends=date(2024, month, 5), name=f"Open {month}")
    days = date(2024, 6, 2), date(2024, 6, 29)
    sections = [
        section_report(people, FIVE_ROUNDS, number=number, starts=day, ends=day)
        for number, day in enumerate(days, start=1)
    ]
    report = event_report(td, sections, starts=days[0], ends=days[1], name="League")
    middle = play(td, people, FIVE_ROUNDS, ends=date(2024, 6, 15), name="Between")
    league = rated_event(td, report)
    made = [(event.name, event_norms(event)[0]) for event in (league, middle)]
    assert [name for name, one in made if one.completed] == completed
    assert [name for name, one in made if one.one_short] == one_short


def test_a_profile_looks_at_games_once_for_titles_and_performances(client, td):
    players = five(rating=1990.0, games=40)
    for month in range(2, 7):
        ends = date(2024, month, 5)
        play(td, players, FIVE_ROUNDS, ends=ends, name=f"Open {month}")
    # Lines of two ratings come from one section.
    both = {"time_control": "G/30;d5"}
    play(td, players, FIVE_ROUNDS, ends=date(2024, 7, 5), name="Both", **both)
    with CaptureQueriesContext(connection) as asked:
        page = client.get("/players/30000001/").content.decode()
    looks = [one for one in asked if 'FROM "events_game"' in one["sql"]]
    assert len(looks) == 1
    assert "<title>1st Category\nJun 5, 2024</title>" in page
    performances = re.findall(r'data-label="Performance">(\d*)<', page)
    games = [
        line.pre_rating
        for line in RatingChange.objects.filter(
            calculation__section__event__name="Both", calculation__system="OTBR"
        ).exclude(player=players[0])
    ]
    # Four wins in four games are 400 points above the opponents' average.
    regular = official(sum(map(official, games)) / 4 + 400)
    # Newest first: the quick rating had none before.
    assert sorted(performances[:2]) == ["", str(regular)]
    assert all(performances[2:7])


def test_candidate_master_takes_the_rating_too(td):
    """Norms of 2000 are scored from the start, long before the rating is reached."""
    hero = make_player("30000001", ratings={"OTBR": (1500.0, 60)})
    strong = [make_player(ratings={"OTBR": (2300.0, 60)}) for _ in range(4)]
    earned = []
    for month in range(1, 12):
        ends = date(2024, month, 20)
        play(td, [hero, *strong], FIVE_ROUNDS, ends=ends, name=f"Open {month}")
        if line_of(hero).post_rating >= 1999.5:
            earned.append(ends)
        progress = {one.title.name: one for one in member_titles(hero).progress}
        master = progress["Candidate Master"]
        assert master.norms == month
        if month < 5 or not earned:
            assert master.day is None
        else:
            assert master.day == max(earned[0], date(2024, 5, 20))
    assert earned


@pytest.mark.parametrize("events", [1, 4])
def test_titles_take_the_same_queries_for_any_history(
    client, django_assert_num_queries, td, events
):
    players = five()
    for number in range(events):
        play(
            td,
            players,
            FIVE_ROUNDS,
            ends=date(2024, 2 + number, 5),
            name=f"Open {number}",
        )
    published(date(2024, 12, 1))

    with django_assert_num_queries(10):
        page = client.get("/players/30000001/titles/").content.decode()

    by_event = page.count("post-event rating</span>")
    assert len(re.findall(r"Open \d", page)) == events + by_event - 1
    assert "The US Chess Title System" in page


def test_games_are_read_only_from_as_many_results_as_a_title_takes():
    line = NormLine("OTBR", JUNE, JUNE, 2250.0, 60, 1, 1, can_be_norm=True)
    assert title_sections([line] * 4) == []
    assert title_sections([line] * 5) == [SectionCalculation(1, 1)] * 5
    assert titles_earned([line] * 5, {}) == []
