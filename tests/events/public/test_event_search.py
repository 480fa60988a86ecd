"""The event search, while typing and without JavaScript."""

import re
from datetime import date

import pytest

from players.models import Player
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    merge_with_approval,
    rated_event,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def events(module_data):
    """Create four events that differ in every searchable field."""
    make_affiliate("A6000002", name="Rook & Pawn")
    staff = make_staff("staff")
    anna, boris = make_td("anna", "12000001"), make_td("boris", "12000002")
    boris.player.family_name = "Müller"
    boris.player.save()
    add(anna, staff, "May Open", date(2024, 5, 4))
    add(anna, staff, "June Blitz", date(2024, 6, 1), time_control="G/5;d0")
    add(boris, staff, "Online Cup", date(2024, 7, 6), online=True, city="Albany")
    add(boris, staff, "Big Swiss", date(2023, 5, 4), players=20, club="A6000002")


def add(
    td, staff, name, day, *, players=2, city="Springfield", club="A6000001", **section
):
    first = "13000001" if name == "May Open" else None
    members = [make_player(first if not n else None) for n in range(players)]
    part = section_report(members, swiss_rows(players, 1), **section)
    report = event_report(td, [part], name=name, starts=day, ends=day)
    rated_event(td, report.with_event(city=city, affiliate_id=club), staff=staff)


def names(response) -> list[str]:
    page = response.content.decode()
    return re.findall(
        r'<th scope="row" class="name"><a href="/events/\d{12}/">(.*?)</a>', page
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=blitz+JUNE", ["June Blitz"]),
        ("q=albany", ["Online Cup"]),
        ("q=álbany+cüp", ["Online Cup"]),
        ("q=pawn", ["Big Swiss"]),
        ("q=a6000002", ["Big Swiss"]),
        ("q=muller", ["Online Cup", "Big Swiss"]),
        ("q=12000001", ["June Blitz", "May Open"]),
        ("q=open+albany", []),
        ("name=open", ["May Open"]),
        ("since=2024-06-01&until=2024-06-30", ["June Blitz"]),
        ("year=2023", ["Big Swiss"]),
        ("system=OTBB", ["June Blitz"]),
        ("system=OLR", ["Online Cup"]),
        ("played=online", ["Online Cup"]),
        ("played=otb&year=2024", ["June Blitz", "May Open"]),
        ("size=medium", ["Big Swiss"]),
        ("size=small&year=2024&q=cup", ["Online Cup"]),
        ("player=13000001", ["May Open"]),
        ("q=%25", []),
        ("q=%F0%9F%98%80+%27%22", []),
    ],
)
def test_events_are_found_by_what_is_asked(client, events, query, found):
    response = client.get(f"/events/?{query}")
    assert (response.status_code, names(response)) == (200, found)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("system=XYZ", "XYZ is not one of the available choices."),
        ("size=enormous", "enormous is not one of the available choices."),
        ("since=yesterday", "Enter a date such as 2024-05-04."),
        ("player=12", "Enter an 8-digit member ID. It does not start with 0."),
    ],
)
def test_what_cannot_be_asked_is_said_and_passed_over(client, events, query, sentence):
    response = client.get(f"/events/?{query}&q=blitz")
    assert response.status_code == 422
    assert response.content.decode().count(sentence) == 2
    assert names(response) == ["June Blitz"]


def test_an_unknown_column_is_ignored_in_words(client, events):
    response = client.get("/events/?sort=-rating&year=2024")
    assert "You can’t sort by “rating”." in response.content.decode()
    assert names(response) == ["Online Cup", "June Blitz", "May Open"]
    assert "You can’t sort" not in client.get("/events/?sort=-name").content.decode()


def test_htmx_gets_the_results_alone(client, events):
    response = client.get("/events/?q=cup", headers={"HX-Request": "true"})
    assert names(response) == ["Online Cup"]
    assert "<html" not in response.content.decode()
    assert "HX-Request" in response["Vary"]


def test_htmx_gets_the_whole_page_back_into_the_history(client, events):
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    response = client.get("/events/?q=cup", headers=headers)
    assert "<html" in response.content.decode()


@pytest.mark.parametrize(
    "query",
    ["q=12000002", "q=12000009", "q=keptname", "q=muller", "player=13000009"],
)
def test_events_of_merged_ids_are_found_by_any_id_and_name(client, db, query):
    make_affiliate("A6000002")
    staff, td = make_staff("staff"), make_td("boris", "12000002")
    td.player.family_name = "Müller"
    td.player.save()
    add(td, staff, "May Open", date(2024, 5, 4))
    kept = make_player("12000009", family_name="Keptname")
    merge_with_approval(kept, td.player)
    merge_with_approval(
        make_player("13000009"), Player.objects.get(member_id="13000001")
    )
    assert names(client.get(f"/events/?{query}")) == ["May Open"]


@pytest.mark.parametrize(
    ("query", "queries"),
    [
        ("q=open", 4),
        ("q=open+may", 4),
        ("system=OTBR&played=otb&size=small&player=13000001&year=2024", 3),
    ],
)
def test_a_search_takes_the_same_queries_whatever_is_asked(
    client, events, django_assert_num_queries, query, queries
):
    """Words take one more query, for directors."""
    with django_assert_num_queries(queries):
        assert names(client.get(f"/events/?{query}")) == ["May Open"]
