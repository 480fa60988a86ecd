"""Head to head: choosing two members, their games and their score."""

import re
from datetime import date, timedelta

import pytest

from ratings.ledger.queries.published_ratings import published
from ratings.models import PlayerRating
from ratings.pages.profile.queries.head_to_head import head_to_head, opponents_of
from ratings.pages.profile.queries.results import Score
from ratings_site.common.ui.formatting import format_rating
from tests.factories import (
    event_report,
    make_player,
    make_td,
    open_rating,
    rated_event,
    section_report,
)
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_player("31000001", "Ada", "Lind", ratings={"OTBR": (1500.0, 40)})


@pytest.fixture
def bo():
    return make_player("31000002", "Bo", "Quist", ratings={"OTBR": (1700.0, 40)})


def play(players, rows, *, starts=date(2024, 5, 4), name="May Open", **section):
    td = make_td()
    report = section_report(players, rows, **section)
    rated_event(td, event_report(td, [report], starts=starts, ends=starts, name=name))


def met(one, other):
    return [
        (game.event, game.round_number, game.color, game.outcome)
        for game in head_to_head(one, other, None).meetings
    ]


def test_games_stand_latest_first_with_color_result_and_ratings(ada, bo):
    eve = make_player(ratings={"OTBR": (1400.0, 40)})
    rows = ["W2W D3B L2B", "L1B H W1W", "H D1W H"]
    play([ada, bo, eve], rows)
    play([bo, ada], ["D2", "D1"], starts=date(2024, 6, 1), name="June Match")
    assert met(ada, bo) == [
        ("June Match", 1, "", "D"),
        ("May Open", 3, "B", "L"),
        ("May Open", 1, "W", "W"),
    ]
    assert met(bo, ada) == [
        ("June Match", 1, "", "D"),
        ("May Open", 3, "W", "W"),
        ("May Open", 1, "B", "L"),
    ]
    found = head_to_head(ada, bo, None)
    assert found.score == Score(wins=1, draws=1, losses=1)
    assert found.by_color == {"W": Score(wins=1), "B": Score(losses=1)}
    may = found.meetings[1]
    assert (may.rating, may.other_rating, may.day) == (1500, 1700, date(2024, 5, 4))


def test_page_shows_score_whole_ratings_and_the_crosstable(client, ada, bo):
    play([ada, bo], ["W2W", "L1B"], time_control="G/60;d5")
    page = client.get("/players/31000001/against/31000002/").content.decode()
    assert '<span class="figure">1<span class="quiet">/1</span></span>' in page
    assert re.search(r'<a href="/events/\d+/1/">May Open</a>', page)
    # In Quick both are unrated; the section's Regular ratings are shown.
    cell = r'<td class="num" data-label="(?:Rating|Opponent’s rating)">([^<]*)<'
    ratings = re.findall(cell, page)
    assert ratings == ["1500", "1700"]
    assert "Won" in page.partition("<tbody>")[2]


def test_two_who_never_met_have_an_empty_state(client, ada, bo):
    page = client.get("/players/31000001/against/31000002/").content.decode()
    assert "These players have no rated games against each other yet." in page
    assert "<table" not in page


def test_newcomers_stand_as_unrated(client, ada):
    kim = make_player(given_name="Kim", birth_date=date(2012, 3, 4))
    play([ada, kim], ["W2W", "L1B"])
    page = client.get(f"/players/31000001/against/{kim.member_id}/").content.decode()
    assert '<td class="num" data-label="Opponent’s rating">unrated</td>' in page
    assert not contains_number(page, 2012)


def test_games_under_merged_numbers_belong_to_the_member(client, ada, bo):
    play([ada, bo], ["W2W", "L1B"])
    kept = make_player("31000009", "Bodo", "Quist")
    bo.status, bo.merged_into = "duplicate", kept
    bo.save()
    assert met(ada, kept) == [("May Open", 1, "W", "W")]
    assert opponents_of(ada) == [(kept, Score(wins=1))]
    answer = client.get("/players/31000001/against/31000002/")
    assert answer.headers["Location"] == "/players/31000001/against/31000009/"


def test_opponents_met_most_often_come_first(client, ada, bo):
    eve = make_player(given_name="Eve", ratings={"OTBR": (1400.0, 40)})
    play([ada, bo, eve], ["W2W D3B L2B", "L1B H W1W", "H D1W H"])
    assert opponents_of(ada) == [
        (bo, Score(wins=1, losses=1)),
        (eve, Score(draws=1)),
    ]
    page = client.get("/players/31000001/against/").content.decode()
    assert page.index("Bo Quist") < page.index("Eve Adams")


def test_a_text_finds_whom_to_compare_with(client, ada, bo):
    make_player("31000003", "Boris", "Quist")
    page = client.get("/players/31000001/against/", {"q": "quist"}).content.decode()
    assert '<a href="/players/31000001/against/31000002/">Bo Quist</a>' in page
    assert "Boris Quist" in page
    one = client.get("/players/31000001/against/", {"q": "31000003"})
    assert one.headers["Location"] == "/players/31000001/against/31000003/"
    own = client.get("/players/31000001/against/", {"q": "31000001"}).content.decode()
    assert "No other players found for “31000001”." in own


@pytest.mark.parametrize(
    "address",
    ["31000001/against/31000001/", "31000001/against/99999999/", "x/against/31000001/",
     "99999999/against/", "31000001/against/%00/"],
)  # fmt: skip
def test_comparison_without_a_member_shows_a_message(client, ada, address):
    answer = client.get(f"/players/{address}")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


@pytest.mark.parametrize("query", ["?page=-1", "?page=x", "?page=999999999999999999"])
def test_weird_pages_show_games(client, ada, bo, query):
    play([ada, bo], ["W2W", "L1B"])
    page = client.get(f"/players/31000001/against/31000002/{query}").content.decode()
    assert "May Open" in page


@pytest.mark.parametrize("times", [1, 4])
def test_head_to_head_takes_the_same_queries_for_any_number_of_games(
    django_assert_num_queries, ada, bo, times
):
    eve = make_player(ratings={"OTBR": (1400.0, 40)})
    rows = ["W2W D3B L2B", "L1B H W1W", "H D1W H"]
    for number in range(times):
        starts = date(2024, 5, 4) + timedelta(days=7 * number)
        play([ada, bo, eve], rows, starts=starts, name=f"Open {number}")
    # Merged numbers, the score of either side, the count and the page, ratings.
    with django_assert_num_queries(6):
        found = head_to_head(ada, bo, None)
    assert len(found.meetings) == 2 * times


# The chart of both


def chart_texts(html: str) -> list[str]:
    return re.findall(r'<text class="end(?:-name)?"[^>]*>(.*?)</text>', html)


def test_both_are_on_one_chart_with_their_names_at_the_ends(client, ada, bo):
    play([ada, bo], ["W2W", "L1B"])
    html = client.get("/players/31000001/against/31000002/").content.decode()
    now = [
        str(round(PlayerRating.objects.get(player=player).rating))
        for player in (bo, ada)
    ]
    assert chart_texts(html) == [now[0], "Quist", now[1], "Lind"]
    assert "Regular ratings of Ada Lind and Bo Quist after each event." in html
    lines = re.findall(r'<g class="(s\d) d\d"><path class="line"', html)
    assert lines == ["s1", "s2"]


def test_players_of_one_family_have_their_given_names_on_the_chart(client, ada):
    eve = make_player(
        "31000003", "Eve-Marguerite Anne", "Lind", ratings={"OTBR": (1400.0, 40)}
    )
    html = client.get(f"/players/31000001/against/{eve.member_id}/").content.decode()
    names = re.findall(r'<text class="end-name"[^>]*>(.*?)</text>', html)
    assert names == ["Ada", "Eve-", "Marguerit…"]


def test_chart_is_of_the_system_in_the_address_that_both_have(client, ada, bo):
    for player, rating in ((ada, 1444), (bo, 1555)):
        open_rating(player, "OTBQ", rating, 30)
    open_rating(ada, "OTBB", 1333, 30)
    address = "/players/31000001/against/31000002/"
    for system, ends in (
        ("OTBQ", ["1555", "Quist", "1444", "Lind"]),
        ("OTBB", ["1700", "Quist", "1500", "Lind"]),
        ("", ["1700", "Quist", "1500", "Lind"]),
    ):
        html = client.get(f"{address}?system={system}").content.decode()
        assert chart_texts(html) == ends
    assert '<a href="?system=OTBQ">Quick</a>' in html
    assert '<a href="?system=OTBB">' not in html


def test_players_without_a_common_system_have_no_chart(client, ada):
    new = make_player("31000003", ratings={"OTBB": (1400.0, 40)})
    html = client.get(f"/players/31000001/against/{new.member_id}/").content.decode()
    assert chart_texts(html) == []
    assert 'class="line"' not in html


def test_chart_has_published_numbers_only(client, ada):
    """A child's rating that still is the age-based start is drawn as "about"."""
    kid = make_player("31000003", "Kim", "Small", birth_date=date(2013, 11, 4))
    play([kid, ada], ["L2W", "W1B"])
    line = kid.rating_changes.get()
    html = client.get(f"/players/31000003/against/{ada.member_id}/").content.decode()
    assert chart_texts(html)[2] == format_rating(published(line))
    assert f"{line.post_rating:.1f}" not in html
