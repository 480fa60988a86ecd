"""Rating classes: their bounds and members."""

import pytest

from ratings.engine.classes import CLASSES
from ratings.engine.systems import System
from ratings.lists.queries.classes import (
    class_by_slug,
    class_members,
    counts,
)
from ratings.lists.queries.histograms import RatingsCounted
from ratings.lists.services.rating_counts import count_ratings
from ratings.models import PlayerRating
from tests.factories import make_player
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db


def rated(rating, games=30, system="OTBR", **fields):
    return make_player(ratings={system: (rating, games)}, **fields)


def filled(system=System.OTBR, standing=RatingsCounted.ALL):
    """The classes that have members, with their numbers."""
    classes = counts(system, standing).classes
    return {one.name: one.members for one in classes if one.members}


def listed(one, standing=RatingsCounted.ALL):
    """The members of a class, the highest first."""
    return [row.player for row in class_members(one, System.OTBR, standing).rated]


@pytest.mark.parametrize(
    ("rating", "name"),
    [
        (2400.0, "Senior Master"),
        (2399.5, "Senior Master"),
        (2399.4999, "National Master"),
        (2000.0, "Expert"),
        (1999.5, "Expert"),
        (1999.4999, "Class A"),
        (1800.0, "Class A"),
        (200.0, "Class I"),
        (199.49, "Class J"),
        (100.0, "Class J"),
    ],
)
def test_a_rating_counts_as_the_whole_number_people_see(rating, name):
    player = rated(rating)
    assert filled() == {name: 1}
    assert {one.name: listed(one) for one in CLASSES if listed(one)} == {name: [player]}
    count_ratings()
    assert filled() == {name: 1}


def test_every_rating_is_in_exactly_one_class():
    for thousandths in range(1_998_500, 2_001_000, 25):
        rated(thousandths / 1000)
    found = [player.pk for one in CLASSES for player in listed(one)]
    assert len(found) == len(set(found)) == 100
    assert sum(filled().values()) == 100


def test_all_classes_are_listed_from_the_top_with_their_ranges():
    listed = [(one.name, one.lowest, one.highest) for one in counts("OTBR", "").classes]
    assert listed[:3] == [
        ("Senior Master", 2400, None),
        ("National Master", 2200, 2399),
        ("Expert", 2000, 2199),
    ]
    assert listed[-2:] == [("Class I", 200, 399), ("Class J", 100, 199)]
    assert len(listed) == 13


def test_systems_are_counted_apart():
    rated(2210.0, system="OTBB")
    assert filled(System.OTBB) == {"National Master": 1}
    assert filled(System.OTBR) == {}


def test_established_means_more_than_25_games():
    rated(1500.0, games=25)
    rated(1500.0, games=26)
    rated(1700.0, games=26)
    assert filled(standing=RatingsCounted.ESTABLISHED) == {"Class B": 1, "Class C": 1}
    assert filled(standing=RatingsCounted.PROVISIONAL) == {"Class C": 1}


def test_the_dead_and_duplicates_are_not_counted():
    rated(1500.0, status="deceased")
    rated(1500.0, status="duplicate")
    assert filled() == {}


def test_page_shows_counts_with_links(client):
    rated(2210.0)
    rated(2250.0)
    page = client.get("/classes/").content.decode()
    assert "2 members, by current rating" in page
    assert '<a href="/classes/OTBR/master/">National Master</a>' in page
    assert '<td class="num">2200–2399</td>' in page
    assert "2 in total: Senior Master 0, National Master 2, Expert 0" in page


def test_a_filter_is_kept_in_the_links(client):
    rated(2210.0, games=12)
    page = client.get("/classes/OTBR/?standing=provisional").content.decode()
    address = "/classes/OTBR/master/?standing=provisional"
    assert f'<a href="{address}">National Master</a>' in page
    assert '<strong aria-current="true">provisional</strong>' in page


def test_an_empty_system_says_what_will_stand_there(client):
    page = client.get("/classes/OLB/").content.decode()
    assert "The classes will appear here after the first rated section" in page


def test_members_stand_from_the_highest_rating_down(client):
    rated(2210.0, given_name="Lower", family_name="Master")
    rated(2390.0, games=12, given_name="Higher", family_name="Master")
    rated(2400.0, given_name="Too", family_name="High")
    page = client.get("/classes/OTBR/master/").content.decode()
    assert page.index("Higher Master") < page.index("Lower Master")
    assert '<td class="num">2390</td>' in page
    assert '12<sup class="mark" title="Provisional">p</sup>' in page
    assert "Too High" not in page


def test_pages_end_with_those_who_were_counted(client):
    for number in range(60):
        rated(2210.0 + number, games=30 if number else 12)
    count_ratings()
    rated(2300.0)
    page = client.get("/classes/OTBR/master/?page=2").content.decode()
    assert ("60 members" in page, page.count("/players/2")) == (True, 10)
    page = client.get("/classes/OTBR/master/?standing=provisional").content.decode()
    assert ("1 member " in page, page.count("/players/2")) == (True, 1)


def test_start_that_comes_from_an_age_counts_and_shows_as_the_nearest_50(client):
    child = rated(583.03, games=4, given_name="Low", family_name="Start")
    PlayerRating.objects.filter(player=child).update(age_start=583.03)
    rated(599.4, given_name="Just", family_name="Below")
    assert filled() == {"Class G": 1, "Class H": 1}
    page = client.get("/classes/OTBR/class-g/").content.decode()
    assert '<td class="num">about 600</td>' in page
    assert "so we show it to the nearest 50." in page
    other = client.get("/classes/OTBR/class-h/").content.decode()
    assert "Low Start" not in other
    assert "Just Below" in other
    assert "about" not in other.split("<main")[1]


def test_members_can_be_sorted_by_name(client):
    rated(2390.0, given_name="Zoe", family_name="Zett")
    rated(2210.0, given_name="Ada", family_name="Aal")
    page = client.get("/classes/OTBR/master/?sort=name").content.decode()
    assert page.index("Ada Aal") < page.index("Zoe Zett")


def test_fifty_members_stand_on_a_page(client):
    for number in range(51):
        rated(2210.0 + number)
    first = client.get("/classes/OTBR/master/").content.decode()
    last = client.get("/classes/OTBR/master/?page=2").content.decode()
    assert first.count("/players/2") == 50
    assert "2260" in first
    assert "2210" in last
    assert not contains_number(last, 2260)


@pytest.mark.parametrize(
    "url",
    [
        "/classes/XXX/",
        "/classes/otbr/",
        "/classes/OTBR/grandmaster/",
        "/classes/%00/master/",
        "/classes/FIDE/master/",
    ],
)
def test_unknown_systems_and_classes_are_not_found(client, url):
    response = client.get(url)
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        "page=99999999999999999999",
        "page=x",
        "sort=password",
        "standing=all",
        "page=%00",
        "page=-1",
        "per_page=-5",
        "per_page=0",
        "per_page=x&sort=-",
    ],
)
def test_weird_queries_are_answered(client, query):
    rated(2210.0)
    assert "2210" in client.get(f"/classes/OTBR/master/?{query}").content.decode()
    assert "2200–2399" in client.get(f"/classes/OTBR/?{query}").content.decode()


@pytest.mark.parametrize("players", [1, 30])
def test_pages_take_the_same_queries_for_any_size(
    client, django_assert_num_queries, players
):
    for number in range(players):
        rated(2210.0 + number)
    count_ratings()
    with django_assert_num_queries(1):
        client.get("/classes/OTBR/")
    # The stored counts, and the fifty members of the page.
    with django_assert_num_queries(2):
        page = client.get("/classes/OTBR/master/").content.decode()
    assert page.count("/players/2") == players
    assert contains_number(page, players)


def test_slugs_name_classes():
    assert class_by_slug("senior-master").name == "Senior Master"
    assert class_by_slug("class-j").lowest == 100
    assert class_by_slug("") is None
