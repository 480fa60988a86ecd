"""One search: players, events, clubs, towns, and several IDs at once."""

import csv
import io
from datetime import date

import pytest

from events.models import Event
from events.public.queries import find_towns
from ratings.home.queries.search import MAX_IDS, parse_ids
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
)
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db


def search(client, text: str, **more: str):
    return client.get("/search/", {"q": text, **more})


def page(client, text: str, **more: str) -> str:
    return search(client, text, **more).content.decode()


@pytest.fixture
def event():
    """Create events with their own name, day and place."""
    staff, td = make_staff(), make_td()

    def make(name: str, day: date = date(2024, 5, 4), **more) -> Event:
        pair = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(2)]
        sections = [section_report(pair, ["W2W", "L1B"])]
        report = event_report(td, sections, name=name, starts=day, ends=day)
        made = accepted_event(td, report, staff=staff)
        Event.objects.filter(pk=made.pk).update(**more)
        return Event.objects.get(pk=made.pk)

    return make


@pytest.mark.parametrize(
    "text",
    ["harbor", "HARBOR op", "open harbor", "oakdale", "harbor wi", "harbor open 2024"],
)
def test_finds_an_event_by_words_place_state_and_year(client, event, text):
    found = event("Harbor & Lake Open", city="Oakdale", state="WI")
    other = event("Harbor Blitz", date(2023, 5, 6), city="Oakdale", state="MN")
    html = page(client, text)
    assert search(client, text).status_code in (200, 302)
    if text in ("harbor", "oakdale"):
        assert {found.name.replace("&", "&amp;") in html, other.name in html} == {True}
    else:
        assert search(client, text)["Location"] == found.get_absolute_url()


@pytest.mark.parametrize("text", ["garcia", "GARCÍA", "cafe", "Càfé", "malaga"])
def test_accents_make_no_difference_for_events_clubs_and_towns(client, event, text):
    event("Torneo García", city="Málaga", state="TX")
    event("Cafe Open", city="Malaga", state="TX")
    make_affiliate("A6000002", name="Café Garcia Chess Club")
    html = page(client, text)
    names = ("Torneo García", "Cafe Open", "Café Garcia Chess Club")
    assert {name for name in names if name in html} == {
        "gar": {"Torneo García", "Café Garcia Chess Club"},
        "caf": {"Cafe Open", "Café Garcia Chess Club"},
        "càf": {"Cafe Open", "Café Garcia Chess Club"},
        "mal": {"Torneo García", "Cafe Open"},
    }[text[:3].lower()]
    towns = [str(town) for town in find_towns(text, 9)]
    assert towns == (["Malaga, TX", "Málaga, TX"] if text == "malaga" else [])


@pytest.mark.parametrize("text", ["arbor", "harbor 2019", "harbor tx", "%", "_arbor"])
def test_finds_no_event_by_the_middle_of_a_word_or_by_wildcards(client, event, text):
    event("Harbor Open", city="Oakdale", state="WI")
    assert "Harbor Open" not in page(client, text)


def test_groups_players_clubs_events_and_towns(client, event):
    make_player("12345678", "Ann", "Castle")
    make_affiliate(affiliate_id="A7000001", name="Castle Chess Club", state="IL")
    event("Castle Open", city="Castle Rock", state="CO")
    html = page(client, "castle")
    order = [html.index(f'<h2 id="{kind}">') for kind in ("players", "clubs", "events")]
    assert order == sorted(order)
    for words in ("Ann Castle", "Castle Chess Club", "Castle Open", "Castle Rock, CO"):
        assert words in html
    assert '/events/?q=Castle%20Rock&amp;state=CO"' in html


def test_more_of_one_kind_is_a_link_away(client):
    for number in range(10):
        make_affiliate(affiliate_id=f"B700000{number}", name=f"Knight Club {number}")
    html = page(client, "knight")
    assert html.count("Knight Club") == 8
    assert "?q=knight&amp;kind=clubs" in html
    assert page(client, "knight", kind="clubs").count("Knight Club") == 10


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("zoe lukasik", "/players/31415926/"),
        ("31415926", "/players/31415926/"),
        ("３１４１５９２６", "/players/31415926/"),
        ("314 15926", "/players/31415926/"),
        ("2718281", "/players/31415926/"),
        ("queen side", "/affiliates/C7000001/"),
        ("c7000001", "/affiliates/C7000001/"),
    ],
)
def test_only_match_opens(client, text, address):
    make_player("31415926", "Zoë", "Łukasik", fide_id="2718281")
    make_player("31415000", "Max", "Other", fide_id="27182819")
    make_affiliate(affiliate_id="C7000001", name="Queen’s Side Club")
    text = text.replace("queen side", "queen s side")
    response = search(client, text)
    assert (response.status_code, response["Location"]) == (302, address)


def test_event_id_opens_the_event_and_its_beginning_finds_it(client, event):
    found = event("Harbor Open")
    assert search(client, found.event_id)["Location"] == found.get_absolute_url()
    event("Harbor Blitz")
    assert "Harbor Open" in page(client, found.event_id[:8])


def test_number_that_two_share_opens_neither(client):
    make_player("31415926", "Ann", "Adams")
    make_player("31415927", "Ben", "Bishop", fide_id="31415926")
    html = page(client, "31415926")
    assert "Ann Adams" in html
    assert "Ben Bishop" in html


def test_typing_error_is_a_question_and_opens_nothing(client):
    make_player("12000001", "Pat", "O'Brien")
    html = page(client, "orbien")
    assert "Did you mean one of these?" in html
    assert 'href="/players/12000001/"' in html


def test_no_match_says_what_to_try(client):
    html = page(client, "xylophon")
    assert "No player, event, club, or town matches “xylophon”." in html
    assert "another spelling" in html


@pytest.mark.parametrize("size", [1, 30])
def test_search_takes_the_same_queries_for_any_size(
    client, event, django_assert_num_queries, size
):
    for number in range(size):
        make_player(None, f"Given{number}", "Many", ratings={"OTBR": (1500, 30)})
        make_affiliate(affiliate_id=f"D70000{number:02}", name=f"Many Club {number}")
    for number in range(min(size, 9)):
        event(f"Many Open {number}", city=f"Manytown {number}")
    # Players, their ratings and memberships; events, clubs, towns.
    with django_assert_num_queries(6):
        html = page(client, "many")
    assert html.count('<tr><th scope="row"') == 2 * min(size, 8)
    with django_assert_num_queries(6):
        client.get("/search/suggestions/", {"q": "many"})


def test_suggestions_tell_no_age_and_nothing_for_nothing(client):
    for number in range(9):
        make_player(
            None,
            f"Given{number}",
            "O'Many",
            birth_date=date(2013, 7, 19),
            ratings={"OTBR": (1500.4, 30)},
        )
    html = client.get("/search/suggestions/", {"q": "omany"}).content.decode()
    assert html.count("O&#x27;Many") == html.count(", 1500") == 5
    assert not contains_number(html, 2013)
    assert "Member until" not in html
    assert not client.get("/search/suggestions/").content.strip()


# Several IDs at once


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("12000001 12000002", ["12000001", "12000002"]),
        ("12000001,12000002;a6000001", ["12000001", "12000002", "A6000001"]),
        ("12000001\n12000001\r\n202405040001", ["12000001", "202405040001"]),
        ("Smith, 12000001, 12000002", ["SMITH", "12000001", "12000002"]),
        ("120 00001", []),
        ("12-00 00-01", []),
        ("12000001", []),
        ("smith 12000001", []),
        ("", []),
        (",;\n", []),
    ],
)
def test_list_of_ids_is_told_from_a_name_or_number(text, ids):
    assert parse_ids(text) == ids


def test_ids_of_all_kinds_become_a_table(client, event):
    make_player("31415926", "Zoë", "Łukasik", ratings={"OTBR": (1654.5, 30)})
    make_player("31415927", "Ben", "Bishop", fide_id="2718281")
    make_affiliate(affiliate_id="C7000001", name="Queen Club")
    found = event("Harbor Open")
    html = page(client, f"31415926; 2718281,{found.event_id} c7000001 99999999 junk<b>")
    for words in ("Zoë Łukasik", "1655", "Ben Bishop", "Harbor Open", "Queen Club"):
        assert words in html
    assert "2 IDs were not found: 99999999, JUNK&lt;B&gt;" in html


def test_table_is_a_file_too(client):
    make_player(
        "31415926", "=cmd", "Łukasik", state="NY", ratings={"OTBR": (1654.5, 30)}
    )
    make_player("31415927", "Ben", "Bishop")
    response = client.get("/search/ids.csv", {"q": "31415926,31415927,99999999"})
    assert response["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["asked"], row["kind"], row["regular"]) for row in rows] == [
        ("31415926", "player", "1655"),
        ("31415927", "player", ""),
        ("99999999", "", ""),
    ]
    assert rows[0]["name"] == "'=cmd Łukasik"
    assert rows[2]["note"] == "not found"


def test_a_file_names_the_ids_that_one_search_does_not_take(client):
    ids = [str(number) for number in range(12000000, 12000250)]
    response = client.get("/search/ids.csv", {"q": ",".join(ids)})
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["asked"] for row in rows] == ids
    assert {row["note"] for row in rows[200:]} == {"not searched"}


def test_duplicate_names_the_number_that_goes_on(client):
    kept = make_player("31415926", "Ann", "Adams")
    make_player("31415927", "Ann", "Adams", status="duplicate", merged_into=kept)
    assert "Duplicate of 31415926" in page(client, "31415927, 31415926")


@pytest.mark.parametrize("size", [2, MAX_IDS])
def test_ids_take_the_same_queries_for_any_number(
    client, django_assert_num_queries, size
):
    make_player("31415926", "Ann", "Adams", ratings={"OTBR": (1500, 30)})
    ids = [
        "31415926",
        *(str(number) for number in range(20000000, 20000000 + size - 1)),
    ]
    # Members, their ratings and memberships.
    with django_assert_num_queries(3):
        html = page(client, " ".join(ids))
    assert "Ann Adams" in html
    assert f"{size - 1} ID" in html


def test_more_ids_than_one_search_takes_are_left_for_another(client):
    ids = [str(number) for number in range(20000000, 20000000 + MAX_IDS + 5)]
    html = page(client, ",".join(ids))
    assert "One search takes 200 IDs." in html
    assert ids[-1] not in html.split("not found")[1].split("</p>")[0]


@pytest.mark.parametrize(
    "query",
    [
        {"q": "\x00"},
        {"q": "\x00 castle \x00"},
        {"q": "' OR 1=1 --"},
        {"q": "%_*[^A-Z]?"},
        {"q": ":* & | ! <->"},
        {"q": "\\"},
        {"q": "²³ ½ ⅷ"},
        {"q": "漢字 한국 ﷽"},
        {"q": "\U0010ffff \ud7ff zz"},
        {"q": "a" * 9000},
        {"q": "ab " * 3000},
        {"q": "12345678 " * 3000},
        {"q": "9" * 400},
        {"q": "smith", "kind": "nothing"},
        {"q": "smith", "kind": "\x00"},
        {"q": "open 0000"},
        {"q": "1 2 3 4 5 6 7 8 9 0"},
        {},
    ],
    ids=lambda query: ascii(query)[:40],
)
def test_odd_texts_are_answered(client, event, query):
    event("Castle Open", city="Ñandú")
    make_affiliate(affiliate_id="C7000001", name="Castle Club")
    for address in ("/search/", "/search/suggestions/", "/search/ids.csv"):
        response = client.get(address, query)
        assert response.status_code in (200, 302)
        assert b"went wrong" not in response.content


# Compare players


def test_two_names_that_mean_one_player_each_are_compared(client):
    make_player("31415926", "Ann", "Adams")
    make_player("31415927", "Ben", "Bishop")
    response = client.get("/compare/", {"first": "adams", "second": "31415927"})
    assert response["Location"] == "/players/31415926/against/31415927/"


def test_name_of_several_players_asks_which(client):
    make_player("31415926", "Ann", "Adams")
    make_player("31415927", "Abe", "Adams")
    make_player("31415928", "Ben", "Bishop")
    html = client.get("/compare/", {"first": "adams", "second": "bishop"}).content
    assert b'href="?first=31415927&amp;second=31415928"' in html
    html = client.get("/compare/", {"first": "bishop", "second": "ben"}).content
    assert b"Both are the same player." in html
    html = client.get("/compare/", {"first": "xylophon", "second": ""}).content.decode()
    assert "No player matches “xylophon”." in html
