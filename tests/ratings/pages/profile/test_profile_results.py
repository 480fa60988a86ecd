"""A member's statistics, compared with small histories counted by hand."""

import re
from datetime import date

import pytest

from ratings.engine.numbers import official
from ratings.models import PlayerRating, RatingChange
from ratings.pages.profile.queries.results import Score, results_of
from ratings.pages.profile.queries.standings import (
    SystemStanding,
    current_of,
    percentile_of,
    standings_of,
)
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

OTBR = "OTBR"


def rated(players, rows, *, starts=date(2024, 5, 4), name="May Open", **section):
    td = make_td()
    report = section_report(players, rows, **section)
    return rated_event(
        td, event_report(td, [report], starts=starts, ends=starts, name=name)
    )


@pytest.fixture
def ada():
    """Ada met four opponents in two years: +3 =1 −2, one game against a newcomer.

    2024, May Open:   won against Xu (2000) as White, lost to Bo (1599.6) as Black,
                      drew with the newcomer Kim as White.
    2025, June Open:  won against Bo (now about 1600) as Black, lost to Xu without a
                      color, won against Cy (1199) as White.
    """
    ada = make_player(given_name="Ada", ratings={OTBR: (1500.0, 40)})
    xu = make_player(given_name="Xu", ratings={OTBR: (2000.0, 40)})
    bo = make_player(given_name="Bo", ratings={OTBR: (1599.6, 40)})
    cy = make_player(given_name="Cy", ratings={OTBR: (1199.4, 40)})
    kim = make_player(given_name="Kim")
    rated([ada, xu, bo, kim], ["W2W L3B D4W", "L1B H H", "H W1W H", "H H D1B"])
    rows = ["W2B L3 W4W", "L1W H H", "H W1 H", "H H L1B"]
    rated([ada, bo, xu, cy], rows, starts=date(2025, 6, 7), name="June Open")
    ada.named = {"xu": xu, "bo": bo, "cy": cy, "kim": kim}
    return ada


def counted(lines):
    return [(name, one.wins, one.draws, one.losses) for name, one in lines.items()]


def test_games_are_counted_by_class_color_and_year(ada):
    results = results_of([ada.pk], OTBR)
    assert results.total == Score(wins=3, draws=1, losses=2)
    # 1599.6 is shown as 1600. Xu had lost, so that the second game was in class A.
    assert counted(results.by_class) == [
        ("Expert", 1, 0, 0),
        ("Class A", 0, 0, 1),
        ("Class B", 1, 0, 1),
        ("Class E", 1, 0, 0),
        ("Unrated", 0, 1, 0),
    ]
    assert counted(results.by_color) == [
        ("White", 2, 1, 0),
        ("Black", 1, 0, 1),
        ("Not reported", 0, 0, 1),
    ]
    assert counted(results.by_year) == [("2025", 2, 0, 1), ("2024", 1, 1, 1)]


def test_the_opponent_sees_the_mirrored_record(ada):
    results = results_of([ada.named["bo"].pk], OTBR)
    assert counted(results.by_color) == [("White", 1, 0, 1)]
    assert counted(results.by_year) == [("2025", 0, 0, 1), ("2024", 1, 0, 0)]


def given_name(win):
    return win.name.split()[0]


def test_upsets_are_the_wins_with_most_points_between(ada):
    upsets = results_of([ada.pk], OTBR).upsets
    [before_june] = RatingChange.objects.filter(
        player=ada, calculation__section__event__name="June Open"
    ).values_list("pre_rating", flat=True)
    bo = RatingChange.objects.get(
        player=ada.named["bo"], calculation__section__event__name="June Open"
    ).pre_rating
    found = [(given_name(one), one.own, one.rating, one.lead) for one in upsets]
    own = official(before_june)
    assert found == [("Xu", 1500, 2000, 500), ("Bo", own, official(bo), found[1][3])]
    assert found[1][3] == official(bo) - own > 0  # Cy was rated lower


def test_a_newcomer_has_best_wins_but_no_upset():
    kim, bo = make_player(), make_player(ratings={OTBR: (1600.0, 40)})
    rated([kim, bo], ["W2W", "L1B"])
    results = results_of([kim.pk], OTBR)
    assert [(one.own, one.rating, one.lead) for one in results.best_wins] == [
        (None, 1600, 0)
    ]
    assert results.upsets == []


def test_best_wins_come_from_the_highest_rated(ada):
    wins = results_of([ada.pk], OTBR).best_wins
    assert [(given_name(win), win.event, win.day) for win in wins] == [
        ("Xu", "May Open", date(2024, 5, 4)),
        ("Bo", "June Open", date(2025, 6, 7)),
        ("Cy", "June Open", date(2025, 6, 7)),
    ]
    assert (wins[0].rating, wins[2].rating) == (2000, 1199)


def test_a_game_of_two_systems_counts_once_in_each_and_in_no_other():
    ada = make_player(ratings={OTBR: (1500.0, 40), "OTBQ": (1900.0, 40)})
    eve = make_player(ratings={OTBR: (1500.0, 40), "OTBQ": (1900.0, 40)})
    rated([ada, eve], ["W2W", "L1B"], time_control="G/60;d5")
    assert counted(results_of([ada.pk], OTBR).by_class) == [("Class C", 1, 0, 0)]
    assert counted(results_of([ada.pk], "OTBQ").by_class) == [("Class A", 1, 0, 0)]
    assert results_of([ada.pk], "OTBB").total == Score()


def test_games_under_a_merged_number_are_the_members_and_opponents_are_persons(ada):
    bo = ada.named["bo"]
    kept = make_player(given_name="Bodo")
    bo.status, bo.merged_into = "duplicate", kept
    bo.save()
    results = results_of([kept.pk, bo.pk], OTBR)
    assert results.total == Score(wins=1, draws=0, losses=1)
    [_, second, _] = results_of([ada.pk], OTBR).best_wins
    assert (second.member_id, given_name(second)) == (kept.member_id, "Bodo")


def test_page_of_results_shows_best_wins_and_percentile(client, ada):
    page = client.get(f"/players/{ada.member_id}/results/").content.decode()
    assert "3½ of 6 rated games: 3 won, 1 drawn, 2 lost (58%)." in page
    best = page.partition("<caption>Best wins</caption>")[2].partition("</table>")[0]
    assert [best.index(name) for name in ("Xu ", "Bo ", "Cy ")] == sorted(
        best.index(name) for name in ("Xu ", "Bo ", "Cy ")
    )
    # Xu and Bo are rated higher, Cy lower; Kim is provisional and does not count.
    assert "Higher than 25% of the 4 established ratings in Regular." in page


@pytest.mark.parametrize(
    ("query", "open_tab"), [("", "Regular"), ("?system=OTBQ", "Quick")]
)
def test_results_are_of_the_system_asked_for(client, query, open_tab):
    ada = make_player(ratings={OTBR: (1500.0, 40), "OTBQ": (1400.0, 40)})
    page = client.get(f"/players/{ada.member_id}/results/{query}").content.decode()
    assert re.findall(r'href="\?system=\w+" aria-current="page">([^<]+)<', page) == [
        open_tab
    ]


def test_results_of_a_merged_member_are_those_of_the_member(client, ada):
    old = make_player(status="duplicate", merged_into=ada)
    response = client.get(f"/players/{old.member_id}/results/")
    assert response["Location"] == f"/players/{ada.member_id}/results/"


def test_member_without_games_has_no_results_yet(client):
    page = client.get(f"/players/{make_player().member_id}/results/").content.decode()
    assert "No rated games yet." in page


def test_a_half_percent_is_rounded_up():
    assert Score(wins=1, draws=0, losses=7).percent == 13  # 12.5
    assert Score().percent == 0


@pytest.mark.parametrize(
    ("rating", "points", "name"),
    [
        (1799.4, 1, "Class A"),
        (1799.5, 200, "Expert"),
        (100.0, 100, "Class I"),
        (2399.0, 1, "Senior Master"),
    ],
)
def test_distance_to_the_next_class_is_in_whole_points(rating, points, name):
    player = make_player(ratings={OTBR: (rating, 40)})
    standing = standings_of(player)[0]
    assert standing.points_to_next_class == points
    assert standing.next_class.name == name


def test_above_the_highest_class_there_is_none():
    standing = SystemStanding(OTBR, rating=2400.0)
    assert (standing.next_class, standing.points_to_next_class) == (None, 0)
    assert SystemStanding(OTBR).next_class is None


def test_percentile_compares_whole_numbers_of_living_established_players():
    ada = make_player(ratings={OTBR: (1500.4, 40)})
    make_player(ratings={OTBR: (1499.6, 40)})  # 1500 as well
    make_player(ratings={OTBR: (1499.4, 40)})
    make_player(ratings={OTBR: (1400.0, 10)})
    make_player(ratings={OTBR: (1300.0, 40)}, status="deceased")
    make_player(ratings={"OTBQ": (1300.0, 40)})
    found = percentile_of(current_of(ada)[0])
    assert (found.total, found.lower) == (3, 1)
    PlayerRating.objects.filter(player=ada).update(games=10)
    assert percentile_of(current_of(ada)[0]) is None


@pytest.mark.parametrize(("players", "rounds"), [(4, 3), (10, 9)])
def test_results_take_the_same_queries_for_any_number_of_games(
    django_assert_num_queries, players, rounds
):
    members = [
        make_player(ratings={OTBR: (1500.0 + 50 * place, 40)})
        for place in range(players)
    ]
    rated(members, swiss_rows(players, rounds))
    # The games, the opponents before them, best wins, upsets.
    with django_assert_num_queries(4):
        results = results_of([members[0].pk], OTBR)
    assert results.total.games == rounds
