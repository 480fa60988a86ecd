"""The sitemap has the URL of every public page."""

from xml.etree import ElementTree

import pytest

from ratings.home import sitemaps
from tests.factories import make_player, rated_section
from tests.response_text import is_not_found

pytestmark = pytest.mark.django_db

HERE = "http://testserver"


def addresses(client, path: str) -> list[str]:
    response = client.get(path)
    assert response["Content-Type"] == "application/xml"
    root = ElementTree.fromstring(response.content)  # noqa: S314 (our own)
    return [one.text for one in root.iter() if one.tag.endswith("}loc")]


def test_index_leads_to_every_part(client, monkeypatch):
    monkeypatch.setattr(sitemaps.Players, "limit", 20)
    for _ in range(41):
        make_player()
    assert addresses(client, "/sitemap.xml") == [
        f"{HERE}/sitemap-{part}"
        for part in (
            "pages.xml",
            "laboratory.xml",
            "players.xml",
            "players.xml?p=2",
            "players.xml?p=3",
            "events.xml",
            "sections.xml",
            "lists.xml",
        )
    ]
    assert len(addresses(client, "/sitemap-players.xml?p=3")) == 1


def test_every_member_stands_on_one_page(client, monkeypatch):
    monkeypatch.setattr(sitemaps.Players, "limit", 3)
    players = [make_player() for _ in range(10)]
    for one in (players[0], players[4], players[8]):
        one.delete()
    pages = [addresses(client, f"/sitemap-players.xml?p={page}") for page in (1, 2, 3)]
    of = [f"{HERE}{one.get_absolute_url()}" for one in players]
    assert pages == [of[1:4], of[5:7], [of[7], of[9]]]


def test_parts_name_what_is_public(client):
    section = rated_section(players=2, rounds=1)
    event = section.event
    kept = make_player()
    merged = make_player(status="duplicate", merged_into=kept)
    assert addresses(client, "/sitemap-events.xml") == [
        f"{HERE}/events/{event.event_id}/"
    ]
    assert addresses(client, "/sitemap-sections.xml") == [
        f"{HERE}/events/{event.event_id}/1/"
    ]
    players = addresses(client, "/sitemap-players.xml")
    assert f"{HERE}/players/{kept.member_id}/" in players
    assert f"{HERE}/players/{merged.member_id}/" not in players


def test_every_page_that_stands_alone_opens(client):
    pages = addresses(client, "/sitemap-pages.xml")
    assert f"{HERE}/open-data/" in pages
    for page in pages:
        assert client.get(page.removeprefix(HERE)).status_code == 200, page


@pytest.mark.parametrize("number", [1, 10])
@pytest.mark.parametrize("part", ["players", "events", "sections", "lists"])
def test_part_takes_two_queries(client, part, number, django_assert_max_num_queries):
    rated_section(players=2, rounds=1)
    for _ in range(number):
        make_player()
    with django_assert_max_num_queries(2):
        client.get(f"/sitemap-{part}.xml")


@pytest.mark.parametrize(
    "path",
    [
        "/sitemap-nonsense.xml",
        "/sitemap-players.xml?p=99",
        "/sitemap-players.xml?p=x",
        "/sitemap-players.xml?p=-1",
    ],
)
def test_part_that_is_not_there(client, path):
    assert is_not_found(client.get(path))


def test_robots_are_told_where_the_map_is_and_what_is_not_for_them(client):
    response = client.get("/robots.txt")
    assert response["Content-Type"] == "text/plain"
    assert response.content.decode().splitlines() == [
        "User-agent: *",
        "Disallow: /accounts/",
        "Disallow: /account/",
        "Disallow: /admin/",
        "Disallow: /desk/",
        "Disallow: /office/",
        "Disallow: /*format=csv",
        f"Sitemap: {HERE}/sitemap.xml",
    ]
