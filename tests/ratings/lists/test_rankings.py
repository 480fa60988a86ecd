"""Rankings of official lists: places, ties, percents, bands, and their pages."""

import re
from datetime import date

import pytest
import time_machine
from django.core.exceptions import ImproperlyConfigured

from players.models import Player
from ratings.engine.classes import CLASSES
from ratings.engine.systems import System
from ratings.ledger.services.rating import apply_adjustment
from ratings.lists.forms.rankings import RankingForm
from ratings.lists.queries import rankings
from ratings.lists.queries.rankings import (
    BANDS,
    Difference,
    RankingFilter,
    band_by_slug,
    changed_ratings,
    count_differences,
    gains_between,
    improvers,
    own_place,
    page_of_changes,
    percent_of,
    ranking,
    ranks_of,
)
from ratings.models import Adjustment
from ratings_site import settings as site
from tests.factories import make_player, make_td, make_user, open_rating
from tests.ratings.lists.helpers import (
    AFTER,
    BEFORE,
    CUT_OFF,
    JULY,
    JUNE,
    line_of,
    newcomer_who_lost,
    published,
    published_rerate,
)
from tests.ratings.rerates.factories import play
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db


def rated(member_id: str, rating: float, games: int = 30, **fields):
    return make_player(member_id, ratings={"OTBR": (rating, games)}, **fields)


def table(official, page: object = 1, **wanted) -> list[tuple[int, bool, str, int]]:
    """Place, whether it is shared, member and percentage of each row."""
    lines = ranking(official, RankingFilter(System.OTBR, **wanted), page).lines
    return [
        (line.place, line.is_shared, line.row.player.member_id, line.percent)
        for line in lines
    ]


def members(official, **wanted) -> list[str]:
    return [line[2] for line in table(official, **wanted)]


def test_equal_ratings_share_a_place_and_the_next_ones_count_them():
    for number, rating in enumerate((1900, 1800.4, 1799.6, 1800, 1700), start=1):
        rated(f"3000000{number}", rating)

    assert table(published()) == [
        (1, False, "30000001", 80),
        (2, True, "30000002", 20),
        (2, True, "30000003", 20),
        (2, True, "30000004", 20),
        (5, False, "30000005", 0),
    ]


def test_places_go_on_over_pages():
    for number in range(52):
        # The last of the first page and the first of the second are equal.
        rated(f"{30000001 + number}", 2000.0 - max(number - (number == 50), 0))

    official = published()

    assert table(official)[-1] == (50, True, "30000050", 1)
    assert table(official, page=2) == [
        (50, True, "30000051", 1),
        (52, False, "30000052", 0),
    ]


def test_percents_are_rounded_down():
    assert [percent_of(part, 12_345) for part in (12_344, 10_864, 10_863, 0)] == [
        99,
        88,
        87,
        0,
    ]
    assert percent_of(0, 0) == 0


def test_those_compared_can_be_chosen():
    rated("30000001", 1900, state="IL", gender="F")
    rated("30000002", 1850, state="OH", gender="M")
    rated("30000003", 1750, state="IL", games=25)
    rated("30000004", 1750, state="IL", gender="F", games=26)
    official = published()

    class_a = next(one for one in CLASSES if one.name == "Class A")
    class_b = next(one for one in CLASSES if one.name == "Class B")
    assert members(official, state="IL") == ["30000001", "30000003", "30000004"]
    assert members(official, women=True) == ["30000001", "30000004"]
    assert members(official, women=True, state="OH") == []
    assert members(official, rating_class=class_a) == ["30000001", "30000002"]
    assert members(official, rating_class=class_b) == ["30000003", "30000004"]
    assert members(official, established=True) == ["30000001", "30000002", "30000004"]
    assert table(official, state="IL", established=True) == [
        (1, False, "30000001", 50),
        (2, False, "30000004", 0),
    ]


@pytest.mark.parametrize("rating_class", CLASSES, ids=lambda one: one.name)
def test_each_class_of_the_form_is_that_class(rating_class):
    rated("30000001", 1900)
    choices = RankingForm.base_fields["rating_class"].choices
    [slug] = [slug for slug, label in choices if label == rating_class.name]
    form = RankingForm({"rating_class": slug}, lists=[published()])
    form.full_clean()
    wanted = form.ranking_filter(System.OTBR, established=False, top=False)
    assert wanted.rating_class is rating_class


def test_state_is_that_of_the_list():
    player = rated("30000001", 1900, state="IL")
    june = published(JUNE)
    player.state = "OH"
    player.save()
    july = published(JULY)

    assert members(june, state="IL") == members(july, state="OH") == ["30000001"]
    assert members(july, state="IL") == []


@pytest.mark.parametrize(
    ("slug", "inside", "outside"),
    [
        # The list is of June 2024; a child who turns 8 on 1 April is 8.
        ("u8", date(2016, 4, 2), date(2016, 4, 1)),
        ("u18", date(2006, 4, 2), date(2006, 4, 1)),
        ("u21", date(2003, 4, 2), date(2003, 4, 1)),
        ("50-up", date(1974, 4, 1), date(1974, 4, 2)),
        ("65-up", date(1959, 4, 1), date(1959, 4, 2)),
    ],
)
def test_age_is_that_of_the_first_day_of_the_quarter(slug, inside, outside):
    rated("30000001", 1900, birth_date=inside)
    rated("30000002", 1800, birth_date=outside)
    rated("30000003", 1700, birth_date=None)

    assert members(published(JUNE), band=band_by_slug(slug)) == ["30000001"]


def test_bands_show_the_top_only_with_all_who_share_the_last_place(settings):
    settings.TOP_LIST_LENGTH = 3
    for number, rating in enumerate((1900, 1800, 1700, 1700, 1600), start=1):
        rated(f"3000000{number}", rating, birth_date=date(2010, 1, 1))
    official = published()

    assert table(official, band=band_by_slug("u16")) == [
        (1, False, "30000001", 80),
        (2, False, "30000002", 60),
        (3, True, "30000003", 20),
        (3, True, "30000004", 20),
    ]
    assert len(table(official)) == 5


def test_top_list_has_established_ratings_only_by_setting(client, settings):
    settings.TOP_LIST_LENGTH = 2
    rated("30000001", 1900, games=10, family_name="Provisional")
    for number, name in enumerate(("First", "Second", "Third"), start=2):
        rated(f"3000000{number}", 1900 - 10 * number, family_name=name)
    published()

    def shown() -> list[str]:
        page = client.get("/rankings/OTBR/top/").content.decode()
        names = ("Provisional", "First", "Second", "Third")
        return [name for name in names if f"Ada {name}" in page]

    assert shown() == ["First", "Second"]
    settings.TOP_LIST_ESTABLISHED = False
    assert shown() == ["Provisional", "First"]


@pytest.mark.parametrize("wanted", [{"top": True}, {"band": band_by_slug("u16")}])
def test_top_lists_rank_members_who_played_in_the_13_months_before(wanted, client):
    born = {"birth_date": date(2010, 1, 1)}
    for member_id, last_event in (
        ("30000001", date(2023, 5, 1)),
        ("30000002", date(2023, 4, 30)),
    ):
        player = make_player(member_id, **born)
        open_rating(player, "OTBR", 1900, 30, as_of=last_event)
    official = published(JUNE)

    assert members(official, **wanted) == ["30000001"]
    assert members(official) == ["30000001", "30000002"]
    page = client.get("/rankings/OTBR/?band=u16").content.decode()
    assert "Only members with a rated event since May 1, 2023 are ranked." in page


@pytest.mark.parametrize(
    ("last_event", "is_shown"), [("05-01", True), ("04-30", False)]
)
def test_an_adjustment_is_not_a_rated_event(last_event, is_shown):
    player = make_player("30000001")
    day = date.fromisoformat(f"2023-{last_event}")
    open_rating(player, "OTBR", 1900, 30, as_of=day)
    adjust(player, date(2024, 3, 1))
    official = published(JUNE)

    assert members(official) == ["30000001"]
    assert members(official, top=True) == ["30000001"] * is_shown


def test_an_event_rated_after_the_list_does_not_change_it():
    players = [make_player(f"3000000{number}") for number in (1, 2)]
    for player in players:
        open_rating(player, "OTBR", 1900, 30, as_of=date(2020, 1, 1))
    with time_machine.travel(BEFORE, tick=False):
        adjust(players[0], date(2024, 5, 1))
    with time_machine.travel(AFTER, tick=False):
        official = published(JUNE, cut_off=CUT_OFF)
        assert members(official, top=True) == []
        play(make_td(), players, ends=date(2024, 5, 18), rounds=1)
    assert members(official, top=True) == []


def adjust(player: Player, day: date) -> None:
    adjustment = Adjustment.objects.create(
        player=player,
        system="OTBR",
        kind="executive",
        day=day,
        rating=1950,
        games=40,
        reason="From the Executive Director.",
        decided_by=make_user(),
    )
    assert apply_adjustment(adjustment_id=adjustment.pk)


def test_top_lists_rank_all_members_if_the_months_are_off(client, settings):
    settings.TOP_LIST_ACTIVE_MONTHS = 0
    open_rating(make_player("30000001"), "OTBR", 1900, 30, as_of=date(1999, 5, 1))
    assert members(published(JUNE), top=True) == ["30000001"]
    page = client.get("/rankings/OTBR/top/").content.decode()
    assert "30000001" in page
    assert "with a rated event since" not in page


@pytest.mark.parametrize("months", ["-1", "601"])
def test_months_without_a_list_are_refused_at_start(monkeypatch, months):
    monkeypatch.setenv("TOP_LIST_ACTIVE_MONTHS", months)
    with pytest.raises(ImproperlyConfigured, match="TOP_LIST_ACTIVE_MONTHS"):
        site._active_months()


def test_reader_is_told_the_own_place_within_what_is_ranked(client):
    user = make_user()
    player = rated("30000002", 1800, state="IL")
    player.account = user
    player.save()
    rated("30000001", 1900, state="OH")
    rated("30000003", 1800, state="IL")
    published()
    assert "Your rank" not in client.get("/rankings/OTBR/").content.decode()
    client.force_login(user)
    everybody = client.get("/rankings/OTBR/").content.decode()
    assert "Your rank: <strong>2nd</strong> of 3." in everybody
    assert '<a href="?page=1">Show my rank</a>' in everybody
    in_state = client.get("/rankings/OTBR/?state=IL").content.decode()
    assert "Your rank: <strong>1st</strong> of 2." in in_state
    assert "Your rank" not in client.get("/rankings/OTBR/?state=OH").content.decode()


# One member's places


def test_a_member_has_a_place_in_the_country_and_the_state(django_assert_num_queries):
    player = rated("30000002", 1800, state="IL")
    rated("30000001", 1900, state="OH")
    rated("30000003", 1800, state="IL")
    rated("30000004", 1700, state="IL")
    official = published()

    with django_assert_num_queries(2):
        latest, [one] = ranks_of(player)

    assert latest == official
    assert (one.system, one.rating, one.is_provisional) == (System.OTBR, 1800, False)
    assert (one.place, one.total, one.percent) == (2, 4, 25)
    assert (one.state, one.state_place, one.state_total) == ("IL", 1, 3)


def test_member_on_no_list_has_no_rank():
    player = make_player()
    assert ranks_of(player) == (None, [])
    rated("30000001", 1500)
    official = published()
    assert ranks_of(player) == (official, [])


# Two lists


@pytest.fixture
def two_lists():
    """June and July: a gain, a loss, no change, one dropped, one new."""
    players = [
        rated("30000001", 1500),
        rated("30000002", 1600),
        rated("30000003", 1700),
        rated("30000004", 1800),
        rated("30000005", 1400, games=10),
    ]
    june = published(JUNE)
    posts = {0: 1530.0, 1: 1540.4, 2: 1700.4, 4: 1600.0}
    published_rerate(
        {line_of(players[place]).pk: post for place, post in posts.items()}
    )
    players[3].memberships.update(expires=date(2024, 3, 31))
    rated("30000006", 1234)
    return june, published(JULY)


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        (
            Difference.CHANGED,
            [
                ("30000005", 1400, 1600, 200),
                ("30000002", 1600, 1540, -60),
                ("30000001", 1500, 1530, 30),
            ],
        ),
        (
            Difference.UP,
            [("30000005", 1400, 1600, 200), ("30000001", 1500, 1530, 30)],
        ),
        (Difference.DOWN, [("30000002", 1600, 1540, -60)]),
        (Difference.NEW, [("30000006", None, 1234, None)]),
    ],
)
def test_lists_are_compared_by_whole_numbers(two_lists, kind, rows):
    june, july = two_lists
    assert [
        (row.player.member_id, row.before, row.rating, row.gain)
        for row in changed_ratings(july, june, System.OTBR, kind)
    ] == rows


def test_who_is_no_longer_listed_and_how_many_differ(two_lists):
    june, july = two_lists
    [row] = changed_ratings(july, june, System.OTBR, Difference.DROPPED)
    assert (row.player.member_id, row.rating) == ("30000004", 1800)
    gains = gains_between(june, july, System.OTBR)
    assert count_differences(gains, june, System.OTBR) == {
        Difference.CHANGED: 3,
        Difference.UP: 2,
        Difference.DOWN: 1,
        Difference.NEW: 1,
        Difference.DROPPED: 1,
    }


def on_pages(moved, gains, kind):
    """The members on all pages of a comparison, in order."""
    pages = page_of_changes(moved, 1, gains, kind).paginator.num_pages
    return [
        [row.player.member_id for row in page_of_changes(moved, number, gains, kind)]
        for number in range(1, 1 + pages)
    ]


@pytest.mark.parametrize("length", [1, 2, 50])
@pytest.mark.parametrize("kind", [*Difference][:3])
def test_pages_of_two_lists_have_every_row_once_in_order(
    two_lists, monkeypatch, length, kind
):
    monkeypatch.setattr(rankings, "ROWS_PER_PAGE", length)
    june, july = two_lists
    moved = changed_ratings(july, june, System.OTBR, kind)
    wanted = [row.player.member_id for row in moved]
    pages = [wanted[n : n + length] for n in range(0, len(wanted), length)]
    gains = gains_between(june, july, System.OTBR)
    assert on_pages(moved, gains, kind) == pages


def test_of_a_state_and_of_established_ratings_only_their_own_are_on_the_pages(
    two_lists,
):
    june, july = two_lists
    gained = improvers(july, june, System.OTBR)
    gains = gains_between(june, july, System.OTBR, established=True)
    assert on_pages(gained, gains, Difference.UP) == [["30000001"]]
    [state] = {row.state for row in july.ratings.all()}
    here = gains_between(june, july, System.OTBR, state=state)
    assert here == gains_between(june, july, System.OTBR)
    assert gains_between(june, july, System.OTBR, state="ZZ").members == {}


def test_two_lists_are_joined_once_for_a_page(two_lists, django_assert_num_queries):
    june, july = two_lists
    moved = changed_ratings(july, june, System.OTBR, Difference.CHANGED)
    gains = gains_between(june, july, System.OTBR)
    with django_assert_num_queries(1) as asked:
        page = page_of_changes(moved, 1, gains, Difference.CHANGED)
    assert [row.gain for row in page] == [200, -60, 30]
    [query] = asked.captured_queries
    named = gains.players(Difference.CHANGED, [200, 60, 30])
    assert len(named) == 3
    assert all(str(player) in query["sql"] for player in named)


def test_gains_count_between_established_ratings(two_lists):
    june, july = two_lists
    assert [
        (row.player.member_id, row.gain) for row in improvers(july, june, System.OTBR)
    ] == [("30000001", 30)]
    assert list(improvers(july, june, System.OTBR, state="OH")) == []


# Pages


@pytest.mark.parametrize("players", [2, 20])
@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("/rankings/", 4),
        ("/rankings/OTBR/", 3),
        ("/rankings/OTBR/?state=IL&standing=established&list=2024-06", 3),
        ("/rankings/OTBR/?band=u21", 4),
        ("/rankings/OTBR/top/", 4),
        ("/rankings/OTBR/gains/", 3),
    ],
)
def test_rankings_take_the_same_queries_for_any_size(
    client, django_assert_num_queries, players, path, queries
):
    fields = {"state": "IL", "birth_date": date(2010, 1, 1)}
    lines = [
        line_of(rated(f"{30000001 + number}", 1500.0 + 10 * number, **fields))
        for number in range(players)
    ]
    published(JUNE)
    published_rerate({line.pk: line.post_rating + 10 for line in lines})
    published(JULY)

    with django_assert_num_queries(queries):
        response = client.get(path)

    shown = min(players, 10) if path == "/rankings/" else players
    assert response.content.count(b'<th scope="row" class="name">') == shown


def test_ranking_page_hides_ages_and_highlights_the_reader(client):
    account = make_user()
    rated("30000001", 1500, birth_date=date(2012, 3, 4), account=account)
    rated("30000002", 1600, birth_date=date(2012, 3, 5))
    published()
    client.force_login(account)

    page = client.get("/rankings/OTBR/?band=u16").content.decode()

    assert page.count('class="mine"') == 1
    assert "noindex" in page
    assert "Ages are as of Apr 1, 2024." in page
    assert not contains_number(page, 2012)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/rankings/OTBR/?state=ZZ&band=u9", "ZZ is not one of the available choices"),
        ("/rankings/OTBR/gains/?since=never", "never is not one of the available"),
        (
            "/lists/compare/?a=2024-07&b=2024-06",
            "earlier list must be older than the later one",
        ),
        ("/lists/compare/?a=x&system=R", "R is not one of the available choices"),
    ],
)
def test_nonsense_in_the_address_is_explained(client, two_lists, path, sentence):
    response = client.get(path)
    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_before_the_first_list_pages_say_what_will_stand_there(client):
    for path in ("/rankings/", "/rankings/OTBR/", "/rankings/OTBR/gains/"):
        assert (
            "once the first official rating list is published"
            in client.get(path).content.decode()
        )
    assert "No lists yet." in client.get("/lists/").content.decode()
    assert "once two are published" in client.get("/lists/compare/").content.decode()
    assert client.get("/rankings/XYZ/").status_code == 404


def test_start_that_comes_from_an_age_shows_as_about_wherever_it_is_listed(client):
    child = newcomer_who_lost("30000009")
    june = published(JUNE)
    published_rerate({line_of(child).pk: 561.7})
    published(JULY)

    why = "so we show it to the nearest 50."
    for path in ("/lists/2024-06/", "/rankings/OTBR/?list=2024-06"):
        page = client.get(path).content.decode()
        assert '<td class="num">about 500<sup' in page
        assert why in page
    history = client.get("/players/30000009/lists/").content.decode()
    assert ">about 500<sup" in history
    assert "since revised to 562" in history
    assert why in history
    # The gain would reveal the start by age.
    compared = client.get("/lists/compare/").content.decode()
    assert (
        '<td class="num">about 500</td><td class="num">562</td><td class="num"></td>'
        in compared
    )
    later = client.get("/lists/2024-07/").content.decode()
    assert not contains_number(later, "about 500")
    assert why not in later
    assert own_place(june, RankingFilter(System.OTBR), child) == 5


def test_every_band_has_an_address():
    assert [band_by_slug(band.slug) for band in BANDS] == list(BANDS)
    assert band_by_slug("u9") is None


# Sorting and files


@pytest.fixture
def three_ranked():
    for number, (name, state, rating, games) in enumerate(
        (("Ames", "OH", 1700, 40), ("Zorn", "IL", 1900, 30), ("Moss", "IL", 1700, 10))
    ):
        rated(f"3000000{number}", rating, games, family_name=name, state=state)
    return published()


def shown_ids(page: bytes) -> list[str]:
    return re.findall(r"3000000\d", re.sub(r'href="[^"]*"', "", page.decode()))


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", "102"),
        ("-rating", "102"),
        ("rating", "021"),
        ("name", "021"),
        ("-name", "120"),
        ("state", "210"),
        ("-state", "021"),
        ("-games", "012"),
        ("place", "102"),
        ("nonsense", "102"),
    ],
)
@pytest.mark.parametrize("path", ["/rankings/OTBR/", "/lists/2024-06/"])
def test_rankings_and_lists_are_sorted_by_a_column(
    client, three_ranked, path, sort, order
):
    page = client.get(path, {"sort": sort})
    assert page.status_code == 200
    assert "".join(one[-1] for one in shown_ids(page.content)) == order
    sent = client.get(path, {"sort": sort, "format": "csv"})
    text = b"".join(sent.streaming_content)
    assert "".join(one[-1] for one in shown_ids(text)) == order


def test_ranking_file_has_the_published_numbers_of_all(client):
    newcomer_who_lost()
    for number in range(60):
        rated(f"{31000000 + number}", 1500.4 + number, 30 if number else 10)
    published()
    sent = client.get("/rankings/OTBR/?format=csv")
    lines = b"".join(sent.streaming_content).decode().splitlines()
    assert lines[0] == (
        "place,member_id,name,state,rating,about,games,provisional,percent_below,"
        "year_games"
    )
    rows = [line.split(",") for line in lines[1:]]
    assert [int(row[0]) for row in rows[:3]] == [1, 2, 3]
    assert len([row for row in rows if row[1].startswith("31")]) == 60
    assert [row[4:8] for row in rows if row[1] == "31000000"] == [
        ["1500", "", "10", "Y"]
    ]
    assert all("." not in row[4] for row in rows)


@pytest.mark.parametrize("kind", list(Difference))
@pytest.mark.parametrize("sort", ["name", "-state", "before", "-after", "gain"])
def test_differences_can_be_sorted_and_sent_in_every_order(
    client, two_lists, kind, sort
):
    query = {"show": kind.value, "sort": sort}
    page = client.get("/lists/compare/", query)
    assert page.status_code == 200
    table = page.context.get("table")
    sent = client.get("/lists/compare/", {**query, "format": "csv"})
    lines = b"".join(sent.streaming_content).decode().splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == [
        row.record.player.member_id for row in table.page
    ]


def test_list_finds_a_member_by_name(client, three_ranked):
    page = client.get("/lists/2024-06/?q=zorn").content
    assert shown_ids(page) == ["30000001"]
    assert shown_ids(client.get("/lists/2024-06/?state=OH").content) == ["30000000"]


@pytest.mark.parametrize("children", [2, 14])
def test_scholastic_rankings_show_the_first_of_each_age_group(
    client, django_assert_num_queries, children
):
    for number in range(children):
        fields = {"birth_date": date(2014, 6, 1), "state": "IL"}
        rated(f"{30000001 + number}", 1000.0 + number, **fields)
    rated("32000000", 2000, birth_date=date(1990, 1, 1), state="IL")
    published()
    # The list is of June 2024: the children are 9 on April 1.
    with django_assert_num_queries(18):
        page = client.get("/rankings/OTBR/scholastic/?state=IL").content.decode()
    groups = re.findall(r'<h2 id="(u\d+)">', page)
    assert groups == ["u10", "u12", "u14", "u16", "u18"]
    assert page.count('<th scope="row" class="name">') == 5 * min(children, 10)
    assert "32000000" not in page
    assert "2014" not in page
