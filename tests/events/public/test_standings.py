"""Standings of events, clubs and their players."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db


def standings(client, path: str) -> list[list[str]]:
    """Return the cells of the first table of standings."""
    page = client.get(path).content.decode()
    table = page[page.index('class="table standings') :]
    return [
        [
            re.sub(r"<.*?>", "", cell).strip()
            for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", table[: table.index("</table>")], re.S)
    ][1:]


def test_event_shows_the_standings_of_its_sections(client):
    """Three rounds, worked out by hand; two players have a bye in the last."""
    players = [
        make_player(f"3000000{n}", given_name="P", family_name=f"N{n}", state="OH")
        for n in (1, 2, 3, 4)
    ]
    rows = ["W2W W3W W4W", "L1B W4W H", "D4W L1B B", "D3B L2B L1B"]
    td = make_td("td")
    section = section_report(players, rows, name="OPEN")
    event = accepted_event(td, event_report(td, [section], name="SPRING OPEN"))
    wanted = [
        ["1", "P N1", "OH", "3", "2½", "3", "6", "3½"],
        ["2=", "P N2", "OH", "1½", "½", "3½", "2½", "½"],
        ["2=", "P N3", "OH", "1½", "½", "3½", "1½", "¼"],
        ["4", "P N4", "OH", "½", "2½", "5½", "1½", "¾"],
    ]
    assert standings(client, event.get_absolute_url()) == wanted
    crosstable = event.sections.get().get_absolute_url()
    assert standings(client, f"{crosstable}?view=tiebreaks") == wanted


def test_large_event_shows_the_standings_of_its_first_sections(client, monkeypatch):
    monkeypatch.setattr("events.public.views.events.MAX_PLAYERS", 3)
    sections = [
        section_report([make_player() for _ in "ab"], ["W2W", "L1B"], number=n)
        for n in (1, 2)
    ]
    td = make_td("td")
    event = accepted_event(td, event_report(td, sections))
    page = client.get(event.get_absolute_url()).content.decode()
    assert 'id="standings-1"' in page
    assert 'id="standings-2"' not in page
    assert "Open a section for its standings." in page


def test_event_names_have_one_casing(client):
    td = make_td("td")
    players = [make_player() for _ in range(2)]
    section = section_report(players, ["W2W", "L1B"], name="OPEN U1200")
    event = accepted_event(td, event_report(td, [section], name="SPRING FIDE OPEN"))
    page = client.get(event.get_absolute_url()).content.decode()
    assert "<h1>Spring FIDE Open</h1>" in page
    assert ">Open U1200</a></h2>" in page
    assert ">Spring FIDE Open</a>" in client.get("/events/").content.decode()


def test_round_robin_has_no_tiebreaks_of_a_swiss(client):
    td = make_td("td")
    players = [make_player() for _ in range(2)]
    section = section_report(players, ["W2W", "L1B"], kind_letter="R")
    event = accepted_event(td, event_report(td, [section]))
    rows = standings(client, event.get_absolute_url())
    assert [(row[0], row[3], len(row)) for row in rows] == [
        ("1", "1", 4),
        ("2", "0", 4),
    ]


@pytest.mark.parametrize(("sections", "players"), [(1, 4), (4, 12)])
def test_event_pages_take_the_same_queries_for_any_size(
    client, django_assert_num_queries, sections, players
):
    td = make_td("td")
    members = [make_player() for _ in range(players)]
    reports = [
        section_report(members, swiss_rows(players, 3), number=number)
        for number in range(1, sections + 1)
    ]
    event = rated_event(td, event_report(td, reports))
    with django_assert_num_queries(7):
        page = client.get(event.get_absolute_url()).content
    assert page.count(b'class="table standings') == sections
    with django_assert_num_queries(4):
        page = client.get(f"{event.get_absolute_url()}all/").content
    assert page.count(b"<tr id=s") == sections * players


def test_all_sections_have_their_own_rows_and_links(client):
    td = make_td("td")
    players = [make_player(state="OH") for _ in range(2)]
    reports = [section_report(players, ["W2W", "L1B"], number=n) for n in (1, 2)]
    event = rated_event(td, event_report(td, reports))
    page = client.get(f"{event.get_absolute_url()}all/").content.decode()
    ids = re.findall(r"<tr id=(\w+)", page)
    assert ids == ["s1p1", "s1p2", "s2p1", "s2p2"]
    assert re.findall(r"<a href=#(s\d+p\d+)>", page) == ids
    why = f"../2/why/{players[0].member_id}/OTBR/"
    assert f"<a href={why}>" in page
    assert client.get(f"{event.get_absolute_url()}2/{why[5:]}").status_code == 200
    assert page.count("<span class=st>OH</span>") == 4


def test_unknown_event_has_no_sections(client):
    for event_id in ("200001010001", "x"):
        response = client.get(f"/events/{event_id}/all/")
        assert response.status_code == 404
        assert "There is no event with this ID." in response.content.decode()


# Clubs


def club_rows(page: str, section: str) -> list[tuple[str, ...]]:
    part = page[page.index(f'aria-labelledby="{section}"') :]
    rows = re.findall(r"<tr>(.*?)</tr>", part[: part.index("</section>")], re.S)[1:]
    return [
        tuple(
            re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)
        )
        for row in rows
    ]


def test_club_shows_its_players_of_a_year(client):
    td = make_td("td")
    people = [
        make_player(given_name="P", family_name=name, ratings={"OTBR": (rating, 30)})
        for name, rating in (("One", 1500), ("Two", 1700), ("Three", 1900))
    ]
    today = timezone.localdate()
    for days, pair in ((400, people[1:]), (30, people[:2]), (20, people[:2])):
        day = today - timedelta(days=days)
        section = section_report(pair, ["D2W", "D1B"])
        accepted_event(td, event_report(td, [section], starts=day, ends=day))
    page = client.get("/affiliates/A6000001/").content.decode()
    assert club_rows(page, "active") == [("P Two", "2", "1700"), ("P One", "2", "1500")]
    assert club_rows(page, "top") == [("P Two", "2", "1700"), ("P One", "2", "1500")]


def test_club_without_events_shows_no_players(client):
    make_affiliate()
    page = client.get("/affiliates/A6000001/").content.decode()
    assert "No rated events yet." in page
    assert "Most active players" not in page


@pytest.mark.parametrize("players", [2, 12])
def test_club_takes_the_same_queries_for_any_number_of_players(
    client, django_assert_num_queries, players
):
    td = make_td("td")
    members = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(players)]
    day = timezone.localdate()
    section = section_report(members, swiss_rows(players, 1))
    accepted_event(td, event_report(td, [section], starts=day, ends=day))
    with django_assert_num_queries(10):
        client.get("/affiliates/A6000001/")


def test_affiliates_are_found_sorted_and_sent(client):
    td = make_td("td")
    make_affiliate("A6000002", name="Zugzwang", state="OH")
    day = timezone.localdate()
    pair = [make_player() for _ in range(2)]
    section = section_report(pair, ["D2W", "D1B"])
    accepted_event(td, event_report(td, [section], starts=day, ends=day))
    page = client.get("/affiliates/?state=OH").content.decode()
    assert "Zugzwang" in page
    assert "A6000001" not in page
    response = client.get("/affiliates/?format=csv&sort=-recent")
    lines = b"".join(response.streaming_content).decode().split("\r\n")
    assert [line.split(",")[0] for line in lines[1:3]] == ["A6000001", "A6000002"]
    assert lines[1].endswith(f",1,{day}")
    assert lines[2].endswith(",0,")
    # A club without events is last from the newest on, on every database.
    for sort, first in (("last", "A6000002"), ("-last", "A6000001")):
        page = client.get(f"/affiliates/?sort={sort}").content.decode()
        assert re.findall(r"/affiliates/(A\d+)/", page)[0] == first
