"""The distribution: numbers, plot, table and file; no small groups by age."""

import csv
import io
import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from players.models import Player
from ratings.engine.systems import System
from ratings.lists.queries.histograms import (
    Activity,
    HistogramBin,
    RatingFilter,
    RatingHistogram,
    RatingsCounted,
    distribution_of,
    rating_of,
)
from ratings.lists.services.rating_counts import count_ratings
from ratings.models import PlayerRating
from tests.factories import make_player, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

REGULAR = RatingFilter(System.OTBR)


def rated(rating: float, games: int = 40, system: str = "OTBR", **fields) -> Player:
    return make_player(ratings={system: (rating, games)}, **fields)


def born_with(age: int) -> date:
    """A birth date with this age on January 1 and for most of the year."""
    return date(timezone.localdate().year - age - 1, 6, 15)


def test_spread_of_known_ratings():
    histogram = RatingHistogram({1000: 1, 1100: 2, 1400: 1})
    assert (histogram.people, histogram.mean) == (4, 1150)
    assert (histogram.lower_quartile, histogram.median) == (1000, 1100)
    assert histogram.upper_quartile == 1100
    assert histogram.count_below(1100) == 1
    assert list(histogram.columns()) == [
        HistogramBin(1000, 1, 0, 4),
        HistogramBin(1050, 0, 1, 4),
        HistogramBin(1100, 2, 1, 4),
        *(HistogramBin(lowest, 0, 3, 4) for lowest in range(1150, 1400, 50)),
        HistogramBin(1400, 1, 3, 4),
    ]


def test_an_empty_distribution_has_no_columns_and_no_figures():
    histogram = RatingHistogram({})
    assert (list(histogram.columns()), histogram.mean, histogram.median) == ([], 0, 0)


def test_ratings_are_counted_as_people_see_them():
    for rating in (1499.5, 1499.4, 1500.0):
        rated(rating)
    rated(1500.0, system="OTBQ")
    rated(1500.0, status="deceased")
    child = rated(583.03, games=4)
    PlayerRating.objects.filter(player=child).update(age_start=583.03)
    assert distribution_of(REGULAR).histogram.ratings == {600: 1, 1499: 1, 1500: 2}
    assert rating_of(child, System.OTBR) == 600


def test_filters_narrow_who_is_counted():
    rated(1500.0, state="OH")
    rated(1600.0, games=12, state="OH")
    rated(1700.0, state="IL")
    PlayerRating.objects.filter(rating=1700.0).update(
        rated_on=timezone.localdate() - timedelta(days=30)
    )

    def counted(**fields) -> list[int]:
        found = distribution_of(RatingFilter(System.OTBR, **fields))
        return sorted(found.histogram.ratings)

    assert counted() == [1500, 1600, 1700]
    assert counted(state="OH") == [1500, 1600]
    assert counted(standing=RatingsCounted.ESTABLISHED) == [1500, 1700]
    assert counted(standing=RatingsCounted.PROVISIONAL) == [1600]
    assert counted(activity=Activity.YEAR) == [1700]


def test_groups_of_fewer_than_ten_are_left_out():
    for number in range(10):
        rated(1500.0 + number, state="OH", birth_date=born_with(11))
    for number in range(9):
        rated(1000.0 + number, state="IL", birth_date=born_with(30))
    rated(2000.0, state="IL", birth_date=None)
    found = distribution_of(REGULAR)
    assert [(name, one.people) for name, one in found.ages.items()] == [("10–12", 10)]
    assert [(name, one.median) for name, one in found.states.items()] == [
        ("IL", 1004),
        ("OH", 1504),
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"state": "OH"},
        {"standing": RatingsCounted.ESTABLISHED},
        {"activity": Activity.YEAR},
    ],
)
def test_ages_are_not_crossed_with_anything(asked):
    """The difference of two overlapping groups could be one child."""
    for number in range(10):
        rated(1500.0 + number, state="OH", birth_date=born_with(11))
    assert len(distribution_of(REGULAR).ages) == 1
    assert distribution_of(RatingFilter(System.OTBR, **asked)).ages == {}


@pytest.mark.parametrize(
    ("age", "name"),
    [(0, "under 10"), (9, "under 10"), (10, "10–12"), (64, "50–64"), (65, None)],
)
def test_age_is_that_of_the_first_of_january(age, name):
    for _ in range(10):
        rated(1500.0, birth_date=date(timezone.localdate().year - age, 1, 1))
    assert list(distribution_of(REGULAR).ages) == [name or "65 and older"]


def test_page_shows_plot_figures_and_the_same_as_a_table(client):
    for rating in (1400, 1500, 1520, 1900):
        rated(rating)
    html = client.get("/distribution/").content.decode()
    assert re.search(r"<desc.*?>(.*?)</desc>", html)[1] == (
        "4: 1400–1949; lower quartile 1400, median 1500, upper quartile 1520."
    )
    assert '<span class="figure">1500</span>' in html
    assert '<span class="figure minor">1580</span>' in html  # the mean
    assert '<span class="figure minor">1400–1520</span>' in html
    rows = re.findall(r'<th scope="row" class="tnum">(.*?)</tr>', html)
    assert [re.sub(r"<.*?>", " ", row).split() for row in rows][:3] == [
        ["1400–1449", "1", "25.0%", "0.0%"],
        ["1450–1499", "0", "0.0%", "25.0%"],
        ["1500–1549", "2", "50.0%", "25.0%"],
    ]
    assert html.count('<rect class="bar"') == len(rows) == 11


def test_reader_finds_own_place(client):
    for rating in (1400, 1500, 1520):
        rated(rating)
    user = make_user()
    rated(1510.0, account=user)
    assert "higher than" not in client.get("/distribution/").content.decode()
    client.force_login(user)
    html = client.get("/distribution/").content.decode()
    assert "higher than 50%" in html
    assert ">you 1510</text>" in html
    unrated_there = client.get("/distribution/OTBQ/").content.decode()
    assert "higher than" not in unrated_there


def test_file_has_what_the_plot_shows(client):
    for rating, state in ((1400, "OH"), (1440, "OH"), (1500, "IL")):
        rated(rating, state=state)
    response = client.get("/distribution/OTBR/distribution.csv?state=OH")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert 'filename="distribution-otbr.csv"' in response["Content-Disposition"]
    assert list(csv.reader(io.StringIO(response.content.decode()))) == [
        ["from", "to", "members", "percent", "percent_below"],
        ["1400", "1449", "2", "100.00", "0.00"],
    ]


def test_empty_system_says_what_to_do(client):
    html = client.get("/distribution/OLB/").content.decode()
    assert "No ratings match. Clear some filters to see more." in html
    assert "<svg xmlns" not in html


@pytest.mark.parametrize("query", ["state=XX", "standing=x", "activity=%00"])
def test_unknown_filter_is_told_and_left_out(client, query):
    rated(1500.0)
    response = client.get(f"/distribution/?{query}")
    html = response.content.decode()
    assert response.status_code == 422
    assert "is not one of the available choices" in html
    assert "1 member, by current rating" in html
    assert client.get(f"/distribution/OTBR/distribution.csv?{query}").status_code == 404


@pytest.mark.parametrize(
    "address", ["XXX/", "OTBR/x.csv", "%00/", "1/distribution.csv"]
)
def test_unknown_system_is_not_found(client, address):
    response = client.get(f"/distribution/{address}")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


@pytest.mark.parametrize("members", [2, 20])
def test_page_takes_the_same_queries_for_any_size(
    client, django_assert_num_queries, members
):
    for number in range(members):
        rated(1000.0 + 40 * number, state="OH" if number % 2 else "IL")
    count_ratings()
    with django_assert_num_queries(3):  # the states of the form; all, by state, by age
        html = client.get("/distribution/").content.decode()
    assert f"{members} members, by current rating" in html
